"""Random walks, as rows that a person reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypedDict

from attrs import frozen

from statemachines.explore.models.scopes import ExplorationScope, scope_extent
from statemachines.explore.walks.machine_walks import MachineWalk, WalkStep, simulate
from statemachines.explore.walks.walk_verdicts import WalkVerdict
from statemachines.model.definitions.data_definitions import PropertyKind
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.definitions.snapshots import Snapshot, Value
from statemachines.model.evidence.verdicts import Verdict
from statemachines.report.exploration.scope_texts import scope_from_texts
from statemachines.semantics.machine.machine_tables import machine_tables
from statemachines.semantics.messages.value_text import format_literal


@frozen
class WalkRow:
    """One step."""

    number: int
    event: str
    outcome: str


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
    rows: tuple[WalkRow, ...]
    properties: tuple[PropertyNote, ...]
    broken: bool


def walk_report(
    machine: MachineDefinition, *, seed: int, steps: int, walks: int, scope: tuple[str, ...] = ()
) -> WalkReport:
    """Walk several times; show the first walk that breaks something, else the last.

    Args:
        machine: in one release.
        seed: of the first walk; each further one has the next.
        steps: of one walk.
        walks: how many.
        scope: texts such as `Task=3,int=0..3`; see `scope_from_texts`.

    Returns:
        The walk that is shown, and what all of them say.

    Raises:
        ArgumentsError: the scope does not fit the machine, or no parameters do.
    """
    text = scope_from_texts(machine, scope)
    scope_extent(machine_tables(machine).behaviour, text)
    known = scope_arguments(text)
    walk = simulate(machine, seed=seed, steps=steps, **known)
    for number in range(1, walks):
        if walk.verdict is Verdict.VIOLATED:
            break
        walk = simulate(machine, seed=seed + number, steps=steps, **known)
    title = f"{machine.name} {machine.release}".strip() + f", seed {walk.seed}"
    return WalkReport(
        title,
        _start_text(walk.begin),
        tuple(_walk_rows(walk)),
        tuple(property_notes(walk.wrong, walk.noticed)),
        walk.verdict is Verdict.VIOLATED,
    )


class ScopeArguments(TypedDict):
    """What a scope says of a walk."""

    sizes: Mapping[str, int]
    parameters: Mapping[str, Value]
    integers: tuple[int, int] | None
    longest: int | None


def scope_arguments(scope: ExplorationScope) -> ScopeArguments:
    """Return a scope as a walk takes it.

    Args:
        scope: as `explore` takes it.

    Returns:
        Arguments by name.
    """
    return ScopeArguments(
        sizes=scope.sizes,
        parameters=scope.parameters,
        integers=scope.integers,
        longest=scope.longest,
    )


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


def _walk_rows(walk: MachineWalk) -> Iterator[WalkRow]:
    before = walk.begin
    for number, step in enumerate(walk.steps, 1):
        yield WalkRow(number, f"{step.event}({_arguments_text(step)})", _step_outcome(before, step))
        before = step.answer.after


def _arguments_text(step: WalkStep) -> str:
    return ", ".join(f"{name}={format_literal(value)}" for name, value in step.arguments.items())


def _step_outcome(before: Snapshot, step: WalkStep) -> str:
    """Say what changed, what was given back and what was raised."""
    answer = step.answer
    changes = (
        [f"{before.state} -> {answer.after.state}"] if answer.after.state != before.state else []
    )
    changes += [
        f"{name}={format_literal(value)}"
        for name, value in answer.after.variables.items()
        if before.variables.get(name) != value
    ]
    given: Value = answer.returned
    changes += [f"returned {format_literal(given)}"] if given is not None else []
    changes += [f"raised {answer.error}"] if answer.error else []
    return "  ".join(changes)


def property_notes(
    wrong: Iterable[str], properties: Iterable[WalkVerdict]
) -> Iterator[PropertyNote]:
    """Yield what is wrong with a spec, then what a walk shows of each property.

    Args:
        wrong: faults of the spec.
        properties: what a walk says of each.

    Yields:
        Notes, in the author's order.
    """
    for message in dict.fromkeys(wrong):
        yield PropertyNote("error of the spec", message, broken=True)
    for noticed in properties:
        yield _property_note(noticed)


def _property_note(noticed: WalkVerdict) -> PropertyNote:
    named = noticed.property
    title = named.name if named.name == named.kind.value else f"{named.kind.value} {named.name}"
    at = (
        ""
        if noticed.step_index is None
        else f" after {noticed.step_index} {'step' if noticed.step_index == 1 else 'steps'}"
    )
    text = f"{title}: {noticed.message}{at}" if noticed.message else title
    if noticed.verdict is Verdict.VIOLATED:
        return PropertyNote("broken       ", text, broken=True)
    if noticed.verdict is Verdict.HOLDS:
        return PropertyNote("met          ", text, satisfied=True)
    if named.kind.is_of_runs or named.asks_enabled:
        return PropertyNote("not looked at", text)
    unmet = "not met      " if named.kind is PropertyKind.SOMETIMES else "not broken   "
    return PropertyNote(unmet, text)
