"""The second stage, on the workers: the instances of a partition, judged one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from statemachines.conform.engines.observation_store import ColumnStore
from statemachines.conform.engines.parts.result_rows import judge_part
from statemachines.conform.engines.spark.stages.observing_stage import Observed
from statemachines.conform.engines.spark.stages.placing_stage import SettledContext
from statemachines.conform.engines.spark.stages.stage_rows import (
    RESULT_COLUMNS,
    column_rows,
    make_arrow_function,
    pack_lines,
    unpack_cached,
    unpack_lines,
)
from statemachines.conform.settle.judging_context import JudgingContext

ResultRow = tuple[int, int, bytes]


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
        for kind, row in judge_part(context, store, timeline=timeline, all_of_it=all_of_it):
            yield kind, min(partitions, default=0), pack_lines(row)


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
