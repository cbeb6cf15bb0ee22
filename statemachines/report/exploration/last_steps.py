"""What an invariant would need: the state just before a rule breaks, and the event that led out.

A rule that is to be proved by induction fails there: either that state cannot be, and a stronger
rule must say so, or the event must not be possible in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import frozen

from statemachines.explore.results.property_results import PropertyResult
from statemachines.explore.results.run_traces import Trace
from statemachines.model.definitions.data_definitions import PropertyKind
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.definitions.snapshots import Value
from statemachines.model.definitions.system_definitions import SystemDefinition, SystemSnapshot
from statemachines.report.exploration.abstract_rows import snapshot_data, snapshot_text
from statemachines.report.exploration.system_run_texts import (
    elapsed_text,
    pending_text,
    system_event_text,
    system_snapshot_text,
)
from statemachines.report.exploration.system_trace_programs import system_snapshot_data
from statemachines.semantics.messages.value_text import format_literal
from statemachines.semantics.system.system_tables import system_tables

_LED_OUT_KINDS = (PropertyKind.ALWAYS, PropertyKind.EACH_STEP)


@frozen
class LastStep:
    """The step that breaks a rule."""

    number: int
    """From 1."""
    before: str
    """All of the state just before it."""
    event: str
    data: object
    """That state as plain data: of copies a list."""

    @property
    def sentence(self) -> str:
        """Both on one line."""
        return f"just before  {self.before}; led out by  {self.event}"


def last_step(
    result: PropertyResult[Any], definition: MachineDefinition | SystemDefinition
) -> LastStep | None:
    """Return the step that breaks a rule; None where none is broken, or where it never held.

    Args:
        result: what exploring says.
        definition: of which it says so.

    Returns:
        The snapshot before, and the event.
    """
    trace, claimed = result.trace, result.property
    if trace is None or claimed is None or claimed.kind not in _LED_OUT_KINDS or not trace.steps:
        return None
    number, before = len(trace.steps), trace.snapshots[-2]
    if trace.is_of_system:
        assert isinstance(definition, SystemDefinition)
        text, event = _system_state_text(definition, before), system_event_text(trace.steps[-1])
        return LastStep(number, text, event, system_snapshot_data(before))
    return LastStep(
        number,
        "  ".join(map(snapshot_text, before)),
        machine_event_text(trace, number - 1),
        [snapshot_data(snapshot) for snapshot in before],
    )


def last_step_data(step: LastStep) -> dict[str, object]:
    """Return the step as plain data.

    Args:
        step: as `last_step` gives it.

    Returns:
        Texts by name.
    """
    return {"step": step.number, "event": step.event, "before": step.data}


def machine_event_text(trace: Trace, index: int) -> str:
    """Write one event of a trace; of several copies with the copy's number.

    Args:
        trace: of a run.
        index: of the step, from 0.

    Returns:
        One line.
    """
    step = trace.steps[index]
    who = f"{step.copy + 1}: " if len(trace.begin) > 1 else ""
    return f"{who}{step.event}({_values_text(step.arguments, ', ')}){elapsed_text(step.at_ms)}"


def _system_state_text(system: SystemDefinition, snapshot: SystemSnapshot) -> str:
    """Write a system's snapshot on one line, with all that its parts hold and what waits."""
    tables, waits = system_tables(system), snapshot.waiting.items()
    waiting = ", ".join(pending_text(tables, pending, given) for pending, given in waits)
    return system_snapshot_text(snapshot) + (f"  under way: {waiting}" if waiting else "")


def _values_text(values: Mapping[str, Value], between: str) -> str:
    return between.join(f"{name}={format_literal(value)}" for name, value in values.items())
