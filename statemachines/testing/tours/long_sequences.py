"""Long lives: every step that may come again is taken again and again, as evenly as may be; what is
refused is tried again now and then, and what cannot be undone comes at the end of a life each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from random import Random

from attrs import field, frozen

from statemachines.model.definitions.machine_definitions import Transition
from statemachines.model.definitions.snapshots import Answer
from statemachines.testing.runs.attempts import Attempt, NamedValues
from statemachines.testing.runs.paired_runs import PairedRun
from statemachines.testing.runs.run_coverage import TransitionKey, transition_key
from statemachines.testing.tours.planned_tours import TourPlanner, perform_attempt

MOST_STEPS = 5_000
"""Of all these lives of a test, tries counted of what is refused."""
_STEPS_PER_TRANSITION = 100
"""Of the first life, for each transition that it meets, but not more in all than:"""
_LONGEST_SEQUENCE = 1_500
_LONGEST_WITH_DATA = 400
"""What may be tried has to be found anew in each snapshot of a machine with data."""
_MOST_TO_END = 60
"""Steps to where a life can end as it should."""
_SHARES = (0.1, 0.25, 0.5, 1.0)
"""How much of the first life is over when all that is refused is tried again."""


def run_long_sequences(
    run: PairedRun, planner: TourPlanner, parameters: NamedValues
) -> Iterator[Attempt | None]:
    """Go through long lives; yield each attempt before it is made, and None before a life begins.

    Args:
        run: the subject and the machine, side by side.
        planner: what is planned, and what was reached already.
        parameters: those with which each sequence begins.

    Yields:
        Each attempt, or None where a sequence begins.

    Source: V. Priezzhev and others, Eulerian walkers as a model of self-organized criticality,
        1996: the step that was taken least often in a place goes through all of them evenly.
    """
    walker = _LongWalker(run, planner)
    yield None
    run.begin(parameters)
    has_data = planner.finder.tables.has_data
    longest = _LONGEST_WITH_DATA if has_data else _LONGEST_SEQUENCE
    yield from walker.go_round(longest, refusals=True)
    endings = sorted(walker.endings, key=repr)
    for place, ending in enumerate(endings):
        share = (MOST_STEPS - walker.steps[0]) // (len(endings) - place)
        if share < _MOST_TO_END:
            return
        yield None
        run.begin(parameters)
        yield from walker.go_round(min(longest, share - _MOST_TO_END), refusals=False)
        yield from walker.end_with(ending)


_Choice = tuple[Attempt, tuple[str, object]]
"""What may be tried, with the state and the transition by which it is counted."""


@frozen(eq=False)
class _LongWalker:
    """Goes on where it stands, by what was taken least often there."""

    run: PairedRun
    planner: TourPlanner
    reached: Mapping[str, frozenset[str]] = field()
    """State by state: those that can be reached from there, itself too."""
    endings: set[tuple[str, TransitionKey]] = field(factory=set)
    """Steps that cannot be undone, by the state where they were seen."""
    taken: Counter[tuple[str, object]] = field(factory=Counter)
    steps: list[int] = field(factory=lambda: [0])
    random: Random = field(factory=lambda: Random(0))

    @reached.default
    def _reached(self) -> Mapping[str, frozenset[str]]:
        tables = self.planner.finder.tables
        return {
            state: frozenset(tables.state_names(_reached(tables.successor_masks, place)))
            for place, state in enumerate(tables.states)
        }

    def go_round(self, longest: int, *, refusals: bool) -> Iterator[Attempt]:
        """Go round for so many steps; now and then try, in each state once, what is refused."""
        due = [int(share * longest) for share in _SHARES] if refusals else []
        fresh, moves, keys = set[str](), 0, set[object]()
        while moves < min(longest, _STEPS_PER_TRANSITION * max(len(keys), 3)):
            if self.steps[0] >= MOST_STEPS:
                return
            if due and moves >= min(due[0], _STEPS_PER_TRANSITION * max(len(keys), 3) - 50):
                due.pop(0)
                fresh = set(self.reached)
            if self.run.current_snapshot.state in fresh:
                fresh.discard(self.run.current_snapshot.state)
                yield from self._try_refused()
            chosen = self._least_taken()
            if chosen is None:
                return
            attempt, key = chosen
            keys.add(key)
            self.taken[key] += 1
            yield attempt
            if not self._perform(attempt):
                return
            moves += 1

    def end_with(self, ending: tuple[str, TransitionKey]) -> Iterator[Attempt]:
        """Go on to where a step that cannot be undone is possible, and take it."""
        for _ in range(_MOST_TO_END):
            here = self.run.current_snapshot
            for attempt, answer in self.planner.attempts_at(here):
                if (here.state, _key(answer)) == ending:
                    yield attempt
                    self._perform(attempt)
                    return
            chosen = self._least_taken()
            if chosen is None:
                return
            self.taken[chosen[1]] += 1
            yield chosen[0]
            if not self._perform(chosen[0]):
                return

    def _least_taken(self) -> _Choice | None:
        """Return what was taken least often here, of what may come again; else of what leads to
        where most can still come.
        """
        here, choices = self.run.current_snapshot, list[tuple[int, _Choice]]()
        for attempt, answer in self.planner.attempts_at(here):
            key = _key(answer)
            if key is None:
                continue
            ahead = self.reached[answer.after.state]
            if here.state not in ahead:
                self.endings.add((here.state, key))
            choices.append((len(ahead), (attempt, (here.state, key))))
        most = max((ahead for ahead, _ in choices), default=0)
        best = [choice for ahead, choice in choices if ahead == most]
        least = min((self.taken[key] for _, key in best), default=0)
        best = [choice for choice in best if self.taken[choice[1]] == least]
        return self.random.choice(best) if best else None

    def _try_refused(self) -> Iterator[Attempt]:
        here, kinds = self.run.current_snapshot, set[object]()
        for attempt, answer in self.planner.attempts_at(here):
            kind = attempt.event, type(answer), _key(answer)
            if answer.after != here or kind in kinds:
                continue
            kinds.add(kind)
            yield attempt
            if not self._perform(attempt) or self.run.current_snapshot != here:
                return

    def _perform(self, attempt: Attempt) -> bool:
        self.steps[0] += 1
        return perform_attempt(self.planner, attempt, self.run)


def _key(answer: Answer) -> TransitionKey | None:
    decided = answer.decided_by
    return transition_key(decided) if isinstance(decided, Transition) else None


def _reached(successors: tuple[int, ...], place: int) -> int:
    """Return the states that can be reached from one, itself too, as bits."""
    reached = pending = 1 << place
    while pending:
        state = pending.bit_length() - 1
        pending &= ~(1 << state)
        new = successors[state] & ~reached
        reached, pending = reached | new, pending | new
    return reached
