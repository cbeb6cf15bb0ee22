"""Planned runs: by the shortest ways through every transition, every pair of them, every outcome of a guard, every forbidden event."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection, Hashable, Iterator

from attrs import field, frozen

from statemachines.model.machines import Transition
from statemachines.model.snapshots import Answer, Snapshot, Value
from statemachines.testing.attempts import Attempt, Trials, Values
from statemachines.testing.coverage import Arrow, arrow_of, arrows_of, is_guarded, passed_over
from statemachines.testing.postman import lives
from statemachines.testing.runs import Run

KINDS = frozenset({"transition", "pair", "guard", "forbidden", "shape", "edge"})
MOST_STEPS = 1_500
"""Of all tours of a test."""
MOST_NODES = 400
"""How far one way is looked for."""
MOST_NODES_FAR = 6_000
"""How far a way is looked for where nothing is near and a transition or an outcome is missing."""
MOST_KNOWN = 8_000
"""How many snapshots are looked at in all."""
MOST_LOOKS = 100_000
"""How many steps of the machine are weighed in all; what was not met by then is left to random runs."""

Node = tuple[Snapshot, Arrow | None]


@frozen(eq=False)
class Planner:
    """Finds the shortest way to something that was not done yet."""

    trials: Trials
    kinds: Collection[str] = KINDS
    skipped: Collection[str] = ()
    """Events that the subject has no method for and that nothing takes anywhere."""
    done: set[Hashable] = field(factory=set)
    edges: dict[Snapshot, tuple[tuple[Attempt, Answer], ...]] = field(factory=dict)
    looks: Counter[str] = field(factory=Counter)

    def way(self, node: Node, *, far: bool = False) -> list[Attempt] | None:
        """Return the shortest way to the next goal; of equally long ones that which meets most goals; None: there is none near.

        Args:
            node: where to begin.
            far: look further, at snapshots only: for transitions and outcomes, not for pairs.
        """
        ways: dict[Node, list[Attempt]] = {node: []}
        pending, best, most = deque([node]), None, 0
        while pending and self.looks["steps"] < MOST_LOOKS and len(ways) < (MOST_NODES_FAR if far else MOST_NODES):
            here = pending.popleft()
            way = ways[here]
            if best is not None and len(way) + 1 > len(best):
                break
            for attempt, answer in self.looked_at(here[0]):
                self.looks["steps"] += 1
                new = len(set(self.goals(here, attempt, answer)) - self.done)
                if new > most:
                    best, most = [*way, attempt], new
                following = (answer.after, None) if far else self.after(here, answer)
                if following not in ways:
                    ways[following] = [*way, attempt]
                    pending.append(following)
        return best

    def shortest(self) -> Iterator[tuple[Attempt, ...]]:
        """Yield lives of the fewest steps, for a table of moves with one beginning; others are planned step by step."""
        tables = self.trials.tables
        if not tables.has_data and tables.initial.bit_count() == 1 and ("transition" in self.kinds or "pair" in self.kinds):
            for life in lives(tables, pairs="pair" in self.kinds):
                yield tuple(Attempt(arrow.event) for arrow in life)

    def lacks(self) -> bool:
        """Tell whether a transition, or an outcome of a guard, was not met yet."""
        arrows = arrows_of(self.trials.tables)
        wanted: set[Hashable] = {("transition", arrow_of(arrow)) for arrow in arrows}
        wanted |= {("guard", arrow_of(arrow), value) for arrow in arrows if is_guarded(arrow) for value in (True, False)}
        return any(goal not in self.done for goal in wanted if isinstance(goal, tuple) and goal[0] in self.kinds)

    def goals(self, node: Node, attempt: Attempt, answer: Answer) -> Iterator[Hashable]:
        """Yield what a step would meet."""
        before, last = node
        decided = answer.decided_by
        for arrow in passed_over(self.trials.tables, answer) if "guard" in self.kinds else ():
            yield "guard", arrow_of(arrow), False
        if not isinstance(decided, Transition):
            if "forbidden" in self.kinds:
                yield "forbidden", before.state, attempt.event, type(answer)
            yield from self._edges(attempt, (before.state, attempt.event, type(answer)))
            return
        if "transition" in self.kinds:
            yield "transition", arrow_of(decided)
        if "pair" in self.kinds and last is not None:
            yield "pair", last, arrow_of(decided)
        if "guard" in self.kinds and is_guarded(decided):
            yield "guard", arrow_of(decided), True
        for name, value in attempt.arguments.items() if "shape" in self.kinds else ():
            yield "shape", arrow_of(decided), name, _shape(value)
        yield from self._edges(attempt, arrow_of(decided))

    def _edges(self, attempt: Attempt, place: Hashable) -> Iterator[Hashable]:
        for edge in attempt.edges if "edge" in self.kinds else ():
            yield "edge", place, edge

    def after(self, node: Node, answer: Answer) -> Node:
        """Return where a step leads."""
        if isinstance(answer.decided_by, Transition):
            return answer.after, arrow_of(answer.decided_by)
        return answer.after, node[1] if answer.after == node[0] else None

    def looked_at(self, before: Snapshot) -> tuple[tuple[Attempt, Answer], ...]:
        """Return what may be tried in a snapshot and what the machine answers; nothing where too much was looked at already."""
        if before not in self.edges:
            if len(self.edges) > MOST_KNOWN:
                return ()
            self.edges[before] = tuple(self._looked(before))
        return self.edges[before]

    def _looked(self, before: Snapshot) -> Iterator[tuple[Attempt, Answer]]:
        for event in self.trials.tables.events:
            for attempt, first in () if event in self.skipped else self.trials.looked(before, event).answered:
                yield attempt, first.answer


def _shape(value: Value) -> Hashable:
    """Return what makes one argument another case than another: how much is in it, or that it is nothing."""
    if isinstance(value, frozenset | dict) or (isinstance(value, tuple) and not hasattr(value, "_fields")):
        return min(len(value), 2)
    return value if isinstance(value, bool) else value is None


def tour(run: Run, planner: Planner, parameters: Values) -> Iterator[Attempt | None]:
    """Do all that is planned; yield each attempt before it is made, and None before a life begins."""
    for life in planner.shortest():
        yield None
        run.begin(parameters)
        for attempt in life:
            yield attempt
            do(planner, attempt, run)
    yield None
    run.begin(parameters)
    start, steps, fresh = run.before, 0, True
    while steps < MOST_STEPS:
        here = planner.way((run.before, run.last))
        anew = None if fresh else planner.way((start, None))
        if here is None and fresh and planner.lacks():
            here = planner.way((start, None), far=True)
        if here is None and anew is None and fresh:
            return
        if here is None or (anew is not None and len(anew) < len(here)):
            yield None
            run.begin(parameters)
            fresh = True
            continue
        for attempt in here:
            yield attempt
            if not do(planner, attempt, run):
                return
            fresh, steps = False, steps + 1


def do(planner: Planner, attempt: Attempt, run: Run) -> bool:
    """Let something happen and mark what it met; return whether it could be tried."""
    before, last = run.before, run.last
    if not run.happen(attempt):
        return False
    _note(planner, (before, last), attempt, run)
    return True


def _note(planner: Planner, node: Node, attempt: Attempt, run: Run) -> None:
    """Mark what a step met, also where the subject chose another way than planned."""
    for possible in planner.trials.possible(node[0], attempt):
        if possible.answer.after == run.before:
            planner.done.update(planner.goals(node, attempt, possible.answer))
            return
    first = planner.trials.first(node[0], attempt)
    planner.done.update(planner.goals(node, attempt, first.answer) if first is not None else ())
