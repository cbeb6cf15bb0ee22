"""Random walks through systems, as rows that a person reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from statemachines.api.explore import scope_of
from statemachines.api.walking import Row, Walked, claims_of, known_of
from statemachines.explore.system_world import system_extent
from statemachines.explore.walking_systems import SystemOccurrence, simulate_system
from statemachines.model.snapshots import Snapshot, Value
from statemachines.model.systems import Held, PartStep, System, SystemSnapshot, SystemSpec
from statemachines.model.verdicts import Verdict
from statemachines.notation import read_spec, resolve_release, system_of
from statemachines.semantics.systems import tables_of_system
from statemachines.semantics.texts import exact


def find_system(name_or_path: str) -> SystemSpec | None:
    """Return a system without errors; None where the name is not that of one."""
    return read_spec(name_or_path).system


def system_in_release(spec: SystemSpec, release: str | None) -> tuple[System, str]:
    """Return a system in one release, and what to tell the person who named it otherwise than the list does.

    Raises:
        ValueError: it names no release of the system.
    """
    system = system_of(spec, release)
    return system, "" if release is None else resolve_release(spec.family, release, within=spec.releases).said


def system_walked(system: System, *, seed: int, steps: int, walks: int, scope: tuple[str, ...] = ()) -> Walked:
    """Walk several times; show the first walk that breaks something, else the last; see `walking.walked`."""
    tables = tables_of_system(system)
    said = scope_of(tables.behaviour.machine, scope)
    system_extent(tables, said)
    known = known_of(said)
    walk = simulate_system(system, seed=seed, steps=steps, **known)
    for number in range(1, walks):
        if walk.verdict is Verdict.VIOLATED:
            break
        walk = simulate_system(system, seed=seed + number, steps=steps, **known)
    title = f"{system.name} {system.release}".strip() + f", seed {walk.seed}"
    rows = tuple(system_rows(walk.begin, walk.steps))
    claims = tuple(claims_of(walk.wrong, walk.noticed))
    return Walked(title, begin_said(walk.begin), rows, claims, walk.verdict is Verdict.VIOLATED)


def system_rows(begin: SystemSnapshot, steps: Iterable[SystemOccurrence]) -> Iterator[Row]:
    """Yield the steps of a system for a person."""
    now = begin
    for number, one in enumerate(steps, 1):
        shared = [f"{name}={exact(value)}" for name, value in one.answer.after.variables.items() if now.variables.get(name) != value]
        yield Row(number, asked(one), "  ".join([became(one), *shared]))
        now = one.answer.after


def begin_said(begin: SystemSnapshot) -> str:
    """Write a system's snapshot on one line."""
    values = {**begin.parameters, **begin.variables}
    return "  ".join([*(f"{name}={exact(value)}" for name, value in values.items()), *_held(begin.parts)])


def _held(parts: Mapping[str, Held]) -> Iterator[str]:
    for name, held in parts.items():
        if isinstance(held, Snapshot):
            yield f"{name} {held.state}"
        elif held is None:
            yield f"no {name}"
        else:
            yield from (f"{name}[{exact(key)}] {one.state}" for key, one in held.items())


def asked(one: SystemOccurrence) -> str:
    """Write what was asked of which part, and whether it had waited."""
    arguments = ", ".join(f"{name}={exact(value)}" for name, value in one.arguments.items())
    later = "delivered: " if one.delivered is not None else ""
    part, _, event = one.event.partition(".")
    return f"{later}{_named(part, event, one.key)}({arguments})"


def _named(part: str, event: str, key: Value) -> str:
    return f"{part}.{event}" if key is None else f"{part}[{exact(key)}].{event}"


def became(one: SystemOccurrence) -> str:
    """Say what became of the event, then of all that was sent."""
    first, *sent = one.answer.steps
    told = [_outcome(first), *(f"then {_named(step.part, step.event, step.key)}: {_outcome(step)}" for step in sent)]
    return "  ".join(told)


def _outcome(step: PartStep) -> str:
    kind = type(step.answer).__name__.lower()
    return step.answer.after.state if kind == "advanced" else f"{kind} {step.answer.error or ''}".strip()
