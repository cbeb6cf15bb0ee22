"""The order of the lines of one incarnation: by the numbers of its changes, and without what is
only repeated.
"""

from __future__ import annotations

from bisect import bisect_left
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


_NEVER = float("-inf")
"""When a line without a time was told: near to nothing."""
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
    come: dict[Run, int] = field(factory=dict)
    effects: list[object] = field(factory=list)
    """What was told, in the order in which it was first told."""
    places: dict[object, _KnownPlaces] = field(factory=dict)
    """What was told, and where."""

    def is_new(self, row: Row) -> bool:
        """Say whether nobody has told it yet."""
        wanted = effect(row.observation)
        place = self._place(row, wanted, self.come.get(row.run))
        is_new = place is None
        if place is None:
            place = len(self.effects)
            self.effects.append(wanted)
            self.places.setdefault(wanted, _KnownPlaces()).add(place, row.observation.reached)
        self.come[row.run] = place + 1
        return is_new

    def _place(self, row: Row, wanted: object, come: int | None) -> int | None:
        """Return the place of a line among what was told; None where it is new."""
        if come is not None and come < len(self.effects) and self.effects[come] == wanted:
            return come
        known, reached = self.places.get(wanted), row.observation.reached
        if known is None:
            return None
        if row.age is not None and row.age <= _REPLAY_MS:
            return known.first(come or 0)
        return None if reached is None else known.first_near(come or 0, reached, self.tolerance)


@define
class _KnownPlaces:
    """Where one thing was told, and when.

    Complexity: looked for by halves where the times never go back; else one by one.
    """

    places: list[int] = field(factory=list)
    times: list[float] = field(factory=list)
    in_order: bool = True
    """Whether the times never go back."""

    def add(self, place: int, reached: int | None) -> None:
        """Put a place behind the others."""
        time = _NEVER if reached is None else reached
        self.in_order &= not self.times or time >= self.times[-1]
        self.places.append(place)
        self.times.append(time)

    def first(self, since: int) -> int | None:
        """Return the first place from one on."""
        index = bisect_left(self.places, since)
        return self.places[index] if index < len(self.places) else None

    def first_near(self, since: int, reached: int, tolerance: int) -> int | None:
        """Return the first place from one on that was told within the tolerance of a moment."""
        index = bisect_left(self.places, since)
        if self.in_order:
            index = max(index, bisect_left(self.times, reached - tolerance))
        last = min(index + 1, len(self.places)) if self.in_order else len(self.places)
        return next(
            (
                self.places[number]
                for number in range(index, last)
                if abs(self.times[number] - reached) <= tolerance
            ),
            None,
        )
