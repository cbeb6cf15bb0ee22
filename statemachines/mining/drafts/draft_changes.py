"""What a draft lacks to admit the logs that it was made from."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import evolve

from statemachines.interop.drafting.drafts import valid_name
from statemachines.mining.inference.machines import Evidence, InferredMachine
from statemachines.mining.repair.repair_proposals import SpecChange
from statemachines.notation.formatting.spec_edits import AddedTransition, InitialState


def with_changes(machine: InferredMachine, changes: Iterable[SpecChange]) -> InferredMachine:
    """Return a machine with steps and beginnings that a check of its draft missed.

    Args:
        machine: what logs showed.
        changes: that name states as the draft does.

    Returns:
        A new machine.
    """
    states = {valid_name(state): state for state in machine.states}
    steps, unseen, initial = dict(machine.steps), dict(machine.unseen), dict(machine.initial)
    for change in changes:
        match change.edit:
            case AddedTransition(source, target, silent):
                table = unseen if silent else steps
                table.setdefault((states[source], states[target]), Evidence(1, change.place))
            case InitialState(state):
                initial.setdefault(states[state], 1)
            case _:
                continue
    return evolve(machine, steps=steps, unseen=unseen, initial=initial)
