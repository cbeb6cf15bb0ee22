"""What ends in the middle of a check: an executor of a cluster, and the patience of the person who waits.

Covers: statemachines.conform.engines.spark.cluster.spark_jobs.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.doors import House
from tests.spark.cluster import ROOT
from tests.spark.test_killed_streams import some_day

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="looks for processes in /proc"
)


def descendants(root: int) -> dict[int, str]:
    """Return the command lines of the processes below one."""
    parents, commands = dict[int, int](), dict[int, str]()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_text().rpartition(")")[2].split()
                commands[int(entry.name)] = (entry / "cmdline").read_bytes().decode()
                parents[int(entry.name)] = int(stat[1])
            except OSError:
                continue
    below = [root]
    for process in below:
        below += [child for child, parent in parents.items() if parent == process]
    return {process: commands[process] for process in below[1:] if process in commands}


def wait_for(root: int, word: str, process: subprocess.Popen[str], *, above: str = "") -> int:
    """Wait for a process below one whose command has a word, and that has one below it whose
    command has another: an embedded session of the tests has workers too.
    """
    for _ in range(1200):
        for number, command in descendants(root).items():
            if word in command and (
                not above or any(above in below for below in descendants(number).values())
            ):
                return number
        assert process.poll() is None, process.communicate()
        time.sleep(0.1)
    raise AssertionError(f"no {word}")


def start_check(house: House, python: Path, *more: str) -> subprocess.Popen[str]:
    """Start a check of the logs of a house, in a group of its own."""
    arguments = [str(house.folder / "logs"), "--spec", str(house.spec), "--format", "json", *more]
    environment = {
        **os.environ,
        "PYSPARK_PYTHON": str(python),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYTHONPATH": str(ROOT),
    }
    return subprocess.Popen(
        [sys.executable, "-m", "statemachines.cli", "check", *arguments],
        env=environment,
        cwd=house.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


@pytest.fixture
def house(tmp_path: Path) -> House:
    """Doors that move many thousand times, in files of three processes: far from read when Python has begun."""
    house, chance = House(tmp_path), random.Random(3)
    for name in ("a.log", "b.log", "c.log"):
        house.write(name, some_day(chance, 10_000))
    return house


@pytest.mark.cluster
def test_an_executor_that_is_killed_changes_nothing(
    cluster: tuple[str, Path], house: House
) -> None:
    """What it had read is read again, and the report is the one of this machine."""
    master, python = cluster
    expected = start_check(house, python, "--engine", "local")
    report, _ = expected.communicate(timeout=500)
    process = start_check(house, python, "--master", master)
    backend = "CoarseGrainedExecutorBackend"
    executor = wait_for(os.getpid(), backend, process, above="pyspark.daemon")
    os.kill(executor, signal.SIGKILL)
    told, errors = process.communicate(timeout=500)
    assert told == report, errors
    assert "Traceback" not in errors


def busy_worker(root: int, process: subprocess.Popen[str]) -> int:
    """Wait for a Python worker below a process that has worked for a while."""
    for _ in range(3000):
        for number, command in descendants(root).items():
            if "pyspark.daemon" in command and not descendants(number) and seconds(number) > 0.3:
                return number
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    raise AssertionError("no worker")


def seconds(process: int) -> float:
    """Return the CPU seconds of a process; none of one that has ended."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return int(stat[11]) / os.sysconf("SC_CLK_TCK")


@pytest.mark.long
@pytest.mark.spark
def test_a_python_worker_that_is_killed_changes_nothing(house: House) -> None:
    """As the kernel kills it that has no memory left: what it had read is read again."""
    expected = start_check(house, Path(sys.executable), "--engine", "local")
    report, _ = expected.communicate(timeout=500)
    process = start_check(house, Path(sys.executable), "--engine", "spark")
    os.kill(busy_worker(process.pid, process), signal.SIGKILL)
    told, errors = process.communicate(timeout=500)
    assert told == report, errors
    assert process.returncode == expected.returncode
    assert "Traceback" not in errors


@pytest.mark.long
@pytest.mark.spark
def test_ctrl_c_at_a_terminal_ends_with_a_report(house: House) -> None:
    """A terminal sends it to all processes: the check says what it has read by then, or that it
    was interrupted, without a stack of Java's.
    """
    process = start_check(house, Path(sys.executable), "--engine", "spark")
    wait_for(process.pid, "pyspark.daemon", process)
    os.killpg(process.pid, signal.SIGINT)
    assert_ends_as_interrupted(process)


@pytest.mark.long
@pytest.mark.spark
def test_a_cluster_that_ends_the_driver_gets_a_report(house: House) -> None:
    """SIGTERM comes to the program alone, as Kubernetes sends it to the first of a container."""
    process = start_check(house, Path(sys.executable), "--engine", "spark")
    busy_worker(process.pid, process)
    os.kill(process.pid, signal.SIGTERM)
    assert_ends_as_interrupted(process)


def assert_ends_as_interrupted(process: subprocess.Popen[str]) -> None:
    """Look at what a check says that was stopped."""
    told, errors = process.communicate(timeout=300)
    assert '"interrupted": true' in told, (told[:500], errors)
    assert process.returncode == 130
    assert "\tat " not in errors
    assert "Traceback" not in errors
