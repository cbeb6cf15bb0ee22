"""Runs that wait for ever under weak and strong fairness: what is found in a graph is what going through all of its sets of rows finds.

Covers: statemachines.explore.verdicts.lassos, statemachines.explore.verdicts.run_graphs,
statemachines.explore.verdicts.edge_arrays, statemachines.explore.verdicts.fair_parts,
statemachines.explore.verdicts.array_lassos.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from attrs import frozen
from hypothesis import given, settings
from hypothesis import strategies as st

from statemachines.explore.models.successors import FairEvent
from statemachines.explore.verdicts.array_lassos import ArrayRuns
from statemachines.explore.verdicts.edge_arrays import EdgeArrays
from statemachines.explore.verdicts.fair_parts import FairParts
from statemachines.explore.verdicts.lassos import GraphRuns, RowLasso
from statemachines.explore.verdicts.run_graphs import RunGraph
from statemachines.explore.visited.known_rows import LabelledEdges
from tests.effort import some_of

MANY = settings(max_examples=some_of(300), deadline=None)
WEAK, STRONG = ("weak", 0), ("strong", 0)
EVENTS: tuple[FairEvent, ...] = (WEAK, STRONG, ("strong", 1))


@frozen(eq=False, slots=False)
class Drawn:
    """A graph of a few rows; each of its steps may be one of the fair events."""

    size: int
    steps: tuple[tuple[int, int, frozenset[FairEvent]], ...]
    when: frozenset[int]
    then: frozenset[int]
    again: frozenset[int]

    @cached_property
    def graph(self) -> RunGraph:
        """The same, as it is searched."""
        graph = RunGraph(frozenset(["strong"]))
        for place in range(self.size):
            graph.add_row([(target, events) for target, events in self.steps_from(place)])
        return graph

    def marks(self, places: Iterable[int]) -> bytes:
        """Whether a row is one of these, by row."""
        wanted = frozenset(places)
        return bytes(place in wanted for place in range(self.size))

    @property
    def runs(self) -> GraphRuns:
        """Its runs, looked for row by row."""
        return GraphRuns(self.graph, [0], self.marks(self.when), self.marks(self.then))

    def settled(self, again: bool) -> bytes | None:
        """Where nothing counts each time round; None: everything does."""
        return self.marks(frozenset(range(self.size)) - self.again) if again else None

    def runs_on_arrays(self, few: int, kept: int) -> ArrayRuns:
        """The same, looked for many rows at once."""
        edges = EdgeArrays(np, self.found_edges, self.graph, lambda: None, self.size, kept)
        parts, reached = FairParts(np, edges, few_rows=few), self.reached([0], lambda _: True)
        return ArrayRuns(parts, [0], self.marks(self.when & reached), self.marks(self.then))

    def steps_from(self, place: int) -> Iterator[tuple[int, frozenset[FairEvent]]]:
        """The steps from a row: where they lead, and what they are."""
        yield from ((target, events) for source, target, events in self.steps if source == place)

    def found_edges(self, places: Any) -> LabelledEdges:
        """The steps from some rows as arrays."""
        steps = [list(self.steps_from(place)) for place in places.tolist()]
        counts = np.array([len(some) for some in steps])
        every = [step for some in steps for step in some]
        targets = np.array([target for target, _ in every], dtype=np.int64)
        labels = np.array([self.graph.label(events) for _, events in every], dtype=np.int64)
        return LabelledEdges(counts, targets, labels, np.ones(len(steps), dtype=bool))

    def enabled_events(self, place: int) -> frozenset[FairEvent]:
        return frozenset().union(*(events for _, events in self.steps_from(place)))

    def is_strong(self, event: FairEvent) -> bool:
        return event[0] == "strong"

    def reached(self, begins: Iterable[int], allowed: Callable[[int], bool]) -> frozenset[int]:
        """The rows to which steps lead by those that are allowed."""
        found = {place for place in begins if allowed(place)}
        pending = list(found)
        while pending:
            for target, _ in self.steps_from(pending.pop()):
                if allowed(target) and target not in found:
                    found.add(target)
                    pending.append(target)
        return frozenset(found)

    def waiting(self) -> frozenset[int]:
        """The rows of runs that wait."""
        whole = self.reached([0], lambda _: True)
        return self.reached(whole & self.when, lambda place: place not in self.then)

    def is_fair(self, inside: frozenset[int]) -> bool:
        """Whether some run visits these rows again and again and no others, and puts off nothing fair."""
        for place in inside:
            if self.reached([place], inside.__contains__) != inside:
                return False
        taken = self.taken(inside)
        enabled = [self.enabled_events(place) for place in inside]
        strong = {one for one in frozenset().union(*enabled) if self.is_strong(one)}
        return strong <= taken and frozenset.intersection(*enabled) <= taken

    def taken(self, inside: frozenset[int]) -> frozenset[FairEvent]:
        """The events of the steps between some rows."""
        steps = (step for place in inside for step in self.steps_from(place))
        return frozenset().union(*(events for target, events in steps if target in inside))


def subsets(places: frozenset[int]) -> Iterator[frozenset[int]]:
    """Yield the sets of rows, but for the empty one."""
    for many in range(1, len(places) + 1):
        yield from map(frozenset, itertools.combinations(sorted(places), many))


@st.composite
def graphs(draw: st.DrawFn) -> Drawn:
    """Draw a graph of at most five rows: mostly rounds, and steps that leave them."""
    size = draw(st.integers(2, 5))
    place = st.integers(0, size - 1)
    events = st.sampled_from([frozenset[FairEvent](), *(frozenset([one]) for one in EVENTS)])
    around = [(one, (one + 1) % size, draw(events)) for one in range(size) if draw(st.booleans())]
    back = [(one + 1, one, draw(events)) for one in range(size - 1) if draw(st.booleans())]
    steps = [*around, *back, *draw(st.lists(st.tuples(place, place, events), max_size=4))]
    some = st.sets(place, max_size=2).map(frozenset)
    changing = tuple(one for one in steps if one[0] != one[1])
    when = draw(st.sampled_from([frozenset(range(size)), draw(some)]))
    return Drawn(size, changing, when, draw(some), draw(some))


@given(graphs(), st.booleans())
@MANY
def test_a_run_that_waits_for_ever_is_found_where_there_is_one(drawn: Drawn, again: bool) -> None:
    """Any set of rows that a fair run may visit for ever counts, not only the largest ones: leaving rows out is what strong fairness asks for."""
    found = drawn.runs.lasso(drawn.settled(again))
    wanted = any(
        drawn.is_fair(inside) and (not again or inside & drawn.again)
        for inside in subsets(drawn.waiting())
    )
    assert (found is not None) == wanted
    if found is not None:
        check_run(drawn, found, again)


KEPT = st.sampled_from([0, 40, 1 << 12])
"""Bytes that edges may take: none, which leaves colours for strongly connected parts, or a few."""


@given(graphs(), st.booleans(), st.sampled_from([0, 1 << 12]), KEPT)
@MANY
def test_on_arrays_the_same_run_is_found(drawn: Drawn, again: bool, few: int, kept: int) -> None:
    """With no rows that are few every part is cut out by what it leads to and what leads to it."""
    wanted, runs = drawn.runs.lasso(drawn.settled(again)), drawn.runs_on_arrays(few, kept)
    assert frozenset(np.flatnonzero(runs.waiting).tolist()) == drawn.waiting()
    found = runs.lasso(drawn.settled(again))
    assert (found is None) == (wanted is None)
    if found is not None and wanted is not None:
        assert found.rows == wanted.rows
        assert found.cycle is not None
        assert wanted.cycle is not None
        assert [(s.source, s.target, s.events) for s in found.cycle] == [
            (s.source, s.target, s.events) for s in wanted.cycle
        ]


@given(graphs(), KEPT)
@MANY
def test_on_arrays_the_same_wait_is_broken(drawn: Drawn, kept: int) -> None:
    """The shortest run to a row that waits and in which something does not hold."""
    holds = drawn.marks(drawn.again)
    wanted, found = (
        runs.broken_wait(holds) for runs in (drawn.runs, drawn.runs_on_arrays(0, kept))
    )
    assert (found is None) == (wanted is None)
    if found is not None and wanted is not None:
        assert found.rows == wanted.rows


def check_run(drawn: Drawn, found: RowLasso, again: bool) -> None:
    """The run is one of the graph, waits while it goes round, and puts off nothing fair."""
    assert found.cycle is not None
    check_path(drawn, found.rows)
    entry = now = found.rows[-1]
    around, taken = [now], set[Any]()
    for step in found.cycle:
        assert step.source == now
        assert (step.target, step.events) in drawn.steps_from(now)
        taken |= step.events
        now = step.target
        around.append(now)
    assert now == entry
    assert set(around) <= drawn.waiting()
    assert not again or set(around) & drawn.again
    enabled = [drawn.enabled_events(place) for place in around]
    assert {one for one in frozenset().union(*enabled) if drawn.is_strong(one)} <= taken
    assert frozenset.intersection(*enabled) <= taken


def check_path(drawn: Drawn, rows: Sequence[int]) -> None:
    """Steps lead from one of its rows to the next, the first of which is where runs begin."""
    assert rows[0] == 0
    for source, target in itertools.pairwise(rows):
        assert target in {after for after, _ in drawn.steps_from(source)}


@given(graphs())
@MANY
def test_what_does_not_hold_while_a_run_waits_is_found_by_a_shortest_run(drawn: Drawn) -> None:
    """`until`: it holds from `when` on, up to the row in which `then` does."""
    found = drawn.runs.broken_wait(drawn.marks(drawn.again))
    broken = drawn.waiting() - drawn.again
    assert (found is not None) == bool(broken)
    if found is not None:
        assert found.cycle is None
        assert found.rows[-1] in broken
        check_path(drawn, found.rows)
