"""The jars that tests of Spark with other systems need, in the user's cache: `python -m tests.spark.jars` fetches them with Maven."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from statemachines.conform.engines.spark.cluster.java import cache_folder

CONNECTOR = "org.apache.spark:spark-sql-kafka-0-10_2.13"
POM = """<project><modelVersion>4.0.0</modelVersion><groupId>fetch</groupId><artifactId>jars</artifactId><version>1</version>
<packaging>pom</packaging><dependencies>{}</dependencies></project>"""
DEPENDENCY = (
    "<dependency><groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version></dependency>"
)
COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies"
WANTED = {
    "broker": ("org.apache.kafka:kafka_2.13:4.0.0",),
    "topics": (f"{CONNECTOR}:4.2.0",),
    "delta": ("io.delta:delta-spark_4.2_2.13:4.4.0",),
}
"""By folder: a broker, and Spark's connectors."""
IN_SPARK = ("hadoop-", "scala-", "slf4j-", "jsr305", "lz4-", "snappy-", "spark-tags", "antlr4-")
"""Of what a connector needs, what Spark itself brings."""


def folder(name: str) -> Path:
    """Return where the jars of a name lie."""
    return cache_folder(os.environ) / "spark-jars" / name


def jars_or_skip(name: str) -> list[Path]:
    """Return the jars of a name; where they are not cached, the test is skipped."""
    found = sorted(folder(name).glob("*.jar"))
    if not found:
        pytest.skip("needs jars in the cache: python -m tests.spark.jars")
    return found


def connector(name: str) -> str:
    """Return the jars of a connector, as `spark.jars` names them."""
    return ",".join(str(jar) for jar in jars_or_skip(name) if not jar.name.startswith(IN_SPARK))


def fetch(name: str) -> None:
    """Bring jars, and what they need, into the cache.

    Raises:
        subprocess.CalledProcessError: Maven could not have one of them.
    """
    with tempfile.TemporaryDirectory() as place:
        pom = Path(place) / "pom.xml"
        wanted = (DEPENDENCY.format(*jar.split(":")) for jar in WANTED[name])
        pom.write_text(POM.format("".join(wanted)))
        told = f"-DoutputDirectory={folder(name)}"
        subprocess.run(["mvn", "-B", "-q", "-f", str(pom), COPY, told], check=True)


if __name__ == "__main__":
    for wanted in sys.argv[1:] or WANTED:
        fetch(wanted)
        print(f"{wanted}: {len([*folder(wanted).glob('*.jar')])} jars in {folder(wanted)}")
