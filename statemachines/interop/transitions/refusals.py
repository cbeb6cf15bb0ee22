"""Refusals as both libraries know them, and the name of a machine's only state."""

from __future__ import annotations

from transitions import MachineError

from statemachines.embed.errors import NotAllowed
from statemachines.embed.instances import not_allowed_error
from statemachines.model.definitions.snapshots import Raised, Refused
from statemachines.semantics.machine.machine_tables import MachineTables

ONLY_STATE = "there"
"""What the one state of a machine is called that is all data: `transitions` needs a name for each.
"""


class RefusedByMachine(NotAllowed, MachineError):
    """A refusal, as both libraries know it."""


def bridge_refusal(
    tables: MachineTables, state: str, event: str, answer: Refused | Raised
) -> Exception:
    """Build the error for an event that was not allowed, as both libraries know it.

    Args:
        tables: of the machine.
        state: in which it was asked.
        event: what was asked.
        answer: what `step` says of it.

    Returns:
        An exception, to be raised.
    """
    error = not_allowed_error(tables, state, event, answer)
    assert isinstance(error, NotAllowed)
    return error if answer.error is not None else RefusedByMachine(*error.args)
