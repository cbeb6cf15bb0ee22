"""Which states are the normal course and which are the way out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from statemachines.draw.graph import Tone
from statemachines.model.machines import Machine

Successors = Mapping[str, frozenset[str]]


def tones(machine: Machine) -> dict[str, Tone]:
    """Return the tone of every state.

    Where the spec groups its states, the groups that hold a final state which is no beginning are the way out. Elsewhere the way out is
    every such final state, and every state from which nothing leads back: neither to a beginning nor to a cycle of several states.
    A machine without a cycle is all course but for its ends.
    """
    ends = {state.name for state in machine.states if state.final and not state.initial}
    groups = {state.group for state in machine.states if state.name in ends and state.group}
    grouped = {state.name for state in machine.states if state.group in groups}
    out = ends | (grouped if any(state.group for state in machine.states) else _one_way(machine, ends))
    return {state.name: Tone.OUT if state.name in out else Tone.COURSE for state in machine.states}


def _one_way(machine: Machine, ends: set[str]) -> set[str]:
    """Return the states from which no cycle and no beginning can be reached again."""
    nexts = _successors(machine, without=ends)
    reach = {name: _reachable(nexts, nexts[name]) for name in nexts}
    cycling = {name for name, far in reach.items() if any(other != name and name in reach[other] for other in far)}
    beginnings = {state.name for state in machine.states if state.initial}
    if not cycling:
        return set()
    return {name for name, far in reach.items() if name not in beginnings and not (cycling | beginnings) & (far | {name})}


def _successors(machine: Machine, without: set[str]) -> Successors:
    kept = [state.name for state in machine.states if state.name not in without]
    return {
        name: frozenset(each.target for each in machine.transitions if each.source == name and each.target in kept and each.taken)
        for name in kept
    }


def _reachable(nexts: Successors, start: Iterable[str]) -> frozenset[str]:
    found: set[str] = set()
    waiting = list(start)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting.extend(nexts[name])
    return frozenset(found)
