"""A machine that is all data: one box with its variables and operations, as a class is drawn."""

from __future__ import annotations

from statemachines.draw.graph import Node
from statemachines.model.machines import Event, Machine

MOST = 60
"""Lines in the box; how many more there are is said."""


def is_nameless(machine: Machine) -> bool:
    """Whether the machine has no states but the nameless one."""
    return len(machine.states) == 1 and not machine.states[0].name


def operations(machine: Machine) -> Node:
    """Return the box: the machine's name, then `variable: type`, then `event(arguments)`, in the author's order."""
    variables = [f"{each.name}: {each.type}" for each in machine.data.variables]
    events = [f"{event.name}({_arguments(event)})" for event in machine.events]
    lines = [*variables, *([""] if variables and events else []), *events]
    more = [f"and {len(lines) - MOST} more"] if len(lines) > MOST else []
    name = machine.name.rpartition("/")[2]
    return Node(machine.states[0].name, name, (*lines[:MOST], *more), initial=True, note=machine.doc.strip())


def _arguments(event: Event) -> str:
    return ", ".join(each.name for each in event.signature.arguments) if event.signature else ""
