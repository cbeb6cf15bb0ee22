"""Judging all observations of one instance, in one pass and with the memory of its findings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from statemachines.conform.columns.column_lines import ColumnInstance, ColumnLines, FoldedLines
from statemachines.conform.interchange.judgements import (
    InstanceJudgement,
    PropertyCounts,
    RememberedFields,
    RowCounts,
    StepRow,
)
from statemachines.conform.interchange.observations import KeyValues, Observation, Position
from statemachines.conform.judge.holders import drop_copies, observations_that_count
from statemachines.conform.judge.instance.instance_belief import InstanceBelief
from statemachines.conform.judge.instance.instance_judge import InstanceJudge
from statemachines.conform.judge.line_histories import history, outlives_processes
from statemachines.conform.judge.line_orders import (
    LineRuns,
    UnorderedLines,
    best_order,
    line_runs,
)
from statemachines.conform.judge.plain_steps import PlainSteps
from statemachines.conform.judge.repeated.repeated_lines import RepeatedLines
from statemachines.conform.judge.tables.episode_tracker import EpisodeMemory, EpisodeTracker
from statemachines.conform.judge.tables.judging_tables import JudgingTables
from statemachines.conform.settle.judging_context import JudgingContext
from statemachines.model.values import frozen

_FEW_LINES, _MANY_LINES = 1, 1024
"""Lines that are judged one by one before it is tried whether plain steps go on as columns."""


@frozen
class InstanceFold:
    """What judging an instance came to after some of its lines, when more may come."""

    belief: InstanceBelief
    episodes: EpisodeMemory
    processes: tuple[int, ...]
    first: Observation | None
    last: Observation | None
    remembered: RememberedFields
    held: tuple[Observation, ...]
    """The last lines, which are not judged yet: they may change places with later ones."""


class JudgementPass:
    """Iterates over the timeline rows of one instance; afterwards `judged` is its judgement.

    Complexity: linear in the observations; memory grows with findings, not with steps.
    """

    counted_before: RowCounts | None = None
    """What was counted of rows that it does not give; of a pass from the beginning there are none.
    """

    def __init__(
        self,
        context: JudgingContext,
        tables: JudgingTables,
        owner: int,
        key: KeyValues,
        observations: Iterable[Observation],
        fold: InstanceFold | None = None,
    ) -> None:
        """Prepare to judge an instance.

        Args:
            context: what all files say together.
            tables: what judging looks up.
            owner: number of its machine.
            key: its key.
            observations: all of it, in their order; behind a fold those that come after it.
            fold: what judging it came to before; it is this one's now.
        """
        self.context, self.owner, self.key = context, owner, key
        self._judge = InstanceJudge(context, tables, owner)
        self._observations = observations_that_count(
            context, owner, history(context, owner, drop_copies(context, observations))
        )
        self._episode_tracker = EpisodeTracker(context, tables.episode_states(owner))
        self._is_quoted = owner in context.plan.system_part_owners
        self._processes: dict[int, None] = {}
        self._first_observation: Observation | None = None
        self._last: Observation | None = None
        self._remembered, self._lines = RememberedFields(), LineRuns(context)
        if fold is not None:
            self._resume(fold)
        self._plain_steps = PlainSteps(
            self._judge, self._episode_tracker, self._is_quoted, self._processes
        )
        self._repeated = RepeatedLines(
            self._judge, self._episode_tracker, self._is_quoted, self._processes
        )

    def __iter__(self) -> Iterator[StepRow]:
        return chain.from_iterable(self.runs())

    def runs(self) -> Iterator[Sequence[StepRow]]:
        """Yield the rows as they come, some at once."""
        yield from self._judge_runs(self._runs())
        self.judgement = self._make_judgement(self._last)

    def runs_before_more(self, observations: Iterable[Observation]) -> Iterator[Sequence[StepRow]]:
        """Yield the rows of some lines where more may come: `fold` is then what they came to, and
        `runs` judges the others.

        Args:
            observations: the next lines, in their order, which are not those of the beginning.

        Yields:
            The rows of a stretch of lines.
        """
        yield from self._judge_runs(self._lines.cut(observations))

    def runs_of_columns_before_more(
        self, pieces: Iterable[ColumnLines | FoldedLines]
    ) -> Iterator[Sequence[StepRow]]:
        """Yield the rows of some lines of one log that are columns, as `runs_before_more` does.

        Args:
            pieces: each of some lines of one file, at least one.

        Yields:
            The rows of a stretch of lines.
        """
        yield from self._judge_runs(self._lines.cut_columns(pieces))

    @property
    def is_over(self) -> bool:
        """Whether a line told the end of the instance."""
        return self._judge.is_over

    @property
    def last_process(self) -> int:
        """The process of the last line; -1 before the first."""
        return -1 if self._last is None else self.context.process_index(self._last)

    def fold(self) -> InstanceFold:
        """Return what judging came to, for another pass to go on from; it shares what this one
        still changes.
        """
        return InstanceFold(
            self._judge.belief(),
            self._episode_tracker.memory(),
            tuple(self._processes),
            self._first_observation,
            self._last,
            self._remembered,
            tuple(self._lines.held),
        )

    def _resume(self, fold: InstanceFold) -> None:
        self._judge.resume(fold.belief)
        self._episode_tracker.resume(fold.episodes)
        self._processes = dict.fromkeys(fold.processes)
        self._first_observation, self._last = fold.first, fold.last
        self._remembered = fold.remembered
        self._lines = LineRuns(self.context, fold.held)

    def _judge_runs(
        self, runs: Iterable[Sequence[Observation] | UnorderedLines]
    ) -> Iterator[Sequence[StepRow]]:
        for run in runs:
            lines: Sequence[Observation]
            lines = run.lines if isinstance(run, UnorderedLines) else run
            self._first_observation = self._first_observation or lines[0]
            if isinstance(run, UnorderedLines):
                order = best_order(self._judge, run)
                lines = order.lines
                yield from self._judge_lines(lines)
                if order.order_finding is not None:
                    self._judge.add_finding(order.order_finding)
            else:
                yield from self._judge_lines(lines)
            self._last = lines[-1]

    def _runs(self) -> Iterator[Sequence[Observation] | UnorderedLines]:
        """Cut the observations into runs whose order is certain, and groups of lines whose order is
        not.
        """
        lines = self._observations
        if isinstance(lines, ColumnInstance) and lines.is_of_one_log:
            return _column_runs(self.context, lines)
        return chain(self._lines.cut(lines), self._lines.rest())

    def _judge_lines(self, lines: Sequence[Observation]) -> Iterator[Sequence[StepRow]]:
        """Judge lines whose order is settled."""
        if isinstance(lines, FoldedLines):
            yield from self._judge_folded(lines)
            return
        if isinstance(lines, ColumnLines):
            yield from self._judge_columns(lines)
            return
        place = 0
        while place < len(lines):
            rows = self._plain_steps.take(lines, place)
            if rows:
                yield rows
            self._remember(lines[place : place + len(rows)])
            place += len(rows)
            repeated = self._repeated.take(lines, place, self._remembered)
            if repeated is not None:
                yield repeated
                place += len(repeated.lines)
            if place < len(lines):
                yield self._judge_line(lines[place])
                place += 1

    def _judge_line(self, line: Observation) -> list[StepRow]:
        """Judge one line, and learn what comes of those that repeat it: none repeats the first one,
        before which nothing is known of the instance.
        """
        if self._processes:
            rows = self._repeated.learn(line, lambda: list(self._judge_observation(line)))
        else:
            rows = list(self._judge_observation(line))
        self._remember([line])
        return rows

    def _judge_folded(self, lines: FoldedLines) -> Iterator[Sequence[StepRow]]:
        """Judge lines that were folded as one where what is known allows it, else as columns."""
        rows = self._plain_steps.take_folded(lines)
        if rows is None:
            yield from self._judge_columns(lines.unfolded())
        else:
            yield rows
            self._remembered.take(self._judge.incarnation, ())

    def _judge_columns(self, lines: ColumnLines) -> Iterator[Sequence[StepRow]]:
        """Judge lines that are columns: plain steps as far as they go, then ever more of the others
        line by line.
        """
        place, others = 0, _FEW_LINES
        while place < len(lines):
            rows = self._plain_steps.take_columns(lines, place)
            if rows is not None:
                yield rows
                self._remembered.take(self._judge.incarnation, rows.remembered())
                place, others = place + len(rows), _FEW_LINES
                continue
            repeated = self._repeated.take(lines, place, self._remembered)
            if repeated is not None:
                yield repeated
                place, others = place + len(repeated.lines), _FEW_LINES
                if place < len(lines):
                    yield self._judge_line(lines[place])  # a plain step too: it will be repeated
                    place += 1
                continue
            yield from self._judge_lines(lines[place : place + others])
            place, others = place + others, min(2 * others, _MANY_LINES)

    def _remember(self, lines: Sequence[Observation]) -> None:
        """Remember what lines of one life tell; most tell nothing, but of which life they are."""
        fields = [field for observation in lines for field in observation.remembered]
        self._remembered.take(self._judge.incarnation, fields)

    def _judge_observation(self, observation: Observation) -> Iterator[StepRow]:
        """Judge one observation, and let the episodes follow."""
        judge, quoted = self._judge, self._is_quoted
        known = len(judge.findings)
        judge.line_counts.last_counter = None
        for row in judge.feed(observation):
            if isinstance(row, StepRow):
                self._episode_tracker.take_row(row, observation)
                yield row._replace(text=observation.text) if quoted else row
            else:
                self._episode_tracker.take_point(row, judge.incarnation, observation)
        self._episode_tracker.take_readings(judge.point, judge.incarnation, observation)
        for finding in judge.findings[known:]:
            self._episode_tracker.take_finding(finding, observation)
        if judge.is_over:
            self._episode_tracker.end_incarnation(
                self.context.process_index(observation), observation
            )
        if (counter := judge.line_counts.last_counter) is not None:
            self._episode_tracker.take_counted_line(counter, judge.incarnation, observation)
        self._processes[self.context.process_index(observation)] = None

    def _make_judgement(self, last: Observation | None) -> InstanceJudgement:
        judge = self._judge
        ended = last is not None and ended_with_process(
            self.context, self.owner, self.context.process_index(last), self.context.position(last)
        )
        return InstanceJudgement(
            self.owner,
            self.key,
            tuple(self._processes),
            judge.incarnation,
            judge.observations,
            judge.steps,
            judge.states(),
            judge.point,
            judge.believed.point_before,
            judge.is_over or ended,
            tuple(judge.findings),
            tuple(self._episode_tracker.points),
            tuple(judge.line_counts.unjudged.values()),
            tuple(judge.line_counts.counters.values()),
            judge.last_position,
            judge.incarnation_start,
            property_counts=tuple(self._property_counts()),
            single_release_findings=tuple(judge.single_releases.findings),
            first_line=(
                (
                    self._first_observation.file,
                    self._first_observation.line,
                    self._first_observation.text,
                )
                if self._first_observation is not None
                else None
            ),
            first_position=(
                self.context.position(self._first_observation)
                if self._first_observation is not None
                else None
            ),
            replacements=tuple(self._episode_tracker.replacements),
            first_since=judge.believed.first_point,
            rank=judge.rank(),
            remembered=self._remembered.fields(),
            last_heard=None if last is None else self.context.position(last),
        )

    def _property_counts(self) -> Iterator[PropertyCounts]:
        counts = (
            self._judge.property_checks.watch.counts
            if self._judge.property_checks is not None
            else {}
        )
        yield from (
            PropertyCounts(number, tally.decided, tally.undecided, tally.broken)
            for number, tally in sorted(counts.items())
        )


def may_go_on(context: JudgingContext, owner: int, files: Iterable[int]) -> bool:
    """Say whether judging an instance can stop behind any line, and go on when more is there: no
    later line undoes it or stands before it, and neither another log nor the next line may be a
    copy of it.

    Args:
        context: what all files say together.
        owner: number of its machine.
        files: those that tell of it.
    """
    log = context.plan.owners[owner].log
    is_plain = log is None or not (log.is_history or log.may_discount_lines)
    files = set(files)
    is_of_one_log = len({context.files[file].stem for file in files}) < 2
    return is_plain and is_of_one_log and context.doubled_files.isdisjoint(files)


def ended_with_process(
    context: JudgingContext, owner: int, process: int, position: Position
) -> bool:
    """Say whether an instance is over because the process ended that told its last line.

    Args:
        context: what all files say together.
        owner: number of its machine.
        process: the process.
        position: of the line.
    """
    log = context.plan.owners[owner].log
    has_holder = log is not None and log.has_holder
    if has_holder or outlives_processes(context, owner):
        return False
    return context.processes[process].ended_after(position)


def _column_runs(
    context: JudgingContext, instance: ColumnInstance
) -> Iterator[Sequence[Observation] | UnorderedLines]:
    """Cut columns into runs likewise; from where their times run back line by line."""
    pieces = instance.pieces()
    lines = next(pieces)
    for piece in pieces:
        if not (lines.are_in_order and lines.may_go_before(piece)):
            yield from line_runs(context, chain(lines, piece, chain.from_iterable(pieces)))
            return
        yield lines
        lines = piece
    if lines.are_in_order:
        yield lines
    else:
        yield from line_runs(context, lines)
