"""From rows back to a run: each step is asked of `step` again, so a trace that is shown has been
replayed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from statemachines.explore.models.model_protocol import Model, Taken
from statemachines.explore.models.row_columns import Row
from statemachines.explore.rows.row_search import CanonicalRow
from statemachines.explore.rows.search_goals import RowPath


def replay_path(
    model: Model,
    path: RowPath,
    canonical: CanonicalRow | None = None,
    last: Callable[[Row, Row], bool] | None = None,
    *,
    raising: bool = True,
) -> Any:
    """Return the run along a path: of several steps between two rows, the first one.

    Args:
        model: what was explored.
        path: its rows are those that stand for their classes where there is symmetry.
        canonical: the same as for the search.
        last: what the last step must meet, where it was looked for.
        raising: whether its steps may raise.

    Returns:
        A trace of the machine or of the system.
    """
    begin = row = _first_initial_row(model, path.rows[0], canonical)
    taken = list[Taken]()
    for following in path.rows[1:]:
        step, row = _first_step_to(model, row, _leads_to_row(following, canonical), raising)
        taken.append(step)
    if path.after is not None and last is not None:
        taken.append(_first_step_to(model, row, last, raising)[0])
    elif path.message:
        taken.append(model.fault_at(row))
    return model.trace(begin, taken)


def _canonical(row: Row, canonical: CanonicalRow | None) -> Row:
    return row if canonical is None else canonical(row)


def _first_initial_row(model: Model, row: Row, canonical: CanonicalRow | None) -> Row:
    return next(
        initial_row
        for initial_row in model.initial_rows
        if _canonical(initial_row, canonical) == row
    )


def _leads_to_row(row: Row, canonical: CanonicalRow | None) -> Callable[[Row, Row], bool]:
    return lambda _, after: _canonical(after, canonical) == row


def _first_step_to(
    model: Model, row: Row, wanted: Callable[[Row, Row], bool], raising: bool
) -> tuple[Taken, Row]:
    """Return the first step from a row that is wanted, and the row after it."""
    for event, outcome, after in model.steps(row):
        if (raising or not outcome.raised) and wanted(row, after):
            return (event, outcome), after
    raise AssertionError("a search told of a step that is not there")
