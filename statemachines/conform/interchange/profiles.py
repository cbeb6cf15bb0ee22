"""What is known of the processes in a file only when all of it was read: joined from pieces, in any
order of joining.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from attrs import Factory

from statemachines.conform.interchange.doubled_lines import LineEdges, LineSignature
from statemachines.conform.interchange.loud_lines import (
    LoudLines,
    RareLines,
    join_loud_lines,
    join_rare_lines,
)
from statemachines.conform.interchange.observations import Observation
from statemachines.logs import Midnights
from statemachines.model.evidence.moments import DAY_MS
from statemachines.model.values import define, frozen

CountedLine = tuple[int, int, str]
"""How often, line and text of the first."""
_FIRST_DATE_MS = 10 * 365 * DAY_MS
"""Times that are earlier are of a clock without date, which begins in 1970 (ten years)."""
MOST_UNREAD_SAMPLES = 100
"""Unread lines of a file that are kept."""


BEGIN_KINDS = {"process begins", "process may begin"}
"""What marks say that permit a life to begin."""


class ProcessEvent(NamedTuple):
    """A line that tells of the process as a whole."""

    reached: int
    line: int
    kind: str
    """`release`, `process begins`, `process may begin` or `process ends`."""
    owner: int
    release: str
    """The release as the line tells it; empty for the others."""


class CarriedGeneration(NamedTuple):
    """A generation that a line told for a carrier (a controller's epoch)."""

    line: int
    field: str
    carrier: str
    value: str
    generation: str


@define
class UnitProfile:
    """What the lines of one process prefix in one file (or in a piece of it) show."""

    signatures: Counter[LineSignature] = Factory(Counter)
    levels: dict[tuple[int, str], int] = Factory(dict)
    """Owner and logger (`""` for entries without one): rank of the quietest level that was read."""
    process_names: dict[str, set[str]] = Factory(dict)
    """Family: the values of its process field."""
    process_events: list[ProcessEvent] = Factory(list)
    generations: list[CarriedGeneration] = Factory(list)
    """Only the changes."""
    reached: int | None = None
    """Latest time of its lines, milliseconds."""
    dated: bool = True
    """Whether its times have a date."""
    records: int = 0
    doubled: Counter[LineSignature] = Factory(Counter)
    """Lines that are the same, time and all, as the one that stands directly before."""

    @property
    def wholly_doubled(self) -> int:
        """How many kinds of lines there are of which each stands twice, but for a few, such as the
        last one of a log that is being written.
        """
        return sum(
            2 * times == (count := self.signatures[kind]) or 6 <= count <= 3 * times
            for kind, times in self.doubled.items()
        )


@define
class Profile:
    """What a file or a piece of it shows, beside its observations."""

    units: dict[str | None, UnitProfile] = Factory(dict)
    lines: int = 0
    records: int = 0
    unread: int = 0
    layouts: Counter[str] = Factory(Counter)
    problems: Counter[str] = Factory(Counter)
    midnights: Midnights = Factory(Midnights)
    unread_samples: list[tuple[int, str]] = Factory(list)
    """Line and text of the first of them."""
    unjudged: list[tuple[str, int, int, str]] = Factory(list)
    """Why, how often, line and text of the first."""
    unread_by_logger: dict[tuple[str | None, str], CountedLine] = Factory(dict)
    """By unit and logger: lines of a logger of the catalogue that no line of it reads."""
    abroad: list[Observation] = Factory(list)
    """Lines of many instances that do not tell their keys."""
    loud: LoudLines = Factory(dict)
    """Lines at ERROR or FATAL that no machine knows, a few of each second."""
    rare: RareLines = Factory(dict)
    """Lines at WARN, ERROR or FATAL that no machine knows, counted by their wording."""
    edges: LineEdges = LineEdges()
    """Its first and last lines, the other one of which may stand in another piece."""

    @property
    def prefixes(self) -> tuple[str | None, ...]:
        """The prefixes of its processes; that of a file without any line to the point is None."""
        return tuple(self.units) or (None,)

    def unit(self, prefix: str | None) -> UnitProfile:
        """Return the profile of one prefix, made on first use."""
        return self.units.setdefault(prefix, UnitProfile())


@frozen
class Shift:
    """How the lines and times of a piece move when the pieces before it are known."""

    lines: int = 0
    reached: dict[str | None, int] = Factory(dict)
    """By unit: the latest time of the pieces before."""
    days_ms: dict[str | None, int] = Factory(dict)
    """By unit: what its times without a date gain."""

    def shifted_time(self, unit: str | None, at: int | None, dated: bool) -> int | None:
        """Return a time with the days of the pieces before."""
        return at if at is None or dated else at + self.days_ms.get(unit, 0)

    def shifted_latest(self, unit: str | None, reached: int | None) -> int | None:
        """Return the latest time that a unit's lines have reached, earlier pieces included. Where
        some of its lines have a date and others have not, it is that of a date.
        """
        is_of_day = reached is not None and reached < _FIRST_DATE_MS
        before, reached = self.reached.get(unit), self.shifted_time(unit, reached, not is_of_day)
        return reached if before is None else before if reached is None else max(before, reached)

    def shifted_observation(self, observation: Observation) -> Observation:
        """Give an observation of a piece its place in the whole file."""
        if not (self.lines or self.reached or self.days_ms):
            return observation
        _, _, _, _, unit, line, reached, at, zone, *_ = observation
        if zone == "none":
            at = self.shifted_time(unit, at, dated=False)
        reached = self.shifted_latest(unit, reached)
        return observation._replace(line=line + self.lines, reached=reached, at=at)

    def shifted_observations(self, observations: Sequence[Observation]) -> Sequence[Observation]:
        """Give the observations of a piece their places in the whole file; those of one process
        with dates and times that go on have only their lines moved.
        """
        if not observations or not (self.lines or self.reached or self.days_ms):
            return observations
        first, lines, make = observations[0], self.lines, tuple.__new__
        least = self.reached.get(first.unit, first.reached)
        if least is None or not all(
            unit == first.unit and zone != "none" and reached is not None and reached >= least
            for _, _, _, _, unit, _, reached, _, zone, *_ in observations
        ):
            return [self.shifted_observation(observation) for observation in observations]
        return [
            make(Observation, (*observation[:5], observation[5] + lines, *observation[6:]))
            for observation in observations
        ]


def shift_between(left: Profile, right: Profile) -> Shift:
    """Return how a piece moves by everything before it."""
    reached = {
        unit: profile.reached for unit, profile in left.units.items() if profile.reached is not None
    }
    return Shift(
        left.lines,
        reached,
        {unit: DAY_MS * left.midnights.days_before(right.midnights, unit) for unit in right.units},
    )


def join_profiles(left: Profile, right: Profile) -> Profile:
    """Return the profile of two neighbouring pieces; associative, with `Profile()` as the empty
    one.

    The positions in `right` count from its own start; in the result they count from the start of
    `left`.
    """
    shift = shift_between(left, right)
    units = {
        prefix: _join_units(left.units.get(prefix), right.units.get(prefix), prefix, shift)
        for prefix in {**left.units, **right.units}
    }
    pair = left.edges.parted_pair(right.edges)
    if pair is not None:
        units[pair.prefix].doubled.update(pair.signatures)
    return Profile(
        units,
        left.lines + right.lines,
        left.records + right.records,
        left.unread + right.unread,
        left.layouts + right.layouts,
        left.problems | right.problems,
        left.midnights.followed_by(right.midnights),
        (left.unread_samples + [(n + left.lines, t) for n, t in right.unread_samples])[
            :MOST_UNREAD_SAMPLES
        ],
        merge_reasons(
            left.unjudged,
            [(why, count, line + left.lines, text) for why, count, line, text in right.unjudged],
        ),
        _join_unread(left, right),
        left.abroad + list(shift.shifted_observations(right.abroad)),
        join_loud_lines(left.loud, right.loud, shift.lines, shift.days_ms),
        join_rare_lines(left.rare, right.rare, shift.lines, shift.days_ms),
        left.edges.followed_by(right.edges),
    )


def _join_unread(left: Profile, right: Profile) -> dict[tuple[str | None, str], CountedLine]:
    joined = dict(left.unread_by_logger)
    for key, (count, line, text) in right.unread_by_logger.items():
        joined[key] = join_counted_lines(joined.get(key), (count, line + left.lines, text))
    return joined


def join_counted_lines(left: CountedLine | None, right: CountedLine) -> CountedLine:
    """Count the lines of two rows together, with the first of them."""
    return right if left is None else (left[0] + right[0], *min(left[1:], right[1:]))


def merge_reasons(
    left: list[tuple[str, int, int, str]], right: list[tuple[str, int, int, str]]
) -> list[tuple[str, int, int, str]]:
    """Count equal reasons, each with its first line."""
    rows = {row[0]: row for row in left}
    for why, count, line, text in right:
        known = rows.get(why)
        rows[why] = (
            (why, known[1] + count, known[2], known[3]) if known else (why, count, line, text)
        )
    return list(rows.values())


def _join_units(
    left: UnitProfile | None, right: UnitProfile | None, prefix: str | None, shift: Shift
) -> UnitProfile:
    left, right = (
        left or UnitProfile(dated=right.dated if right else True),
        right or UnitProfile(dated=left.dated if left else True),
    )
    marks = left.process_events + [
        m._replace(
            line=m.line + shift.lines,
            reached=shift.shifted_latest(prefix, m.reached) or 0,
        )
        for m in right.process_events
    ]
    carried = left.generations + [c._replace(line=c.line + shift.lines) for c in right.generations]
    levels = {
        key: min(left.levels.get(key, 9), right.levels.get(key, 9))
        for key in {**left.levels, **right.levels}
    }
    named = {
        family: left.process_names.get(family, set()) | right.process_names.get(family, set())
        for family in {**left.process_names, **right.process_names}
    }
    return UnitProfile(
        left.signatures + right.signatures,
        levels,
        named,
        marks,
        only_changes(carried),
        shift.shifted_latest(prefix, right.reached),
        left.dated and right.dated,
        left.records + right.records,
        left.doubled + right.doubled,
    )


def only_changes(carried: list[CarriedGeneration]) -> list[CarriedGeneration]:
    """Drop what only repeats the generation that its carrier had already."""
    latest: dict[tuple[str, str, str], str] = {}
    changes = []
    for entry in carried:
        key = entry.field, entry.carrier, entry.value
        if latest.get(key) != entry.generation:
            changes.append(entry)
            latest[key] = entry.generation
    return changes
