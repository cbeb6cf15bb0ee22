"""The first stage over a frame of the user's: rows of text, put in order and read as files are."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import IO, TYPE_CHECKING, Any

from attrs import frozen

from statemachines.conform.spark.engine import Planned
from statemachines.conform.spark.observing import Row, ToRead, kit_of, window_rows
from statemachines.conform.spark.pieces import LogFile, Piece
from statemachines.conform.spark.rows import READ, mapped, packed, values
from statemachines.conform.spark.windows import of_log
from statemachines.logs import open_log
from statemachines.model.suggestions import did_you_mean

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

WITHOUT_FILES = "frame"
"""What a frame is called in reports that has no column for files."""


@frozen
class Columns:
    """Which columns of a frame tell what."""

    text: str = "value"
    """One line each, or several; as text or as bytes."""
    order_by: tuple[str, ...] = ()
    """What puts the lines of a file in order: an offset, a line number; a time alone leaves the lines of a millisecond in disorder."""
    file: str | None = None
    """Names the file that a line is from; None: all are of one."""


def check_columns(frame: DataFrame, columns: Columns) -> None:
    """See that a frame can be read in order.

    Raises:
        ValueError: There is nothing to order by, or a column is missing.
    """
    if not columns.order_by:
        raise ValueError(
            "the rows of a frame have no order of their own, and a life cycle is nothing but order: "
            f"give order_by=, columns that put the lines of a file in order; there are {', '.join(frame.columns)}"
        )
    for name in (columns.text, *columns.order_by, *([columns.file] if columns.file else [])):
        if name not in frame.columns:
            raise ValueError(f"the frame has no column {name!r}; {did_you_mean(name, frame.columns)}")


def planned_frame(frame: DataFrame, columns: Columns, work: ToRead) -> tuple[list[tuple[str, LogFile]], Planned]:
    """Plan the reading of a frame.

    Args:
        frame: At least the columns named, one row a line.
        columns: What they tell.
        work: What tasks need to read lines.

    Returns:
        The files that the frame names, sorted, and the job that reads them: each by one task, as a stream.
    """
    from pyspark.sql import functions as F

    name = F.coalesce(F.col(columns.file).cast("string"), F.lit("")) if columns.file else F.lit(WITHOUT_FILES)
    keys = [F.col(column).alias(f"key{number}") for number, column in enumerate(columns.order_by)]
    lines = frame.select(name.alias("file"), *keys, F.col(columns.text).cast("binary").alias("text"))
    names = sorted(row[0] for row in lines.select("file").distinct().toLocalIterator()) if columns.file else [WITHOUT_FILES]
    apart = lines.repartition("file") if columns.file else lines.repartition(1)  # what makes the frame stays on all cores
    ordered = apart.sortWithinPartitions("file", *(f"key{number}" for number in range(len(keys))), "text")
    read = ordered.select("file", "text").mapInArrow(_reading(work, tuple(names)), READ)
    return [(name, LogFile(number, name, 0, False)) for number, name in enumerate(names)], Planned(read)


def _reading(work: ToRead, names: Sequence[str]) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """Make the function that reads sorted partitions, in which the lines of a file stand together."""
    body, numbers = packed(work), {name: number for number, name in enumerate(names)}

    def read(batches: Iterator[Any]) -> Iterator[Row]:
        kit = kit_of(body)
        rows = (row for batch in batches for row in values(batch, "file", "text"))
        for name, lines in groupby(rows, itemgetter(0)):
            with tempfile.TemporaryFile(prefix="statemachines-") as spool:
                _write(spool, (line for _, line in lines))
                piece = Piece(LogFile(numbers[name], name, spool.tell(), False), 0, 0, spool.tell())
                spool.seek(0)
                with open_log(spool, name=name) as log:
                    yield from window_rows(kit, piece, of_log(piece, log))

    return mapped(READ, read)


def _write(spool: IO[bytes], lines: Iterator[bytes | None]) -> None:
    """Write lines, each with one line feed; a row without text is an empty line."""
    for line in lines:
        spool.write((line or b"").removesuffix(b"\n") + b"\n")
