"""What must follow one day in a system, where some events of its parts are not put off for ever;
see `fairness`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from attrs import define, field, frozen

from statemachines.explore.models.row_columns import Row
from statemachines.explore.models.system_model import SystemRowStep
from statemachines.explore.resources.limits import (
    NO_LIMITS,
    Budget,
    Limits,
    SearchEnding,
    check_nothing,
)
from statemachines.explore.results.system_results import SystemPropertyResult, SystemTrace
from statemachines.explore.rows.system_search import SystemSearch, has_raised
from statemachines.explore.verdicts.fairness import (
    FairEvent,
    FairnessEdge,
    ending_message,
    find_lasso,
)
from statemachines.explore.verdicts.property_verdicts import VIOLATION_MESSAGES, property_title
from statemachines.explore.walks.system_walks import SystemTraceStep
from statemachines.model.definitions.data_definitions import Property, PropertyKind
from statemachines.model.evidence.verdicts import Verdict


@frozen(eq=False)
class _SystemFairnessEdge(FairnessEdge):
    """A step of the system between two rows."""

    trace_step: SystemTraceStep | None = None


@define(eq=False)
class _SystemFairnessGraph:
    """The rows of a search and the steps between them, made as they are asked for."""

    search: SystemSearch
    leads_to: Property
    known_edges: dict[int, tuple[FairnessEdge, ...] | None] = field(factory=dict)
    raising_events: dict[int, frozenset[FairEvent]] = field(factory=dict)
    """By row: the fair events that raise there, where runs end with a step that does."""

    @property
    def initial_indices(self) -> Iterable[int]:
        return [self.search.indices[row] for row in self.search.world.initial_rows]

    def edges(self, place: int) -> tuple[FairnessEdge, ...] | None:
        if place not in self.known_edges:
            row = self.search.rows[place]
            self.search.world.check_limits()
            outside = self.search.world.is_out_of_range(row)
            found = () if outside else tuple(self._compute_edges(place, row))
            self.known_edges[place] = (
                found if not outside and all(edge.target >= 0 for edge in found) else None
            )
        return self.known_edges[place]

    def _compute_edges(self, place: int, row: Row) -> Iterator[FairnessEdge]:
        raised = set[FairEvent]()
        for step in self.search.world.steps(row):
            if not self.search.raising and has_raised(step.trace_step):
                raised.update(self._fair_events(step.trace_step))
            elif step.after != row:
                yield self._fairness_edge(step)
        self.raising_events[place] = frozenset(raised)

    def _fairness_edge(self, step: SystemRowStep) -> FairnessEdge:
        one = step.trace_step
        keys = frozenset(self._fair_events(one))
        return _SystemFairnessEdge(
            self.search.indices.get(step.after, -1), keys, 0, one.event, one.arguments, one
        )

    def _fair_events(self, one: SystemTraceStep) -> Iterator[FairEvent]:
        for number, fair in enumerate(self.leads_to.assuming):
            if fair.event == one.event:
                yield (
                    (number,)
                    if fair.argument is None
                    else (
                        number,
                        one.key if fair.argument == "key" else one.arguments.get(fair.argument),
                    )
                )

    def enabled_events(self, place: int) -> frozenset[FairEvent]:
        steps = self.edges(place) or ()
        return frozenset(
            key for edge in steps for key in edge.fair_events
        ) | self.raising_events.get(place, frozenset())


def system_leads_to_result(
    seen: SystemSearch,
    whole: SystemSearch,
    claimed: Property,
    bounds: bool,
    limits: Limits = NO_LIMITS,
) -> SystemPropertyResult:
    """Say whether `then` follows every `when`.

    Args:
        seen: a search of the whole system; one without steps that raise for a promise of runs in
            which none has.
        whole: the first search, which is told what ends this early.
        claimed: a promise.
        bounds: whether something kept the search from seeing everything.
        limits: where it gives up.
    """
    title, then, when = property_title(claimed), claimed.holds, claimed.when
    assert claimed.kind is PropertyKind.LEADS_TO
    if seen.canonical is not None:
        return SystemPropertyResult(
            title, Verdict.INCONCLUSIVE, "not looked at with symmetry", property=claimed
        )
    if then is None or when is None:
        return SystemPropertyResult(title, Verdict.INCONCLUSIVE, property=claimed)
    graph = _SystemFairnessGraph(seen, claimed)
    budget, found = Budget(limits, whole.bounds), None
    ending = SearchEnding(whole.bounds)
    seen.world.check_limits = lambda: budget.check_when_due(0, 0, seen.transitions)
    try:
        with ending.catch_ending():
            found = find_lasso(
                graph,
                lambda at: seen.properties.holds(when, seen.rows[at]),
                lambda at: seen.properties.holds(then, seen.rows[at]),
            )
    finally:
        seen.world.check_limits = check_nothing
    if ending.ended_early:
        whole.interrupted, whole.out_of_memory = (
            whole.interrupted or ending.interrupted,
            whole.out_of_memory or ending.out_of_memory,
        )
        return SystemPropertyResult(
            title, Verdict.INCONCLUSIVE, ending_message(ending), property=claimed
        )
    if found is None:
        return SystemPropertyResult(
            title, Verdict.INCONCLUSIVE if bounds else Verdict.HOLDS, property=claimed
        )
    edges = (*found.prefix, *found.cycle)
    steps = tuple(
        edge.trace_step
        for edge in edges
        if isinstance(edge, _SystemFairnessEdge) and edge.trace_step is not None
    )
    trace = SystemTrace(seen.world.snapshot(seen.rows[found.begin]), steps, len(found.prefix))
    return SystemPropertyResult(
        title, Verdict.VIOLATED, VIOLATION_MESSAGES[PropertyKind.LEADS_TO], trace, claimed
    )
