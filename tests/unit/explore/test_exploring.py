"""What exploring finds in small machines: counts that are published, counterexamples, bounds, promises.

Covers: statemachines.explore.arrays.array_search, statemachines.explore.arrays.lookup_tables,
statemachines.explore.arrays.row_expansion, statemachines.report.exploration.machine_trace_programs,
statemachines.explore.symmetry.model_names, statemachines.explore.rows.traces,
statemachines.explore.arrays.expansions,
statemachines.explore.models.derived_columns, statemachines.explore.options.
"""

from __future__ import annotations

import math
import re
from typing import Any

import attrs
import pytest

from statemachines.api.machine import Machine
from statemachines.explore.exploration import explore
from statemachines.explore.options import ExplorationOptions
from statemachines.explore.resources.limits import Limits
from statemachines.explore.results.property_results import Exploration, PropertyResult
from statemachines.explore.scopes import ExplorationScope
from statemachines.model.definitions.machine_definitions import MachineDefinition, State, Transition
from statemachines.model.evidence.verdicts import Verdict
from statemachines.report.exploration.machine_trace_programs import replay_program
from statemachines.semantics.messages.argument_errors import ArgumentsError
from tests.data_machines import machine
from tests.machines import COUNTER, DEAD_END, ORDER, TURNSTILE
from tests.shipped import shipped_machine


def said(found: Exploration, name: str) -> PropertyResult:
    """What exploring says of a property."""
    return next(one for one in found.examined if one.name == name)


@pytest.mark.parametrize(("managers", "states", "transitions"), [(3, 288, 1145), (5, 8832, 58145)])
def test_two_phase_commit_has_its_published_counts(
    managers: int, states: int, transitions: int
) -> None:
    """TLC finds 288 and 8,832 distinct states (1,146 and 58,146 generated ones: it counts the first, too)."""
    found = explore(
        shipped_machine("examples/TwoPhaseCommit"), ExplorationScope(sizes={"RM": managers})
    )
    assert (found.states, found.transitions, found.verdict) == (states, transitions, Verdict.HOLDS)


@pytest.mark.parametrize("managers", [1, 2, 3, 4, 5])
def test_symmetry_counts_the_orbits_of_two_phase_commit(managers: int) -> None:
    """Each manager is in one of 4, 2 or 6 ways: orbits are multisets of these; 314 with five managers."""
    found = explore(
        shipped_machine("examples/TwoPhaseCommit"),
        ExplorationScope(sizes={"RM": managers}),
        ExplorationOptions(symmetry=True),
    )
    orbits = sum(math.comb(managers + ways - 1, managers) for ways in (4, 2, 6))
    assert found.states == orbits
    assert managers != 5 or orbits == 314


@pytest.mark.parametrize(
    ("copies", "states", "transitions"), [(1, 7, 17), (2, 49, 238), (3, 343, 2499)]
)
def test_interleaved_copies_multiply(copies: int, states: int, transitions: int) -> None:
    """Of n machines with s states and t transitions: s ** n states, n * t * s ** (n - 1) transitions."""
    found = explore(
        shipped_machine("kafka/StreamThread", "3.9.0"), how=ExplorationOptions(copies=copies)
    )
    assert (found.states, found.transitions) == (states, transitions)


def test_copies_change_places_under_symmetry() -> None:
    """Three copies of seven states are multisets of three."""
    found = explore(
        shipped_machine("kafka/StreamThread", "3.9.0"),
        how=ExplorationOptions(copies=3, symmetry=True),
    )
    assert found.states == math.comb(9, 3)


def test_a_known_deadlock_is_found_where_it_is_expected() -> None:
    """Three philosophers with a left fork each: the shortest way is three steps, and the spec says that it is there."""
    one = said(explore(shipped_machine("examples/DiningPhilosophers")), "no deadlock")
    assert (one.verdict, len(one.trace.steps if one.trace else ())) == (Verdict.HOLDS, 3)


def test_a_bug_that_is_gone_is_a_violation() -> None:
    """`expect: fails` that holds says that the spec, or its range, is out of date."""
    found = explore(
        machine(
            'variables: {x: "0..1 = 0"}\nevents: {flip: {effect: {x: 1 - x}}}\nno deadlock: {expect: fails}\n'
        )
    )
    assert said(found, "no deadlock").verdict is Verdict.VIOLATED


