"""The order of the lines of one incarnation: by the numbers of its changes, and without what is
only repeated.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from attrs import field

from statemachines.conform.interchange.observations import Observation, Placed
from statemachines.conform.settle.judging_context import JudgingContext
from statemachines.model.definitions.log_definitions import LineDefinition, LineKind
from statemachines.model.values import define

Run = tuple[int, int, int]
"""A process, how often it had begun, and how often it had taken back what it told."""


class Row(NamedTuple):
    """A line of a history."""

    observation: Observation
    line: LineDefinition
    place: int
    """In the order of times."""
    process: int
    run: Run
    age: int | None
    """Milliseconds since its process began; None where no line tells that it did."""


def effect(observation: Observation) -> tuple[object, ...]:
    """Return what a line tells to have happened, whatever its words are."""
    reading = observation.readings[0]
    return (
        reading.source,
        reading.target,
        reading.state,
        reading.event,
        reading.arguments,
        reading.values,
    )


_REPLAY_MS = 60_000
"""So long after its beginning a process may still tell again what was before."""
_MOMENT_MS = 100
"""So near are lines that are read one after the other."""
_TELLS_A_CHANGE = {LineKind.STEP, LineKind.EVENT, LineKind.FORCED, LineKind.BEGIN}


def in_sequence(context: JudgingContext, incarnation: Sequence[Row]) -> Iterator[Observation]:
    """Yield the lines of one life in the order of its changes.

    Lines with a number stand in its order, each where its change was first told, or a later one;
    lines of one number stand together, and all but the first only repeat it. A line without a
    number that every process writes is left out where it was told before.
    """
    tolerance = context.plan.options.tolerance_ms
    rows = list(_distinct_changes(incarnation, tolerance))
    groups: dict[int, list[Row]] = defaultdict(list)
    for row in rows:
        if row.observation.number is not None:
            groups[row.observation.number].append(row)
    fell, there = _falls(rows)
    late = _late(incarnation, rows)
    indexes = _places(groups)
    ordered = [((indexes[number], number), group) for number, group in groups.items()]
    ordered += [((row.place, -1), [row]) for row in rows if row.observation.number is None]
    before = None
    for (_, number), group in sorted(ordered, key=lambda entry: entry[0]):
        if number < 0:
            yield _at(group[0].observation, Placed(late=group[0].place in late))
            continue
        yield from _placed(group, before, fell, there, late, tolerance)
        before = number


def _places(groups: dict[int, list[Row]]) -> dict[int, int]:
    """Return the place of each number in the order of times: where it, or a later one, was first
    told.
    """
    indexes, earliest = dict[int, int](), None
    for number in sorted(groups, reverse=True):
        first = groups[number][0].place
        earliest = first if earliest is None else min(earliest, first)
        indexes[number] = earliest
    return indexes


def _at(observation: Observation, placed: Placed) -> Observation:
    return observation if placed == Placed() else observation._replace(placed=placed)


def _placed(
    group: list[Row],
    before: int | None,
    fell: dict[int, int],
    there: set[int],
    late: set[int],
    tolerance: int,
) -> Iterator[Observation]:
    """Yield the lines of one change: first one that tells the change itself, if it is not much
    later than the first of all.
    """
    first = next(
        (row for row in group if _is_change(row) and _is_soon(group[0], row, tolerance)), group[0]
    )
    for row in [first, *(row for row in group if row is not first)]:
        number, again = row.observation.number or 0, row is not first
        missing = not again and row.place in there and before is not None and number > before + 1
        yield _at(
            row.observation,
            Placed(
                again=again,
                before=before if missing else None,
                fell=fell.get(row.place),
                late=row.place in late,
                follows=_misnumbered(row.observation),
            ),
        )


def _misnumbered(observation: Observation) -> int | None:
    """Return the number that a line says to follow; None where it does, or does not say so."""
    number, previous = observation.number, observation.previous
    return None if number is None or previous is None or previous + 1 == number else previous


def _is_change(row: Row) -> bool:
    return bool(_TELLS_A_CHANGE.intersection(row.line.kinds))


def _is_soon(first: Row, row: Row, tolerance: int) -> bool:
    return (
        first.observation.reached is None
        or row.observation.reached is None
        or row.observation.reached - first.observation.reached <= tolerance
    )


def _falls(rows: Sequence[Row]) -> tuple[dict[int, int], set[int]]:
    """Return where a process told a lower number than before in the same words, and where it had
    told a lower one before at all.
    """
    highest: dict[tuple[Run, int], int] = {}
    lowest: dict[Run, int] = {}
    fell, there = dict[int, int](), set[int]()
    for row in rows:
        number = row.observation.number
        if number is None:
            continue
        key = row.run, row.line.index
        if number < highest.get(key, number):
            fell[row.place] = highest[key]
        else:
            highest[key] = number
        if lowest.get(row.run, number) < number:
            there.add(row.place)
        lowest[row.run] = min(number, lowest.get(row.run, number))
    return fell, there


def _late(incarnation: Sequence[Row], rows: Sequence[Row]) -> set[int]:
    """Return the places of what a process tells for the first time while it reads out what was
    before it began anew.

    It reads at once: what follows within a moment of something that was told before it began is
    read as well.
    """
    new, reported = {row.place for row in rows}, set[int]()
    last: dict[int, int] = {}
    late = set[int]()
    for row in incarnation:
        reached, number = row.observation.reached, row.observation.number
        if (
            row.line.replayed
            and reached is not None
            and row.age is not None
            and row.age <= _REPLAY_MS
        ):
            is_again = row.place not in new or number in reported
            if not is_again and row.process in last and reached - last[row.process] <= _MOMENT_MS:
                late.add(row.place)
            if is_again or row.place in late:
                last[row.process] = reached
        reported |= {number} if number is not None else set()
    return late


# -------------------------------------------------------------------------------------------
# what is told again


def _distinct_changes(incarnation: Sequence[Row], tolerance: int) -> Iterator[Row]:
    """Leave out the lines without a number that every process writes, where another wrote it
    before.
    """
    known = _Known(tolerance)
    for row in incarnation:
        if row.observation.number is not None or not row.line.replayed or known.is_new(row):
            yield row


@define
class _Known:
    """What was told of a life in lines that every process writes, and how far each of them has
    come.

    Each tells all of it in order, from somewhere on. So what comes next is known where it is the
    next of what another told, where it was told at about that time, or where a process that began a
    short while ago tells anything of before.
    """

    tolerance: int
    known_rows: list[Row] = field(factory=list)
    come: dict[Run, int] = field(factory=dict)

    def is_new(self, row: Row) -> bool:
        """Say whether nobody has told it yet."""
        place = self._place(row, self.come.get(row.run))
        if place is None:
            self.known_rows.append(row)
            place = len(self.known_rows) - 1
            self.come[row.run] = place + 1
            return True
        self.come[row.run] = place + 1
        return False

    def _place(self, row: Row, come: int | None) -> int | None:
        """Return the place of a line among what was told; None where it is new."""
        wanted, replays = effect(row.observation), row.age is not None and row.age <= _REPLAY_MS
        for index in range(come or 0, len(self.known_rows)):
            other = self.known_rows[index]
            if effect(other.observation) == wanted and (
                index == come or replays or self._is_near(row, other)
            ):
                return index
        return None

    def _is_near(self, row: Row, other: Row) -> bool:
        times = row.observation.reached, other.observation.reached
        return None not in times and abs((times[0] or 0) - (times[1] or 0)) <= self.tolerance
