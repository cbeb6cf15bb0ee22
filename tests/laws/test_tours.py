"""Law: the shortest tours are runs of the machine, take everything that can be taken, and no shorter ones exist.

Covers: statemachines.semantics.machine.machine_tables, statemachines.testing.tours.shortest_routes.
"""

from __future__ import annotations

import itertools
from collections import deque

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from statemachines.model.definitions.machine_definitions import MachineDefinition, Transition
from statemachines.semantics.machine.machine_tables import MachineTables, machine_tables
from statemachines.testing.tours.shortest_routes import transition_routes
from tests.effort import some_of
from tests.shipped import shipped
from tests.strategies import table_machines

LAW = settings(
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
    deadline=None,
    max_examples=some_of(150),
)
MOST = 6
"""Wanted things of a machine whose tours are compared with all that there are."""

Met = frozenset[tuple[int, ...]]


def taken_of(tables: MachineTables) -> list[Transition]:
    """The arrows that `step` takes."""
    return [arrows[0] for arrows in tables.candidates.values()]


def met(tables: MachineTables, life: tuple[Transition, ...], *, pairs: bool) -> Met:
    """What a life takes: arrows, or arrows and pairs."""
    numbers = {(arrow.source, arrow.event): number for number, arrow in enumerate(taken_of(tables))}
    steps = [numbers[arrow.source, arrow.event] for arrow in life]
    return frozenset([*((one,) for one in steps), *(itertools.pairwise(steps) if pairs else ())])


def wanted(tables: MachineTables, *, pairs: bool) -> Met:
    """What can be taken at all, found by walking."""
    arrows, first = taken_of(tables), tables.state_names(tables.initial)[0]
    seen, pending = {first}, [first]
    while pending:
        here = pending.pop()
        for arrow in arrows:
            if arrow.source == here and arrow.target not in seen:
                seen.add(arrow.target)
                pending.append(arrow.target)
    live = [(number, arrow) for number, arrow in enumerate(arrows) if arrow.source in seen]
    both = [
        (one, two) for one, before in live for two, after in live if before.target == after.source
    ]
    return frozenset([*((number,) for number, _ in live), *(both if pairs else ())])


def fewest(tables: MachineTables, *, pairs: bool) -> int:
    """The fewest steps, by trying everything."""
    arrows, first, goal = (
        taken_of(tables),
        tables.state_names(tables.initial)[0],
        wanted(tables, pairs=pairs),
    )
    begin: tuple[str, int, Met] = (first, -1, frozenset())
    best, pending = {begin: 0}, deque([begin])
    while pending:
        here = pending.popleft()
        state, last, done = here
        if done == goal:
            return best[here]
        anew = (first, -1, done)
        if anew not in best:
            best[anew] = best[here]
            pending.appendleft(anew)
        for number, arrow in enumerate(arrows):
            if arrow.source == state:
                pair = {(last, number)} if pairs and last >= 0 else set[tuple[int, ...]]()
                following = (arrow.target, number, done | {(number,)} | pair)
                if following not in best or best[following] > best[here] + 1:
                    best[following] = best[here] + 1
                    pending.append(following)
    raise AssertionError("everything wanted can be taken")


@LAW
@given(
    table_machines(most_states=4).filter(
        lambda machine: sum(state.initial for state in machine.states) == 1
    ),
    st.booleans(),
)
def test_tours_are_runs_that_take_everything_in_the_fewest_steps(
    machine: MachineDefinition, pairs: bool
) -> None:
    """Compared with a search through all runs, where the machine is small."""
    tables = machine_tables(machine)
    found = transition_routes(tables, pairs=pairs)
    for life in found:
        here = tables.state_names(tables.initial)[0]
        for arrow in life:
            assert arrow.source == here
            here = arrow.target
    goal = wanted(tables, pairs=pairs)
    assert frozenset().union(*(met(tables, life, pairs=pairs) for life in found)) == goal
    if len(goal) <= MOST:
        assert sum(map(len, found)) == fewest(tables, pairs=pairs)


def test_a_machine_of_seventeen_arrows_is_toured_as_shortly_as_was_promised() -> None:
    """All transitions in 24 steps, all 44 pairs in at most 79."""
    tables = shipped("kafka/StreamThread").at("3.9").tables
    assert sum(map(len, transition_routes(tables, pairs=False))) == 24
    assert sum(map(len, transition_routes(tables, pairs=True))) <= 79
