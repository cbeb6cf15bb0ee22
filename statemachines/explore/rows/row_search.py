"""Every row that can be reached, breadth first, in one order: so the first row that is wrong is the
end of a shortest way to it.
"""

from __future__ import annotations

import itertools
from array import array
from collections.abc import Callable, Sequence

from attrs import define, evolve, field

from statemachines.explore.arrays.distinct_numbers import in_chunks
from statemachines.explore.checkpoints.checkpoint_files import Checkpoint
from statemachines.explore.models.model_protocol import Model
from statemachines.explore.models.row_columns import Row
from statemachines.explore.models.successors import NO_SUCCESSORS
from statemachines.explore.resources.limits import Budget, Limits, range_left_bound
from statemachines.explore.rows.search_goals import (
    PendingGoals,
    SearchGoal,
    SearchResult,
    pending_goals,
)
from statemachines.explore.visited.known_rows import ListedRows
from statemachines.explore.visited.row_ranks import RowRanks

_ROWS_BETWEEN_CHECKS = 1_000
"""Beginnings after which limits are looked at again."""
CHUNK_ROWS = 1 << 14
"""Rows that are written at once."""
CanonicalRow = Callable[[Row], Row]
"""Returns the one row that stands for all that are the same but for the names of interchangeable
things.
"""
_GoalHit = tuple[int, Row | None, str]
"""How a goal was met: the place of a row, the row after a step from there, and what is said."""


