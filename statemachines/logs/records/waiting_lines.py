"""Lines of known forms that wait until it is known how many stand together."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

from statemachines.logs.records import plain_columns
from statemachines.logs.records.plain_columns import PlainColumns, gather_columns, join_columns
from statemachines.logs.records.plain_lines import LineForm, PlainRun


class _Lines(NamedTuple):
    """Lines with times of a calendar, column by column."""

    forms: list[LineForm]
    raws: list[bytes]
    numbers: list[int]
    times: list[int]


class WaitingLines:
    """Gathers lines in their order, one by one or many at once, and gives them as one run."""

    def __init__(self, *, in_columns: bool) -> None:
        """Hold none.

        Args:
            in_columns: whether many are given as columns.
        """
        self._in_columns = in_columns
        self._parts = list[PlainColumns]()
        """What came at once, before the lines that came one by one."""
        self._lines = _Lines([], [], [], [])

    def add(self, form: LineForm, raw: bytes, number: int, at_ms: int) -> None:
        """Put a line behind the others.

        Args:
            form: of the line.
            raw: the line without what ends it.
            number: of the line.
            at_ms: when it was written.
        """
        self._lines.forms.append(form)
        self._lines.raws.append(raw)
        self._lines.numbers.append(number)
        self._lines.times.append(at_ms)

    def extend(
        self,
        forms: Sequence[LineForm],
        raws: Sequence[bytes],
        numbers: Sequence[int],
        times: Sequence[int],
    ) -> None:
        """Put lines behind the others.

        Args:
            forms: of the lines.
            raws: the lines without what ends them.
            numbers: of the lines.
            times: when they were written, in milliseconds.
        """
        self._lines.forms.extend(forms)
        self._lines.raws.extend(raws)
        self._lines.numbers.extend(numbers)
        self._lines.times.extend(times)

    def add_columns(self, part: PlainColumns) -> None:
        """Put lines behind the others.

        Args:
            part: the lines, with a text that has no others.
        """
        self._close()
        self._parts.append(part)

    def taken(self) -> PlainRun | PlainColumns | None:
        """Return the lines, which then wait no more.

        Returns:
            Columns where they are many, with a text of their own, so that what stands between them
            is not kept; None where none waits.
        """
        held = sum(part.line_count for part in self._parts) + len(self._lines.forms)
        if not held:
            return None
        is_many = self._in_columns and held >= plain_columns.LEAST_LINES
        if is_many:
            self._close()
        parts, self._parts = self._parts, []
        lines, self._lines = self._lines, _Lines([], [], [], [])
        if is_many:
            return join_columns(parts)
        return _one_run([*(part.run() for part in parts), _run_of(lines)])

    def _close(self) -> None:
        """Make a part of the lines that came one by one."""
        forms, raws, numbers, times = self._lines
        if forms:
            cut = gather_columns(forms, raws, numbers, times)
            assert cut is not None  # all have times
            self._parts.append(cut)
            self._lines = _Lines([], [], [], [])


def _run_of(lines: _Lines) -> PlainRun:
    return PlainRun(lines.forms, [raw.decode("ascii") for raw in lines.raws], *lines[2:])


def _one_run(runs: Sequence[PlainRun]) -> PlainRun:
    forms, texts, numbers, times = (
        list(chain.from_iterable(column)) for column in zip(*(run[:4] for run in runs), strict=True)
    )
    return PlainRun(forms, texts, numbers, times)
