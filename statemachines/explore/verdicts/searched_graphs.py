"""The graph of what a search met, with what is fair."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from attrs import define, field

from statemachines.explore.models.model_protocol import Model, ModelEvent, Taken
from statemachines.explore.models.row_columns import Row
from statemachines.explore.models.successors import FairEvent, Successor
from statemachines.explore.resources.limits import Budget, Limits
from statemachines.explore.resources.memory import used_memory
from statemachines.explore.rows.search_goals import SearchResult
from statemachines.explore.verdicts.array_lassos import RowLasso, RowStep
from statemachines.explore.verdicts.edge_arrays import EdgeArrays
from statemachines.explore.verdicts.fair_parts import FairParts
from statemachines.explore.verdicts.lassos import Lasso
from statemachines.explore.verdicts.run_graphs import FairEvents, RunGraph
from statemachines.explore.visited.known_rows import CHUNK_ROWS, KnownRows
from statemachines.model.arrays import load_numpy
from statemachines.model.definitions.data_definitions import Fairness

_EDGE_BYTES = 32
"""What the edges of a row may take, all rows together: beyond, they are found again."""
_LEAST_EDGE_BYTES = 48 << 20
"""What edges may take however few rows there are."""
_ROW_BYTES = 20
"""What a row takes while runs are looked for, beside its edges."""
_GRAPH_BYTES = 160
"""What a row takes with its edges where runs are looked for one by one."""
_EDGES_SHARE = 3
"""Edges may take one part in so many of the memory that is left."""
FairnessGroups = tuple[tuple[Fairness, ...], ...]
"""Those together that are fair as one."""


@define(eq=False)
class FairSteps:
    """The steps from rows, each with the fair events that it is; those that are alike, once."""

    model: Model
    groups: FairnessGroups
    until_raised: bool
    """Whether runs end with a step that raises."""
    known: dict[int, tuple[Successor, FairEvents]] = field(factory=dict)
    """By `id` of what an event does, which is kept with it."""

    def steps(self, row: Row) -> list[tuple[Taken, Row, FairEvents]]:
        """Return the steps that change something: what was taken, the row after it, and the fair
        events that it is.
        """
        numbers = dict[tuple[Row, FairEvents], Taken]()
        for event, outcome, after in self.model.steps(row):
            if after != row and not (self.until_raised and outcome.raised):
                numbers.setdefault((after, self.fair_events(event, outcome)), (event, outcome))
        return [(taken, after, events) for (after, events), taken in numbers.items()]

    def raising_events(self, row: Row) -> FairEvents:
        """Return the fair events that raise in a row."""
        steps = ((event, outcome) for event, outcome, _ in self.model.steps(row) if outcome.raised)
        return frozenset[FairEvent]().union(*(self.fair_events(*step) for step in steps))

    def fair_events(self, event: ModelEvent, outcome: Successor) -> FairEvents:
        """Return the fair events that a step is."""
        key = id(outcome) ^ event.offset  # copies share what their events do
        known = self.known.get(key)
        if known is None or known[0] is not outcome:
            events = frozenset(self._iterate_fair_events(event, outcome))
            known = self.known[key] = outcome, events
        return known[1]

    def _iterate_fair_events(self, event: ModelEvent, outcome: Successor) -> Iterator[FairEvent]:
        for number, group in enumerate(self.groups):
            for fair in group:
                key = event.fair_event(outcome, fair)
                if key is not None:
                    yield (number, *key)


@define(eq=False)
class SearchedRows:
    """The rows of a search, by their numbers."""

    model: Model
    rows: KnownRows
    fair_steps: FairSteps

    @property
    def begins(self) -> list[int]:
        """The rows in which runs begin."""
        return _begins(self.model, self.rows)

    def trace(self, lasso: RowLasso) -> Any:
        """Return a run for people."""
        steps = [*lasso.prefix, *(lasso.cycle or ())]
        loop_start = None if lasso.cycle is None else len(lasso.prefix)
        begin = self.rows.row(lasso.begin)
        return self.model.trace(begin, list(map(self._taken, steps)), loop_start)

    def _taken(self, step: RowStep) -> Taken:
        target = self.rows.row(step.target)
        return next(
            taken
            for taken, after, fair in self.fair_steps.steps(self.rows.row(step.source))
            if after == target and step.events in (None, fair)
        )


@define(eq=False)
class SearchedGraph(SearchedRows):
    """A graph of runs."""

    graph: RunGraph

    def run(self, lasso: Lasso) -> RowLasso:
        """Return a run by its rows, and not by its edges."""
        prefix, cycle = map(self._steps, (lasso.prefix, lasso.cycle or ()))
        return RowLasso(lasso.begin, prefix, None if lasso.cycle is None else cycle)

    def _steps(self, edges: Iterable[int]) -> list[RowStep]:
        graph = self.graph
        return [
            RowStep(graph.source(edge), graph.targets[edge], graph.fair_events(edge))
            for edge in edges
        ]


@define(eq=False)
class SearchedParts(SearchedRows):
    """What tells of many rows at once whether a fair run may wait for ever."""

    parts: FairParts


def _begins(model: Model, rows: KnownRows) -> list[int]:
    return [index for index in rows.indices(model.initial_rows) if index >= 0]


def searched_graph(
    model: Model,
    search: SearchResult,
    groups: FairnessGroups,
    budget: Budget,
    until_raised: bool,
) -> SearchedGraph:
    """Return the graph of what a search met.

    Args:
        model: what was searched.
        search: all rows that it met.
        groups: what is fair.
        budget: where it gives up.
        until_raised: whether runs end with a step that raises.

    Complexity: each row is asked once for its steps; a row takes five bytes, a step five.
    """
    rows, fair_steps = search.known_rows, FairSteps(model, groups, until_raised)
    graph = RunGraph(_begins(model, rows), _strong_groups(groups))

    def label(event: ModelEvent, outcome: Successor) -> int:
        return graph.label(fair_steps.fair_events(event, outcome))

    find = rows.edge_finder(label)
    budget.make_room(_GRAPH_BYTES * len(rows))
    if find is None:
        _add_rows(graph, rows, fair_steps, budget)
    else:
        numpy = load_numpy()
        for begin in range(0, len(rows), CHUNK_ROWS):
            budget.check_when_due(0, 0, search.transitions)
            graph.add_rows(find(numpy.arange(begin, min(begin + CHUNK_ROWS, len(rows)))))
    return SearchedGraph(model, rows, fair_steps, graph)


def searched_parts(
    model: Model, search: SearchResult, groups: FairnessGroups, limits: Limits
) -> SearchedParts | None:
    """Return what tells of many rows at once whether a fair run may wait for ever; None where the
    search has no tables for it.

    Args:
        model: what was searched.
        search: all rows that it met.
        groups: what is fair.
        limits: where it gives up.

    Complexity: the rows that wait are asked for their steps once, or several times where steps are
        so many that they are not kept; a row takes some twenty bytes, and its steps as many.
    """
    rows, fair_steps = search.known_rows, FairSteps(model, groups, until_raised=False)
    graph = RunGraph((), _strong_groups(groups))
    find = rows.edge_finder(
        lambda event, outcome: graph.label(fair_steps.fair_events(event, outcome))
    )
    if find is None:
        return None
    numpy, budget = load_numpy(), Budget(limits, search.bounds)
    budget.make_room(_ROW_BYTES * len(rows))
    check = partial(budget.check_when_due, 0, 0, search.transitions)
    most = most_edge_bytes(len(rows), limits)
    edges = EdgeArrays(numpy, find, graph, check, len(rows), most)
    return SearchedParts(model, rows, fair_steps, FairParts(numpy, edges))


def most_edge_bytes(many: int, limits: Limits) -> int:
    """Return what the edges of so many rows may take in memory."""
    most = max(_EDGE_BYTES * many, _LEAST_EDGE_BYTES)
    if limits.most_memory is None:
        return most
    left = int((limits.most_memory - used_memory()) * (1 << 20))
    return max(min(most, left // _EDGES_SHARE), 0)


def _strong_groups(groups: FairnessGroups) -> frozenset[object]:
    return frozenset[object](number for number, group in enumerate(groups) if group[0].strong)


def _add_rows(graph: RunGraph, rows: KnownRows, fair_steps: FairSteps, budget: Budget) -> None:
    """Add rows one by one."""
    model, until_raised = fair_steps.model, fair_steps.until_raised
    for chunk in rows.chunks():
        budget.check_when_due(0, len(graph.targets), graph.size)
        steps = [fair_steps.steps(row) if model.goes_on_from(row) else None for row in chunk]
        targets = iter(rows.indices(after for some in steps for _, after, _ in some or ()))
        for row, some in zip(chunk, steps, strict=True):
            if until_raised and some is not None:
                graph.raising_events[graph.size] = fair_steps.raising_events(row)
            edges = None if some is None else [(next(targets), events) for _, _, events in some]
            complete = edges is not None and all(target >= 0 for target, _ in edges)
            graph.add_row(edges if complete else None)
