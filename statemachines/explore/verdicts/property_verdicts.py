"""Properties as goals of a search, and what reaching a goal, or never reaching it, says of the
property.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import attrs
from attrs import frozen

from statemachines.explore.models.model_protocol import Condition, Model
from statemachines.explore.properties.vacuity import vacuity_checks
from statemachines.explore.results.property_results import PropertyResult
from statemachines.explore.rows.search_goals import RowPath, SearchGoal
from statemachines.model.definitions.data_definitions import Property, PropertyKind
from statemachines.model.definitions.snapshots import Value
from statemachines.model.evidence.verdicts import Verdict
from statemachines.model.language.frozen_values import FrozenMap
from statemachines.semantics.messages.value_text import format_literal


@frozen(eq=False)
class PropertyQuery:
    """A property with the goals that decide it: one for each copy."""

    property: Property | None
    goals: tuple[SearchGoal, ...]
    name: str = ""
    vacuity_of: Property | None = None
    """The rule that says nothing where no goal is met: this is asked for its sake, and no property
    of its own.
    """
    left_side: str = ""
    """What is never true then, in words."""
    initial_paths: tuple[tuple[RowPath, SearchGoal], ...] = ()
    """Ways of no steps to what decides it: they need no search."""
    claims_promises: bool = False
    """Of a refinement: whether the promises of the abstract machine are claimed too."""


WITH_SYMMETRY = "not looked at with symmetry"
"""Said of what a search up to symmetry cannot decide."""
SPEC_FAULTS = PropertyQuery(None, (SearchGoal(seeks_fault=True),), "the spec is sound")
"""Asked of everything: no variable leaves its type, no two transitions take the same event, what a
link sends fits.
"""


def property_queries(model: Model) -> Iterator[PropertyQuery]:
    """Yield what is asked of a model, `leads to` aside."""
    yield SPEC_FAULTS
    claims = model.data.properties
    for claimed in claims:
        if not claimed.kind.is_of_runs:
            yield PropertyQuery(
                claimed, tuple(_property_goals(model, claimed)), property_title(claimed)
            )
    if model.is_without_data and not any(
        claimed.kind is PropertyKind.NO_DEADLOCK for claimed in claims
    ):
        default = Property(PropertyKind.NO_DEADLOCK, "no deadlock")
        yield PropertyQuery(default, tuple(_property_goals(model, default)), "no deadlock")


def vacuity_queries(model: Model) -> Iterator[PropertyQuery]:
    """Yield what is asked to find rules that hold because what they speak of never comes up."""
    for rule, never, left in vacuity_checks(model.data.properties):
        goals = (attrs.evolve(goal, needs_path=False) for goal in _property_goals(model, never))
        yield PropertyQuery(never, tuple(goals), vacuity_of=rule, left_side=left)


def without_witness_paths(query: PropertyQuery) -> PropertyQuery:
    """Return the same, without asking for the way to a witness."""
    if not is_plain_witness(query.property):
        return query
    goals = tuple(attrs.evolve(goal, needs_path=False) for goal in query.goals)
    return attrs.evolve(query, goals=goals)


def is_plain_witness(claimed: Property | None) -> bool:
    """Tell whether one witness is claimed: meeting it is all that there is to say."""
    return (
        claimed is not None
        and claimed.kind is PropertyKind.SOMETIMES
        and not (claimed.each or claimed.when or claimed.expect_fails)
    )


def property_title(claimed: Property) -> str:
    """Return how a property is called: by its kind and name.

    Args:
        claimed: the property.

    Returns:
        A short text.
    """
    return (
        claimed.name
        if claimed.name == claimed.kind.value
        else f"{claimed.kind.value} {claimed.name}"
    )


def _property_goals(model: Model, claimed: Property) -> Iterator[SearchGoal]:
    if claimed.kind is PropertyKind.NO_DEADLOCK:
        yield SearchGoal(deadlock_test=lambda row: not model.may_stop(row))
        return
    if claimed.holds is None:
        return
    for watch in model.conditions(claimed.holds, claimed.each):
        yield _condition_goal(claimed.kind, watch)
    if claimed.kind is PropertyKind.SOMETIMES and claimed.when is not None:
        for watch in model.conditions(claimed.when, claimed.each):
            yield attrs.evolve(_condition_goal(claimed.kind, watch), needs_path=False)


def _condition_goal(claim: PropertyKind, watch: Condition) -> SearchGoal:
    match claim:
        case PropertyKind.SOMETIMES:
            return SearchGoal(row_test=watch.holds_in, condition=watch, wanted_value=True)
        case PropertyKind.EACH_STEP:
            return SearchGoal(
                step_test=lambda old, new: not watch.holds_of_step(old, new), condition=watch
            )
    return SearchGoal(row_test=lambda row: not watch.holds_in(row), condition=watch)


VIOLATION_MESSAGES = {
    PropertyKind.ALWAYS: "does not hold here",
    PropertyKind.EACH_STEP: "does not hold of this step",
    PropertyKind.NO_DEADLOCK: "no event changes anything here, and it is not final",
    PropertyKind.LEADS_TO: "never comes",
    PropertyKind.ALWAYS_EVENTUALLY: "does not hold again",
    PropertyKind.EVENTUALLY_ALWAYS: "does not stay so",
    PropertyKind.UNTIL: "does not hold until then",
    PropertyKind.REFINES: "this is no step of it",
}


def claims_each_witness(claimed: Property | None) -> bool:
    """Tell whether a witness is claimed for each of something."""
    return claimed is not None and claimed.kind is PropertyKind.SOMETIMES and bool(claimed.each)


def values_without_witness(
    query: PropertyQuery, reached: Sequence[bool]
) -> tuple[Mapping[str, Value], ...]:
    """Return the values for each of which a witness is claimed, and none was met: of a set, those
    that were ever in it.

    Args:
        query: a `sometimes`.
        reached: of each of its goals whether it was met.
    """
    assert query.property is not None
    pairs = list(zip(query.goals, reached, strict=True))
    many = len(pairs) if query.property.when is None else len(pairs) // 2
    witnessed = [goal.bound for goal, reached_goal in pairs[:many] if reached_goal]
    wanted = [
        goal.bound
        for goal, reached_goal in (pairs[many:] or pairs)
        if reached_goal or query.property.when is None
    ]
    return tuple(bound for bound in wanted if bound not in witnessed)


def query_result(
    query: PropertyQuery,
    trace: object | None,
    message: str,
    bounds: bool,
    bound: Mapping[str, Value] = FrozenMap(),
    *,
    is_met: bool = False,
) -> PropertyResult[Any]:
    """Return what a search says of a property.

    Args:
        query: the property.
        trace: the way to its goal; None where the goal was never met, or the way is not wanted.
        message: what else the search says.
        bounds: whether something kept the search from seeing everything.
        bound: for which values of its names it is broken, or has no witness.
        is_met: whether the goal was met, though there is no way to it.
    """
    claimed = query.property
    if claimed is None:
        unbroken = Verdict.INCONCLUSIVE if bounds else Verdict.HOLDS
        verdict = unbroken if trace is None else Verdict.VIOLATED
        result = PropertyResult(query.name, verdict, message, trace)
    else:
        verdict, words = _property_verdict(claimed, is_met or trace is not None, bounds)
        words += bound_text(bound) if words else ""
        result = PropertyResult(query.name, verdict, words, trace)
    return with_expected_failure(attrs.evolve(result, property=claimed))


def _property_verdict(claimed: Property, is_found: bool, bounds: bool) -> tuple[Verdict, str]:
    """Return the verdict on a property, and the words beside it; of known bugs see
    `with_expected_failure`.

    Args:
        claimed: the property.
        is_found: whether what was looked for was found: a witness of a `sometimes`, else what
            breaks it.
        bounds: whether something kept the search from seeing everything.
    """
    if claimed.kind is PropertyKind.SOMETIMES:
        if is_found:
            return Verdict.HOLDS, "a witness"
        return Verdict.INCONCLUSIVE if bounds else Verdict.VIOLATED, "no witness"
    if is_found:
        return Verdict.VIOLATED, VIOLATION_MESSAGES[claimed.kind]
    return Verdict.INCONCLUSIVE if bounds else Verdict.HOLDS, ""


def with_expected_failure(result: PropertyResult[Any]) -> PropertyResult[Any]:
    """Turn the verdict of a known bug round: that it fails is right."""
    if result.property is None or not result.property.expect_fails:
        return result
    match result.verdict:
        case Verdict.VIOLATED:
            return attrs.evolve(result, verdict=Verdict.HOLDS, said=f"{result.said}, as expected")
        case Verdict.HOLDS:
            return attrs.evolve(
                result, verdict=Verdict.VIOLATED, said="was expected to fail, and holds"
            )
    return result


def bound_text(bound: Mapping[str, Value]) -> str:
    """Say for which value something is not so; nothing where it is claimed once.

    >>> bound_text({"c": "Client1"})
    " for c = 'Client1'"
    """
    values = ", ".join(f"{name} = {format_literal(value)}" for name, value in bound.items())
    return f" for {values}" if values else ""
