"""Exploring a system finds what a search finds that is too simple to be wrong: counts, verdicts, lengths, promises, orbits, and after stops.

Covers: statemachines.api.system, statemachines.explore.arrays.forest_tables,
statemachines.explore.arrays.packing, statemachines.explore.arrays.linked_tables, statemachines.explore.options,
statemachines.explore.resources.limits, statemachines.explore.results.property_results,
statemachines.explore.results.run_traces, statemachines.explore.model_questions,
statemachines.semantics.system.system_step, statemachines.explore.checkpoints.encoded_values,
statemachines.explore.models.system_columns.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from attrs import evolve
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from statemachines.explore.arrays import forest_tables, linked_tables, packing
from statemachines.explore.exploration import explore
from statemachines.explore.options import ExplorationOptions
from statemachines.explore.resources.limits import Limits
from statemachines.explore.results.property_results import PropertyResult
from statemachines.explore.results.run_traces import Trace
from statemachines.model.definitions.data_definitions import PropertyKind
from statemachines.model.definitions.system_definitions import SystemDefinition
from statemachines.model.evidence.verdicts import Verdict
from statemachines.report.exploration.exploration_report import exploration_report
from statemachines.semantics.system.system_step import deliver_event, step_system
from statemachines.semantics.system.system_tables import system_tables
from tests.effort import some_of
from tests.exploring_systems import STATES, Simple, Step, has_raised, keys_of, renamed, systems

FEW = settings(
    max_examples=some_of(12),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
OPEN = "integers without bounds are explored from 0 to 3, as no scope has `int`"
LEFT = "an integer without bounds left 0..3; nothing was explored from there"


@given(systems())
@FEW
def test_a_system_is_explored_as_brute_force_does(system: SystemDefinition) -> None:
    """States, transitions, verdicts, and of each trace the length; each trace replays through the system's own step."""
    check_all(system)


@given(systems(), st.sampled_from(range(len(STATES))))
@FEW
def test_nothing_is_explored_beyond_a_state_constraint(drawn: SystemDefinition, rule: int) -> None:
    """States beyond it are looked at, not counted and not gone on from; promises are about runs that stay within."""
    system = constrained(drawn, rule)
    check_all(system)
    check_arrays(without_promises(system))


def constrained(system: SystemDefinition, rule: int) -> SystemDefinition:
    """Return a system with one of its rules as the state constraint of its scope."""
    always = [one.holds for one in system.data.properties if one.kind is PropertyKind.ALWAYS]
    scope = evolve(system.data.scope, constraint=always[rule])
    return evolve(system, data=evolve(system.data, scope=scope))


def check_arrays(system: SystemDefinition) -> None:
    """Arrays find what rows find, beyond a state constraint too."""
    pytest.importorskip("numpy")
    rows, arrays = (
        explore(system, how=ExplorationOptions(engine=engine)) for engine in ("rows", "arrays")
    )
    assert arrays == rows


def check_all(system: SystemDefinition) -> None:
    """Everything that exploring finds is what brute force finds."""
    found, simple = explore(system), Simple(system)
    beyond = sum(map(simple.is_beyond, simple.graph))
    assert (found.states, found.beyond_constraint) == (len(simple.graph) - beyond, beyond)
    assert bool(found.constraint) == (beyond > 0)
    assert found.transitions == sum(map(len, simple.graph.values()))
    assert found.depth == max(simple.far.values())
    assert (LEFT in found.bounds) == any(map(simple.counts_too_far, simple.graph))
    for one in found.examined:
        check(system, simple, one, bounded=bool(found.bounds))
        if one.property is not None and one.verdict is not Verdict.INCONCLUSIVE:
            told = "within the state constraint" in one.said
            assert told == (beyond > 0 and one.trace is None), one.name


def check(
    system: SystemDefinition, simple: Simple, one: PropertyResult[Trace], *, bounded: bool
) -> None:
    """What is said of a rule is what brute force says."""
    length = None if one.trace is None else len(one.trace.steps)
    if one.trace is not None:
        assert replays(system, one.trace), one.name
    if one.property is None:
        return
    claimed = one.property
    match claimed.kind:
        case PropertyKind.ALWAYS:
            wanted = simple.shortest(claimed, lambda now: not simple.holds(claimed, now))
        case PropertyKind.SOMETIMES:
            wanted = simple.shortest(claimed, lambda now: simple.holds(claimed, now))
        case PropertyKind.EACH_STEP:
            wanted = simple.shortest_step(one.property)
        case PropertyKind.NO_DEADLOCK:
            wanted = min(simple.dead(), default=None)
        case PropertyKind.LEADS_TO:
            assert (one.trace is not None) == simple.may_wait_for_ever(one.property), one.name
            if one.trace is not None:
                check_round(system, simple, one)
            wanted = length
    assert length == wanted, one.name
    if one.property.until_raised and one.trace is not None:
        assert not any(has_raised(step.answer) for step in one.trace.steps)
    good = (one.trace is not None) == (one.property.kind is PropertyKind.SOMETIMES)
    undecided = bounded and one.trace is None
    assert one.verdict is (
        Verdict.INCONCLUSIVE if undecided else Verdict.HOLDS if good else Verdict.VIOLATED
    ), one.name


