"""Long lives of a system, the same in every test: what was done least often is done next, what is
refused is tried again and again, what cannot be undone comes late, and most lives lack some events.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Any

from attrs import field, frozen

from statemachines.model.definitions.machine_definitions import Transition
from statemachines.model.definitions.snapshots import Snapshot
from statemachines.model.definitions.system_definitions import SystemAnswer, SystemSnapshot
from statemachines.semantics.machine.machine_tables import MachineTables
from statemachines.testing.runs.run_coverage import transition_key
from statemachines.testing.systems.system_attempts import SystemAttempt, SystemAttempts, is_refused

LIVES = (400, *(80,) * 30)
"""Steps of each life; the first has all events, the others lack each of them with:"""
_LACKING_SHARE = 0.3
_CARELESS_SHARE = 0.2
"""Of a life, at its end: what cannot be undone is taken as well."""
_DRAWN = 8
"""What may be tried next, of which that is taken that was tried least often."""
_MINDING_SHARE = 0.5
"""Of lives in which it is another step where the same was refused before."""
_DRAWINGS = 4
"""How often that many are drawn, where none of them will do."""
_LONGEST_IDLE = 25
"""Steps in a row that change nothing, after which a life is over."""
_IDLE_SHARE = 0.25
"""Of steps that try what changes nothing."""

_NEW_SHARE = 0.7
"""Of steps that lead to where the system was least often, whatever their kind: evenness of kinds
alone takes what empties as often as what fills, and stays near the beginning.
"""

Chosen = tuple[SystemAttempt, SystemAnswer]
RefusedEvents = frozenset[object]
"""Parts, keys and events that were refused in a life."""


@frozen(eq=False)
class LongLives:
    """Chooses what is tried next in the lives of one test."""

    attempts: SystemAttempts
    random: Random = field(factory=lambda: Random(0))
    taken: Counter[object] = field(factory=Counter)
    """How often each kind of step was taken, alone and after another one, and how often the system
    was where.
    """
    ahead: Mapping[str, Mapping[str, int]] = field()
    """Part to how many of its states can still come from each of them."""

    @ahead.default
    def _ahead(self) -> Mapping[str, Mapping[str, int]]:
        return {name: _states_ahead(part) for name, part in self.attempts.tables.tables.items()}

    def steps(
        self, start: SystemSnapshot, many: int, can_call: Callable[[str, Any, str], bool]
    ) -> Iterator[Chosen]:
        """Yield what is tried in one life, step by step, with what the system answers.

        Args:
            start: where the system begins.
            many: how many steps at most.
            can_call: given a part, a key and an event: whether the subject can be asked for it.

        Yields:
            Attempts; each is taken to be made before the next one is asked for.

        Sources: V. Priezzhev and others, Eulerian walkers as a model of self-organized criticality,
            1996: what was taken least often goes through all evenly. A. Groce and others, Swarm
            Testing, 2012: what is missing lets the rest go farther.
        """
        now, last, before, idle = start, None, frozenset[object](), 0
        minds_refusals = bool(self.taken) and self.random.random() < _MINDING_SHARE
        can_call = self._some_only(can_call)
        for number in range(many):
            is_careful = number < many * (1 - _CARELESS_SHARE)
            chosen = self._least_taken(now, last, before, can_call, is_careful=is_careful)
            idle = 0 if chosen is None or chosen[1].after != now else idle + 1
            if chosen is None or idle > _LONGEST_IDLE:
                return
            kind = _kind(*chosen, before)
            before = _refused(*chosen, before) if minds_refusals else before
            self.taken[kind] += 1
            self.taken[last, kind] += 1
            self.taken[chosen[1].after, before] += 1
            yield chosen
            now, last = chosen[1].after, kind

    def _some_only(
        self, can_call: Callable[[str, Any, str], bool]
    ) -> Callable[[str, Any, str], bool]:
        """Leave events out, of all of a part or of one of them, but in the first life."""
        lacking = dict[object, bool]()

        def lacks(*event: object) -> bool:
            return lacking.setdefault(event, self.random.random() < _LACKING_SHARE)

        def is_left(name: str, key: Any, event: str) -> bool:
            is_lacking = lacks(name, event) or (key is not None and lacks(name, key, event))
            return not is_lacking and can_call(name, key, event)

        return is_left if self.taken else can_call

    def _least_taken(
        self,
        now: SystemSnapshot,
        last: object,
        before: RefusedEvents,
        can_call: Callable[[str, Any, str], bool],
        *,
        is_careful: bool,
    ) -> Chosen | None:
        samples = self._samples(now, can_call, is_careful=is_careful)
        idle = [sample for sample in samples if sample[1].after == now]
        moving = [sample for sample in samples if sample[1].after != now]
        if idle and (not moving or self.random.random() < _IDLE_SHARE):
            moving = idle
        elif is_careful and moving:
            most = max(self._all_ahead(answer.after) for _, answer in moving)
            moving = [sample for sample in moving if self._all_ahead(sample[1].after) == most]
        if not moving:
            return None
        if self.random.random() < _NEW_SHARE:
            return min(
                moving,
                key=lambda sample: self.taken[
                    sample[1].after, _refused(sample[0], sample[1], before)
                ],
            )
        return min(
            moving, key=lambda sample: self._count(last, _kind(sample[0], sample[1], before))
        )

    def _samples(
        self, now: SystemSnapshot, can_call: Callable[[str, Any, str], bool], *, is_careful: bool
    ) -> list[Chosen]:
        """Draw what may be tried next, until something moves; with care, without an end nearer."""
        samples = list[Chosen]()
        for _ in range(_DRAWINGS):
            samples += self.attempts.draw_some(now, self.random, can_call, _DRAWN)
            moved = [answer.after for _, answer in samples if answer.after != now]
            most = max(map(self._all_ahead, moved), default=0)
            if moved and (not is_careful or most >= self._all_ahead(now)):
                break
        return samples

    def _count(self, last: object, kind: object) -> tuple[int, int]:
        return self.taken[last, kind], self.taken[kind]

    def _all_ahead(self, now: SystemSnapshot) -> int:
        """Return how much may still come: of each part, the states that it can reach."""
        return sum(
            self.ahead[name][part.state]
            for name, held in now.parts.items()
            for part in (held.values() if isinstance(held, Mapping) else (held,))
            if isinstance(part, Snapshot)
        )


def _refused(attempt: SystemAttempt, answer: SystemAnswer, before: RefusedEvents) -> RefusedEvents:
    """Return what was refused in a life after one attempt more."""
    whose = attempt.part, attempt.key, attempt.event
    return before | {whose} if is_refused(answer) else before


def _kind(attempt: SystemAttempt, answer: SystemAnswer, before: RefusedEvents) -> object:
    """Return what a step does: whose, whether that was refused before, and by which transitions of
    all parts that it takes along.
    """
    is_delivered = attempt.delivered_from is not None
    whose = attempt.part, attempt.key, attempt.event
    return (*whose, is_delivered, whose in before), tuple(
        (step.part, type(step.answer).__name__, _decided(step.answer.decided_by))
        for step in answer.steps
    )


def _decided(by: object) -> object:
    return transition_key(by) if isinstance(by, Transition) else None


def _states_ahead(part: MachineTables) -> Mapping[str, int]:
    """Return how many states can be reached from each, itself too."""
    ahead = {state: {state} for state in part.states}
    for state, reached in ahead.items():
        pending = [state]
        while pending:
            place = part.states.index(pending.pop())
            new = set(part.state_names(part.successor_masks[place])) - reached
            reached |= new
            pending += new
    return {state: len(reached) for state, reached in ahead.items()}
