"""A system explored as one machine: every state within a scope, and what its rules say of them."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping

from attrs import evolve

from statemachines.explore.checkpoints import kept
from statemachines.explore.claims import as_expected, title_of, verdict_of
from statemachines.explore.drawing import Values
from statemachines.explore.exploring import ANYHOW, How, how_said
from statemachines.explore.scopes import NOTHING_SAID, Scope, assumed, fixed_parameters, id_types, is_bounded, said_of
from statemachines.explore.search import Canonical
from statemachines.explore.system_checkpoints import system_checkpoint
from statemachines.explore.system_fairness import promise
from statemachines.explore.system_results import SystemExamined, SystemExploration, SystemTrace
from statemachines.explore.system_search import Run, searched
from statemachines.explore.system_symmetry import canonical_system
from statemachines.explore.system_world import SystemWorld, system_world
from statemachines.explore.vacuity import vacuous
from statemachines.model.data import Claim, Property
from statemachines.model.snapshots import Snapshot, Value
from statemachines.model.systems import System
from statemachines.model.verdicts import Verdict
from statemachines.semantics.mistakes import ArgumentsError
from statemachines.semantics.systems import deliver, step_system

SOUND, SENT = "the spec is sound", "every link sends"


def explore_system(system: System, scope: Scope = NOTHING_SAID, how: How = ANYHOW) -> SystemExploration:
    """Visit every state of a system, breadth first, and look at its rules.

    Args:
        system: in one release.
        scope: sizes of `id` types (the keys of parts too), ranges, and parameters of the system.
        how: symmetry, limits, and the file of a search that stopped; a system is explored by rows, one of it.

    Returns:
        What was found: HOLDS is said of all states within the scope; where a bound was hit, what was not broken is INCONCLUSIVE.

    Raises:
        ArgumentsError: the scope does not fit the system, nothing begins, several copies are asked for, or the file is of another search.

    Complexity: each step is asked of the system once; some 500 bytes a state.
    """
    how = how.begun_now()
    return explore_system_world(system_world(system, scope, how.limits), scope, how)[0]


def explore_system_world(world: SystemWorld, scope: Scope, how: How) -> tuple[SystemExploration, Run]:
    """Visit every state of a system's world; see `explore_system`.

    Returns:
        What was found, and the search behind it: it has every row in the order in which they were met.
    """
    begun, system = time.perf_counter(), world.system
    if how.copies > 1:
        raise ArgumentsError(f"{world.tables.title} is a system, of which there is one; --scope says how many of its parts, as Task=3 does")
    how = how.begun_now()
    canonical, said = canonical_system(world) if how.symmetry else None, scope_said_of(world, scope)
    keep = None
    if how.resume is not None and not world.stopped.early:  # with some of its beginnings only it would be taken for another search
        keep = system_checkpoint(how.resume, world, said, how_said(how))
    run = searched(world, how.limits, canonical, raising=True, keep=keep)
    with kept(keep, run, run.save):
        assumptions, examined = _looked_at(run, scope, how, canonical)
    found = SystemExploration(
        system,
        said,
        how.symmetry,
        len(run.rows),
        run.transitions,
        run.turned_down,
        run.deepest,
        tuple(examined),
        tuple(dict.fromkeys([*assumptions, *run.bounds])),
        tuple(_unreached(world)),
        run.interrupted,
        time.perf_counter() - begun,
    )
    return found, run


def _looked_at(run: Run, scope: Scope, how: How, canonical: Canonical | None) -> tuple[list[str], list[SystemExamined]]:
    """Return the bounds that nobody named, and what is said of each property."""
    world = run.world
    assumptions = [*_assumed(world, scope)]
    bounded = bool(assumptions or run.bounds)
    examined = [_sound(run, bounded), _sent(run, bounded)]
    calm = _before_raising(world, run, how, canonical)
    for claimed in world.system.data.properties:
        one = as_expected(_examined(run, calm, claimed, how, bounded))
        seen = calm if claimed.until_raised else run
        left = seen.rules.never(claimed, seen.met) if seen is not None and one.verdict is Verdict.HOLDS and not one.said else None
        examined.append(one if left is None else evolve(one, said=vacuous(left)))
    return assumptions, examined


def _before_raising(world: SystemWorld, run: Run, how: How, canonical: Canonical | None) -> Run | None:
    """Search once more where something is claimed of runs in which nothing has raised; what stops that is a bound of the first search."""
    if run.interrupted or run.starved or not any(one.until_raised for one in world.system.data.properties):
        return None
    calm = searched(world, how.limits, canonical, raising=False)
    run.bounds += [bound for bound in calm.bounds if bound not in run.bounds]
    run.interrupted, run.starved = calm.interrupted, calm.starved
    return calm


def _examined(run: Run, calm: Run | None, claimed: Property, how: How, bounded: bool) -> SystemExamined:
    """Look at one property."""
    seen = calm if claimed.until_raised else run
    if seen is None or ((run.interrupted or run.starved) and claimed.claim is Claim.LEADS_TO):
        why = "interrupted before it was looked at" if run.interrupted else "not looked at, as no memory is left"
        return SystemExamined(title_of(claimed), Verdict.INCONCLUSIVE, why, property=claimed)
    if claimed.claim is Claim.LEADS_TO:
        return promise(seen, run, claimed, bounded or bool(seen.bounds), how.limits)
    number = run.world.system.data.properties.index(claimed)
    trace = seen.trace(number) if number in seen.met else None
    verdict, said = verdict_of(claimed, trace is not None, bounded or bool(seen.bounds))
    return SystemExamined(title_of(claimed), verdict, said, trace, claimed)


def _sound(run: Run, bounds: bool) -> SystemExamined:
    """Say whether shared variables keep to their types, and what links send fits."""
    if not run.world.wrong:
        return SystemExamined(SOUND, Verdict.INCONCLUSIVE if bounds else Verdict.HOLDS)
    trace = run.way(run.place[run.world.wrong[0]], lambda _, step: bool(step.occurrence.answer.wrong))
    return SystemExamined(SOUND, Verdict.VIOLATED, trace.steps[-1].answer.wrong[0], trace)


def _sent(run: Run, bounds: bool) -> SystemExamined:
    """Say which links never send anything: a guard that never holds, or a state that is never entered."""
    links = [link for link in run.world.system.links if link.send is not None and link.number not in run.fired]
    if not links:
        return SystemExamined(SENT, Verdict.HOLDS)
    named = ", ".join(f"link {link.number + 1}" + (f" (line {link.span.line})" if link.span is not None else "") for link in links)
    parts = run.world.tables.parts.values()
    machines = [run.world.tables.behaviour.machine, *(one.machine for one in run.world.tables.tables.values())]
    sure = not bounds and not any(part.each is not None for part in parts) and all(map(is_bounded, machines))
    return SystemExamined(SENT, Verdict.VIOLATED if sure else Verdict.INCONCLUSIVE, f"{'not yet' if bounds else 'never'}: {named}")


def _unreached(world: SystemWorld) -> Iterator[str]:
    """Yield the states that no part comes to."""
    for name, tables in world.tables.tables.items():
        reached = {one.state for one in world.held[name].values if isinstance(one, Snapshot)}
        yield from (f"{name}.{state}" for state in tables.states if state and state not in reached)


def _assumed(world: SystemWorld, scope: Scope) -> Iterator[str]:
    """Yield the bounds that nobody named, those that were hit while something was drawn included."""
    own = world.system.data.scope
    longest = own.longest if scope.longest is None else scope.longest
    named = evolve(scope, sizes={**dict(own.sizes), **scope.sizes}, integers=scope.integers or own.integers, longest=longest)
    yield from assumed(world.tables.behaviour, named)
    for name, part in world.tables.parts.items():
        each = [one.name for one in id_types(world.tables.behaviour.machine) if part.each is not None and one.name in str(part.each)]
        yield from (f"{type_} has 2 values, as no scope names it" for type_ in each if type_ not in named.sizes)
        yield from assumed(world.tables.tables[name].behaviour, named)
    yield from world.cut
    for (name, event), draws in world.draws.items():
        if draws.cut:
            yield f"`{name}.{event}` has more than {draws.most:,} arguments somewhere; the others were not looked at"


def scope_said_of(world: SystemWorld, scope: Scope) -> str:
    """Say what was explored, as `--scope` takes it: sizes of types, those of parts too, ranges, given parameters."""
    own, extents = world.tables.behaviour, world.extents
    sizes = {type_.name: len(world.extent.ids(type_)) for type_ in id_types(own.machine)}
    for name, tables in world.tables.tables.items():
        for type_ in id_types(tables.machine):
            sizes.setdefault(type_.name, len(extents[name].ids(type_)))
    named = own.machine.data.scope
    longest = world.extent.longest if (named.longest, scope.longest) != (None, None) else None
    begins: list[Values] = [world.parameters.values[number] for number in {row[-2] for row in world.begins}]  # type: ignore[misc]
    return ", ".join(said_of(sizes, scope.integers or named.integers, longest, fixed_parameters(own, world.extent, scope, begins)))


def replays(system: System, trace: SystemTrace) -> bool:
    """Tell whether the system's step gives the answers of a trace, arguments looked at too."""
    now = trace.begin
    for one in trace.steps:
        if one.delivered is not None:
            answer = deliver(system, now, one.delivered)
        else:
            given: Mapping[str, Value] = one.arguments
            answer = step_system(system, now, one.event, key=one.key, **given)
        if answer != one.answer:
            return False
        now = answer.after
    return True
