"""What no run comes to: states and transitions that could as well be left out of a spec, or that something keeps from being used."""

from __future__ import annotations

from collections import Counter

from statemachines.explore.results import Examined
from statemachines.explore.world import World
from statemachines.model.machines import Machine, Transition
from statemachines.model.verdicts import Verdict

COVERED = "everything is reached"


def coverage(world: World, bounds: bool, whole: bool) -> Examined:
    """Say whether every state is reached and every transition taken.

    Args:
        world: what was explored.
        bounds: whether something kept the search from seeing everything.
        whole: whether no scope leaves anything out: then what was not reached never is, and else a wider one might come to it.
    """
    states, arrows = unreached(world), untaken(world)
    if not states and not arrows:
        return Examined(COVERED, Verdict.HOLDS)
    never = [f"never in {', '.join(states)}"] if states else []
    never += [f"never taken: {', '.join(map(named, arrows))}"] if arrows else []
    sure = whole and not bounds
    return Examined(COVERED, Verdict.VIOLATED if sure else Verdict.INCONCLUSIVE, "; ".join(never))


def unreached(world: World) -> tuple[str, ...]:
    """Return the states that no run comes to, those left out to which only transitions lead that are said never to be taken.

    A state counts to which a run comes that is not followed on from there: a bound was hit.
    """
    reached = {number for rule in world.rules for number in rule.asked_in} | {row[0] for row in world.begins}
    taken = {number for rule in world.rules for number in rule.took}
    led_to = {arrow.target for arrow in world.machine.transitions if id(arrow) in taken}
    said = _said_never(world.machine)
    names = world.tables.states
    return tuple(name for number, name in enumerate(names) if number not in reached and name and name not in said | led_to)


def untaken(world: World) -> tuple[Transition, ...]:
    """Return the transitions that no run takes; one that leads from every state is taken where it is taken from one.

    What leaves a state that is said never to be reached is left out.
    """
    taken = {number for rule in world.rules for number in rule.took}
    arrows, said = [arrow for arrow in world.machine.transitions if arrow.taken], _said_never(world.machine)
    size = Counter(map(_operation, arrows))
    used = {_operation(arrow) for arrow in arrows if id(arrow) in taken}
    missed = []
    for arrow in arrows:
        everywhere = size[_operation(arrow)] == len(world.tables.states)
        if id(arrow) in taken or arrow.source in said or (everywhere and _operation(arrow) in used):
            continue
        if not everywhere or arrow.source == world.tables.states[0]:
            missed.append(arrow)
    return tuple(missed)


def _operation(arrow: Transition) -> tuple[int, str, int]:
    return arrow.entry, arrow.event, arrow.case.number if arrow.case else 0


def _said_never(machine: Machine) -> set[str]:
    """Return the states to which transitions lead, and none that is ever taken."""
    led_to = {arrow.target for arrow in machine.transitions if arrow.source != arrow.target}
    return led_to - {arrow.target for arrow in machine.transitions if arrow.taken and arrow.source != arrow.target}


def named(arrow: Transition) -> str:
    """Return how a transition is called: `LOCKED -> OPEN on coin`."""
    where = f"{arrow.source} -> {arrow.target}" if arrow.source else ""
    event = "" if arrow.event == f"to_{arrow.target}" else f"on {arrow.event}" if where else arrow.event
    case = f"case {arrow.case.number + 1}" if arrow.case and arrow.case.when is not None else ""
    return " ".join(part for part in (where, event, case) if part)
