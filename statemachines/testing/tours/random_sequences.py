"""Long random sequences, the same in every run: with some of the events only, and on from where
something new was met.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from random import Random

from attrs import field, frozen

from statemachines.model.definitions.machine_definitions import Transition
from statemachines.model.definitions.snapshots import Answer
from statemachines.testing.runs.attempts import Attempt, NamedValues, sample_subject_parameters
from statemachines.testing.runs.paired_runs import PairedRun
from statemachines.testing.tours.planned_tours import TourPlanner
from statemachines.testing.tours.set_relations import step_relations

MOST_STEPS = 4_000
"""Of all these lives of a test of a machine with data."""
_STEPS_PER_TRANSITION = 60
"""Of a table of moves, so many for each of its transitions."""
MOST_DRAWN = 4
"""How often as many arguments are drawn in all: what does not fit costs nothing but time."""
_LENGTHS = (8, 20, 40, 80)
"""How many events are drawn for a life."""
_WEIGHTS = (0, 0, 1, 1, 3)
"""How often an event is drawn in one life, beside others; none: it does not happen in that life."""
_ANY_EVENT_SHARE = 0.25
"""How much is drawn from all events, also those that nothing takes."""
_FRESH_START_SHARE = 0.4
"""How many lives begin at the beginning; the others go on where a life before met something new."""
_LONGEST_START = 30
"""Of what such a life begins with."""
_SAMPLES_PER_EVENT = 6
"""How often arguments are drawn, of which the newest are taken."""


def run_random_sequences(run: PairedRun, planner: TourPlanner) -> Iterator[Attempt | None]:
    """Go through random lives; yield each attempt before it is made, and None before a life begins.

    Args:
        run: the subject and the machine, side by side.
        planner: what is planned, and what was reached already.

    Yields:
        Each attempt, or None where a sequence begins.

    Source: A. Groce and others, Swarm testing, 2012, for the events; M. Zalewski, american fuzzy
    lop, for what is gone on from.
    """
    walk, steps, tables = _SequenceSampler(run, planner), 0, planner.finder.tables
    most = (
        MOST_STEPS
        if tables.has_data
        else min(MOST_STEPS, _STEPS_PER_TRANSITION * len(tables.candidates))
    )
    while walk.events and steps < most and walk.sample_count[0] < most * MOST_DRAWN:
        parameters, begun = walk.sample_start()
        yield None
        run.begin(parameters)
        sequence = list[Attempt]()
        for attempt in walk.sample_sequence(begun):
            yield attempt
            if run.perform(attempt):
                steps += 1
                sequence.append(attempt)
                if walk.note_new_goals() and len(sequence) <= _LONGEST_START:
                    walk.promising_starts.append((parameters, tuple(sequence)))


@frozen(eq=False)
class _SequenceSampler:
    """What is drawn from, and what was met."""

    run: PairedRun
    planner: TourPlanner
    random: Random = field(factory=lambda: Random(0))
    promising_starts: list[tuple[NamedValues, tuple[Attempt, ...]]] = field(factory=list)
    """Beginnings of lives that met something new with their last step."""
    reached: set[Hashable] = field(factory=set)
    sample_count: list[int] = field(factory=lambda: [0])
    """How many attempts."""
    last_goals: list[frozenset[Hashable]] = field(factory=lambda: [frozenset()])
    """What the attempt drawn last would meet."""

    @property
    def events(self) -> tuple[str, ...]:
        """What may be drawn."""
        return tuple(
            event
            for event in self.planner.finder.tables.events
            if event not in self.planner.skipped
        )

    def sample_start(self) -> tuple[NamedValues, tuple[Attempt, ...]]:
        """Draw parameters, and how a life begins."""
        if self.promising_starts and self.random.random() > _FRESH_START_SHARE:
            return self.random.choice(self.promising_starts[-200:])
        return (
            sample_subject_parameters(
                self.planner.finder, self.random, wide=self.random.random() < 0.5
            ),
            (),
        )

    def sample_sequence(self, begun: tuple[Attempt, ...]) -> Iterator[Attempt]:
        """Yield what happens in a life, drawn where the run stands."""
        for attempt in begun:
            self.last_goals[0] = frozenset()
            yield attempt
        events, weights = self.events, [self.random.choice(_WEIGHTS) for _ in self.events]
        for _ in range(self.random.choice(_LENGTHS)):
            self.sample_count[0] += 1
            sampled = self._sample_attempt(events, weights)
            if sampled is not None:
                yield sampled

    def note_new_goals(self) -> bool:
        """Note what a step has met; tell whether it is new."""
        new = self.last_goals[0] - self.reached
        self.reached.update(new)
        return bool(new)

    def _sample_attempt(self, events: Sequence[str], weights: Sequence[int]) -> Attempt | None:
        """Draw an attempt: mostly of an event that the state knows, and rather one that meets
        something new, or changes something.
        """
        random, here, tables = self.random, self.run.current_snapshot, self.planner.finder.tables
        known = [
            (event, weight)
            for event, weight in zip(events, weights, strict=True)
            if (here.state, event) in tables.candidates
        ]
        if random.random() < _ANY_EVENT_SHARE or not any(weight for _, weight in known):
            event, tries = random.choices(events, weights if any(weights) else None)[0], 1
        else:
            event, tries = (
                random.choices([event for event, _ in known], [weight for _, weight in known])[0],
                _SAMPLES_PER_EVENT,
            )
        if not self.planner.finder.has_arguments(event):
            tries = 1
        best, most = None, -1
        for _ in range(tries):
            finder = self.planner.finder.sometimes_beyond(event, random)
            chosen = finder.sample_step(here, event, random)
            if chosen is None:
                listed = self.planner.finder.event_attempts(here, event).answered
                if not listed:
                    break
                chosen = random.choice(listed)
            attempt, first = chosen
            reached_goals = frozenset(self._attempt_goals(attempt, first.answer))
            worth = 10 * len(reached_goals - self.reached) + (
                isinstance(first.answer.decided_by, Transition) and first.answer.after != here
            )
            if worth > most:
                best, most, self.last_goals[0] = attempt, worth, reached_goals
        return best

    def _attempt_goals(self, attempt: Attempt, answer: Answer) -> Iterator[Hashable]:
        yield from self.planner.goals(
            (self.run.current_snapshot, self.run.last_transition), attempt, answer
        )
        yield from step_relations(self.run.current_snapshot, attempt, answer)
