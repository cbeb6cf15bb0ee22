"""Which line of which spec reads a message, and what it reads: for samples, and for people who
paste a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from statemachines.model.definitions.log_definitions import (
    FamilyLog,
    LineDefinition,
    ListCapture,
    Template,
)
from statemachines.model.definitions.machine_definitions import SpecDefinition, State
from statemachines.model.values import frozen

CapturedValues = tuple[tuple[str, str], ...]


@frozen
class LineExplanation:
    """A line that reads a message."""

    spec: str
    """The catalogue name; the family's file for a line of a family."""
    line: LineDefinition
    template: Template
    values: CapturedValues
    """Captured fields and their texts, in the order of the template."""
    items: tuple[CapturedValues, ...] = ()
    """For a line with `each`: the fields of every item."""


@lru_cache(maxsize=4096)
def _compiled_pattern(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def matching_templates(
    line: LineDefinition, message: str, *, within: bool = False
) -> Iterator[tuple[Template, CapturedValues, tuple[CapturedValues, ...]]]:
    """Yield the wordings of a line that read a message, with what they capture.

    Args:
        line: an entry of a spec.
        message: the first line of a message, or the whole of it; trailing blanks do not count.
        within: the message may stand behind anything (a layout).

    Yields:
        The wording, the captured values, and other ways in which it may capture them.
    """
    first, *rest = message.split("\n")
    below = _following_line_values(line, rest)
    for template in line.templates if below is not None else ():
        pattern = template.pattern.removeprefix("^") if within else template.pattern
        match = _compiled_pattern(pattern).search(first.rstrip())
        if match:
            values = (*((name, match.group(name)) for name in template.fields), *(below or ()))
            values += tuple(parts_within(line, dict(values)).items())
            items = _list_items(line.each, dict(values)) if line.each else ()
            yield template, values, tuple(items)


def parts_within(line: LineDefinition, values: Mapping[str, str | None]) -> dict[str, str]:
    """Return what the parts of captured texts tell, as far as they are there.

    Args:
        line: an entry of a spec.
        values: captured texts by field; None where an optional one is absent.

    Returns:
        Texts by the names of the parts.
    """
    parts: dict[str, str] = {}
    for inside in line.inside:
        for part in inside.parts:
            if match := _compiled_pattern(part.pattern).search(values.get(inside.field) or ""):
                parts |= match.groupdict()
    return parts


def _following_line_values(line: LineDefinition, rest: list[str]) -> CapturedValues | None:
    """Return what the lines of a message below its first tell; None where one must be there and is
    not.
    """
    values: CapturedValues = ()
    for template in line.following_lines if rest else ():
        pattern = _compiled_pattern(template.pattern)
        match = next((match for text in rest if (match := pattern.fullmatch(text.strip()))), None)
        if match is None:
            return None
        values += tuple((name, match.group(name)) for name in template.fields)
    return values


def _list_items(capture: ListCapture, values: Mapping[str, str]) -> Iterator[CapturedValues]:
    for match in _compiled_pattern(capture.item.pattern).finditer(values.get(capture.field, "")):
        item_values = tuple((name, match.group(name)) for name in capture.item.fields)
        if capture.inner:
            outer = tuple((name, text) for name, text in item_values if name != capture.inner.field)
            yield from ((*outer, *more) for more in _list_items(capture.inner, dict(item_values)))
        else:
            yield item_values


def explain_line(specs: Iterable[SpecDefinition], text: str) -> tuple[LineExplanation, ...]:
    """Find the lines that read a pasted message.

    Args:
        specs: machines to look through, with their families.
        text: a message, or a line of a log with its layout before it.

    Returns:
        Matches of the whole text; where there are none, those of its end. A line of a family comes
        once.
    """
    sources = tuple(_line_sources(specs))
    message = text.strip("\n").split("\n")[0]
    matches = tuple(_line_matches(sources, message, within=False))
    return matches or tuple(_line_matches(sources, message, within=True))


def _line_sources(
    specs: Iterable[SpecDefinition],
) -> Iterator[tuple[str, tuple[LineDefinition, ...]]]:
    families: dict[str, FamilyLog] = {}
    for spec in specs:
        yield spec.name, spec.log.lines if spec.log else ()
        if spec.family_log:
            families.setdefault(spec.family_log.file, spec.family_log)
    for file, log in families.items():
        yield file.removesuffix(".yaml"), log.lines


def _line_matches(
    sources: Iterable[tuple[str, tuple[LineDefinition, ...]]], message: str, *, within: bool
) -> Iterator[LineExplanation]:
    for name, lines in sources:
        for line in lines:
            for template, values, items in matching_templates(line, message, within=within):
                yield LineExplanation(name, line, template, values, items)


def state_by_spelling(states: Iterable[State], text: str) -> str:
    """Return the state that a name or a spelling in a log means; the text itself where it means
    none.

    Args:
        states: of the machine, in the releases that count.
        text: as the log has it.

    Returns:
        A state's name, or the text.
    """
    return next(
        (state.name for state in states if text == state.name or text in state.spellings), text
    )
