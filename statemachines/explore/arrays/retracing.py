"""From levels of rows back to the way that a search row by row would have met first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from attrs import define

from statemachines.explore.arrays.distinct_numbers import sorted_distinct
from statemachines.explore.arrays.lookup_tables import Array
from statemachines.explore.arrays.packing import RowCodes
from statemachines.explore.arrays.row_expansion import RowExpansion
from statemachines.explore.models.machine_model import MachineModel
from statemachines.explore.models.row_columns import Row
from statemachines.explore.rows.row_search import RowPath, SearchGoal

CHUNK_ROWS = 1 << 16
"""Rows that are worked on at once."""


@define(eq=False)
class PathRetracing:
    """The levels of a search, gone through backwards."""

    numpy: Any
    world: MachineModel
    expansion: RowExpansion
    levels: Sequence[RowCodes]

    def path(self, goal: SearchGoal, level: int, codes: RowCodes) -> RowPath:
        """Return the way to a goal that `search` would have met first: at each step the first one
        that may still get there.

        Args:
            goal: that was met.
            level: where it was first met.
            codes: all rows there that meet it, or that a step leaves that does.
        """
        ways = [codes]
        for rows in reversed(self.levels[:level]):
            ways.append(self.predecessors(rows, ways[-1]))
        ways.reverse()
        found = [self.first_row(self.world.initial_rows, ways[0])]
        for way in ways[1:]:
            found.append(
                self.first_row((after for _, _, after in self.world.steps(found[-1])), way)
            )
        return self.completed_path(goal, found)

    def predecessors(self, codes: RowCodes, good: RowCodes) -> RowCodes:
        """Return the rows of a level from which a step leads to one of the good ones."""
        found = [codes[:0]]
        for begin in range(0, len(codes), CHUNK_ROWS):
            found += self._chunk_predecessors(
                self.expansion.within_range(codes[begin : begin + CHUNK_ROWS]), good
            )
        return sorted_distinct(self.numpy, self.numpy.concatenate(found))

    def _chunk_predecessors(self, codes: RowCodes, good: RowCodes) -> Iterator[RowCodes]:
        expansion = self.expansion
        for copy in range(self.world.copies):
            for steps in expansion.step_tables:
                for sources, after in expansion.simple_steps(
                    steps, codes, steps.indices(codes, copy), copy
                ):
                    yield (codes if sources is None else codes.take(sources))[
                        self._is_among(after, good)
                    ]
            for moves in expansion.event_expansions:
                for rows, found, after in expansion.event_steps(moves, codes, copy):
                    yield rows[found.sources[self._is_among(after, good)]]

    def _is_among(self, codes: RowCodes, good: RowCodes) -> Array:
        """Tell of each row whether it is a good one; these are sorted."""
        if not len(good):
            return self.numpy.zeros(len(codes), dtype=bool)
        return (
            good.take(self.numpy.minimum(self.numpy.searchsorted(good, codes), len(good) - 1))
            == codes
        )

    def first_row(self, rows: Sequence[Row] | Iterator[Row], good: RowCodes) -> Row:
        """Return the first good row."""
        wanted = set(good.tolist())
        return next(row for row in rows if self.expansion.packing.code(row) in wanted)

    def completed_path(self, goal: SearchGoal, rows: list[Row]) -> RowPath:
        """Return a way with what follows its last row."""
        if goal.step_test is not None:
            after = next(
                after
                for _, _, after in self.world.steps(rows[-1])
                if goal.step_test(rows[-1], after)
            )
            return RowPath(tuple(rows), after)
        if goal.seeks_fault:
            event = next(event for event in self.world.events if event.successors(rows[-1]).faults)
            arguments, said = event.successors(rows[-1]).faults[0]
            return RowPath(tuple(rows), None, event.memo.event, arguments, said)
        return RowPath(tuple(rows))
