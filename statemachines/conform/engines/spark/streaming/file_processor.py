"""On the workers of a stream: each file is read on from where the trigger before ended.

Spark keeps what is needed for that in its state store, by file.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any

from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import (
    StatefulProcessor,
    StatefulProcessorHandle,
    TimerValues,
)

from statemachines.conform.engines.spark.stages.observing_stage import ReadSettings, worker_reader
from statemachines.conform.engines.spark.stages.stage_rows import pack
from statemachines.conform.engines.spark.streaming.streamed_files import (
    StreamedFile,
    StreamedLine,
    StreamedNews,
    StreamedReader,
)

_OBSERVATIONS_AT_ONCE = 1000
"""So many are one row at most."""


class FileProcessor(StatefulProcessor):
    """Reads the files of a stream, with a state for each."""

    def __init__(self, work: ReadSettings, keys: int, lateness_ms: int) -> None:
        """Take what every worker needs.

        Args:
            work: plan and layouts.
            keys: how many columns put the lines of a file in order: `key0`, `key1`, …
            lateness_ms: for how long a line may come after those behind it.
        """
        # Spark broadcasts functions of a megabyte, and what starts a stream cannot read broadcasts
        self._work = zlib.compress(pack(work))
        self._keys, self._lateness_ms = keys, lateness_ms

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Take the state store."""
        self._state = handle.getValueState("file", "body binary")
        self._reader = StreamedReader(worker_reader(zlib.decompress(self._work)), self._lateness_ms)

    def handleInputRows(
        self,
        key: Any,
        rows: Iterator[Any],
        timerValues: TimerValues,
    ) -> Iterator[Row]:
        """Take the lines of a file."""
        known = self._state.get()
        file = StreamedFile.unpacked(known[0]) if known is not None else StreamedFile(key[0])
        news = file.take((self._line(row) for row in rows), self._reader)
        self._state.update((file.packed(),))
        return (Row(file=key[0], body=body) for body in news_bodies(news))

    def close(self) -> None:
        """Do nothing: Spark closes its store."""

    def _line(self, row: Any) -> StreamedLine:
        values = [row[f"key{number}"] for number in range(self._keys)]
        order = tuple((value is not None, 0 if value is None else value) for value in values)
        return StreamedLine(order, bytes(row["text"] or b""), row["at_ms"])


def news_bodies(news: StreamedNews) -> Iterator[bytes]:
    """Cut what a trigger learnt of a file into rows."""
    settled = news.settled
    for start in range(0, len(settled), _OBSERVATIONS_AT_ONCE):
        yield pack((start, settled[start : start + _OBSERVATIONS_AT_ONCE], None))
    yield pack((len(settled), (), news.reading))
