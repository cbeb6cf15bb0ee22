"""Recorded traces as a person sees them again, and what has changed since they were written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from attrs import evolve, frozen

from statemachines.explore.models.system_model import build_system_model
from statemachines.explore.results.property_results import PropertyResult
from statemachines.explore.results.run_traces import Trace
from statemachines.explore.scopes import (
    iterate_initial_snapshots,
    scope_extent,
)
from statemachines.explore.verdicts.property_verdicts import property_title
from statemachines.explore.walks.walk_verdicts import WalkedRun, condition_evaluator, walk_verdicts
from statemachines.model.definitions.data_definitions import Property, PropertyKind
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.definitions.snapshots import Snapshot
from statemachines.model.definitions.system_definitions import SystemDefinition
from statemachines.model.evidence.verdicts import Verdict
from statemachines.report.exploration.exploration_report import (
    PropertyReport,
    property_report,
)
from statemachines.report.exploration.replays.recorded_traces import (
    RecordedExploration,
    RecordedTrace,
)
from statemachines.report.exploration.replays.replayed_traces import Replay, replay_trace
from statemachines.report.exploration.scope_texts import scope_from_texts
from statemachines.semantics.machine.machine_tables import machine_tables
from statemachines.semantics.system.system_tables import system_tables

_DECIDED_BY_A_RUN = (PropertyKind.ALWAYS, PropertyKind.EACH_STEP, PropertyKind.SOMETIMES)


@frozen
class ReplayReport:
    """One recorded trace, as it goes today."""

    shown: PropertyReport
    result: PropertyResult[Any]
    stop: str
    """Where and why it no longer goes; empty where it goes to its end."""
    remark: str
    """That its property says something else of the run now; empty where it does not."""

    @property
    def is_as_recorded(self) -> bool:
        """Whether nothing has changed."""
        return not self.stop and not self.remark


def replay_reports(
    value: MachineDefinition | SystemDefinition,
    recorded: RecordedExploration,
    scope: Iterable[str] = (),
    traces: str = "wrong",
) -> tuple[ReplayReport, ...]:
    """Take recorded traces again.

    Args:
        value: in one release.
        recorded: what was found of it before.
        scope: beats the recorded one.
        traces: `wrong` for those of broken properties, or `all`.

    Returns:
        A report a trace, in the order of the file.

    Raises:
        ValueError: the traces are of something else, the scope does not fit, or none is asked for.
    """
    chosen = _chosen_traces(value, recorded, traces)
    begins = _beginnings(value, [*scope] or [recorded.scope])
    return tuple(_replay_report(value, trace, begins) for trace in chosen)


def _chosen_traces(
    value: MachineDefinition | SystemDefinition, recorded: RecordedExploration, traces: str
) -> list[RecordedTrace]:
    is_system = isinstance(value, SystemDefinition)
    if (recorded.title, recorded.is_system) != (value.name, is_system):
        theirs = f"{'system' if recorded.is_system else 'machine'} {recorded.title}"
        raise ValueError(
            f"the traces are of the {theirs}, not of the"
            f" {'system' if is_system else 'machine'} {value.name}"
        )
    if not recorded.traces:
        raise ValueError(f"nothing was broken, and no trace of {value.name} was written")
    chosen = [
        trace for trace in recorded.traces if traces == "all" or trace.verdict is Verdict.VIOLATED
    ]
    if not chosen:
        raise ValueError("nothing was broken; `--traces all` replays witnesses and known bugs")
    return chosen


def _beginnings(
    value: MachineDefinition | SystemDefinition, texts: list[str]
) -> Callable[[], Iterator[object]]:
    """Return what yields all snapshots in which something may begin within a scope."""
    scope = scope_from_texts(value, texts)
    if isinstance(value, SystemDefinition):
        model = build_system_model(value, scope)
        return lambda: map(model.whole_snapshot, model.initial_rows)
    behaviour = machine_tables(value).behaviour
    extent = scope_extent(behaviour, scope)
    return lambda: iterate_initial_snapshots(behaviour, extent, scope, [])


def _replay_report(
    value: MachineDefinition | SystemDefinition,
    recorded: RecordedTrace,
    begins: Callable[[], Iterator[object]],
) -> ReplayReport:
    replay = replay_trace(value, recorded)
    trace = replay.result.trace
    if trace is not None and not _begins_so(trace, begins):
        replay = Replay(
            evolve(replay.result, trace=evolve(trace, steps=(), loop_start=None)),
            "nothing begins so any more, or not within this scope",
        )
    claimed = _property_of(value, recorded.property)
    remark = "" if replay.stop else _remark(value, recorded.property, claimed, trace)
    broken = not replay.stop and not remark
    result = evolve(replay.result, property=claimed)
    shown = _property_report(value, result if broken else replay.result)
    return ReplayReport(shown, result, replay.stop, remark)


def _begins_so(trace: Trace, begins: Callable[[], Iterator[object]]) -> bool:
    wanted = [trace.begin] if trace.is_of_system else list[object](trace.begin)
    missing = set(wanted)
    for begin in begins():
        missing.discard(begin)
        if not missing:
            return True
    return False


def _property_of(value: MachineDefinition | SystemDefinition, title: str) -> Property | None:
    """Return the property of a title; None where there is none of its own."""
    return next(
        (property_ for property_ in value.data.properties if property_title(property_) == title),
        None,
    )


def _remark(
    value: MachineDefinition | SystemDefinition,
    title: str,
    claimed: Property | None,
    trace: Any,
) -> str:
    """Say that a run to its end no longer shows what it showed."""
    kinds = tuple(f"{kind.value} " for kind in _DECIDED_BY_A_RUN)
    if claimed is None:
        return f"{value.name} no longer claims `{title}`" if title.startswith(kinds) else ""
    if claimed.kind not in _DECIDED_BY_A_RUN or claimed.needs_scope:  # a run has no scope
        return ""
    runs = _walked_runs(value, trace)
    reached = any(
        verdict.step_index is not None for run in runs for verdict in walk_verdicts([claimed], run)
    )
    return (
        "" if reached else f"the run goes to its end, but `{title}` says something else of it now"
    )


def _walked_runs(
    value: MachineDefinition | SystemDefinition, trace: Trace
) -> Iterator[WalkedRun[Any]]:
    """Yield a run as properties look at it: of several copies one for each."""
    if isinstance(value, SystemDefinition):
        holds = condition_evaluator(system_tables(value))
        yield WalkedRun(trace.snapshots, len(trace.steps), ends_badly=False, holds=holds)
        return
    holds = condition_evaluator(machine_tables(value))
    for copy, begin in enumerate(trace.begin):
        steps = (step.answer.after for step in trace.steps if step.copy == copy)
        own: tuple[Snapshot, ...] = (begin, *steps)
        yield WalkedRun(own, len(own) - 1, ends_badly=False, holds=holds)


def _property_report(
    value: MachineDefinition | SystemDefinition, result: PropertyResult[Any]
) -> PropertyReport:
    load = "load_system" if isinstance(value, SystemDefinition) else "load"
    release = repr(value.release) if value.release else ""
    return property_report(value, result, f"sm.{load}({value.name!r}).at({release})")
