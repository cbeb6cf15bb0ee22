"""Why logs show too little for the rules of a system."""

from __future__ import annotations

from statemachines.model.definitions.system_definitions import SystemDefinition

_TWO_OF_ONE_MACHINE = "two parts are of one machine, and a log names machines"
_CREATED_PARTS = "its parts are created, and no log tells which of them there are"
_NO_ANCHOR = "nothing tells which instances belong together"


def unjudgeable_system_reason(system: SystemDefinition) -> str:
    """Return why a log cannot be judged by the rules of a system."""
    if len({part.machine for part in system.parts}) < len(system.parts):
        return _TWO_OF_ONE_MACHINE
    return _CREATED_PARTS if any(part.is_created for part in system.parts) else _NO_ANCHOR
