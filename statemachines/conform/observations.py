"""What a record tells of one instance, before it is judged."""

from __future__ import annotations

from typing import NamedTuple

from statemachines.model.releases import Releases

KeyValues = tuple["str | int | None", ...]
"""Values of the key fields in the spec's order; None for a generation that the line does not tell."""


class Telling(NamedTuple):
    """One way to read a line: as this entry of the spec, in these releases."""

    releases: Releases
    line: int
    """Number of the entry in its spec."""
    source: str | None = None
    """The told (or fixed) from-state, by its name in the spec."""
    target: str | None = None
    state: str | None = None
    event: str | None = None
    arguments: tuple[tuple[str, str], ...] = ()
    """Of the event, as the line writes them."""
    values: tuple[tuple[str, str], ...] = ()
    """Variables and what the line tells of them, as it writes it."""
    unknown: tuple[tuple[str, str], ...] = ()
    """`from`, `to` or `state`, and a name there that no state of the spec has."""


class Observation(NamedTuple):
    """What one record tells of one instance."""

    owner: int
    """Number of the machine in `Plan.owners`."""
    key: KeyValues
    tellings: tuple[Telling, ...]
    """With disjoint releases."""
    file: int
    """Number of the file in the check."""
    unit: str | None
    """The prefix that names a process inside the file."""
    line: int
    """1-based."""
    reached: int | None
    """Milliseconds: the latest time that this unit's lines had reached here; a line counts as not earlier than the one before it."""
    at: int | None
    """Milliseconds as the line tells them."""
    zone: str
    """`Z`, `unknown` or `none` (a time without a date)."""
    text: str
    reason: str = ""
    """What the line (a field `reason`) or the record's following lines name as the cause."""


class Position(NamedTuple):
    """Where something stands in the merged order of a process."""

    reached: int
    stem: int
    part: int
    """Place of the file among the rotated files of its stem, oldest first."""
    line: int
