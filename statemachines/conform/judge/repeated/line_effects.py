"""What came of a line that made known nothing that is listed: all of it is counted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import frozen

from statemachines.conform.interchange.judgements import PendingFinding, StatePoint, StepRow
from statemachines.conform.judge.instance.instance_judge import InstanceJudge
from statemachines.conform.judge.repeated.judged_states import unplaced
from statemachines.conform.judge.tables.episode_tracker import EpisodeTracker


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
