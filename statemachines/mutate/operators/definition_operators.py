"""Mutants of what names stand for (definitions, those of libraries too, `let`), of what the world
guarantees (`where`), and of orders.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Literal

from attrs import evolve

from statemachines.model.definitions.data_definitions import Case, Definition, Let, Signature
from statemachines.model.definitions.machine_definitions import Event
from statemachines.model.diagnosis.diagnostics import Span
from statemachines.model.language.expression_nodes import Expression
from statemachines.model.language.value_types import BoolType, base_type
from statemachines.mutate.operators.case_operators import whole_operations
from statemachines.mutate.operators.definition_uses import behaviour_definitions
from statemachines.mutate.operators.edits import ConditionEdit, Edit
from statemachines.mutate.operators.expression_slips import Slip, condition_slips, value_slips
from statemachines.mutate.operators.mutants import (
    MutantCandidate,
    MutationContext,
    MutationOperator,
    MutationSite,
)
from statemachines.mutate.operators.notation_diffs import definition_key, event_keys, key_diff
from statemachines.mutate.operators.target_operators import transition_candidate
from statemachines.semantics.messages.expression_text import format_expression


def definition_candidates(context: MutationContext) -> Iterator[MutantCandidate]:
    """Yield what may become of each definition that some operation, argument or beginning uses;
    what only properties use is a judge.

    Args:
        context: the spec and the machine that are changed.

    Yields:
        One candidate a change.
    """
    used = behaviour_definitions(context.machine)
    for definition in context.machine.data.definitions:
        if definition.name in used:
            for label, body in required_value_slips(definition.body):
                yield _definition_candidate(
                    context, definition, evolve(definition, body=body), f": {label}"
                )


def _definition_candidate(
    context: MutationContext, one: Definition, other: Definition, label: str
) -> MutantCandidate:
    diff = key_diff(definition_key(one), definition_key(other))
    edit = Edit(definition=(one, other))
    return MutantCandidate(
        MutationOperator.DEFINITION,
        f"definition `{one.name}`",
        label,
        edit,
        diff,
        context.machine.release,
        one.span,
    )


def required_value_slips(value: Expression) -> Iterator[tuple[str, Expression]]:
    """Yield what may become of a value that must be there.

    Args:
        value: the expression that gives it.

    Yields:
        A label with the other expression.
    """
    slips: Iterable[Slip] = (
        condition_slips(value)
        if isinstance(base_type(value.type), BoolType)
        else value_slips(value, value.type)
    )
    yield from ((label, other) for label, other in slips if other is not None)


def let_candidates(context: MutationContext) -> Iterator[MutantCandidate]:
    """Yield what may become of each `let`: of an operation, in all its cases, and of an event.

    Args:
        context: the spec and the machine that are changed.

    Yields:
        One candidate a change.
    """
    for whole in whole_operations(context):
        case = whole.first.case or Case()
        for label, changed in _let_slips(case.lets):
            transitions = tuple(
                evolve(transition, case=evolve(transition.case or Case(), lets=changed))
                for transition in whole.transitions
            )
            yield _with_span(
                transition_candidate(context, whole, MutationOperator.LOCAL, label, transitions),
                _first_changed_span(case.lets, changed),
            )
    for index, event in _declared_events(context):
        signature = event.signature or Signature()
        for label, changed in _let_slips(signature.lets):
            other = evolve(event, signature=evolve(signature, lets=changed))
            yield _event_candidate(
                context,
                MutationOperator.LOCAL,
                index,
                other,
                label,
                _first_changed_span(signature.lets, changed),
            )


def _let_slips(known: tuple[Let, ...]) -> Iterator[tuple[str, tuple[Let, ...]]]:
    for index, let in enumerate(known):
        for label, value in required_value_slips(let.value):
            yield (
                f": `let {let.name}` {label}",
                (*known[:index], evolve(let, value=value), *known[index + 1 :]),
            )


def _first_changed_span(known: tuple[Let, ...], changed: tuple[Let, ...]) -> Span | None:
    """Return where the first that differs stands."""
    return next((old.span for old, new in zip(known, changed, strict=True) if new != old), None)


def assumption_candidates(context: MutationContext) -> Iterator[MutantCandidate]:
    """Yield what may become of what the world guarantees of arguments, of parameters and of
    beginnings: less than the spec says.

    Args:
        context: the spec and the machine that are changed.

    Yields:
        One candidate a change.
    """
    for index, event in _declared_events(context):
        signature = event.signature or Signature()
        if signature.where is not None:
            for label, where in _weaker_conditions(signature.where):
                other = evolve(event, signature=evolve(signature, where=where))
                yield _event_candidate(
                    context,
                    MutationOperator.WORLD,
                    index,
                    other,
                    f": `where` {label}",
                    signature.where.span,
                )
    data = context.machine.data
    yield from _condition_candidates(context, "where", "parameters", data.where)
    yield from _condition_candidates(context, "initially", "an instance", data.initially)


def _condition_candidates(
    context: MutationContext, key: Literal["where", "initially"], what: str, was: Expression | None
) -> Iterator[MutantCandidate]:
    """Yield what may become of a condition of the machine's data."""
    if was is None:
        return
    for label, becomes in _weaker_conditions(was):
        diff = key_diff(
            {key: format_expression(was)},
            {} if becomes is None else {key: format_expression(becomes)},
        )
        edit = Edit(condition=ConditionEdit(key, was, becomes))
        yield MutantCandidate(
            MutationOperator.WORLD,
            what,
            f": `{key}` {label}",
            edit,
            diff,
            context.machine.release,
            was.span,
        )


