"""A machine explored: every state within a scope, and what its properties say of them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from attrs import evolve, frozen

from statemachines.explore.arrays import array_search, have_arrays
from statemachines.explore.checkpoints import Checkpoint, checkpoint_of, kept
from statemachines.explore.claims import FAULTS, Asked, asked, asked_of_left_sides, examined
from statemachines.explore.coverage import COVERED, coverage, unreached, untaken
from statemachines.explore.crew import all_cores
from statemachines.explore.drawing import Values
from statemachines.explore.fairness import promises
from statemachines.explore.limits import NO_LIMITS, Limits, ceiling
from statemachines.explore.results import Examined, Exploration
from statemachines.explore.scopes import NOTHING_SAID, Scope, assumed, fixed_parameters, id_types, is_all_there_is, said_of
from statemachines.explore.search import Canonical, Goal, Searched, search
from statemachines.explore.symmetry import canonical_of
from statemachines.explore.traces import trace_of
from statemachines.explore.vacuity import BY_TYPES, by_its_types, vacuous
from statemachines.explore.world import World, world_of
from statemachines.model.data import Claim
from statemachines.model.machines import Machine
from statemachines.model.verdicts import Verdict
from statemachines.semantics.mistakes import ArgumentsError

SMALL = 20_000
"""States beyond which arrays are faster than rows."""
FEW_STEPS = 30_000
"""The same of steps, those counted that nothing takes."""


@frozen
class How:
    """How a machine is explored."""

    symmetry: bool = False
    """Whether interchangeable names stand for each other."""
    copies: int = 1
    """How many of the machine are explored side by side."""
    limits: Limits = NO_LIMITS
    engine: str = "auto"
    """`rows`, `arrays`, or whichever is faster."""
    resume: Path | None = None
    """A file in which a search that stops early is kept, and with which it goes on where it is there; it is removed at the end."""
    jobs: int | None = None
    """Threads at most, where there are many states; None: as many as there are cores. What is found does not depend on them."""

    def begun_now(self) -> How:
        """Return the same with its time counted from now on, where it does not count yet."""
        if self.limits.begun is not None:
            return self
        return evolve(self, limits=evolve(self.limits, begun=time.monotonic()))


ANYHOW = How()


def explore(machine: Machine, scope: Scope = NOTHING_SAID, how: How = ANYHOW) -> Exploration:
    """Visit every state of a machine, breadth first, and look at its properties.

    Args:
        machine: in one release.
        scope: what is said beside the spec's own scope.
        how: symmetry, copies, limits.

    Returns:
        What was found: HOLDS is said of all states within the scope; where a bound was hit, what was not broken is INCONCLUSIVE.
        The same machine, scope and options give the same result; only one that was interrupted, or that ran out of memory, depends on time.

    Raises:
        ArgumentsError: the scope does not fit the machine.
    """
    how = how.begun_now()
    return explore_world(world_of(machine, scope, how.copies, how.limits), how)[0]


def explore_world(world: World, how: How) -> tuple[Exploration, Searched]:
    """Visit every state of a world; see `explore`.

    Returns:
        What was found, and the search behind it: with `engine="rows"` it has every row in the order in which they were met.
    """
    begun = time.perf_counter()
    how = how.begun_now()
    canonical = canonical_of(world) if how.symmetry else None
    wanted = [one for one in _all_asked(world) if not (one.property and one.property.until_raised)]
    keep = None
    if how.resume is not None and not world.stopped.early:  # with some of its beginnings only it would be taken for another search
        keep = checkpoint_of(how.resume, world, scope_said(world), how_said(how))
    seen = _searched(world, wanted, how, canonical, keep)
    with kept(keep, seen, seen.save):
        known, found = _looked_at(world, wanted, seen, how, canonical)
    exploration = Exploration(
        world.machine,
        scope_said(world),
        how.copies,
        how.symmetry,
        seen.states,
        seen.transitions,
        seen.turned_down,
        seen.deepest,
        _in_order(world, found),
        tuple(dict.fromkeys([*known, *seen.bounds])),
        unreached(world),
        untaken(world),
        seen.interrupted,
        time.perf_counter() - begun,
    )
    return exploration, seen


def _looked_at(
    world: World, wanted: list[Asked], seen: Searched, how: How, canonical: Canonical | None
) -> tuple[list[str], list[Examined]]:
    """Return the bounds that nobody named, and what is said of each property."""
    known = [*assumed(world.tables.behaviour, world.scope), *cut_draws(world)]
    bounds = bool(known or seen.bounds)
    found = [*_examined(world, wanted, seen, canonical, bounds), coverage(world, bounds, is_all_there_is(world.machine, world.scope))]
    calm = _before_raising(world, how, canonical, seen)
    before = [one for one in _all_asked(world) if one.property and one.property.until_raised]
    if calm is None:
        found += [examined(one, None, "", True) for one in before if one.rule is None]
    else:
        found += _examined(world, before, calm, canonical, bounds or bool(calm.bounds), raising=False)
    found += promises(world, seen, calm, bounds, symmetry=how.symmetry, limits=how.limits)
    return known, [_as_vacuous(world, one, _never(wanted, seen) | _never(before, calm)) for one in found]


def _all_asked(world: World) -> list[Asked]:
    """Return what is asked of a machine, and what shows that rules of it say nothing."""
    return [*asked(world), *asked_of_left_sides(world)]


def _never(wanted: list[Asked], seen: Searched | None) -> dict[int, str]:
    """Return the rules (by `id`) of which a left side never was true in what was seen, with this left side."""
    found, number = dict[int, str](), 0
    for one in wanted if seen is not None else ():
        met = seen is not None and any(place in seen.met for place in range(number, number + len(one.goals)))
        number += len(one.goals)
        if one.rule is not None and not met:
            found.setdefault(id(one.rule), one.left)
    return found


def _as_vacuous(world: World, one: Examined, never: dict[int, str]) -> Examined:
    """Name a rule that holds of everything as what it is."""
    if one.verdict is not Verdict.HOLDS or one.property is None or one.said:
        return one
    if by_its_types(world, one.property):
        return evolve(one, said=BY_TYPES)
    return evolve(one, said=vacuous(never[id(one.property)])) if id(one.property) in never else one


def cut_draws(world: World) -> Iterator[str]:
    """Yield the bounds that what is drawn hit: beginnings and arguments of events of which there are more than are gone through."""
    yield from world.cut
    for rule in world.rules:
        if rule.draws.cut:
            yield f"`{rule.event}` has more than {rule.draws.most:,} arguments somewhere; the others were not looked at"


def _searched(world: World, wanted: list[Asked], how: How, canonical: Canonical | None, keep: Checkpoint | None) -> Searched:
    """Search with rows, or with arrays where there are many and nothing needs rows."""
    if world.stopped.early:
        place = {row: number for number, row in enumerate(world.begins)}
        stopped = world.stopped
        return Searched(
            interrupted=stopped.interrupted, gave_up=True, starved=stopped.starved, rows=world.begins, place=place, states=len(place)
        )
    goals = [goal for one in wanted for goal in one.goals]
    needs_rows = canonical is not None or any(one.claim is Claim.LEADS_TO for one in world.machine.data.properties)
    return _found(world, goals, how, keep, canonical, how.engine == "rows" or needs_rows or not have_arrays())


def _found(world: World, goals: list[Goal], how: How, keep: Checkpoint | None, canonical: Canonical | None, rows: bool) -> Searched:
    if keep is not None and keep.engine == "arrays" and not have_arrays():
        raise ArgumentsError(f"{keep.path} was written with numpy, which is not installed here")
    if rows:
        return search(world, goals, how.limits, canonical=canonical, keep=keep)
    many = not world.tables.has_data and len(world.tables.states) ** how.copies > SMALL
    if how.engine == "auto" and not many and (keep is None or keep.engine != "arrays"):
        few = min(FEW_STEPS, how.limits.most_steps or FEW_STEPS)
        limits = evolve(how.limits, most_states=min(SMALL, how.limits.most_states), most_steps=few)
        first = search(world, goals, limits, keep=keep)
        if not _of_few(first, how.limits):
            return first
    return array_search(world, goals, how.limits, keep, how.jobs or all_cores()) or search(world, goals, how.limits, keep=keep)


def _of_few(seen: Searched, limits: Limits) -> bool:
    """Tell whether a search stopped because there are many states or steps, not at a limit that somebody gave."""
    given = ceiling(limits.most_states, "states"), None if limits.most_steps is None else ceiling(limits.most_steps, "steps")
    return any(bound.endswith((" states", " steps")) and bound not in given for bound in seen.bounds)


def _examined(
    world: World, wanted: list[Asked], seen: Searched, canonical: Canonical | None, bounds: bool, raising: bool = True
) -> Iterator[Examined]:
    """Yield what a search says of each property; of several copies, the one that was met with the fewest steps."""
    number = 0
    for one in wanted:
        paths = [(seen.paths[place], goal) for place, goal in enumerate(one.goals, number) if place in seen.paths]
        number += len(one.goals)
        if one.rule is not None:
            continue
        if not paths:
            yield examined(one, None, "", bounds)
            continue
        path, goal = min(paths, key=lambda pair: len(pair[0].rows) + (pair[0].after is not None))
        yield examined(one, trace_of(world, path, canonical, goal.step, raising=raising), path.said, bounds)


def _before_raising(world: World, how: How, canonical: Canonical | None, seen: Searched) -> Searched | None:
    """Search once more, without steps that raise, where something is claimed of runs in which none has.

    What stops that is told in `seen`; None where nothing is claimed, or nothing can be searched any more.
    """
    claimed = [one for one in _all_asked(world) if one.property and one.property.until_raised]
    if seen.interrupted or seen.starved or not any(one.until_raised for one in world.machine.data.properties):
        return None
    calm = search(world, [goal for one in claimed for goal in one.goals], how.limits, canonical=canonical, raising=False)
    seen.bounds += [bound for bound in calm.bounds if bound not in seen.bounds]
    seen.interrupted, seen.starved = calm.interrupted, calm.starved
    return calm


def _in_order(world: World, found: list[Examined]) -> tuple[Examined, ...]:
    """Put what was found in the author's order, what is asked of every machine first."""
    order = {id(claimed): place for place, claimed in enumerate(world.machine.data.properties)}
    first = {FAULTS.name: -2, COVERED: -1}
    return tuple(sorted(found, key=lambda one: first.get(one.name, order.get(id(one.property), len(order)))))