@pytest.mark.parametrize(
    ("table", "verdict"),
    [
        (TURNSTILE, Verdict.HOLDS),
        (COUNTER, Verdict.HOLDS),
        (DEAD_END, Verdict.VIOLATED),
        (ORDER, Verdict.HOLDS),
    ],
)
def test_a_dead_end_is_found(table: MachineDefinition, verdict: Verdict) -> None:
    """Nothing leads out of a state that is not final."""
    assert said(explore(table), "no deadlock").verdict is verdict


def test_what_no_run_comes_to_is_told() -> None:
    """A state and an arrow that nobody can use are mistakes of a table."""
    island = attrs.evolve(
        TURNSTILE,
        states=(*TURNSTILE.states, State("BROKEN")),
        transitions=(*TURNSTILE.transitions, Transition("BROKEN", "LOCKED", "mend", entry=9)),
    )
    one = said(explore(island), "everything is reached")
    assert (one.verdict, one.said) == (
        Verdict.VIOLATED,
        "never in BROKEN; never taken: BROKEN -> LOCKED on mend",
    )


def test_what_is_said_never_to_be_taken_is_no_finding() -> None:
    """An arrow that stands in a system's own table and that its code never takes is excused, and what it alone leads to."""
    island = attrs.evolve(
        TURNSTILE,
        states=(*TURNSTILE.states, State("BROKEN", final=True)),
        transitions=(
            *TURNSTILE.transitions,
            Transition("OPEN", "BROKEN", "kick", taken=False, entry=9),
        ),
    )
    assert said(explore(island), "everything is reached").verdict is Verdict.HOLDS


COUNTING = machine(
    """
variables: {count: "int = 0"}
events: {up: {effect: {count: count + 1}}, add: {args: {by: int}, guard: by > 1, effect: {count: count + by}}}
always: {small: count < 3, low: count < 9}
"""
)


def test_a_bound_that_was_hit_is_named_and_leaves_the_answer_open() -> None:
    """Beyond 0..3 nothing was looked at; what is broken within is broken all the same."""
    found = explore(COUNTING)
    assert said(found, "always low").verdict is Verdict.INCONCLUSIVE
    assert said(found, "always small").verdict is Verdict.VIOLATED
    assert [bound.split(" ")[0:3] for bound in found.bounds] == [
        ["integers", "without", "bounds"],
        ["an", "integer", "without"],
    ]
    assert len(said(found, "always small").trace.steps) == 1


def test_a_given_range_is_no_assumption() -> None:
    """Who names the range asks within it; leaving it is still told."""
    found = explore(COUNTING, ExplorationScope(integers=(0, 5)))
    assert found.bounds == ("an integer without bounds left 0..5; nothing was explored from there",)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"copies": 0}, "`copies` is 0, and is a number, 1 to 64"),
        ({"copies": 100}, "`copies` is 100, and is a number, 1 to 64"),
        ({"most_states": "a"}, "`most_states` is 'a', and is a number, 1 or more"),
        ({"time": -1}, "`time` is -1, and is a number, 0 or more"),
        ({"memory": 0}, "`memory` is 0, and is a number, 1 or more"),
        ({"integers": 3}, "`integers` is 3, and is the least and the greatest of them"),
    ],
)
def test_a_limit_that_is_no_number_is_refused(wrong: dict[str, Any], told: str) -> None:
    """As on the command line, and before anything is explored."""
    machine = Machine(TURNSTILE)
    with pytest.raises(ArgumentsError, match=re.escape(told)):
        machine.explore(**wrong)


def test_a_ceiling_of_states_leaves_the_answer_open() -> None:
    """Giving up is said, and no HOLDS stands beside it."""
    found = explore(
        shipped_machine("examples/TwoPhaseCommit"),
        ExplorationScope(sizes={"RM": 5}),
        ExplorationOptions(limits=Limits(most_states=1000), engine="rows"),
    )
    assert found.bounds == ("the ceiling of 1,000 states",)
    assert found.verdict is Verdict.INCONCLUSIVE
    assert said(found, "always consistent").verdict is Verdict.INCONCLUSIVE


