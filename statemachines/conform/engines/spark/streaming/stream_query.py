"""`stream`: logs that come without end, judged as they come."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Unpack, cast

from statemachines.conform.check_options import CheckOptions, JudgingOptions
from statemachines.conform.checking import JudgingRequest, make_request
from statemachines.conform.engines.inputs import is_remote
from statemachines.conform.engines.spark.cluster.sessions import SparkMissing
from statemachines.conform.engines.spark.cluster.shipping import ship
from statemachines.conform.engines.spark.frame_reading import UNNAMED_FILE, Columns, check_columns
from statemachines.conform.engines.spark.judging_jobs import (
    Paths,
    SparkLogs,
    as_paths,
    shuffle_tasks,
)
from statemachines.conform.engines.spark.stages.observing_stage import ReadSettings
from statemachines.conform.engines.spark.stages.stage_rows import NEWS_COLUMNS
from statemachines.conform.engines.spark.streaming.batch_log import BatchLog
from statemachines.conform.engines.spark.streaming.row_changes import TABLE_COLUMNS
from statemachines.conform.engines.spark.streaming.stream_batches import (
    ChangeTables,
    StreamBatches,
)
from statemachines.conform.engines.spark.streaming.streamed_files import StreamedFile, StreamedNews
from statemachines.conform.engines.state.reading_keys import reading_keys
from statemachines.conform.engines.state.value_forms import form_digest
from statemachines.model.diagnosis.call_options import refuses_unknown_options
from statemachines.model.diagnosis.suggestions import did_you_mean
from statemachines.model.extras import install_command

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

_STATE_STORE = "spark.sql.streaming.stateStore.providerClass"
_STATE_PARTS = "spark.sql.shuffle.partitions"
_ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
_ORDER_TYPES = {
    "timestamp": "unix_micros({0})",
    "date": "unix_date({0})",
    **dict.fromkeys(("tinyint", "smallint", "int", "bigint", "string", "double"), "{0}"),
}
"""Types of columns to order by, and what sorts as they do in Python."""


@refuses_unknown_options(*JudgingOptions.__annotations__)
def stream(
    spark: SparkSession,
    lines: SparkLogs,
    *,
    into: str | os.PathLike[str],
    checkpoint: str | os.PathLike[str],
    text: str = "value",
    order_by: Sequence[str] = (),
    file: str | None = None,
    time: str | None = None,
    lateness: float = 0,
    format: str = "parquet",
    write_options: Mapping[str, str] | None = None,
    trigger: Mapping[str, Any] | None = None,
    options: CheckOptions | None = None,
    **changed: Unpack[JudgingOptions],
) -> StreamingQuery:
    """Judge logs that come without end, and keep tables of what is known.

    After each trigger, and after any kill and restart, the tables hold what a check of all lines so
    far finds: `streamed` reads them.

    Args:
        spark: A session of Spark classic, 4.1 or newer.
        lines: A streaming frame with a row a line; or paths of files and folders, URLs of remote
            ones, whose files appear and grow (Spark 4.2 or newer).
        into: A folder or URL for the tables `findings`, `episodes` and `observations`.
        checkpoint: A folder or URL for what a restart needs; each stream has its own.
        text: The column with the lines.
        order_by: The column, or columns, that put the lines of a file in order.
        file: The column that names the file of a line; None: all are of one.
        time: The column with the time of a line, where lines may come late.
        lateness: For how many seconds of `time` a line may come after lines that stand behind it in
            its file; one that comes later is left out, and the file's problems say so.
        format: Of the tables, as Spark's writer names it.
        write_options: Further options of Spark's writer.
        trigger: Arguments of Spark's `trigger`, such as `{"processingTime": "10 seconds"}`.
        options: Those of `statemachines.check`; `engine`, `master` and `remote` say nothing here.
        changed: Options that change what is judged, by their names.

    Returns:
        The query, which runs; `stop` ends it.

    Raises:
        ValueError: The frame is no stream, or cannot be read in order; a path is not there.
        SpecError: No spec is left to judge by.
        CheckpointOutdated: The checkpoint was written by other specs, or by a version that keeps
            other values.
        SparkMissing: What only streams need is not installed.

    Limits: a line that is here already (the same order and text) counts once while it may still be
        told from others: as long as `lateness` says. For each file a megabyte is kept in the state
        store. The driver holds what `check --follow` holds, and asks the rules of systems over all
        steps of their parts at each trigger. Files below paths may only grow, and keep their names:
        one that is replaced ends the query. A line counts when its end is there, or nothing came
        for a minute; an archive likewise.
    """
    _refuse_old_spark()
    request = make_request((options or CheckOptions()).updated(**changed))
    columns, paths = Columns(text, order_by, file), as_paths(lines)
    if paths is None:
        rows = _line_rows(cast("DataFrame", lines), columns, time, lateness)
    else:
        columns = Columns("line", ("at",), "file")
        rows = _line_rows(_path_lines(spark, paths), columns, None, 0)
        lateness = 0
    log = BatchLog(os.fspath(checkpoint))
    log.refuse_other(checkpoint_keys(request))
    tables = ChangeTables(os.fspath(into), format, write_options or {})
    ship(spark)
    from statemachines.conform.engines.spark.streaming.file_processor import FileProcessor

    work = ReadSettings(request.plan, request.layouts)
    processor = FileProcessor(work, len(columns.order_by), int(lateness * 1000))
    read = rows.groupBy("file").transformWithState(processor, NEWS_COLUMNS, "Update", "None")
    writer = read.writeStream.outputMode("update").option(
        "checkpointLocation", os.fspath(checkpoint)
    )
    writer = writer.foreachBatch(StreamBatches(request, log, tables))
    with _stream_settings(spark):
        return (writer.trigger(**trigger) if trigger else writer).start()


def checkpoint_keys(request: JudgingRequest) -> dict[str, str]:
    """Return what a checkpoint depends on, by the name that a message has for it.

    Args:
        request: What a stream judges by.
    """
    form = form_digest(StreamedFile, StreamedNews, columns=TABLE_COLUMNS)
    keys = reading_keys(request.plan, request.layouts, request.catalogue_digest)
    return {**keys, "form of what is kept": form}


def streamed(
    spark: SparkSession, into: str | os.PathLike[str], table: str, *, format: str = "parquet"
) -> DataFrame:
    """Return a table of a stream as it is now: the rows that hold, each once.

    Args:
        spark: Any session.
        into: As for `stream`.
        table: `findings`, `episodes` or `observations`.
        format: As for `stream`.

    Returns:
        The columns of the table, with `batch`, the trigger that said so last, `change` and `key`.

    Raises:
        ValueError: There is no such table.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    if table not in TABLE_COLUMNS:
        raise ValueError(f"a stream has no table {table!r}; {did_you_mean(table, TABLE_COLUMNS)}")
    rows = spark.read.format(format).load(f"{os.fspath(into).rstrip('/')}/{table}")
    latest = Window.partitionBy("key").orderBy(F.desc("batch"))
    ranked = rows.withColumn("rank", F.row_number().over(latest))
    return ranked.where("rank = 1 AND change <> 'withdrawn'").drop("rank")


