"""A user's layout is tried on its samples before it is used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from statemachines.logs.fields.log_times import parse_time
from statemachines.logs.layouts.conversion_patterns import mismatch
from statemachines.logs.layouts.json_layouts import JsonLayout
from statemachines.logs.layouts.parsed_lines import ParsedLine
from statemachines.logs.layouts.text_layouts import Layouts, TextLayout

_SAMPLE_FIELDS = ("message", "level", "logger", "thread")


def sample_problems(layout: TextLayout | JsonLayout) -> Iterator[str]:
    """Say what is wrong with each sample that a layout does not read as its author expects.

    Args:
        layout: with its samples.

    Yields:
        A sentence for each sample that is read otherwise, or not at all.
    """
    alone = Layouts((layout,)) if isinstance(layout, TextLayout) else Layouts((), (layout,))
    for sample in layout.samples:
        if not isinstance(sample, dict) or not isinstance(sample.get("text"), str):
            yield f"a sample has a 'text': {str(sample)[:80]!r}"
            continue
        reading = read_sample(alone, sample)
        if reading is None:
            yield (
                "it does not read its sample"
                f" {sample['text']!r}{_mismatch_message(layout, sample['text'])}"
            )
        else:
            yield from _field_differences(reading, sample)


def read_sample(layouts: Layouts, sample: Mapping[str, Any]) -> ParsedLine | None:
    """Read a sample, also one of two lines.

    Args:
        layouts: that may read it.
        sample: with `line`, and `above` of a record of two lines.

    Returns:
        What was read; None where no layout reads it.
    """
    return layouts.read(sample["text"]) or layouts.read_below(
        sample["text"], lambda: str(sample.get("above") or "")
    )


def _mismatch_message(layout: TextLayout | JsonLayout, text: str) -> str:
    """Say where a pattern stopped: the column, what stands there, and what was expected."""
    if not isinstance(layout, TextLayout):
        return ""
    at, wanted = mismatch(layout.pattern, text)
    return (
        f": it stops at column {at + 1}, before {text[at : at + 20]!r}, where {wanted} was expected"
    )


def _field_differences(reading: ParsedLine, sample: Mapping[str, Any]) -> Iterator[str]:
    for what in _SAMPLE_FIELDS:
        read = getattr(reading, what)
        if what in sample and read != sample[what]:
            yield (
                f"of its sample {sample['text']!r} it reads the {what} {read!r}, not"
                f" {sample[what]!r}"
            )
    if "at" in sample and reading.timestamp != parse_time(str(sample["at"])):
        yield f"of its sample {sample['text']!r} it reads another time than {sample['at']!r}"
