"""`check` on Spark: over paths, or over a frame of the user's."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union, Unpack, cast

from statemachines.conform.assemble import cut_short
from statemachines.conform.check import Request, finished, request_of
from statemachines.conform.spark.engine import Planned, SparkEngine
from statemachines.conform.spark.files import check_reachable
from statemachines.conform.spark.frames import Columns, check_columns, planned_frame
from statemachines.conform.spark.jobs import is_connect
from statemachines.conform.spark.listing import Listing, listing_of
from statemachines.conform.spark.observing import ToRead, observing
from statemachines.conform.spark.outputs import findings_frame
from statemachines.conform.spark.pieces import PIECE_BYTES, LogFile, jobs
from statemachines.conform.spark.rows import READ
from statemachines.conform.spark.session import is_embedded
from statemachines.conform.spark.shipping import ship
from statemachines.model.options import JudgingOptions, takes_options
from statemachines.model.reports import Report

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Paths = Sequence["str | os.PathLike[str]"]
Progress = Callable[[int, int], None]

Logs = Union[Paths, str, "os.PathLike[str]", "DataFrame"]
"""Paths, one path, or a frame with a row a line."""

TASKS_A_CORE = 2


@takes_options(*JudgingOptions.__annotations__)
def check(
    spark: SparkSession,
    logs: Logs,
    *,
    text: str = "value",
    order_by: Sequence[str] = (),
    file: str | None = None,
    progress: Progress | None = None,
    timeline: bool = True,
    unread: bool = False,
    **options: Unpack[JudgingOptions],
) -> Report:
    """Judge logs on Spark; the report is the same as on one machine, byte for byte.

    Args:
        spark: A session of Spark classic or Connect.
        logs: Paths of files and folders, URLs of remote ones, or a frame with a row a line.
        text: The frame's column with the lines.
        order_by: The frame's columns that put the lines of a file in order.
        file: The frame's column that names the file of a line; None: all are of one.
        progress: Called with bytes read and bytes in all; not for a frame.
        timeline: Whether the report has one.
        unread: Whether it lists lines that nothing read.
        options: Those of `statemachines.check`: `specs`, `release`, `levels`, `layouts`, `zone`, `tolerance`, `separate`.

    Raises:
        ValueError: A frame without columns to order by.
        SpecError: No spec is left to judge by.
        Unreachable: A worker does not see a local path.

    Limits: each file of a frame is read by one task.
    """
    request = request_of(**options)
    paths = _paths(logs)
    if paths is not None:
        report = check_paths(spark, paths, request, progress=progress, timeline=timeline)
    else:
        report = check_frame(spark, cast("DataFrame", logs), Columns(text, tuple(order_by), file), request, timeline=timeline)
    return finished(report, request, timeline=timeline, unread=unread)


@takes_options(*JudgingOptions.__annotations__)
def findings(
    spark: SparkSession, logs: Logs, *, text: str = "value", order_by: Sequence[str] = (), file: str | None = None,
    progress: Progress | None = None, **options: Unpack[JudgingOptions],
) -> DataFrame:  # fmt: skip
    """Judge logs, and return the findings as a frame, one row each, in the order of the report (columns: `rows.FINDINGS`).

    Args:
        spark: A session of Spark classic or Connect.
        logs: As for `check`.
        text: As for `check`.
        order_by: As for `check`.
        file: As for `check`.
        progress: As for `check`.
        options: Those of `statemachines.check` that change what is judged.
    """
    report = check(spark, logs, text=text, order_by=order_by, file=file, progress=progress, timeline=False, **options)
    return findings_frame(spark, report)


@takes_options(*JudgingOptions.__annotations__)
def timeline(
    spark: SparkSession,
    logs: Logs,
    *,
    text: str = "value",
    order_by: Sequence[str] = (),
    file: str | None = None,
    **options: Unpack[JudgingOptions],
) -> DataFrame:
    """Read logs, and return their timeline as a frame, one row a step (columns: `rows.TIMELINE`).

    Judging happens where the frame is used, so that a timeline of any length can be written as Parquet. What was read stays on the
    workers' disks until `spark.catalog.clearCache()` or the end of the session.

    Args:
        spark: A session of Spark classic or Connect.
        logs: As for `check`; files must be there as long as the frame.
        text: As for `check`.
        order_by: As for `check`.
        file: As for `check`.
        options: Those of `statemachines.check`.
    """
    request = request_of(**options)
    engine = SparkEngine(spark, request.plan)
    work = ToRead(request.plan, request.layouts)
    paths = _paths(logs)
    if paths is None:
        files, planned = _planned_frame(logs, Columns(text, tuple(order_by), file), work)
        return engine.timeline_frame(files, [planned])
    with tempfile.TemporaryDirectory(prefix="statemachines-") as spool:
        listing, jobs = _planned_paths(spark, paths, work, Path(spool))
        return engine.timeline_frame(listing.files, jobs)


def check_paths(
    spark: SparkSession,
    paths: Paths,
    request: Request,
    *,
    progress: Progress | None = None,
    timeline: bool = True,
    piece_bytes: int = PIECE_BYTES,
    partitions: int | None = None,
) -> Report:
    """Judge files on Spark.

    Args:
        spark: A session of Spark classic or Connect.
        paths: Files, folders, URLs, `-` for standard input.
        request: Specs, options and layouts.
        progress: Called with bytes read and bytes in all.
        timeline: Whether the report has one.
        piece_bytes: The most that a task reads of a file at once; the report does not depend on it.
        partitions: Of the second stage; the report does not depend on it.

    Raises:
        Unreachable: A worker does not see a local path.
    """
    engine = SparkEngine(spark, request.plan, progress, timeline, partitions)
    with tempfile.TemporaryDirectory(prefix="statemachines-") as spool:
        listing, jobs = _planned_paths(spark, paths, ToRead(request.plan, request.layouts), Path(spool), piece_bytes)
        report = engine.check(listing.files, jobs)
    return cut_short(report, interrupted=listing.interrupted, errors=(*listing.errors, *request.errors))


def check_frame(spark: SparkSession, frame: DataFrame, columns: Columns, request: Request, *, timeline: bool = True) -> Report:
    """Judge the lines of a frame.

    Raises:
        ValueError: There is nothing to order by, or a column is missing.
    """
    files, planned = _planned_frame(frame, columns, ToRead(request.plan, request.layouts))
    report = SparkEngine(spark, request.plan, timeline=timeline).check(files, [planned])
    return cut_short(report, errors=request.errors)


def _paths(logs: Logs) -> Paths | None:
    """Return paths; None for a frame."""
    if isinstance(logs, str | os.PathLike):
        return [logs]
    return logs if isinstance(logs, Sequence) else None


def _planned_paths(
    spark: SparkSession, paths: Paths, work: ToRead, spool: Path, piece_bytes: int = PIECE_BYTES
) -> tuple[Listing, list[Planned]]:
    """List files, and plan the jobs that read them: in each a row for every task."""
    listing = listing_of(paths, spool)
    files = [file for _, file in listing.files]
    tasks = TASKS_A_CORE * parallelism(spark)
    ship(spark)
    if is_connect(spark) or not is_embedded(spark.conf.get("spark.master", "")):
        check_reachable(spark, [(file.path, file.size) for file in files], tasks)
    planned = []
    for job in jobs(files, piece_bytes=piece_bytes, tasks=tasks):
        frame = spark.range(0, len(job), 1, len(job)).mapInArrow(observing(work, job), READ)
        planned.append(Planned(frame, sum(piece.end - piece.start for task in job for piece in task), len(job)))
    return listing, planned


def _planned_frame(frame: Any, columns: Columns, work: ToRead) -> tuple[list[tuple[str, LogFile]], Planned]:
    """Plan the reading of a frame that can be read in order."""
    check_columns(frame, columns)
    return planned_frame(frame, columns, work)


def parallelism(spark: SparkSession) -> int:
    """Return how many tasks a session runs at once, as Spark itself counts when nobody tells it a number of partitions."""
    from pyspark.sql import functions as F

    master = spark.conf.get("spark.master", "")
    if found := re.fullmatch(r"local(?:\[(\d+|\*)(?:,\d+)?\])?", master or ""):
        return (os.cpu_count() or 1) if found[1] == "*" else int(found[1] or 1)
    numbers = spark.range(1 << 16).select(F.spark_partition_id().alias("number"))
    highest = numbers.agg(F.max("number")).first()
    return 1 + int(highest[0]) if highest and highest[0] is not None else 1
