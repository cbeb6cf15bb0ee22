"""`check` on Spark: over paths, or over a frame of the user's."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union, Unpack, cast

from statemachines.conform.check_options import CheckOptions, JudgingOptions, ReportOptions
from statemachines.conform.checking import (
    JudgingRequest,
    finish_report,
    make_request,
    with_systems_root,
)
from statemachines.conform.engines.spark.cluster.sessions import is_embedded
from statemachines.conform.engines.spark.cluster.shipping import ship
from statemachines.conform.engines.spark.cluster.spark_jobs import is_connect
from statemachines.conform.engines.spark.frame_reading import Columns, check_columns, plan_frame
from statemachines.conform.engines.spark.input_listing import Listing, list_logs
from statemachines.conform.engines.spark.spark_engine import PlannedJob, SparkEngine
from statemachines.conform.engines.spark.stages.file_chunks import CHUNK_BYTES, LogFile, plan_jobs
from statemachines.conform.engines.spark.stages.observing_stage import (
    ReadSettings,
    make_observing_function,
)
from statemachines.conform.engines.spark.stages.stage_rows import READ_COLUMNS
from statemachines.conform.engines.spark.stages.worker_files import check_reachable
from statemachines.conform.engines.spark.user_frames import episodes_frame, findings_frame
from statemachines.conform.join.report_assembly import with_incompleteness
from statemachines.model.diagnosis.call_options import refuses_unknown_options
from statemachines.model.evidence.reports import Report

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Paths = Sequence["str | os.PathLike[str]"]
Progress = Callable[[int, int], None]

SparkLogs = Union[Paths, str, "os.PathLike[str]", "DataFrame"]
"""Paths, one path, or a frame with a row a line."""

_TASKS_PER_CORE = 2


@refuses_unknown_options(*ReportOptions.__annotations__)
def check(
    spark: SparkSession,
    logs: SparkLogs,
    *,
    text: str = "value",
    order_by: Sequence[str] = (),
    file: str | None = None,
    progress: Progress | None = None,
    options: CheckOptions | None = None,
    **changed: Unpack[ReportOptions],
) -> Report:
    """Judge logs on Spark; the report is the same as on one machine, byte for byte.

    Args:
        spark: A session of Spark classic or Connect.
        logs: Paths of files and folders, URLs of remote ones, or a frame with a row a line.
        text: The frame's column with the lines.
        order_by: The frame's columns that put the lines of a file in order.
        file: The frame's column that names the file of a line; None: all are of one.
        progress: Called with bytes read and bytes in all; not for a frame.
        options: Those of `statemachines.check`; `engine`, `master` and `remote` say nothing here.
        changed: Options by their names, which win over `options`: `specs`, `release`, `levels`,
            `layouts`, `zone`, `tolerance`, `separate`, `timeline`, `unread`.

    Returns:
        The report; its timeline has a row for each step, unless `timeline=False`.

    Raises:
        ValueError: A frame without columns to order by.
        SpecError: No spec is left to judge by.
        Unreachable: A worker does not see a local path.

    Limits: each file of a frame is read by one task.
    """
    request = make_request((options or CheckOptions()).updated(**changed))
    timeline = request.options.timeline
    paths = _as_paths(logs)
    if paths is not None:
        report = check_paths(spark, paths, request, progress=progress, timeline=timeline)
    else:
        report = check_frame(
            spark,
            cast("DataFrame", logs),
            Columns(text, tuple(order_by), file),
            request,
            timeline=timeline,
        )
    return finish_report(report, request)


@refuses_unknown_options(*JudgingOptions.__annotations__)
def findings(
    spark: SparkSession,
    logs: SparkLogs,
    *,
    text: str = "value",
    order_by: Sequence[str] = (),
    file: str | None = None,
    progress: Progress | None = None,
    options: CheckOptions | None = None,
    **changed: Unpack[JudgingOptions],
) -> DataFrame:
    """Judge logs, and return the findings as a frame.

    Args:
        spark: A session of Spark classic or Connect.
        logs: As for `check`.
        text: As for `check`.
        order_by: As for `check`.
        file: As for `check`.
        progress: As for `check`.
        options: As for `check`.
        changed: Options that change what is judged, by their names.

    Returns:
        One row for each finding, in the order of the report, with the columns of its CSV form.

    Raises:
        ValueError, SpecError, Unreachable: As for `check`.
    """
    report = check(
        spark,
        logs,
        text=text,
        order_by=order_by,
        file=file,
        progress=progress,
        options=(options or CheckOptions()).updated(timeline=False, **changed),
    )
    return findings_frame(spark, report)


@refuses_unknown_options(*JudgingOptions.__annotations__)
def episodes(
    spark: SparkSession,
    logs: SparkLogs,
    *,
    text: str = "value",
    order_by: Sequence[str] = (),
    file: str | None = None,
    progress: Progress | None = None,
    options: CheckOptions | None = None,
    **changed: Unpack[JudgingOptions],
) -> DataFrame:
    """Judge logs, and return the episodes as a frame: what was wrong, from when to when.

    Args:
        spark: A session of Spark classic or Connect.
        logs: As for `check`.
        text: As for `check`.
        order_by: As for `check`.
        file: As for `check`.
        progress: As for `check`.
        options: As for `check`.
        changed: Options that change what is judged, by their names.

    Returns:
        One row for each episode, in the order of the report.

    Raises:
        ValueError, SpecError, Unreachable: As for `check`.
    """
    report = check(
        spark,
        logs,
        text=text,
        order_by=order_by,
        file=file,
        progress=progress,
        options=(options or CheckOptions()).updated(timeline=False, **changed),
    )
    return episodes_frame(spark, report)


@refuses_unknown_options(*JudgingOptions.__annotations__)
def timeline(
    spark: SparkSession,
    logs: SparkLogs,
    *,
    text: str = "value",
    order_by: Sequence[str] = (),
    file: str | None = None,
    options: CheckOptions | None = None,
    **changed: Unpack[JudgingOptions],
) -> DataFrame:
    """Read logs, and return their timeline as a frame.

    Judging happens where the frame is used, so that a timeline of any length can be written as
    Parquet. What was read stays on the workers' disks until `spark.catalog.clearCache()` or the end
    of the session.

    Args:
        spark: A session of Spark classic or Connect.
        logs: As for `check`; files must be there as long as the frame.
        text: As for `check`.
        order_by: As for `check`.
        file: As for `check`.
        options: As for `check`.
        changed: Options that change what is judged, by their names.

    Returns:
        One row for each step, ordered within each instance, with the columns of the timeline's CSV
        form.

    Raises:
        ValueError, SpecError, Unreachable: As for `check`.
    """
    request = make_request((options or CheckOptions()).updated(**changed))
    columns = Columns(text, tuple(order_by), file)
    return _read_lazily(spark, logs, columns, request, SparkEngine.timeline_frame)


@refuses_unknown_options(*JudgingOptions.__annotations__)
def observations(
    spark: SparkSession,
    logs: SparkLogs,
    *,
    text: str = "value",
    order_by: Sequence[str] = (),
    file: str | None = None,
    options: CheckOptions | None = None,
    **changed: Unpack[JudgingOptions],
) -> DataFrame:
    """Read logs, and return what their lines tell as a frame: the life-cycle lines, taken apart.

    What was read stays on the workers' disks until `spark.catalog.clearCache()` or the end of the
    session.

    Args:
        spark: A session of Spark classic or Connect.
        logs: As for `check`.
        text: As for `check`.
        order_by: As for `check`.
        file: As for `check`.
        options: As for `check`.
        changed: Options that change what is read, by their names.

    Returns:
        One row for each instance that a line tells of, in no order.

    Raises:
        ValueError, SpecError, Unreachable: As for `check`.
    """
    request = make_request((options or CheckOptions()).updated(**changed))
    columns = Columns(text, tuple(order_by), file)
    return _read_lazily(spark, logs, columns, request, SparkEngine.observations_frame)


_MakeFrame = Callable[
    [SparkEngine, Sequence[tuple[str, LogFile]], Sequence[PlannedJob]], "DataFrame"
]


def _read_lazily(
    spark: SparkSession,
    logs: SparkLogs,
    columns: Columns,
    request: JudgingRequest,
    make: _MakeFrame,
) -> DataFrame:
    """Read logs, and return a frame that an engine makes of what was read."""
    paths = _as_paths(logs)
    if paths is not None:
        request = with_systems_root(request, paths)
    engine = SparkEngine(spark, request.plan)
    work = ReadSettings(request.plan, request.layouts)
    if paths is None:
        files, planned = _plan_frame(logs, columns, work)
        return make(engine, files, [planned])
    with tempfile.TemporaryDirectory(prefix="statemachines-") as spool:
        listing, jobs = _plan_paths(spark, paths, work, Path(spool))
        return make(engine, listing.files, jobs)


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
    """
    request = with_systems_root(request, paths)
    engine = SparkEngine(spark, request.plan, progress, timeline, partitions)
    with tempfile.TemporaryDirectory(prefix="statemachines-") as spool:
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
    files, planned = _plan_frame(frame, columns, ReadSettings(request.plan, request.layouts))
    report = SparkEngine(spark, request.plan, timeline=timeline).check(files, [planned])
    return with_incompleteness(report, errors=request.errors)


