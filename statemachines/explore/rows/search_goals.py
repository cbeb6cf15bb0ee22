"""What a search looks for, and what it saw."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence

from attrs import define, field, frozen

from statemachines.explore.models.model_protocol import Condition
from statemachines.explore.models.row_columns import Row
from statemachines.explore.resources.limits import SearchEnding
from statemachines.explore.visited.known_rows import KnownRows, ListedRows
from statemachines.model.definitions.snapshots import Value
from statemachines.semantics.arguments.enumeration import check_nothing


@frozen(eq=False)
class SearchGoal:
    """What is looked for; the first row or step that meets it is kept."""

    row_test: Callable[[Row], bool] | None = None
    step_test: Callable[[Row, Row], bool] | None = None
    condition: Condition | None = None
    """The condition that `row` or `step` asks."""
    wanted_value: bool = False
    """What the condition must be for the goal to be met."""
    seeks_fault: bool = False
    """Whether an error of the spec is looked for."""
    deadlock_test: Callable[[Row], bool] | None = None
    """Looked at in rows that no event changes."""
    needs_path: bool = True
    """Whether the way to it is wanted, and not only whether it is met."""

    @property
    def bound(self) -> Mapping[str, Value]:
        """What names stand for in its condition."""
        return {} if self.condition is None else self.condition.bound


@frozen(eq=False)
class PendingGoals:
    """The goals that are still looked for, by what they look at."""

    rows: tuple[tuple[int, SearchGoal], ...]
    steps: tuple[tuple[int, SearchGoal], ...]
    deadlocks: tuple[tuple[int, SearchGoal], ...]
    faults: tuple[int, ...]


def pending_goals(goals: Sequence[SearchGoal], is_found: Container[int]) -> PendingGoals:
    """Sort out the goals that are still looked for.

    Args:
        goals: all of a search.
        is_found: the numbers of those that were met.

    Returns:
        The others, by what they look at.
    """
    left = [(number, goal) for number, goal in enumerate(goals) if number not in is_found]
    return PendingGoals(
        tuple((number, goal) for number, goal in left if goal.row_test is not None),
        tuple((number, goal) for number, goal in left if goal.step_test is not None),
        tuple((number, goal) for number, goal in left if goal.deadlock_test is not None),
        tuple(number for number, goal in left if goal.seeks_fault),
    )


@frozen(eq=False)
class RowPath:
    """A way to what a goal looked for: rows from a beginning on, and where it is a step, or an
    error of the spec, what follows the last.
    """

    rows: tuple[Row, ...]
    after: Row | None = None
    """The row after the last step, where the goal is a step; it may be the same as the last of
    `rows`.
    """
    message: str = ""
    """What is wrong with the spec in the last row; empty for anything else."""


@define(eq=False)
class SearchResult(SearchEnding):
    """What a search saw."""

    rows: Sequence[Row] = ()
    """In the order in which they were met; none where the engine keeps them in arrays."""
    parents: Sequence[int] = ()
    """By place of a row: the place of the one from which it was met first; -1 for initial ones."""
    indices: dict[Row, int] = field(factory=dict)
    states: int = 0
    """Those beyond the state constraint left out."""
    beyond_constraint: int = 0
    """States that were looked at and not gone on from, as the state constraint does not hold."""
    transitions: int = 0
    disabled: int = 0
    depth: int = 0
    """Steps to the farthest row."""
    reached_goals: frozenset[int] = frozenset()
    """The goals that were met."""
    paths: dict[int, RowPath] = field(factory=dict)
    """Goal to the way to it, for those of them that are to be shown."""
    close: Callable[[], None] = check_nothing
    """Lets go of what lies on disk."""
    on_disk: int = 0
    """Bytes of states that were written to disk, as they would have taken too much memory."""
    known_rows: KnownRows = field(factory=lambda: ListedRows((), {}))
    """All rows, where runs are looked at."""

    def path_to(self, index: int) -> RowPath:
        """Return a shortest way to a row.

        Args:
            index: of the row, in the order in which rows were found.

        Returns:
            The rows from an initial one on.
        """
        rows = [self.rows[index]]
        while (index := self.parents[index]) >= 0:
            rows.append(self.rows[index])
        return RowPath(tuple(reversed(rows)))
