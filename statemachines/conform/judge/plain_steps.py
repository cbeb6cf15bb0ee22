"""Steps that are legal in every release that fits, each from where the one before led: most of most
logs, judged by a look-up a step.

`InstanceJudge.feed` says the same of them one by one, and is the reference.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from attrs import field

from statemachines.conform.columns.column_lines import ColumnLines, FoldedLines
from statemachines.conform.columns.column_steps import ColumnRows, FoldedRows, PlainLines
from statemachines.conform.interchange.judgements import (
    SimpleSteps,
    StepRow,
    point_after,
    simple_steps_of,
)
from statemachines.conform.interchange.observations import LineReading, Observation
from statemachines.conform.judge.instance.instance_judge import InstanceJudge
from statemachines.conform.judge.tables.episode_tracker import EpisodeTracker
from statemachines.model.values import define

_Step = tuple["str | None", "str | None"]
FEWEST = 8
"""Fewer lines cost more as columns than one by one."""


@define
class PlainSteps:
    """Takes runs of plain steps of one instance, and lets its episodes follow."""

    judge: InstanceJudge
    tracker: EpisodeTracker
    is_quoted: bool
    """Whether rows quote their lines."""
    processes: dict[int, None]
    """Gathers those that tell of the instance."""
    _fits: dict[int, int] = field(init=False, factory=dict)
    """By process, the releases that fit all of it; -1 where it was upgraded."""
    _looked_up: tuple[ColumnLines | None, dict[tuple[int, frozenset[str]], PlainLines]] = field(
        init=False, factory=lambda: (None, {})
    )
    """The lines that were looked up last: by the releases that fit, and where steps may lead."""

    def take(self, lines: Sequence[Observation], start: int) -> list[StepRow]:
        """Judge the plain steps with which some lines go on; the first line that tells none is
        left, and all behind it.

        Args:
            lines: of the instance, in an order that is certain.
            start: index of the first that is not judged yet.

        Returns:
            A row for each line that was judged.
        """
        judge, rows = self.judge, list[StepRow]()
        if judge.known_variables is not None or judge.believed.exact is None:
            return rows
        if judge.believed.named_since is not None:
            return rows
        (fitting, state), incarnation = judge.believed.exact, judge.incarnation
        is_checked, is_quoted = judge.property_checks is not None, self.is_quoted
        neutral = self.tracker.neutral_states(incarnation)
        where, process, steps, make = None, -1, dict[int, _Step](), tuple.__new__
        for observation in islice(lines, start, None):
            _, _, readings, file, unit, line, _, at, zone, text, _, _, _, about, placed, *_ = (
                observation
            )
            step = steps.get(id(readings))  # sooner than by what they say; `lines` keeps them
            if step is None:
                step = steps[id(readings)] = self._step(fitting, readings)
            source, target = step
            if target is None or source != state or about or placed is not None:
                break
            if where != (file, unit):
                where = file, unit
                process = judge.context.process_by_unit[where]
                if self._only_fit(process) != fitting:
                    break
                self.processes[process] = None
            quoted = text if is_quoted else None
            fields = incarnation, at, zone, source, target, "told", process, file, line, quoted
            row = make(StepRow, (*fields, None, None))  # half the time of its constructor
            rows.append(row)
            if is_checked:
                self._take_checked(row, observation, fitting)
            elif target not in neutral:
                self._follow_episodes(row, observation)
                neutral = self.tracker.neutral_states(incarnation)
            state = target
        judge.observations += len(rows)
        if rows and not is_checked:
            judge.take_simple_steps(simple_steps_of(rows), lines[start + len(rows) - 1], fitting)
        return rows

    def take_columns(self, lines: ColumnLines, start: int) -> ColumnRows | None:
        """The same of lines that are columns; None where the first ones tell no plain steps, or
        ones that concern an episode or break a property.
        """
        judge, exact = self.judge, self._exact_where_many_count()
        if exact is None:
            return None
        (fitting, state), process = exact, self._process_of(lines)
        neutral = self.tracker.neutral_states(judge.incarnation)
        if self._only_fit(process) != fitting or not neutral:
            return None
        plain = self._plain_lines(lines, fitting, neutral)
        end = plain.end(start, state)
        if end - start < min(FEWEST, len(lines)):
            return None
        part = lines.part(start, end)
        rows = ColumnRows(part, judge.incarnation, process, is_quoted=self.is_quoted)
        self.processes[process] = None
        self._take_many(rows, plain.summary(rows, start), lines[end - 1], fitting)
        return rows

    def take_folded(self, lines: FoldedLines) -> FoldedRows | None:
        """The same of lines that were folded: all of them, or None."""
        judge, steps = self.judge, lines.steps
        process = self._process_of(lines)
        if (
            self._exact_where_many_count() != (steps.fitting, steps.source)
            or self._only_fit(process) != steps.fitting
            or not steps.targets <= self.tracker.neutral_states(judge.incarnation)
        ):
            return None
        rows = FoldedRows(lines, judge.incarnation, process, is_quoted=self.is_quoted)
        self.processes[process] = None
        self._take_many(rows, rows.summary(), steps.last, steps.fitting)
        return rows

    def _exact_where_many_count(self) -> tuple[int, str] | None:
        """Return the releases that fit and the state where the instance is; None where more comes
        of many lines than where they lead and what is counted.
        """
        judge = self.judge
        if judge.known_variables is not None or judge.believed.named_since is not None:
            return None
        checks = judge.property_checks
        is_broken = checks is not None and checks.watch.broken()
        return None if is_broken else judge.believed.exact

    def _take_many(
        self, rows: ColumnRows | FoldedRows, steps: SimpleSteps, last: Observation, fitting: int
    ) -> None:
        judge = self.judge
        judge.observations += len(rows)
        judge.take_simple_steps(steps, last, fitting)
        if judge.property_checks is not None:
            judge.property_checks.count_simple_steps(rows.step_totals(), fitting)

    def _process_of(self, lines: ColumnLines | FoldedLines) -> int:
        return self.judge.context.process_by_unit[lines.file, None]

    def _plain_lines(self, lines: ColumnLines, fitting: int, targets: frozenset[str]) -> PlainLines:
        """Return which of some lines are plain steps; remembered until others are asked for."""
        if self._looked_up[0] is not lines:
            self._looked_up = lines, {}
        known, key = self._looked_up[1], (fitting, targets)
        if key not in known:
            of, words = self.judge.owner, lines.stored.words
            table = self.judge.tables.step_table(of, fitting, words, targets)
            known[key] = PlainLines(lines, table)
        return known[key]

    def _only_fit(self, process: int) -> int:
        fits = self._fits.get(process)
        if fits is None:
            family = self.judge.spec.family.name
            settled = self.judge.context.processes[process]
            fits = self._fits[process] = settled.only_fit(self.judge.owner, family)
        return fits

    def _step(self, fitting: int, readings: tuple[LineReading, ...]) -> _Step:
        """Return from where to where a line leads that tells a simple step; nowhere any other."""
        simple = self.judge.tables.is_simple_step(self.judge.owner, fitting, readings)
        return readings[0].source, readings[0].target if simple else None

    def _take_checked(self, row: StepRow, observation: Observation, fitting: int) -> None:
        """Take a step of a machine whose properties are looked at after each."""
        known = len(self.judge.findings)
        self.judge.take_simple_steps(simple_steps_of([row]), observation, fitting)
        self.judge.check_simple_step(observation, fitting, row.process)
        self._follow_episodes(row, observation)
        for finding in self.judge.findings[known:]:
            self.tracker.take_finding(finding, observation)

    def _follow_episodes(self, row: StepRow, observation: Observation) -> None:
        self.tracker.take_row(row, observation)
        self.tracker.take_point(point_after(row), row.incarnation, observation)
