"""Law: two machines are said to behave alike exactly where a search through both finds nothing; what tells them apart is shortest and replays.

Covers: statemachines.compare.lockstep,
statemachines.compare.machine_differences,
statemachines.compare.machine_changes,
statemachines.compare.transition_changes,
statemachines.compare.fallback_changes,
statemachines.semantics.machine.initial_snapshots, statemachines.semantics.machine.machine_tables.
"""

from __future__ import annotations

from collections import deque

import attrs
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from statemachines.compare.lockstep import Divergence, EventCall, machine_answer
from statemachines.compare.machine_changes import MachineChange
from statemachines.compare.machine_differences import compare_machines
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.definitions.snapshots import Answer, Refused, Snapshot
from statemachines.semantics.machine.initial_snapshots import initial_snapshots
from statemachines.semantics.machine.machine_tables import machine_tables
from tests.data_machines import machine
from tests.effort import some_of
from tests.strategies import table_machines

LAW = settings(
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
    deadline=None,
    max_examples=some_of(150),
)
Said = Answer | str


def alike(one: Said, other: Said) -> bool:
    """What whoever asked can tell: the kind of answer, the error, where it leads; no event is as good as a refused one."""
    if isinstance(one, str) or isinstance(other, str):
        return isinstance(one, str | Refused) and isinstance(other, str | Refused)
    return type(one) is type(other) and (one.error, one.after.state) == (
        other.error,
        other.after.state,
    )


def begins(of: MachineDefinition) -> dict[str, Snapshot]:
    """The beginnings by their states."""
    return {each.state: each for each in initial_snapshots(machine_tables(of))}


def nearest(old: MachineDefinition, new: MachineDefinition) -> dict[tuple[str, str], int]:
    """(state, event) at which two machines part to the fewest events that lead there, by asking both everything."""
    one, other, found = machine_tables(old), machine_tables(new), dict[tuple[str, str], int]()
    first, second = begins(old), begins(new)
    pending = deque((first[state], second[state], 1) for state in first if state in second)
    seen = {(a.state, b.state) for a, b, _ in pending}
    while pending:
        here, there, length = pending.popleft()
        for event in {*one.events, *other.events}:
            was, now = (
                machine_answer(one, here, EventCall(event)),
                machine_answer(other, there, EventCall(event)),
            )
            if not alike(was, now):
                found.setdefault((here.state, event), length)
            elif (
                not isinstance(was, str)
                and not isinstance(now, str)
                and (was.after.state, now.after.state) not in seen
            ):
                seen.add((was.after.state, now.after.state))
                pending.append((was.after, now.after, length + 1))
    return found


def parts_at_its_end(old: MachineDefinition, new: MachineDefinition, parting: Divergence) -> bool:
    """Whether both answer a run alike up to its last event; else one of the two cannot come so far."""
    here, there = begins(old).get(parting.begin.state), begins(new).get(parting.begin.state)
    for number, asked in enumerate(parting.events):
        if here is None or there is None:
            return False
        was, now = (
            machine_answer(machine_tables(old), here, asked),
            machine_answer(machine_tables(new), there, asked),
        )
        if number + 1 == len(parting.events):
            assert not alike(was, now)
            return True
        here, there = (
            (None, None)
            if isinstance(was, str) or isinstance(now, str) or not alike(was, now)
            else (was.after, now.after)
        )
    return False


def shown(changes: tuple[MachineChange, ...]) -> list[Divergence]:
    """The runs that changes are shown by."""
    return [change.divergence for change in changes if change.divergence is not None]


@st.composite
def neighbours(draw: st.DrawFn) -> tuple[MachineDefinition, MachineDefinition]:
    """Two machines: any two, or one and a copy with one transition dropped, led elsewhere or not taken any more."""
    old = draw(table_machines(most_states=4))
    if not old.transitions or draw(st.booleans()):
        return old, draw(table_machines(most_states=4))
    place = draw(st.integers(0, len(old.transitions) - 1))
    arrow, before, after = (
        old.transitions[place],
        old.transitions[:place],
        old.transitions[place + 1 :],
    )
    changed = [attrs.evolve(arrow, taken=not arrow.taken)]
    if not arrow.event.startswith("to_"):
        changed.append(
            attrs.evolve(arrow, target=draw(st.sampled_from([state.name for state in old.states])))
        )
    return old, attrs.evolve(
        old,
        transitions=draw(
            st.sampled_from([(*before, *after), *((*before, one, *after) for one in changed)])
        ),
    )


@LAW
@given(neighbours())
def test_the_same_behaviour_is_said_exactly_where_a_search_finds_no_difference(
    both: tuple[MachineDefinition, MachineDefinition],
) -> None:
    """And every place where the two part is shown by one of the fewest events."""
    old, new = both
    found, places = compare_machines(old, new), nearest(old, new)
    assert found.same_behaviour is (not places and begins(old).keys() == begins(new).keys())
    for parting in shown(found.changes):
        if parting.events and parts_at_its_end(old, new, parting):
            assert len(parting.events) == places[parting.state_event]


DATA = 'variables: {{x: "0..9 = {}"}}\nevents: {{add: {{args: {{by: 1..2}}, guard: {}, effect: {{x: x + by}}}}}}\n{}'


def test_data_is_compared_by_what_it_does() -> None:
    """Another first value is another behaviour; another way to write a guard is none."""
    old = machine(DATA.format(0, "x + by < 5", ""))
    assert compare_machines(old, machine(DATA.format(1, "x + by < 5", ""))).same_behaviour is False
    rewritten = compare_machines(old, machine(DATA.format(0, "not x + by >= 5", "")))
    assert rewritten.same_behaviour is True
    assert [change.what for change in rewritten.changes] == [
        "add is written otherwise, and no run shows it"
    ]


def test_what_becomes_of_a_false_guard_is_told() -> None:
    """The transition is the same; what it leaves over is not."""
    old, new = (
        machine(DATA.format(0, "x + by < 5", tail))
        for tail in ("", "otherwise: [{does: raise Broken}]\n")
    )
    (change,) = compare_machines(old, new).changes
    assert change.divergence is not None
    assert len(change.divergence.events) == 3
    assert change.what == "add is answered otherwise"


def test_a_case_that_is_put_before_others_leaves_them_what_they_are() -> None:
    """One case was added; the others only count on."""
    text = 'variables: {{x: "0..9 = 0"}}\nevents: {{go: {{cases: [{}{{when: x < 3, effect: {{x: x + 1}}}}, {{effect: {{x: "0"}}}}]}}}}\n'
    old, new = (
        machine(text.format("")),
        machine(text.format("{when: x == 2, raises: Two}, ") + "errors: {Two: It is two.}\n"),
    )
    assert [(change.sign.value, change.what) for change in compare_machines(old, new).changes] == [
        ("+", "go case 1")
    ]
