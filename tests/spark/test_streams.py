"""Structured Streaming: a query over lines that come without end, killed and started again.

Covers: statemachines.conform.engines.spark.streaming.file_processor,
statemachines.conform.engines.spark.streaming.stream_batches,
statemachines.conform.engines.spark.streaming.stream_query.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from statemachines.conform.check_options import CheckOptions
from statemachines.conform.engines.spark.streaming import stream_query
from statemachines.conform.engines.spark.streaming.row_changes import report_rows
from statemachines.conform.engines.spark.streaming.stream_batches import ChangeTables
from statemachines.conform.spark import CheckpointOutdated, stream, streamed
from tests.doors import House, lines
from tests.spark.same import here, run_to_end

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

DAY = lines(
    "Door d hung into its frame", "Door d goes from CLOSED to OPEN", "Door d goes from OPEN to JAMMED",
    "Door e stands LOCKED", "Door e goes from LOCKED to GONE", "Door d goes from OPEN to CLOSED",
    "Door e goes from GONE to OPEN", "Door d goes from CLOSED to JAMMED",
)  # fmt: skip


class Source:
    """A folder that a stream reads: each file of it is rows of one moment."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.count = folder, 0
        folder.mkdir()

    def write(self, name: str, numbered: Sequence[tuple[int, str]]) -> None:
        """Let rows come; a file is seen as a whole."""
        rows = [json.dumps({"host": name, "at": at, "line": text}) for at, text in numbered]
        draft = self.folder.parent / "draft"
        draft.write_text("\n".join(rows), "utf-8")
        draft.rename(self.folder / f"{self.count}.json")
        self.count += 1


def started(spark: SparkSession, place: Path, **options: Any) -> Any:
    """Start a query that reads what is there and ends."""
    frame = spark.readStream.schema("host string, at bigint, line string").json(str(place / "in"))
    return stream(
        spark,
        frame,
        into=place / "tables",
        checkpoint=place / "checkpoint",
        text="line",
        order_by=["at"],
        file="host",
        trigger={"availableNow": True},
        **options,
    )


def test_a_stream_that_is_killed_says_what_a_check_says(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cut into triggers, failed within one, started again: nothing is lost, nothing said twice."""
    house = House(tmp_path)
    source = Source(tmp_path / "in")
    numbered = list(enumerate(DAY))
    write, failures = ChangeTables.write, []

    def fails_once(tables: ChangeTables, *rest: Any) -> None:
        write(tables, *rest)
        if not failures:
            failures.append(rest)
            raise OSError("the disk is gone")

    source.write("a.log", numbered[:3])
    source.write("b.log", numbered[3:4])
    monkeypatch.setattr(stream_query.ChangeTables, "write", fails_once)
    with pytest.raises(Exception, match="the disk is gone"):
        run_to_end(lambda: started(spark, tmp_path, specs=[house.spec]))
    run_to_end(lambda: started(spark, tmp_path, specs=[house.spec]))
    assert (
        streamed(spark, tmp_path / "tables", "findings").collect() == []
    )  # a table, if an empty one
    opened = streamed(spark, tmp_path / "tables", "episodes").collect()
    assert [(row.change, row.title) for row in opened] == [("opened", "door d is jammed")]
    source.write("a.log", [*numbered[5:6], *numbered[7:], *numbered[2:3]])
    source.write("b.log", [numbered[6], numbered[4]])
    run_to_end(lambda: started(spark, tmp_path, specs=[house.spec]))
    logs = tmp_path / "logs"
    logs.mkdir()
    for name, texts in (("a.log", [*DAY[:3], DAY[5], DAY[7]]), ("b.log", [DAY[3], DAY[4], DAY[6]])):
        (logs / name).write_text("".join(f"{text}\n" for text in texts), "utf-8")
    for table, rows in report_rows(here([logs], specs=[house.spec])).items():
        kept = streamed(spark, tmp_path / "tables", table).collect()
        assert sorted(row.key for row in kept) == sorted(rows), table
        assert rows, table
    told = streamed(spark, tmp_path / "tables", "observations").orderBy("file", "line").collect()
    assert [row.text for row in told if row.file == "a.log"] == [*DAY[:3], DAY[5], DAY[7]]
    assert told[0].instance == {"door": "d"}
    with pytest.raises(CheckpointOutdated, match="other specs"):
        started(spark, tmp_path, options=CheckOptions(specs=["kafka/StreamThread"]))


def test_what_is_no_stream_in_order_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    """The sentence names what to do."""
    frame = spark.createDataFrame([("a", 1)], "value string, at int")
    with pytest.raises(ValueError, match="is no stream: `check` judges it"):
        stream(spark, frame, into=tmp_path, checkpoint=tmp_path)
    Source(tmp_path / "in")
    frame = spark.readStream.schema("value string, at decimal(9, 2)").json(str(tmp_path / "in"))
    with pytest.raises(ValueError, match="give order_by="):
        stream(spark, frame, into=tmp_path, checkpoint=tmp_path)
    with pytest.raises(ValueError, match=r"cannot be ordered by 'at', a decimal\(9,2\)"):
        stream(spark, frame, into=tmp_path, checkpoint=tmp_path, order_by=["at"])
    with pytest.raises(ValueError, match="give time="):
        stream(spark, frame, into=tmp_path, checkpoint=tmp_path, order_by=["value"], lateness=3)
    with pytest.raises(ValueError, match="a stream has no table 'finding'"):
        streamed(spark, tmp_path, "finding")
