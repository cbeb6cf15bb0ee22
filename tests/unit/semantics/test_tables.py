"""Dense tables and ways through them."""

from __future__ import annotations

import pytest
from attrs import evolve

from statemachines.model.machines import Transition
from statemachines.semantics.graphs import graph_of, reachable, shortest_path, successors
from statemachines.semantics.mistakes import ArgumentsError
from statemachines.semantics.tables import events_of, tables_of
from tests.machines import COUNTER, DEAD_END, ORDER, TURNSTILE


def test_names_become_numbers_in_the_authors_order() -> None:
    """Every output keeps that order."""
    tables = tables_of(ORDER)
    assert tables.states == ("NEW", "DRAFT", "PAID", "SHIPPED", "CLOSED")
    assert tables.names(tables.initial) == ("NEW", "DRAFT")
    assert tables.names(tables.final) == ("CLOSED",)
    assert tables.mask(("PAID", "NEW", "NEW")) == 0b101


def test_the_target_array_knows_the_plain_arrows() -> None:
    """What explorers and judges ask in their inner loops."""
    tables = tables_of(TURNSTILE)
    assert list(tables.target) == [1, -1, 1, 0]


def test_an_arrow_that_is_never_taken_is_allowed_all_the_same() -> None:
    """It stands in the system's own table: a log that shows it is not forbidden."""
    tables = tables_of(ORDER)
    assert tables.allows("NEW", "CLOSED")
    assert ("NEW", "to_CLOSED") not in tables.candidates
    assert not tables.allows("CLOSED", "NEW")


def test_predicates_hold_in_their_states() -> None:
    """And a misspelt one is told."""
    tables = tables_of(ORDER)
    assert tables.holds("done", "CLOSED")
    assert not tables.holds("done", "NEW")
    with pytest.raises(ArgumentsError, match=r"no predicate `dome`; did you mean `done`\?"):
        tables.holds("dome", "NEW")
    with pytest.raises(ArgumentsError, match="no state `GONE`"):
        tables.allows("GONE", "NEW")


def test_a_value_has_one_set_of_tables() -> None:
    """Building them at every question would be slow; an equal value that is another object gets its own."""
    assert tables_of(TURNSTILE) is tables_of(TURNSTILE)
    assert tables_of(evolve(TURNSTILE, doc="another")).machine.doc == "another"


def test_events_are_those_used_and_the_moves_of_a_table() -> None:
    """Moves belong to machines that use them."""
    assert events_of(TURNSTILE) == ("coin", "push")
    assert events_of(DEAD_END) == ("to_STUCK", "to_START")
    assert events_of(evolve(DEAD_END, transitions=(), events=())) == ("to_START", "to_STUCK")


def test_reachability_follows_the_chosen_arrows_only() -> None:
    """The judge asks what hidden steps reach, another time what any step does."""
    tables = tables_of(COUNTER)
    everything, upwards = graph_of(tables), graph_of(tables, lambda arrow: arrow.target != "ZERO")
    assert tables.names(successors(everything, tables.mask(("ONE",)))) == ("ZERO", "TWO")
    assert tables.names(reachable(everything, tables.mask(("ONE",)))) == ("ZERO", "ONE", "TWO")
    assert tables.names(reachable(upwards, tables.mask(("ONE",)))) == ("ONE", "TWO")


def test_a_shortest_path_has_both_its_ends() -> None:
    """One state where nothing needs to happen, none where nothing leads there."""
    graph = graph_of(tables_of(COUNTER))
    assert shortest_path(graph, 0b001, 0b100) == (0, 1, 2)
    assert shortest_path(graph, 0b101, 0b100) == (2,)
    assert shortest_path(graph, 0b100, 0b001) is None


def test_ties_are_broken_by_the_authors_order() -> None:
    """The arrow written first wins, whatever the order of the states."""
    arrows = tuple(Transition(source, target, f"to_{target}") for source, target in [("A", "C"), ("A", "B"), ("B", "D"), ("C", "D")])
    states = tuple(evolve(TURNSTILE.states[1], name=name) for name in "ABCD")
    diamond = evolve(TURNSTILE, states=states, transitions=arrows, predicates=(), events=())
    assert shortest_path(graph_of(tables_of(diamond)), 0b0001, 0b1000) == (0, 2, 3)
