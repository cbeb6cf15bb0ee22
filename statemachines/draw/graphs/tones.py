"""Which states are the normal course and which are the way out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from statemachines.draw.graphs.graph import Tone
from statemachines.model.definitions.machine_definitions import MachineDefinition

_Successors = Mapping[str, frozenset[str]]


def state_tones(machine: MachineDefinition) -> dict[str, Tone]:
    """Return the tone of every state.

    The way out is every final state that is no beginning, and every state from which nothing leads
    back to the course. Where the spec puts states into groups, a group is the way out where it
    holds such an end, or where nothing leads back from any of its states.

    Args:
        machine: in one release.

    Returns:
        Tones by the names of states.
    """
    ends = {state.name for state in machine.states if state.final and not state.initial}
    never_reentered = _one_way_states(machine, ends)
    groups = {state.group for state in machine.states if state.name in ends}
    groups |= {state.group for state in machine.states} - {
        state.group for state in machine.states if state.name not in never_reentered
    }
    out = {
        member.name
        for member in machine.states
        if member.name in ends
        or (member.group in groups if member.group else member.name in never_reentered)
    }
    return {state.name: Tone.OUT if state.name in out else Tone.COURSE for state in machine.states}


def _one_way_states(machine: MachineDefinition, ends: set[str]) -> set[str]:
    """Return the states from which no beginning and no cycle of several states can be reached
    again.

    In a machine without such a cycle: those that lead to ends only and are reached from several
    states, as a shutdown is.
    """
    nexts = _successors(machine, without=ends)
    reach = {name: _reachable(nexts, nexts[name]) for name in nexts}
    cycling = {
        name
        for name, far in reach.items()
        if any(other != name and name in reach[other] for other in far)
    }
    initial_states = {state.name for state in machine.states if state.initial}
    if not cycling:
        before = {
            name: {other for other in nexts if name in nexts[other]} - {name} for name in nexts
        }
        return {
            name
            for name in nexts
            if name not in initial_states and nexts[name] <= {name} and len(before[name]) > 1
        }
    return {
        name
        for name, far in reach.items()
        if name not in initial_states and not (cycling | initial_states) & (far | {name})
    }


def _successors(machine: MachineDefinition, without: set[str]) -> _Successors:
    remaining = [state.name for state in machine.states if state.name not in without]
    return {
        name: frozenset(
            move.target
            for move in machine.moves
            if move.source == name and move.target in remaining and move.taken
        )
        for name in remaining
    }


def _reachable(nexts: _Successors, start: Iterable[str]) -> frozenset[str]:
    reachable: set[str] = set()
    waiting = list(start)
    while waiting:
        name = waiting.pop()
        if name not in reachable:
            reachable.add(name)
            waiting.extend(nexts[name])
    return frozenset(reachable)
