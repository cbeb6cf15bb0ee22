"""What becomes of an event of a system.

Covers: statemachines.semantics.system.random_beginnings,
statemachines.model.definitions.system_definitions, statemachines.semantics.system.system_states,
statemachines.semantics.system.system_step, statemachines.semantics.system.event_cascade,
statemachines.semantics.system.system_tables, statemachines.semantics.system.shared_variables.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statemachines.explore.walks.random_walks import simulate
from statemachines.model.definitions.snapshots import Advanced, Ignored, Refused
from statemachines.model.definitions.system_definitions import PendingEvent, SystemDefinition
from statemachines.model.evidence.verdicts import Verdict
from statemachines.semantics.messages.argument_errors import ArgumentsError
from statemachines.semantics.system.system_initial_snapshots import initial_system_snapshot
from statemachines.semantics.system.system_step import deliver_event, step_system
from statemachines.semantics.system.system_tables import system_tables
from tests.systems import house, states

ROOMS = {"lamps": ("hall", "attic")}
SENDING = house(
    """
variables: {opened: "0..2 = 0"}
links:
  - {on: door, enters: OPEN, effect: {opened: opened + 1}}
  - {on: door, enters: OPEN, guard: opened == 1, send: lamps.press, args: {hard: "False"}}
  - {on: lamps, enters: ON, guard: "all(l.state == 'ON' for l in lamps.values())", send: alarm.to_OPEN}
  - {on: lamps, event: press, guard: hard, send: "lamps[key].to_BROKEN"}
always:
  few: opened <= 1
"""
)
WAITING = house(
    """
links:
  - {on: door, enters: OPEN, send: lamps.to_BROKEN, later: true}
  - {on: lamps, leaves: OFF, only if: door.state == 'OPEN', doc: nobody is in}
