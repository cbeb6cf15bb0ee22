"""Dense tables and ways through them.

Covers: statemachines.semantics.machine.machine_tables, statemachines.semantics.machine.state_paths,
statemachines.semantics.messages.argument_errors.
"""

from __future__ import annotations

import pytest
from attrs import evolve

from statemachines.semantics.machine.machine_tables import accepted_events, machine_tables
from statemachines.semantics.machine.state_paths import (
    reachable_states,
    state_graph,
    successor_states,
)
from statemachines.semantics.messages.argument_errors import ArgumentsError
from tests.machines import COUNTER, DEAD_END, ORDER, TURNSTILE


def test_names_become_numbers_in_the_authors_order() -> None:
    """Every output keeps that order."""
    tables = machine_tables(ORDER)
    assert tables.states == ("NEW", "DRAFT", "PAID", "SHIPPED", "CLOSED")
    assert tables.state_names(tables.initial) == ("NEW", "DRAFT")
    assert tables.state_names(tables.final) == ("CLOSED",)


def test_the_target_array_knows_the_plain_arrows() -> None:
    """What explorers and judges ask in their inner loops."""
    tables = machine_tables(TURNSTILE)
    assert list(tables.target_indices) == [1, -1, 1, 0]


def test_an_arrow_that_is_never_taken_is_allowed_all_the_same() -> None:
    """It stands in the system's own table: a log that shows it is not forbidden."""
    tables = machine_tables(ORDER)
    assert tables.allows("NEW", "CLOSED")
    assert ("NEW", "to_CLOSED") not in tables.candidates
    assert not tables.allows("CLOSED", "NEW")


def test_predicates_hold_in_their_states() -> None:
    """And a misspelt one is told."""
    tables = machine_tables(ORDER)
    assert tables.holds("done", "CLOSED")
    assert not tables.holds("done", "NEW")
    with pytest.raises(ArgumentsError, match=r"no predicate `dome`; did you mean `done`\?"):
        tables.holds("dome", "NEW")
    with pytest.raises(ArgumentsError, match="no state `GONE`"):
        tables.allows("GONE", "NEW")


def test_a_value_has_one_set_of_tables() -> None:
    """Building them at every question would be slow; an equal value that is another object gets its own."""
    assert machine_tables(TURNSTILE) is machine_tables(TURNSTILE)
    assert machine_tables(evolve(TURNSTILE, doc="another")).machine.doc == "another"


def test_events_are_those_used_and_the_moves_of_a_table() -> None:
    """Moves belong to machines that use them."""
    assert accepted_events(TURNSTILE) == ("coin", "push")
    assert accepted_events(DEAD_END) == ("to_STUCK", "to_START")
    assert accepted_events(evolve(DEAD_END, transitions=(), events=())) == ("to_START", "to_STUCK")


def test_reachability_follows_the_chosen_arrows_only() -> None:
    """The judge asks what hidden steps reach, another time what any step does."""
    tables = machine_tables(COUNTER)
    everything, upwards = (
        state_graph(tables),
        state_graph(tables, lambda arrow: arrow.target != "ZERO"),
    )
    assert tables.state_names(successor_states(everything, 1 << tables.index_of_state("ONE"))) == (
        "ZERO",
        "TWO",
    )
    assert tables.state_names(reachable_states(everything, 1 << tables.index_of_state("ONE"))) == (
        "ZERO",
        "ONE",
        "TWO",
    )
    assert tables.state_names(reachable_states(upwards, 1 << tables.index_of_state("ONE"))) == (
        "ONE",
        "TWO",
    )
