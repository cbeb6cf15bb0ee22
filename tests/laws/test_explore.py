"""Exploring finds what a search finds that is too simple to be wrong, with rows, with arrays and up to symmetry.

Covers: statemachines.explore.exploration, statemachines.explore.options,
statemachines.explore.results.run_traces, statemachines.semantics.machine.machine_tables,
statemachines.semantics.machine.step.
"""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from statemachines.explore.exploration import explore
from statemachines.explore.options import ExplorationOptions
from statemachines.explore.results.property_results import Exploration
from statemachines.explore.results.run_traces import Trace
from statemachines.model.definitions.data_definitions import Property, PropertyKind
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.definitions.snapshots import Raised, Snapshot
from statemachines.model.evidence.verdicts import Verdict
from statemachines.report.exploration.scope_texts import scope_from_texts
from statemachines.semantics.machine.machine_tables import machine_tables
from statemachines.semantics.machine.step import step
from tests.effort import some_of
from tests.exploring import Simple, machines
from tests.shipped import shipped_machine
from tests.strategies import table_machines

FEW = settings(
    max_examples=some_of(25),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
ROWS, ARRAYS, SYMMETRY = (
    ExplorationOptions(engine="rows"),
    ExplorationOptions(engine="arrays"),
    ExplorationOptions(symmetry=True),
)


def replays(machine: MachineDefinition, trace: Trace) -> bool:
    """Whether `step` gives every answer of a trace."""
    now = list(trace.begin)
    for one in trace.steps:
        answer = step(machine, now[one.copy], one.event, **one.arguments)
        if answer != one.answer:
            return False
        now[one.copy] = answer.after
    return True


def shortest(machine: MachineDefinition, claimed: Property) -> int | None:
    """The length of a shortest counterexample, or of a shortest way to a witness, by brute force."""
    assert claimed.holds is not None
    holds = machine_tables(machine).behaviour.evaluator(claimed.holds)

    def of(snapshot: Snapshot, before: Snapshot | None = None) -> bool:
        return bool(holds(snapshot.state, snapshot.variables, snapshot.parameters, None, before))

    simple, raising = Simple(machine), not claimed.until_raised
    match claimed.kind:
        case PropertyKind.ALWAYS:
            return simple.shortest(lambda one: not of(one), lambda *_: False, raising=raising)
        case PropertyKind.SOMETIMES:
            return simple.shortest(of, lambda *_: False, raising=raising)
    return simple.shortest(lambda _: False, lambda old, new: not of(new, old), raising=raising)


def check_traces(machine: MachineDefinition, found: Exploration) -> None:
    """Each trace is as short as can be and replays; what has none has none."""
    for one in found.examined:
        if one.trace is not None:
            assert replays(machine, one.trace)
        if one.property is None or one.property.holds is None:
            continue
        assert shortest(machine, one.property) == (
            None if one.trace is None else len(one.trace.steps)
        ), one.name
        if one.property.until_raised and one.trace is not None:
            assert not any(isinstance(step.answer, Raised) for step in one.trace.steps)
        assert (one.verdict is Verdict.HOLDS) == (
            (one.trace is not None) == (one.property.kind is PropertyKind.SOMETIMES)
        )


@given(machines())
@FEW
def test_the_shortest_counterexample_is_as_short_as_brute_force_finds_it(
    machine: MachineDefinition,
) -> None:
    """A longer one costs a person time, and says that the search is not breadth first."""
    found = explore(machine, how=ROWS)
    assert found.states == len(Simple(machine).reachable())
    assert found.transitions == sum(
        len(list(Simple(machine).steps(each))) for each in Simple(machine).reachable()
    )
    check_traces(machine, found)


@given(machines())
@FEW
def test_symmetry_finds_the_same_verdicts_with_traces_as_short(machine: MachineDefinition) -> None:
    """States that differ in names only stand for each other: nothing is lost."""
    plain, found = explore(machine, how=ROWS), explore(machine, how=SYMMETRY)
    assert [(one.name, one.verdict) for one in found.examined] == [
        (one.name, one.verdict) for one in plain.examined
    ]
    assert found.states <= plain.states
    check_traces(machine, found)


@given(machines())
@FEW
def test_rows_and_arrays_find_the_same(machine: MachineDefinition) -> None:
    """Two engines, one result: counts, verdicts, the very same traces."""
    pytest.importorskip("numpy")
    assert explore(machine, how=ARRAYS) == explore(machine, how=ROWS)


@given(table_machines())
@FEW
def test_copies_of_a_table_are_the_same_by_rows_and_by_arrays(machine: MachineDefinition) -> None:
    """Interleaved tables are what arrays are for."""
    pytest.importorskip("numpy")
    rows, arrays = (
        explore(machine, how=ExplorationOptions(copies=2, engine=engine))
        for engine in ("rows", "arrays")
    )
    assert rows == arrays


@given(table_machines())
@FEW
def test_a_table_is_reached_as_its_arrows_say(machine: MachineDefinition) -> None:
    """States, transitions, dead ends: compared with a search that asks `step` about everything."""
    found, simple = explore(machine), Simple(machine)
    reached = simple.reachable()
    assert found.states == len(reached)
    stuck = [one for one in reached if all(answer.after == one for answer in simple.steps(one))]
    final = machine_tables(machine).final
    dead = any(not final >> machine_tables(machine).index_of_state(one.state) & 1 for one in stuck)
    deadlock = next(one for one in found.examined if one.name == "no deadlock")
    assert (deadlock.verdict is Verdict.VIOLATED) == dead


@pytest.mark.parametrize("release", ["1.0.0", "2.1.0", "2.3.1", "2.5.1"])
def test_rows_and_arrays_find_the_same_of_a_machine_with_many_arguments(release: str) -> None:
    """Arrays pair rows with what arguments come to; rows ask about every argument. Maps of outcomes make many arguments the same."""
    pytest.importorskip("numpy")
    machine = shipped_machine("kafka/AssignedTasks", release)
    scope = scope_from_texts(machine, ["Task=1, Partition=1, list=2, kind='stream'"])
    rows, arrays = (
        explore(machine, scope, ExplorationOptions(engine=engine)) for engine in ("rows", "arrays")
    )
    assert rows == arrays
    assert rows.transitions > 10 * rows.states
