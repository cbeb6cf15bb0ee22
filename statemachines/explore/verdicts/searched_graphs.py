"""The graph of what a search met, with what is fair."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from typing import Any

from attrs import define, field

from statemachines.explore.arrays.distinct_numbers import in_chunks
from statemachines.explore.models.model_protocol import Model, ModelEvent, Taken
from statemachines.explore.models.row_columns import Row
from statemachines.explore.models.successors import FairEvent, Successor
from statemachines.explore.resources.limits import Budget, Limits
from statemachines.explore.resources.memory import used_memory
from statemachines.explore.rows.search_goals import SearchResult
from statemachines.explore.verdicts.array_lassos import ArrayRuns
from statemachines.explore.verdicts.edge_arrays import EdgeArrays
from statemachines.explore.verdicts.fair_parts import FairParts
from statemachines.explore.verdicts.lassos import GraphRuns, RowLasso
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
    """The rows of a search, by their numbers, and the steps between them."""

    rows: KnownRows
    fair_steps: FairSteps
    edges: RunGraph | EdgeArrays

    def runs(self, when: bytes, then: bytes) -> GraphRuns | ArrayRuns:
        """Return the runs that wait; by row: whether it makes them wait, and what they wait for."""
        indices = self.rows.indices(self.fair_steps.model.initial_rows)
        begins = [index for index in indices if index >= 0]
        if isinstance(self.edges, RunGraph):
            return GraphRuns(self.edges, begins, when, then)
        return ArrayRuns(FairParts(self.edges.numpy, self.edges), begins, when, then)

    def trace(self, lasso: RowLasso) -> Any:
        """Return a run for people."""
        pairs = [(source, target, None) for source, target in pairwise(lasso.rows)]
        around = [(step.source, step.target, step.events) for step in lasso.cycle or ()]
        taken = [self._taken(*step) for step in (*pairs, *around)]
        loop_start = None if lasso.cycle is None else len(pairs)
        return self.fair_steps.model.trace(self.rows.row(lasso.rows[0]), taken, loop_start)

    def _taken(self, source: int, target: int, events: FairEvents | None) -> Taken:
        wanted = self.rows.row(target)
        return next(
            taken
            for taken, after, fair in self.fair_steps.steps(self.rows.row(source))
            if after == wanted and events in (None, fair)
        )


def searched_rows(
    search: SearchResult, fair_steps: FairSteps, budget: Budget, *, by_row: bool = False
) -> SearchedRows:
    """Return what tells whether a fair run may wait for ever: of many rows at once, where the
    search has tables for it.

    Args:
        search: all rows that it met.
        fair_steps: what was searched, and what is fair.
        budget: where it gives up.
        by_row: whether there are more fair events than can be told of many rows at once.

    Complexity: by row, each is asked once for its steps; a row takes five bytes, a step five. Else
        the rows that wait are asked once, or several times where steps are so many that they are
        not kept; a row takes some twenty bytes, and its steps as many.
    """
    rows, strong = search.known_rows, enumerate(fair_steps.groups)
    graph = RunGraph(frozenset(number for number, group in strong if group[0].strong))

    def label(event: ModelEvent, outcome: Successor) -> int:
        return graph.label(fair_steps.fair_events(event, outcome))

    find, check = rows.edge_finder(label), partial(budget.check_when_due, 0, 0, search.transitions)
    budget.make_room((_GRAPH_BYTES if find is None or by_row else _ROW_BYTES) * len(rows))
    if find is None:
        _add_rows(graph, rows, fair_steps, budget)
        return SearchedRows(rows, fair_steps, graph)
    numpy = load_numpy()
    if by_row:
        for some in in_chunks(range(len(rows)), CHUNK_ROWS):
            check()
            graph.add_rows(find(numpy.array(some)))
        return SearchedRows(rows, fair_steps, graph)
    most = most_edge_bytes(len(rows), budget.limits)
    edges = EdgeArrays(numpy, find, graph, check, len(rows), most)
    return SearchedRows(rows, fair_steps, edges)


def most_edge_bytes(many: int, limits: Limits) -> int:
    """Return what the edges of so many rows may take in memory."""
    most = max(_EDGE_BYTES * many, _LEAST_EDGE_BYTES)
    if limits.most_memory is None:
        return most
    left = int((limits.most_memory - used_memory()) * (1 << 20))
    return max(min(most, left // _EDGES_SHARE), 0)


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
