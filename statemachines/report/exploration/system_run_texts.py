"""Runs of systems in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from attrs import frozen

from statemachines.explore.results.run_traces import TraceStep
from statemachines.model.definitions.snapshots import Advanced, Snapshot, Value
from statemachines.model.definitions.system_definitions import (
    DeliveryOutcome,
    PartSnapshots,
    PartStep,
    PendingEvent,
    SystemSnapshot,
)
from statemachines.model.evidence.durations import format_duration
from statemachines.semantics.messages.changed_values import changed_texts
from statemachines.semantics.messages.value_text import format_literal
from statemachines.semantics.system.system_tables import SystemTables


@frozen
class TraceRow:
    """One step of a run."""

    number: int
    event: str
    outcome: str
    abstract: str = ""
    """What the step is to the abstract machine, of a refinement."""


def system_trace_rows(begin: SystemSnapshot, steps: Iterable[TraceStep]) -> Iterator[TraceRow]:
    """Yield the steps of a system for a person.

    Args:
        begin: where the run begins.
        steps: in their order.

    Yields:
        A row a step, numbered from 1.
    """
    now = begin
    for number, step in enumerate(steps, 1):
        shared = changed_texts(now.variables, step.answer.after.variables)
        yield TraceRow(
            number,
            system_event_text(step),
            "  ".join(filter(None, [system_outcome_text(step), *shared])),
        )
        now = step.answer.after


def system_snapshot_text(begin: SystemSnapshot) -> str:
    """Write a system's snapshot on one line, with all that its parts hold.

    Args:
        begin: a snapshot of the system.

    Returns:
        One line.
    """
    shared = _values_texts({**begin.parameters, **begin.variables})
    parts = (text for name, held in begin.parts.items() for text in _part_texts(name, held))
    return "  ".join([*shared, *parts])


def _part_texts(name: str, held: PartSnapshots) -> list[str]:
    if held is None:
        return [f"no {name}"]
    if isinstance(held, Snapshot):
        return [" ".join(filter(None, [name, held.state, *_values_texts(held.variables)]))]
    return [
        text
        for key, snapshot in held.items()
        for text in _part_texts(f"{name}[{format_literal(key)}]", snapshot)
    ]


def _values_texts(values: Mapping[str, Value]) -> list[str]:
    return [f"{name}={format_literal(value)}" for name, value in values.items()]


def system_event_text(step: TraceStep) -> str:
    """Write what was asked of which part, and whether it had waited.

    Args:
        step: of a run.

    Returns:
        One line.
    """
    called = _call_text(step.event, step.key, step.arguments)
    return f"{delivery_text(step.delivered_from)}{called}{elapsed_text(step.at_ms)}"


def elapsed_text(at_ms: int | None) -> str:
    """Say when a step is taken; nothing where time is not counted.

    Args:
        at_ms: since the run began.

    Returns:
        A few words, or nothing.
    """
    return "" if at_ms is None else f" at {format_duration(at_ms)}"


def pending_text(
    tables: SystemTables, pending: PendingEvent, arguments: Mapping[str, Value]
) -> str:
    """Write what waits, as the event that its receiver will have.

    Args:
        tables: of the system.
        pending: link, sender and receiver.
        arguments: of the event.

    Returns:
        A few words.
    """
    return _call_text(tables.delivered_event(pending), pending.receiver, arguments)


def _call_text(called: str, key: Value, arguments: Mapping[str, Value]) -> str:
    part, _, event = called.partition(".")
    values = ", ".join(f"{name}={format_literal(value)}" for name, value in arguments.items())
    return f"{_part_event(part, event, key)}({values})"


def delivery_text(pending: PendingEvent | None) -> str:
    """Say what becomes of an event that waited; nothing of one that did not.

    Args:
        pending: the event; None: it did not wait.

    Returns:
        A few words, or nothing.
    """
    if pending is None:
        return ""
    return (
        "delivered, and kept: " if pending.fate is DeliveryOutcome.REPEATED else f"{pending.fate}: "
    )


def _part_event(part: str, event: str, key: Value) -> str:
    return f"{part}.{event}" if key is None else f"{part}[{format_literal(key)}].{event}"


def system_outcome_text(trace_step: TraceStep) -> str:
    """Say what became of the event, then of all that was sent.

    Args:
        trace_step: a step of a run.

    Returns:
        One line.
    """
    if not trace_step.answer.steps:
        return ""
    first, *sent = trace_step.answer.steps
    texts = [
        _part_outcome(first),
        *map(_sent_text, sent),
    ]
    texts += [f"then {_part_title(*place)} begins" for place in trace_step.answer.created]
    texts += [f"then {_part_title(*place)} ends" for place in trace_step.answer.ended]
    return "  ".join(filter(None, texts))


def _sent_text(step: PartStep) -> str:
    called, outcome = _part_event(step.part, step.event, step.key), _part_outcome(step)
    return f"then {called}: {outcome}" if outcome else f"then {called}"


def _part_title(part: str, key: Value) -> str:
    return f"{part}[{format_literal(key)}]"


def _part_outcome(step: PartStep) -> str:
    """Say what a step changed of its part, and what became of it; the state also where nothing else
    is to be said.
    """
    before, after = step.before, step.answer.after
    texts = [*changed_texts(before.variables, after.variables)]
    if not isinstance(step.answer, Advanced):
        texts.append(f"{type(step.answer).__name__.lower()} {step.answer.error or ''}".strip())
    shown = after.state != before.state or not texts
    return "  ".join([after.state, *texts] if shown and after.state else texts)