@define(eq=False)
class _RowSearch:
    """A search as it goes."""

    model: Model
    goals: Sequence[SearchGoal]
    limits: Limits
    canonical: CanonicalRow | None
    raising: bool
    result: SearchResult
    budget: Budget
    ranks: RowRanks
    rows: list[Row] = field(factory=list)
    parents: array[int] = field(factory=lambda: array("q"))
    hits: dict[int, _GoalHit] = field(factory=dict)
    pending: PendingGoals = field(init=False)
    left_range: bool = False
    stops_at_once: bool = False
    """Whether it ends with the first row that is too many, and not with the last whole level."""
    is_full: bool = False
    """Whether a row was met that was one too many."""
    checkpoint: Checkpoint | None = None
    resume_point: tuple[int, int, int, int, int, int] = (0, 0, 0, 0, 0, 0)
    """Before the row that is looked at: its place, where its level ends, how many rows, transitions
    and so on there were.

    All that a file keeps is taken from here, and it is replaced at once: so an interrupt may come
    anywhere between. Once a row was too many it stays where it was: rows may be left out then.
    """
    level_point: tuple[int, int, int, int, int, int] = (0, 0, 0, 0, 0, 0)
    """The same before the first row of the level."""

    def run(self) -> None:
        rows = self.rows
        self.result.rows, self.result.parents = rows, self.parents
        self.pending = pending_goals(self.goals, ())
        end, index = self.visit_initial_rows(rows)
        if self.is_full:  # what it begins with is more than it may have
            self.leave_out_rows(self.limits.most_states)
        if self.is_full or (len(rows) > self.limits.most_states and not self.stops_at_once):
            self.budget.reach_most_states()
        self.level_point = self.note_resume_point(index, end)
        while index < len(rows):
            if index == end:
                if self.is_full:
                    self.keep_least_rows(end)
                    self.result.depth += len(rows) > end
                    self.budget.reach_most_states()
                self.result.depth, end = self.result.depth + 1, len(rows)
                self.level_point = self.note_resume_point(index, end)
            self.note_resume_point(index, end)
            self.check_limits(index)
            if self.stops_at_once and len(rows) > self.limits.most_states:
                self.budget.reach_most_states()
            if self.is_full and len(rows) > 2 * self.limits.most_states:
                self.keep_least_rows(end)
            self.expand(index, rows)
            index += 1
        self.note_resume_point(index, end)

    def keep_least_rows(self, end: int) -> None:
        """Of the level that follows, keep as many rows as there may be: those that every engine
        keeps, whatever the order in which it meets them.
        """
        rows, parents = self.result.rows[end:], self.parents[end:]
        ranks, room = [*map(self.ranks.rank, rows)], max(self.limits.most_states - end, 0)
        if len(rows) <= room:
            return
        self.resume_point, limit = self.level_point, sorted(ranks)[room]
        self.leave_out_rows(end)
        for row, parent, rank in zip(rows, parents, ranks, strict=True):
            if rank < limit:
                self.visit(row, parent, self.rows)

    def leave_out_rows(self, end: int) -> None:
        """Leave out all rows but so many, and what was found in the others."""
        for row in self.rows[end:]:
            del self.result.indices[row]
        del self.rows[end:], self.parents[end:]
        self.hits = {goal: hit for goal, hit in self.hits.items() if hit[0] < end}
        self.pending = pending_goals(self.goals, self.hits)

    def note_resume_point(self, index: int, end: int) -> tuple[int, int, int, int, int, int]:
        """Note how far the search is, and return it: after an interrupt, what comes later is done
        again.
        """
        result = self.result
        if self.is_full:
            return self.resume_point
        self.resume_point = (
            index,
            end,
            len(result.rows),
            result.transitions,
            result.disabled,
            result.depth,
        )
        return self.resume_point

    def check_limits(self, index: int | None = None) -> None:
        """Look at the limits before a row's steps; None: while arguments are drawn.

        Raises:
            LimitReached: one was hit.
        """
        transitions, steps = self.result.transitions, self.budget.checked_at_steps
        if index is not None:
            steps = transitions + self.result.disabled + index
        self.budget.check_when_due(len(self.rows), steps, transitions)

    def visit_initial_rows(self, rows: list[Row]) -> tuple[int, int]:
        """Meet the first rows, or those of a search that stopped; return where its last level ends,
        and which row is next.
        """
        if self.checkpoint is None or self.checkpoint.engine != "rows":
            for number, row in enumerate(self.model.initial_rows, 1):
                if number % _ROWS_BETWEEN_CHECKS == 0:
                    self.check_limits()
                self.visit(row, -1, rows)
            return len(rows), 0
        self.checkpoint.restore(self.model)
        stored, numbers = self.checkpoint.stored, self.checkpoint.blobs["rows"]
        rows.extend(map(tuple, in_chunks(numbers, len(self.model.columns))))
        self.result.indices = {row: index for index, row in enumerate(rows)}
        self.parents.extend(self.checkpoint.blobs["parents"])
        result, self.left_range = self.result, stored["left"]
        result.transitions, result.disabled = stored["transitions"], stored["turned_down"]
        result.depth = stored["deepest"]
        for goal, index, after, message in stored["met"]:
            self.note_hit(goal, index, None if after is None else tuple(after), message)
        return stored["end"], stored["next"]

    def save(self) -> None:
        """Write the search to its file, as it was before the row that was being looked at."""
        index, end, many, transitions, disabled, deepest = self.resume_point
        if self.checkpoint is None or not many:  # it had not begun
            return
        hits = [  # but for those that will be seen again
            [goal, at, after, message]
            for goal, (at, after, message) in self.hits.items()
            if at < many and (at < index or self.goals[goal].row_test is not None)
        ]
        stored = {
            "end": end,
            "next": index,
            "transitions": transitions,
            "turned_down": disabled,
            "deepest": deepest,
            "left": self.left_range,
            "met": hits,
        }
        begins, numbers = range(0, many, CHUNK_ROWS), itertools.chain.from_iterable
        chunks = (self.rows[begin : min(begin + CHUNK_ROWS, many)] for begin in begins)
        rows = (array("q", numbers(chunk)) for chunk in chunks)  # little memory may be left
        blobs = {"rows": rows, "parents": [self.parents[:many]]}
        self.result.bounds += self.checkpoint.save_search(self.model, "rows", stored, blobs)

    def visit(self, row: Row, parent: int, rows: list[Row]) -> None:
        """Add a row that is new, and look at the goals there."""
        if self.canonical is not None:
            row = self.canonical(row)
        if row in self.result.indices:
            return
        if len(rows) >= self.limits.most_states and not self.stops_at_once:
            self.is_full = True
        index = self.result.indices[row] = len(rows)
        rows.append(row)
        self.parents.append(parent)
        for number, goal in self.pending.rows:
            if goal.row_test is not None and goal.row_test(row):
                self.note_hit(number, index)

    def note_hit(self, goal: int, index: int, after: Row | None = None, message: str = "") -> None:
        """Note that a goal was met; it is looked for no more."""
        self.hits[goal] = index, after, message
        self.pending = pending_goals(self.goals, self.hits)

    def expand(self, index: int, rows: list[Row]) -> None:
        """Take every step from a row."""
        row = rows[index]
        if (self.left_range or self.model.state_constraints) and not self.model.goes_on_from(row):
            return
        indices, known, moves = self.result.indices, self.canonical is None, False
        for event in self.model.events:
            successors = event.successors(row)
            if successors is NO_SUCCESSORS:
                continue
            self.result.disabled += successors.disabled
            if successors.faults:
                for number in self.pending.faults:
                    self.note_hit(number, index, message=successors.faults[0][1])
            self.check_limits(index)
            self.result.transitions += (
                successors.count if self.raising else successors.not_raising_count
            )
            for outcome in successors.distinct_successors:
                if outcome.raised and not self.raising:
                    continue
                self.left_range = self.left_range or outcome.leaves_range
                after = outcome.applied_to(row, event.offset)
                moves = moves or after != row
                for number, goal in self.pending.steps:
                    if goal.step_test is not None and goal.step_test(row, after):
                        self.note_hit(number, index, after)
                if not (known and after in indices):
                    self.visit(after, index, rows)
        for number, goal in () if moves else self.pending.deadlocks:
            if goal.deadlock_test is not None and goal.deadlock_test(row):
                self.note_hit(number, index)


