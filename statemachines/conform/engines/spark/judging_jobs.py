"""How logs are read and judged on Spark: jobs over paths, or over a frame of the user's."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

from statemachines.conform.checking import (
    JudgingRequest,
    with_systems_root,
)
from statemachines.conform.engines.spark.cluster.job_failures import failures_in_words
from statemachines.conform.engines.spark.cluster.sessions import is_embedded
from statemachines.conform.engines.spark.cluster.shipping import ship
from statemachines.conform.engines.spark.cluster.spark_jobs import is_connect
from statemachines.conform.engines.spark.frame_reading import Columns, check_columns, plan_frame
from statemachines.conform.engines.spark.input_listing import Listing, list_logs
from statemachines.conform.engines.spark.session_files import (
    list_session_files,
    plan_session_files,
)
from statemachines.conform.engines.spark.spark_engine import PlannedJob, SparkEngine
from statemachines.conform.engines.spark.stages.file_chunks import CHUNK_BYTES, LogFile, plan_jobs
from statemachines.conform.engines.spark.stages.observing_stage import (
    ReadSettings,
    make_observing_function,
)
from statemachines.conform.engines.spark.stages.stage_rows import READ_COLUMNS
from statemachines.conform.engines.spark.stages.worker_files import check_reachable
from statemachines.conform.join.report_assembly import with_incompleteness
from statemachines.model.evidence.reports import Report

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Paths = Sequence["str | os.PathLike[str]"]
Progress = Callable[[int, int], None]

SparkLogs = Union[Paths, str, "os.PathLike[str]", "DataFrame"]
"""Paths, one path, or a frame with a row a line."""

_TASKS_PER_CORE = 2


MakeFrame = Callable[
    [SparkEngine, JudgingRequest, Sequence[tuple[str, LogFile]], Sequence[PlannedJob]], "DataFrame"
]


def read_lazily(
    spark: SparkSession,
    logs: SparkLogs,
    columns: Columns,
    request: JudgingRequest,
    make: MakeFrame,
    progress: Progress | None = None,
) -> DataFrame:
    """Read logs, and return a frame that an engine makes of what was read.

    Args:
        spark: A session of Spark classic or Connect.
        logs: Paths, or a frame with a row a line.
        columns: Of the frame: lines, their order, their files.
        request: Specs, options and layouts.
        make: Given the engine, the request, the files and what reads them, the frame.
        progress: Called with bytes read and bytes in all.

    Returns:
        A frame that is computed where it is used.

    Raises:
        ValueError, Unreachable: As for `check`.
    """
    paths = as_paths(logs)
    if paths is not None:
        request = with_systems_root(request, paths)
    engine = SparkEngine(spark, request.plan, progress)
    work = ReadSettings(request.plan, request.layouts)
    if paths is None:
        files, planned = _plan_frame(spark, logs, columns, work)
        return make(engine, request, files, [planned])
    with failures_in_words(), tempfile.TemporaryDirectory(prefix="statemachines-") as spool:
        listing, jobs = _plan_paths(spark, paths, work, Path(spool))
        return make(engine, request, listing.files, jobs)


def check_paths(
    spark: SparkSession,
    paths: Paths,
    request: JudgingRequest,
    *,
    progress: Progress | None = None,
    timeline: bool = True,
    piece_bytes: int = CHUNK_BYTES,
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

    Returns:
        The report, before what `finish_report` does to it.

    Raises:
        Unreachable: A worker does not see a local path.
        JobFailed: A task failed several times; the message says why.
    """
    request = with_systems_root(request, paths)
    engine = SparkEngine(spark, request.plan, progress, timeline, partitions)
    with failures_in_words(), tempfile.TemporaryDirectory(prefix="statemachines-") as spool:
        listing, jobs = _plan_paths(
            spark, paths, ReadSettings(request.plan, request.layouts), Path(spool), piece_bytes
        )
        report = engine.check(listing.files, jobs)
    return with_incompleteness(
        report, interrupted=listing.interrupted, errors=(*listing.errors, *request.errors)
    )


