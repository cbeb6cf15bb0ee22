"""The lines of one instance as columns: what judging takes many at once of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from heapq import merge
from itertools import chain, groupby, islice
from typing import Any

from attrs import field

from statemachines.conform.columns.observation_columns import FoldedSteps, InstanceKey
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
from statemachines.model.made_sequences import MadeSequence
from statemachines.model.values import define, frozen

_MOST_OTHERS = 1000
"""Observations behind the last column that are taken together."""


@frozen(eq=False)
class ColumnLines(MadeSequence[Observation]):
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

    def value_at(self, place: int) -> Observation:
        """Return what one line tells."""
        return self._observation(self.rows[place].tolist())

    def values_at(self, places: slice) -> list[Observation]:
        """Return what some lines tell."""
        return [self._observation(row) for row in self.rows[places].tolist()]

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

    def count_until(self, line: int) -> int:
        """Return how many of the lines stand no later in their file than a number."""
        return int(load_numpy().searchsorted(self.rows[:, LINE], line, side="right"))

    @property
    def last_line(self) -> int:
        """The number of the last line in the file."""
        return int(self.rows[-1, LINE])

    def may_go_before(self, after: ColumnLines | FoldedLines) -> bool:
        """Say whether the next lines cannot have been before the last of these."""
        return bool(self.rows[-1, AT] <= after.starts_at)

    @property
    def starts_at(self) -> int:
        """When the first line was written, in milliseconds; 0 where it does not tell."""
        return int(self.rows[0, AT])

    @property
    def are_in_order(self) -> bool:
        """Whether no line can have been before the one that stands before it."""
        times = self.rows[:, AT]
        return all(other.at is not None for other in self.others) and bool(
            (times[1:] >= times[:-1]).all()
        )


@frozen(eq=False)
class FoldedLines(MadeSequence[Observation]):
    """Lines of one instance that were folded; all but the first and the last are read again where
    they are asked for.
    """

    stored: StoredColumns = field(repr=False)
    steps: FoldedSteps
    are_in_order = True

    def __len__(self) -> int:
        return self.steps.total

    def value_at(self, place: int) -> Observation:
        """Return what one line tells."""
        if place == 0:
            return self.steps.first
        return self.steps.last if place == len(self) - 1 else self.unfolded().value_at(place)

    def values_at(self, places: slice) -> list[Observation]:
        """Return what some lines tell."""
        return self.unfolded().values_at(places)

    def __iter__(self) -> Iterator[Observation]:
        return iter(self.unfolded())

    @property
    def file(self) -> int:
        """Where they stand."""
        return self.steps.first.file

    def unfolded(self) -> ColumnLines:
        """Return the lines as columns."""
        rows = self.stored.unfolded_rows(self.steps)
        return ColumnLines(self.steps.instance, self.file, self.stored, rows)

    def part(self, start: int, end: int) -> ColumnLines:
        """Return lines that stand together, as columns."""
        return self.unfolded().part(start, end)

    def count_until(self, line: int) -> int:
        """Return how many of the lines stand no later in their file than a number."""
        return len(self) if self.last_line <= line else self.unfolded().count_until(line)

    @property
    def last_line(self) -> int:
        """The number of the last line in the file."""
        return self.steps.last.line

    def may_go_before(self, after: ColumnLines | FoldedLines) -> bool:
        """Say whether the next lines cannot have been before the last of these."""
        return (self.steps.last.at or 0) <= after.starts_at

    @property
    def starts_at(self) -> int:
        """When the first line was written, in milliseconds."""
        return self.steps.first.at or 0


@define
class _LinesAhead:
    """Takes the lines of a file that were observed one by one from before its columns."""

    _lines: Iterator[Observation]
    _held: list[Observation] = field(init=False, factory=list)

    def before(self, line: int) -> Iterator[Observation]:
        """Yield and forget those before a line."""
        while not self.has_none_before(line):
            yield self._held.pop()

    def has_none_before(self, line: int) -> bool:
        """Say whether there is none before a line."""
        if not self._held:
            self._held.extend(islice(self._lines, 1))
        return not self._held or self._held[0].line >= line

    def rest(self) -> Iterator[Observation]:
        """Yield all that are left."""
        return chain(self._held, self._lines)


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

    @property
    def units(self) -> frozenset[Unit]:
        """The files, and the processes in them, that tell of it."""
        return self.other_units | {(file, None) for file, _ in self.sources}

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

    def pieces(self) -> Iterator[ColumnLines | FoldedLines]:
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
    ) -> Iterator[ColumnLines | FoldedLines]:
        """Yield the lines of one file, and between them some others of it."""
        ahead = _LinesAhead(iter(others))
        for rows in self.stored.stretches(code) if code is not None else ():
            if isinstance(rows, FoldedSteps):
                yield from self._others(file, ahead.before(rows.first.line))
                if ahead.has_none_before(rows.last.line):
                    yield FoldedLines(self.stored, rows)
                    continue
                rows = self.stored.unfolded_rows(rows)
            between = list(ahead.before(int(rows[-1, LINE])))
            mixed = self._mixed_rows(rows, between)
            yield ColumnLines(self.instance, file, self.stored, mixed, between)
        yield from self._others(file, ahead.rest())

    def _others(self, file: int, others: Iterator[Observation]) -> Iterator[ColumnLines]:
        """Yield lines among which there are no columns."""
        nothing = load_numpy().empty((0, 6), int)
        while some := list(islice(others, _MOST_OTHERS)):
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
