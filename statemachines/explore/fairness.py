"""What must follow one day (`leads to`), where some events are not put off for ever (weak fairness).

A counterexample is a run that comes to `when`, never to `then`, and goes round for ever in a part of the graph whose every fair event is
either not possible somewhere in it, or happens in it. Standing still is such a part where no fair event is possible.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Protocol

from attrs import define, field, frozen

from statemachines.explore.claims import as_expected, title_of
from statemachines.explore.columns import Row
from statemachines.explore.components import components
from statemachines.explore.drawing import Values
from statemachines.explore.limits import NO_LIMITS, Budget, Ending, Limits
from statemachines.explore.results import Examined, Taken, Trace
from statemachines.explore.search import Searched
from statemachines.explore.watching import Watch, watches_of
from statemachines.explore.world import World
from statemachines.model.data import Claim, Fairness, Property
from statemachines.model.verdicts import Verdict
from statemachines.semantics.step import decided

Key = tuple[Hashable, ...]
"""A fair event: its place in `assuming`, its copy, and the value of the argument where each one is fair by itself."""


@frozen(eq=False)
class Edge:
    """A step that changes something."""

    target: int
    keys: frozenset[Key]
    copy: int
    event: str
    arguments: Values


class Graph(Protocol):
    """What was seen, as a graph of rows."""

    @property
    def begins(self) -> Iterable[int]:
        """The places of the rows in which runs begin."""
        ...

    def edges(self, place: int) -> tuple[Edge, ...] | None:
        """Return the steps from a row; None where they were not all seen."""
        ...

    def possible(self, place: int) -> frozenset[Key]:
        """Return the fair events that are possible in a row."""
        ...


Holds = Callable[[int], bool]
"""Tells of the row at a place whether a condition holds there."""


@frozen(eq=False)
class Waiting:
    """A run that waits for ever: where it begins, the way to where it goes round, and once round (no steps: it stands still)."""

    begin: int
    way: tuple[Edge, ...]
    round: tuple[Edge, ...]


@define(eq=False)
class _Graph:
    """What was seen, as a graph whose edges are made when they are asked for."""

    world: World
    seen: Searched
    assuming: tuple[Fairness, ...]
    budget: Budget
    until_raised: bool = False
    """Whether runs end with a step that raises."""
    known: dict[int, tuple[Edge, ...] | None] = field(factory=dict)
    raising: dict[int, frozenset[Key]] = field(factory=dict)
    """By row: the fair events that raise there, where runs end with a step that does: not taking them is not fair."""

    @property
    def begins(self) -> Iterable[int]:
        return [self.seen.place[row] for row in self.world.begins]

    def edges(self, place: int) -> tuple[Edge, ...] | None:
        if place not in self.known:
            row = self.seen.rows[place]
            self.budget.spend(0, 0, self.seen.transitions)
            found = [] if self.world.is_outside(row) else list(self._edges(place, row))
            complete = not self.world.is_outside(row) and all(edge.target >= 0 for edge in found)
            self.known[place] = tuple(found) if complete else None
        return self.known[place]

    def _edges(self, place: int, row: Row) -> Iterator[Edge]:
        raised = set[Key]()
        for event, outcome, after in self.world.steps(row):
            if self.until_raised and outcome.raised:
                raised.update(self._keys(event.copy, event.rule.event, outcome.arguments))
            elif after != row:
                keys = frozenset(self._keys(event.copy, event.rule.event, outcome.arguments))
                yield Edge(self.seen.place.get(after, -1), keys, event.copy, event.rule.event, outcome.arguments)
        self.raising[place] = frozenset(raised)

    def _keys(self, copy: int, event: str, arguments: Values) -> Iterator[Key]:
        for number, fair in enumerate(self.assuming):
            if fair.event == event:
                yield (number, copy) if fair.each is None else (number, copy, arguments[fair.each])

    def possible(self, place: int) -> frozenset[Key]:
        steps = self.edges(place) or ()
        return frozenset(key for edge in steps for key in edge.keys) | self.raising.get(place, frozenset())


def promises(
    world: World, seen: Searched, calm: Searched | None, bounds: bool, *, symmetry: bool, limits: Limits = NO_LIMITS
) -> Iterator[Examined]:
    """Yield what is said of each `leads to`.

    Args:
        world: what was explored, by rows.
        seen: what the search saw; what stops this is told among its bounds.
        calm: what one saw that takes no step that raises, for what is promised until one does.
        bounds: whether something kept the search from seeing everything.
        symmetry: whether rows stand for others: then nothing can be said.
        limits: where it gives up.
    """
    for claimed in world.machine.data.properties:
        if claimed.claim is Claim.LEADS_TO and claimed.when is not None and claimed.holds is not None:
            of = calm if claimed.until_raised else seen
            if symmetry or seen.interrupted or seen.starved or of is None:
                why = "not looked at with symmetry" if symmetry else said_of_ending(seen, " before it was looked at")
                yield Examined(title_of(claimed), Verdict.INCONCLUSIVE, why, property=claimed)
                continue
            ending, found = Ending(seen.bounds), None
            with ending.noted():
                found = as_expected(_promise(world, of, claimed, bounds or bool(of.bounds), Budget(limits, seen.bounds)))
            seen.interrupted, seen.starved = seen.interrupted or ending.interrupted, seen.starved or ending.starved
            yield found or Examined(title_of(claimed), Verdict.INCONCLUSIVE, said_of_ending(ending), property=claimed)


def said_of_ending(ending: Ending, when: str = "") -> str:
    """Say why something was not looked at to its end."""
    if ending.interrupted:
        return f"interrupted{when}"
    return "not looked at to the end, as no memory is left" if ending.starved else "not looked at to the end"


def _promise(world: World, seen: Searched, claimed: Property, bounds: bool, budget: Budget) -> Examined:
    graph = _Graph(world, seen, claimed.assuming, budget, claimed.until_raised)
    assert claimed.when is not None
    assert claimed.holds is not None
    for when, then in zip(watches_of(world, claimed.when), watches_of(world, claimed.holds), strict=True):
        found = waiting_run(graph, _of_places(seen, when), _of_places(seen, then))
        if found is not None:
            return Examined(title_of(claimed), Verdict.VIOLATED, "never comes", _trace(graph, found), claimed)
    return Examined(title_of(claimed), Verdict.INCONCLUSIVE if bounds else Verdict.HOLDS, property=claimed)


def _of_places(seen: Searched, watch: Watch) -> Holds:
    return lambda place: watch.holds(seen.rows[place])


Node = tuple[int, bool]
"""A row, and whether `when` has been met and `then` not since."""


def waiting_run(graph: Graph, when: Holds, then: Holds) -> Waiting | None:
    """Return a run that waits for ever, with as few steps as possible before it goes round; None where there is none.

    Args:
        graph: of what was seen.
        when: what makes it wait.
        then: what it waits for.
    """
    came_from = _reached(graph, when, then)
    waiting = [place for place, waits in came_from if waits and graph.edges(place) is not None]
    inside = set(waiting)
    following = {place: [edge.target for edge in graph.edges(place) or () if edge.target in inside] for place in waiting}
    fair = [part for part in components(following) if _is_fair(graph, part)]
    if not fair:
        return None
    rank = {place: number for number, place in enumerate(waiting)}
    part = min(fair, key=lambda part: min(rank[place] for place in part))
    entry = min(part, key=lambda place: rank[place])
    edges, node = list[Edge](), (entry, True)
    while (last := came_from[node]) is not None:
        node, edge = last
        edges.append(edge)
    return Waiting(node[0], tuple(reversed(edges)), tuple(_round(graph, entry, part)))


def _reached(graph: Graph, when: Holds, then: Holds) -> dict[Node, tuple[Node, Edge] | None]:
    """Return every row that can be reached, with whether `then` is waited for; breadth first, each with the step that led to it."""

    def node(place: int, waits: bool) -> Node:
        return place, (waits or when(place)) and not then(place)

    found: dict[Node, tuple[Node, Edge] | None] = {}
    for begin in graph.begins:
        found.setdefault(node(begin, False))
    pending = deque(found)
    while pending:
        now = pending.popleft()
        for edge in graph.edges(now[0]) or ():
            following = node(edge.target, now[1])
            if following not in found:
                found[following] = (now, edge)
                pending.append(following)
    return found


def _is_fair(graph: Graph, part: frozenset[int]) -> bool:
    """Tell whether a run may stay within a strongly connected part for ever."""
    always = frozenset.intersection(*(graph.possible(place) for place in part))
    taken = {key for place in part for edge in graph.edges(place) or () if edge.target in part for key in edge.keys}
    return always <= taken


def _round(graph: Graph, entry: int, part: frozenset[int]) -> list[Edge]:
    """Return a way round within a part in which every fair event happens, or is not possible somewhere; empty: standing still is fair."""
    way, now = list[Edge](), entry
    for key in sorted(graph.possible(entry), key=repr):
        visited = [entry, *(edge.target for edge in way)]
        if any(key not in graph.possible(place) for place in visited) or any(key in edge.keys for edge in way):
            continue
        way += _way(graph, part, now, key=key)
        now = way[-1].target
    return way + (_way(graph, part, now, to=entry) if now != entry else [])


def _way(graph: Graph, part: frozenset[int], begin: int, *, key: Key | None = None, to: int | None = None) -> list[Edge]:
    """Return a shortest way within a part: to a step or a place where `key` is done with, or to a row."""
    ways: dict[int, list[Edge]] = {begin: []}
    pending = deque([begin])
    while pending:
        now = pending.popleft()
        for edge in graph.edges(now) or ():
            if edge.target not in part:
                continue
            if edge.target == to or (key is not None and (key in edge.keys or key not in graph.possible(edge.target))):
                return [*ways[now], edge]
            if edge.target not in ways:
                ways[edge.target] = [*ways[now], edge]
                pending.append(edge.target)
    raise AssertionError("a strongly connected part has no way through it")


def _trace(graph: _Graph, found: Waiting) -> Trace:
    begin = graph.world.snapshots(graph.seen.rows[found.begin])
    now, steps = list(begin), list[Taken]()
    for edge in [*found.way, *found.round]:
        answer = decided(graph.world.tables, now[edge.copy], edge.event, edge.arguments)
        now[edge.copy] = answer.after
        steps.append(Taken(edge.event, edge.arguments, answer, edge.copy))
    return Trace(begin, tuple(steps), back_to=len(found.way))
