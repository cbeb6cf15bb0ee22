"""What processes take back of a history that several log (`says: undone`)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from statemachines.conform.judge.change_sequences import Row, Run, effect


def without_undone(rows: list[Row], undone: Sequence[Row]) -> list[Row]:
    """Leave out what a process told before it took it back, where another tells what was before and
    after, and does not tell it.

    Where another tells it too, it happened: but what is told again in words that only the first
    teller uses was done anew.

    Args:
        rows: the lines of an instance, by time.
        undone: the lines by which processes take back, by time.

    Returns:
        The lines that are left, in their order.

    Complexity: a row that may be undone is looked for by halves, once for each process; one with a
    number is compared with all that have its number.
    """
    if not undone:
        return rows
    tellings, by_run, left_out = _Tellings(rows), defaultdict[Run, list[Row]](list), set[int]()
    for row in rows:
        by_run[row.run].append(row)
    for taken_back in undone:
        unconfirmed = [
            row
            for row in by_run[taken_back.process, *taken_back.run[1:]]
            if tellings.is_surrounded(row) and not tellings.is_confirmed(row, taken_back.place)
        ]
        for row in unconfirmed:
            tellings.leave_out(row)
            left_out.add(row.place)
    return [row for row in rows if row.place not in left_out]


class _Tellings:
    """Who tells what, and where."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._replayed = defaultdict[int, _Places](_Places)
        """By process, its lines that every process writes."""
        self._by_change = defaultdict[object, dict[int, _Places]](dict)
        """By what happened and by process."""
        for row in rows:
            self._by_change[_change(row)].setdefault(row.process, _Places()).add(row)
            if row.line.replayed:
                self._replayed[row.process].add(row)

    def is_surrounded(self, row: Row) -> bool:
        """Tell whether another process tells what was before a line, and what was after it."""
        return any(
            places.has_before(row.place) and places.after(row.place) is not None
            for process, places in self._replayed.items()
            if process != row.process
        )

    def is_confirmed(self, row: Row, undone_at: int) -> bool:
        """Tell whether another process tells of what a line tells, or its own process does once it
        has taken it back.
        """
        if row.observation.number is not None:
            others = list(self._others(row, undone_at))
            written = [other for other in others if other.line.replayed]
            return any(
                effect(row.observation) == effect(other.observation) for other in written
            ) or bool(others and not written)
        nexts = (
            places.after(undone_at - 1 if process == row.process else row.place)
            for process, places in self._by_change[_change(row)].items()
        )
        later = min((row for row in nexts if row is not None), key=_place, default=None)
        return later is not None and later.line.replayed

    def _others(self, row: Row, undone_at: int) -> Iterator[Row]:
        for process, places in self._by_change[_change(row)].items():
            yield from places.since(undone_at if process == row.process else -1)

    def leave_out(self, row: Row) -> None:
        """Count a line no longer."""
        self._by_change[_change(row)][row.process].leave_out(row.place)
        if row.line.replayed:
            self._replayed[row.process].leave_out(row.place)


class _Places:
    """Lines in the order of their places; some of them are left out."""

    def __init__(self) -> None:
        self._rows, self._places = list[Row](), list[int]()
        self._next = list[int]()
        """Of each where to go on looking: itself, or one behind it where it is left out."""
        self._first = 0

    def add(self, row: Row) -> None:
        """Put a line behind the others."""
        self._next.append(len(self._rows))
        self._rows.append(row)
        self._places.append(row.place)

    def leave_out(self, place: int) -> None:
        """Take a line out."""
        index = bisect_left(self._places, place)
        self._next[index] = index + 1

    def has_before(self, place: int) -> bool:
        """Tell whether a line stands before a place."""
        self._first = self._left(self._first)
        return self._first < len(self._rows) and self._places[self._first] < place

    def after(self, place: int) -> Row | None:
        """Return the first line behind a place."""
        index = self._left(bisect_right(self._places, place))
        return self._rows[index] if index < len(self._rows) else None

    def since(self, place: int) -> Iterator[Row]:
        """Yield the lines at a place and behind it."""
        index = self._left(bisect_left(self._places, place))
        while index < len(self._rows):
            yield self._rows[index]
            index = self._left(index + 1)

    def _left(self, index: int) -> int:
        """Return the first index from one on that is not left out."""
        while index < len(self._next) and self._next[index] != index:
            after = self._next[index]
            self._next[index] = self._next[after] if after < len(self._next) else after
            index = after
        return index


def _place(row: Row) -> int:
    return row.place


def _change(row: Row) -> object:
    """Return what a line tells to have happened, by its number where it has one."""
    observation = row.observation
    if observation.number is not None:
        return observation.life, observation.number
    return effect(observation)