def test_an_interrupt_gives_what_is_known() -> None:
    """Ctrl-C is an answer: what was seen so far, and that it was not everything."""

    def interrupt(states: int, transitions: int) -> None:
        if states > 4000:
            raise KeyboardInterrupt

    for engine in ("rows", "arrays"):
        how = ExplorationOptions(limits=Limits(on_progress=interrupt), engine=engine)
        found = explore(
            shipped_machine("examples/TwoPhaseCommit"), ExplorationScope(sizes={"RM": 5}), how
        )
        assert found.interrupted
        assert found.states > 4000
        assert found.bounds == ("interrupted",)


def test_a_variable_that_leaves_its_type_is_an_error_of_the_spec() -> None:
    """The step is refused, and the shortest way there is shown."""
    found = explore(
        machine(
            'variables: {count: "0..2 = 0"}\nevents: {up: {effect: {count: count + 1}}}\nno deadlock: false\n'
        )
    )
    one = said(found, "the spec is sound")
    assert (one.verdict, one.said) == (
        Verdict.VIOLATED,
        "`count` would be 3, which is not of type `0..2`",
    )
    assert [step.event for step in one.trace.steps] == ["up", "up", "up"]


def test_two_transitions_that_may_take_one_event_are_an_error_of_the_spec() -> None:
    """Guards that exclude each other cannot always be seen in the text; exploring sees where they do not."""
    found = explore(
        machine(
            """
states: {A: {initial: true}, B: {final: true}}
variables: {x: "0..3 = 0"}
transitions:
  - {from: A, event: up, guard: x < 3, effect: {x: x + 1}}
  - {from: A, to: B, event: up, guard: x > 1}
"""
        )
    )
    one = said(found, "the spec is sound")
    assert one.said == "two transitions may take `up` from A; only the first ever would"
    assert one.verdict is Verdict.VIOLATED


def test_until_raised_looks_only_at_runs_in_which_nothing_was_raised() -> None:
    """What an exception leaves behind may break what holds without it."""
    text = """
errors: {Broken: It broke.}
variables: {x: "0..2 = 0"}
events:
  fine: {effect: {x: "1"}}
  fails: {effect: {x: "2"}, raises: Broken}
always: {small: {holds: x < 2, until: raised}, smaller: x < 2, one: {holds: x < 1, until: raised}}
"""
    found = explore(machine(text))
    assert said(found, "always small").verdict is Verdict.HOLDS
    assert said(found, "always smaller").verdict is Verdict.VIOLATED
    assert [step.event for step in said(found, "always one").trace.steps] == ["fine"]


def test_a_program_replays_its_trace(capsys: pytest.CaptureFixture[str]) -> None:
    """It is what a person pastes; it looks at every answer."""
    found = explore(shipped_machine("examples/TwoPhaseCommit"))
    trace = said(found, "sometimes allCommit").trace
    assert trace is not None
    exec(replay_program(found.definition, trace, 'sm.load("examples/TwoPhaseCommit").at()'), {})
    assert "COMMITTED" in capsys.readouterr().out


def test_a_scope_that_does_not_fit_is_the_callers_mistake() -> None:
    """A misspelt type is told with those that there are."""
    with pytest.raises(ArgumentsError, match="there are `RM`"):
        explore(shipped_machine("examples/TwoPhaseCommit"), ExplorationScope(sizes={"RN": 3}))


@pytest.mark.parametrize("engine", ["rows", "arrays"])
def test_a_state_beyond_which_nothing_is_looked_at_is_reached(engine: str) -> None:
    """A number leaves the range that is explored with the very step that comes to B: that nothing is known from there is another thing."""
    if engine == "arrays":
        pytest.importorskip("numpy")
    counting = """
states: {A: {initial: true}, B: {final: true}}
variables: {n: "int = 0"}
transitions: [{from: A, to: B, event: up, effect: {n: n + 4}}]
scope: {int: 0..3}
"""
    found = explore(machine(counting), how=ExplorationOptions(engine=engine))
    assert found.states == 2
    assert found.unreached_states == found.untaken_transitions == ()
    assert found.bounds == ("an integer without bounds left 0..3; nothing was explored from there",)
