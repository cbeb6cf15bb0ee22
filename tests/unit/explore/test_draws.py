"""Arguments are drawn seldom, and are those that the types say, in the same order."""

from __future__ import annotations

from statemachines.explore.drawing import all_arguments
from statemachines.explore.draws import draws_of
from statemachines.explore.exploring import How, explore
from statemachines.explore.limits import Limits
from statemachines.model.snapshots import Snapshot
from statemachines.model.values import FrozenMap
from statemachines.model.verdicts import Verdict
from statemachines.notation import machine_of, read_text
from statemachines.semantics.choices import extent_of
from statemachines.semantics.tables import tables_of
from tests.data_machines import machine

BATCHES = machine(
    """
types: {Job: id, Mood: [good, bad]}
variables: {held: "set[Job] = set()"}
scope: {Job: 3}
events:
  run:
    args: {mood: Mood, batch: "set[held]", other: "0..1", first: batch, outcome: "map[batch, Mood]"}
    where: outcome[first] == mood
  take: {args: {job: Job}, effect: {held: "held | {job}"}}
  rest: {}
"""
)


def test_arguments_that_depend_on_earlier_ones_are_those_of_the_plain_way() -> None:
    """Values that do not depend on what was drawn are drawn once; the result is the same, in the same order."""
    behaviour = tables_of(BATCHES).behaviour
    extent = extent_of(behaviour)
    for held in (frozenset[object](), frozenset(["Job1"]), frozenset(["Job1", "Job3"])):
        now = Snapshot("", FrozenMap(held=held))
        for event in ("run", "take", "rest"):
            draws = draws_of(behaviour, extent, event)
            assert list(draws.of(now)) == list(all_arguments(behaviour, extent, now, event))
            assert list(draws.of(now)) == list(draws.of(now))


def test_an_event_depends_on_some_neighbours_only() -> None:
    """Two are multiplied until one needs another."""
    assert draws_of(tables_of(BATCHES).behaviour, extent_of(tables_of(BATCHES).behaviour), "run").groups == ((0, 3), (3, 5))


WIDE = """
notation: 1
machine: Wide
types: {Item: id}
parameters: {limit: 0..9999}
variables: {chosen: "set[Item] = set()"}
scope: {Item: 24, limit: "3"}
events:
  choose: {args: {items: "set[Item]"}, guard: len(items) <= limit, effect: {chosen: items}}
"""


def test_more_arguments_than_anyone_can_go_through_are_a_bound_that_is_named() -> None:
    """A set of 24 items has 16 million values: an answer in time that says what it left out, in place of none."""
    wide = machine_of(read_text(WIDE.lstrip().encode(), "wide.yaml").checked(), None)
    found = explore(wide, how=How(limits=Limits(most_states=10)))
    assert found.verdict is not Verdict.HOLDS
    assert "`choose` has more than 250,000 arguments somewhere; the others were not looked at" in found.bounds


def test_more_parameters_than_anyone_can_go_through_are_a_bound_that_is_named() -> None:
    """The first 5,000 values prove nothing of the others."""
    free = machine_of(read_text(WIDE.replace(', limit: "3"', "").replace("24", "1").lstrip().encode(), "wide.yaml").checked(), None)
    found = explore(free)
    assert found.bounds == ("parameter `limit` has more than 5,000 values; the others were not looked at",)
    assert found.verdict is not Verdict.HOLDS