def how_said(how: How) -> str:
    """Say how something is explored, as far as a search that stopped must go on the same way."""
    symmetry = ["with symmetry"] if how.symmetry else []
    return " ".join([*symmetry, *([f"by {how.engine}"] if how.engine != "auto" else [])])


def scope_said(world: World) -> str:
    """Say what was explored, as `--scope` takes it: sizes of types, ranges, given parameters; then the copies."""
    own, given, within = world.machine.data.scope, world.scope, world.extent
    sizes = {type_.name: len(within.ids(type_)) for type_ in id_types(world.machine)}
    integers = within.integers if own.integers or given.integers else None
    longest = within.longest if (own.longest, given.longest) != (None, None) else None
    fixed = fixed_parameters(world.tables.behaviour, within, given, _parameters(world))
    said = [*said_of(sizes, integers, longest, fixed)]
    return ", ".join([*said, f"{world.copies} copies"] if world.copies > 1 else said)


def _parameters(world: World) -> Iterator[Values]:
    """Yield the parameters of every beginning of one copy."""
    columns = world.columns[1 : 1 + len(world.machine.data.parameters)]
    for row in {row[: 1 + len(columns)] for row in world.begins} if columns else ():
        yield {column.name: column.values[number] for column, number in zip(columns, row[1:], strict=True)}