def _weaker_conditions(condition: Expression) -> Iterator[Slip]:
    return ((label, other) for label, other in condition_slips(condition) if label != "is negated")


def _declared_events(context: MutationContext) -> Iterator[tuple[int, Event]]:
    """Yield the events that are declared with arguments, `let` or `where` in the release, with
    their places in the spec.
    """
    for index, event in enumerate(context.spec.events):
        if event.releases & context.release_bit and event.signature is not None:
            yield index, event


def _event_candidate(
    context: MutationContext,
    operator: MutationOperator,
    index: int,
    other: Event,
    label: str,
    span: Span | None,
) -> MutantCandidate:
    event = context.spec.events[index]
    diff = key_diff(event_keys(event), event_keys(other))
    return MutantCandidate(
        operator,
        event.name,
        label,
        Edit(events={index: other}),
        diff,
        context.machine.release,
        span or event.span,
    )


def _with_span(draft: MutantCandidate, span: Span | None) -> MutantCandidate:
    return evolve(draft, span=span or draft.span)


def order_candidates(context: MutationContext) -> Iterator[MutantCandidate]:
    """Yield neighbouring cases of an operation, and neighbouring entries of `otherwise`, in the
    other order: the first that fits counts.

    Args:
        context: the spec and the machine that are changed.

    Yields:
        One candidate a change.
    """
    cases = [site for site in context.sites() if site.first.case is not None]
    for site, next_site in pairwise(cases):
        if _are_neighbouring_cases(site, next_site):
            yield _swapped_cases(context, site, next_site)
    entries = [
        (index, entry)
        for index, entry in enumerate(context.spec.otherwise)
        if entry.releases & context.release_bit
    ]
    for (first, one), (second, other) in pairwise(entries):
        if (one.does, one.error) != (other.does, other.error) and one.releases == other.releases:
            edit = Edit(otherwise={first: other, second: one})
            diff = (f"- {first + 1}, {second + 1}", f"+ {second + 1}, {first + 1}")
            what, label = f"otherwise {first + 1}", f"stands after {second + 1}"
            yield MutantCandidate(
                MutationOperator.ORDER, what, label, edit, diff, context.machine.release, one.span
            )


def _are_neighbouring_cases(one: MutationSite, other: MutationSite) -> bool:
    """Tell whether two are cases of one operation of which the first is not the last resort; the
    last has no `when`.
    """
    mine, next_one = one.first, other.first
    if (
        mine.case is None
        or next_one.case is None
        or (mine.entry, mine.event) != (next_one.entry, next_one.event)
    ):
        return False
    same = [transition.source for transition in one.transitions] == [
        transition.source for transition in other.transitions
    ]
    return same and next_one.case.when is not None and mine.releases == next_one.releases


def _swapped_cases(
    context: MutationContext, one: MutationSite, other: MutationSite
) -> MutantCandidate:
    numbers = (one.first.case or Case()).index, (other.first.case or Case()).index
    first = tuple(
        evolve(transition, case=evolve(transition.case or Case(), index=numbers[1]))
        for transition in one.transitions
    )
    second = tuple(
        evolve(transition, case=evolve(transition.case or Case(), index=numbers[0]))
        for transition in other.transitions
    )
    edit = Edit(
        transitions=dict(zip((*one.indices, *other.indices), (*first, *second), strict=True))
    )
    diff = (
        f"  event: {one.first.event}",
        f"- cases {numbers[0] + 1}, {numbers[1] + 1}",
        f"+ cases {numbers[1] + 1}, {numbers[0] + 1}",
    )
    label = f"stands after case {numbers[1] + 1}"
    return MutantCandidate(
        MutationOperator.ORDER,
        one.title,
        label,
        edit,
        diff,
        context.machine.release,
        one.first.span,
    )
