"""Long random lives, the same in every run: with some of the events only, and on from where something new was met."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from random import Random

from attrs import field, frozen

from statemachines.model.machines import Transition
from statemachines.model.snapshots import Answer
from statemachines.testing.attempts import Attempt, Values, drawn_parameters
from statemachines.testing.relating import relations
from statemachines.testing.runs import Run
from statemachines.testing.tours import Planner

MOST_STEPS = 4_000
"""Of all these lives of a test of a machine with data."""
STEPS_OF_AN_ARROW = 60
"""Of a table of moves, so many for each of its transitions."""
MOST_DRAWN = 4
"""How often as many arguments are drawn in all: what does not fit costs nothing but time."""
LENGTHS = (8, 20, 40, 80)
"""How many events are drawn for a life."""
WEIGHTS = (0, 0, 1, 1, 3)
"""How often an event is drawn in one life, beside others; none: it does not happen in that life."""
ANYTHING = 0.25
"""How much is drawn from all events, also those that nothing takes."""
ANEW = 0.4
"""How many lives begin at the beginning; the others go on where a life before met something new."""
LONGEST = 30
"""Of what such a life begins with."""
TRIES = 6
"""How often arguments are drawn, of which the newest are taken."""


def wandering(run: Run, planner: Planner) -> Iterator[Attempt | None]:
    """Go through random lives; yield each attempt before it is made, and None before a life begins.

    Source: A. Groce and others, Swarm testing, 2012, for the events; M. Zalewski, american fuzzy lop, for what is gone on from.
    """
    walk, steps, tables = Walk(run, planner), 0, planner.trials.tables
    most = MOST_STEPS if tables.has_data else min(MOST_STEPS, STEPS_OF_AN_ARROW * len(tables.candidates))
    while walk.events and steps < most and walk.drawn[0] < most * MOST_DRAWN:
        parameters, begun = walk.beginning()
        yield None
        run.begin(parameters)
        life = list[Attempt]()
        for attempt in walk.life(begun):
            yield attempt
            if run.happen(attempt):
                steps += 1
                life.append(attempt)
                if walk.notes() and len(life) <= LONGEST:
                    walk.known.append((parameters, tuple(life)))


@frozen(eq=False)
class Walk:
    """What is drawn from, and what was met."""

    run: Run
    planner: Planner
    random: Random = field(factory=lambda: Random(0))
    known: list[tuple[Values, tuple[Attempt, ...]]] = field(factory=list)
    """Beginnings of lives that met something new with their last step."""
    met: set[Hashable] = field(factory=set)
    drawn: list[int] = field(factory=lambda: [0])
    """How many attempts."""
    last: list[frozenset[Hashable]] = field(factory=lambda: [frozenset()])
    """What the attempt drawn last would meet."""

    @property
    def events(self) -> tuple[str, ...]:
        """What may be drawn."""
        return tuple(event for event in self.planner.trials.tables.events if event not in self.planner.skipped)

    def beginning(self) -> tuple[Values, tuple[Attempt, ...]]:
        """Draw parameters, and how a life begins."""
        if self.known and self.random.random() > ANEW:
            return self.random.choice(self.known[-200:])
        return drawn_parameters(self.planner.trials, self.random, wide=self.random.random() < 0.5), ()

    def life(self, begun: tuple[Attempt, ...]) -> Iterator[Attempt]:
        """Yield what happens in a life, drawn where the run stands."""
        for attempt in begun:
            self.last[0] = frozenset()
            yield attempt
        events, weights = self.events, [self.random.choice(WEIGHTS) for _ in self.events]
        for _ in range(self.random.choice(LENGTHS)):
            self.drawn[0] += 1
            drawn = self._drawn(events, weights)
            if drawn is not None:
                yield drawn

    def notes(self) -> bool:
        """Note what a step has met; tell whether it is new."""
        new = self.last[0] - self.met
        self.met.update(new)
        return bool(new)

    def _drawn(self, events: Sequence[str], weights: Sequence[int]) -> Attempt | None:
        """Draw an attempt: mostly of an event that the state knows, and rather one that meets something new, or changes something."""
        random, here, tables = self.random, self.run.before, self.planner.trials.tables
        known = [(event, weight) for event, weight in zip(events, weights, strict=True) if (here.state, event) in tables.candidates]
        if random.random() < ANYTHING or not any(weight for _, weight in known):
            event, tries = random.choices(events, weights if any(weights) else None)[0], 1
        else:
            event, tries = random.choices([event for event, _ in known], [weight for _, weight in known])[0], TRIES
        if not self.planner.trials.has_arguments(event):
            tries = 1
        best, most = None, -1
        for _ in range(tries):
            found = self.planner.trials.answered(here, event, random)
            if found is None:
                listed = self.planner.trials.looked(here, event).answered
                if not listed:
                    break
                found = random.choice(listed)
            attempt, first = found
            meets = frozenset(self._meets(attempt, first.answer))
            worth = 10 * len(meets - self.met) + (isinstance(first.answer.decided_by, Transition) and first.answer.after != here)
            if worth > most:
                best, most, self.last[0] = attempt, worth, meets
        return best

    def _meets(self, attempt: Attempt, answer: Answer) -> Iterator[Hashable]:
        yield from self.planner.goals((self.run.before, self.run.last), attempt, answer)
        yield from relations(self.run.before, attempt, answer)
