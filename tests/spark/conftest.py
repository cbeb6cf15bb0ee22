"""One Spark application for all tests: starting one costs as much as a hundred small checks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """An embedded Spark with two cores."""
    pytest.importorskip("pyspark", reason="needs the extra 'spark'")
    from statemachines.conform.spark import session

    started = session(settings={"spark.master": "local[2]"})
    yield started
    started.stop()
