"""Judging all observations of one instance, in one pass and with the memory of its findings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from statemachines.conform.conditions import Conditions
from statemachines.conform.judge import Judge
from statemachines.conform.judged import Judged, Looked, StepRow
from statemachines.conform.observations import KeyValues, Observation
from statemachines.conform.ordering import Order, order_of, together
from statemachines.conform.processes import Context
from statemachines.conform.tables import Tables


class Judging:
    """Iterates over the timeline rows of one instance; afterwards `judged` is its judgement.

    Complexity: linear in the observations; memory grows with findings, not with steps.
    """

    def __init__(self, context: Context, tables: Tables, owner: int, key: KeyValues, observations: Iterable[Observation]) -> None:
        self.context, self.owner, self.key = context, owner, key
        self._judge = Judge(context, tables, owner)
        self._observations = observations
        self._episodes = Conditions(context, tables.episodes(owner))
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
                self._episodes.stepped(row, seen)
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
            alone=tuple(judge.alone.said),
            first=(self._first.file, self._first.line, self._first.text) if self._first is not None else None,
            began=self.context.position(self._first) if self._first is not None else None,
            replacing=tuple(self._episodes.replacing),
        )

    def _looked(self) -> Iterator[Looked]:
        counts = self._judge.looking.watch.counts if self._judge.looking is not None else {}
        yield from (Looked(number, one.judged, one.undecided, one.broken) for number, one in sorted(counts.items()))