def check_frame(
    spark: SparkSession,
    frame: DataFrame,
    columns: Columns,
    request: JudgingRequest,
    *,
    timeline: bool = True,
) -> Report:
    """Judge the lines of a frame.

    Args:
        spark: A session of Spark classic or Connect.
        frame: One row a line.
        columns: Which of its columns have the lines, their order, and their files.
        request: Specs, options and layouts.
        timeline: Whether the report has one.

    Returns:
        The report, before what `finish_report` does to it.

    Raises:
        ValueError: There is nothing to order by, or a column is missing.
    """
    work = ReadSettings(request.plan, request.layouts)
    files, planned = _plan_frame(spark, frame, columns, work)
    report = SparkEngine(spark, request.plan, timeline=timeline).check(files, [planned])
    return with_incompleteness(report, errors=request.errors)


def as_paths(logs: SparkLogs) -> Paths | None:
    """Return paths; None for a frame.

    Args:
        logs: What a user names as logs.
    """
    if isinstance(logs, str | os.PathLike):
        return [logs]
    return logs if isinstance(logs, Sequence) else None


def _plan_paths(
    spark: SparkSession,
    paths: Paths,
    work: ReadSettings,
    spool: Path,
    chunk_bytes: int = CHUNK_BYTES,
) -> tuple[Listing, list[PlannedJob]]:
    """List files, and plan the jobs that read them: in each a row for every task."""
    listing = list_logs(paths, spool, partial(list_session_files, spark))
    files = [file for _, file in listing.files if file.number not in listing.of_session]
    others = [file for _, file in listing.files if file.number in listing.of_session]
    tasks = _TASKS_PER_CORE * _parallelism(spark)
    ship(spark)
    if is_connect(spark) or not is_embedded(spark.conf.get("spark.master", "")):
        check_reachable(spark, [(file.path, file.size) for file in files], tasks)
    planned = list(plan_session_files(spark, others, work))
    for job in plan_jobs(files, chunk_bytes=chunk_bytes, tasks=tasks):
        frame = spark.range(0, len(job), 1, len(job)).mapInArrow(
            make_observing_function(work, job), READ_COLUMNS
        )
        planned.append(
            PlannedJob(
                frame, sum(chunk.end - chunk.start for task in job for chunk in task), len(job)
            )
        )
    return listing, planned


def _plan_frame(
    spark: SparkSession, frame: Any, columns: Columns, work: ReadSettings
) -> tuple[list[tuple[str, LogFile]], PlannedJob]:
    """Plan the reading of a frame that can be read in order."""
    check_columns(frame, columns)
    with failures_in_words():
        return plan_frame(frame, columns, work, shuffle_tasks(spark))


def shuffle_tasks(spark: SparkSession) -> int:
    """Return how many tasks shall take what is shuffled: as the session says, but on one machine no
    more than keep its cores busy.

    Nearly all sessions have Spark's default of 200, whose start takes a minute of a small machine.

    Args:
        spark: A session of Spark classic or Connect.
    """
    configured = int(spark.conf.get("spark.sql.shuffle.partitions", "200") or 200)
    if not is_embedded(spark.conf.get("spark.master", "")):
        return configured
    return min(configured, 2 * _TASKS_PER_CORE * _parallelism(spark))


def _parallelism(spark: SparkSession) -> int:
    """Return how many tasks a session runs at once, as Spark itself counts when nobody tells it a
    number of partitions.
    """
    from pyspark.sql import functions as F

    master = spark.conf.get("spark.master", "")
    if match := re.fullmatch(r"local(?:\[(\d+|\*)(?:,\d+)?\])?", master or ""):
        return (os.cpu_count() or 1) if match[1] == "*" else int(match[1] or 1)
    numbers = spark.range(1 << 16).select(F.spark_partition_id().alias("number"))
    highest = numbers.agg(F.max("number")).first()
    return 1 + int(highest[0]) if highest and highest[0] is not None else 1
