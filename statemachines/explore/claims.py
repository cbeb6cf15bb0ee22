"""Properties as goals of a search, and what reaching a goal, or never reaching it, says of the property."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

import attrs
from attrs import frozen

from statemachines.explore.columns import Row
from statemachines.explore.results import Examined, Trace
from statemachines.explore.search import Goal
from statemachines.explore.system_results import SystemExamined
from statemachines.explore.vacuity import left_sides
from statemachines.explore.watching import Watch, watches_of
from statemachines.explore.world import World
from statemachines.model.data import Claim, Property
from statemachines.model.verdicts import Verdict


@frozen(eq=False)
class Asked:
    """A property with the goals that decide it: one for each copy."""

    property: Property | None
    goals: tuple[Goal, ...]
    name: str = ""
    rule: Property | None = None
    """The rule that says nothing where no goal is met: this is asked for its sake, and no property of its own."""
    left: str = ""
    """What is never true then, in words."""


FAULTS = Asked(None, (Goal(fault=True),), "the spec is sound")
"""Asked of every machine: no variable leaves its type, no two transitions take the same event."""


def asked(world: World) -> Iterator[Asked]:
    """Yield what is asked of a machine, `leads to` aside."""
    yield FAULTS
    claims = world.machine.data.properties
    for claimed in claims:
        if claimed.claim is not Claim.LEADS_TO:
            yield Asked(claimed, tuple(_goals(world, claimed)), title_of(claimed))
    if not any(claimed.claim is Claim.NO_DEADLOCK for claimed in claims) and not world.tables.has_data:
        default = Property(Claim.NO_DEADLOCK, "no deadlock")
        yield Asked(default, tuple(_goals(world, default)), "no deadlock")


def asked_of_left_sides(world: World) -> Iterator[Asked]:
    """Yield what is asked to find rules that hold because what they speak of never comes up."""
    for rule, never, left in left_sides(world.machine.data.properties):
        goals = (attrs.evolve(goal, is_shown=False) for goal in _goals(world, never))
        yield Asked(never, tuple(goals), rule=rule, left=left)


def title_of(claimed: Property) -> str:
    """Return how a property is called: by its kind and name."""
    return claimed.name if claimed.name == claimed.claim.value else f"{claimed.claim.value} {claimed.name}"


def _goals(world: World, claimed: Property) -> Iterator[Goal]:
    if claimed.claim is Claim.NO_DEADLOCK:
        yield _deadlock(world)
        return
    if claimed.holds is None:
        return
    for watch in watches_of(world, claimed.holds, claimed):
        yield _goal(claimed.claim, watch)


def _goal(claim: Claim, watch: Watch) -> Goal:
    match claim:
        case Claim.SOMETIMES:
            return Goal(row=watch.holds, watch=watch, wanted=True)
        case Claim.EACH_STEP:
            return Goal(step=lambda old, new: not watch.holds_of(old, new), watch=watch)
    return Goal(row=lambda row: not watch.holds(row), watch=watch)


def _deadlock(world: World) -> Goal:
    """Look for a row that nothing changes and in which some copy may not stop."""
    final = {number for number, name in enumerate(world.tables.states) if world.tables.final >> number & 1}
    condition = world.machine.data.final
    watches = [] if condition is None else list(watches_of(world, condition))

    def may_not_stop(row: Row) -> bool:
        return any(row[copy * world.width] not in final and not (watches and watches[copy].holds(row)) for copy in range(world.copies))

    return Goal(stuck=may_not_stop)


WRONG = {
    Claim.ALWAYS: "does not hold here",
    Claim.EACH_STEP: "does not hold of this step",
    Claim.NO_DEADLOCK: "no event changes anything here, and it is not final",
    Claim.LEADS_TO: "never comes",
}


def examined(asked: Asked, trace: Trace | None, said: str, bounds: bool) -> Examined:
    """Return what a search says of a property.

    Args:
        asked: the property.
        trace: the way to its goal; None where the goal was never met.
        said: what else the search says.
        bounds: whether something kept the search from seeing everything.
    """
    claimed = asked.property
    if claimed is None:
        found = _of_spec(asked, trace, said, bounds)
    else:
        verdict, words = verdict_of(claimed, trace is not None, bounds)
        found = Examined(asked.name, verdict, words, trace)
    return as_expected(attrs.evolve(found, property=claimed))


def _of_spec(asked: Asked, trace: Trace | None, said: str, bounds: bool) -> Examined:
    if trace is not None:
        return Examined(asked.name, Verdict.VIOLATED, said, trace)
    return Examined(asked.name, Verdict.INCONCLUSIVE if bounds else Verdict.HOLDS)


def verdict_of(claimed: Property, met: bool, bounds: bool) -> tuple[Verdict, str]:
    """Return what is said of a property, and the words beside it; of known bugs see `as_expected`.

    Args:
        claimed: the property.
        met: whether what was looked for was found: a witness of a `sometimes`, else what breaks it.
        bounds: whether something kept the search from seeing everything.
    """
    if claimed.claim is Claim.SOMETIMES:
        if met:
            return Verdict.HOLDS, "a witness"
        return Verdict.INCONCLUSIVE if bounds else Verdict.VIOLATED, "no witness"
    if met:
        return Verdict.VIOLATED, WRONG[claimed.claim]
    return Verdict.INCONCLUSIVE if bounds else Verdict.HOLDS, ""


Judged = TypeVar("Judged", Examined, SystemExamined)
"""What exploring says of a property of a machine or of a system."""


def as_expected(found: Judged) -> Judged:
    """Turn the verdict of a known bug round: that it fails is right."""
    if found.property is None or not found.property.expect_fails:
        return found
    match found.verdict:
        case Verdict.VIOLATED:
            return attrs.evolve(found, verdict=Verdict.HOLDS, said=f"{found.said}, as expected")
        case Verdict.HOLDS:
            return attrs.evolve(found, verdict=Verdict.VIOLATED, said="was expected to fail, and holds")
    return found
