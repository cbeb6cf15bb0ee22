"""A stream whose program is killed, again and again: its tables are those of a check of the same lines.

Covers: statemachines.conform.engines.spark.streaming.batch_log.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from statemachines.conform.engines.spark.streaming.row_changes import report_rows
from statemachines.conform.spark import streamed
from tests.doors import House, line
from tests.spark.same import here

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROOT = Path(__file__).parents[2]
KILLS = 10
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
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.spark.streaming_program", str(place), *more],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "streaming\n"
    return process


def kill(process: subprocess.Popen[str]) -> None:
    """Kill a program and its Java, wherever they are."""
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def finish(process: subprocess.Popen[str]) -> str:
    """Wait for the end of the program; return what else it said."""
    said, _ = process.communicate(timeout=300)
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
def test_a_stream_that_is_killed_ten_times_says_what_a_check_says(
    spark: SparkSession, tmp_path: Path
) -> None:
    """Java and Python at once, wherever they are: nothing is lost, nothing is said twice."""
    House(tmp_path)
    (tmp_path / "in").mkdir()
    chance = random.Random(6)
    logs = {name: some_day(chance, 200) for name in ("a.log", "b.log")}
    for number, name in itertools.product(range(14), logs):
        some = [*enumerate(logs[name])][number * 15 : number * 15 + 15]
        rows = [json.dumps({"host": name, "at": at, "line": text}) for at, text in some]
        path = tmp_path / "in" / f"{name}-{number:02}.json"
        path.write_text("\n".join(rows), "utf-8")
        os.utime(path, (number, number))  # Spark reads the oldest first
    finished = 0
    for _ in range(KILLS):
        process = start(tmp_path)
        try:
            said, _ = process.communicate(timeout=chance.uniform(1, 15))
            finished += said == "done\n"
        except subprocess.TimeoutExpired:
            kill(process)
    assert finished < KILLS
    assert finish(start(tmp_path)) == "done\n"
    assert_tables_are_those_of_a_check(spark, tmp_path, logs)
