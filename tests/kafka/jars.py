"""The jars of Kafka's releases, by Maven coordinates, in the user's cache: `python -m tests.kafka.jars [RELEASE …]` fetches what is missing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from attrs import frozen

from statemachines.conform.engines.spark.cluster.java import cache_folder
from tests.shipped import shipped

PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy"
POM = """<project><modelVersion>4.0.0</modelVersion><groupId>fetch</groupId><artifactId>jars</artifactId><version>1</version>
<packaging>pom</packaging><build><plugins><plugin><groupId>org.apache.maven.plugins</groupId>
<artifactId>maven-dependency-plugin</artifactId><version>3.6.1</version><configuration><outputDirectory>{out}</outputDirectory>
<artifactItems>{items}</artifactItems></configuration></plugin></plugins></build></project>"""
ITEM = "<artifactItem><groupId>{0.group}</groupId><artifactId>{0.artifact}</artifactId><version>{0.version}</version></artifactItem>"
NAMES_THAT_MEAN_ANOTHER = {"0.8.1.0"}
"""Listed as a release because its lines say so; the jar is that of 0.8.1."""


@frozen
class Jar:
    """A jar by its Maven coordinates."""

    group: str
    artifact: str
    version: str

    @property
    def path(self) -> Path:
        """Where it lies in the cache, which is laid out as a Maven repository."""
        return (
            repository()
            / self.group.replace(".", "/")
            / self.artifact
            / self.version
            / f"{self.artifact}-{self.version}.jar"
        )


SCALA = {"2.10": "2.10.7", "2.11": "2.11.12", "2.13": "2.13.16"}
MOCKITO = (
    Jar("org.mockito", "mockito-core", "5.20.0"),
    Jar("net.bytebuddy", "byte-buddy", "1.17.7"),
    Jar("net.bytebuddy", "byte-buddy-agent", "1.17.7"),
    Jar("org.objenesis", "objenesis", "3.3"),
)
"""Stubs of tasks."""
COMMON = (
    Jar("org.slf4j", "slf4j-api", "1.7.36"),
    Jar("org.slf4j", "slf4j-nop", "1.7.36"),
    Jar("log4j", "log4j", "1.2.17"),
    Jar("org.apache.logging.log4j", "log4j-api", "2.24.3"),
    Jar("org.apache.logging.log4j", "log4j-core", "2.24.3"),
    Jar("com.yammer.metrics", "metrics-core", "2.2.0"),
    Jar("commons-validator", "commons-validator", "1.7"),
)
"""What Kafka's classes need to be loaded, whatever the release."""


def repository() -> Path:
    """Return the folder of the cached jars."""
    return cache_folder(os.environ) / "kafka-jars"


@cache
def releases() -> tuple[str, ...]:
    """Return every release of the family that has jars, oldest first."""
    told = {
        release
        for name in ("PartitionStateMachine", "ConsumerGroup")
        for release in shipped(f"kafka/{name}").releases
    }
    return tuple(sorted(told - NAMES_THAT_MEAN_ANOTHER, key=number))


def number(release: str) -> tuple[int, ...]:
    """Return a release's number as one that compares; its place in the family is another matter (0.10.2.2 is younger than 0.11.0.0)."""
    return tuple(int(part) for part in release.split("."))


def scala_of(release: str) -> str:
    """Return the version of Scala whose build of the broker is taken."""
    if number(release) < (0, 8, 2):
        return "2.10"
    return "2.11" if number(release) < (2, 4) else "2.13"


def jars_of(release: str) -> tuple[Jar, ...]:
    """Return what is loaded together for one release: Kafka's own jars, and what they need."""
    scala, told = scala_of(release), number(release)
    own = [Jar("org.apache.kafka", f"kafka_{scala}", release)]
    own += [
        Jar("org.apache.kafka", artifact, release) for since, artifact in ARTIFACTS if told >= since
    ]
    logging = [
        Jar("com.typesafe.scala-logging", f"scala-logging_{scala}", version)
        for version in LOGGING.get(scala, ())
    ]
    own += ZOOKEEPER if told < (0, 11) else ()
    return (*own, Jar("org.scala-lang", "scala-library", SCALA[scala]), *logging, *COMMON, *MOCKITO)


ARTIFACTS = (
    ((0, 8, 2), "kafka-clients"),
    ((0, 10, 0), "kafka-streams"),
    ((2, 8), "connect-runtime"),
    ((3, 0), "kafka-server-common"),
    ((3, 2), "kafka-metadata"),
    ((3, 5), "kafka-group-coordinator"),
    ((3, 8), "kafka-group-coordinator-api"),
    ((3, 9), "kafka-server"),
    ((3, 9), "kafka-transaction-coordinator"),
    ((4, 0), "kafka-coordinator-common"),
)
"""Kafka's jars beside the broker's, and the first release that has each."""
ZOOKEEPER = (
    Jar("com.101tec", "zkclient", "0.10"),
    Jar("org.apache.zookeeper", "zookeeper", "3.4.14"),
)
"""What the controller of those releases has fields of; nothing is connected."""
LOGGING = {"2.11": ("3.9.0",), "2.13": ("3.9.5",)}


def missing(wanted: Iterable[str]) -> tuple[Jar, ...]:
    """Return the jars of some releases that the cache lacks."""
    return tuple(
        jar
        for jar in dict.fromkeys(jar for release in wanted for jar in jars_of(release))
        if not jar.path.is_file()
    )


def fetch(jars: Sequence[Jar]) -> None:
    """Bring jars into the cache with Maven, as it is set up on this machine.

    Raises:
        FileNotFoundError: There is no `mvn`.
        subprocess.CalledProcessError: Maven could not have one of them; its output was shown.
    """
    with tempfile.TemporaryDirectory() as folder:
        pom = Path(folder) / "pom.xml"
        pom.write_text(POM.format(out=f"{folder}/out", items="".join(map(ITEM.format, jars))))
        subprocess.run(
            ["mvn", "-B", "-q", "-f", str(pom), f"-Dmaven.repo.local={repository()}", PLUGIN],
            check=True,
        )


def main(wanted: Sequence[str]) -> int:
    """Fetch what is missing for some releases, by default for all."""
    if shutil.which("mvn") is None:
        print("needs mvn (Apache Maven) on the PATH", file=sys.stderr)
        return 2
    began, lacking = time.monotonic(), missing(wanted or releases())
    if lacking:
        fetch(lacking)
    size = sum(jar.path.stat().st_size for jar in lacking)
    print(
        f"{len(lacking)} jars fetched, {size / 1e6:.0f} MB, in {time.monotonic() - began:.0f} s, into {repository()}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
