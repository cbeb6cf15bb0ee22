"""A source of Spark's: the lines of files that appear and grow below some paths."""

from __future__ import annotations

import json
from collections.abc import Iterator, MutableMapping, Sequence
from typing import TYPE_CHECKING, Any

from attrs import frozen
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import (
    ReadLimit,
    ReadMaxBytes,
    SupportsTriggerAvailableNow,
)

from statemachines.conform.engines.spark.cluster.shipping import ship
from statemachines.conform.engines.spark.stages.stage_rows import arrow_batches
from statemachines.conform.engines.spark.streaming.growing_paths import ByteRange, GrowingPaths

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_LINE_COLUMNS = "file string, at bigint, line binary"
_BYTES_AT_ONCE = 256 << 20
"""Of all files in one trigger."""
_TASKS = 32
"""In one trigger at most."""


def path_lines(spark: SparkSession, paths: tuple[str, ...]) -> DataFrame:
    """Return the lines of what is below some paths, now and later, as a streaming frame.

    Args:
        spark: A session of Spark 4.2 or newer.
        paths: Files and folders, URLs of those that PyArrow knows.
    """
    ship(spark)
    spark.dataSource.register(LogPaths)
    reader = spark.readStream.format(LogPaths.name())
    return reader.option("paths", json.dumps(paths)).load()


class LogPaths(DataSource):
    """The lines of the files below some paths: one row a line."""

    def __init__(self, options: MutableMapping[str, str]) -> None:
        """Take the option `paths`, a list in JSON."""
        self.options = options

    @classmethod
    def name(cls) -> str:
        """Return what a session calls it."""
        return "statemachines_log_paths"

    def schema(self) -> str:
        """Return its columns."""
        return _LINE_COLUMNS

    def streamReader(self, schema: Any) -> LogPathReader:
        """Return what reads it."""
        return LogPathReader(GrowingPaths(tuple(json.loads(self.options["paths"]))))


@frozen
class _Ranges(InputPartition):
    """What one task reads."""

    ranges: Sequence[ByteRange]


class LogPathReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Reads files on from where the trigger before ended; Spark's checkpoint keeps where."""

    def __init__(self, paths: GrowingPaths) -> None:
        """Take the paths."""
        self._paths = paths
        self._last: dict[str, int] | None = None
        """Where a query ends that reads what is there."""

    def initialOffset(self) -> dict[str, int]:
        """Return that nothing was read."""
        return {}

    def getDefaultReadLimit(self) -> ReadLimit:
        """Return how much is read at once."""
        return ReadMaxBytes(_BYTES_AT_ONCE)

    def prepareForTriggerAvailableNow(self) -> None:
        """Note what is there."""
        self._last = self._paths.ends({})

    def latestOffset(self, start: dict[str, int], limit: ReadLimit) -> dict[str, int]:
        """Return how far all files can be read."""
        most = limit.max_bytes if isinstance(limit, ReadMaxBytes) else None
        ends = self._paths.ends(start, most)
        if self._last is None:
            return ends
        bounded = {name: min(end, self._last.get(name, 0)) for name, end in ends.items()}
        return {name: max(end, start.get(name, 0)) for name, end in bounded.items() if end}

    def partitions(self, start: dict[str, int], end: dict[str, int]) -> Sequence[InputPartition]:
        """Divide what came among the tasks."""
        ranges = self._paths.ranges(start, end)
        count = min(_TASKS, len(ranges))
        return [_Ranges(ranges[number::count]) for number in range(count)]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        """Read what one task reads."""
        assert isinstance(partition, _Ranges)
        lines = (line for some in partition.ranges for line in some.lines())
        return arrow_batches(_LINE_COLUMNS, lines)
