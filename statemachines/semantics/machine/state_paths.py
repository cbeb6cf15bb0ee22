"""Paths through a machine: pure questions over some of its transitions, by bit masks."""

from __future__ import annotations

from collections.abc import Callable

from attrs import frozen

from statemachines.model.definitions.machine_definitions import Transition
from statemachines.semantics.machine.machine_tables import MachineTables, StateMask


@frozen
class StateGraph:
    """Some of a machine's transitions, between states as numbers."""

    successors: tuple[tuple[int, ...], ...]
    """By state: where its transitions lead, each once, in the author's order of the transitions."""
    successor_masks: tuple[StateMask, ...]
    """By state: the same as a set."""


def state_graph(
    tables: MachineTables, keep: Callable[[Transition], bool] = lambda transition: True
) -> StateGraph:
    """Return the graph of the transitions that are kept (all where nothing is said).

    Args:
        tables: of the machine.
        keep: says which transitions count.

    Returns:
        The states to which one step leads from each.
    """
    ordered: list[dict[int, None]] = [{} for _ in tables.states]
    for transition in tables.machine.moves:
        if keep(transition):
            ordered[tables.state_index[transition.source]][
                tables.state_index[transition.target]
            ] = None
    return StateGraph(
        tuple(map(tuple, ordered)),
        tuple(sum(1 << index for index in indices) for indices in ordered),
    )


def successor_states(graph: StateGraph, states: StateMask) -> StateMask:
    """Return where one step leads from any of some states.

    Args:
        graph: which steps there are.
        states: a bit for each state, by its index.

    Returns:
        Likewise a bit for each state.
    """
    successors = 0
    for index, mask in enumerate(graph.successor_masks):
        if states >> index & 1:
            successors |= mask
    return successors


def reachable_states(graph: StateGraph, states: StateMask) -> StateMask:
    """Return where any number of steps leads from any of some states; no step is a number, so they
    are in it themselves.

    Args:
        graph: which steps there are.
        states: a bit for each state, by its index.

    Returns:
        Likewise a bit for each state.
    """
    reachable, fresh = states, states
    while fresh:
        fresh = successor_states(graph, fresh) & ~reachable
        reachable |= fresh
    return reachable
