"""A stream whose program is killed, again and again: its tables are those of a check of the same lines.

Covers: statemachines.conform.engines.spark.streaming.batch_log.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from statemachines.conform.engines.spark.streaming.row_changes import report_rows
from statemachines.conform.spark import streamed
from tests.doors import House, line
from tests.effort import some_of
from tests.spark.same import here

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROOT = Path(__file__).parents[2]
KILLS = some_of(10)
WAYS = {"CLOSED": ("OPEN", "LOCKED"), "OPEN": ("CLOSED", "JAMMED"), "LOCKED": ("CLOSED",)}
WAYS["JAMMED"] = ("OPEN", "CLOSED")


def some_day(chance: random.Random, count: int) -> list[str]:
    """Write lines of a few doors, most of them legal; some doors are left jammed."""
    states, found = dict.fromkeys("abc", "CLOSED"), list[str]()
    for at in range(count):
        door = chance.choice("abc")
        before = states[door] if chance.random() < 0.9 else "LOCKED"
        states[door] = chance.choice(WAYS[before])
        found.append(line(f"Door {door} goes from {before} to {states[door]}", at))
    return found


def start(place: Path, *more: str) -> subprocess.Popen[str]:
    """Start the program in a group of its own, and wait until it streams."""
    errors = place / "errors"
    with errors.open("wb") as heard:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.spark.streaming_program", str(place), *more],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=heard,
            text=True,
            start_new_session=True,
        )
    assert process.stdout is not None
    first_words = process.stdout.readline()
    if first_words != "streaming\n":
        kill(process)  # what is left behind would fail a test that comes later
    assert first_words == "streaming\n", errors.read_text("utf-8")[-3000:]
    return process


def kill(process: subprocess.Popen[str]) -> None:
    """Kill a program and its Java, wherever they are."""
    with contextlib.suppress(ProcessLookupError):  # it is done
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def last_trigger(place: Path) -> int:
    """Return the number of the last trigger that is over; -1 before the first."""
    done = (place / "checkpoint" / "commits").glob("[0-9]*")
    return max((int(path.name) for path in done), default=-1)


def kill_within_a_trigger(
    process: subprocess.Popen[str], place: Path, chance: random.Random
) -> bool:
    """Kill a program once it has done a trigger, within the next ones, however fast the machine is;
    say whether it was still at work.
    """
    before, until = last_trigger(place), time.monotonic() + 60
    while last_trigger(place) == before and process.poll() is None and time.monotonic() < until:
        time.sleep(0.02)
    time.sleep(chance.uniform(0, 1.5))
    was_at_work = process.poll() is None
    kill(process)
    return was_at_work


def finish(process: subprocess.Popen[str]) -> str:
    """Wait for the end of the program, on a busy machine too; return what else it said."""
    try:
        said, _ = process.communicate(timeout=1_200)
    except subprocess.TimeoutExpired:
        kill(process)
        raise
    return said


def assert_tables_are_those_of_a_check(
    spark: SparkSession, place: Path, logs: dict[str, list[str]]
) -> None:
    """Compare all tables with what a check of the same lines says."""
    (place / "logs").mkdir()
    for name, texts in logs.items():
        (place / "logs" / name).write_text("".join(f"{text}\n" for text in texts), "utf-8")
    told = here([place / "logs"], specs=[place / "specs" / "house" / "Door.yaml"])
    for table, rows in report_rows(told).items():
        kept = streamed(spark, place / "tables", table).collect()
        assert sorted(row.key for row in kept) == sorted(rows), table
        assert rows, table
    observed = streamed(spark, place / "tables", "observations").collect()
    assert len(observed) == sum(map(len, logs.values()))


@pytest.mark.long
@pytest.mark.spark
def test_a_stream_that_is_killed_again_and_again_says_what_a_check_says(
    spark: SparkSession, tmp_path: Path
) -> None:
    """Java and Python at once, wherever they are: nothing is lost, nothing is said twice."""
    House(tmp_path)
    (tmp_path / "in").mkdir()
    chance = random.Random(6)
    logs = {name: some_day(chance, 200) for name in ("a.log", "b.log")}
    for number, name in itertools.product(range(20), logs):
        some = [*enumerate(logs[name])][number * 10 : number * 10 + 10]
        rows = [json.dumps({"host": name, "at": at, "line": text}) for at, text in some]
        path = tmp_path / "in" / f"{name}-{number:02}.json"
        path.write_text("\n".join(rows), "utf-8")
        os.utime(path, (number, number))  # Spark reads the oldest first
    process = start(tmp_path)
    time.sleep(chance.uniform(0, 3))
    kill(process)  # while it begins
    killed = sum(kill_within_a_trigger(start(tmp_path), tmp_path, chance) for _ in range(KILLS - 1))
    assert killed >= KILLS // 2, (tmp_path / "errors").read_text("utf-8")[-3000:]
    assert finish(start(tmp_path)) == "done\n"
    assert_tables_are_those_of_a_check(spark, tmp_path, logs)
