"""Runs of systems as plain data and as programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from statemachines.explore.results.run_traces import Trace, TraceStep
from statemachines.model.definitions.snapshots import Snapshot, Value
from statemachines.model.definitions.system_definitions import (
    PartSnapshots,
    PartStep,
    PendingEvent,
    SystemDefinition,
    SystemSnapshot,
)
from statemachines.semantics.messages.argument_errors import ArgumentsError
from statemachines.semantics.messages.python_literals import python_literal
from statemachines.semantics.system.system_initial_snapshots import initial_system_snapshot


def system_trace_data(trace: Trace) -> dict[str, object]:
    """Return a run as plain data; values are written as Python does.

    Args:
        trace: of a system.

    Returns:
        Beginning and steps.
    """
    return {
        "begin": system_snapshot_data(trace.begin),
        "steps": [_step_data(step) for step in trace.steps],
        "back_to": trace.loop_start,
    }


def _step_data(trace_step: TraceStep) -> dict[str, object]:
    row: dict[str, object] = {
        "event": trace_step.event,
        "key": python_literal(trace_step.key),
        "arguments": _values_data(trace_step.arguments),
    }
    row |= {
        "delivered": None
        if trace_step.delivered_from is None
        else _waiting_data(trace_step.delivered_from)
    }
    return row | {
        "answers": [_part_step_data(step) for step in trace_step.answer.steps],
        "after": system_snapshot_data(trace_step.answer.after),
        **({} if trace_step.at_ms is None else {"at_ms": trace_step.at_ms}),
    }


def _part_step_data(step: PartStep) -> dict[str, object]:
    row: dict[str, object] = {
        "part": step.part,
        "key": python_literal(step.key),
        "event": step.event,
        "link": step.link,
    }
    return row | {
        "answer": type(step.answer).__name__,
        "error": step.answer.error,
        "state": step.answer.after.state,
    }


def system_snapshot_data(snapshot: SystemSnapshot) -> dict[str, object]:
    """Return a snapshot as plain data; values are written as Python does.

    Args:
        snapshot: of a system.

    Returns:
        Parts, shared variables, and what waits.
    """
    parts = {name: _part_data(held) for name, held in snapshot.parts.items()}
    waiting = [
        _waiting_data(pending) | {"arguments": _values_data(given)}
        for pending, given in snapshot.waiting.items()
    ]
    return {
        "parts": parts,
        "variables": _values_data(snapshot.variables),
        "parameters": _values_data(snapshot.parameters),
        "waiting": waiting,
    }


def _part_data(held: PartSnapshots) -> object:
    if held is None:
        return None
    if isinstance(held, Snapshot):
        return {
            "state": held.state,
            "variables": _values_data(held.variables),
            "parameters": _values_data(held.parameters),
        }
    return {python_literal(key): _part_data(snapshot) for key, snapshot in held.items()}


def _waiting_data(pending_event: PendingEvent) -> dict[str, object]:
    return {
        "link": pending_event.link,
        "sender": python_literal(pending_event.sender),
        "receiver": python_literal(pending_event.receiver),
    } | (
        {"position": pending_event.position, "fate": str(pending_event.fate)}
        if _is_in_channel(pending_event)
        else {}
    )


def _is_in_channel(pending_event: PendingEvent) -> bool:
    """Tell whether anything but the place is to be said: of what waits in a channel."""
    return pending_event != PendingEvent(
        pending_event.link, pending_event.sender, pending_event.receiver
    )


def _values_data(values: Mapping[str, Value]) -> dict[str, str]:
    return {name: python_literal(value) for name, value in values.items()}


def system_program(system: SystemDefinition, trace: Trace, expression: str) -> str:
    """Return a Python program that replays a run, looks at every answer, and prints where it ends.

    Args:
        system: that the run is of.
        trace: the run.
        expression: what gives the system, such as `sm.load_system("Yard.yaml").at()`.

    Returns:
        The source of a module.
    """
    return "\n".join([*_program_lines(system, trace, expression), ""])


def _program_lines(system: SystemDefinition, trace: Trace, expression: str) -> Iterator[str]:
    if any(step.delivered_from is not None for step in trace.steps):
        yield from (
            "from statemachines.model.definitions.system_definitions import PendingEvent",
            "",
        )
    yield from ("import statemachines as sm", "", f"system = {expression}")
    yield f"now = system.start({', '.join(_start_arguments(system, trace.begin))})"
    for number, trace_step in enumerate(trace.steps):
        if number == trace.loop_start:
            yield "# from here on, again and again:"
        yield f"answer = {_call_text(trace_step)}"
        kinds = ", ".join(f"sm.{type(step.answer).__name__}" for step in trace_step.answer.steps)
        yield f"assert [type(step.answer) for step in answer.steps] == [{kinds}]"
        yield "now = answer.after"
    yield "print(now.parts, now.variables)"


def _call_text(trace_step: TraceStep) -> str:
    if trace_step.delivered_from is not None:
        pending = trace_step.delivered_from
        more = f", {pending.position}, {str(pending.fate)!r}" if _is_in_channel(pending) else ""
        which = f"{pending.link}, {pending.sender!r}, {pending.receiver!r}{more}"
        return f"system.deliver(now, PendingEvent({which}))"
    key = [] if trace_step.key is None else [f"key={trace_step.key!r}"]
    given = (f"{name}={python_literal(value)}" for name, value in trace_step.arguments.items())
    return f"system.step(now, {', '.join([repr(trace_step.event), *key, *given])})"


def _start_arguments(system: SystemDefinition, begin: SystemSnapshot) -> Iterator[str]:
    """Yield the arguments with which a system begins so; where its parts have data of their own,
    their states alone are told.
    """
    keys = {name: tuple(held) for name, held in begin.parts.items() if isinstance(held, Mapping)}
    absent = tuple(name for name, held in begin.parts.items() if held is None)
    if keys:
        yield f"keys={_mapping_literal(keys)}"
    if absent:
        yield f"absent={list(absent)!r}"
    if not _starts_by_default(system, begin, keys, absent):
        states = {
            name: _part_states(held) for name, held in begin.parts.items() if held is not None
        }
        yield f"states={states!r}"
    if begin.parameters:
        yield f"parameters={_mapping_literal(begin.parameters)}"


def _mapping_literal(values: Mapping[str, Value]) -> str:
    pairs = (f"{name!r}: {python_literal(value)}" for name, value in values.items())
    return f"{{{', '.join(pairs)}}}"


def _starts_by_default(
    system: SystemDefinition,
    begin: SystemSnapshot,
    keys: Mapping[str, tuple[Value, ...]],
    absent: tuple[str, ...],
) -> bool:
    """Tell whether a system begins so where nobody says in which states."""
    try:
        return (
            initial_system_snapshot(system, keys=keys, absent=absent, parameters=begin.parameters)
            == begin
        )
    except ArgumentsError:
        return False


def _part_states(held: PartSnapshots) -> object:
    return (
        held.state
        if isinstance(held, Snapshot)
        else {key: snapshot.state for key, snapshot in (held or {}).items()}
    )
