"""Machines in which nothing can happen: no states, no events and no variables."""

from __future__ import annotations

from statemachines.model.definitions.machine_definitions import SpecDefinition
from statemachines.model.diagnosis.diagnostics import Diagnostic, Severity
from statemachines.model.diagnosis.spans import Span


def empty_machines(spec: SpecDefinition) -> list[Diagnostic]:
    """Warn of a machine that says nothing: a file that was begun, or whose keys were lost.

    Args:
        spec: in all its releases.

    Returns:
        A warning, or nothing.
    """
    data = (spec.data, *(machine_data for _, machine_data in spec.versions))
    named = any(state.name for state in spec.states)
    if (
        named
        or spec.transitions
        or spec.events
        or any(machine_data.variables for machine_data in data)
    ):
        return []
    message = f"`{spec.name}` has no states, no events and no variables: nothing can happen in it"
    hint = "write `states:` and `transitions:`, or `variables:` and `events:`"
    return [Diagnostic("SM221", message, Span(spec.file, 1, 1), hint, Severity.WARNING)]
