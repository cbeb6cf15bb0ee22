"""What must come one day (`leads to` and its kin), where some events are not put off for ever; see
`lassos`.
"""

from __future__ import annotations

from typing import Any

from attrs import field, frozen

from statemachines.explore.models.model_protocol import Model
from statemachines.explore.properties.vacuity import never_waits_message
from statemachines.explore.resources.limits import NO_LIMITS, Budget, Limits, SearchEnding
from statemachines.explore.results.property_results import PropertyResult
from statemachines.explore.rows.search_goals import SearchResult
from statemachines.explore.verdicts.edge_arrays import TooManyEvents
from statemachines.explore.verdicts.promises import Promise, PromiseConditions
from statemachines.explore.verdicts.property_verdicts import (
    VIOLATION_MESSAGES,
    WITH_SYMMETRY,
    bound_text,
    property_title,
    with_expected_failure,
)
from statemachines.explore.verdicts.searched_graphs import (
    FairnessGroups,
    FairSteps,
    SearchedRows,
    searched_rows,
)
from statemachines.model.definitions.data_definitions import (
    Fairness,
    Property,
    PropertyKind,
    fairness_groups,
)
from statemachines.model.evidence.verdicts import Verdict


@frozen(eq=False)
class SearchedRuns:
    """What promises are looked up in."""

    model: Model
    search: SearchResult
    """By rows; what stops this is told among its bounds."""
    without_raising: SearchResult | None
    """What a search saw that takes no step that raises, for what is promised until one does."""
    bounds: bool
    """Whether something kept the search from seeing everything."""
    symmetry: bool = False
    """Whether rows stand for others: then nothing can be said."""
    limits: Limits = NO_LIMITS
    """Where it gives up."""
    always_fair: tuple[Fairness, ...] = ()
    """What is not put off for ever, though no property assumes it."""
    known: dict[tuple[FairnessGroups, bool, bool], SearchedRows] = field(factory=dict)
    """What was looked at last: promises that assume the same are asked of the same steps."""

    def searched(
        self, search: SearchResult, claimed: Property, *, by_row: bool = False
    ) -> SearchedRows:
        """Return what was seen, with what a promise assumes to be fair; see `searched_rows`."""
        groups = fairness_groups([*claimed.assuming, *self.always_fair])
        kind = groups, claimed.until_raised, by_row
        if kind not in self.known:
            self.known.clear()
            budget = Budget(self.limits, self.search.bounds)
            steps = FairSteps(self.model, groups, claimed.until_raised)
            self.known[kind] = searched_rows(search, steps, budget, by_row=by_row)
        return self.known[kind]


def promise_result(runs: SearchedRuns, promise: Promise) -> PropertyResult[Any]:
    """Return what is said of a promise."""
    claimed, search = promise.claimed, runs.search
    of = runs.without_raising if claimed.until_raised else search
    if runs.symmetry or search.interrupted or search.out_of_memory or of is None:
        why = (
            WITH_SYMMETRY if runs.symmetry else _ending_message(search, " before it was looked at")
        )
        return _undecided(claimed, why)
    ending, result = SearchEnding(search.bounds), None
    with ending:
        result = with_expected_failure(_decided_result(runs, of, promise))
    search.interrupted, search.out_of_memory = (
        search.interrupted or ending.interrupted,
        search.out_of_memory or ending.out_of_memory,
    )
    return result or _undecided(claimed, _ending_message(ending))


def _undecided(claimed: Property, why: str = "") -> PropertyResult[Any]:
    return PropertyResult(property_title(claimed), Verdict.INCONCLUSIVE, why, property=claimed)


def _ending_message(ending: SearchEnding, when: str = "") -> str:
    """Say why something was not looked at to its end."""
    if ending.interrupted:
        return f"interrupted{when}"
    return (
        "not looked at to the end, as no memory is left"
        if ending.out_of_memory
        else "not looked at to the end"
    )


def _decided_result(
    runs: SearchedRuns, search: SearchResult, promise: Promise
) -> PropertyResult[Any]:
    claimed = promise.claimed
    waits, begins_waiting = False, False
    for condition in promise.conditions:
        when, then = map(search.known_rows.values, (condition.when, condition.then))
        broken = claimed, condition, when, then
        try:
            trace = _broken_run(runs.searched(search, claimed), *broken)
        except TooManyEvents:
            trace = _broken_run(runs.searched(search, claimed, by_row=True), *broken)
        if trace is not None:
            return PropertyResult(
                property_title(claimed),
                Verdict.VIOLATED,
                VIOLATION_MESSAGES[claimed.kind] + bound_text(condition.when.bound),
                trace,
                claimed,
            )
        begins_waiting = begins_waiting or any(when)
        waits = waits or any(here and not there for here, there in zip(when, then, strict=True))
    if runs.bounds or search.bounds:
        return _undecided(claimed)
    message = never_waits_message(claimed) if begins_waiting and not waits else ""
    return PropertyResult(property_title(claimed), Verdict.HOLDS, message, property=claimed)


def _broken_run(
    searched: SearchedRows,
    claimed: Property,
    conditions: PromiseConditions,
    when: bytes,
    then: bytes,
) -> Any:
    """Return a run that breaks a promise; None where there is none. `when` and `then` say where
    they hold.
    """
    if claimed.kind is PropertyKind.EVENTUALLY_ALWAYS:
        lasso = searched.runs(when, bytes(len(then))).lasso(settled=then)
    else:
        runs, lasso = searched.runs(when, then), None
        if claimed.kind is PropertyKind.UNTIL:
            lasso = runs.broken_wait(searched.rows.values(conditions.meanwhile))
        lasso = lasso or runs.lasso()
    return None if lasso is None else searched.trace(lasso)
