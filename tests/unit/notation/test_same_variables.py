"""A variable that several parts have: what one writes, all others read.

Covers: statemachines.notation.systems.same_reader,
statemachines.semantics.system.system_initial_snapshots.
"""

from __future__ import annotations

import pytest

from statemachines.explore.exploration import explore
from statemachines.explore.walks.random_walks import simulate
from statemachines.model.definitions.snapshots import Advanced
from statemachines.model.definitions.system_definitions import SystemDefinition, SystemSnapshot
from statemachines.mutate.operators.link_operators import mutated_system, system_mutants
from statemachines.mutate.operators.mutants import MutationOperator
from statemachines.semantics.messages.argument_errors import ArgumentsError
from statemachines.semantics.system.system_initial_snapshots import initial_system_snapshot
from statemachines.semantics.system.system_step import step_system
from tests.systems import codes, found, house

COUNTERS = """
notation: 1
system: House
types: {Room: id}
scope: {Room: 2}
parts:
  left: {machine: examples/BoundedCounter, with: {limit: "3"}}
  right: {machine: examples/BoundedCounter, with: {limit: "3"}}
  lamps: {machine: Lamp, each: Room, with: {watts: "3"}}
  alarm: {machine: Lamp, optional: true, with: {watts: "3"}}
"""
TILL = "same: {till: [left.count, right.count]}\n"
SWITCHES = "same: {switches: {of: [lamps.switched, alarm.switched], doc: One meter for all.}}\n"


def shared(text: str = TILL) -> SystemDefinition:
    return house(text, COUNTERS)


def begin(system: SystemDefinition, **named: object) -> SystemSnapshot:
    return initial_system_snapshot(system, keys={"lamps": ("hall", "attic")}, **named)


def value(snapshot: SystemSnapshot, part: str, variable: str, key: object = None) -> object:
    held = snapshot.parts[part]
    one = held[key] if key is not None else held
    return one.variables[variable]


def test_what_one_part_writes_the_others_read_and_take_no_step() -> None:
    """A store has one value, whoever asks; that it changed is nobody's event."""
    system = shared()
    answer = step_system(system, begin(system), "left.up")
    assert [(one.part, type(one.answer)) for one in answer.steps] == [("left", Advanced)]
    assert value(answer.after, "right", "count") == 1
    again = step_system(system, answer.after, "right.up").after
    assert (value(again, "left", "count"), value(again, "right", "count")) == (2, 2)


def test_links_see_what_was_written() -> None:
    """A guard that reads the old value of the other part would look at a store that is no more."""
    link = "links: [{on: left, event: up, guard: right.count == 1, send: alarm.to_ON}]\n"
    system = shared(TILL + link)
    first = step_system(system, begin(system), "left.up")
    assert [one.part for one in first.steps] == ["left", "alarm"]


def test_parts_with_keys_and_parts_that_are_absent_share_as_well() -> None:
    """All lamps have one meter, with an alarm or without one."""
    system = shared(SWITCHES)
    lit = step_system(system, begin(system), "lamps.press", key="hall", hard=False).after
    meters = [value(lit, "lamps", "switched", room) for room in ("hall", "attic")]
    assert [*meters, value(lit, "alarm", "switched")] == [1, 1, 1]
    without = begin(system, absent=["alarm"])
    lit = step_system(system, without, "lamps.press", key="attic", hard=False).after
    assert value(lit, "lamps", "switched", "hall") == 1


def test_a_snapshot_in_which_one_variable_has_two_values_is_refused() -> None:
    """It is none of the system: no run leads there."""
    system = shared()
    apart = {**begin(system).parts, "left": begin(shared("")).parts["left"]}
    ahead = step_system(system, begin(system), "right.up").after
    mixed = SystemSnapshot({**ahead.parts, "left": apart["left"]}, ahead.variables, {})
    with pytest.raises(ArgumentsError, match=r"`left.count` and `right.count` are the same"):
        step_system(system, mixed, "left.up")


def test_two_counters_of_one_count_are_one_counter() -> None:
    """The law: exploring finds the states of one machine that has the events of both."""
    alone = house("", COUNTERS.replace("  lamps", "  #").replace("  alarm", "  #"))
    joined = house(TILL, COUNTERS.replace("  lamps", "  #").replace("  alarm", "  #"))
    assert explore(alone).states == 16
    assert explore(joined).states == 4


@pytest.mark.parametrize("seed", range(10))
def test_all_that_is_the_same_is_the_same_on_every_walk(seed: int) -> None:
    """Whatever happens, and in whatever order."""
    walk = simulate(
        shared(TILL.rstrip("}\n") + ", switches: [lamps.switched, alarm.switched]}\n"),
        seed=seed,
        steps=40,
    )
    assert not walk.wrong
    for snapshot in walk.snapshots:
        assert value(snapshot, "left", "count") == value(snapshot, "right", "count")
        meters = {one.variables["switched"] for one in snapshot.parts["lamps"].values()}
        alarm = snapshot.parts["alarm"]
        assert len(meters | ({alarm.variables["switched"]} if alarm else set())) <= 1


def test_a_mutant_in_which_each_part_has_its_own_is_another_system() -> None:
    """The planted fault of all this: what is shared, shared no longer."""
    system = shared()
    [mutant] = [
        one for one in system_mutants(system) if one.candidate.operator is MutationOperator.SHARING
    ]
    other = mutated_system(system, mutant.candidate.edit)
    after = step_system(other, begin(other), "left.up").after
    assert value(after, "right", "count") == 0


@pytest.mark.parametrize(
    ("same", "said"),
    [
        ("[left.count, right.count]", ""),
        ("[lamps.switched]", ""),
        ("[left.count, rigth.count]", "there is no part `rigth`"),
        ("[left.count, right.cuont]", "`right` has no variable `cuont`"),
        ("[left.count, right.limit]", "`right` has no variable `limit`"),
        ("[left.count, right]", "`right` names no variable"),
        ("[left.count, lamps.switched]", "is of type `0..9`, and not `0..5`"),
        ("[left.count]", "`till` names one variable"),
        ("[left.count, left.count]", "`left.count` is named twice"),
    ],
)
def test_what_is_the_same_is_named_right(same: str, said: str) -> None:
    """A misspelt name would share nothing, and nobody would know."""
    text = f"same: {{till: {same}}}\n"
    assert codes(text, COUNTERS) == (["SM418"] if said else [])
    assert said in "".join(one.message for one in found(text, COUNTERS))


def test_a_variable_is_the_same_as_one_thing() -> None:
    """Two names for it would be two truths of who shares it."""
    text = "same: {till: [left.count, right.count], purse: [right.count, left.count]}\n"
    assert codes(text, COUNTERS) == ["SM418", "SM418"]
