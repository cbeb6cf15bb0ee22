"""Judging all observations of one instance, in one pass and with the memory of its findings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from statemachines.conform.judge import Judge
from statemachines.conform.judged import EpisodePoint, Found, Judged, Looked, StatePoint, StepRow
from statemachines.conform.observations import KeyValues, Observation
from statemachines.conform.ordering import Order, order_of, together
from statemachines.conform.processes import Context
from statemachines.conform.tables import Tables
from statemachines.model.loglines import Episode


class Judging:
    """Iterates over the timeline rows of one instance; afterwards `judged` is its judgement.

    Complexity: linear in the observations; memory grows with findings, not with steps.
    """

    def __init__(self, context: Context, tables: Tables, owner: int, key: KeyValues, observations: Iterable[Observation]) -> None:
        self.context, self.owner, self.key = context, owner, key
        self._judge = Judge(context, tables, owner)
        self._observations = observations
        log = context.plan.specs[owner].log
        self._episodes = _Episodes(log.episodes if log else ())
        self._processes: dict[int, None] = {}
        self._first: Observation | None = None

    def __iter__(self) -> Iterator[StepRow]:
        last = None
        for group in together(self.context, self._observations):
            self._first = self._first or group.lines[0]
            order = order_of(self._judge, group) if len(group.lines) > 1 else Order(group.lines)
            for seen in order.lines:
                yield from self._fed(seen)
                last = seen
            if order.doubt is not None:
                self._judge.add(order.doubt)
        self.judged = self._judgement(last)

    def _fed(self, seen: Observation) -> Iterator[StepRow]:
        """Judge one observation, and let the episodes follow."""
        judge, quoted = self._judge, self.owner in self.context.plan.parts
        known = len(judge.findings)
        judge.marked = None
        for row in judge.feed(seen):
            if isinstance(row, StepRow):
                yield row._replace(text=seen.text) if quoted else row
            else:
                self._episodes.moved(row, judge.life, seen)
        for finding in judge.findings[known:]:
            self._episodes.found(finding, seen)
        if judge.over:
            self._episodes.over(self.context.process(seen), seen)
        if judge.marked is not None:
            self._episodes.marked(judge.marked, judge.life, seen)
        self._processes[self.context.process(seen)] = None

    def _judgement(self, last: Observation | None) -> Judged:
        judge = self._judge
        ended = last is not None and self.context.processes[self.context.process(last)].ended_after(self.context.position(last))
        return Judged(
            self.owner,
            self.key,
            tuple(self._processes),
            judge.life,
            judge.observations,
            judge.steps,
            judge.states(),
            judge.point,
            judge.before,
            judge.over or ended,
            tuple(judge.findings),
            tuple(self._episodes.points),
            tuple(judge.unjudged.values()),
            tuple(judge.marks.values()),
            judge.heard,
            judge.reborn,
            looked=tuple(self._looked()),
            first=(self._first.file, self._first.line, self._first.text) if self._first is not None else None,
        )

    def _looked(self) -> Iterator[Looked]:
        counts = self._judge.looking.watch.counts if self._judge.looking is not None else {}
        yield from (Looked(number, one.judged, one.undecided, one.broken) for number, one in sorted(counts.items()))


class _Episodes:
    """Where the conditions of a machine's episodes begin and end to hold in one instance."""

    def __init__(self, episodes: tuple[Episode, ...]) -> None:
        self._episodes, self._states = episodes, tuple(frozenset(episode.states) for episode in episodes)
        self._holds: list[bool | None] = [None] * len(episodes)
        self._blamed = [False] * len(episodes)
        self._marked: dict[tuple[str, int], Observation] = {}
        """Mark and life to the last line with it since the episode that it may be blamed for was over, the latest line last."""
        self.points: list[EpisodePoint] = []

    def moved(self, point: StatePoint, life: int, seen: Observation) -> None:
        """Take in where the instance is now."""
        believed = set(point.states)
        for number, states in enumerate(self._states):
            holds = believed <= states
            if (holds or not believed & states) and holds != self._holds[number]:
                self._holds[number], self._blamed[number] = holds, False
                self.points.append(self._point(number, holds, point.process, seen))
                if holds:
                    self._because(number, life, point.process)
                else:
                    for mark in self._episodes[number].because:
                        self._marked.pop((mark, life), None)

    def _because(self, number: int, life: int, process: int) -> None:
        """Blame an episode that begins on the line that its spec names."""
        because = self._episodes[number].because
        seen = [line for (mark, when), line in self._marked.items() if when == life and mark in because]
        if seen:
            self._blamed[number] = True
            self.points.append(self._point(number, None, process, seen[-1]))

    def marked(self, mark: str, life: int, seen: Observation) -> None:
        """Take in a line that is counted for something."""
        self._marked.pop((mark, life), None)
        self._marked[mark, life] = seen

    def over(self, process: int, seen: Observation) -> None:
        """A line says that the instance's life is over: so is what held in it."""
        for number, holds in enumerate(self._holds):
            if holds:
                self._holds[number], self._blamed[number] = False, False
                self.points.append(self._point(number, False, process, seen))

    def found(self, finding: Found, seen: Observation) -> None:
        """Take in a finding that an episode may be blamed on."""
        for number, episode in enumerate(self._episodes):
            if finding.kind in episode.blame and self._holds[number] and not self._blamed[number]:
                self._blamed[number] = True
                self.points.append(self._point(number, None, finding.process, seen))

    @staticmethod
    def _point(number: int, holds: bool | None, process: int, seen: Observation) -> EpisodePoint:
        return EpisodePoint(number, holds, seen.at, seen.zone, process, seen.file, seen.line, seen.text, seen.reason)
