"""The second stage, on the workers: the instances of a partition, judged one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import Any, NamedTuple

from statemachines.conform.engines.observation_store import ColumnStore
from statemachines.conform.engines.ordered_instances import ordered_instances
from statemachines.conform.engines.spark.stages.observing_stage import Observed
from statemachines.conform.engines.spark.stages.placing_stage import SettledContext
from statemachines.conform.engines.spark.stages.reported_facts import ReportedFacts
from statemachines.conform.engines.spark.stages.stage_rows import (
    COUNTED,
    GROUPS,
    JUDGED,
    LOST,
    RESULT_COLUMNS,
    VARIANTS,
    column_rows,
    make_arrow_function,
    pack,
    pack_lines,
    unpack_cached,
    unpack_lines,
)
from statemachines.conform.interchange.judgements import InstanceJudgement, StepRow
from statemachines.conform.interchange.observations import Observation
from statemachines.conform.interchange.packed_rows import PackedRows, RowPacker
from statemachines.conform.interchange.profiles import merge_reasons
from statemachines.conform.interchange.variants import VariantTable
from statemachines.conform.join.current_states import TimelineCounts
from statemachines.conform.judge.repeated.repeated_instances import RepeatedInstances
from statemachines.conform.judge.tables.judging_tables import JudgingTables
from statemachines.conform.settle.judging_context import InstanceIdentity, JudgingContext
from statemachines.model.garbage import only_new_collected

_STEPS_PER_ROW = 10_000
"""Rows of the timeline travel together."""
_INSTANCES_PER_ROW = 200
"""And so do judgements."""
_MEMBERS_PER_ROW = 50_000
"""And those that went as others did; each has some ten bytes."""

ResultRow = tuple[int, int, bytes]


class Judged(NamedTuple):
    """What was judged of one instance: some of its steps, the rest of them, or the whole."""

    who: InstanceIdentity
    steps: PackedRows
    judgement: InstanceJudgement | None


def judged_instances(body: bytes) -> Iterator[Judged]:
    """Yield what a row of judgements holds, in the order of the report."""
    entries, packed = unpack_lines(body)
    parts = packed.parts(count for _, count, _ in entries)
    for (who, _, judgement), steps in zip(entries, parts, strict=True):
        yield Judged(who, steps, judgement)


class _JudgedRows:
    """Puts what was judged of many instances into rows."""

    def __init__(self) -> None:
        self._entries = list[tuple[InstanceIdentity, int, InstanceJudgement | None]]()
        self._packer = RowPacker()

    def add_steps(self, who: InstanceIdentity, steps: Iterable[StepRow]) -> Iterator[bytes]:
        """Take steps of an instance in; yield the rows that are full."""
        for count in self._packer.add(steps):
            self._entries.append((who, count, None))
            if len(self._packer) >= _STEPS_PER_ROW:
                yield self.row()

    def add(self, who: InstanceIdentity, judgement: InstanceJudgement) -> Iterator[bytes]:
        """Take a judgement in; yield the row that it fills."""
        self._entries.append((who, 0, judgement))
        if len(self._entries) >= _INSTANCES_PER_ROW:
            yield self.row()

    def row(self) -> bytes:
        """Return the row of what came last, and begin another."""
        entries, self._entries = self._entries, []
        return pack_lines((entries, self._packer.take()))


def make_judging_function(
    known: bytes, *, timeline: bool, placed: bool = True, all_of_it: bool = True
) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """Make the function of the second stage, for partitions that are sorted by file, piece and
    number.

    Args:
        known: A packed `SettledContext`.
        timeline: Whether the steps are wanted, not only their number; those of parts of systems
            always are.
        placed: Whether rows come from `make_placing_function`; else from the first stage, all to
            one partition.
        all_of_it: Whether instances that are well are wanted too.
    """

    def decide(batches: Iterator[Any]) -> Iterator[ResultRow]:
        settled = unpack_cached(known)
        if placed:
            observed = _placed_lines(batches)
        else:
            names = "file", "piece", "body"
            rows = (row for batch in batches for row in column_rows(batch, *names))
            observed = absolute_lines(settled, rows)
        yield from judge_observed(settled.context, observed, timeline=timeline, all_of_it=all_of_it)

    return make_arrow_function(RESULT_COLUMNS, decide)


def judge_observed(
    context: JudgingContext,
    observed: Iterable[tuple[int, Observed]],
    *,
    timeline: bool,
    all_of_it: bool = True,
) -> Iterator[ResultRow]:
    """Judge what all lines of some instances tell.

    Args:
        context: What is settled.
        observed: By the order of the files, each with its partition, which is one.
        timeline: As for `make_judging_function`.
        all_of_it: As for it.

    Yields:
        Rows as `RESULT_COLUMNS` says.
    """
    partitions = set[int]()
    with ColumnStore() as store:
        for partition, (lines, columns) in observed:
            store.add(lines)
            store.add_columns(columns)
            partitions.add(partition)
        for kind, body in _judge_instances(context, store, timeline=timeline, all_of_it=all_of_it):
            yield kind, min(partitions, default=0), body


def absolute_lines(
    settled: SettledContext, rows: Iterable[tuple[int, int, bytes]]
) -> Iterator[tuple[int, Observed]]:
    """Yield what rows of the first stage tell, at its place in the whole file, for one partition.

    Args:
        settled: What is known of all files.
        rows: File, piece and body.
    """
    return ((0, settled.absolute(file, piece, unpack_lines(body))) for file, piece, body in rows)


def _placed_lines(batches: Iterable[Any]) -> Iterator[tuple[int, Observed]]:
    """Yield what placed rows tell, with the partition that judges it."""
    for batch in batches:
        for partition, body in column_rows(batch, "partition", "body"):
            yield partition, unpack_lines(body)


def _judge_instances(
    context: JudgingContext, store: ColumnStore, *, timeline: bool, all_of_it: bool
) -> Iterator[tuple[int, bytes]]:
    """Judge the instances of a store in the order of the report: steps and judgements in rows of
    many.
    """
    counts, lost, grouped = TimelineCounts(), list[Observation](), VariantTable()
    repeated = RepeatedInstances(context, JudgingTables(context.plan), grouped)
    instances, reported = store.instances(context, lost), ReportedFacts(context)
    rows, alike = _JudgedRows(), 0
    with only_new_collected():
        for who, observations in ordered_instances(context, instances):
            wants_steps = timeline or who[0] in context.plan.system_part_owners
            judging = repeated.judge(who, observations)
            for run in judging.runs():
                counts.count_rows(who[0], run)
                if wants_steps:
                    yield from ((JUDGED, row) for row in rows.add_steps(who, run))
            judgement = judging.judgement
            if judgement is not None and (all_of_it or reported.has_trouble(judgement)):
                yield from ((JUDGED, row) for row in rows.add(who, reported.reduced(judgement)))
            alike += judgement is None
            if alike >= _MEMBERS_PER_ROW:
                members, alike = grouped.members_so_far(), 0
                if all_of_it:
                    yield GROUPS, pack_lines(members)
    yield JUDGED, rows.row()
    if all_of_it and grouped.variants:
        yield GROUPS, pack_lines(grouped.members_so_far())
        yield VARIANTS, pack_lines(grouped.variants)
    yield COUNTED, pack((counts.hidden, counts.missing, dict(counts.steps_seen)))
    yield from _lost_rows(lost)


def _lost_rows(observations: Iterable[Observation]) -> Iterator[tuple[int, bytes]]:
    """Count, by file, the observations whose generation no line told."""
    for file, lost in groupby(observations, lambda observation: observation.file):
        reasons: list[tuple[str, int, int, str]] = []
        for observation in lost:
            reasons = merge_reasons(
                reasons, [("no generation", 1, observation.line, observation.text)]
            )
        yield LOST, pack((file, reasons))
