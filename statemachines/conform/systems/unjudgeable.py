"""Why logs tell too little for the rules of a system."""

from __future__ import annotations

from collections.abc import Sequence

from statemachines.model.definitions.system_definitions import SystemDefinition


def unjudgeable_system_reason(system: SystemDefinition) -> str:
    """Return why a log cannot be judged by the rules of a system."""
    if system.data.parameters:
        return f"no line tells {_joined_names([one.name for one in system.data.parameters])}"
    if system.data.variables:
        return f"no line tells {_joined_names([one.name for one in system.data.variables])}"
    data = [
        name
        for name, machine in system.machines
        if machine.data.variables or machine.data.parameters
    ]
    if data:
        return f"no line tells the variables of {_joined_names(data)}"
    return "nothing tells which instances belong together"


def _joined_names(names: Sequence[str]) -> str:
    return " and ".join(part for part in (", ".join(names[:-1]), names[-1]) if part)
