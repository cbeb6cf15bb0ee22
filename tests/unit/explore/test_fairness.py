"""What must follow one day: it does where the events that lead there are not put off for ever, and else there is a run that goes round.

Covers: statemachines.explore.visited.known_rows, statemachines.explore.visited.coded_rows,
statemachines.explore.results.property_results, statemachines.explore.verdicts.fairness,
statemachines.explore.verdicts.searched_graphs,
statemachines.explore.verdicts.strong_components.
"""

from __future__ import annotations

import attrs
import pytest

from statemachines.explore.exploration import explore
from statemachines.explore.options import ExplorationOptions
from statemachines.explore.resources.limits import Limits
from statemachines.explore.results.property_results import PropertyResult
from statemachines.explore.verdicts.run_graphs import RunGraph
from statemachines.explore.verdicts.strong_components import GroupedRows
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.definitions.snapshots import Snapshot
from statemachines.model.evidence.verdicts import Verdict
from tests.data_machines import machine
from tests.shipped import shipped_machine
from tests.systems import house

LAMP = """
states: {{OFF: {{initial: true}}, ON: {{}}}}
events: {{}}
transitions:
  - {{from: OFF, to: ON, event: press}}
  - {{from: ON, to: OFF, event: press}}
  - {{from: OFF, event: wait}}
  - {{from: ON, event: wait}}
leads to:
  light: {{when: "state == 'OFF'", then: "state == 'ON'"{assuming}}}
"""
SPINNING = """
variables: {{x: "0..1 = 0", done: "bool = False"}}
events:
  spin: {{guard: not done, effect: {{x: 1 - x}}}}
  {finish}
leads to:
  end: {{when: not done, then: done, assuming: [finish]}}
no deadlock: false
"""


def promise(machine: MachineDefinition, how: ExplorationOptions | None = None) -> PropertyResult:
    """What is said of the only promise."""
    return next(
        one
        for one in explore(machine, how=how or ExplorationOptions()).examined
        if one.name.startswith("leads to")
    )


def test_without_fairness_standing_still_is_a_counterexample() -> None:
    """Nothing says that the lamp is ever pressed."""
    one = promise(machine(LAMP.format(assuming="")))
    assert one.verdict is Verdict.VIOLATED
    assert one.trace is not None
    assert (one.trace.steps, one.trace.loop_start) == ((), 0)


def test_with_fairness_what_is_always_possible_happens() -> None:
    """A press that is possible for ever is not put off for ever."""
    assert promise(machine(LAMP.format(assuming=", assuming: [press]"))).verdict is Verdict.HOLDS


def test_what_is_possible_again_and_again_only_may_be_put_off() -> None:
    """Weak fairness asks for what is possible without a break; here spinning takes the chance away each time."""
    one = promise(
        machine(SPINNING.format(finish="finish: {guard: x == 1, effect: {done: 'True'}}"))
    )
    assert one.verdict is Verdict.VIOLATED
    assert one.trace is not None
    assert {step.event for step in one.trace.steps[one.trace.loop_start :]} <= {"spin"}


def test_what_is_possible_all_the_time_is_not_put_off() -> None:
    """The same, possible at both places of the round."""
    assert (
        promise(machine(SPINNING.format(finish="finish: {effect: {done: 'True'}}"))).verdict
        is Verdict.HOLDS
    )


def test_petersons_lock_lets_both_in() -> None:
    """And it does not where nobody must ever leave the critical section."""
    spec = shipped_machine("examples/Peterson")
    assert promise(spec).verdict is Verdict.HOLDS
    fair = next(one for one in spec.data.properties if one.name == "leftGetsIn")
    fewer = attrs.evolve(fair, assuming=tuple(one for one in fair.assuming if one.event != "leave"))
    found = promise(attrs.evolve(spec, data=attrs.evolve(spec.data, properties=(fewer,))))
    assert found.verdict is Verdict.VIOLATED
    assert found.trace is not None
    last: Snapshot = found.trace.snapshots[-1][0]
    assert last.variables["place"] == {"left": "waiting", "right": "critical"}


def test_promises_are_not_looked_at_with_symmetry() -> None:
    """A class of states may go round where no single one does."""
    one = promise(shipped_machine("examples/Peterson"), ExplorationOptions(symmetry=True))
    assert (one.verdict, one.said) == (Verdict.INCONCLUSIVE, "not looked at with symmetry")


@pytest.mark.parametrize("size", [1, 2, 5000])
def test_a_long_ring_is_one_part(size: int) -> None:
    """Deep graphs are walked without recursion."""
    ring = RunGraph()
    for place in range(size):
        ring.add_row([((place + 1) % size, frozenset())])
    ((_, part),) = GroupedRows(ring).components(range(size))
    assert sorted(part) == list(range(size))


RINGING = """
links:
  - {on: door, enters: OPEN, send: lamps.press, args: {hard: "False"}, through: wire}
channels: {wire: {holds: 1, may: [lose]}}
scope: {Room: 2}
leads to:
  weak: {when: "door.state == 'OPEN'", then: "any(l.switched > 0 for l in lamps.values())", assuming: [lamps.press]}
  strong: {when: "door.state == 'OPEN'", then: "any(l.switched > 0 for l in lamps.values())", assuming: {strongly: [{lamps.press: each key}]}}
until:
  open: {when: "door.state == 'OPEN'", holds: "door.state == 'OPEN'", then: "all(l.switched > 0 for l in lamps.values())"}
eventually always:
  broken: {holds: "all(l.state == 'BROKEN' for l in lamps.values())", assuming: [lamps.to_BROKEN]}
"""


def test_runs_of_a_system_are_the_same_whichever_engine_met_its_rows() -> None:
    """The counterexamples too, step by step: edges are made on arrays, or row by row."""
    system = house(RINGING)
    rows, arrays = (
        explore(system, how=ExplorationOptions(engine=engine)) for engine in ("rows", "arrays")
    )
    assert rows == arrays
    of_runs = [one for one in rows.examined if one.property and one.property.kind.is_of_runs]
    assert len(of_runs) == 4
    assert any(one.trace is not None for one in of_runs)


COUNTING = """
variables: {x: "0..300 = 0", lit: "bool = False"}
events:
  blink: {guard: x == 0, effect: {lit: not lit}}
  count: {guard: x < 300, effect: {x: x + 1}}
leads to:
  counted: {when: lit, then: x > 0, assuming: [blink]}
"""


@pytest.mark.parametrize("engine", ["rows", "arrays"])
def test_what_is_seen_within_a_limit_is_enough_to_break_a_promise(
    engine: str,
) -> None:
    """Also where a step leads to what the search has no number for yet."""
    how = ExplorationOptions(engine=engine, limits=Limits(most_states=20))
    one = promise(machine(COUNTING), how)
    assert (one.verdict, one.said) == (Verdict.VIOLATED, "never comes")
    assert one.trace is not None
    assert {step.event for step in one.trace.steps} == {"blink"}
    for many in range(1, 12):
        how = ExplorationOptions(engine=engine, limits=Limits(most_states=many))
        assert promise(machine(COUNTING), how).verdict is not Verdict.HOLDS
