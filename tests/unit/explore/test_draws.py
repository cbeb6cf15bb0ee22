"""Arguments are drawn seldom, and are those that the types say, in the same order.

Covers: statemachines.semantics.machine.value_enumeration.
"""

from __future__ import annotations

from statemachines.explore.exploration import explore
from statemachines.explore.options import ExplorationOptions
from statemachines.explore.resources.limits import Limits
from statemachines.model.definitions.snapshots import Snapshot
from statemachines.model.evidence.verdicts import Verdict
from statemachines.model.language.frozen_values import FrozenMap
from statemachines.notation import machine_of, read_spec_text
from statemachines.semantics.arguments.enumeration import build_enumeration
from statemachines.semantics.machine.machine_tables import machine_tables
from statemachines.semantics.machine.value_enumeration import default_domain_sizes
from tests.data_machines import machine
from tests.exploring import enumerate_arguments

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
    behaviour = machine_tables(BATCHES).behaviour
    extent = default_domain_sizes(behaviour)
    for held in (frozenset[object](), frozenset(["Job1"]), frozenset(["Job1", "Job3"])):
        now = Snapshot("", FrozenMap(held=held))
        for event in ("run", "take", "rest"):
            draws = build_enumeration(behaviour, extent, event)
            assert list(draws.arguments_at(now)) == list(
                enumerate_arguments(behaviour, extent, now, event)
            )
            assert list(draws.arguments_at(now)) == list(draws.arguments_at(now))


def test_an_event_depends_on_some_neighbours_only() -> None:
    """Two are multiplied until one needs another."""
    assert build_enumeration(
        machine_tables(BATCHES).behaviour,
        default_domain_sizes(machine_tables(BATCHES).behaviour),
        "run",
    ).independent_groups == ((0, 3), (3, 5))


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
    wide = machine_of(read_spec_text(WIDE.lstrip().encode(), "wide.yaml").valid_spec(), None)
    found = explore(wide, how=ExplorationOptions(limits=Limits(most_states=10)))
    assert found.verdict is not Verdict.HOLDS
    assert (
        "`choose` has more than 250,000 arguments somewhere; the others were not looked at"
        in found.bounds
    )


def test_more_parameters_than_anyone_can_go_through_are_a_bound_that_is_named() -> None:
    """The first 5,000 values prove nothing of the others."""
    free = machine_of(
        read_spec_text(
            WIDE.replace(', limit: "3"', "").replace("24", "1").lstrip().encode(), "wide.yaml"
        ).valid_spec(),
        None,
    )
    found = explore(free)
    assert found.bounds == (
        "parameter `limit` has more than 5,000 values; the others were not looked at",
    )
    assert found.verdict is not Verdict.HOLDS
