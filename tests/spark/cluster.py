"""A standalone Spark cluster on loopback: a master and two workers, whose Python has nothing of ours."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
import threading
import venv
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from statemachines.conform.engines.spark.cluster.java import java_environment

ROOT = Path(__file__).parent.parent.parent

WORKERS_HAVE = (
    "pyspark",
    "pyarrow",
    "pandas",
    "numpy",
    "py4j",
    "dateutil",
    "pytz",
    "tzdata",
    "six",
)
"""What a worker needs, with what these need: neither our package nor attrs nor PyYAML."""

LIBRARIES = ("numpy.libs", "pandas.libs", "pyarrow.libs")
"""Folders of shared libraries that some wheels put beside their package."""


def bare_python(folder: Path) -> Path:
    """Make a Python that has just what Spark's workers need, linked from this one's packages."""
    venv.create(folder, with_pip=False, symlinks=True)
    packages = next((folder / "lib").glob("python*")) / "site-packages"
    for name in WORKERS_HAVE:
        found = importlib.util.find_spec(name)
        assert found is not None, f"{name} is not installed"
        assert found.origin is not None
        path = Path(found.origin)
        target = path.parent if path.name == "__init__.py" else path
        (packages / target.name).symlink_to(target)
    for name in LIBRARIES:
        beside = Path(str(importlib.util.find_spec("numpy").origin)).parent.parent / name
        if beside.exists():
            (packages / name).symlink_to(beside)
    return folder / "bin" / "python"


@contextmanager
def standalone_cluster(
    folder: Path, python: Path, workers: int = 2, memory: str = "1g"
) -> Iterator[str]:
    """Run a master and its workers until the block ends; give the master's URL."""
    with ExitStack() as stack:
        master = _daemon(
            stack,
            python,
            ["master.Master", "--host", "127.0.0.1", "--port", "0", "--webui-port", "0"],
        )
        url = _wait_for(master, r"Starting Spark master at (spark://\S+)")
        for number in range(workers):
            place = [
                "--host",
                "127.0.0.1",
                "--webui-port",
                "0",
                "-c",
                "1",
                "-m",
                memory,
                "-d",
                str(folder / f"worker{number}"),
            ]
            _wait_for(
                _daemon(stack, python, ["worker.Worker", *place, url]),
                r"Successfully (registered) with master",
            )
        yield url


def _daemon(stack: ExitStack, python: Path, arguments: Sequence[str]) -> subprocess.Popen[str]:
    """Start a part of the cluster, to be ended with the stack."""
    import pyspark

    home = Path(pyspark.__file__).parent
    environment = {**os.environ, **java_of(os.environ)}
    environment |= {
        "PYSPARK_PYTHON": str(python),
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    environment.pop("PYTHONPATH", None)
    name, *rest = arguments
    process = subprocess.Popen(
        [str(home / "bin" / "spark-class"), f"org.apache.spark.deploy.{name}", *rest],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        cwd="/",
    )
    stack.callback(_end, process)
    return process


def java_of(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables with which Spark's scripts find a Java, that of the wheel where the machine has none."""
    changes = java_environment(environment)
    return {name: value or "" for name, value in changes.items()}


def _end(process: subprocess.Popen[str]) -> None:
    """End a daemon, and read what is left of its words."""
    process.terminate()
    process.wait()
    for thread in threading.enumerate():
        if thread.name == f"reads {process.pid}":
            thread.join()
    assert process.stderr is not None
    process.stderr.close()


def _wait_for(daemon: subprocess.Popen[str], pattern: str) -> str:
    """Read what a daemon says until it says something; the rest is read and forgotten, else the daemon stops when the pipe is full."""
    heard = []
    assert daemon.stderr is not None
    for line in daemon.stderr:
        heard.append(line)
        if found := re.search(pattern, line):
            threading.Thread(
                target=deque, args=(daemon.stderr, 0), daemon=True, name=f"reads {daemon.pid}"
            ).start()
            return found.group(1)
    raise AssertionError("the daemon ended:\n" + "".join(heard))


def driver(arguments: Sequence[str], python: Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a Python program of ours as a driver, whose workers shall be another Python.

    Args:
        arguments: Of Python.
        python: The workers'.
        cwd: Not the checkout: Python finds packages there.
    """
    environment = {
        **os.environ,
        "PYSPARK_PYTHON": str(python),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYTHONPATH": str(ROOT),
    }
    return subprocess.run(
        [sys.executable, *arguments],
        env=environment,
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
