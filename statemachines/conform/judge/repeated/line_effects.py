"""What came of a line that made known nothing that is listed: all of it is counted; all that
judging the next line depends on, but for times, places and counts; and the rows of the timeline
that repeated lines make.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

from statemachines.conform.interchange.judgements import (
    Belief,
    CountedRows,
    PendingFinding,
    RowCounts,
    StatePoint,
    StepRow,
)
from statemachines.conform.interchange.observations import Observation
from statemachines.conform.judge.instance.instance_judge import InstanceJudge
from statemachines.conform.judge.tables.episode_tracker import EpisodeTracker
from statemachines.model.definitions.snapshots import Value
from statemachines.model.values import frozen


class JudgedState(NamedTuple):
    """Where an instance is known to be, as its judge and its episodes keep it."""

    process: int
    """Of the line before."""
    beliefs: tuple[tuple[int, Belief], ...]
    exact: tuple[int, str] | None
    if_untrue: frozenset[str]
    point: StatePoint | None
    """Without time and place."""
    first_point: StatePoint | None
    """Likewise."""
    is_named: bool
    """Whether only a line that names them tells of the states, and no step led there."""
    is_over: bool
    is_alive: bool
    order_unclear: bool
    has_begin_sign: bool
    is_beginning: bool
    last_step: tuple[str | None, str | None] | None
    values: tuple[tuple[str, Value], ...] | None
    """Of its variables, as far as they are known; None where its lines tell none."""
    broken: frozenset[int]
    """Its properties that do not hold, by their place."""
    episodes: tuple[Any, ...]
    """As `EpisodeTracker.state` gives it."""


def state_of(judge: InstanceJudge, tracker: EpisodeTracker) -> JudgedState:
    """Return the state of an instance of which a line was judged."""
    believed, before = judge.believed, judge.line_before
    variables, properties = judge.known_variables, judge.property_checks
    return JudgedState(
        before.place[0] if before.place is not None else -1,
        tuple(believed.beliefs.items()),
        believed.exact,
        believed.if_untrue,
        unplaced(believed.point),
        unplaced(believed.first_point),
        believed.named_since is not None,
        judge.is_over,
        judge.is_alive,
        judge.order_unclear,
        before.has_begin_sign,
        before.is_beginning,
        judge.last_step,
        variables.resume_point() if variables is not None else None,
        properties.watch.broken() if properties is not None else frozenset(),
        tracker.state(judge.incarnation),
    )


def go_to(state: JudgedState, judge: InstanceJudge, tracker: EpisodeTracker) -> None:
    """Have a judge and its episodes be in a state; points and the line before stay as they are."""
    believed, before = judge.believed, judge.line_before
    believed.beliefs = dict(state.beliefs)
    believed.exact, believed.if_untrue = state.exact, state.if_untrue
    if not state.is_named:
        believed.named_since = None
    judge.is_over, judge.is_alive, judge.order_unclear = (
        state.is_over,
        state.is_alive,
        state.order_unclear,
    )
    before.has_begin_sign, before.is_beginning = state.has_begin_sign, state.is_beginning
    judge.last_step = state.last_step
    if judge.known_variables is not None and state.values is not None:
        judge.known_variables.resume(state.values)
    if judge.property_checks is not None:
        judge.property_checks.watch.have_broken(state.broken)
    tracker.go_to(state.episodes, judge.incarnation)


def unplaced(point: StatePoint | None) -> StatePoint | None:
    """Return a point without its time and place; its process stays."""
    if point is None:
        return None
    return StatePoint(point.states, None, "", point.process, 0, 0, point.by_step)


@frozen(eq=False)
class LineEffect:
    """What a line does to an instance in a state, whenever it comes."""

    after: int
    """Index of the state after it."""
    rows: tuple[StepRow, ...]
    """Their lives are counted from that after the line; times and places are the line's."""
    incarnations: int
    observations: int
    steps: int
    findings: tuple[PendingFinding, ...]
    """Those that it was counted with."""
    stretch: object
    """Between which steps it has to stand to be counted so; None: anywhere."""
    unjudged: tuple[str, ...]
    """Why it was not judged."""
    counter: str | None
    """What it is counted for, as far as episodes may be blamed on it."""
    is_counted: bool
    """Whether it is counted for that by itself, too."""
    answers: tuple[tuple[int, tuple[int, int, int]], ...]
    """What it adds to how often each property was decided, undecided and broken."""
    moves: bool
    """Whether the believed states changed."""
    point: StatePoint | None
    """Where it led then, without time and place; None: the instance may be anywhere."""
    is_first_point: bool
    is_place: bool
    """Whether the next line is compared with its place."""
    separates: bool
    """Whether equal findings behind it are listed anew."""


