"""The first stage over a frame of the user's: rows of text, put in order and read as files are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from statemachines.conform.engines.spark.spark_engine import PlannedJob
from statemachines.conform.engines.spark.stages.file_chunks import LogFile
from statemachines.conform.engines.spark.stages.observing_stage import (
    ReadRow,
    ReadSettings,
    spooled_file_rows,
    worker_reader,
)
from statemachines.conform.engines.spark.stages.stage_rows import (
    READ_COLUMNS,
    column_rows,
    make_arrow_function,
    pack,
)
from statemachines.model.diagnosis.suggestions import did_you_mean

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

UNNAMED_FILE = "frame"
"""What a frame is called in reports that has no column for files."""


def _column_names(order_by: Sequence[str]) -> tuple[str, ...]:
    """Return the names of some columns, or of one."""
    return (order_by,) if isinstance(order_by, str) else tuple(order_by)


@frozen
class Columns:
    """Which columns of a frame tell what."""

    text: str = "value"
    """One line each, or several; as text or as bytes."""
    order_by: tuple[str, ...] = field(default=(), converter=_column_names)
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
    frame: DataFrame, columns: Columns, work: ReadSettings, tasks: int
) -> tuple[list[tuple[str, LogFile]], PlannedJob]:
    """Plan the reading of a frame.

    Args:
        frame: At least the columns named, one row a line.
        columns: What they tell.
        work: What tasks need to read lines.
        tasks: How many read at most; each costs as much as a small log.

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
    # what makes the frame stays on all cores; twice as many, for names fall together
    apart = lines.repartition(max(1, min(2 * len(names), tasks)), "file")
    numbers = {name: number for number, name in enumerate(names)}
    read = read_in_order(apart, len(keys), numbers, work)
    return [
        (name, LogFile(number, name, 0, False)) for number, name in enumerate(names)
    ], PlannedJob(read)


def read_in_order(
    lines: DataFrame, keys: int, numbers: Mapping[str, int], work: ReadSettings
) -> DataFrame:
    """Put lines in order, and read them.

    Args:
        lines: Columns `file`, `key0`, `key1`, … and `text`, those of a file in one partition.
        keys: How many columns put them in order.
        numbers: Of the files.
        work: What tasks need to read lines.

    Returns:
        Rows as `READ_COLUMNS` says.
    """
    ordered = lines.sortWithinPartitions("file", *(f"key{at}" for at in range(keys)), "text")
    return ordered.select("file", "text").mapInArrow(
        _make_reading_function(work, numbers), READ_COLUMNS
    )


def _make_reading_function(
    work: ReadSettings, numbers: Mapping[str, int]
) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """Make the function that reads sorted partitions, where a file's lines stand together."""
    body = pack(work)

    def read(batches: Iterator[Any]) -> Iterator[ReadRow]:
        reader = worker_reader(body)
        rows = (row for batch in batches for row in column_rows(batch, "file", "text"))
        for name, lines in groupby(rows, itemgetter(0)):
            file = LogFile(numbers[name], name, 0, False)
            yield from spooled_file_rows(reader, file, map(_line_bytes, lines))

    return make_arrow_function(READ_COLUMNS, read)


def _line_bytes(row: tuple[str, bytes | None]) -> bytes:
    """Return a line with one line feed; a row without text is an empty line."""
    return (row[1] or b"").removesuffix(b"\n") + b"\n"
