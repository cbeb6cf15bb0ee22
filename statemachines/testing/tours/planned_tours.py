"""Planned runs: by the shortest ways through every transition, every pair of them, every outcome of
a guard, every forbidden event.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection, Hashable, Iterator

from attrs import field, frozen

from statemachines.model.definitions.machine_definitions import Transition
from statemachines.model.definitions.snapshots import Answer, Snapshot, Value
from statemachines.testing.runs.attempts import Attempt, AttemptFinder, NamedValues
from statemachines.testing.runs.paired_runs import PairedRun
from statemachines.testing.runs.run_coverage import (
    TransitionKey,
    coverable_transitions,
    is_guarded,
    rejected_transitions,
    transition_key,
)
from statemachines.testing.tours.shortest_routes import transition_routes

_GOAL_KINDS = frozenset({"transition", "pair", "guard", "forbidden", "shape", "edge"})
MOST_STEPS = 1_500
"""Of all tours of a test."""
MOST_NODES = 400
"""How far one way is looked for."""
_MOST_NODES_FAR = 6_000
"""How far a way is looked for where nothing is near and a transition or an outcome is missing."""
_MOST_SNAPSHOTS = 8_000
"""How many snapshots are looked at in all."""
MOST_WEIGHED = 100_000
"""How many steps of the machine are weighed in all; what was not met by then is left to random
runs.
"""

TourNode = tuple[Snapshot, TransitionKey | None]


@frozen(eq=False)
class TourPlanner:
    """Finds the shortest way to something that was not done yet."""

    finder: AttemptFinder
    kinds: Collection[str] = _GOAL_KINDS
    skipped: Collection[str] = ()
    """Events that the subject has no method for and that nothing takes anywhere."""
    reached_goals: set[Hashable] = field(factory=set)
    known_attempts: dict[Snapshot, tuple[tuple[Attempt, Answer], ...]] = field(factory=dict)
    weighed: Counter[str] = field(factory=Counter)

    def next_path(self, node: TourNode, *, far: bool = False) -> list[Attempt] | None:
        """Return the shortest way to the next goal; of equally long ones that which meets most
        goals; None: there is none near.

        Args:
            node: where to begin.
            far: look further, at snapshots only: for transitions and outcomes, not for pairs.

        Returns:
            The attempts in order, or None.
        """
        paths: dict[TourNode, list[Attempt]] = {node: []}
        pending, best, most = deque([node]), None, 0
        while (
            pending
            and self.weighed["steps"] < MOST_WEIGHED
            and len(paths) < (_MOST_NODES_FAR if far else MOST_NODES)
        ):
            here = pending.popleft()
            path = paths[here]
            if best is not None and len(path) + 1 > len(best):
                break
            for attempt, answer in self.attempts_at(here[0]):
                self.weighed["steps"] += 1
                new = len(set(self.goals(here, attempt, answer)) - self.reached_goals)
                if new > most:
                    best, most = [*path, attempt], new
                following = (answer.after, None) if far else self.next_node(here, answer)
                if following not in paths:
                    paths[following] = [*path, attempt]
                    pending.append(following)
        return best

    def shortest_sequences(self) -> Iterator[tuple[Attempt, ...]]:
        """Yield lives of the fewest steps, for a table of moves with one beginning; others are
        planned step by step.
        """
        tables = self.finder.tables
        if (
            not tables.has_data
            and tables.initial.bit_count() == 1
            and ("transition" in self.kinds or "pair" in self.kinds)
        ):
            for sequence in transition_routes(tables, pairs="pair" in self.kinds):
                yield tuple(Attempt(transition.event) for transition in sequence)

    def has_missing_goals(self) -> bool:
        """Tell whether a transition, or an outcome of a guard, was not met yet."""
        transitions = coverable_transitions(self.finder.tables)
        wanted: set[Hashable] = {
            ("transition", transition_key(transition)) for transition in transitions
        }
        wanted |= {
            ("guard", transition_key(transition), value)
            for transition in transitions
            if is_guarded(transition)
            for value in (True, False)
        }
        return any(
            goal not in self.reached_goals
            for goal in wanted
            if isinstance(goal, tuple) and goal[0] in self.kinds
        )

    def goals(self, node: TourNode, attempt: Attempt, answer: Answer) -> Iterator[Hashable]:
        """Yield what a step would meet.

        Args:
            node: a snapshot, with the transition that led to it.
            attempt: the event with its arguments.
            answer: what the system says to it.

        Yields:
            Goals, each a tuple that begins with its kind.
        """
        before, last = node
        decided = answer.decided_by
        for transition in (
            rejected_transitions(self.finder.tables, answer) if "guard" in self.kinds else ()
        ):
            yield "guard", transition_key(transition), False
        if not isinstance(decided, Transition):
            if "forbidden" in self.kinds:
                yield "forbidden", before.state, attempt.event, type(answer)
            yield from self._boundary_goals(attempt, (before.state, attempt.event, type(answer)))
            return
        if "transition" in self.kinds:
            yield "transition", transition_key(decided)
        if "pair" in self.kinds and last is not None:
            yield "pair", last, transition_key(decided)
        if "guard" in self.kinds and is_guarded(decided):
            yield "guard", transition_key(decided), True
        for name, value in attempt.arguments.items() if "shape" in self.kinds else ():
            yield "shape", transition_key(decided), name, _argument_shape(value)
        yield from self._boundary_goals(attempt, transition_key(decided))

    def _boundary_goals(self, attempt: Attempt, node: Hashable) -> Iterator[Hashable]:
        for edge in attempt.boundaries if "edge" in self.kinds else ():
            yield "edge", node, edge

    def next_node(self, node: TourNode, answer: Answer) -> TourNode:
        """Return where a step leads.

        Args:
            node: a snapshot, with the transition that led to it.
            answer: what the system says to it.

        Returns:
            The snapshot after it, with the transition that was taken.
        """
        if isinstance(answer.decided_by, Transition):
            return answer.after, transition_key(answer.decided_by)
        return answer.after, node[1] if answer.after == node[0] else None

    def attempts_at(self, before: Snapshot) -> tuple[tuple[Attempt, Answer], ...]:
        """Return what may be tried in a snapshot and what the machine answers; nothing where too
        much was looked at already.

        Args:
            before: the snapshot before it.

        Returns:
            Attempts of all events, each with the machine's first answer.
        """
        if before not in self.known_attempts:
            if len(self.known_attempts) > _MOST_SNAPSHOTS:
                return ()
            self.known_attempts[before] = tuple(self._find_attempts(before))
        return self.known_attempts[before]

    def _find_attempts(self, before: Snapshot) -> Iterator[tuple[Attempt, Answer]]:
        for event in self.finder.tables.events:
            for attempt, first in (
                () if event in self.skipped else self.finder.event_attempts(before, event).answered
            ):
                yield attempt, first.answer


def _argument_shape(value: Value) -> Hashable:
    """Return what makes one argument another case than another: how much is in it, or that it is
    nothing.
    """
    if isinstance(value, frozenset | dict) or (
        isinstance(value, tuple) and not hasattr(value, "_fields")
    ):
        return min(len(value), 2)
    return value if isinstance(value, bool) else value is None


def run_tour(
    run: PairedRun, planner: TourPlanner, parameters: NamedValues
) -> Iterator[Attempt | None]:
    """Do all that is planned; yield each attempt before it is made, None before a sequence.

    Args:
        run: the subject and the machine, side by side.
        planner: what is planned, and what was reached already.
        parameters: those with which each sequence begins.

    Yields:
        Each attempt, or None where a sequence begins.
    """
    for sequence in planner.shortest_sequences():
        yield None
        run.begin(parameters)
        for attempt in sequence:
            yield attempt
            perform_attempt(planner, attempt, run)
    yield None
    run.begin(parameters)
    start, steps, fresh = run.current_snapshot, 0, True
    while steps < MOST_STEPS:
        here = planner.next_path((run.current_snapshot, run.last_transition))
        anew = None if fresh else planner.next_path((start, None))
        if here is None and fresh and planner.has_missing_goals():
            here = planner.next_path((start, None), far=True)
        if here is None and anew is None and fresh:
            return
        if here is None or (anew is not None and len(anew) < len(here)):
            yield None
            run.begin(parameters)
            fresh = True
            continue
        for attempt in here:
            yield attempt
            if not perform_attempt(planner, attempt, run):
                return
            fresh, steps = False, steps + 1


def perform_attempt(planner: TourPlanner, attempt: Attempt, run: PairedRun) -> bool:
    """Let something happen and mark what it met; return whether it could be tried.

    Args:
        planner: what is planned, and what was reached already.
        attempt: the event with its arguments.
        run: the subject and the machine, side by side.

    Returns:
        Whether its arguments fit this snapshot.
    """
    before, last = run.current_snapshot, run.last_transition
    if not run.perform(attempt):
        return False
    _note_goals(planner, (before, last), attempt, run)
    return True


def _note_goals(planner: TourPlanner, node: TourNode, attempt: Attempt, run: PairedRun) -> None:
    """Mark what a step met, also where the subject chose another way than planned."""
    for possible in planner.finder.possible_steps(node[0], attempt):
        if possible.answer.after == run.current_snapshot:
            planner.reached_goals.update(planner.goals(node, attempt, possible.answer))
            return
    first = planner.finder.first_step(node[0], attempt)
    planner.reached_goals.update(
        planner.goals(node, attempt, first.answer) if first is not None else ()
    )
