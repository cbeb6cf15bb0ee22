"""The real classes of Kafka: the tests here run where Java is and all jars are cached, and say what is missing where not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from statemachines.conform.engines.spark.cluster.java import NoJava
from tests.kafka.jars import missing, releases


@pytest.fixture(scope="session")
def jvm() -> Iterator[object]:
    """One Java virtual machine for all tests."""
    lacking = missing(releases())
    if lacking:
        pytest.skip(
            f"{len(lacking)} jars of Kafka are not cached (1 GB in all): python -m tests.kafka.jars fetches them"
        )
    pytest.importorskip("py4j", reason="needs PySpark, which brings the bridge to Java")
    from tests.kafka.jvm import java, running

    try:
        java()
    except NoJava as problem:
        pytest.skip(str(problem))
    with running() as started:
        yield started


@pytest.fixture(autouse=True)
def errors_of_java(monkeypatch: pytest.MonkeyPatch) -> None:
    """Errors as the bridge tells them: a Spark that was started in this process before has put
    its own reading of them there, which asks for Spark's classes.
    """
    java_gateway = pytest.importorskip("py4j.java_gateway")
    protocol = pytest.importorskip("py4j.protocol")
    monkeypatch.setattr(java_gateway, "get_return_value", protocol.get_return_value)
