"""Mutants of where transitions lead: dropped, sent elsewhere, swapped, taken where they should not be."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from attrs import evolve

from statemachines.model.machines import Transition
from statemachines.mutate.edits import Edit
from statemachines.mutate.mutants import Draft, Ground, Operator, Site
from statemachines.mutate.written import differing, transition_keys
from statemachines.notation.ranges import union


def drafted(ground: Ground, site: Site, operator: Operator, said: str, arrows: tuple[Transition | None, ...]) -> Draft:
    """Return a mutant in which a site's arrows are others.

    Args:
        ground: what it is a mutant of.
        site: the arrows.
        operator: what kind of change it is.
        said: what was done, as in `Draft.said`.
        arrows: one for each arrow of the site; None: gone.
    """
    case = {} if site.case is None else {"case": str(site.case)}
    rest = [arrow for arrow in arrows if arrow is not None]
    before = case | transition_keys(ground.spec, site.arrows)
    after = case | transition_keys(ground.spec, rest) if rest else {}
    edit = Edit(transitions=dict(zip(site.places, arrows, strict=True)))
    return Draft(operator, site.title, said, edit, differing(before, after), ground.machine.release, site.first.span)


def dropped(ground: Ground) -> Iterator[Draft]:
    """Yield each transition dropped."""
    for site in ground.sites():
        yield drafted(ground, site, Operator.DROP, "is dropped", (None,) * len(site.arrows))


def retargeted(ground: Ground) -> Iterator[Draft]:
    """Yield each transition with every other state as its target; a move of a table (`to_B`) asks for the other state then."""
    taken = {(arrow.source, arrow.event) for arrow in ground.machine.transitions}
    for site in ground.sites():
        targets = {arrow.target for arrow in site.arrows}
        for state in ground.states:
            arrows = tuple(_sent(ground, arrow, state) for arrow in site.arrows)
            occupied = any(
                new.event != old.event and (new.source, new.event) in taken for new, old in zip(arrows, site.arrows, strict=True)
            )
            if targets == {state} or occupied or not all(arrow.releases & ground.bit for arrow in arrows):
                continue
            said = f"leads to {state}" + (f", not to {site.first.target}" if len(targets) == 1 else "")
            yield drafted(ground, site, Operator.RETARGET, said, arrows)


def _sent(ground: Ground, arrow: Transition, state: str) -> Transition:
    event = f"to_{state}" if is_move(arrow) else arrow.event
    return evolve(arrow, target=state, event=event, releases=arrow.releases & state_releases(ground, state))


def is_move(arrow: Transition) -> bool:
    """Tell whether an arrow is a move of a table: its event only names its target."""
    return arrow.event == f"to_{arrow.target}" and arrow.case is None


def swapped(ground: Ground) -> Iterator[Draft]:
    """Yield neighbours from the same states with each other's targets; moves of a table that change them stay what they are together."""
    sites = [site for site in ground.sites() if not is_move(site.first)]
    for site, other in pairwise(sites):
        same = tuple(arrow.source for arrow in site.arrows) == tuple(arrow.source for arrow in other.arrows)
        if not same or site.first.target == other.first.target:
            continue
        one = tuple(evolve(arrow, target=far.target) for arrow, far in zip(site.arrows, other.arrows, strict=True))
        two = tuple(evolve(arrow, target=far.target) for arrow, far in zip(other.arrows, site.arrows, strict=True))
        first = drafted(ground, site, Operator.SWAP, f"leads to {other.first.target}, and {other.title} to {site.first.target}", one)
        second = drafted(ground, other, Operator.SWAP, "", two)
        edit = Edit(transitions={**first.edit.transitions, **second.edit.transitions})
        yield evolve(first, edit=edit, diff=(*first.diff, *second.diff))


def allowed(ground: Ground) -> Iterator[Draft]:
    """Yield each plain event taken from every state that does not take it, to where its transitions lead."""
    spec, taken = ground.spec, {(arrow.source, arrow.event) for arrow in ground.machine.transitions}
    plain = [site.first for site in ground.sites() if site.first.case is None]
    ways = {(arrow.event, arrow.target): arrow for arrow in reversed(plain)}
    entry = 1 + max((arrow.entry for arrow in spec.transitions), default=0)
    for like in reversed(ways.values()):
        for state in ground.machine.states:
            if (state.name, like.event) in taken or (state.name == like.target and is_move(like)):
                continue
            added = Transition(
                state.name, like.target, like.event, entry=entry, releases=like.releases & state_releases(ground, state.name)
            )
            edit = Edit(added=(added,))
            said = f"is taken in {state.name} too" if not is_move(like) else f"is allowed from {state.name} too"
            what = like.event if not is_move(like) else f"the move to {like.target}"
            yield Draft(Operator.ALLOW, what, said, edit, differing({}, transition_keys(spec, [added])), ground.machine.release, like.span)


def state_releases(ground: Ground, name: str) -> int:
    """Return the releases that have a state."""
    return union(state.releases for state in ground.spec.states if state.name == name)
