"""What a spec's own scope says.

Covers: statemachines.explore.scopes, statemachines.report.exploration.scope_texts.
"""

from __future__ import annotations

import pytest

from statemachines.explore.exploration import explore
from statemachines.explore.scopes import ExplorationScope
from statemachines.notation import read_spec_text
from statemachines.report.exploration.scope_texts import scope_from_texts
from statemachines.semantics.messages.argument_errors import ArgumentsError
from tests.data_machines import machine

ORDERS = """
types: {Job: id}
variables: {order: "list[Job] = []"}
events: {plan: {args: {wanted: "list[Job]"}, effect: {order: wanted}}}
"""


@pytest.mark.parametrize(("longest", "states"), [(1, 1 + 2), (2, 1 + 2 + 4), (3, 1 + 2 + 4 + 8)])
def test_a_spec_says_how_long_lists_are(longest: int, states: int) -> None:
    """As `--scope list=3` does: then nothing is assumed, and what holds within it is said to hold."""
    found = explore(machine(ORDERS + f"scope: {{Job: 2, list: {longest}}}"), ExplorationScope())
    assert (found.states, found.bounds) == (states, ())


def test_a_person_beats_the_spec() -> None:
    """What is said on the command line is the scope."""
    assert (
        explore(machine(ORDERS + "scope: {Job: 2, list: 3}"), ExplorationScope(longest=1)).states
        == 3
    )


def test_a_length_is_a_number() -> None:
    """A range is what `int` wants."""
    found = read_spec_text(
        ("notation: 1\nmachine: Orders" + ORDERS + "scope: {Job: 2, list: 0..3}").encode(),
        "Orders.yaml",
    ).diagnostics
    assert [(one.code, one.hint) for one in found] == [("SM404", "write `list: 3`")]


@pytest.mark.parametrize("told", ["²", "9" * 5_000, "-1"])
@pytest.mark.parametrize("key", ["Job", "list"])
def test_what_is_no_number_of_things_is_said_to_be_none(key: str, told: str) -> None:
    """What Python calls digits is more than what it reads as a number, and of thousands of them it reads none: a message, no crash."""
    found = read_spec_text(
        ("notation: 1\nmachine: Orders" + ORDERS + f"scope: {{{key}: '{told}'}}").encode(),
        "Orders.yaml",
    ).diagnostics
    assert [one.code for one in found] == ["SM404"]
    with pytest.raises(ArgumentsError, match="is no scope"):
        scope_from_texts(machine(ORDERS), [f"{key}={told}"])