def check_round(system: SystemDefinition, simple: Simple, one: PropertyResult[Trace]) -> None:
    """A run that waits for ever comes back to where it goes round, waits all the time, and puts off nothing fair."""
    trace, tables = one.trace, system_tables(system)
    assert trace is not None
    assert trace.loop_start is not None
    assert one.property is not None
    assert one.property.when is not None
    assert trace.snapshots[trace.loop_start] == trace.snapshots[-1]
    begun = max(
        place for place, now in enumerate(trace.snapshots) if tables.holds(one.property.when, now)
    )
    assert not any(
        simple.holds(one.property, now) for now in trace.snapshots[min(begun, trace.loop_start) :]
    )
    around = trace.snapshots[trace.loop_start :]
    happened = {
        key
        for step in trace.steps[trace.loop_start :]
        for key in keys_of(one.property, Step(step.event, step.key, step.arguments, step.answer))
    }
    possible = [simple.possible(one.property, now) for now in around]
    assert set.intersection(*possible) <= happened


def without_promises(system: SystemDefinition) -> SystemDefinition:
    """Return a system without what must follow one day, which arrays do not look at."""
    kept = [one for one in system.data.properties if one.kind is not PropertyKind.LEADS_TO]
    return evolve(system, data=evolve(system.data, properties=tuple(kept)))


@given(systems(), st.integers(1, 4), st.sampled_from([6, 8, 12, 62]))
@FEW
def test_arrays_find_what_rows_find(drawn: SystemDefinition, pairs: int, bits: int) -> None:
    """Counts, bounds, verdicts, and the very same traces, whatever is worked on at once, and however many words a row has; and both find what brute force finds."""
    pytest.importorskip("numpy")
    system = without_promises(drawn)
    rows = explore(system, how=ExplorationOptions(engine="rows"))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(linked_tables, "CHUNK_PAIRS", pairs)
        patched.setattr(forest_tables, "FIRST_BLOCK", 1 + pairs)
        patched.setattr(packing, "_MOST_BITS", bits)
        arrays = explore(system, how=ExplorationOptions(engine="arrays"))
    assert arrays == rows
    assert arrays.states == len(Simple(system).graph)


@given(systems(), st.integers(1, 40))
@FEW
def test_a_search_on_arrays_that_stops_finds_the_same(drawn: SystemDefinition, most: int) -> None:
    """However often it stops: what its tables knew is asked again."""
    pytest.importorskip("numpy")
    system = without_promises(drawn)
    whole = explore(system, how=ExplorationOptions(engine="rows"))
    with TemporaryDirectory() as folder:
        file = Path(folder) / "search"
        for _ in range(12):
            how = ExplorationOptions(engine="arrays", limits=Limits(most_states=most), resume=file)
            found, most = explore(system, how=how), most * 3
    assert found == whole


def replays(system: SystemDefinition, trace: Trace) -> bool:
    """Whether the system's step gives every answer of a trace."""
    now = trace.begin
    for one in trace.steps:
        if one.delivered_from is not None:
            answer = deliver_event(system, now, one.delivered_from)
        else:
            answer = step_system(system, now, one.event, key=one.key, **one.arguments)
        if answer != one.answer:
            return False
        now = answer.after
    return True


@given(systems())
@FEW
def test_symmetry_counts_orbits_and_says_the_same(system: SystemDefinition) -> None:
    """Two rooms are interchangeable: of two snapshots that differ in nothing else one is counted, and no verdict changes."""
    plain, found, simple = (
        explore(system),
        explore(system, how=ExplorationOptions(symmetry=True)),
        Simple(system),
    )
    orbits = {frozenset([now, renamed(now)]) for now in simple.graph}
    assert found.states == len(orbits)
    for old, new in zip(plain.examined, found.examined, strict=True):
        if new.property is not None and new.property.kind is PropertyKind.LEADS_TO:
            assert new.verdict is Verdict.INCONCLUSIVE
            continue
        assert (old.name, old.verdict) == (new.name, new.verdict)
        assert (old.trace is None) == (new.trace is None)
        if old.trace is not None and new.trace is not None:
            assert len(old.trace.steps) == len(new.trace.steps)
            assert replays(system, new.trace)


@given(systems(), st.booleans(), st.integers(1, 40))
@FEW
def test_a_search_of_a_system_that_stops_finds_the_same(
    system: SystemDefinition, symmetry: bool, most: int
) -> None:
    """However often it stops, and wherever: counts, verdicts, traces."""
    whole = explore(system, how=ExplorationOptions(symmetry))
    with TemporaryDirectory() as folder:
        file = Path(folder) / "search"
        found = explore(
            system, how=ExplorationOptions(symmetry, limits=Limits(most_states=most), resume=file)
        )
        while file.exists() or found.states < whole.states:
            assert found.verdict is not Verdict.HOLDS
            most *= 3
            found = explore(
                system,
                how=ExplorationOptions(symmetry, limits=Limits(most_states=most), resume=file),
            )
    assert found == whole


@given(systems())
@FEW
def test_every_program_of_a_system_runs(system: SystemDefinition) -> None:
    """What is pasted replays the run, looks at each answer, and ends where the trace ends."""
    found = exploration_report(system, [], ExplorationOptions(), "HOUSE")
    for one, shown in zip(found.value.examined, found.examined, strict=True):
        if isinstance(one, PropertyResult) and one.trace is not None:
            assert ended(system, shown.program) == one.trace.snapshots[-1], one.name


def ended(system: SystemDefinition, program: str) -> object:
    """Run a program with the system at hand; return where it ends."""
    import statemachines.api.system as api

    names: dict[str, object] = {"HOUSE": api.System(system)}
    exec(program.replace("\nprint(", "\nfinally_ = ("), names)
    return names["now"]
