"""Log lines from a real broker: what a stream says of a topic is what a check says of the files that were sent to it.

Covers: statemachines.conform.engines.spark.streaming.stream_query.
"""

from __future__ import annotations

import random
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.doors import House
from tests.spark.jars import connector, jars_or_skip
from tests.spark.test_killed_streams import (
    assert_tables_are_those_of_a_check,
    finish,
    kill_within_a_trigger,
    some_day,
    start,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SETTINGS = """process.roles=broker,controller
node.id=1
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{vote}
advertised.listeners=PLAINTEXT://127.0.0.1:{port}
controller.listener.names=CONTROLLER
controller.quorum.voters=1@127.0.0.1:{vote}
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
num.partitions=2
broker.session.timeout.ms=120000
log.dirs={folder}
"""
"""Of one node, which on a busy machine is silent for some seconds and is not to be fenced for it."""


def free_port() -> int:
    """Return a port that nobody listens at."""
    with socket.socket() as some:
        some.bind(("127.0.0.1", 0))
        return int(some.getsockname()[1])


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A broker of one node, and its address."""
    path = ":".join(map(str, jars_or_skip("broker")))
    java, place = shutil.which("java"), tmp_path_factory.mktemp("broker")
    if java is None:
        pytest.skip("needs a Java")
    port = free_port()
    settings = place / "server.properties"
    told = SETTINGS.format(port=port, vote=free_port(), folder=place / "data")
    settings.write_text(told, "utf-8")
    command = [java, "-Xmx512m", "-cp", path]
    named = ["-t", "MkU3OEVBNTcwNTJENDM2Qg", "-c", str(settings)]
    subprocess.run([*command, "kafka.tools.StorageTool", "format", *named], check=True)
    with (place / "log").open("wb") as log:
        server = subprocess.Popen([*command, "kafka.Kafka", str(settings)], stdout=log, stderr=log)
    try:
        wait_for(port, server)
        yield f"127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(60)


def wait_for(port: int, server: subprocess.Popen[bytes]) -> None:
    """Wait until somebody answers at a port."""
    for _ in range(240):
        assert server.poll() is None, "the broker ended"
        with socket.socket() as some:
            if some.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.5)
    raise AssertionError("the broker does not answer")


@pytest.mark.kafka
@pytest.mark.spark
def test_lines_from_a_topic_are_judged_as_their_files_are(
    spark: SparkSession, broker: str, tmp_path: Path
) -> None:
    """Two hosts write a day; what judges it is killed in the middle of the morning."""
    House(tmp_path)
    chance, jars = random.Random(2), connector("topics")
    (tmp_path / "in").mkdir()
    logs = {name: some_day(chance, 160) for name in ("a.log", "b.log")}
    for part in (slice(100), slice(100, None)):
        rows = [f"{name}\t{text}" for name in logs for text in logs[name][part]]
        (tmp_path / "in" / "rows.tsv").write_text("\n".join(rows), "utf-8")
        process = start(tmp_path, jars, broker)
        kill_within_a_trigger(process, tmp_path, chance)
        assert finish(start(tmp_path, jars, broker)) == "done\n"
    assert_tables_are_those_of_a_check(spark, tmp_path, logs)
