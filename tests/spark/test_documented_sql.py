"""The question in SQL that the page on clusters shows is run as it stands there.

Covers: statemachines.conform.engines.spark.stages.stage_rows.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from statemachines.conform.engines.spark.stages.stage_rows import EPISODE_COLUMNS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PAGE = Path(__file__).parents[2] / "docs" / "on-a-cluster.md"
HOUR = 3_600_000


@pytest.mark.spark
def test_which_clusters_were_ill_last_month(spark: SparkSession) -> None:
    """What began before the month, or is open still, counts for its part of it."""
    blocks: list[str] = re.findall(r"```sql\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    (query,) = blocks
    this, last = (
        spark.sql(f"SELECT unix_millis(date_trunc('month', now()) - INTERVAL {ago} MONTH)").collect()[0][0]
        for ago in (0, 1)
    )  # fmt: skip
    columns = "cluster string, kind string, since_ms bigint, until_ms bigint, orderly boolean"
    assert {column.split()[0] for column in EPISODE_COLUMNS.split(", ")} > {
        "kind", "since_ms", "until_ms", "orderly",
    }  # fmt: skip
    rows = [
        ("east", "fenced", last - HOUR, last + HOUR, False),
        ("east", "fenced", last + 2 * HOUR, last + 3 * HOUR, False),
        ("west", "fenced", this - HOUR, None, False),
        ("west", "stopped", last + HOUR, last + 2 * HOUR, True),
        ("west", "late", this + HOUR, None, False),
        ("west", "early", last - 2 * HOUR, last - HOUR, False),
    ]
    spark.createDataFrame(rows, columns).createOrReplaceTempView("episodes")
    found = [tuple(row) for row in spark.sql(query).collect()]
    assert found == [("east", "fenced", 2, 120.0), ("west", "fenced", 1, 60.0)]
