"""From rows back to a run: each step is asked of `step` again, so a trace that is shown has been replayed."""

from __future__ import annotations

from collections.abc import Callable

from statemachines.explore.columns import Row
from statemachines.explore.drawing import Values
from statemachines.explore.results import Taken, Trace
from statemachines.explore.search import Canonical, Path
from statemachines.explore.world import Event, World
from statemachines.model.snapshots import Snapshot
from statemachines.semantics.step import decided, step


def trace_of(
    world: World, path: Path, canonical: Canonical | None = None, last: Callable[[Row, Row], bool] | None = None, *, raising: bool = True
) -> Trace:
    """Return the run along a path: of several steps between two rows, the first one.

    Args:
        world: what was explored.
        path: its rows are those that stand for their classes where there is symmetry.
        canonical: the same as for the search.
        last: what the last step must meet, where it was looked for.
        raising: whether its steps may raise.
    """
    row, taken = _first(world, path.rows[0], canonical), list[Taken]()
    begin = world.snapshots(row)
    for following in path.rows[1:]:
        event, arguments, row = _step_to(world, row, _leads_to(following, canonical), raising)
        taken.append(_asked(world, begin, taken, event, arguments))
    if path.after is not None and last is not None:
        event, arguments, row = _step_to(world, row, last, raising)
        taken.append(_asked(world, begin, taken, event, arguments))
    elif path.arguments is not None:
        event = next(one for one in world.events if one.rule.event == path.event and one.doings(row).wrong)
        taken.append(_asked(world, begin, taken, event, event.doings(row).wrong[0][0]))
    return Trace(begin, tuple(taken))


def _same(row: Row, canonical: Canonical | None) -> Row:
    return row if canonical is None else canonical(row)


def _first(world: World, row: Row, canonical: Canonical | None) -> Row:
    return next(each for each in world.begins if _same(each, canonical) == row)


def _leads_to(row: Row, canonical: Canonical | None) -> Callable[[Row, Row], bool]:
    return lambda _, after: _same(after, canonical) == row


def _step_to(world: World, row: Row, wanted: Callable[[Row, Row], bool], raising: bool) -> tuple[Event, Values, Row]:
    """Return the first step from a row that is wanted."""
    for event, outcome, after in world.steps(row):
        if (raising or not outcome.raised) and wanted(row, after):
            return event, outcome.arguments, after
    raise AssertionError("a search told of a step that is not there")


def _asked(world: World, begin: tuple[Snapshot, ...], taken: list[Taken], event: Event, arguments: Values) -> Taken:
    """Ask what becomes of the event after the steps so far."""
    before = next((one.answer.after for one in reversed(taken) if one.copy == event.copy), begin[event.copy])
    return Taken(event.rule.event, arguments, decided(world.tables, before, event.rule.event, arguments), event.copy)


def replays(world: World, trace: Trace) -> bool:
    """Tell whether `step` gives the answers of a trace, arguments looked at too."""
    now = list(trace.begin)
    for one in trace.steps:
        answer = step(world.tables, now[one.copy], one.event, **one.arguments)
        if answer != one.answer:
            return False
        now[one.copy] = answer.after
    return True
