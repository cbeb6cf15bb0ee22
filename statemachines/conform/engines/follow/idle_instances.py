"""Which instances need not be held by who follows logs: those of which nothing is told as a change,
on which nothing depends that is told of others, and which are over or have long been silent.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush
from itertools import count

from attrs import define, field, frozen

from statemachines.conform.interchange.check_plan import CheckPlan
from statemachines.conform.interchange.judgements import InstanceJudgement
from statemachines.conform.settle.judging_context import InstanceIdentity
from statemachines.model.definitions.log_definitions import EndSign, LogDefinition

SILENT_MS = 300_000
"""Who is silent for less is held (five minutes)."""


@frozen
class ChangeSources:
    """Says which instances changes are told of: a finding, an episode or an incident is theirs, or
    follows from them. Where an instance is, is told by reports of everything alone, and so are
    doubts about that.
    """

    plan: CheckPlan
    _decide_others: frozenset[int] = field(init=False)
    """Machines on whose instances it depends what is told of others."""
    _signs: dict[int, frozenset[str]] = field(init=False)
    """By machine: its episodes and marks by which episodes of other instances end."""

    @_decide_others.default
    def _machines_that_decide(self) -> frozenset[int]:
        plan = self.plan
        return frozenset(n for n in range(len(plan.owners)) if _decides_others(plan, n))

    @_signs.default
    def _signs_of_machines(self) -> dict[int, frozenset[str]]:
        logs = [(owner.name, owner.log) for owner in self.plan.owners if owner.log is not None]
        signs = [
            (name, log, episode.ends_with)
            for name, log in logs
            for episode in log.episodes
            if episode.ends_with is not None
        ]
        return {
            number: frozenset(
                word
                for name, log, sign in signs
                if sign.machine == owner.name and not _is_of_itself(name, log, sign)
                for word in sign.signs
            )
            for number, owner in enumerate(self.plan.owners)
        }

    def is_source(self, judged: InstanceJudgement) -> bool:
        """Say whether something is told of an instance as a change, or of others because of it.

        Args:
            judged: all that is known of it, without what was over long ago.
        """
        if judged.owner in self._decide_others or not judged.processes:
            return True
        if judged.findings or judged.single_release_findings or judged.replacements:
            return True
        if any(point.holds for point in judged.episode_points):
            return True
        return any(counter.runs for counter in judged.counters) or self._may_end_others(judged)

    def _may_end_others(self, judged: InstanceJudgement) -> bool:
        """Say whether an episode of another instance may have ended by what was told of one."""
        log, signs = self.plan.owners[judged.owner].log, self._signs[judged.owner]
        if not signs or log is None:
            return False
        ended = {log.episodes[point.episode].name for point in judged.episode_points}
        return not signs.isdisjoint(ended | {counter.counter for counter in judged.counters})


def _decides_others(plan: CheckPlan, owner: int) -> bool:
    """Say whether what is told of a machine's instances may depend on another one of them, or on
    which there are.
    """
    log, name = plan.owners[owner].log, plan.owners[owner].name
    if log is None or log.generation is not None or log.subject not in ((), log.instance):
        return True
    if [other.name for other in plan.owners].count(name) > 1 or log.is_program:
        return True
    if any(kind.grouped_by for kind in log.episodes):
        return True
    logs = [other.log for other in plan.owners if other.log is not None]
    return any(kind.through == name for other in logs for kind in other.incidents)


def _is_of_itself(machine: str, log: LogDefinition, sign: EndSign) -> bool:
    """Say whether a sign is told by the very instance whose episode it ends."""
    return sign.machine == machine and dict(sign.about) == {
        name: f"{{{name}}}" for name in log.instance
    }


@define
class SilentInstances:
    """Knows who has been silent for as long as lines told of it, and for five minutes: so however
    often it is told of again, each time it has to be judged from its first line is after twice the
    time.

    Complexity: a few numbers an instance that is held, and a place in a heap for each look at it.
    """

    _now_ms: int = 0
    _due: dict[InstanceIdentity, int] = field(factory=dict)
    """When each has been silent for long, if nothing is told of it until then."""
    _heap: list[tuple[int, int, InstanceIdentity]] = field(factory=list)
    _queued: set[InstanceIdentity] = field(factory=set)
    """Who has its place in the heap."""
    _numbers: Iterator[int] = field(factory=count)

    def clear(self) -> None:
        """Forget all."""
        self._due.clear()
        self._heap.clear()
        self._queued.clear()

    def forget(self, who: InstanceIdentity) -> None:
        """Forget an instance that is not held any more."""
        self._due.pop(who, None)

    def take(self, who: InstanceIdentity, first_ms: int, last_ms: int) -> None:
        """Take note of when lines told of an instance.

        Args:
            who: the instance.
            first_ms: the time of its first line.
            last_ms: that of its last one.
        """
        self._now_ms = max(self._now_ms, last_ms)
        self._wait_until(who, last_ms + max(SILENT_MS, last_ms - first_ms))

    def wait(self, who: InstanceIdentity) -> None:
        """Ask for an instance again later: it cannot be let go yet."""
        self._wait_until(who, self._now_ms + SILENT_MS)

    def take_silent(self) -> Iterator[InstanceIdentity]:
        """Yield those that have been silent for long; each is then to be forgotten, or waits."""
        while self._heap and self._heap[0][0] <= self._now_ms:
            _, _, who = heappop(self._heap)
            self._queued.discard(who)
            due_ms = self._due.get(who)
            if due_ms is not None and due_ms > self._now_ms:
                self._wait_until(who, due_ms)
            elif due_ms is not None:
                yield who

    def _wait_until(self, who: InstanceIdentity, due_ms: int) -> None:
        self._due[who] = due_ms
        if who not in self._queued:
            self._queued.add(who)
            heappush(self._heap, (due_ms, next(self._numbers), who))
