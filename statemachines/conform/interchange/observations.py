"""What a record says of one instance, before it is judged."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import repeat
from typing import Any, NamedTuple

from statemachines.model.definitions.release_sets import ReleaseSet

KeyValues = tuple["str | int | None", ...]
"""Values of the key fields in the spec's order; None for a generation that the line does not tell.
"""


FileTeller = tuple[int, KeyValues, "str | None"]
"""Machine, key and the prefix of lines in one file: they are of one instance, except where a
generation is told by another line.
"""


class LineReading(NamedTuple):
    """One way to read a line: as this entry of the spec, in these releases."""

    releases: ReleaseSet
    entry: int
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
    unknown_states: tuple[tuple[str, str], ...] = ()
    """`from`, `to` or `state`, and a name there that no state of the spec has."""


class LineWords(NamedTuple):
    """What a line tells of an instance beside its key and its time, as far as it is read from the
    line itself; as `Observation` has it.
    """

    zone: str
    readings: tuple[LineReading, ...]
    reason: str
    life: str | None
    number: int | None
    previous: int | None
    remembered: tuple[tuple[str, str], ...]


class Placed(NamedTuple):
    """What the history that several processes tell says of one of its lines."""

    anew: bool = False
    """Whether it is the first of another life."""
    again: bool = False
    """Whether it tells a change that a line before it has told already."""
    before: int | None = None
    """The number of the change before it, where its process was there and some in between are
    missing.
    """
    fell: int | None = None
    """The number that its process had told before, and that this one is less than."""
    late: bool = False
    """Whether its process only read it out when it began anew: it happened before, and no line of
    that time tells it.
    """
    follows: int | None = None
    """The number that it says to follow, where that is not the one right before its own."""


class Observation(NamedTuple):
    """What one record tells of one instance."""

    owner: int
    """Number of the machine in `Plan.owners`."""
    key: KeyValues
    readings: tuple[LineReading, ...]
    """With disjoint releases."""
    file: int
    """Number of the file in the check."""
    unit: str | None
    """The prefix that names a process inside the file."""
    line: int
    """1-based."""
    reached: int | None
    """Milliseconds: the latest time that this unit's lines had reached here; a line counts as not
    earlier than the one before it.
    """
    at: int | None
    """Milliseconds as the line tells them."""
    zone: str
    """`Z`, `unknown` or `none` (a time without a date)."""
    text: str
    reason: str = ""
    """What the line (a field `reason`) or the record's following lines name as the cause."""
    life: str | None = None
    """The life that it tells of, where it names one."""
    number: int | None = None
    """Of the change that it tells, within its life."""
    about: tuple[tuple[str, str], ...] | None = None
    """Of a line of many instances: the variables of those that it is about, and their values as the
    line writes them.
    """
    placed: Placed | None = None
    previous: int | None = None
    """The number of the change before, where the line tells it."""
    thrown_at: str = ""
    """The line of the user's own program in the stack trace behind the line."""
    remembered: tuple[tuple[str, str], ...] = ()
    """Fields by which its instance is known from here on, beside its key."""
    listed: frozenset[KeyValues] = frozenset()
    """Of a line of many instances: those that it names itself, and that it is not about."""

    @property
    def teller(self) -> FileTeller:
        """Who tells of whom, in its file."""
        return self.owner, self.key, self.unit


_NOBODY: frozenset[KeyValues] = frozenset()


def plain_observation(
    owner: int, key: KeyValues, words: LineWords, file: int, line: int, reached: int, at: int,
    text: str,
) -> Observation:  # fmt: skip
    """Return what a line of a known form tells of an instance, in half the time of the
    constructor; the fields are those of `Observation`.
    """
    zone, readings, reason, life, number, previous, remembered = words
    observed = readings, file, None, line, reached, at, zone, text, reason, life, number
    fields = owner, key, *observed, None, None, previous, "", remembered, _NOBODY
    return tuple.__new__(Observation, fields)


def words_of(observation: Observation) -> LineWords | None:
    """Return what an observation says that is made of these words, its key and its time; None of
    any other.
    """
    if (
        observation.about
        or observation.placed is not None
        or observation.thrown_at
        or observation.listed
        or observation.unit
    ):
        return None
    words = (
        observation.zone,
        observation.readings,
        observation.reason,
        observation.life,
        observation.number,
        observation.previous,
    )
    return LineWords(*words, observation.remembered)


def from_columns(columns: Iterable[Iterable[Any]]) -> list[Observation]:
    """Return the observations whose fields stand in some columns, in half the time of their
    constructor.
    """
    return list(map(tuple.__new__, repeat(Observation), zip(*columns, strict=True)))


class Position(NamedTuple):
    """Where something stands in the merged order of a process."""

    reached: int
    stem: int
    part: int
    """Place of the file among the rotated files of its stem, oldest first."""
    line: int
