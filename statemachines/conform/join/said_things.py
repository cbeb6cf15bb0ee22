"""What a follower keeps of what it said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from statemachines.model.evidence.incidents import Incident
from statemachines.model.evidence.reports import Finding, Place


class SaidThing(NamedTuple):
    """What was said of a thing, or would have been."""

    title: str = ""
    file: str | None = None
    """Of the line that was named."""
    line: int | None = None
    is_said: bool = True
    """False for what was known before anything was said, or was left out: what becomes of it is no
    news.
    """

    @property
    def place(self) -> Place | None:
        """The line that was named."""
        return None if self.file is None or self.line is None else Place(self.file, self.line)


def said_of(
    row: Finding | Incident, before: SaidThing | None = None, *, is_said: bool = True
) -> SaidThing:
    """Return what is kept of what is said.

    Args:
        row: what is said.
        before: what was kept of it.
        is_said: whether it is said, where nothing was kept.
    """
    if isinstance(row, Finding):
        title, place = row.message, row.place
    else:
        title, place = row.title, row.cause.quote.place if row.cause else None
    is_said = is_said if before is None else before.is_said
    if place is None:
        return SaidThing(title, is_said=is_said)
    return SaidThing(title, place.file, place.line, is_said)


def said_things(rows: Mapping[str, Sequence[Any]]) -> dict[str, SaidThing]:
    """Return by their keys what was kept as lists."""
    return {key: SaidThing(*row) for key, row in rows.items()}
