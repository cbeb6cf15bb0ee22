"""From levels of rows back to the way that a search row by row would have visited first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from attrs import define

from statemachines.explore.arrays.distinct_numbers import sorted_distinct
from statemachines.explore.arrays.packing import RowCodes
from statemachines.explore.arrays.row_expansion import ArrayExpansion
from statemachines.explore.models.model_protocol import Model
from statemachines.explore.models.row_columns import Row
from statemachines.explore.rows.search_goals import RowPath, SearchGoal
from statemachines.explore.visited.number_files import is_among
from statemachines.explore.visited.row_store import StoredRows

CHUNK_ROWS = 1 << 16
"""Rows that are worked on at once."""


@define(eq=False)
class PathRetracing:
    """The levels of a search, gone through backwards."""

    numpy: Any
    model: Model
    expansion: ArrayExpansion
    levels: Sequence[StoredRows]

    def path(self, goal: SearchGoal, level: int, codes: RowCodes) -> RowPath:
        """Return the way to a goal that `search` would have met first: at each step the first one
        that may still get there.
        """
        paths = [codes]
        for rows in reversed(self.levels[:level]):
            paths.append(self.predecessors(rows, paths[-1]))
        paths.reverse()
        path_rows = [self.first_row(self.model.initial_rows, paths[0])]
        for codes_before in paths[1:]:
            path_rows.append(
                self.first_row(
                    (after for _, _, after in self.model.steps(path_rows[-1])), codes_before
                )
            )
        return self.completed_path(goal, path_rows)

    def predecessors(self, level: StoredRows, good: RowCodes) -> RowCodes:
        """Return the rows of a level from which a step leads to one of the good ones."""
        predecessors = [good[:0]]
        for codes in level.chunks(CHUNK_ROWS):
            for before, after in self.expansion.steps(codes):
                predecessors.append(before[is_among(self.numpy, after, good)])
        return sorted_distinct(self.numpy, self.numpy.concatenate(predecessors))

    def first_row(self, rows: Sequence[Row] | Iterator[Row], good: RowCodes) -> Row:
        """Return the first good row."""
        wanted = set(good.tolist())
        return next(row for row in rows if self.expansion.packing.code(row) in wanted)

    def completed_path(self, goal: SearchGoal, rows: list[Row]) -> RowPath:
        """Return a way with what follows its last row."""
        if goal.step_test is not None:
            after = next(
                after
                for _, _, after in self.model.steps(rows[-1])
                if goal.step_test(rows[-1], after)
            )
            return RowPath(tuple(rows), after)
        if goal.seeks_fault:
            event = next(event for event in self.model.events if event.successors(rows[-1]).faults)
            return RowPath(tuple(rows), message=event.successors(rows[-1]).faults[0][1])
        return RowPath(tuple(rows))
