"""Mutants of where transitions lead: dropped, sent elsewhere, swapped, taken where they should not
be.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from attrs import evolve

from statemachines.model.definitions.machine_definitions import Transition
from statemachines.mutate.operators.edits import Edit
from statemachines.mutate.operators.mutants import (
    MutantCandidate,
    MutationContext,
    MutationOperator,
    MutationSite,
)
from statemachines.mutate.operators.notation_diffs import key_diff, transition_keys
from statemachines.notation.releases.release_ranges import union


def transition_candidate(
    context: MutationContext,
    site: MutationSite,
    operator: MutationOperator,
    label: str,
    transitions: tuple[Transition | None, ...],
) -> MutantCandidate:
    """Return a mutant in which a site's transitions are others.

    Args:
        context: what it is a mutant of.
        site: the transitions.
        operator: what kind of change it is.
        label: what was done, as in `MutantCandidate.change`.
        transitions: one for each transition of the site; None: gone.

    Returns:
        The candidate, with its label and its diff.
    """
    case = {} if site.case is None else {"case": str(site.case)}
    rest = [transition for transition in transitions if transition is not None]
    before = case | transition_keys(context.spec, site.transitions)
    after = case | transition_keys(context.spec, rest) if rest else {}
    edit = Edit(transitions=dict(zip(site.indices, transitions, strict=True)))
    return MutantCandidate(
        operator,
        site.title,
        label,
        edit,
        key_diff(before, after),
        context.machine.release,
        site.first.span,
    )


def dropped_transitions(context: MutationContext) -> Iterator[MutantCandidate]:
    """Yield each transition dropped.

    Args:
        context: the spec and the machine that are changed.

    Yields:
        One candidate a change.
    """
    for site in context.sites():
        yield transition_candidate(
            context, site, MutationOperator.DROP, "is dropped", (None,) * len(site.transitions)
        )


def retargeted_transitions(context: MutationContext) -> Iterator[MutantCandidate]:
    """Yield each transition with every other state as its target; a move of a table (`to_B`) asks
    for the other state then.

    Args:
        context: the spec and the machine that are changed.

    Yields:
        One candidate a change.
    """
    taken = {(transition.source, transition.event) for transition in context.machine.transitions}
    for site in context.sites():
        targets = {transition.target for transition in site.transitions}
        for state in context.state_names:
            transitions = tuple(
                _retargeted(context, transition, state) for transition in site.transitions
            )
            occupied = any(
                new.event != old.event and (new.source, new.event) in taken
                for new, old in zip(transitions, site.transitions, strict=True)
            )
            if (
                targets == {state}
                or occupied
                or not all(transition.releases & context.release_bit for transition in transitions)
            ):
                continue
            label = f"leads to {state}" + (
                f", not to {site.first.target}" if len(targets) == 1 else ""
            )
            yield transition_candidate(context, site, MutationOperator.RETARGET, label, transitions)


def staying_transitions(context: MutationContext) -> Iterator[MutantCandidate]:
    """Yield each transition that begins the times of its state anew, as one by which time goes on.

    Args:
        context: the spec and the machine that are changed.

    Yields:
        One candidate a change.
    """
    for site in context.sites():
        if not all(transition.restarts for transition in site.transitions):
            continue
        staying = tuple(evolve(transition, restarts=False) for transition in site.transitions)
        label = "does not begin the times of its state anew"
        yield transition_candidate(context, site, MutationOperator.RETARGET, label, staying)


def _retargeted(context: MutationContext, transition: Transition, state: str) -> Transition:
    event = f"to_{state}" if _is_table_move(transition) else transition.event
    return evolve(
        transition,
        target=state,
        event=event,
        releases=transition.releases & state_releases(context, state),
    )


def _is_table_move(transition: Transition) -> bool:
    """Tell whether a transition is a move of a table: its event only names its target."""
    return transition.event == f"to_{transition.target}" and transition.case is None


def swapped_targets(context: MutationContext) -> Iterator[MutantCandidate]:
    """Yield neighbours from the same states with each other's targets; moves of a table that change
    them stay what they are together.

    Args:
        context: the spec and the machine that are changed.

    Yields:
        One candidate a change.
    """
    sites = [site for site in context.sites() if not _is_table_move(site.first)]
    for site, other in pairwise(sites):
        same = tuple(transition.source for transition in site.transitions) == tuple(
            transition.source for transition in other.transitions
        )
        if not same or site.first.target == other.first.target:
            continue
        changed = tuple(
            evolve(transition, target=far.target)
            for transition, far in zip(site.transitions, other.transitions, strict=True)
        )
        two = tuple(
            evolve(transition, target=far.target)
            for transition, far in zip(other.transitions, site.transitions, strict=True)
        )
        first = transition_candidate(
            context,
            site,
            MutationOperator.SWAP,
            f"leads to {other.first.target}, and {other.title} to {site.first.target}",
            changed,
        )
        second = transition_candidate(context, other, MutationOperator.SWAP, "", two)
        edit = Edit(transitions={**first.edit.transitions, **second.edit.transitions})
        yield evolve(first, edit=edit, diff=(*first.diff, *second.diff))


def added_transitions(context: MutationContext) -> Iterator[MutantCandidate]:
    """Yield each plain event taken from every state that does not take it, to where its transitions
    lead.

    Args:
        context: the spec and the machine that are changed.

    Yields:
        One candidate a change.
    """
    spec, taken = (
        context.spec,
        {(transition.source, transition.event) for transition in context.machine.transitions},
    )
    plain = [site.first for site in context.sites() if site.first.case is None]
    moves = {(transition.event, transition.target): transition for transition in reversed(plain)}
    entry = 1 + max((transition.entry for transition in spec.transitions), default=0)
    for like in reversed(moves.values()):
        for state in context.machine.states:
            if (state.name, like.event) in taken or (
                state.name == like.target and _is_table_move(like)
            ):
                continue
            added = Transition(
                state.name,
                like.target,
                like.event,
                entry=entry,
                releases=like.releases & state_releases(context, state.name),
            )
            edit = Edit(added=(added,))
            label = (
                f"is taken in {state.name} too"
                if not _is_table_move(like)
                else f"is allowed from {state.name} too"
            )
            what = like.event if not _is_table_move(like) else f"the move to {like.target}"
            yield MutantCandidate(
                MutationOperator.ALLOW,
                what,
                label,
                edit,
                key_diff({}, transition_keys(spec, [added])),
                context.machine.release,
                like.span,
            )


def state_releases(context: MutationContext, name: str) -> int:
    """Return the releases that have a state.

    Args:
        context: the spec and the machine that are changed.
        name: as the spec has it.

    Returns:
        A set of releases; empty where no release has it.
    """
    return union(state.releases for state in context.spec.states if state.name == name)
