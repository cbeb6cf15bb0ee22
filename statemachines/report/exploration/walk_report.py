"""Random walks, as rows that a person reads."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import frozen

from statemachines.explore.models.system_model import system_extent
from statemachines.explore.results.run_traces import TraceStep
from statemachines.explore.scopes import ExplorationScope, scope_extent
from statemachines.explore.walks.random_walks import RandomWalk, simulate
from statemachines.explore.walks.walk_verdicts import WalkVerdict
from statemachines.model.counts import count_text
from statemachines.model.definitions.data_definitions import PropertyKind
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.definitions.snapshots import Snapshot, Value
from statemachines.model.definitions.system_definitions import SystemDefinition
from statemachines.model.evidence.verdicts import Verdict
from statemachines.report.exploration.scope_texts import scope_from_texts
from statemachines.report.exploration.system_run_texts import (
    TraceRow,
    system_snapshot_text,
    system_trace_rows,
)
from statemachines.semantics.machine.machine_tables import machine_tables
from statemachines.semantics.messages.changed_values import changed_texts
from statemachines.semantics.messages.value_text import format_literal
from statemachines.semantics.system.system_tables import system_tables


@frozen
class PropertyNote:
    """What the walks show of a property."""

    label: str
    message: str
    broken: bool = False
    satisfied: bool = False


@frozen
class WalkReport:
    """A walk for a person."""

    title: str
    start: str
    rows: tuple[TraceRow, ...]
    properties: tuple[PropertyNote, ...]
    broken: bool


def walk_report(
    definition: MachineDefinition | SystemDefinition,
    *,
    seed: int,
    steps: int,
    walks: int,
    scope: tuple[str, ...] = (),
) -> WalkReport:
    """Walk several times; show the first walk that breaks something, else the last.

    Args:
        definition: a machine or a system in one release.
        seed: of the first walk; each further one has the next.
        steps: of one walk.
        walks: how many.
        scope: texts such as `Task=3,int=0..3`; see `scope_from_texts`.

    Returns:
        The walk that is shown, and what all of them say.

    Raises:
        ArgumentsError: the scope does not fit, or no parameters do.
    """
    within = _checked_scope(definition, scope)
    walk = simulate(definition, within, seed=seed, steps=steps)
    for number in range(1, walks):
        if walk.verdict is Verdict.VIOLATED:
            break
        walk = simulate(definition, within, seed=seed + number, steps=steps)
    start, rows = (
        (system_snapshot_text(walk.begin), system_trace_rows(walk.begin, walk.steps))
        if isinstance(definition, SystemDefinition)
        else (_start_text(walk.begin), _machine_rows(walk))
    )
    return WalkReport(
        f"{definition.name} {definition.release}".strip() + f", seed {walk.seed}",
        start,
        tuple(rows),
        tuple(_property_notes(walk)),
        walk.verdict is Verdict.VIOLATED,
    )


def _checked_scope(
    definition: MachineDefinition | SystemDefinition, texts: tuple[str, ...]
) -> ExplorationScope:
    """Read a scope, and refuse one that sizes what is not there."""
    scope = scope_from_texts(definition, texts)
    if isinstance(definition, SystemDefinition):
        system_extent(system_tables(definition), scope)
    else:
        scope_extent(machine_tables(definition).behaviour, scope)
    return scope


def _start_text(snapshot: Snapshot) -> str:
    values = {
        **({"state": snapshot.state} if snapshot.state else {}),
        **snapshot.parameters,
        **snapshot.variables,
    }
    return "  ".join(
        f"{name}={value if name == 'state' else format_literal(value)}"
        for name, value in values.items()
    )


def _machine_rows(walk: RandomWalk) -> Iterator[TraceRow]:
    before = walk.begin
    for number, step in enumerate(walk.steps, 1):
        yield TraceRow(
            number, f"{step.event}({_arguments_text(step)})", _step_outcome(before, step)
        )
        before = step.answer.after


def _arguments_text(step: TraceStep) -> str:
    return ", ".join(f"{name}={format_literal(value)}" for name, value in step.arguments.items())


def _step_outcome(before: Snapshot, step: TraceStep) -> str:
    """Say what changed, what was given back and what was raised."""
    answer = step.answer
    changes = (
        [f"{before.state} -> {answer.after.state}"] if answer.after.state != before.state else []
    )
    changes += changed_texts(before.variables, answer.after.variables)
    given: Value = answer.returned
    changes += [f"returned {format_literal(given)}"] if given is not None else []
    changes += [f"raised {answer.error}"] if answer.error else []
    return "  ".join(changes)


def _property_notes(walk: RandomWalk) -> Iterator[PropertyNote]:
    """Yield what is wrong with a spec, then what a walk shows of each property."""
    for message in walk.wrong:
        yield PropertyNote("error of the spec", message, broken=True)
    yield from map(_property_note, walk.noticed)


def _property_note(noticed: WalkVerdict) -> PropertyNote:
    named = noticed.property
    title = named.name if named.name == named.kind.value else f"{named.kind.value} {named.name}"
    at = "" if noticed.step_index is None else f" after {count_text(noticed.step_index, 'step')}"
    text = f"{title}: {noticed.message}{at}" if noticed.message else title
    if noticed.verdict is Verdict.VIOLATED:
        return PropertyNote("broken       ", text, broken=True)
    if noticed.verdict is Verdict.HOLDS:
        return PropertyNote("met          ", text, satisfied=True)
    if named.kind.is_of_runs or named.asks_enabled:
        return PropertyNote("not looked at", text)
    unmet = "not met      " if named.kind is PropertyKind.SOMETIMES else "not broken   "
    return PropertyNote(unmet, text)
