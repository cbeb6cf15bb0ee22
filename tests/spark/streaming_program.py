"""A program that judges a stream until nothing is left to read, to be killed: `python -m tests.spark.streaming_program FOLDER [JARS SERVERS]`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from statemachines.conform.spark import session, stream
from tests.spark.same import run_to_end

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

TOPIC = "logs"


def folder_rows(spark: SparkSession, place: Path) -> DataFrame:
    """Rows of `in/*.json` below a folder, one file in each trigger."""
    reader = spark.readStream.schema("host string, at bigint, line string")
    return reader.option("maxFilesPerTrigger", 1).json(str(place / "in"))


def topic_rows(spark: SparkSession, servers: str) -> DataFrame:
    """Rows of a topic, as docs/on-a-cluster.md reads it; few in each trigger."""
    records = (
        spark.readStream.format("kafka")
        .option("kafka.bootstrap.servers", servers)
        .option("subscribe", TOPIC)
        .option("startingOffsets", "earliest")
        .option("maxOffsetsPerTrigger", 40)
        .load()
    )
    return records.selectExpr(
        "CAST(key AS STRING) AS host", "CAST(value AS STRING) AS line", "offset AS at"
    )


def write_topic(spark: SparkSession, servers: str, rows: list[tuple[str, str]]) -> None:
    """Let lines come, each with its host as its key, in their order."""
    frame = spark.createDataFrame(rows, "key string, value string").coalesce(1)
    kafka = frame.write.format("kafka").option("kafka.bootstrap.servers", servers)
    kafka.option("topic", TOPIC).option("kafka.delivery.timeout.ms", 900_000).save()


def main(place: Path, jars: str = "", servers: str = "") -> None:
    """Judge what is there and what was not judged yet, and end."""
    settings = {"spark.master": "local[2]", "spark.sql.shuffle.partitions": "2"}
    spark = session(settings={**settings, "spark.jars": jars})
    if servers:
        for name in sorted((place / "in").glob("*.tsv")):
            rows = [line.split("\t", 1) for line in name.read_text("utf-8").splitlines()]
            write_topic(spark, servers, [(row[0], row[1]) for row in rows])
            name.unlink()
    frame = topic_rows(spark, servers) if servers else folder_rows(spark, place)
    print("streaming", flush=True)
    run_to_end(
        lambda: stream(
            spark,
            frame,
            into=place / "tables",
            checkpoint=place / "checkpoint",
            text="line",
            order_by=["at"],
            file="host",
            trigger={"availableNow": True},
            specs=[place / "specs" / "house" / "Door.yaml"],
        )
    )
    spark.stop()
    print("done", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