def _refuse_old_spark() -> None:
    """See that PySpark keeps states, and that what it keeps them with is there.

    Raises:
        SparkMissing: It does not.
    """
    from pyspark.sql import GroupedData

    if not hasattr(GroupedData, "transformWithState") or find_spec("google.protobuf") is None:
        raise SparkMissing(
            f"a stream needs PySpark 4.1 or newer, and protobuf: {install_command('stream')}"
        )


def _path_lines(spark: SparkSession, paths: Paths) -> DataFrame:
    """Return the lines below some paths as a streaming frame.

    Raises:
        SparkMissing: This PySpark cannot read them on.
        ValueError: One is not there.
    """
    if find_spec("pyspark.sql.streaming.datasource") is None:
        raise SparkMissing("a stream over paths needs PySpark 4.2 or newer: give it a frame")
    from statemachines.conform.engines.spark.streaming.growing_paths import refuse_other_paths
    from statemachines.conform.engines.spark.streaming.path_source import path_lines

    named = tuple(os.fspath(path) for path in paths)
    refuse_other_paths(named)
    local = (path if is_remote(path) else os.path.abspath(path) for path in named)
    return path_lines(spark, tuple(local))


def _line_rows(lines: DataFrame, columns: Columns, time: str | None, lateness: float) -> DataFrame:
    """Return the lines with the columns that are read of them.

    Raises:
        ValueError: They are no stream, or cannot be read in order.
    """
    from pyspark.sql import functions as F

    if not lines.isStreaming:
        raise ValueError("the frame is no stream: `check` judges it, or read it by `readStream`")
    check_columns(lines, columns)
    if lateness and time is None:
        raise ValueError("lines come late by their time: give time=, the column that has it")
    if time is not None and time not in lines.columns:
        raise ValueError(f"the frame has no column {time!r}; {did_you_mean(time, lines.columns)}")
    name = F.coalesce(F.col(columns.file).cast("string"), F.lit("")) if columns.file else None
    at_ms = F.unix_millis(F.col(time).cast("timestamp")) if time else F.lit(None).cast("bigint")
    return lines.select(
        (F.lit(UNNAMED_FILE) if name is None else name).alias("file"),
        *(_order_column(lines, name).alias(f"key{at}") for at, name in enumerate(columns.order_by)),
        F.col(columns.text).cast("binary").alias("text"),
        at_ms.alias("at_ms"),
    )


def _order_column(lines: DataFrame, name: str) -> Column:
    """Return what sorts as a column does.

    Raises:
        ValueError: It has a type of which nobody knows the order here.
    """
    from pyspark.sql import functions as F

    kind = lines.schema[name].dataType.simpleString()
    if kind not in _ORDER_TYPES:
        raise ValueError(
            f"lines cannot be ordered by {name!r}, a {kind}; use {', '.join(_ORDER_TYPES)}"
        )
    return F.expr(_ORDER_TYPES[kind].format(f"`{name}`"))


@contextmanager
def _stream_settings(spark: SparkSession) -> Iterator[None]:
    """Let a query that is started meanwhile keep its state in RocksDB, in no more parts than tasks
    are wanted; its checkpoint keeps their number.
    """
    wanted = {_STATE_STORE: _ROCKSDB, _STATE_PARTS: str(shuffle_tasks(spark))}
    before = {name: spark.conf.get(name, None) for name in wanted}
    for name, value in wanted.items():
        spark.conf.set(name, value)
    try:
        yield
    finally:
        for name, known in before.items():
            if known is None:
                spark.conf.unset(name)
            else:
                spark.conf.set(name, known)
