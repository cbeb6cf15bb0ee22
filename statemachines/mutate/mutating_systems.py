"""Mutation testing of a system: its links are made wrong by a little, and its rules shall notice."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve, frozen

from statemachines.explore.exploring import How
from statemachines.explore.exploring_systems import SENT, SOUND, explore_system_world
from statemachines.explore.limits import Limits
from statemachines.explore.scopes import Scope
from statemachines.explore.system_results import SystemExploration, SystemTrace
from statemachines.explore.system_search import Run
from statemachines.explore.system_world import SystemWorld, system_world
from statemachines.explore.walking_systems import SystemOccurrence
from statemachines.model.systems import System, SystemAnswer, SystemSnapshot
from statemachines.model.verdicts import Verdict
from statemachines.mutate.links import mutants_of_system, mutated_system
from statemachines.mutate.mutants import Mutant
from statemachines.mutate.mutating import EVERY, ITSELF, Chosen, Judges
from statemachines.mutate.originals import TYPED, ceiling_of
from statemachines.mutate.results import Fate, Judge, Judged, Mutation, Notice, violated
from statemachines.mutate.sameness import said_by
from statemachines.semantics.systems import deliver, follow

ENDS = "every step ends"


@frozen(eq=False)
class _Original:
    """A system and all that exploring found."""

    system: System
    scope: Scope
    how: How
    world: SystemWorld
    exploration: SystemExploration
    run: Run


def mutate_system(system: System, judges: Judges = ITSELF, chosen: Chosen = EVERY) -> Mutation:
    """Judge the mutants of a system: its rules, and what is asked of every system, are the judges.

    Args:
        system: in one release.
        judges: the scope, and the ceiling of each exploration.
        chosen: which mutants.

    Returns:
        What became of each, as of a machine; none is called a duplicate.

    Raises:
        ArgumentsError: the scope does not fit the system.

    Complexity: one exploration of the original and of each mutant that differs, interchangeable parts standing for each other.
    """
    how = How(symmetry=True, limits=Limits(judges.most_states))
    world = system_world(system, judges.scope)
    original = _Original(system, judges.scope, how, world, *_explored(world, judges.scope, how))
    every = mutants_of_system(system)
    some = every if chosen.most is None else mutants_of_system(system, most=chosen.most, seed=chosen.seed)
    some = tuple(each for each in some if not chosen.numbers or each.number in chosen.numbers)
    judged, interrupted = list[Judged](), False
    try:
        for place, mutant in enumerate(some):
            if chosen.told is not None:
                chosen.told(place, len(some))
            judged.append(_judged(original, mutant))
    except KeyboardInterrupt:
        interrupted = True
    return Mutation(
        system, original.exploration.scope, len(every), judges.present, tuple(judged), interrupted, violated(original.exploration)
    )


def _explored(world: SystemWorld, scope: Scope, how: How) -> tuple[SystemExploration, Run]:
    exploration, run = explore_system_world(world, scope, how)
    if run.interrupted:
        raise KeyboardInterrupt
    return exploration, run


def _judged(original: _Original, mutant: Mutant) -> Judged:
    try:
        world = system_world(mutated_system(original.system, mutant.draft.edit), original.scope)
        row, runs = _apart(original, world)
        if row is None:
            return _alike(original, mutant)
        exploration, run = _explored(world, original.scope, original.how)
    except TYPED as problem:
        return Judged(mutant, Fate.KILLED, (Notice(Judge.CHECKS, "every expression has a value", f"{type(problem).__name__}: {problem}"),))
    except RecursionError:
        return Judged(mutant, Fate.KILLED, (Notice(Judge.CHECKS, ENDS, "links send to each other for ever"),))
    ceiling = ceiling_of(run.bounds)
    notices = tuple(_noticed(original.exploration, exploration, complete=not ceiling))
    if notices:
        return Judged(mutant, Fate.KILLED, notices)
    if ceiling:
        return Judged(mutant, Fate.NOT_JUDGED, why=f"nothing wrong up to {ceiling}")
    return Judged(mutant, Fate.SURVIVED, runs=runs)


def _alike(original: _Original, mutant: Mutant) -> Judged:
    """Say of a mutant that answered alike wherever the original came to whether that is everywhere."""
    ceiling = ceiling_of(original.run.bounds)
    return Judged(mutant, Fate.NOT_JUDGED, why=f"no difference up to {ceiling}") if ceiling else Judged(mutant, Fate.EQUIVALENT)


def _apart(original: _Original, other: SystemWorld) -> tuple[int | None, tuple[SystemTrace, ...]]:
    """Return the first row of the original in which the two answer otherwise, -1 where they begin otherwise, and both runs to there."""
    world, run = original.world, original.run
    if {world.snapshot(row) for row in world.begins} != {other.snapshot(row) for row in other.begins}:
        return -1, ()
    for place, row in enumerate(run.rows):
        if not world.is_outside(row) and _parting(world, other, world.snapshot(row)) is not None:
            way = run.way(place)  # it may end in a row that is the same but for the names of interchangeable parts
            pair = _parting(world, other, way.snapshots[-1]) or ()
            return place, tuple(evolve(way, steps=(*way.steps, one)) for one in pair)
    return None, ()


def _parting(world: SystemWorld, other: SystemWorld, now: SystemSnapshot) -> tuple[SystemOccurrence, SystemOccurrence] | None:
    """Return the first event that two systems answer otherwise, with both answers."""
    for step in (*world.steps(world.row(now)), *other.steps(other.row(now))):
        one = step.occurrence
        old, new = (_answer(each, now, one) for each in (world, other))
        if _said(old) != _said(new):
            return evolve(one, answer=old), evolve(one, answer=new)
    return None


def _answer(world: SystemWorld, now: SystemSnapshot, one: SystemOccurrence) -> SystemAnswer:
    """Return what a system makes of an event whose own step is known."""
    if one.delivered is not None:
        return deliver(world.system, now, one.delivered)
    part, _, event = one.event.partition(".")
    return follow(world.tables, now, part, one.key, event, one.arguments, one.answer.steps[0].answer)


def _said(answer: SystemAnswer) -> object:
    steps = [(step.part, step.key, step.event, step.arguments, said_by(step.answer)) for step in answer.steps]
    return answer.after, steps, answer.wrong


def _noticed(original: SystemExploration, mutant: SystemExploration, *, complete: bool) -> Iterator[Notice]:
    """Yield what says otherwise of a mutant than of the original."""
    before = {one.name: one.verdict for one in original.examined}
    for one in mutant.examined:
        worse = one.verdict is not before.get(one.name) and before.get(one.name) is not Verdict.VIOLATED
        if worse and (complete or one.verdict is Verdict.VIOLATED):
            judge = Judge.CHECKS if one.name in (SOUND, SENT) else Judge.PROPERTIES
            yield Notice(judge, one.name, one.said, run=one.trace if one.verdict is Verdict.VIOLATED else None)
    lost = [name for name in mutant.unreached if name not in original.unreached]
    if complete and lost:
        yield Notice(Judge.CHECKS, "everything is reached", f"never {', '.join(lost)}")
