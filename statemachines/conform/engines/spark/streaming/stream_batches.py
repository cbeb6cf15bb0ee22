"""What a trigger does on the driver: judge, write what changed, and write down that it was done."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from attrs import define, field, frozen

from statemachines.conform.checking import JudgingRequest
from statemachines.conform.engines.spark.cluster.spark_jobs import persist_on_disk
from statemachines.conform.engines.spark.stages.stage_rows import unpack
from statemachines.conform.engines.spark.streaming.batch_log import BatchLog, BatchRecord
from statemachines.conform.engines.spark.streaming.judged_stream import (
    JudgedStream,
    restored_stream,
)
from statemachines.conform.engines.spark.streaming.row_changes import (
    CHANGE_COLUMNS,
    TABLE_COLUMNS,
    RowChange,
)
from statemachines.conform.engines.spark.streaming.streamed_files import StreamedNews
from statemachines.conform.engines.spark.user_frames import rows_frame

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_FILE_FORMATS = frozenset({"parquet", "orc", "json", "avro"})
"""Formats that are folders of files: each trigger has one of its own, and writes it anew where it
is done again.
"""


@frozen
class ChangeTables:
    """Where the tables of a stream are written."""

    folder: str
    format: str = "parquet"
    options: Mapping[str, str] = field(factory=dict)
    """Those of Spark's writer."""

    def write(self, spark: SparkSession, batch: int, changes: Sequence[RowChange]) -> None:
        """Write what a trigger changed; the same trigger done again writes nothing twice.

        The first trigger writes all tables, empty ones too: who reads a table of which nothing is
        known yet gets one without rows.

        Limits: for a format that is no folder of files, that is up to the format: Delta knows a
            trigger again by `txnAppId` and `txnVersion`; elsewhere rows of a trigger that was done
            twice stand twice, with the same `batch` and `key`.
        """
        changed = {change.table for change in changes}
        for table in TABLE_COLUMNS:
            if batch and table not in changed:
                continue
            rows = [
                (change.change, change.key, *change.row)
                for change in changes
                if change.table == table
            ]
            frame = rows_frame(spark, f"{CHANGE_COLUMNS}, {TABLE_COLUMNS[table]}", rows)
            self._write_table(frame, f"{self.folder.rstrip('/')}/{table}", batch)

    def _write_table(self, frame: DataFrame, place: str, batch: int) -> None:
        from pyspark.sql import functions as F

        if self.format in _FILE_FORMATS:
            writer = frame.write.mode("overwrite")
            place = f"{place}/batch={batch}"
        else:
            once = {"txnAppId": f"statemachines {place}", "txnVersion": str(batch)}
            whole = frame.withColumn("batch", F.lit(batch).cast("bigint"))
            writer = whole.write.mode("append").options(**once)
        writer.format(self.format).options(**self.options).save(place)


@define
class StreamBatches:
    """Judges the triggers of a stream, each once; what `foreachBatch` calls."""

    request: JudgingRequest
    log: BatchLog
    tables: ChangeTables
    _known: JudgedStream | None = None
    _next: int = 0

    def __call__(self, frame: DataFrame, batch: int) -> None:
        """Do a trigger of Spark's."""
        news = _gathered_news(frame)
        self.judge(
            batch, news, lambda changes: self.tables.write(frame.sparkSession, batch, changes)
        )

    def judge(
        self, batch: int, news: Sequence[StreamedNews], write: Callable[[list[RowChange]], None]
    ) -> None:
        """Do a trigger: one that failed, or was killed, is done again from where it began.

        Args:
            batch: its number.
            news: what the workers learnt of each file; the same where it is done again.
            write: takes what changed, and replaces what it took for this trigger before.
        """
        stream, self._known = self._known_before(batch), None
        try:
            changes = stream.advance(news)
            write(changes)
            self.log.write(batch, BatchRecord.from_batch(news, changes))
        except BaseException:
            stream.__exit__()
            raise
        self._known, self._next = stream, batch + 1

    def close(self) -> None:
        """Let go of what is in memory and in temporary files; the next trigger begins with what was
        written down.
        """
        if self._known is not None:
            self._known.__exit__()
            self._known = None

    def _known_before(self, batch: int) -> JudgedStream:
        """Return what is known before a trigger: from memory, or as it was written down."""
        self.log.merge(batch)
        if self._known is not None and self._next <= batch:
            return self._known
        return restored_stream(self.request, self.log, batch)


def _gathered_news(frame: DataFrame) -> list[StreamedNews]:
    """Fetch what the workers learnt of each file."""
    persisted = persist_on_disk(frame)
    try:
        return join_news((row[0], bytes(row[1])) for row in persisted.toLocalIterator())
    finally:
        persisted.unpersist()


def join_news(rows: Iterable[tuple[str, bytes]]) -> list[StreamedNews]:
    """Put the pieces of what was learnt of each file together."""
    pieces: dict[str, list[Any]] = {}
    for file, body in rows:
        pieces.setdefault(file, []).append(unpack(body))
    joined = []
    for file, parts in pieces.items():
        ordered = sorted(parts, key=lambda part: part[0])
        settled = tuple(observation for _, some, _ in ordered for observation in some)
        reading = next(reading for *_, reading in ordered if reading is not None)
        joined.append(StreamedNews(file, settled, reading))
    return joined
