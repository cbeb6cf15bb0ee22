"""From rows back to a run: each step is asked of `step` again, so a trace that is shown has been
replayed.
"""

from __future__ import annotations

from collections.abc import Callable

from statemachines.explore.arguments.value_sampling import NamedValues
from statemachines.explore.models.machine_model import CopyEvent, MachineModel
from statemachines.explore.models.row_columns import Row
from statemachines.explore.results.machine_results import Trace, TraceStep
from statemachines.explore.rows.row_search import CanonicalRow, RowPath
from statemachines.model.definitions.snapshots import Snapshot
from statemachines.semantics.machine.step import step, unchecked_step


def replay_path(
    world: MachineModel,
    path: RowPath,
    canonical: CanonicalRow | None = None,
    last: Callable[[Row, Row], bool] | None = None,
    *,
    raising: bool = True,
) -> Trace:
    """Return the run along a path: of several steps between two rows, the first one.

    Args:
        world: what was explored.
        path: its rows are those that stand for their classes where there is symmetry.
        canonical: the same as for the search.
        last: what the last step must meet, where it was looked for.
        raising: whether its steps may raise.
    """
    row, taken = _first_initial_row(world, path.rows[0], canonical), list[TraceStep]()
    begin = world.snapshots(row)
    for following in path.rows[1:]:
        event, arguments, row = _first_step_to(
            world, row, _leads_to_row(following, canonical), raising
        )
        taken.append(_replayed_step(world, begin, taken, event, arguments))
    if path.after is not None and last is not None:
        event, arguments, row = _first_step_to(world, row, last, raising)
        taken.append(_replayed_step(world, begin, taken, event, arguments))
    elif path.arguments is not None:
        event = next(
            one
            for one in world.events
            if one.memo.event == path.event and one.successors(row).faults
        )
        taken.append(_replayed_step(world, begin, taken, event, event.successors(row).faults[0][0]))
    return Trace(begin, tuple(taken))


def _canonical(row: Row, canonical: CanonicalRow | None) -> Row:
    return row if canonical is None else canonical(row)


def _first_initial_row(world: MachineModel, row: Row, canonical: CanonicalRow | None) -> Row:
    return next(each for each in world.initial_rows if _canonical(each, canonical) == row)


def _leads_to_row(row: Row, canonical: CanonicalRow | None) -> Callable[[Row, Row], bool]:
    return lambda _, after: _canonical(after, canonical) == row


def _first_step_to(
    world: MachineModel, row: Row, wanted: Callable[[Row, Row], bool], raising: bool
) -> tuple[CopyEvent, NamedValues, Row]:
    """Return the first step from a row that is wanted."""
    for event, outcome, after in world.steps(row):
        if (raising or not outcome.raised) and wanted(row, after):
            return event, outcome.arguments, after
    raise AssertionError("a search told of a step that is not there")


def _replayed_step(
    world: MachineModel,
    begin: tuple[Snapshot, ...],
    taken: list[TraceStep],
    event: CopyEvent,
    arguments: NamedValues,
) -> TraceStep:
    """Ask what becomes of the event after the steps so far."""
    before = next(
        (one.answer.after for one in reversed(taken) if one.copy == event.copy), begin[event.copy]
    )
    return TraceStep(
        event.memo.event,
        arguments,
        unchecked_step(world.tables, before, event.memo.event, arguments),
        event.copy,
    )


def replays(world: MachineModel, trace: Trace) -> bool:
    """Tell whether `step` gives the answers of a trace, arguments looked at too."""
    now = list(trace.begin)
    for one in trace.steps:
        answer = step(world.tables, now[one.copy], one.event, **one.arguments)
        if answer != one.answer:
            return False
        now[one.copy] = answer.after
    return True
