"""Recorded traces taken again, step by step, as far as they still go."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Generic, Protocol, TypeVar

from attrs import define, evolve, field, frozen

from statemachines.explore.results.property_results import PropertyResult
from statemachines.explore.results.run_traces import Trace, TraceStep
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.definitions.snapshots import Snapshot
from statemachines.model.definitions.system_definitions import (
    PendingEvent,
    SystemDefinition,
    SystemSnapshot,
)
from statemachines.report.exploration.abstract_rows import snapshot_data
from statemachines.report.exploration.replays.recorded_traces import (
    RecordedStep,
    RecordedTrace,
    answer_text,
    comparable_snapshot,
)
from statemachines.report.exploration.system_trace_programs import system_snapshot_data
from statemachines.semantics.machine.machine_tables import machine_tables
from statemachines.semantics.machine.step import step
from statemachines.semantics.messages.argument_errors import ArgumentsError
from statemachines.semantics.messages.python_literals import python_literal
from statemachines.semantics.messages.value_text import format_literal
from statemachines.semantics.system.channels import place_of, possible_fates
from statemachines.semantics.system.system_snapshots import wholly_checked_snapshot
from statemachines.semantics.system.system_step import deliver_event, step_system
from statemachines.semantics.system.system_tables import system_tables

AnyTrace = TypeVar("AnyTrace")
"""A run of a machine or of a system."""


@frozen
class Replay(Generic[AnyTrace]):
    """A recorded trace as it goes today."""

    result: PropertyResult[AnyTrace]
    """The property, and the run as far as it goes; without a trace where it cannot even begin."""
    stop: str = ""
    """Why it goes no further; empty where it all goes as it did."""


def replay_trace(
    value: MachineDefinition | SystemDefinition, recorded: RecordedTrace
) -> Replay[Any]:
    """Take a recorded trace again: on a machine, on copies of one, or on a system.

    Args:
        value: in one release.
        recorded: what was found of it, or of another release or an older edition; links may have
            other numbers now.

    Returns:
        The steps that still go as they did, and why it ended.
    """
    try:
        run = _replayed_run(value, recorded)
    except ArgumentsError as wrong:
        return Replay(_result(recorded, None), f"it cannot begin as it did: {wrong}")
    stop = _first_stop(recorded.steps, run)
    return Replay(_result(recorded, run.trace(None if stop else recorded.loop_start)), stop)


def _result(recorded: RecordedTrace, trace: AnyTrace | None) -> PropertyResult[AnyTrace]:
    return PropertyResult(recorded.property, recorded.verdict, recorded.message, trace)


class _ReplayedRun(Protocol):
    """A run as it is taken again."""

    def take(self, recorded: RecordedStep) -> tuple[tuple[str, ...], Mapping[str, Any]]:
        """Take a step; return its answers and the snapshot after it, as they are written."""
        ...

    def trace(self, loop_start: int | None) -> Trace:
        """Return what was taken."""
        ...


def _replayed_run(
    value: MachineDefinition | SystemDefinition, recorded: RecordedTrace
) -> _ReplayedRun:
    """Begin as a recorded trace did.

    Raises:
        ArgumentsError: its first snapshot does not fit.
    """
    begin = recorded.begin
    if isinstance(value, SystemDefinition):
        assert isinstance(begin, SystemSnapshot)
        return _SystemRun(value, wholly_checked_snapshot(system_tables(value), begin))
    assert isinstance(begin, tuple)
    for snapshot in begin:
        machine_tables(value).index_of_state(snapshot.state)
    checked = tuple(map(machine_tables(value).behaviour.checked_snapshot, begin))
    return _MachineRun(value, checked, list(checked))


@define
class _MachineRun:
    """A run of a machine, or of copies of one."""

    machine: MachineDefinition
    begin: tuple[Snapshot, ...]
    now: list[Snapshot]
    steps: list[TraceStep] = field(factory=list)

    def take(self, recorded: RecordedStep) -> tuple[tuple[str, ...], Mapping[str, Any]]:
        if recorded.copy not in range(len(self.now)):
            raise ArgumentsError(f"there is no copy {recorded.copy + 1}")
        now, behaviour = self.now[recorded.copy], machine_tables(self.machine).behaviour
        answer = step(self.machine, now, recorded.event, **recorded.arguments)
        given = (
            behaviour.checked_arguments(now, recorded.event, recorded.arguments)
            if recorded.arguments
            else {}
        )
        self.steps.append(TraceStep(recorded.event, given, answer, recorded.copy))
        self.now[recorded.copy] = answer.after
        answers = answer_text("", type(answer).__name__, answer.error)
        return (answers,), snapshot_data(answer.after)

    def trace(self, loop_start: int | None) -> Trace:
        return Trace(self.begin, tuple(self.steps), loop_start)


@define
class _SystemRun:
    """A run of a system."""

    system: SystemDefinition
    begin: SystemSnapshot
    steps: list[TraceStep] = field(factory=list)

    def take(self, recorded: RecordedStep) -> tuple[tuple[str, ...], Mapping[str, Any]]:
        taken = self._taken(self.steps[-1].answer.after if self.steps else self.begin, recorded)
        self.steps.append(taken)
        answers = (
            answer_text(
                f"{part_step.part}[{python_literal(part_step.key)}].{part_step.event}",
                type(part_step.answer).__name__,
                part_step.answer.error,
            )
            for part_step in taken.answer.steps
        )
        return tuple(answers), system_snapshot_data(taken.answer.after)

    def trace(self, loop_start: int | None) -> Trace:
        return Trace(self.begin, tuple(self.steps), loop_start)

    def _taken(self, now: SystemSnapshot, recorded_step: RecordedStep) -> TraceStep:
        if recorded_step.delivered_from is None:
            answer = step_system(
                self.system,
                now,
                recorded_step.event,
                key=recorded_step.key,
                **recorded_step.arguments,
            )
            return TraceStep(
                recorded_step.event, answer.steps[0].arguments, answer, key=recorded_step.key
            )
        waiting_place = self._waiting_place(now, recorded_step)
        answer = deliver_event(self.system, now, waiting_place)
        return TraceStep(
            recorded_step.event,
            now.waiting[place_of(waiting_place)],
            answer,
            key=recorded_step.key,
            delivered_from=waiting_place,
        )

    def _waiting_place(self, now: SystemSnapshot, recorded_step: RecordedStep) -> PendingEvent:
        """Return what waits as it did.

        Raises:
            ArgumentsError: nothing does.
        """
        tables = system_tables(self.system)
        for possible_fate in possible_fates(tables, now.waiting):
            if (
                evolve(possible_fate, link=0) == recorded_step.delivered_from
                and tables.delivered_event(possible_fate) == recorded_step.event
            ):
                return possible_fate
        raise ArgumentsError("nothing waits so")


def _first_stop(steps: tuple[RecordedStep, ...], run: _ReplayedRun) -> str:
    """Take step after step; return why it ends before the last, empty where it does not."""
    for number, recorded in enumerate(steps, 1):
        try:
            difference = _difference(recorded, *run.take(recorded))
        except ArgumentsError as wrong:
            difference = f"no longer goes: {wrong}"
        if difference:
            return f"step {number}, {_step_text(recorded)}, {difference}"
    return ""


def _step_text(recorded_step: RecordedStep) -> str:
    given = ", ".join(
        f"{name}={format_literal(value)}" for name, value in recorded_step.arguments.items()
    )
    part, dot, event = recorded_step.event.rpartition(".")
    key = "" if recorded_step.key is None else f"[{format_literal(recorded_step.key)}]"
    return f"{part}{key}{dot}{event}({given})"


def _difference(
    recorded_step: RecordedStep, answers: tuple[str, ...], after: Mapping[str, Any]
) -> str:
    """Say how a step goes otherwise than it did; empty where it goes as it did."""
    if answers != recorded_step.answers:
        now, before = ", ".join(answers) or "nothing", ", ".join(recorded_step.answers) or "nothing"
        return f"is answered otherwise now: {now}; it was {before}"
    changed = list(_changed_values("", recorded_step.after, comparable_snapshot(after)))
    return f"leads elsewhere now: {', '.join(changed)}" if changed else ""


def _changed_values(path: str, old: Any, new: Any) -> Iterator[str]:
    if not isinstance(old, Mapping) or not isinstance(new, Mapping):
        if old != new:
            yield f"{path} is {_value_text(new)} and was {_value_text(old)}"
        return
    for name in dict.fromkeys([*old, *new]):
        inner = f"{path}.{name}" if path else str(name)
        yield from _changed_values(inner, old.get(name), new.get(name))


def _value_text(value: Any) -> str:
    return "absent" if value is None else value if isinstance(value, str) else json.dumps(value)
