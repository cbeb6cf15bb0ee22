"""Exploring machines and systems, as rows that a person reads and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from attrs import evolve, frozen

from statemachines.explore.checkpoints.checkpoint_files import NOT_KEPT
from statemachines.explore.exploration import explore
from statemachines.explore.options import ExplorationOptions as ExplorationOptions
from statemachines.explore.options import exploration_options as exploration_options
from statemachines.explore.results.property_results import Exploration, PropertyResult
from statemachines.explore.results.run_traces import Trace, TraceStep
from statemachines.model.counts import count_text
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.definitions.snapshots import (
    Advanced,
    Answer,
    Forced,
    Ignored,
    Raised,
    Refused,
    Snapshot,
)
from statemachines.model.definitions.system_definitions import SystemDefinition
from statemachines.model.evidence.durations import format_duration
from statemachines.model.evidence.verdicts import Verdict
from statemachines.report.exploration.abstract_rows import (
    abstract_data,
    abstract_texts,
    snapshot_data,
    snapshot_text,
    values_data,
)
from statemachines.report.exploration.last_steps import (
    LastStep,
    last_step,
    last_step_data,
    machine_event_text,
)
from statemachines.report.exploration.machine_trace_programs import replay_program
from statemachines.report.exploration.scope_texts import scope_from_texts
from statemachines.report.exploration.system_run_texts import (
    TraceRow,
    system_snapshot_text,
    system_trace_rows,
)
from statemachines.report.exploration.system_trace_programs import system_program, system_trace_data
from statemachines.semantics.messages.changed_values import changed_texts
from statemachines.semantics.messages.value_text import format_literal


@frozen
class PropertyReport:
    """What exploring says of a property, for a person."""

    verdict: Verdict
    title: str
    message: str
    doc: str
    start: str
    """Where the trace begins; empty without one."""
    rows: tuple[TraceRow, ...]
    loop_start: int | None
    program: str
    """The trace as Python; empty without one."""
    abstract_start: str = ""
    """Where the abstract machine begins, of a refinement."""
    last: LastStep | None = None
    """The step that breaks a rule."""


@frozen
class ExplorationReport:
    """An exploration for a person."""

    value: Exploration[Any]
    title: str
    examined: tuple[PropertyReport, ...]

    @property
    def is_older_search_kept(self) -> bool:
        """Whether the file of the search could not be written, and holds an older one at most."""
        return any(NOT_KEPT in bound for bound in self.value.bounds)

    @property
    def how_texts(self) -> list[str]:
        """How it was explored, in words, as far as that is not as ever."""
        unit_ms = self.value.time_unit_ms
        return [
            *(["up to symmetry"] if self.value.symmetry else []),
            *([f"time in units of {format_duration(unit_ms)}"] if unit_ms else []),
        ]

    @property
    def constraint_text(self) -> str:
        """What the state constraint left out, in words; empty where it left out nothing."""
        value, many = self.value, self.value.beyond_constraint
        if not value.constraint:
            return ""
        return (
            f"beyond the state constraint ({value.constraint}): {count_text(many, 'state')},"
            " looked at and not gone on from"
        )

    @property
    def unreached_text(self) -> str:
        """What no part of a system comes to, in words; of a machine, what is examined says it."""
        value = self.value
        if isinstance(value.definition, MachineDefinition) or not value.unreached_states:
            return ""
        return f"{'not yet' if value.bounds else 'never'} in {', '.join(value.unreached_states)}"

    @property
    def disk_text(self) -> str:
        """That states went to disk, in words; empty where none did."""
        written = self.value.on_disk
        if not written:
            return ""
        size = f"{written / 1e6:,.1f} MB were written"
        return f"the states took more than the memory that was given, and went to disk: {size}"


def exploration_report(
    definition: MachineDefinition | SystemDefinition,
    texts: Iterable[str],
    how: ExplorationOptions,
    expression: str,
) -> ExplorationReport:
    """Explore a machine or a system.

    Args:
        definition: in one release.
        texts: such as `Task=3,int=0..3`; see `scope_from_texts`.
        how: symmetry, copies, limits.
        expression: Python that gives the machine or the system, for programs.

    Returns:
        What was found, in words.

    Raises:
        ArgumentsError: the scope does not fit.
    """
    exploration = explore(definition, scope_from_texts(definition, texts), how)
    return ExplorationReport(
        exploration,
        f"{definition.name} {definition.release}".strip(),
        tuple(property_report(definition, result, expression) for result in exploration.examined),
    )


def property_report(
    definition: MachineDefinition | SystemDefinition, result: PropertyResult[Any], expression: str
) -> PropertyReport:
    """Return what exploring says of one property, for a person.

    Args:
        definition: in one release.
        result: what exploring says.
        expression: Python that gives the machine or the system, for programs.

    Returns:
        Title, verdict, message, and the steps of its trace.
    """
    doc, trace = result.property.doc if result.property else "", result.trace
    if trace is None:
        return PropertyReport(result.verdict, result.name, result.said, doc, "", (), None, "")
    if isinstance(definition, SystemDefinition):
        begin, rows = system_snapshot_text(trace.begin), system_trace_rows(trace.begin, trace.steps)
        program = system_program(definition, trace, expression)
    else:
        begin, rows = "  ".join(map(snapshot_text, trace.begin)), trace_rows(trace)
        program = replay_program(definition, trace, expression)
    return PropertyReport(
        result.verdict,
        result.name,
        result.said,
        doc,
        begin,
        with_abstract_side(result, rows),
        trace.loop_start,
        program,
        abstract_start_text(result),
        last_step(result, definition),
    )


def with_abstract_side(
    result: PropertyResult[Any], rows: Iterable[TraceRow]
) -> tuple[TraceRow, ...]:
    """Return the steps of a trace, of a refinement with what each is to the abstract machine.

    Args:
        result: what exploring says.
        rows: the steps of the trace.

    Returns:
        The same steps, in order.
    """
    plain = tuple(rows)
    texts = abstract_texts(result.abstract, len(plain))
    return tuple(evolve(row, abstract=text) for row, text in zip(plain, texts, strict=True))


def abstract_start_text(result: PropertyResult[Any]) -> str:
    """Say where the abstract machine begins; empty for what is no refinement.

    Args:
        result: what exploring says.

    Returns:
        One line.
    """
    run = result.abstract
    return "" if run is None else f"{run.machine}: {snapshot_text(run.begin)}"


def trace_rows(trace: Trace) -> Iterator[TraceRow]:
    """Yield the steps of a trace for a person.

    Args:
        trace: of a run.

    Yields:
        A row a step, numbered from 1.
    """
    now = list(trace.begin)
    for number, step in enumerate(trace.steps, 1):
        yield TraceRow(
            number,
            machine_event_text(trace, number - 1),
            outcome_text(now[step.copy], step.answer),
        )
        now[step.copy] = step.answer.after


def outcome_text(before: Snapshot, answer: Answer) -> str:
    """Say what changed, whether the time begins again, what was given back and what was raised.

    Args:
        before: the snapshot before.
        answer: of `step`.

    Returns:
        One line.
    """
    after = answer.after
    texts = [f"{before.state} -> {after.state}"] if after.state != before.state else []
    texts += changed_texts(before.variables, after.variables)
    if isinstance(answer, Advanced) and answer.decided_by.restarts:
        texts.append("the time begins again")
    texts += [f"returned {format_literal(answer.returned)}"] if answer.returned is not None else []
    match answer:
        case Raised(error=error):
            texts.append(f"raised {error}")
        case Ignored():
            texts.append("ignored")
        case Refused(reason=reason):
            texts.append(f"refused: {reason}" if reason else "refused")
        case Forced():
            texts.append("forced")
    return "  ".join(texts) or "nothing changes"


def to_json(explored: ExplorationReport) -> dict[str, object]:
    """Return an exploration as plain data, its keys in one order; how long it took is left out.

    Args:
        explored: what was found, in words.

    Returns:
        What `explore --format json` prints.
    """
    exploration, definition = explored.value, explored.value.definition
    is_system = isinstance(definition, SystemDefinition)
    return {
        "format": "statemachines.exploration/1",
        "system" if is_system else "machine": definition.name,
        "release": definition.release,
        "verdict": exploration.verdict.name,
        "scope": exploration.scope,
        **({} if is_system else {"copies": exploration.copies}),
        **_counts_data(exploration),
        **({"unreached": list(exploration.unreached_states)} if is_system else {}),
        "properties": [
            _property_data(result, shown)
            for result, shown in zip(exploration.examined, explored.examined, strict=True)
        ],
    }


def _counts_data(exploration: Exploration[Any]) -> dict[str, object]:
    counts: dict[str, object] = {
        "symmetry": exploration.symmetry,
        "states": exploration.states,
        "transitions": exploration.transitions,
    }
    if exploration.time_unit_ms:
        counts["time_unit_ms"] = exploration.time_unit_ms
    if exploration.constraint:
        counts |= {
            "state_constraint": exploration.constraint,
            "beyond_constraint": exploration.beyond_constraint,
        }
    return counts | {
        "turned_down": exploration.disabled,
        "deepest": exploration.depth,
        "bounds": list(exploration.bounds),
        **({"on_disk": exploration.on_disk} if exploration.on_disk else {}),
    }


def _property_data(result: PropertyResult[Any], shown: PropertyReport) -> dict[str, object]:
    row: dict[str, object] = {
        "name": result.name,
        "verdict": result.verdict.name,
        "said": result.said,
    }
    if result.abstract is not None:
        row["abstract"] = abstract_data(result.abstract)
    trace = result.trace
    if not trace:
        return row
    data = system_trace_data(trace) if trace.is_of_system else _trace_data(trace)
    last = {} if shown.last is None else {"led_out": last_step_data(shown.last)}
    return {**row, "trace": data, **last, "program": shown.program}


def _trace_data(trace: Trace) -> dict[str, object]:
    begin = [snapshot_data(snapshot) for snapshot in trace.begin]
    return {
        "begin": begin,
        "steps": [_step_data(step) for step in trace.steps],
        "back_to": trace.loop_start,
    }


def _step_data(step: TraceStep) -> dict[str, object]:
    answer = step.answer
    row: dict[str, object] = {
        "copy": step.copy,
        "event": step.event,
        "arguments": values_data(step.arguments),
    }
    return row | {
        "answer": type(answer).__name__,
        "error": answer.error,
        "after": snapshot_data(answer.after),
        **({} if step.at_ms is None else {"at_ms": step.at_ms}),
    }
