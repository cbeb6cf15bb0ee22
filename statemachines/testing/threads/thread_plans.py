"""What several threads call, drawn: most mistakes take two calls that are in each other's way."""

from __future__ import annotations

from collections.abc import Iterable, Set
from functools import partial
from random import Random
from typing import Any, Generic

from attrs import evolve, frozen

from statemachines.testing.threads.plan_conflicts import are_in_conflict
from statemachines.testing.threads.threaded_subjects import SnapshotT, ThreadedSubject

_MOST_BEFORE = 3
"""Calls of one thread before the others begin."""
_SAME_CALL_SHARE = 0.3
"""Of plans in which all threads make the same call once: two that want the last one, after so many
calls that there may be a last one.
"""
_ONE_CALL_SHARE = 0.3
"""Of plans in which each thread makes one call, and the calls differ: most mistakes take two."""
_ONE_BESIDE_SHARE = 0.2
"""Of plans in which one thread makes one call and the others several: they change things, and
change them back, in the midst of it.
"""
_MOST_BEFORE_SAME = 8
_QUESTIONS_DRAWN = 12
_MOST_QUESTIONS = 5
"""Calls that change nothing, when all threads are over."""
_ANY_SHARE = 0.15
"""Of draws that are taken whether it matters or not: a wrong program may have calls in each other's
way that are not.
"""
_MOST_REDRAWN = 5
"""How often calls of threads are drawn, until it matters which of them comes first."""
_MOST_DRAWN = 4
"""Of so many draws of a call at most, the one that has most to do with others."""


@frozen
class ThreadPlan(Generic[SnapshotT]):
    """What is called: by one thread before, by each thread beside the others, by one at the end."""

    start: Any
    before: tuple[Any, ...]
    threads: tuple[tuple[Any, ...], ...]
    after: tuple[Any, ...]
    """What is asked when all are over: a mistake may show in what is answered then."""

    def shorter(self) -> list[ThreadPlan[SnapshotT]]:
        """Return the plans that lack one call.

        Returns:
            Plans; a thread without calls is none of theirs.
        """
        shorter = [
            evolve(self, before=_without(self.before, place)) for place in range(len(self.before))
        ]
        shorter += [
            evolve(self, after=_without(self.after, place)) for place in range(len(self.after))
        ]
        for number, calls in enumerate(self.threads):
            for place in range(len(calls)):
                others = list(self.threads)
                others[number] = _without(calls, place)
                shorter.append(evolve(self, threads=tuple(filter(None, others))))
        return shorter


@frozen(eq=False)
class PlanDrawer(Generic[SnapshotT]):
    """Draws plans for a subject."""

    subject: ThreadedSubject[SnapshotT]
    threads: int
    calls: int
    """How many calls each thread makes at most."""

    def draw(self, random: Random) -> ThreadPlan[SnapshotT]:
        """Draw a plan.

        Args:
            random: what is drawn from.

        Returns:
            What is called, and by whom.
        """
        start = self.subject.start(random)
        subject, now = self.subject.make(start), self.subject.begins(start)[0]
        share = random.random()
        is_same = share < _SAME_CALL_SHARE
        most = _MOST_BEFORE_SAME if is_same else _MOST_BEFORE
        before, now = self._drawn_calls(subject, now, random.randint(0, most), random)
        many = self._call_counts(share)
        for _ in range(_MOST_REDRAWN):
            attempted = [
                self._drawn_calls(subject, now, count, random, before, min(many) < count)
                for count in (many[:1] if is_same else many)
            ]
            sequences = [calls for calls, _ in attempted] * (self.threads if is_same else 1)
            if random.random() < _ANY_SHARE or are_in_conflict(
                self.subject.answered, now, sequences
            ):
                break
        after = self._drawn_questions(subject, now, random)
        self.subject.end(subject)
        return ThreadPlan(start, before, tuple(sequences), after)

    def _call_counts(self, share: float) -> list[int]:
        """Return how many calls each thread makes: one, several, or one beside several."""
        if share < _SAME_CALL_SHARE + _ONE_CALL_SHARE:
            return [1] * self.threads
        beside = share < _SAME_CALL_SHARE + _ONE_CALL_SHARE + _ONE_BESIDE_SHARE
        return [1 if beside else self.calls, *[self.calls] * (self.threads - 1)]

    def _drawn_questions(self, subject: Any, now: SnapshotT, random: Random) -> tuple[Any, ...]:
        """Draw calls that change nothing where nobody else calls."""
        attempted = [self.subject.sample(subject, now, random) for _ in range(_QUESTIONS_DRAWN)]
        questions = {
            repr(sample[0]): sample[0]
            for sample in attempted
            if sample and sample[1] == now and not self.subject.would_wait(now, sample[0])
        }
        return tuple(questions.values())[:_MOST_QUESTIONS]

    def _drawn_calls(
        self,
        subject: Any,
        now: SnapshotT,
        many: int,
        random: Random,
        before: tuple[Any, ...] | None = None,
        is_changing: bool = False,
    ) -> tuple[tuple[Any, ...], SnapshotT]:
        """Draw calls that are often about what was named before: only where two are about the same
        can they be in the way of each other. What comes before often changes something.
        """
        calls_drawn = list[Any]()
        for _ in range(many):
            draws = [self.subject.sample(subject, now, random) for _ in range(_MOST_DRAWN)]
            most = _MOST_DRAWN if is_changing else random.randint(1, _MOST_DRAWN)
            samples = [
                sample
                for sample in draws[:most]
                if sample and not (before is None and self.subject.would_wait(now, sample[0]))
            ]
            named = _values((*(before or ()), *calls_drawn))
            if samples:
                worth = partial(self._worth, subject, now, before, named)
                if is_changing:
                    samples = [sample for sample in samples if sample[1] != now] or samples
                call, now = max(samples, key=worth)
                calls_drawn.append(call)
        return tuple(calls_drawn), now

    def _worth(
        self,
        subject: Any,
        now: SnapshotT,
        before: tuple[Any, ...] | None,
        named: Set[str],
        sample: tuple[Any, SnapshotT],
    ) -> int:
        """Return how much may follow from a call: of what comes before, one that changes something
        and is not the end of all.
        """
        worth = int(_names_those(named, sample))
        if before is None and sample[1] != now:
            again = (self.subject.sample(subject, sample[1], Random(0)) for _ in range(_MOST_DRAWN))
            worth += 2 if any(next_ and next_[1] != sample[1] for next_ in again) else -2
        return worth


def _names_those(named: Set[str], sample: tuple[Any, SnapshotT]) -> bool:
    values = _values(sample[:1])
    return not values or bool(named & values)


def _values(calls: Iterable[Any]) -> set[str]:
    return {repr(value) for call in calls for value in call.arguments.values()}


def _without(calls: tuple[Any, ...], place: int) -> tuple[Any, ...]:
    return calls[:place] + calls[place + 1 :]
