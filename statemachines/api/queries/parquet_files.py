"""A report's findings, episodes and timeline as Parquet, for data frames and warehouses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

from statemachines.conform.check_options import CheckOptions
from statemachines.model.evidence.reports import Report
from statemachines.model.extras import install_command
from statemachines.report.json_format import SURROGATES

T = TypeVar("T")
ROWS_AT_ONCE = 20_000
"""Rows that are written together."""
FINDINGS, EPISODES = "findings.parquet", "episodes.parquet"
TIMELINE, OBSERVATIONS = "timeline.parquet", "observations.parquet"
"""Below the folder: a file each, or a folder of files where Spark wrote it."""


class CannotWrite(ValueError):
    """Parquet cannot be written here; the message says what to do."""


def write_parquet(report: Report, folder: str | PathLike[str], *, timeline: bool = True) -> None:
    """Write a report's findings, episodes and timeline as Parquet files, with the columns of the
    frames that Spark gives (docs/on-a-cluster.md).

    Args:
        report: what a check found.
        folder: is made where it is not there; files of these names in it are replaced.
        timeline: False leaves the timeline out.

    Raises:
        CannotWrite: the library is not installed, or the folder cannot be written.

    Complexity: memory for a few thousand rows, however long the timeline is.
    """
    from statemachines.conform.engines.spark import user_frames
    from statemachines.conform.engines.spark.stages import stage_rows

    target = created_folder(folder)
    _write_table(
        target / FINDINGS, stage_rows.FINDING_COLUMNS, map(user_frames.finding_row, report.findings)
    )
    _write_table(
        target / EPISODES, stage_rows.EPISODE_COLUMNS, map(user_frames.episode_row, report.episodes)
    )
    if timeline:
        _write_table(
            target / TIMELINE,
            stage_rows.TIMELINE_COLUMNS,
            map(user_frames.timeline_row, report.timeline),
        )


def write_parquet_on_spark(
    report: Report,
    paths: Sequence[str | PathLike[str]],
    folder: str,
    *,
    options: CheckOptions,
    timeline: bool = True,
) -> None:
    """Write findings, episodes, timeline and observations as Parquet by Spark's workers: a timeline
    of any length, to any place that Spark can write to.

    Args:
        report: what a check of these paths found.
        paths: what was checked; they are read once more for the timeline, and for the observations.
        folder: a path or a URL, as Spark takes it.
        options: those of the check.
        timeline: False leaves the timeline out.

    Raises:
        CannotWrite: there is no Spark here.
    """
    from statemachines.conform import spark
    from statemachines.conform.engines.spark.user_frames import episodes_frame, findings_frame

    try:
        session = spark.session(master=options.master, remote=options.remote)
    except (spark.NoJava, spark.SessionFailed, spark.SparkMissing) as problem:
        raise CannotWrite(str(problem)) from problem
    target = folder.rstrip("/")
    findings_frame(session, report).write.mode("overwrite").parquet(f"{target}/{FINDINGS}")
    episodes_frame(session, report).write.mode("overwrite").parquet(f"{target}/{EPISODES}")
    if timeline:
        spark.timeline(session, list(paths), options=options).write.mode("overwrite").parquet(
            f"{target}/{TIMELINE}"
        )


def created_folder(folder: str | PathLike[str]) -> Path:
    """Make a folder for tables where it is not there.

    Args:
        folder: where the tables will lie; folders above it are made, too.

    Returns:
        The folder, which is there now.

    Raises:
        CannotWrite: that is not possible.
    """
    target = Path(folder)
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise CannotWrite(f"{folder} is no folder to write to: {problem.strerror}") from None
    return target


def _write_table(file: Path, columns: str, rows: Iterable[tuple[Any, ...]]) -> None:
    with open_table(file, columns) as write:
        for batch in _row_batches(rows):
            write(batch)


@contextmanager
def open_table(file: Path, columns: str) -> Iterator[Callable[[Sequence[tuple[Any, ...]]], None]]:
    """Open a Parquet file; give a function that writes some rows, which are not none.

    Args:
        file: is replaced.
        columns: as `stage_rows` has them.

    Yields:
        A function that writes rows, each a tuple with a value a column.

    Raises:
        CannotWrite: the library is not installed, or the file cannot be written.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise CannotWrite(
            "Parquet is written by pyarrow, which is not installed:"
            f" {install_command('spark')}; or use --format csv"
        ) from None
    from statemachines.conform.engines.spark.stages.stage_rows import arrow_schema

    schema = arrow_schema(columns)

    def write(rows: Sequence[tuple[Any, ...]]) -> None:
        columns_of = zip(zip(*rows, strict=True), schema, strict=True)
        arrays = [
            pa.array([_valid_text(value) for value in column], field.type)
            for column, field in columns_of
        ]
        writer.write_table(pa.Table.from_arrays(arrays, schema=schema))

    try:
        with pq.ParquetWriter(file, schema) as writer:
            yield write
    except OSError as problem:
        raise CannotWrite(f"{file} cannot be written: {problem.strerror or problem}") from None


def _valid_text(value: Any) -> Any:
    """Write what is no character of Unicode (bytes of a file's name) as U+FFFD."""
    return SURROGATES.sub("\ufffd", value) if isinstance(value, str) else value


def _row_batches(rows: Iterable[T]) -> Iterator[list[T]]:
    waiting = iter(rows)
    while batch := list(islice(waiting, ROWS_AT_ONCE)):
        yield batch
