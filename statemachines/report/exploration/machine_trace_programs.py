"""A trace as a program: what a person pastes to see it happen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from statemachines.explore.results.run_traces import Trace, TraceStep
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.definitions.snapshots import Snapshot, Value
from statemachines.semantics.machine.initial_snapshots import initial_snapshots
from statemachines.semantics.messages.python_literals import dict_literal, python_literal


def replay_program(machine: MachineDefinition, trace: Trace, expression: str) -> str:
    """Return a Python program that replays a trace, looks at every answer, and prints where it
    ends.

    Args:
        machine: that the trace is of.
        trace: of one machine, or of copies of one.
        expression: what gives the machine, such as `sm.load("shop/Order").at("2.0")`.

    Returns:
        The source of a program.
    """
    return "\n".join([*_program_lines(machine, trace, expression), ""])


def _program_lines(machine: MachineDefinition, trace: Trace, expression: str) -> Iterator[str]:
    yield from ("import statemachines as sm", "", f"machine = {expression}")
    names = [
        f"now{copy}" if len(trace.begin) > 1 else "now" for copy in range(1, len(trace.begin) + 1)
    ]
    for name, begin in zip(names, trace.begin, strict=True):
        yield f"{name} = {_initial_expression(machine, begin)}"
    for number, step in enumerate(trace.steps):
        if number == trace.loop_start:
            yield "# from here on, again and again:"
        name = names[step.copy]
        yield f"answer = sm.step(machine, {name}, {_step_arguments(step)})"
        yield f"assert type(answer) is sm.{type(step.answer).__name__}{_error_assertion(step)}"
        yield f"{name} = answer.after"
    for name in names:
        yield f"print({name}.state, {name}.variables)"


def _step_arguments(step: TraceStep) -> str:
    return ", ".join([repr(step.event), *_keyword_arguments(step.arguments)])


def _error_assertion(step: TraceStep) -> str:
    return f" and answer.error == {step.answer.error!r}" if step.answer.error else ""


def _keyword_arguments(values: Mapping[str, Value]) -> list[str]:
    return [f"{name}={python_literal(value)}" for name, value in values.items()]


def _initial_expression(machine: MachineDefinition, begin: Snapshot) -> str:
    """Write how an instance begins: its parameters, and which initial snapshot of several."""
    snapshots, given = (
        initial_snapshots(machine, **begin.parameters),
        ", ".join(_keyword_arguments(begin.parameters)),
    )
    if snapshots == (begin,):
        return f"machine.start({given})"
    if begin in snapshots:
        return f"machine.starts({given})[{snapshots.index(begin)}]"
    parts = [
        repr(begin.state),
        dict_literal(begin.variables),
        *([dict_literal(begin.parameters)] if begin.parameters else []),
    ]
    return f"sm.Snapshot({', '.join(parts)})"