class BeforeLine:
    """What is looked at before a line is judged, to tell afterwards what came of it."""

    def __init__(self, judge: InstanceJudge, tracker: EpisodeTracker) -> None:
        self._judge, self._tracker = judge, tracker
        believed, self._listed = judge.believed, self._count_listed()
        self._points = believed.point, believed.first_point
        self._place, self._start = judge.line_before.place, judge.incarnation_start
        self._counts = judge.incarnation, judge.observations, judge.steps
        self._unjudged = {
            why: quote.occurrences for why, quote in judge.line_counts.unjudged.items()
        }
        self._counters = dict(judge.line_counts.counters)
        self._stretch, self._totals = judge.finding_list.stretch, self._property_totals()
        self.counted = list[tuple[PendingFinding, bool]]()
        """Findings that the line is counted with, and whether they count for good."""

    def _count_listed(self) -> tuple[int, ...]:
        judge, tracker = self._judge, self._tracker
        return (
            len(judge.findings),
            len(judge.single_releases.findings),
            len(judge.line_counts.unjudged),
            len(tracker.points),
            len(tracker.replacements),
            len(judge.property_checks.watch.counts) if judge.property_checks is not None else 0,
        )

    def _property_totals(self) -> dict[int, tuple[int, int, int]]:
        checks = self._judge.property_checks
        return checks.watch.totals() if checks is not None else {}

    def effect(self, rows: Sequence[StepRow], after: int) -> LineEffect | None:
        """Return what came of the line; None where it made known what is listed, or was counted for
        several things.

        Args:
            rows: that it proved.
            after: index of the state after it.
        """
        judge, believed = self._judge, self._judge.believed
        if (
            self._count_listed() != self._listed
            or self._counted_for() - {judge.line_counts.last_counter}
            or judge.incarnation_start is not self._start
            or any(row.source_since is not None for row in rows)
        ):
            return None
        lives, observed, steps = self._counts
        is_place = judge.line_before.place is not self._place
        lost = is_place and believed.point is self._points[0] is None
        return LineEffect(
            after,
            tuple(row._replace(incarnation=row.incarnation - judge.incarnation) for row in rows),
            judge.incarnation - lives,
            judge.observations - observed,
            judge.steps - steps,
            tuple(finding for finding, _ in self.counted),
            None if all(is_for_good for _, is_for_good in self.counted) else self._stretch,
            tuple(self._counted_unjudged()),
            judge.line_counts.last_counter,
            bool(self._counted_for()),
            tuple(self._answers()),
            lost or believed.point is not self._points[0],
            unplaced(believed.point),
            believed.first_point is not self._points[1],
            is_place,
            judge.finding_list.stretch is not self._stretch,
        )

    def _answers(self) -> Iterator[tuple[int, tuple[int, int, int]]]:
        for index, (decided, undecided, broken) in self._property_totals().items():
            before = self._totals[index]
            if before != (decided, undecided, broken):
                yield index, (decided - before[0], undecided - before[1], broken - before[2])

    def _counted_for(self) -> set[str]:
        """Return what the line was counted for."""
        now = self._judge.line_counts.counters
        return {name for name, total in now.items() if self._counters.get(name) is not total}

    def _counted_unjudged(self) -> list[str]:
        known = self._unjudged
        return [
            why
            for why, quote in self._judge.line_counts.unjudged.items()
            if quote.occurrences != known[why]
        ]


class RepeatedRows(CountedRows):
    """Rows, each made when it is asked for."""

    def __init__(
        self,
        lines: Sequence[Observation],
        effects: Sequence[LineEffect],
        incarnation: int,
        *,
        is_quoted: bool,
    ) -> None:
        """Take lines in.

        Args:
            lines: the lines.
            effects: what came of each.
            incarnation: the life before the first.
            is_quoted: whether rows quote their lines.
        """
        self.lines, self._effects, self._incarnation = lines, effects, incarnation
        self._is_quoted, self.totals = is_quoted, Counter(effects)
        """How many lines had each effect."""

    def __len__(self) -> int:
        return sum(total * len(effect.rows) for effect, total in self.totals.items())

    def value_at(self, place: int) -> StepRow:
        """Return one row; all before it are made for it."""
        return next(islice(self, place, None))

    def values_at(self, places: slice) -> list[StepRow]:
        """Return some rows."""
        return list(self)[places]

    def __iter__(self) -> Iterator[StepRow]:
        incarnation = self._incarnation
        for line, effect in zip(self.lines, self._effects, strict=True):
            incarnation += effect.incarnations
            for row in effect.rows:
                yield row._replace(
                    incarnation=incarnation + row.incarnation,
                    at=line.at,
                    zone=line.zone,
                    line=line.line if row.line else 0,
                    text=line.text if self._is_quoted else None,
                )

    def counts(self) -> RowCounts:
        """Return what is counted of them."""
        hidden = missing = 0
        steps = set[tuple[str, str]]()
        for effect, total in self.totals.items():
            hidden += total * sum(row.how in ("hidden", "silent") for row in effect.rows)
            missing += total * sum(row.how == "missing" for row in effect.rows)
            steps |= {
                (row.source, row.target)
                for row in effect.rows
                if row.source is not None and row.target is not None
            }
        return RowCounts(hidden, missing, frozenset(steps))
