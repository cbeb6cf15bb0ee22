"""The second stage, on the workers: the sorted observations of each instance, judged as they stream
by.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

from statemachines.conform.engines.spark.stages.placing_stage import NO_INSTANCE
from statemachines.conform.engines.spark.stages.stage_rows import (
    COUNTED,
    JUDGED,
    LOST,
    RESULT_COLUMNS,
    STEPS,
    column_rows,
    make_arrow_function,
    pack,
    unpack,
    unpack_cached,
)
from statemachines.conform.interchange.judgements import StepRow
from statemachines.conform.interchange.observations import Observation
from statemachines.conform.interchange.profiles import merge_reasons
from statemachines.conform.join.current_states import TimelineCounts
from statemachines.conform.judge.judgement_pass import JudgementPass
from statemachines.conform.judge.tables.judging_tables import JudgingTables
from statemachines.conform.settle.instance_order import instance_identity

_STEPS_PER_ROW = 1000
"""Rows of the timeline travel together."""

_ResultRow = tuple[int, bytes]


def make_judging_function(
    known: bytes, *, timeline: bool
) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """Make the function of the second stage, for partitions that are sorted by rank and place.

    Args:
        known: A packed `Known`.
        timeline: Whether the steps are wanted, not only their number; those of parts of systems
            always are.
    """

    def decide(batches: Iterator[Any]) -> Iterator[_ResultRow]:
        context = unpack_cached(known).context
        tables, counts = JudgingTables(context.plan), TimelineCounts()
        streamed = (row for batch in batches for row in column_rows(batch, "rank", "body"))
        for rank, rows in groupby(streamed, itemgetter(0)):
            observations = (unpack(body) for _, body in rows)
            if rank == NO_INSTANCE:
                yield from _lost_rows(observations)
            else:
                yield from _judge_instance(context, tables, counts, observations, timeline=timeline)
        yield COUNTED, pack((counts.hidden, counts.missing, dict(counts.steps_seen)))

    return make_arrow_function(RESULT_COLUMNS, decide)


def _judge_instance(
    context: Any,
    tables: JudgingTables,
    counts: TimelineCounts,
    observations: Iterator[Observation],
    *,
    timeline: bool,
) -> Iterator[_ResultRow]:
    """Judge one instance: its steps in rows of many, then its judgement."""
    first = next(observations)
    owner, _, key = instance_identity(context, first)
    judging = JudgementPass(context, tables, owner, key, _put_back(first, observations))
    fresh: list[StepRow] = []
    for run in judging.runs():
        counts.count_rows(owner, run)
        if timeline or owner in context.plan.system_part_owners:
            fresh += run
        if len(fresh) >= _STEPS_PER_ROW:
            yield STEPS, pack((owner, key, fresh))
            fresh = []
    if fresh:
        yield STEPS, pack((owner, key, fresh))
    yield JUDGED, pack(judging.judgement)


def _put_back(first: Observation, rest: Iterable[Observation]) -> Iterator[Observation]:
    """Put the first one back before the others."""
    yield first
    yield from rest


def _lost_rows(observations: Iterable[Observation]) -> Iterator[_ResultRow]:
    """Count, by file, the observations whose generation no line told."""
    for file, lost in groupby(observations, lambda seen: seen.file):
        reasons: list[tuple[str, int, int, str]] = []
        for seen in lost:
            reasons = merge_reasons(reasons, [("no generation", 1, seen.line, seen.text)])
        yield LOST, pack((file, reasons))
