"""A machine that is all data: one box with its variables and operations, as a class is drawn."""

from __future__ import annotations

from statemachines.draw.graphs.graph import Node
from statemachines.model.definitions.machine_definitions import Event, MachineDefinition

MOST_LINES = 60
"""Lines in the box; how many more there are is said."""


def is_nameless(machine: MachineDefinition) -> bool:
    """Whether the machine has no states but the nameless one.

    Args:
        machine: in one release.

    Returns:
        Whether all of it is data.
    """
    return len(machine.states) == 1 and not machine.states[0].name


def data_box(machine: MachineDefinition) -> Node:
    """Return the box: the machine's name, then `variable: type`, then `event(arguments)`, in the
    author's order.

    Args:
        machine: in one release.

    Returns:
        A box.
    """
    variables = [f"{variable.name}: {variable.type}" for variable in machine.data.variables]
    events = [f"{event.name}({_argument_names(event)})" for event in machine.events]
    lines = [*variables, *([""] if variables and events else []), *events]
    more = [f"and {len(lines) - MOST_LINES} more"] if len(lines) > MOST_LINES else []
    name = machine.name.rpartition("/")[2]
    return Node(
        machine.states[0].name,
        name,
        (*lines[:MOST_LINES], *more),
        initial=True,
        note=machine.doc.strip(),
    )


def _argument_names(event: Event) -> str:
    return (
        ", ".join(argument.name for argument in event.signature.arguments)
        if event.signature
        else ""
    )
