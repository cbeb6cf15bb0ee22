"""What an abstract machine promises of whole runs, asked of the runs of what refines it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import evolve, frozen

from statemachines.explore.models.model_protocol import Condition
from statemachines.explore.models.row_columns import Row
from statemachines.explore.refinements.refined_steps import RefinedSteps
from statemachines.explore.results.property_results import PropertyResult
from statemachines.explore.verdicts.fairness import SearchedRuns, promise_result
from statemachines.explore.verdicts.promises import (
    Promise,
    PromiseConditions,
    promise_conditions,
)
from statemachines.explore.verdicts.property_verdicts import (
    PropertyQuery,
    property_title,
    with_expected_failure,
)
from statemachines.model.definitions.data_definitions import Property
from statemachines.model.definitions.snapshots import Value
from statemachines.model.evidence.verdicts import Verdict

_KEPT_MESSAGE = "and what it promises"
_NOTHING_PROMISED = "it promises nothing of whole runs"


@frozen(eq=False)
class AbstractCondition:
    """A condition of an abstract machine, asked of rows of what refines it."""

    claim: RefinedSteps
    condition: Condition
    outside: bool
    """What it is where nothing is claimed."""

    @property
    def bound(self) -> Mapping[str, Value]:
        """What names stand for, of both machines."""
        return {**self.claim.bound, **self.condition.bound}

    def holds_in(self, row: Row) -> bool:
        """Tell whether it holds of what a row is to the abstract machine."""
        guard = self.claim.guard
        if guard is not None and not guard.holds_in(row):
            return self.outside
        return self.condition.holds_in(self.claim.abstract_row(row))

    def holds_of_step(self, before: Row, after: Row) -> bool:
        """Tell whether it holds after a step."""
        del before
        return self.holds_in(after)


def with_promises_kept(
    runs: SearchedRuns, refinement: PropertyResult[Any], queries: Sequence[PropertyQuery]
) -> PropertyResult[Any]:
    """Return what is said of a refinement, the promises of the abstract machine looked at too; of
    anything else what was said.
    """
    own_query = next((query for query in queries if query.property is refinement.property), None)
    if own_query is None or not own_query.claims_promises or refinement.trace is not None:
        return refinement
    undecided = None
    many = 0
    for claim, promise in _abstract_promises(own_query):
        many += 1
        result = promise_result(runs, promise)
        if result.trace is not None:
            return _broken_promise(runs, refinement, claim, result)
        if result.verdict is Verdict.INCONCLUSIVE:
            undecided = undecided or result
    if undecided is not None:
        message = ": ".join(filter(None, [undecided.name, undecided.said or "not all was seen"]))
        return evolve(refinement, verdict=Verdict.INCONCLUSIVE, said=message)
    return evolve(
        refinement, said=refinement.said or (_KEPT_MESSAGE if many else _NOTHING_PROMISED)
    )


def _abstract_promises(query: PropertyQuery) -> Iterator[tuple[RefinedSteps, Promise]]:
    """Yield what the abstract machine promises, for each copy and each value: what raises is not
    seen there, and what is known to fail is not claimed.
    """
    assert query.property is not None
    for goal in query.goals:
        claim = goal.condition
        assert isinstance(claim, RefinedSteps)
        for property_ in claim.abstract.model.data.properties:
            if (
                property_.kind.is_of_runs
                and not property_.until_raised
                and not property_.expect_fails
            ):
                claimed = evolve(property_, assuming=query.property.assuming)
                yield claim, Promise(claimed, tuple(_conditions(claim, claimed)))


def _conditions(claim: RefinedSteps, claimed: Property) -> Iterator[PromiseConditions]:
    for condition in promise_conditions(claim.abstract.model, claimed):
        yield PromiseConditions(
            AbstractCondition(claim, condition.when, outside=False),
            AbstractCondition(claim, condition.then, outside=True),
            AbstractCondition(claim, condition.meanwhile, outside=True),
        )


def _broken_promise(
    runs: SearchedRuns,
    result: PropertyResult[Any],
    claim: RefinedSteps,
    broken: PropertyResult[Any],
) -> PropertyResult[Any]:
    """Return what is said where a run breaks a promise, with both sides of it."""
    assert broken.property is not None
    assert broken.trace is not None
    side = claim.run(runs.model, broken.trace)
    message = f"{property_title(broken.property)}: {broken.said}"
    return with_expected_failure(
        PropertyResult(result.name, Verdict.VIOLATED, message, broken.trace, result.property, side)
    )
