"""The second stage, on the workers: the sorted observations of each instance, judged as they stream by."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

from statemachines.conform.judged import StepRow
from statemachines.conform.judging import Judging
from statemachines.conform.observations import Observation
from statemachines.conform.profile import merged_reasons
from statemachines.conform.spark.placing import NOBODY
from statemachines.conform.spark.rows import COUNTED, JUDGED, LOST, RESULTS, STEPS, kept_unpacked, mapped, packed, unpacked, values
from statemachines.conform.subjects import Seen
from statemachines.conform.summary import identity
from statemachines.conform.tables import Tables

STEPS_OF_A_ROW = 1000
"""Rows of the timeline travel together."""

Row = tuple[int, bytes]


def deciding(known: bytes, *, timeline: bool) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """Make the function of the second stage, for partitions that are sorted by rank and place.

    Args:
        known: A packed `Known`.
        timeline: Whether the steps are wanted, not only their number; those of parts of systems always are.
    """

    def decide(batches: Iterator[Any]) -> Iterator[Row]:
        context = kept_unpacked(known).context
        tables, seen = Tables(context.plan), Seen()
        streamed = (row for batch in batches for row in values(batch, "rank", "body"))
        for rank, rows in groupby(streamed, itemgetter(0)):
            observations = (unpacked(body) for _, body in rows)
            if rank == NOBODY:
                yield from _lost(observations)
            else:
                yield from _instance(context, tables, seen, observations, timeline=timeline)
        yield COUNTED, packed((seen.hidden, seen.missing, dict(seen.arrows)))

    return mapped(RESULTS, decide)


def _instance(context: Any, tables: Tables, seen: Seen, observations: Iterator[Observation], *, timeline: bool) -> Iterator[Row]:
    """Judge one instance: its steps in rows of many, then its judgement."""
    first = next(observations)
    owner, _, key = identity(context, first)
    judging = Judging(context, tables, owner, key, _with(first, observations))
    fresh: list[StepRow] = []
    for step in judging:
        seen.count(owner, step)
        if timeline or owner in context.plan.parts:
            fresh.append(step)
        if len(fresh) >= STEPS_OF_A_ROW:
            yield STEPS, packed((owner, key, fresh))
            fresh = []
    if fresh:
        yield STEPS, packed((owner, key, fresh))
    yield JUDGED, packed(judging.judged)


def _with(first: Observation, rest: Iterable[Observation]) -> Iterator[Observation]:
    """Put the first one back before the others."""
    yield first
    yield from rest


def _lost(observations: Iterable[Observation]) -> Iterator[Row]:
    """Count, by file, the observations whose generation no line told."""
    for file, lost in groupby(observations, lambda seen: seen.file):
        reasons: list[tuple[str, int, int, str]] = []
        for seen in lost:
            reasons = merged_reasons(reasons, [("no generation", 1, seen.line, seen.text)])
        yield LOST, packed((file, reasons))
