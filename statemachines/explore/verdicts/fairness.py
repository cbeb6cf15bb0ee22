"""What must follow one day (`leads to`), where some events are not put off for ever (weak
fairness).

A counterexample is a run that comes to `when`, never to `then`, and goes round for ever in a part
of the graph whose every fair event is either not possible somewhere in it, or happens in it.
Standing still is such a part where no fair event is possible.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from operator import itemgetter
from typing import Any, Protocol

from attrs import define, field, frozen

from statemachines.explore.models.model_protocol import Condition, Model, ModelEvent
from statemachines.explore.models.row_columns import Row
from statemachines.explore.models.successors import FairEvent, Successor
from statemachines.explore.resources.limits import NO_LIMITS, Budget, Limits, SearchEnding
from statemachines.explore.results.property_results import PropertyResult
from statemachines.explore.rows.row_search import SearchResult
from statemachines.explore.verdicts.property_verdicts import property_title, with_expected_failure
from statemachines.explore.verdicts.strong_components import strong_components
from statemachines.model.breadth_first import ShortestPaths, search_breadth_first
from statemachines.model.definitions.data_definitions import Fairness, Property, PropertyKind
from statemachines.model.evidence.verdicts import Verdict


@frozen(eq=False)
class FairnessEdge:
    """A step that changes something."""

    target: int
    fair_events: frozenset[FairEvent]
    taken: tuple[ModelEvent, Successor]


class FairnessGraph(Protocol):
    """What was seen, as a graph of rows."""

    @property
    def initial_indices(self) -> Iterable[int]:
        """The places of the rows in which runs begin."""
        ...

    def edges(self, place: int) -> tuple[FairnessEdge, ...] | None:
        """Return the steps from a row; None where they were not all seen."""
        ...

    def enabled_events(self, place: int) -> frozenset[FairEvent]:
        """Return the fair events that are possible in a row."""
        ...


RowTest = Callable[[int], bool]
"""Tells of the row at a place whether a condition holds there."""


@frozen(eq=False)
class Lasso:
    """A run that waits for ever: where it begins, the way to where it goes round, and once round
    (no steps: it stands still).
    """

    begin: int
    prefix: tuple[FairnessEdge, ...]
    cycle: tuple[FairnessEdge, ...]


@define(eq=False)
class _SearchedGraph:
    """What was seen, as a graph whose edges are made when they are asked for."""

    world: Model
    search: SearchResult
    assuming: tuple[Fairness, ...]
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
        return [self.search.indices[row] for row in self.world.initial_rows]

    def edges(self, place: int) -> tuple[FairnessEdge, ...] | None:
        if place not in self.known_edges:
            row = self.search.rows[place]
            self.budget.check_when_due(0, 0, self.search.transitions)
            found = [] if self.world.is_out_of_range(row) else list(self._compute_edges(place, row))
            complete = not self.world.is_out_of_range(row) and all(
                edge.target >= 0 for edge in found
            )
            self.known_edges[place] = tuple(found) if complete else None
        return self.known_edges[place]

    def _compute_edges(self, place: int, row: Row) -> Iterator[FairnessEdge]:
        raised = set[FairEvent]()
        for event, outcome, after in self.world.steps(row):
            if self.until_raised and outcome.raised:
                raised.update(self._fair_events(event, outcome))
            elif after != row:
                keys = frozenset(self._fair_events(event, outcome))
                target = self.search.indices.get(after, -1)
                yield FairnessEdge(target, keys, (event, outcome))
        self.raising_events[place] = frozenset(raised)

    def _fair_events(self, event: ModelEvent, taken: Successor) -> Iterator[FairEvent]:
        for number, fair in enumerate(self.assuming):
            key = event.fair_event(taken, fair)
            if key is not None:
                yield (number, *key)

    def enabled_events(self, place: int) -> frozenset[FairEvent]:
        steps = self.edges(place) or ()
        return frozenset(
            key for edge in steps for key in edge.fair_events
        ) | self.raising_events.get(place, frozenset())


def leads_to_results(
    world: Model,
    seen: SearchResult,
    calm: SearchResult | None,
    bounds: bool,
    *,
    symmetry: bool,
    limits: Limits = NO_LIMITS,
) -> Iterator[PropertyResult[Any]]:
    """Yield what is said of each `leads to`.

    Args:
        world: what was explored, by rows.
        seen: what the search saw; what stops this is told among its bounds.
        calm: what one saw that takes no step that raises, for what is promised until one does.
        bounds: whether something kept the search from seeing everything.
        symmetry: whether rows stand for others: then nothing can be said.
        limits: where it gives up.
    """
    for claimed in world.data.properties:
        if (
            claimed.kind is PropertyKind.LEADS_TO
            and claimed.when is not None
            and claimed.holds is not None
        ):
            of = calm if claimed.until_raised else seen
            if symmetry or seen.interrupted or seen.out_of_memory or of is None:
                why = (
                    "not looked at with symmetry"
                    if symmetry
                    else ending_message(seen, " before it was looked at")
                )
                yield PropertyResult(
                    property_title(claimed), Verdict.INCONCLUSIVE, why, property=claimed
                )
                continue
            ending, found = SearchEnding(seen.bounds), None
            with ending.catch_ending():
                found = with_expected_failure(
                    _leads_to_result(
                        world, of, claimed, bounds or bool(of.bounds), Budget(limits, seen.bounds)
                    )
                )
            seen.interrupted, seen.out_of_memory = (
                seen.interrupted or ending.interrupted,
                seen.out_of_memory or ending.out_of_memory,
            )
            yield found or PropertyResult(
                property_title(claimed),
                Verdict.INCONCLUSIVE,
                ending_message(ending),
                property=claimed,
            )


def ending_message(ending: SearchEnding, when: str = "") -> str:
    """Say why something was not looked at to its end."""
    if ending.interrupted:
        return f"interrupted{when}"
    return (
        "not looked at to the end, as no memory is left"
        if ending.out_of_memory
        else "not looked at to the end"
    )


def _leads_to_result(
    world: Model, seen: SearchResult, claimed: Property, bounds: bool, budget: Budget
) -> PropertyResult[Any]:
    graph = _SearchedGraph(world, seen, claimed.assuming, budget, claimed.until_raised)
    assert claimed.when is not None
    assert claimed.holds is not None
    for when, then in zip(
        world.conditions(claimed.when), world.conditions(claimed.holds), strict=True
    ):
        found = find_lasso(graph, _row_test(seen, when), _row_test(seen, then))
        if found is not None:
            return PropertyResult(
                property_title(claimed),
                Verdict.VIOLATED,
                "never comes",
                _lasso_trace(graph, found),
                claimed,
            )
    return PropertyResult(
        property_title(claimed), Verdict.INCONCLUSIVE if bounds else Verdict.HOLDS, property=claimed
    )


def _row_test(seen: SearchResult, watch: Condition) -> RowTest:
    return lambda place: watch.holds_in(seen.rows[place])


WaitNode = tuple[int, bool]
"""A row, and whether `when` has been met and `then` not since."""


def find_lasso(graph: FairnessGraph, when: RowTest, then: RowTest) -> Lasso | None:
    """Return a run that waits for ever, with as few steps as possible before it goes round; None
    where there is none.

    Args:
        graph: of what was seen.
        when: what makes it wait.
        then: what it waits for.
    """
    reached = _reached_nodes(graph, when, then)
    waiting = [
        place for place, waits in reached.came_from if waits and graph.edges(place) is not None
    ]
    inside = set(waiting)
    following = {
        place: [edge.target for edge in graph.edges(place) or () if edge.target in inside]
        for place in waiting
    }
    fair = [part for part in strong_components(following) if _is_fair(graph, part)]
    if not fair:
        return None
    rank = {place: number for number, place in enumerate(waiting)}
    part = min(fair, key=lambda part: min(rank[place] for place in part))
    entry = min(part, key=lambda place: rank[place])
    (begin, _), edges = reached.path_to((entry, True))
    return Lasso(begin, tuple(edges), tuple(_fair_cycle(graph, entry, part)))


def _reached_nodes(
    graph: FairnessGraph, when: RowTest, then: RowTest
) -> ShortestPaths[WaitNode, FairnessEdge]:
    """Return every row that can be reached, with whether `then` is waited for; breadth first, each
    with the step that led to it.
    """

    def node(place: int, waits: bool) -> WaitNode:
        return place, (waits or when(place)) and not then(place)

    def steps(now: WaitNode) -> Iterator[tuple[FairnessEdge, WaitNode]]:
        for edge in graph.edges(now[0]) or ():
            yield edge, node(edge.target, now[1])

    return search_breadth_first((node(begin, False) for begin in graph.initial_indices), steps)


def _is_fair(graph: FairnessGraph, part: frozenset[int]) -> bool:
    """Tell whether a run may stay within a strongly connected part for ever."""
    always = frozenset.intersection(*(graph.enabled_events(place) for place in part))
    taken = {
        key
        for place in part
        for edge in graph.edges(place) or ()
        if edge.target in part
        for key in edge.fair_events
    }
    return always <= taken


def _fair_cycle(graph: FairnessGraph, entry: int, part: frozenset[int]) -> list[FairnessEdge]:
    """Return a way round within a part in which every fair event happens, or is not possible
    somewhere; empty: standing still is fair.
    """
    way, now = list[FairnessEdge](), entry
    for key in sorted(graph.enabled_events(entry), key=repr):
        visited = [entry, *(edge.target for edge in way)]
        if any(key not in graph.enabled_events(place) for place in visited) or any(
            key in edge.fair_events for edge in way
        ):
            continue
        way += _shortest_path(graph, part, now, key=key)
        now = way[-1].target
    return way + (_shortest_path(graph, part, now, to=entry) if now != entry else [])


def _shortest_path(
    graph: FairnessGraph,
    part: frozenset[int],
    begin: int,
    *,
    key: FairEvent | None = None,
    to: int | None = None,
) -> list[FairnessEdge]:
    """Return a shortest way within a part: to a step or a place where `key` is done with, or to a
    row.
    """

    def is_last(edge: FairnessEdge) -> bool:
        return edge.target == to or (
            key is not None
            and (key in edge.fair_events or key not in graph.enabled_events(edge.target))
        )

    def steps(now: tuple[int, bool]) -> Iterator[tuple[FairnessEdge, tuple[int, bool]]]:
        for edge in graph.edges(now[0]) or ():
            if edge.target in part:
                yield edge, (edge.target, is_last(edge))

    found = search_breadth_first([(begin, False)], steps, itemgetter(1))
    assert found.goal is not None, "a strongly connected part has no way through it"
    return found.path_to(found.goal)[1]


def _lasso_trace(graph: _SearchedGraph, found: Lasso) -> Any:
    begin = graph.search.rows[found.begin]
    edges = [*found.prefix, *found.cycle]
    return graph.world.trace(begin, [edge.taken for edge in edges], len(found.prefix))
