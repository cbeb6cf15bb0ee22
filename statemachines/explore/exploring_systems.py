"""A system explored as one machine: every state within a scope, and what its rules say of them."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping

from statemachines.explore.claims import as_expected, title_of, verdict_of
from statemachines.explore.draws import MOST
from statemachines.explore.exploring import ANYHOW, How
from statemachines.explore.scopes import NOTHING_SAID, Scope, assumed, id_types
from statemachines.explore.search import Canonical
from statemachines.explore.system_fairness import promise
from statemachines.explore.system_results import SystemExamined, SystemExploration, SystemTrace
from statemachines.explore.system_search import Run, searched
from statemachines.explore.system_symmetry import canonical_system
from statemachines.explore.system_world import SystemWorld, system_world
from statemachines.model.data import Claim, Property
from statemachines.model.snapshots import Snapshot, Value
from statemachines.model.systems import System
from statemachines.model.verdicts import Verdict
from statemachines.semantics.systems import deliver, step_system

SOUND, SENT = "the spec is sound", "every link sends"


def explore_system(system: System, scope: Scope = NOTHING_SAID, how: How = ANYHOW) -> SystemExploration:
    """Visit every state of a system, breadth first, and look at its rules.

    Args:
        system: in one release.
        scope: sizes of `id` types (the keys of parts too), ranges, and parameters of the system.
        how: symmetry and limits; a system is explored by rows, one of it.

    Returns:
        What was found: HOLDS is said of all states within the scope; where a bound was hit, what was not broken is INCONCLUSIVE.

    Raises:
        ArgumentsError: the scope does not fit the system, or nothing begins.

    Complexity: each step is asked of the system once; some 500 bytes a state.
    """
    begun = time.perf_counter()
    world = system_world(system, scope)
    canonical = canonical_system(world) if how.symmetry else None
    run = searched(world, how, canonical, raising=True)
    bounds = [*_assumed(world, scope), *run.bounds]
    examined = [_sound(run, bool(bounds)), _sent(run, bool(bounds))]
    for claimed in system.data.properties:
        examined.append(as_expected(_examined(world, run, claimed, how, canonical, bounds)))
    return SystemExploration(
        system,
        _scope_said(world, scope),
        how.symmetry,
        len(run.rows),
        run.transitions,
        run.turned_down,
        run.deepest,
        tuple(examined),
        tuple(dict.fromkeys(bounds)),
        tuple(_unreached(world)),
        run.interrupted,
        time.perf_counter() - begun,
    )


def _examined(world: SystemWorld, run: Run, claimed: Property, how: How, canonical: Canonical | None, bounds: list[str]) -> SystemExamined:
    if claimed.claim is Claim.LEADS_TO:
        return promise(run, claimed, bool(bounds))
    bounded = bool(bounds)
    if claimed.until_raised:
        run = searched(world, how, canonical, raising=False)
        bounded = bounded or bool(run.bounds)
    number = world.system.data.properties.index(claimed)
    trace = run.trace(number) if number in run.met else None
    verdict, said = verdict_of(claimed, trace is not None, bounded)
    return SystemExamined(title_of(claimed), verdict, said, trace, claimed)


def _sound(run: Run, bounds: bool) -> SystemExamined:
    """Say whether shared variables keep to their types, and what links send fits."""
    if not run.world.wrong:
        return SystemExamined(SOUND, Verdict.INCONCLUSIVE if bounds else Verdict.HOLDS)
    row, _ = run.world.wrong[0]
    trace = run.way(run.place[row], lambda _, step: bool(step.occurrence.answer.wrong))
    return SystemExamined(SOUND, Verdict.VIOLATED, trace.steps[-1].answer.wrong[0], trace)


def _sent(run: Run, bounds: bool) -> SystemExamined:
    """Say which links never send anything: a guard that never holds, or a state that is never entered."""
    links = [link for link in run.world.system.links if link.send is not None and link.number not in run.fired]
    if not links:
        return SystemExamined(SENT, Verdict.HOLDS)
    named = ", ".join(f"link {link.number + 1}" + (f" (line {link.span.line})" if link.span is not None else "") for link in links)
    return SystemExamined(SENT, Verdict.INCONCLUSIVE, f"{'not yet' if bounds else 'never'}: {named}")


def _unreached(world: SystemWorld) -> Iterator[str]:
    """Yield the states that no part comes to."""
    for name, tables in world.tables.tables.items():
        reached = {one.state for one in world.held[name].values if isinstance(one, Snapshot)}
        yield from (f"{name}.{state}" for state in tables.states if state and state not in reached)


def _assumed(world: SystemWorld, scope: Scope) -> Iterator[str]:
    """Yield the bounds that nobody named, those that were hit while something was drawn included."""
    yield from assumed(world.tables.behaviour, scope)
    known = {*dict(world.system.data.scope.sizes), *scope.sizes}
    for name, part in world.tables.parts.items():
        behaviour = world.tables.tables[name].behaviour
        each = [one.name for one in id_types(world.tables.behaviour.machine) if part.each is not None and one.name in str(part.each)]
        for type_ in each:
            if type_ not in known:
                yield f"{type_} has 2 values, as no scope names it"
        yield from (one for one in assumed(behaviour, scope) if one.split()[0] not in known)
    yield from world.cut
    for (name, event), draws in world.draws.items():
        if draws.cut:
            yield f"`{name}.{event}` has more than {MOST:,} arguments somewhere; the others were not looked at"


def _scope_said(world: SystemWorld, scope: Scope) -> str:
    said = {type_.name: len(world.extent.ids(type_)) for type_ in id_types(world.tables.behaviour.machine)} | dict(scope.sizes)
    rest = [f"int={scope.integers[0]}..{scope.integers[1]}"] if scope.integers else []
    rest += [f"list={scope.longest}"] if scope.longest is not None else []
    return ", ".join([*(f"{name}={size}" for name, size in said.items()), *rest])


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
