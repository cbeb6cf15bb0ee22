"""What is looked for in the rows of a level, and what was found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import define, field, frozen

from statemachines.explore.arrays.packing import RowCodes
from statemachines.explore.models.row_columns import Row
from statemachines.explore.rows.row_search import SearchGoal


@define(eq=False)
class ChunkFindings:
    """What was found in some rows of a level."""

    transitions: int = 0
    disabled: int = 0
    hits: dict[int, list[RowCodes]] = field(factory=dict)
    """Goal to rows that meet it, or that a step leaves that does."""

    def add_hits(self, goal: int, codes: RowCodes) -> None:
        """Remember rows that meet a goal."""
        if len(codes):
            self.hits.setdefault(goal, []).append(codes)


@frozen(eq=False)
class PendingGoals:
    """The goals that no earlier level has met, by what they look at."""

    rows: tuple[tuple[int, SearchGoal], ...]
    steps: tuple[tuple[int, SearchGoal], ...]
    deadlocks: tuple[tuple[int, SearchGoal], ...]
    faults: tuple[int, ...]


def pending_goals(goals: Sequence[SearchGoal], is_found: dict[int, Any]) -> PendingGoals:
    """Return the goals that are still looked for."""
    left = [(number, goal) for number, goal in enumerate(goals) if number not in is_found]
    return PendingGoals(
        tuple((number, goal) for number, goal in left if goal.row_test is not None),
        tuple((number, goal) for number, goal in left if goal.step_test is not None),
        tuple((number, goal) for number, goal in left if goal.deadlock_test is not None),
        tuple(number for number, goal in left if goal.seeks_fault),
    )


def add_deadlock_hits(
    codes: RowCodes,
    rows: Sequence[Row],
    goals: PendingGoals,
    chunk: ChunkFindings,
) -> None:
    """Look at rows that nothing changes: those where it is not legal to stop meet a goal."""
    for number, goal in goals.deadlocks:
        test = goal.deadlock_test
        stuck = [index for index, row in enumerate(rows) if test is not None and test(row)]
        chunk.add_hits(number, codes[stuck])
