"""Plain steps of one instance, judged many at once: where each begins where the one before it led,
is legal in every release that fits, and concerns no episode.

`PlainSteps.take` says the same of lines one by one, and is the reference.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

from statemachines.conform.columns.column_lines import ColumnLines, FoldedLines
from statemachines.conform.columns.stored_columns import (
    AT,
    LINE,
    NO_SIZE,
    NO_WORDS,
    PLACE,
    SIZE,
    WORDS,
)
from statemachines.conform.interchange.judgements import (
    RowCounts,
    SimpleSteps,
    StepRow,
)
from statemachines.conform.interchange.observations import LineWords, Observation
from statemachines.conform.interchange.packed_rows import PackableRows, RowModel, RowPacker
from statemachines.model.arrays import load_numpy

_FEWEST_BETWEEN = 20
"""Rows between lines that were observed by themselves; fewer are made one by one."""
_UNMET, _NO_SOURCE, _NO_TARGET = -3, -2, -1
Step = tuple[str, str]
StepOf = Callable[[LineWords], Step | None]
"""Returns the step that words tell; None where they tell something else, or more."""


class PlainStepTable:
    """The plain steps of a machine, by the words that tell them.

    Complexity: words are asked once; memory for all words.
    """

    def __init__(self, words: Sequence[LineWords], step_of: StepOf) -> None:
        """Prepare a table.

        Args:
            words: what lines say; more may come behind them.
            step_of: tells the step.
        """
        self._words, self._step_of, self._states = words, step_of, dict[str, int]()
        self._sources, self._targets = (load_numpy().empty(0, int) for _ in range(2))

    def state_index(self, state: str) -> int:
        """Return the number that stands for a state."""
        return self._states.setdefault(state, len(self._states))

    def look_up(self, codes: Any) -> tuple[Any, Any]:
        """Return from where and to where lines lead, as the numbers of states; of what is no plain
        step two numbers that are no states, and not the same.

        Args:
            codes: their words.
        """
        if len(self._sources) <= len(self._words):
            self._make_room()
        sources = self._sources[codes]
        if len(sources) and int(sources.min()) == _UNMET:
            for code in set(codes[sources == _UNMET].tolist()):
                step = self._step_of(self._words[code])
                states = map(self.state_index, step) if step else (_NO_SOURCE, _NO_TARGET)
                self._sources[code], self._targets[code] = states
            sources = self._sources[codes]
        return sources, self._targets[codes]

    def _make_room(self) -> None:
        """Have a place for all words, and the last one for lines without words."""
        numpy, size = load_numpy(), 2 * len(self._words) + 1
        for name, nothing in (("_sources", _NO_SOURCE), ("_targets", _NO_TARGET)):
            known, room = getattr(self, name)[:-1], numpy.full(size, _UNMET)
            room[: len(known)], room[NO_WORDS] = known, nothing
            setattr(self, name, room)


class ColumnRows(PackableRows):
    """The rows of the timeline that plain steps make, each made when it is asked for."""

    def __init__(
        self, lines: ColumnLines, incarnation: int, process: int, *, is_quoted: bool
    ) -> None:
        """Take steps in.

        Args:
            lines: that tell them.
            incarnation: the life that they are of.
            process: which tells them.
            is_quoted: whether rows quote their lines.
        """
        self.lines, self._incarnation, self._process = lines, incarnation, process
        self._is_quoted = is_quoted

    def __len__(self) -> int:
        return len(self.lines)

    def value_at(self, place: int) -> StepRow:
        """Return the row of one line."""
        return self._row(self.lines.rows[place].tolist())

    def values_at(self, places: slice) -> list[StepRow]:
        """Return the rows of some lines."""
        return list(map(self._row, self.lines.rows[places].tolist()))

    def __iter__(self) -> Iterator[StepRow]:
        return map(self._row, self.lines.rows.tolist())

    def _row(self, row: Sequence[int]) -> StepRow:
        lines, words = self.lines, self.lines.stored.words[row[WORDS]]
        source, target = words.readings[0].source, words.readings[0].target
        text = lines.text(row) if self._is_quoted else None
        observed = row[AT], words.zone, source, target, "told", self._process
        fields = self._incarnation, *observed, lines.file, row[LINE], text, None, None
        return tuple.__new__(StepRow, fields)  # half the time of its constructor

    def pack_into(self, packer: RowPacker, most: int) -> Iterator[int]:
        """Give the rows to a packer, at most so many at once; yield how many were given."""
        for start in range(0, len(self), most):
            rows = self.lines.rows[start : start + most]
            alone = load_numpy().flatnonzero(rows[:, SIZE] == NO_SIZE).tolist()
            if _FEWEST_BETWEEN * len(alone) > len(rows):
                packer.add_rows(map(self._row, rows.tolist()))
            else:
                self._pack_around(packer, rows, alone)
            yield len(rows)

    def _pack_around(self, packer: RowPacker, rows: Any, alone: Sequence[int]) -> None:
        """Give rows to a packer of which some are of lines that were observed by themselves."""
        for before, place in pairwise((-1, *alone, len(rows))):
            if place > before + 1:
                self._pack_columns(packer, rows[before + 1 : place])
            if place < len(rows):
                packer.add_rows([self._row(rows[place].tolist())])

    def _pack_columns(self, packer: RowPacker, rows: Any) -> None:
        numpy, stored = load_numpy(), self.lines.stored
        used, codes = numpy.unique(rows[:, WORDS], return_inverse=True)
        models = list(map(self._model, map(stored.words.__getitem__, used.tolist())))
        sizes, texts = numpy.zeros(len(rows), numpy.intc), b""
        if self._is_quoted:
            sizes, texts = rows[:, SIZE], stored.texts(rows[:, PLACE], rows[:, SIZE])
        columns = codes.astype(numpy.intc), rows[:, AT], rows[:, LINE]
        as_bytes = [column.tobytes() for column in columns]
        packer.add_columns(models, as_bytes, sizes.astype(numpy.intc).tobytes(), texts)

    def _model(self, words: LineWords) -> RowModel:
        source, target = words.readings[0].source, words.readings[0].target
        where = words.zone, source, target, "told", self._process, self.lines.file
        return RowModel(self._incarnation, *where, has_text=self._is_quoted)

    def counts(self) -> RowCounts:
        """Return what is counted of them: all are told."""
        return RowCounts(0, 0, frozenset(map(self._step, self._codes)))

    def step_totals(self) -> Mapping[Step, int]:
        """Return the different steps, and how often each was taken."""
        totals, times = Counter[Step](), load_numpy().bincount(self.lines.rows[:, WORDS])
        for code in self._codes:
            totals[self._step(code)] += int(times[code])
        return totals

    def _step(self, code: int) -> Step:
        reading = self.lines.stored.words[code].readings[0]
        return reading.source or "", reading.target or ""

    def remembered(self) -> list[tuple[str, str]]:
        """Return the fields by which the lines say that their instance is known, in their order."""
        words = self.lines.stored.words
        if not any(words[code].remembered for code in self._codes):
            return []
        codes = self.lines.rows[:, WORDS].tolist()
        return [named for code in codes for named in words[code].remembered]

    @cached_property
    def _codes(self) -> set[int]:
        """The different words of the lines."""
        return set(self.lines.rows[:, WORDS].tolist())


class FoldedRows(PackableRows):
    """The rows of the timeline that folded lines make; most lines are read again for them."""

    def __init__(
        self, lines: FoldedLines, incarnation: int, process: int, *, is_quoted: bool
    ) -> None:
        """Take lines in, as `ColumnRows` does."""
        self._lines, self._incarnation, self._process = lines, incarnation, process
        self._is_quoted = is_quoted

    def __len__(self) -> int:
        return len(self._lines)

    def value_at(self, place: int) -> StepRow:
        """Return the row of one line."""
        return self._rows.value_at(place)

    def values_at(self, places: slice) -> list[StepRow]:
        """Return the rows of some lines."""
        return self._rows.values_at(places)

    def __iter__(self) -> Iterator[StepRow]:
        return iter(self._rows)

    def pack_into(self, packer: RowPacker, most: int) -> Iterator[int]:
        """Give the rows to a packer, at most so many at once; yield how many were given."""
        return self._rows.pack_into(packer, most)

    @cached_property
    def _rows(self) -> ColumnRows:
        lines = self._lines.unfolded()
        return ColumnRows(lines, self._incarnation, self._process, is_quoted=self._is_quoted)

    def counts(self) -> RowCounts:
        """Return what is counted of them: all are told."""
        return RowCounts(0, 0, frozenset(self._lines.steps.steps))

    def step_totals(self) -> Mapping[Step, int]:
        """Return the different steps, and how often each was taken."""
        return self._lines.steps.steps

    def summary(self) -> SimpleSteps:
        """Return what counts of them."""
        steps = self._lines.steps
        before = self._row(steps.before) if steps.total > 1 else None
        came = self._row(steps.came) if steps.came is not None else None
        return SimpleSteps(steps.total, self._row(steps.first), before, self._row(steps.last), came)

    def _row(self, line: Observation) -> StepRow:
        step = line.readings[0].source, line.readings[0].target
        text = line.text if self._is_quoted else None
        observed = *step, "told", self._process, line.file, line.line, text, None, None
        return StepRow(self._incarnation, line.at, line.zone, *observed)


class PlainLines:
    """Finds out how far plain steps go on in some lines."""

    def __init__(self, lines: ColumnLines, table: PlainStepTable) -> None:
        self._table, self._size = table, len(lines)
        self._sources, self._targets = table.look_up(lines.rows[:, WORDS])
        going_on = self._sources[1:] == self._targets[:-1]
        self._breaks: list[int] = (load_numpy().flatnonzero(~going_on) + 1).tolist()
        """Places of lines that do not begin where the line before led, or are no plain steps."""

    def end(self, start: int, state: str) -> int:
        """Return the place of the first line that does not go on from another one.

        Args:
            start: place of that one.
            state: where the instance is before it.
        """
        if self._sources[start] != self._table.state_index(state):
            return start
        later = bisect_right(self._breaks, start)
        return self._breaks[later] if later < len(self._breaks) else self._size

    def summary(self, rows: ColumnRows, start: int) -> SimpleSteps:
        """Return what counts of the plain steps from a place on.

        Args:
            rows: those of the steps.
            start: the place of the first.
        """
        end, count = start + len(rows), len(rows)
        changes = load_numpy().flatnonzero(self._sources[start:end] != self._targets[start:end])
        came = rows[int(changes[-1])] if len(changes) else None
        return SimpleSteps(
            count, rows[0], rows[count - 2] if count > 1 else None, rows[count - 1], came
        )
