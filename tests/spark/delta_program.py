"""A program that keeps what a check and a stream say in Delta tables: `python -m tests.spark.delta_program FOLDER JARS`."""

from __future__ import annotations

import sys
from pathlib import Path

from statemachines.conform.spark import episodes, findings, observations, session, stream, streamed
from tests.spark.same import run_to_end
from tests.spark.streaming_program import folder_rows

SETTINGS = {
    "spark.master": "local[2]",
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
}
ILL = """SELECT kind, count(*) AS times FROM delta.`{}`
WHERE timestamp_millis(since_ms) >= timestamp '2026-01-01' GROUP BY kind ORDER BY kind"""


def main(place: Path, jars: str) -> None:
    """Write the tables, and print what they hold."""
    spark = session(settings={**SETTINGS, "spark.jars": jars})
    spec = place / "specs" / "house" / "Door.yaml"
    for make in (episodes, findings, observations):
        table = place / make.__name__
        make(spark, place / "logs", specs=[spec]).write.format("delta").save(str(table))
        print(make.__name__, spark.read.format("delta").load(str(table)).count())
    for row in spark.sql(ILL.format(place / "episodes")).collect():
        print(row.kind, row.times)
    run_to_end(
        lambda: stream(
            spark,
            folder_rows(spark, place),
            into=place / "tables",
            checkpoint=place / "checkpoint",
            format="delta",
            text="line",
            order_by=["at"],
            file="host",
            trigger={"availableNow": True},
            specs=[spec],
        )
    )
    for name in ("episodes", "findings", "observations"):
        print("streamed", name, streamed(spark, place / "tables", name, format="delta").count())
    spark.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