"""
)


def begin(system: SystemDefinition, **named: object):
    return initial_system_snapshot(system, keys=ROOMS, **named)


def test_a_link_sees_what_earlier_links_left_and_what_is_sent_may_fire_links() -> None:
    """The order of the file is the order of what happens; the second lamp, not the first, rings the alarm."""
    answer = step_system(SENDING, begin(SENDING), "door.to_OPEN")
    told = [(one.part, one.key, one.event, one.link) for one in answer.steps]
    assert told == [
        ("door", None, "to_OPEN", None),
        ("lamps", "hall", "press", 1),
        ("lamps", "attic", "press", 1),
        ("alarm", None, "to_OPEN", 2),
    ]
    assert states(answer.after) == {
        "door": "OPEN",
        "lamps": {"hall": "ON", "attic": "ON"},
        "alarm": "OPEN",
    }
    assert answer.after.variables == {"opened": 1}


def test_one_of_many_is_reached_by_its_key_and_arguments_of_the_event_are_seen() -> None:
    """Only the lamp that was pressed hard breaks."""
    answer = step_system(SENDING, begin(SENDING), "lamps.press", key="attic", hard=True)
    assert states(answer.after)["lamps"] == {"hall": "OFF", "attic": "BROKEN"}


def test_a_refusal_of_a_receiver_undoes_nothing() -> None:
    """The door stays open though a lamp that is broken takes no notice."""
    first = begin(SENDING, states={"lamps": "BROKEN"})
    answer = step_system(SENDING, first, "door.to_OPEN")
    assert states(answer.after)["door"] == "OPEN"
    assert [type(one.answer) for one in answer.steps] == [Advanced, Ignored, Ignored]


def test_nothing_is_sent_to_an_absent_part() -> None:
    """Without an alarm there is nobody to ring."""
    answer = step_system(SENDING, begin(SENDING, absent=["alarm"]), "door.to_OPEN")
    assert len(answer.steps) == 3
    with pytest.raises(ArgumentsError, match="`alarm` is absent"):
        step_system(SENDING, begin(SENDING, absent=["alarm"]), "alarm.to_OPEN")


def test_what_would_leave_its_type_is_an_error_of_the_spec() -> None:
    """It is told and not done; a walk that meets it is a broken one."""
    snapshot, wrong = begin(SENDING), ()
    for event in ("door.to_OPEN", "door.to_SHUT") * 3:
        answer = step_system(SENDING, snapshot, event)
        snapshot, wrong = answer.after, (*wrong, *answer.spec_errors)
    assert wrong == ("`opened` would be 3, which is not of type `0..2`",)


def test_what_is_sent_later_waits_once_a_link_and_key_and_comes_in_any_order() -> None:
    """Each delivery is a step of its own; a second one on the same way does not pile up."""
    opened = step_system(WAITING, begin(WAITING), "door.to_OPEN").after
    again = step_system(
        WAITING, step_system(WAITING, opened, "door.to_SHUT").after, "door.to_OPEN"
    ).after
    assert set(again.waiting) == {PendingEvent(0, None, "hall"), PendingEvent(0, None, "attic")}
    after = deliver_event(WAITING, again, PendingEvent(0, None, "attic")).after
    assert states(after)["lamps"] == {"hall": "OFF", "attic": "BROKEN"}
    assert set(after.waiting) == {PendingEvent(0, None, "hall")}
    with pytest.raises(ArgumentsError, match="nothing waits"):
        deliver_event(WAITING, after, PendingEvent(0, None, "attic"))


def test_only_if_forbids_a_step_and_says_why() -> None:
    """The part would go on, the system does not let it."""
    first = begin(WAITING)
    answer = step_system(WAITING, first, "lamps.to_BROKEN", key="hall")
    assert answer.after == first
    assert isinstance(answer.steps[0].answer, Refused)
    assert "the system forbids it (link 2, line" in answer.steps[0].answer.reason
    assert answer.steps[0].answer.reason.endswith(": nobody is in")


@pytest.mark.parametrize(
    ("event", "named", "message"),
    [
        ("dor.to_OPEN", {}, "House has no part `dor`; did you mean `door`?"),
        ("door.to_OPEM", {}, "did you mean `to_OPEN`?"),
        (
            "lamps.press",
            {"key": "cellar"},
            "`lamps` has no key 'cellar'; there are 'hall', 'attic'",
        ),
        ("lamps.press", {"key": "hall"}, "needs the argument `hard`"),
        ("door.to_OPEN", {"key": "hall"}, "there is one `door` only"),
    ],
)
def test_a_mistake_of_the_caller_is_no_answer(
    event: str, named: dict[str, object], message: str
) -> None:
    """A misspelt event is not a refusal."""
    with pytest.raises(ArgumentsError, match=message.replace("?", "\\?")):
        step_system(SENDING, begin(SENDING), event, **named)


def test_a_beginning_needs_its_keys_and_may_be_anywhere() -> None:
    """A system is tried from the middle of its life too."""
    with pytest.raises(ArgumentsError, match="`lamps` needs its keys"):
        initial_system_snapshot(SENDING)
    with pytest.raises(ArgumentsError, match=r"are 'hall', and are a list: give .*\['hall'\]"):
        initial_system_snapshot(SENDING, keys={"lamps": "hall"})
    assert states(begin(SENDING, states={"lamps": {"attic": "ON"}}))["lamps"] == {
        "hall": "OFF",
        "attic": "ON",
    }
    with pytest.raises(ArgumentsError, match="is not optional"):
        begin(SENDING, absent=["door"])


def test_a_self_step_enters_its_state_again() -> None:
    """Asked for ON while ON, a lamp tells it once more; an operation that stays where it is enters nothing."""
    system = house(
        'variables: {told: "0..9 = 0"}\nlinks:\n  - {on: lamps, enters: ON, effect: {told: told + 1}}\n'
    )
    first = begin(system, states={"lamps": "ON"})
    assert step_system(system, first, "lamps.to_ON", key="hall").after.variables == {"told": 1}


def test_a_walk_finds_a_broken_rule_and_the_same_seed_gives_the_same_walk() -> None:
    """A rule that walks cannot break is not tested by them."""
    walks = [simulate(SENDING, seed=seed, steps=30) for seed in range(10)]
    assert any(
        one.verdict is Verdict.VIOLATED and one.noticed[0].step_index is not None for one in walks
    )
    assert simulate(SENDING, seed=3, steps=30) == walks[3]


@given(seed=st.integers(0, 200))
def test_every_walk_is_a_chain_of_steps_that_can_be_done_again(seed: int) -> None:
    """A snapshot is a value: nothing outside of it decides what comes next."""
    walk = simulate(WAITING, seed=seed, steps=12)
    now = walk.begin
    for one in walk.steps:
        done = (
            deliver_event(WAITING, now, one.delivered_from)
            if one.delivered_from
            else step_system(WAITING, now, one.event, key=one.key, **one.arguments)
        )
        assert done == one.answer
        now = done.after
        assert hash(now) == hash(one.answer.after)
        held = now.parts["lamps"]
        assert all(
            lamp.state in system_tables(WAITING).tables["lamps"].states for lamp in held.values()
        )
