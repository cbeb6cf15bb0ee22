"""Mutants of fallbacks, of initial snapshots, and of the releases that have a thing."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve

from statemachines.model.definitions.machine_definitions import FallbackKind, Otherwise
from statemachines.mutate.operators.edits import Edit
from statemachines.mutate.operators.expression_slips import value_slips
from statemachines.mutate.operators.mutants import (
    MutantCandidate,
    MutationContext,
    MutationOperator,
    MutationSite,
)
from statemachines.mutate.operators.notation_diffs import key_diff, otherwise_keys
from statemachines.mutate.operators.target_operators import state_releases, transition_candidate
from statemachines.semantics.messages.expression_text import format_expression

_FALLBACK_TEXTS = {
    FallbackKind.IGNORE: "ignored",
    FallbackKind.REFUSE: "refused",
    FallbackKind.RAISE: "raised",
    FallbackKind.FORCE: "done all the same",
}


def fallback_candidates(context: MutationContext) -> Iterator[MutantCandidate]:
    """Yield what may become of each entry of `otherwise`: dropped, refused, swallowed.

    Args:
        context: the spec and the machine that are changed.

    Yields:
        One candidate a change.
    """
    for index, entry in enumerate(context.spec.otherwise):
        if not entry.releases & context.release_bit:
            continue
        yield _fallback_candidate(context, index, entry, None, "is dropped")
        for does in (FallbackKind.IGNORE, FallbackKind.REFUSE):
            if does is not entry.does:
                other = evolve(entry, does=does, error=None)
                yield _fallback_candidate(
                    context,
                    index,
                    entry,
                    other,
                    f"is {_FALLBACK_TEXTS[does]}, not {_FALLBACK_TEXTS[entry.does]}",
                )
        for error in _next_declared_error(context, entry):
            yield _fallback_candidate(
                context,
                index,
                entry,
                evolve(entry, error=error),
                f"raises {error}, not {entry.error}",
            )
        for state in entry.sources or ():
            if entry.sources and len(entry.sources) > 1 and state in context.state_names:
                rest = tuple(name for name in entry.sources if name != state)
                yield _fallback_candidate(
                    context, index, entry, evolve(entry, sources=rest), f"does not count in {state}"
                )


def _next_declared_error(context: MutationContext, entry: Otherwise) -> list[str]:
    """Return the error that stands beside the one that is raised: of those declared, else of those
    that the spec mentions.
    """
    errors = [error.name for error in context.machine.data.errors] or [
        fallback.error for fallback in context.spec.otherwise if fallback.error
    ]
    known = list(dict.fromkeys(errors))
    if entry.does is not FallbackKind.RAISE or entry.error not in known or len(known) < 2:
        return []
    return [known[(known.index(entry.error) + 1) % len(known)]]


def _fallback_candidate(
    context: MutationContext, index: int, entry: Otherwise, other: Otherwise | None, label: str
) -> MutantCandidate:
    diff = key_diff(otherwise_keys(context.spec, entry), otherwise_keys(context.spec, other))
    edit = Edit(otherwise={index: other})
    return MutantCandidate(
        MutationOperator.ANSWER,
        f"otherwise {index + 1}",
        label,
        edit,
        diff,
        context.machine.release,
        entry.span,
    )


def initial_candidates(context: MutationContext) -> Iterator[MutantCandidate]:
    """Yield other first states, and other first values of variables.

    Args:
        context: the spec and the machine that are changed.

    Yields:
        One candidate a change.
    """
    initial = tuple(state.name for state in context.machine.states if state.initial)
    for state in context.machine.states:
        if initial and (len(initial) > 1 or state.name not in initial):
            now = (
                tuple(name for name in initial if name != state.name)
                if state.name in initial
                else (state.name,)
            )
            label = f"begins in {', '.join(now)}"
            diff = key_diff({"initial": ", ".join(initial)}, {"initial": ", ".join(now)})
            edit = Edit(initial=frozenset(now))
            yield MutantCandidate(
                MutationOperator.BEGINNING,
                "an instance",
                label,
                edit,
                diff,
                context.machine.release,
                state.span,
            )
    for variable in context.machine.data.variables:
        if variable.initial is not None:
            for label, value in value_slips(variable.initial, variable.type):
                if value is not None:
                    edit = Edit(initial_values={variable.name: value})
                    diff = key_diff(
                        {"initial": format_expression(variable.initial)},
                        {"initial": format_expression(value)},
                    )
                    what = f"at first `{variable.name}`"
                    yield MutantCandidate(
                        MutationOperator.BEGINNING,
                        what,
                        label,
                        edit,
                        diff,
                        context.machine.release,
                        variable.span,
                    )


def release_candidates(context: MutationContext) -> Iterator[MutantCandidate]:
    """Yield each transition that not every release has, there one release longer or shorter at
    either end; judged in that release.

    What carries data is widened only to releases that have the same data, and nothing where its
    states are not.

    Args:
        context: the spec and the machine that are changed.

    Yields:
        One candidate a change.
    """
    spec = context.spec
    for site in context.sites():
        mask = site.first.releases
        if mask & spec.releases == spec.releases or any(
            transition.releases != mask for transition in site.transitions
        ):
            continue
        for index in _range_ends(mask):
            if mask & (mask - 1):
                yield _release_candidate(context, site, mask & ~(1 << index), index, "no longer in")
        for index in _range_neighbours(mask):
            if 1 << index & spec.releases and _fits_release(context, site, 1 << index):
                yield _release_candidate(context, site, mask | 1 << index, index, "also in")


def _range_ends(mask: int) -> list[int]:
    """Return the first and last places of each range of a mask."""
    return [
        index
        for index in range(mask.bit_length())
        if mask >> index & 1 and not (mask >> (index + 1) & 1 and index and mask >> (index - 1) & 1)
    ]


def _range_neighbours(mask: int) -> list[int]:
    """Return the places just before and just behind each range."""
    indices = range(mask.bit_length() + 1)
    return [
        index
        for index in indices
        if not mask >> index & 1
        and (mask >> (index + 1) & 1 or (index and mask >> (index - 1) & 1))
    ]


def _release_candidate(
    context: MutationContext, site: MutationSite, mask: int, index: int, words: str
) -> MutantCandidate:
    release = context.spec.family.releases[index]
    transitions = tuple(evolve(transition, releases=mask) for transition in site.transitions)
    return evolve(
        transition_candidate(
            context, site, MutationOperator.RANGE, f"is {words} {release}", transitions
        ),
        release=release,
    )


def _fits_release(context: MutationContext, site: MutationSite, bit: int) -> bool:
    """Tell whether transitions make sense in another release: their states are there, the data is
    the same, and they are not there already.
    """
    there = all(
        state_releases(context, state) & bit
        for transition in site.transitions
        for state in (transition.source, transition.target)
    )
    twice = any(
        known.releases & bit
        and (known.source, known.event) == (transition.source, transition.event)
        for known in context.spec.transitions
        for transition in site.transitions
    )
    alike = all(
        bool(releases & bit) == bool(releases & context.release_bit)
        for releases, _ in context.spec.versions
    )
    return there and not twice and (alike or site.first.case is None)
