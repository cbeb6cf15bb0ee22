"""The second stage, on the workers: the instances of a partition, judged one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from statemachines.conform.engines.observation_store import ColumnStore
from statemachines.conform.engines.ordered_instances import ordered_instances
from statemachines.conform.engines.spark.stages.observing_stage import Observed
from statemachines.conform.engines.spark.stages.placing_stage import SettledContext
from statemachines.conform.engines.spark.stages.reported_facts import ReportedFacts
from statemachines.conform.engines.spark.stages.stage_rows import (
    COUNTED,
    COURSES,
    CROWD,
    JUDGED,
    LOST,
    RESULT_COLUMNS,
    column_rows,
    make_arrow_function,
    pack,
    pack_lines,
    unpack_cached,
    unpack_lines,
)
from statemachines.conform.interchange.crowds import Crowds
from statemachines.conform.interchange.judgements import InstanceJudgement, StepRow
from statemachines.conform.interchange.observations import Observation
from statemachines.conform.interchange.profiles import merge_reasons
from statemachines.conform.join.current_states import TimelineCounts
from statemachines.conform.judge.repeated.repeated_instances import RepeatedInstances
from statemachines.conform.judge.tables.judging_tables import JudgingTables
from statemachines.conform.settle.judging_context import InstanceIdentity, JudgingContext
from statemachines.model.garbage import only_new_collected

if TYPE_CHECKING:
    from statemachines.conform.engines.local import InstancePass

_STEPS_PER_ROW = 1000
"""Rows of the timeline travel together."""
_INSTANCES_PER_ROW = 200
"""And so do judgements."""
_MEMBERS_PER_ROW = 50_000
"""And those that went as others did; each has some ten bytes."""

ResultRow = tuple[int, int, bytes]


class Judged(NamedTuple):
    """What was judged of one instance: some of its steps, or the rest of them and the whole."""

    who: InstanceIdentity
    steps: list[StepRow]
    judgement: InstanceJudgement | None


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
    counts, lost, crowds = TimelineCounts(), list[Observation](), Crowds()
    repeated = RepeatedInstances(context, JudgingTables(context.plan), crowds)
    instances, reported = store.instances(context, lost), ReportedFacts(context)
    fresh, steps, alike = list[Judged](), 0, 0
    with only_new_collected():
        for who, observations in ordered_instances(context, instances):
            wants_steps = timeline or who[0] in context.plan.system_part_owners
            judging = repeated.judge(who, observations)
            for judged in _judge_instance(judging, counts, who, wants_steps=wants_steps):
                alike += judged.judgement is None
                if not (
                    judged.steps
                    or (all_of_it and judged.judgement is not None)
                    or reported.has_trouble(judged.judgement)
                ):
                    continue
                fresh.append(judged._replace(judgement=reported.reduced(judged.judgement)))
                steps += len(judged.steps)
                if steps >= _STEPS_PER_ROW or len(fresh) >= _INSTANCES_PER_ROW:
                    yield JUDGED, pack_lines(fresh)
                    fresh, steps = [], 0
            if alike >= _MEMBERS_PER_ROW:
                members, alike = crowds.members_so_far(), 0
                if all_of_it:
                    yield CROWD, pack_lines(members)
    if fresh:
        yield JUDGED, pack_lines(fresh)
    if all_of_it and crowds.courses:
        yield CROWD, pack_lines(crowds.members_so_far())
        yield COURSES, pack_lines(crowds.courses)
    yield COUNTED, pack((counts.hidden, counts.missing, dict(counts.steps_seen)))
    yield from _lost_rows(lost)


def _judge_instance(
    judging: InstancePass, counts: TimelineCounts, who: InstanceIdentity, *, wants_steps: bool
) -> Iterator[Judged]:
    """Judge one instance: its steps some at a time, the last with its judgement."""
    steps = list[StepRow]()
    for run in judging.runs():
        counts.count_rows(who[0], run)
        if not wants_steps:
            continue
        for start in range(0, len(run), _STEPS_PER_ROW):
            steps += run[start : start + _STEPS_PER_ROW]
            if len(steps) >= _STEPS_PER_ROW:
                yield Judged(who, steps, None)
                steps = []
    yield Judged(who, steps, judging.judgement)


def _lost_rows(observations: Iterable[Observation]) -> Iterator[tuple[int, bytes]]:
    """Count, by file, the observations whose generation no line told."""
    for file, lost in groupby(observations, lambda observation: observation.file):
        reasons: list[tuple[str, int, int, str]] = []
        for observation in lost:
            reasons = merge_reasons(
                reasons, [("no generation", 1, observation.line, observation.text)]
            )
        yield LOST, pack((file, reasons))
