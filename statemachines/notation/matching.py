"""Which line of which spec reads a message, and what it reads: for samples, and for people who paste a line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from attrs import frozen

from statemachines.model.loglines import FamilyLog, Line, Template
from statemachines.model.machines import Spec, State

Values = tuple[tuple[str, str], ...]


@frozen
class Match:
    """A line that reads a message."""

    spec: str
    """The catalogue name; the family's file for a line of a family."""
    line: Line
    template: Template
    values: Values
    """Captured fields and their texts, in the order of the template."""
    items: tuple[Values, ...] = ()
    """For a line with `each`: the fields of every item."""


@lru_cache(maxsize=4096)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def reads(line: Line, message: str, *, within: bool = False) -> Iterator[tuple[Template, Values, tuple[Values, ...]]]:
    """Yield the wordings of a line that read a message, with what they capture.

    Args:
        line: an entry of a spec.
        message: the first line of a message; trailing blanks do not count.
        within: the message may stand behind anything (a layout).
    """
    for template in line.templates:
        pattern = template.pattern.removeprefix("^") if within else template.pattern
        match = _compiled(pattern).search(message.rstrip())
        if match:
            values = tuple((name, match.group(name)) for name in template.fields)
            yield template, values, tuple(_items(line, dict(values)))


def _items(line: Line, values: dict[str, str]) -> Iterator[Values]:
    if line.each:
        for item in _compiled(line.each.item.pattern).finditer(values.get(line.each.field, "")):
            yield tuple((name, item.group(name)) for name in line.each.item.fields)


def explain_line(specs: Iterable[Spec], text: str) -> tuple[Match, ...]:
    """Find the lines that read a pasted message.

    Args:
        specs: machines to look through, with their families.
        text: a message, or a line of a log with its layout before it.

    Returns:
        Matches of the whole text; where there are none, those of its end. A line of a family comes once.
    """
    sources = tuple(_sources(specs))
    message = text.strip("\n").split("\n")[0]
    found = tuple(_matches(sources, message, within=False))
    return found or tuple(_matches(sources, message, within=True))


def _sources(specs: Iterable[Spec]) -> Iterator[tuple[str, tuple[Line, ...]]]:
    families: dict[str, FamilyLog] = {}
    for spec in specs:
        yield spec.name, spec.log.lines if spec.log else ()
        if spec.family_log:
            families.setdefault(spec.family_log.file, spec.family_log)
    for file, log in families.items():
        yield file.removesuffix(".yaml"), log.lines


def _matches(sources: Iterable[tuple[str, tuple[Line, ...]]], message: str, *, within: bool) -> Iterator[Match]:
    for name, lines in sources:
        for line in lines:
            for template, values, items in reads(line, message, within=within):
                yield Match(name, line, template, values, items)


def state_named(states: Iterable[State], text: str) -> str:
    """Return the state that a name or a spelling in a log means; the text itself where it means none."""
    return next((state.name for state in states if text == state.name or text in state.spellings), text)
