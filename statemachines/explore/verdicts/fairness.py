"""What must come one day (`leads to` and its kin), where some events are not put off for ever; see
`lassos`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from attrs import define, field, frozen

from statemachines.explore.models.model_protocol import Condition, Model, ModelEvent
from statemachines.explore.models.row_columns import Row
from statemachines.explore.models.successors import FairEvent, Successor
from statemachines.explore.properties.vacuity import never_waits_message
from statemachines.explore.resources.limits import NO_LIMITS, Budget, Limits, SearchEnding
from statemachines.explore.results.property_results import PropertyResult
from statemachines.explore.rows.row_search import SearchResult
from statemachines.explore.verdicts.lassos import (
    FairnessEdge,
    Lasso,
    RowTest,
    find_broken_wait,
    find_lasso,
)
from statemachines.explore.verdicts.promises import Promise, PromiseConditions
from statemachines.explore.verdicts.property_verdicts import (
    VIOLATION_MESSAGES,
    WITH_SYMMETRY,
    bound_text,
    property_title,
    with_expected_failure,
)
from statemachines.model.definitions.data_definitions import (
    Fairness,
    Property,
    PropertyKind,
    fairness_groups,
)
from statemachines.model.evidence.verdicts import Verdict


@define(eq=False)
class _SearchedGraph:
    """What was seen, as a graph whose edges are made when they are asked for."""

    model: Model
    search: SearchResult
    assuming: tuple[tuple[Fairness, ...], ...]
    """Those together that are fair as one."""
    budget: Budget
    until_raised: bool = False
    """Whether runs end with a step that raises."""
    known_edges: dict[int, tuple[FairnessEdge, ...] | None] = field(factory=dict)
    raising_events: dict[int, frozenset[FairEvent]] = field(factory=dict)
    """By row: the fair events that raise there, where runs end with a step that does: not taking
    them is not fair.
    """

    @property
    def initial_indices(self) -> Iterable[int]:
        return [self.search.indices[row] for row in self.model.initial_rows]

    def edges(self, place: int) -> tuple[FairnessEdge, ...] | None:
        if place not in self.known_edges:
            row = self.search.rows[place]
            self.budget.check_when_due(0, 0, self.search.transitions)
            explored = self.model.goes_on_from(row)
            found = list(self._compute_edges(place, row)) if explored else []
            complete = explored and all(edge.target >= 0 for edge in found)
            self.known_edges[place] = tuple(found) if complete else None
        return self.known_edges[place]

    def _compute_edges(self, place: int, row: Row) -> Iterator[FairnessEdge]:
        raised = set[FairEvent]()
        for event, outcome, after in self.model.steps(row):
            if self.until_raised and outcome.raised:
                raised.update(self._fair_events(event, outcome))
            elif after != row:
                keys = frozenset(self._fair_events(event, outcome))
                target = self.search.indices.get(after, -1)
                yield FairnessEdge(target, keys, (event, outcome))
        self.raising_events[place] = frozenset(raised)

    def _fair_events(self, event: ModelEvent, taken: Successor) -> Iterator[FairEvent]:
        for number, group in enumerate(self.assuming):
            for fair in group:
                key = event.fair_event(taken, fair)
                if key is not None:
                    yield (number, *key)

    def is_strong(self, event: FairEvent) -> bool:
        number = event[0]
        assert isinstance(number, int)
        return self.assuming[number][0].strong

    def enabled_events(self, place: int) -> frozenset[FairEvent]:
        steps = self.edges(place) or ()
        return frozenset(
            key for edge in steps for key in edge.fair_events
        ) | self.raising_events.get(place, frozenset())


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
    claimed, budget = promise.claimed, Budget(runs.limits, runs.search.bounds)
    graph = _SearchedGraph(
        runs.model, search, fairness_groups(claimed.assuming), budget, claimed.until_raised
    )
    for condition in promise.conditions:
        counterexample = _counterexample(graph, claimed, condition)
        if counterexample is not None:
            return PropertyResult(
                property_title(claimed),
                Verdict.VIOLATED,
                VIOLATION_MESSAGES[claimed.kind] + bound_text(condition.when.bound),
                _lasso_trace(graph, counterexample),
                claimed,
            )
    if runs.bounds or search.bounds:
        return _undecided(claimed)
    said = never_waits_message(claimed) if promise.never_waits(search.rows) else ""
    return PropertyResult(property_title(claimed), Verdict.HOLDS, said, property=claimed)


def _counterexample(
    graph: _SearchedGraph, claimed: Property, conditions: PromiseConditions
) -> Lasso | None:
    """Return a run that breaks a promise."""
    when, then, meanwhile = (
        _row_test(graph.search, condition)
        for condition in (conditions.when, conditions.then, conditions.meanwhile)
    )
    if claimed.kind is PropertyKind.EVENTUALLY_ALWAYS:
        return find_lasso(graph, when, lambda _: False, lambda place: not then(place))
    broken = None
    if claimed.kind is PropertyKind.UNTIL:
        broken = find_broken_wait(graph, when, then, meanwhile)
    return broken or find_lasso(graph, when, then)


def _row_test(search: SearchResult, watch: Condition) -> RowTest:
    return lambda place: watch.holds_in(search.rows[place])


def _lasso_trace(graph: _SearchedGraph, lasso: Lasso) -> Any:
    begin = graph.search.rows[lasso.begin]
    edges = [*lasso.prefix, *(lasso.cycle or ())]
    loop_start = None if lasso.cycle is None else len(lasso.prefix)
    return graph.model.trace(begin, [edge.taken for edge in edges], loop_start)
