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
from statemachines.explore.verdicts.array_lassos import (
    RowLasso,
    find_row_broken_wait,
    find_row_lasso,
)
from statemachines.explore.verdicts.edge_arrays import TooManyEvents
from statemachines.explore.verdicts.fair_parts import Waiting
from statemachines.explore.verdicts.lassos import Lasso, find_broken_wait, find_lasso
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
    SearchedGraph,
    SearchedParts,
    searched_graph,
    searched_parts,
)
from statemachines.model.definitions.data_definitions import (
    Fairness,
    Property,
    PropertyKind,
    fairness_groups,
)
from statemachines.model.evidence.verdicts import Verdict

GraphKind = tuple[FairnessGroups, bool]
"""What is fair, and whether runs end with a step that raises."""


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
    graphs: dict[GraphKind, SearchedGraph] = field(factory=dict)
    """What was looked at last: promises that assume the same are asked of the same graph."""
    known_parts: dict[FairnessGroups, SearchedParts | None] = field(factory=dict)
    """What was looked at last on arrays."""

    def parts(self, search: SearchResult, claimed: Property) -> SearchedParts | None:
        """Return what tells of many rows at once whether a run may wait for ever; None where
        nothing does.
        """
        if claimed.until_raised:
            return None
        groups = fairness_groups([*claimed.assuming, *self.always_fair])
        if groups not in self.known_parts:
            self.known_parts.clear()
            self.known_parts[groups] = searched_parts(self.model, search, groups, self.limits)
        return self.known_parts[groups]

    def graph(self, search: SearchResult, claimed: Property) -> SearchedGraph:
        """Return what was seen, with what a promise assumes to be fair."""
        groups = fairness_groups([*claimed.assuming, *self.always_fair])
        kind = groups, claimed.until_raised
        if kind not in self.graphs:
            self.graphs.clear()
            budget = Budget(self.limits, self.search.bounds)
            searched = searched_graph(self.model, search, groups, budget, claimed.until_raised)
            self.graphs[kind] = searched
        return self.graphs[kind]


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
    with ending.catch_ending():
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
        trace = _broken_run(runs, search, claimed, condition, when, then)
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
    runs: SearchedRuns,
    search: SearchResult,
    claimed: Property,
    conditions: PromiseConditions,
    when: bytes,
    then: bytes,
) -> Any:
    """Return a run that breaks a promise; None where there is none. `when` and `then` say where
    they hold.
    """
    parts = runs.parts(search, claimed)
    if parts is not None:
        try:
            on_arrays = _row_counterexample(parts, claimed, conditions, when, then)
            return None if on_arrays is None else parts.trace(on_arrays)
        except TooManyEvents:
            runs.known_parts.clear()
    graph = runs.graph(search, claimed)
    lasso = _counterexample(graph, claimed, conditions, when, then)
    return None if lasso is None else graph.trace(graph.run(lasso))


def _row_counterexample(
    searched: SearchedParts,
    claimed: Property,
    conditions: PromiseConditions,
    when: bytes,
    then: bytes,
) -> RowLasso | None:
    """Return a run that breaks a promise, looked for many rows at once."""
    parts, begins = searched.parts, searched.begins
    starts, ends = (parts.numpy.frombuffer(values, dtype=bool) for values in (when, then))
    if claimed.kind is PropertyKind.EVENTUALLY_ALWAYS:
        never = parts.no_rows()
        waiting = Waiting(parts.waiting_rows(starts, never), ~ends)
        return find_row_lasso(parts, begins, (starts, never), waiting)
    waiting, broken = Waiting(parts.waiting_rows(starts, ends)), None
    if claimed.kind is PropertyKind.UNTIL:
        meanwhile = parts.numpy.frombuffer(searched.rows.values(conditions.meanwhile), dtype=bool)
        rows = waiting.rows & ~meanwhile
        broken = find_row_broken_wait(parts, begins, (starts, ends), rows)
    return broken or find_row_lasso(parts, begins, (starts, ends), waiting)


def _counterexample(
    searched: SearchedGraph,
    claimed: Property,
    conditions: PromiseConditions,
    when: bytes,
    then: bytes,
) -> Lasso | None:
    """Return a run that breaks a promise; `when` and `then` say where they hold."""
    graph = searched.graph
    if claimed.kind is PropertyKind.EVENTUALLY_ALWAYS:
        return find_lasso(graph, when.__getitem__, lambda _: False, lambda index: not then[index])
    broken = None
    if claimed.kind is PropertyKind.UNTIL:
        meanwhile = searched.rows.values(conditions.meanwhile)
        broken = find_broken_wait(graph, when.__getitem__, then.__getitem__, meanwhile.__getitem__)
    return broken or find_lasso(graph, when.__getitem__, then.__getitem__)
