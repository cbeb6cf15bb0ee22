"""One Spark application, and one cluster, for all tests: starting one costs as much as a hundred small checks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.spark.cluster import bare_python, standalone_cluster

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


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The URL of a cluster with two workers, and a Python for them that has nothing of ours."""
    pytest.importorskip("pyspark", reason="needs the extra 'spark'")
    place = tmp_path_factory.mktemp("cluster")
    python = bare_python(place / "bare")
    with standalone_cluster(place, python) as master:
        yield master, python
