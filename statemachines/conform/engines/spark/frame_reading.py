"""The first stage over a frame of the user's: rows of text, put in order and read as files are."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import IO, TYPE_CHECKING, Any

from attrs import frozen

from statemachines.conform.engines.spark.spark_engine import PlannedJob
from statemachines.conform.engines.spark.stages.file_chunks import FileChunk, LogFile
from statemachines.conform.engines.spark.stages.observing_stage import (
    ReadRow,
    ReadSettings,
    open_chunk_rows,
    worker_reader,
)
from statemachines.conform.engines.spark.stages.open_chunks import whole_log_chunk
from statemachines.conform.engines.spark.stages.stage_rows import (
    READ_COLUMNS,
    column_rows,
    make_arrow_function,
    pack,
)
from statemachines.logs import open_log
from statemachines.model.diagnosis.suggestions import did_you_mean

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

UNNAMED_FILE = "frame"
"""What a frame is called in reports that has no column for files."""


@frozen
class Columns:
    """Which columns of a frame tell what."""

    text: str = "value"
    """One line each, or several; as text or as bytes."""
    order_by: tuple[str, ...] = ()
    """What puts the lines of a file in order: an offset, a line number; a time alone leaves the
    lines of a millisecond in disorder.
    """
    file: str | None = None
    """Names the file that a line is from; None: all are of one."""


def check_columns(frame: DataFrame, columns: Columns) -> None:
    """See that a frame can be read in order.

    Raises:
        ValueError: There is nothing to order by, or a column is missing.
    """
    if not columns.order_by:
        raise ValueError(
            "the rows of a frame have no order of their own, and a life cycle is nothing but"
            " order: give order_by=, columns that put the lines of a file in order; there are"
            f" {', '.join(frame.columns)}"
        )
    for name in (columns.text, *columns.order_by, *([columns.file] if columns.file else [])):
        if name not in frame.columns:
            raise ValueError(
                f"the frame has no column {name!r}; {did_you_mean(name, frame.columns)}"
            )


def plan_frame(
    frame: DataFrame, columns: Columns, work: ReadSettings
) -> tuple[list[tuple[str, LogFile]], PlannedJob]:
    """Plan the reading of a frame.

    Args:
        frame: At least the columns named, one row a line.
        columns: What they tell.
        work: What tasks need to read lines.

    Returns:
        The files that the frame names, sorted, and the job that reads them: each by one task, as a
            stream.
    """
    from pyspark.sql import functions as F

    name = (
        F.coalesce(F.col(columns.file).cast("string"), F.lit(""))
        if columns.file
        else F.lit(UNNAMED_FILE)
    )
    keys = [F.col(column).alias(f"key{number}") for number, column in enumerate(columns.order_by)]
    lines = frame.select(
        name.alias("file"), *keys, F.col(columns.text).cast("binary").alias("text")
    )
    names = (
        sorted(row[0] for row in lines.select("file").distinct().toLocalIterator())
        if columns.file
        else [UNNAMED_FILE]
    )
    apart = (
        lines.repartition("file") if columns.file else lines.repartition(1)
    )  # what makes the frame stays on all cores
    ordered = apart.sortWithinPartitions(
        "file", *(f"key{number}" for number in range(len(keys))), "text"
    )
    read = ordered.select("file", "text").mapInArrow(
        _make_reading_function(work, tuple(names)), READ_COLUMNS
    )
    return [
        (name, LogFile(number, name, 0, False)) for number, name in enumerate(names)
    ], PlannedJob(read)


def _make_reading_function(
    work: ReadSettings, names: Sequence[str]
) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """Make the function that reads sorted partitions, where a file's lines stand together."""
    body, numbers = pack(work), {name: number for number, name in enumerate(names)}

    def read(batches: Iterator[Any]) -> Iterator[ReadRow]:
        reader = worker_reader(body)
        rows = (row for batch in batches for row in column_rows(batch, "file", "text"))
        for name, lines in groupby(rows, itemgetter(0)):
            with tempfile.TemporaryFile(prefix="statemachines-") as spool:
                _write_lines(spool, (line for _, line in lines))
                chunk = FileChunk(
                    LogFile(numbers[name], name, spool.tell(), False), 0, 0, spool.tell()
                )
                spool.seek(0)
                with open_log(spool, name=name) as log:
                    yield from open_chunk_rows(reader, chunk, whole_log_chunk(chunk, log))

    return make_arrow_function(READ_COLUMNS, read)


def _write_lines(spool: IO[bytes], lines: Iterator[bytes | None]) -> None:
    """Write lines, each with one line feed; a row without text is an empty line."""
    for line in lines:
        spool.write((line or b"").removesuffix(b"\n") + b"\n")
