"""A user's layout is tried on its samples before it is used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from statemachines.logs.json_layout import JsonLayout
from statemachines.logs.layout import Layouts, TextLayout
from statemachines.logs.patterns import stopped
from statemachines.logs.reading import Reading
from statemachines.logs.times import read_time

_TOLD = ("message", "level", "logger", "thread")


def wrong_samples(layout: TextLayout | JsonLayout) -> Iterator[str]:
    """Say what is wrong with each sample that a layout does not read as its author expects."""
    alone = Layouts((layout,)) if isinstance(layout, TextLayout) else Layouts((), (layout,))
    for sample in layout.samples:
        if not isinstance(sample, dict) or not isinstance(sample.get("text"), str):
            yield f"a sample has a 'text': {str(sample)[:80]!r}"
            continue
        reading = read_sample(alone, sample)
        if reading is None:
            yield f"it does not read its sample {sample['text']!r}{_stopped(layout, sample['text'])}"
        else:
            yield from _differences(reading, sample)


def read_sample(layouts: Layouts, sample: Mapping[str, Any]) -> Reading | None:
    """Read a sample, also one of two lines."""
    return layouts.read(sample["text"]) or layouts.read_below(sample["text"], lambda: str(sample.get("above") or ""))


def _stopped(layout: TextLayout | JsonLayout, text: str) -> str:
    """Say where a pattern stopped: the column, what stands there, and what was expected."""
    if not isinstance(layout, TextLayout):
        return ""
    at, wanted = stopped(layout.reader, text)
    return f": it stops at column {at + 1}, before {text[at : at + 20]!r}, where {wanted} was expected"


def _differences(reading: Reading, sample: Mapping[str, Any]) -> Iterator[str]:
    for what in _TOLD:
        read = getattr(reading, what)
        if what in sample and read != sample[what]:
            yield f"of its sample {sample['text']!r} it reads the {what} {read!r}, not {sample[what]!r}"
    if "at" in sample and reading.moment != read_time(str(sample["at"])):
        yield f"of its sample {sample['text']!r} it reads another time than {sample['at']!r}"
