"""Files of a file system that the session knows and PyArrow does not: Spark's own sources list and
read them, with the session's settings and credentials.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from statemachines.conform.engines.spark.cluster.job_failures import JobFailed, failures_in_words
from statemachines.conform.engines.spark.frame_reading import read_in_order
from statemachines.conform.engines.spark.spark_engine import PlannedJob
from statemachines.conform.engines.spark.stages.file_chunks import CHUNK_BYTES, LogFile
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

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_PACKED = (".gz", ".bz2", ".zst", ".xz", ".lz4", ".snappy", ".deflate")
"""Ends of the names of files that Spark's source of text would unpack in its own way."""


def list_session_files(spark: SparkSession, url: str) -> list[tuple[str, int]]:
    """List the files that a URL names, with those in folders below it, sorted by their names.

    Args:
        spark: A session of Spark classic or Connect.
        url: Of any file system that the session knows; patterns are Spark's.

    Returns:
        The URL and the bytes of each.

    Raises:
        OSError: The session cannot list them; the message says why.
    """
    try:
        with failures_in_words():
            rows = _source(spark, "binaryFile").load(url).select("path", "length").collect()
    except JobFailed as problem:
        raise OSError(str(problem).removeprefix("the job on Spark failed: ")) from problem
    return sorted((row["path"], row["length"]) for row in rows)


def plan_session_files(
    spark: SparkSession, files: Sequence[LogFile], work: ReadSettings
) -> Iterator[PlannedJob]:
    """Plan the reading of files that the session gives: what fits into a worker's memory as it
    lies there, and each large file line by line, put in order again.

    Args:
        spark: The session that listed them.
        files: What to read.
        work: What tasks need to read lines.
    """
    large = [file for file in files if _is_large(file)]
    whole = [file for file in files if not _is_large(file)]
    if whole:
        frame = _source(spark, "binaryFile").option("ignoreMissingFiles", True)
        rows = frame.option("ignoreCorruptFiles", True).load([file.path for file in whole])
        numbered = {file.path: file for file in whole}
        read = rows.select("path", "content").mapInArrow(
            _make_whole_reading_function(work, numbered), READ_COLUMNS
        )
        yield PlannedJob(read, sum(file.size for file in whole))
    for file in large:
        yield PlannedJob(_read_lines(spark, file, work), file.size, only_file=file.number)


def _is_large(file: LogFile) -> bool:
    return file.size > CHUNK_BYTES and not file.path.endswith(_PACKED)


def _source(spark: SparkSession, name: str) -> Any:
    return spark.read.format(name).option("recursiveFileLookup", True)


def _read_lines(spark: SparkSession, file: LogFile, work: ReadSettings) -> DataFrame:
    """Read one file as lines, on all cores; where its parts begin puts them in order."""
    from pyspark.sql import functions as F

    lines = spark.read.option("lineSep", "\n").text(file.path)
    rows = lines.select(
        F.lit(file.path).alias("file"),
        F.col("_metadata.file_block_start").alias("key0"),
        F.monotonically_increasing_id().alias("key1"),
        F.col("value").cast("binary").alias("text"),
    )
    return read_in_order(rows.repartition(1), 2, {file.path: file.number}, work)


def _make_whole_reading_function(
    work: ReadSettings, files: Mapping[str, LogFile]
) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """Make the function that reads files that are given as a whole."""
    body = pack(work)

    def read(batches: Iterator[Any]) -> Iterator[ReadRow]:
        reader = worker_reader(body)
        for batch in batches:
            for path, content in column_rows(batch, "path", "content"):
                if path in files:
                    yield from spooled_file_rows(reader, files[path], [content])

    return make_arrow_function(READ_COLUMNS, read)
