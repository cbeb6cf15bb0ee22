"""Random walks, as rows that a person reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypedDict

from attrs import frozen

from statemachines.api.explore import scope_of
from statemachines.explore.scopes import Scope, extent
from statemachines.explore.simulate import Noticed, Occurrence, Walk, simulate
from statemachines.model.data import Claim
from statemachines.model.machines import Machine
from statemachines.model.snapshots import Snapshot, Value
from statemachines.model.verdicts import Verdict
from statemachines.semantics.tables import tables_of
from statemachines.semantics.texts import exact


@frozen
class Row:
    """One step."""

    number: int
    event: str
    became: str


@frozen
class ClaimSaid:
    """What the walks show of a property."""

    word: str
    said: str
    broken: bool = False
    met: bool = False


@frozen
class Walked:
    """A walk for a person."""

    title: str
    begin: str
    rows: tuple[Row, ...]
    claims: tuple[ClaimSaid, ...]
    broken: bool


def walked(machine: Machine, *, seed: int, steps: int, walks: int, scope: tuple[str, ...] = ()) -> Walked:
    """Walk several times; show the first walk that breaks something, else the last.

    Args:
        machine: in one release.
        seed: of the first walk; each further one has the next.
        steps: of one walk.
        walks: how many.
        scope: texts such as `Task=3,int=0..3`; see `explore.scope_of`.

    Raises:
        ArgumentsError: the scope does not fit the machine, or no parameters do.
    """
    said = scope_of(machine, scope)
    extent(tables_of(machine).behaviour, said)
    known = known_of(said)
    walk = simulate(machine, seed=seed, steps=steps, **known)
    for number in range(1, walks):
        if walk.verdict is Verdict.VIOLATED:
            break
        walk = simulate(machine, seed=seed + number, steps=steps, **known)
    title = f"{machine.name} {machine.release}".strip() + f", seed {walk.seed}"
    return Walked(
        title, _snapshot(walk.begin), tuple(_rows(walk)), tuple(claims_of(walk.wrong, walk.noticed)), walk.verdict is Verdict.VIOLATED
    )


class Known(TypedDict):
    """What a scope says of a walk."""

    sizes: Mapping[str, int]
    parameters: Mapping[str, Value]
    integers: tuple[int, int] | None
    longest: int | None


def known_of(scope: Scope) -> Known:
    """Return a scope as a walk takes it."""
    return Known(sizes=scope.sizes, parameters=scope.parameters, integers=scope.integers, longest=scope.longest)


def _snapshot(snapshot: Snapshot) -> str:
    values = {**({"state": snapshot.state} if snapshot.state else {}), **snapshot.parameters, **snapshot.variables}
    return "  ".join(f"{name}={value if name == 'state' else exact(value)}" for name, value in values.items())


def _rows(walk: Walk) -> Iterator[Row]:
    before = walk.begin
    for number, step in enumerate(walk.steps, 1):
        yield Row(number, f"{step.event}({_arguments(step)})", _became(before, step))
        before = step.answer.after


def _arguments(step: Occurrence) -> str:
    return ", ".join(f"{name}={exact(value)}" for name, value in step.arguments.items())


def _became(before: Snapshot, step: Occurrence) -> str:
    """Say what changed, what was given back and what was raised."""
    answer = step.answer
    changes = [f"{before.state} -> {answer.after.state}"] if answer.after.state != before.state else []
    changes += [f"{name}={exact(value)}" for name, value in answer.after.variables.items() if before.variables.get(name) != value]
    given: Value = answer.returned
    changes += [f"returned {exact(given)}"] if given is not None else []
    changes += [f"raised {answer.error}"] if answer.error else []
    return "  ".join(changes)


def claims_of(wrong: Iterable[str], properties: Iterable[Noticed]) -> Iterator[ClaimSaid]:
    """Yield what is wrong with a spec, then what a walk shows of each property."""
    for message in dict.fromkeys(wrong):
        yield ClaimSaid("error of the spec", message, broken=True)
    for noticed in properties:
        yield _claim(noticed)


def _claim(noticed: Noticed) -> ClaimSaid:
    named = noticed.property
    title = named.name if named.name == named.claim.value else f"{named.claim.value} {named.name}"
    at = "" if noticed.at is None else f" after {noticed.at} {'step' if noticed.at == 1 else 'steps'}"
    said = f"{title}: {noticed.said}{at}" if noticed.said else title
    if noticed.verdict is Verdict.VIOLATED:
        return ClaimSaid("broken       ", said, broken=True)
    if noticed.verdict is Verdict.HOLDS:
        return ClaimSaid("met          ", said, met=True)
    unmet = {Claim.SOMETIMES: "not met      ", Claim.LEADS_TO: "not looked at"}
    return ClaimSaid(unmet.get(named.claim, "not broken   "), said)
