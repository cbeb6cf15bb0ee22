"""Paths through a machine: pure questions over some of its transitions, by bit masks."""

from __future__ import annotations

from collections.abc import Callable

from attrs import frozen

from statemachines.model.definitions.machine_definitions import Transition
from statemachines.semantics.machine.machine_tables import MachineTables, StateMask


@frozen
class StateGraph:
    """Some of a machine's arrows, between states as numbers."""

    successors: tuple[tuple[int, ...], ...]
    """By state: where its arrows lead, each once, in the author's order of the arrows."""
    successor_masks: tuple[StateMask, ...]
    """By state: the same as a set."""


def state_graph(
    tables: MachineTables, keep: Callable[[Transition], bool] = lambda arrow: True
) -> StateGraph:
    """Return the graph of the arrows that are kept (all where nothing is said)."""
    ordered: list[dict[int, None]] = [{} for _ in tables.states]
    for arrow in tables.machine.moves:
        if keep(arrow):
            ordered[tables.state_index[arrow.source]][tables.state_index[arrow.target]] = None
    return StateGraph(
        tuple(map(tuple, ordered)), tuple(sum(1 << place for place in places) for places in ordered)
    )


def successor_states(graph: StateGraph, states: StateMask) -> StateMask:
    """Return where one step leads from any of some states."""
    found = 0
    for place, mask in enumerate(graph.successor_masks):
        if states >> place & 1:
            found |= mask
    return found


def reachable_states(graph: StateGraph, states: StateMask) -> StateMask:
    """Return where any number of steps leads from any of some states; no step is a number, so they
    are in it themselves.
    """
    found, fresh = states, states
    while fresh:
        fresh = successor_states(graph, fresh) & ~found
        found |= fresh
    return found