def _as_paths(logs: SparkLogs) -> Paths | None:
    """Return paths; None for a frame."""
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
    listing = list_logs(paths, spool)
    files = [file for _, file in listing.files]
    tasks = _TASKS_PER_CORE * _parallelism(spark)
    ship(spark)
    if is_connect(spark) or not is_embedded(spark.conf.get("spark.master", "")):
        check_reachable(spark, [(file.path, file.size) for file in files], tasks)
    planned = []
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
    frame: Any, columns: Columns, work: ReadSettings
) -> tuple[list[tuple[str, LogFile]], PlannedJob]:
    """Plan the reading of a frame that can be read in order."""
    check_columns(frame, columns)
    return plan_frame(frame, columns, work)


def _parallelism(spark: SparkSession) -> int:
    """Return how many tasks a session runs at once, as Spark itself counts when nobody tells it a
    number of partitions.
    """
    from pyspark.sql import functions as F

    master = spark.conf.get("spark.master", "")
    if found := re.fullmatch(r"local(?:\[(\d+|\*)(?:,\d+)?\])?", master or ""):
        return (os.cpu_count() or 1) if found[1] == "*" else int(found[1] or 1)
    numbers = spark.range(1 << 16).select(F.spark_partition_id().alias("number"))
    highest = numbers.agg(F.max("number")).first()
    return 1 + int(highest[0]) if highest and highest[0] is not None else 1
