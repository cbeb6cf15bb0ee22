"""What must follow one day in a system, where some events of its parts are not put off for ever; see `fairness`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from attrs import define, field, frozen

from statemachines.explore.claims import WRONG, title_of
from statemachines.explore.columns import Row
from statemachines.explore.fairness import Edge, Key, said_of_ending, waiting_run
from statemachines.explore.limits import NO_LIMITS, Budget, Ending, Limits, unlimited
from statemachines.explore.system_results import SystemExamined, SystemTrace
from statemachines.explore.system_search import Run, has_raised
from statemachines.explore.system_world import SystemStep
from statemachines.explore.walking_systems import SystemOccurrence
from statemachines.model.data import Claim, Property
from statemachines.model.verdicts import Verdict


@frozen(eq=False)
class _Edge(Edge):
    """A step of the system between two rows."""

    occurrence: SystemOccurrence | None = None


@define(eq=False)
class _Graph:
    """The rows of a search and the steps between them, made as they are asked for."""

    seen: Run
    claimed: Property
    known: dict[int, tuple[Edge, ...] | None] = field(factory=dict)
    raising: dict[int, frozenset[Key]] = field(factory=dict)
    """By row: the fair events that raise there, where runs end with a step that does."""

    @property
    def begins(self) -> Iterable[int]:
        return [self.seen.place[row] for row in self.seen.world.begins]

    def edges(self, place: int) -> tuple[Edge, ...] | None:
        if place not in self.known:
            row = self.seen.rows[place]
            self.seen.world.spend()
            outside = self.seen.world.is_outside(row)
            found = () if outside else tuple(self._edges(place, row))
            self.known[place] = found if not outside and all(edge.target >= 0 for edge in found) else None
        return self.known[place]

    def _edges(self, place: int, row: Row) -> Iterator[Edge]:
        raised = set[Key]()
        for step in self.seen.world.steps(row):
            if not self.seen.raising and has_raised(step.occurrence):
                raised.update(self._keys(step.occurrence))
            elif step.after != row:
                yield self._edge(step)
        self.raising[place] = frozenset(raised)

    def _edge(self, step: SystemStep) -> Edge:
        one = step.occurrence
        keys = frozenset(self._keys(one))
        return _Edge(self.seen.place.get(step.after, -1), keys, 0, one.event, one.arguments, one)

    def _keys(self, one: SystemOccurrence) -> Iterator[Key]:
        for number, fair in enumerate(self.claimed.assuming):
            if fair.event == one.event:
                yield (number,) if fair.each is None else (number, one.key if fair.each == "key" else one.arguments.get(fair.each))

    def possible(self, place: int) -> frozenset[Key]:
        steps = self.edges(place) or ()
        return frozenset(key for edge in steps for key in edge.keys) | self.raising.get(place, frozenset())


def promise(seen: Run, whole: Run, claimed: Property, bounds: bool, limits: Limits = NO_LIMITS) -> SystemExamined:
    """Say whether `then` follows every `when`.

    Args:
        seen: a search of the whole system; one without steps that raise for a promise of runs in which none has.
        whole: the first search, which is told what ends this early.
        claimed: a promise.
        bounds: whether something kept the search from seeing everything.
        limits: where it gives up.
    """
    title, then, when = title_of(claimed), claimed.holds, claimed.when
    assert claimed.claim is Claim.LEADS_TO
    if seen.canonical is not None:
        return SystemExamined(title, Verdict.INCONCLUSIVE, "not looked at with symmetry", property=claimed)
    if then is None or when is None:
        return SystemExamined(title, Verdict.INCONCLUSIVE, property=claimed)
    graph = _Graph(seen, claimed)
    budget, found = Budget(limits, whole.bounds), None
    ending = Ending(whole.bounds)
    seen.world.spend = lambda: budget.spend(0, 0, seen.transitions)
    try:
        with ending.noted():
            found = waiting_run(graph, lambda at: seen.rules.holds(when, seen.rows[at]), lambda at: seen.rules.holds(then, seen.rows[at]))
    finally:
        seen.world.spend = unlimited
    if ending.early:
        whole.interrupted, whole.starved = whole.interrupted or ending.interrupted, whole.starved or ending.starved
        return SystemExamined(title, Verdict.INCONCLUSIVE, said_of_ending(ending), property=claimed)
    if found is None:
        return SystemExamined(title, Verdict.INCONCLUSIVE if bounds else Verdict.HOLDS, property=claimed)
    edges = (*found.way, *found.round)
    steps = tuple(edge.occurrence for edge in edges if isinstance(edge, _Edge) and edge.occurrence is not None)
    trace = SystemTrace(seen.world.snapshot(seen.rows[found.begin]), steps, len(found.way))
    return SystemExamined(title, Verdict.VIOLATED, WRONG[Claim.LEADS_TO], trace, claimed)
