"""`check` on Spark: over paths, or over a frame of the user's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Unpack, cast

from statemachines.conform.check_options import CheckOptions, JudgingOptions, ReportOptions
from statemachines.conform.checking import (
    finish_report,
    make_request,
)
from statemachines.conform.engines.spark.frame_reading import Columns
from statemachines.conform.engines.spark.judging_jobs import (
    MakeFrame,
    Progress,
    SparkLogs,
    as_paths,
    check_frame,
    check_paths,
    read_lazily,
)
from statemachines.conform.engines.spark.stages.joining_stage import (
    TroubleRows,
    episode_rows,
    finding_rows,
)
from statemachines.conform.engines.spark.user_frames import episodes_frame, findings_frame
from statemachines.model.diagnosis.call_options import refuses_unknown_options
from statemachines.model.evidence.reports import Report

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


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
        order_by: The frame's column, or columns, that put the lines of a file in order.
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
    paths = as_paths(logs)
    if paths is not None:
        report = check_paths(spark, paths, request, progress=progress, timeline=timeline)
    else:
        report = check_frame(
            spark,
            cast("DataFrame", logs),
            Columns(text, order_by, file),
            request,
            timeline=timeline,
        )
    return finish_report(report, request)


@refuses_unknown_options(*JudgingOptions.__annotations__)
def findings(
    spark: SparkSession,
    logs: SparkLogs | Report,
    *,
    text: str = "value",
    order_by: Sequence[str] = (),
    file: str | None = None,
    progress: Progress | None = None,
    options: CheckOptions | None = None,
    **changed: Unpack[JudgingOptions],
) -> DataFrame:
    """Judge logs, and return the findings as a frame.

    Logs are read now and judged where the frame is used, by workers; the driver holds nothing of
    any instance. What was read stays on the workers' disks until `spark.catalog.clearCache()` or
    the end of the session.

    Args:
        spark: A session of Spark classic or Connect.
        logs: As for `check`; or a report, for which nothing is read once more.
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
    if isinstance(logs, Report):
        return findings_frame(spark, logs)
    request = make_request((options or CheckOptions()).updated(timeline=False, **changed))
    columns = Columns(text, order_by, file)
    return read_lazily(spark, logs, columns, request, _trouble_frame(finding_rows), progress)


@refuses_unknown_options(*JudgingOptions.__annotations__)
def episodes(
    spark: SparkSession,
    logs: SparkLogs | Report,
    *,
    text: str = "value",
    order_by: Sequence[str] = (),
    file: str | None = None,
    progress: Progress | None = None,
    options: CheckOptions | None = None,
    **changed: Unpack[JudgingOptions],
) -> DataFrame:
    """Judge logs, and return the episodes as a frame: what was wrong, from when to when.

    Read, judged and kept as for `findings`.

    Args:
        spark: A session of Spark classic or Connect.
        logs: As for `check`; or a report, for which nothing is read once more.
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
    if isinstance(logs, Report):
        return episodes_frame(spark, logs)
    request = make_request((options or CheckOptions()).updated(timeline=False, **changed))
    columns = Columns(text, order_by, file)
    return read_lazily(spark, logs, columns, request, _trouble_frame(episode_rows), progress)


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
    columns = Columns(text, order_by, file)
    return read_lazily(
        spark, logs, columns, request, lambda engine, _, *read: engine.timeline_frame(*read)
    )


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
    columns = Columns(text, order_by, file)
    return read_lazily(
        spark, logs, columns, request, lambda engine, _, *read: engine.observations_frame(*read)
    )


def _trouble_frame(rows: TroubleRows) -> MakeFrame:
    return lambda engine, request, *read: engine.trouble_frame(*read, request, rows)
