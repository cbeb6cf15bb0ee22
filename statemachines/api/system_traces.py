"""Runs of systems as plain data and as programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from statemachines.explore.programs import literal
from statemachines.explore.system_results import SystemTrace
from statemachines.explore.walking_systems import SystemOccurrence
from statemachines.model.snapshots import Snapshot, Value
from statemachines.model.systems import Held, PartStep, System, SystemSnapshot, Waiting
from statemachines.semantics.mistakes import ArgumentsError
from statemachines.semantics.system_starts import start_system


def system_trace(trace: SystemTrace) -> dict[str, object]:
    """Return a run as plain data; values are written as Python does."""
    return {"begin": _snapshot(trace.begin), "steps": [_step(one) for one in trace.steps], "back_to": trace.back_to}


def _step(one: SystemOccurrence) -> dict[str, object]:
    told: dict[str, object] = {"event": one.event, "key": literal(one.key), "arguments": _values(one.arguments)}
    told |= {"delivered": None if one.delivered is None else _place(one.delivered)}
    return told | {"answers": [_answer(step) for step in one.answer.steps], "after": _snapshot(one.answer.after)}


def _answer(step: PartStep) -> dict[str, object]:
    told: dict[str, object] = {"part": step.part, "key": literal(step.key), "event": step.event, "link": step.link}
    return told | {"answer": type(step.answer).__name__, "error": step.answer.error, "state": step.answer.after.state}


def _snapshot(snapshot: SystemSnapshot) -> dict[str, object]:
    parts = {name: _held(held) for name, held in snapshot.parts.items()}
    waiting = [_place(place) | {"arguments": _values(given)} for place, given in snapshot.waiting.items()]
    return {"parts": parts, "variables": _values(snapshot.variables), "parameters": _values(snapshot.parameters), "waiting": waiting}


def _held(held: Held) -> object:
    if held is None:
        return None
    if isinstance(held, Snapshot):
        return {"state": held.state, "variables": _values(held.variables), "parameters": _values(held.parameters)}
    return {literal(key): _held(one) for key, one in held.items()}


def _place(place: Waiting) -> dict[str, object]:
    return {"link": place.link, "sender": literal(place.sender), "receiver": literal(place.receiver)}


def _values(values: Mapping[str, Value]) -> dict[str, str]:
    return {name: literal(value) for name, value in values.items()}


def system_program(system: System, trace: SystemTrace, expression: str) -> str:
    """Return a Python program that replays a run, looks at every answer, and prints where it ends.

    Args:
        system: that the run is of.
        trace: the run.
        expression: what gives the system, such as `sm.load_system("Yard.yaml").at()`.
    """
    return "\n".join([*_lines(system, trace, expression), ""])


def _lines(system: System, trace: SystemTrace, expression: str) -> Iterator[str]:
    if any(step.delivered is not None for step in trace.steps):
        yield from ("from statemachines.model.systems import Waiting", "")
    yield from ("import statemachines as sm", "", f"system = {expression}")
    yield f"now = system.start({', '.join(_start(system, trace.begin))})"
    for number, one in enumerate(trace.steps):
        if number == trace.back_to:
            yield "# from here on, again and again:"
        yield f"answer = {_call(one)}"
        kinds = ", ".join(f"sm.{type(step.answer).__name__}" for step in one.answer.steps)
        yield f"assert [type(step.answer) for step in answer.steps] == [{kinds}]"
        yield "now = answer.after"
    yield "print(now.parts, now.variables)"


def _call(one: SystemOccurrence) -> str:
    if one.delivered is not None:
        place = one.delivered
        return f"system.deliver(now, Waiting({place.link}, {place.sender!r}, {place.receiver!r}))"
    key = [] if one.key is None else [f"key={one.key!r}"]
    return f"system.step(now, {', '.join([repr(one.event), *key, *(f'{name}={literal(value)}' for name, value in one.arguments.items())])})"


def _start(system: System, begin: SystemSnapshot) -> Iterator[str]:
    """Yield the arguments with which a system begins so; where its parts have data of their own, their states alone are told."""
    keys = {name: tuple(held) for name, held in begin.parts.items() if isinstance(held, Mapping)}
    absent = tuple(name for name, held in begin.parts.items() if held is None)
    if keys:
        yield f"keys={{{', '.join(f'{name!r}: {literal(found)}' for name, found in keys.items())}}}"
    if absent:
        yield f"absent={list(absent)!r}"
    if not _begins(system, begin, keys, absent):
        states = {name: _states(held) for name, held in begin.parts.items() if held is not None}
        yield f"states={states!r}"
    if begin.parameters:
        yield f"parameters={{{', '.join(f'{name!r}: {literal(value)}' for name, value in begin.parameters.items())}}}"


def _begins(system: System, begin: SystemSnapshot, keys: Mapping[str, tuple[Value, ...]], absent: tuple[str, ...]) -> bool:
    """Tell whether a system begins so where nobody says in which states."""
    try:
        return start_system(system, keys=keys, absent=absent, parameters=begin.parameters) == begin
    except ArgumentsError:
        return False


def _states(held: Held) -> object:
    return held.state if isinstance(held, Snapshot) else {key: one.state for key, one in (held or {}).items()}
