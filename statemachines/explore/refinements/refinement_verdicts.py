"""Refinements as goals of a search, and what reaching them says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from attrs import evolve

from statemachines.explore.checkpoints.checkpoint_files import Checkpoint
from statemachines.explore.models.model_protocol import Model
from statemachines.explore.refinements.refined_steps import RefinedSteps, refinement_claims
from statemachines.explore.results.property_results import PropertyResult
from statemachines.explore.rows.search_goals import RowPath, SearchGoal
from statemachines.explore.verdicts.property_verdicts import (
    VIOLATION_MESSAGES,
    PropertyQuery,
    bound_text,
    property_title,
    query_result,
    with_expected_failure,
)
from statemachines.model.definitions.data_definitions import Property, PropertyKind, Refinement
from statemachines.model.evidence.verdicts import Verdict

_VACUOUS_MESSAGE = "vacuous: nothing ever changes there"
_CUT_MESSAGE = "an event of it has more arguments than were looked at"


def refinement_queries(model: Model) -> Iterator[PropertyQuery]:
    """Yield what a model says that it refines."""
    for refinement, claims in refinement_claims(model):
        goals, claimed = tuple(map(_step_goal, claims)), _as_property(refinement)
        wrong = tuple(_wrong_beginnings(model, goals))
        yield PropertyQuery(
            claimed,
            goals,
            property_title(claimed),
            initial_paths=wrong,
            claims_promises=refinement.assuming is not None,
        )


def remember_refinements(keep: Checkpoint, queries: Iterable[PropertyQuery]) -> None:
    """Keep with a search which events of abstract machines its steps were: one that goes on with it
    takes some of its steps no more, and must not say that nothing happens there.
    """
    for number, query in enumerate(queries):
        for copy, goal in enumerate(query.goals):
            if isinstance(goal.condition, RefinedSteps):
                keep.remember(f"{number}.{copy}", goal.condition.abstract.events_taken)


def _as_property(refinement: Refinement) -> Property:
    return Property(
        PropertyKind.REFINES,
        refinement.abstract.rsplit("/", 1)[-1],
        assuming=refinement.assuming or (),
        expect_fails=refinement.expect_fails,
        doc=refinement.doc,
        span=refinement.span,
    )


def _step_goal(claim: RefinedSteps) -> SearchGoal:
    return SearchGoal(step_test=lambda old, new: not claim.holds_of_step(old, new), condition=claim)


def _wrong_beginnings(
    model: Model, goals: tuple[SearchGoal, ...]
) -> Iterator[tuple[RowPath, SearchGoal]]:
    """Yield the first row in which something begins and the abstract machine does not."""
    for goal in goals:
        claim = goal.condition
        assert claim is not None
        wrong = (row for row in model.initial_rows if not claim.holds_in(row))
        if (first := next(wrong, None)) is not None:
            yield RowPath((first,)), goal


def broken_refinement(
    model: Model, query: PropertyQuery, claim: RefinedSteps, trace: Any
) -> PropertyResult[Any]:
    """Return what is said of a refinement that is broken at the end of a run, with both sides.

    Args:
        model: what was explored.
        query: the refinement.
        claim: the copy and the value of which it is not so.
        trace: a shortest run to a step that is none of the abstract machine, or to nothing where
            that cannot begin so.
    """
    run = claim.run(model, trace)
    message = VIOLATION_MESSAGES[PropertyKind.REFINES] if run.steps else "it does not begin so"
    message += bound_text(claim.bound)
    verdict = Verdict.VIOLATED
    if run.steps and claim.abstract.is_cut:
        verdict, message = Verdict.INCONCLUSIVE, f"{message}; {_CUT_MESSAGE}"
    result = PropertyResult(query.name, verdict, message, trace, query.property, run)
    return with_expected_failure(result)


def unbroken_refinement(query: PropertyQuery, bounds: bool) -> PropertyResult[Any]:
    """Return what is said of a refinement that nothing breaks."""
    refinement = query_result(query, None, "", bounds)
    claims = [goal.condition for goal in query.goals]
    idle = not any(
        isinstance(claim, RefinedSteps) and claim.abstract.events_taken for claim in claims
    )
    if idle and refinement.verdict is Verdict.HOLDS and not refinement.said:
        return evolve(refinement, said=_VACUOUS_MESSAGE)
    return refinement
