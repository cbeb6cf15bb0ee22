"""The lines of one instance as columns: what judging takes many at once of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from heapq import merge
from itertools import chain, groupby, islice
from typing import Any, overload

from attrs import field, frozen

from statemachines.conform.columns.observation_columns import InstanceKey
from statemachines.conform.columns.stored_columns import (
    AT,
    LINE,
    NO_SIZE,
    NO_WORDS,
    PLACE,
    REACHED,
    SIZE,
    WORDS,
    StoredColumns,
)
from statemachines.conform.interchange.observations import Observation, plain_observation, words_of
from statemachines.conform.settle.judging_context import (
    JudgingContext,
    ObservationOrder,
    observation_order,
)
from statemachines.conform.settle.processes import Unit
from statemachines.model.arrays import load_numpy

_MOST_OTHERS = 1000
"""Observations behind the last column that are taken together."""


@frozen(eq=False)
class ColumnLines(Sequence[Observation]):
    """Some lines of one instance, all of one file, in its order.

    A line that was observed by itself has `NO_SIZE`, and as its place that among `others`.
    """

    instance: InstanceKey
    file: int
    stored: StoredColumns = field(repr=False)
    rows: Any
    others: Sequence[Observation] = ()

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, place: int) -> Observation: ...
    @overload
    def __getitem__(self, place: slice) -> list[Observation]: ...
    def __getitem__(self, place: int | slice) -> Observation | list[Observation]:
        """Return what one line tells, or some."""
        if isinstance(place, slice):
            return [self._observation(row) for row in self.rows[place].tolist()]
        return self._observation(self.rows[place].tolist())

    def __iter__(self) -> Iterator[Observation]:
        return map(self._observation, self.rows.tolist())

    def _observation(self, row: Sequence[int]) -> Observation:
        if row[SIZE] == NO_SIZE:
            return self.others[row[PLACE]]
        owner, key = self.instance
        observed = self.stored.words[row[WORDS]], self.file, row[LINE], row[REACHED], row[AT]
        return plain_observation(owner, key, *observed, self.text(row))

    def text(self, row: Sequence[int]) -> str:
        """Return the text of the line of a row."""
        if row[SIZE] == NO_SIZE:
            return self.others[row[PLACE]].text
        return self.stored.text(row[PLACE], row[SIZE])

    def part(self, start: int, end: int) -> ColumnLines:
        """Return lines that stand together."""
        rows = self.rows[start:end]
        return ColumnLines(self.instance, self.file, self.stored, rows, self.others)

    def followed_by(self, after: ColumnLines) -> ColumnLines:
        """Return these lines and some more of the same file."""
        rows, others = after.rows.copy(), [*self.others, *after.others]
        rows[rows[:, SIZE] == NO_SIZE, PLACE] += len(self.others)
        rows = load_numpy().concatenate([self.rows, rows])
        return ColumnLines(self.instance, self.file, self.stored, rows, others)

    def may_go_before(self, after: ColumnLines) -> bool:
        """Say whether lines of the next file cannot have been before the last of these."""
        return bool(self.rows[-1, AT] <= after.rows[0, AT])

    @property
    def are_in_order(self) -> bool:
        """Whether no line can have been before the one that stands before it."""
        times = self.rows[:, AT]
        return all(other.at is not None for other in self.others) and bool(
            (times[1:] >= times[:-1]).all()
        )


@frozen(eq=False, slots=False)
class ColumnInstance:
    """The observations of one instance, most of them as columns; may be iterated again and again,
    in the order in which they are judged.
    """

    context: JudgingContext
    instance: InstanceKey
    stored: StoredColumns
    sources: Sequence[tuple[int, int]]
    """The files that tell of it in columns, each with its code."""
    others: Iterable[Observation]
    """What was observed line by line, in the order in which it is judged."""
    other_units: frozenset[Unit]
    """Where that stands."""

    @cached_property
    def _codes(self) -> dict[int, int | None]:
        """The code of each file that tells of it, oldest first; None where none of that is
        columns.
        """
        codes = {file: None for file, _ in self.other_units} | dict(self.sources)
        parts = self.context.rotation_indexes
        return {file: codes[file] for file in sorted(codes, key=lambda number: parts[number])}

    @cached_property
    def is_of_one_log(self) -> bool:
        """Whether all of it stands in one log, rotated or not, and is of one process."""
        context, units = self.context, {(file, None) for file in self._codes}
        return (
            self.other_units <= units
            and len({context.stems[context.files[file].stem] for file in self._codes}) == 1
            and len({context.process_by_unit[unit] for unit in units}) == 1
        )

    def __iter__(self) -> Iterator[Observation]:
        if self.is_of_one_log:
            return chain.from_iterable(self.pieces())
        streams = [chain.from_iterable(self._lines(*source, [])) for source in self.sources]
        return merge(self.others, *streams, key=self._order)

    def _order(self, observation: Observation) -> ObservationOrder:
        return observation_order(self.context, observation)

    def pieces(self) -> Iterator[ColumnLines]:
        """Yield the lines of an instance that is of one log, in their order, each piece of one
        file.
        """
        by_file = groupby(self.others, lambda observation: observation.file)
        ahead = next(by_file, None)
        for file, code in self._codes.items():
            has_others = ahead is not None and ahead[0] == file
            yield from self._lines(file, code, ahead[1] if ahead and has_others else ())
            ahead = next(by_file, None) if has_others else ahead

    def _lines(
        self, file: int, code: int | None, others: Iterable[Observation]
    ) -> Iterator[ColumnLines]:
        """Yield the lines of one file, and between them some others of it."""
        more = iter(others)
        ahead = next(more, None)
        nothing = load_numpy().empty((0, 6), int)
        for rows in self.stored.rows(code) if code is not None else ():
            last, between = int(rows[-1, LINE]), list[Observation]()
            while ahead is not None and ahead.line < last:
                between.append(ahead)
                ahead = next(more, None)
            mixed = self._mixed_rows(rows, between)
            yield ColumnLines(self.instance, file, self.stored, mixed, between)
        rest = chain([] if ahead is None else [ahead], more)
        while some := list(islice(rest, _MOST_OTHERS)):
            mixed = self._mixed_rows(nothing, some)
            yield ColumnLines(self.instance, file, self.stored, mixed, some)

    def _mixed_rows(self, rows: Any, others: Sequence[Observation]) -> Any:
        """Put others among the rows of a file."""
        if not others:
            return rows
        numpy = load_numpy()
        more = [
            (other.line, other.at or 0, other.reached or 0, index, NO_SIZE, self._word_index(other))
            for index, other in enumerate(others)
        ]
        mixed = numpy.concatenate([rows, numpy.array(more, numpy.int64)])
        return mixed[numpy.argsort(mixed[:, LINE], kind="stable")]

    def _word_index(self, observation: Observation) -> int:
        """Return the index of what an observation says, where that is all that it says."""
        words = words_of(observation)
        return self.stored.word_index(words) if words is not None else NO_WORDS