def search_rows(
    model: Model,
    goals: Sequence[SearchGoal],
    limits: Limits,
    *,
    canonical: CanonicalRow | None = None,
    raising: bool = True,
    stops_at_once: bool = False,
    keep: Checkpoint | None = None,
) -> SearchResult:
    """Visit every row that can be reached; where they are more than the limits let it have, those
    of whole levels with all of their steps, and of the next level as many as there may be.

    Args:
        model: what is explored.
        goals: what is looked for on the way.
        limits: where it gives up.
        canonical: for symmetry.
        raising: whether steps that raise are taken.
        stops_at_once: whether it ends with the first row that is too many.
        keep: where its `save` keeps it; it goes on with what is there.

    Complexity: one look-up a step; rows and ways to them are kept, some 300 bytes a row of ten
    columns.

    Returns:
        Counts, rows, and a shortest path to each goal that was reached.
    """
    result = SearchResult()
    run = _RowSearch(
        model,
        goals,
        limits,
        canonical,
        raising,
        result,
        Budget(limits, result.bounds),
        RowRanks(model.columns),
        stops_at_once=stops_at_once,
        checkpoint=keep,
    )
    result.save = run.save
    if keep is not None:
        keep.running = result
    model.set_limit_check(run.check_limits)
    try:
        with result:
            run.run()
    finally:
        model.set_limit_check()
    if run.is_full:  # something else ended it within the level that has too many
        run.leave_out_rows(limits.most_states)
    if result.out_of_memory:
        model.clear_memos()
        result.indices = {}
    result.beyond_constraint = model.count_beyond_constraint(result.rows)
    result.states = len(result.rows) - result.beyond_constraint
    if run.left_range:
        result.bounds.append(range_left_bound(model.extent))
    result.known_rows = ListedRows(result.rows, result.indices)
    result.reached_goals = frozenset(run.hits)
    result.paths = {
        number: evolve(result.path_to(index), after=after, message=message)
        for number, (index, after, message) in run.hits.items()
        if goals[number].needs_path
    }
    return result
