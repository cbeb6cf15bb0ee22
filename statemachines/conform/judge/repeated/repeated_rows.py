"""The rows of the timeline that repeated lines make."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import overload

from statemachines.conform.interchange.judgements import CountedRows, RowCounts, StepRow
from statemachines.conform.interchange.observations import Observation
from statemachines.conform.judge.repeated.line_effects import LineEffect


class RepeatedRows(CountedRows):
    """Rows, each made when it is asked for."""

    def __init__(
        self,
        lines: Sequence[Observation],
        effects: Sequence[LineEffect],
        incarnation: int,
        *,
        is_quoted: bool,
    ) -> None:
        """Take lines in.

        Args:
            lines: the lines.
            effects: what came of each.
            incarnation: the life before the first.
            is_quoted: whether rows quote their lines.
        """
        self.lines, self._effects, self._incarnation = lines, effects, incarnation
        self._is_quoted, self.totals = is_quoted, Counter(effects)
        """How many lines had each effect."""

    def __len__(self) -> int:
        return sum(total * len(effect.rows) for effect, total in self.totals.items())

    @overload
    def __getitem__(self, place: int) -> StepRow: ...
    @overload
    def __getitem__(self, place: slice) -> list[StepRow]: ...
    def __getitem__(self, place: int | slice) -> StepRow | list[StepRow]:
        """Return one row, or some; all before it are made for it."""
        if isinstance(place, slice):
            return list(self)[place]
        return next(islice(self, range(len(self))[place], None))

    def __iter__(self) -> Iterator[StepRow]:
        incarnation = self._incarnation
        for line, effect in zip(self.lines, self._effects, strict=True):
            incarnation += effect.incarnations
            for row in effect.rows:
                yield row._replace(
                    incarnation=incarnation + row.incarnation,
                    at=line.at,
                    zone=line.zone,
                    line=line.line if row.line else 0,
                    text=line.text if self._is_quoted else None,
                )

    def counts(self) -> RowCounts:
        """Return what is counted of them."""
        hidden = missing = 0
        steps = set[tuple[str, str]]()
        for effect, total in self.totals.items():
            hidden += total * sum(row.how in ("hidden", "silent") for row in effect.rows)
            missing += total * sum(row.how == "missing" for row in effect.rows)
            steps |= {
                (row.source, row.target)
                for row in effect.rows
                if row.source is not None and row.target is not None
            }
        return RowCounts(hidden, missing, frozenset(steps))
