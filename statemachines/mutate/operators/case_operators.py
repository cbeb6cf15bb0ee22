"""Mutants of what transitions need, do, give back and raise."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from attrs import evolve

from statemachines.model.definitions.data_definitions import Assignment, Case
from statemachines.model.language.expression_nodes import Expression
from statemachines.model.language.value_types import Type
from statemachines.mutate.operators.expression_slips import condition_slips, value_slips
from statemachines.mutate.operators.mutants import (
    MutantCandidate,
    MutationContext,
    MutationOperator,
    MutationSite,
)
from statemachines.mutate.operators.target_operators import transition_candidate


def guard_candidates(context: MutationContext) -> Iterator[MutantCandidate]:
    """Yield what may become of each guard, which all cases of an operation share, and of each
    `when`.

    Args:
        context: the spec and the machine that are changed.

    Yields:
        One candidate a change.
    """
    whole = {
        (whole_operation.first.entry, whole_operation.first.event): whole_operation
        for whole_operation in whole_operations(context)
    }
    for site in context.sites():
        case, operation = site.first.case, (site.first.entry, site.first.event)
        if case is None:
            continue
        if case.guard is not None and operation in whole:
            for label, guard in condition_slips(case.guard):
                yield _case_candidate(
                    context,
                    whole[operation],
                    MutationOperator.GUARD,
                    f"the guard {label}",
                    guard=guard,
                )
        whole.pop(operation, None)
        if case.when is not None:
            for label, when in condition_slips(case.when):
                yield _case_candidate(
                    context, site, MutationOperator.GUARD, f"`when` {label}", when=when
                )


def whole_operations(context: MutationContext) -> Iterator[MutationSite]:
    """Yield each operation, all its cases as one site: they share its guard and `let`.

    Args:
        context: the spec and the machine that are changed.

    Yields:
        The transitions of each operation.
    """
    by_case: dict[tuple[int, str], list[MutationSite]] = {}
    for site in context.sites():
        if site.first.case is not None:
            by_case.setdefault((site.first.entry, site.first.event), []).append(site)
    for sites in by_case.values():
        indices = tuple(index for site in sites for index in site.indices)
        yield MutationSite(
            indices, tuple(transition for site in sites for transition in site.transitions)
        )


def _case_candidate(
    context: MutationContext,
    site: MutationSite,
    operator: MutationOperator,
    label: str,
    **changes: Any,
) -> MutantCandidate:
    """Return a mutant whose cases have other parts."""
    transitions = tuple(
        evolve(transition, case=evolve(transition.case or Case(), **changes))
        for transition in site.transitions
    )
    return transition_candidate(context, site, operator, f": {label}", transitions)


def effect_candidates(context: MutationContext) -> Iterator[MutantCandidate]:
    """Yield what may become of each assignment: left out, off by one, another's value.

    Args:
        context: the spec and the machine that are changed.

    Yields:
        One candidate a change.
    """
    for site in context.sites():
        effect = site.first.case.effect if site.first.case else ()
        for index, assignment in enumerate(effect):
            rest = effect[:index], effect[index + 1 :]
            yield _case_candidate(
                context,
                site,
                MutationOperator.EFFECT,
                f"`{assignment.variable}` stays as it was",
                effect=(*rest[0], *rest[1]),
            )
            for label, value in value_slips(assignment.value, _variable_type(context, assignment)):
                if value is not None:
                    other = (*rest[0], evolve(assignment, value=value, proved=False), *rest[1])
                    yield _case_candidate(
                        context,
                        site,
                        MutationOperator.EFFECT,
                        f"`{assignment.variable}` {label}",
                        effect=other,
                    )
        yield from _swapped_effects(context, site, effect)


def _swapped_effects(
    context: MutationContext, site: MutationSite, effect: tuple[Assignment, ...]
) -> Iterator[MutantCandidate]:
    """Yield neighbours of one type with each other's values."""
    for index, (one, other) in enumerate(pairwise(effect)):
        if (
            str(_variable_type(context, one)) == str(_variable_type(context, other))
            and one.value != other.value
        ):
            pair = (
                evolve(one, value=other.value, proved=False),
                evolve(other, value=one.value, proved=False),
            )
            label = f"`{one.variable}` and `{other.variable}` get each other's values"
            yield _case_candidate(
                context,
                site,
                MutationOperator.EFFECT,
                label,
                effect=(*effect[:index], *pair, *effect[index + 2 :]),
            )


def _variable_type(context: MutationContext, assignment: Assignment) -> Type:
    variable = context.machine.data.variable(assignment.variable)
    return variable.type if variable else assignment.value.type


def result_candidates(context: MutationContext) -> Iterator[MutantCandidate]:
    """Yield what may become of what is given back, and of what is raised.

    Args:
        context: the spec and the machine that are changed.

    Yields:
        One candidate a change.
    """
    errors = [error.name for error in context.machine.data.errors]
    for site in context.sites():
        case = site.first.case
        if case is None:
            continue
        if isinstance(case.returns, Expression):
            for label, value in value_slips(case.returns, case.returns.type):
                yield _case_candidate(
                    context, site, MutationOperator.RESULT, f"the result {label}", returns=value
                )
        elif case.returns is not None:
            yield from _named_result_candidates(context, site, case.returns)
        if case.raises is not None:
            yield _case_candidate(
                context, site, MutationOperator.RESULT, "raises nothing", raises=None
            )
            other = (
                errors[(errors.index(case.raises) + 1) % len(errors)]
                if case.raises in errors
                else case.raises
            )
            if other != case.raises:
                yield _case_candidate(
                    context, site, MutationOperator.RESULT, f"raises {other}", raises=other
                )


def _named_result_candidates(
    context: MutationContext, site: MutationSite, returns: tuple[tuple[str, Expression], ...]
) -> Iterator[MutantCandidate]:
    for index, (name, value) in enumerate(returns):
        for label, other in value_slips(value, value.type):
            if other is not None:
                changed = (*returns[:index], (name, other), *returns[index + 1 :])
                yield _case_candidate(
                    context,
                    site,
                    MutationOperator.RESULT,
                    f"the result `{name}` {label}",
                    returns=changed,
                )
