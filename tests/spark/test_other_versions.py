"""A stream whose program is updated, and set back: it goes on, or a sentence says what to do.

Covers: statemachines.conform.engines.spark.streaming.batch_log,
statemachines.conform.engines.spark.streaming.stream_query.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from statemachines.conform.spark import CheckpointOutdated, stream
from tests.doors import House
from tests.spark.cluster import ROOT
from tests.spark.same import run_to_end
from tests.spark.streaming_program import folder_rows
from tests.spark.test_killed_streams import assert_tables_are_those_of_a_check, some_day

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.long]

JUDGING, READING = (
    "conform/engines/follow/live_judging.py",
    "conform/engines/growing/content_readings.py",
)
WORDS = "Judging again what new lines are about, and only that."
A_FIELD = "    settled_end: int = 0\n"


def other_version(place: Path, module: str, before: str, after: str) -> Path:
    """Copy the package, with something in it that is otherwise; return where it lies."""
    shutil.copytree(ROOT / "statemachines", place / "statemachines")
    shutil.copytree(ROOT / "specs", place / "specs")
    path = place / "statemachines" / module
    source = path.read_text("utf-8")
    assert source.count(before) == 1
    path.write_text(source.replace(before, after), "utf-8")
    return place


def come(place: Path, logs: dict[str, list[str]], part: int) -> None:
    """Let a third of all lines come."""
    for name, texts in logs.items():
        third = len(texts) // 3
        some = [*enumerate(texts)][part * third : (part + 1) * third]
        path = place / "in" / f"{name}-{part}.json"
        rows = [json.dumps({"host": name, "at": at, "line": text}) for at, text in some]
        path.write_text("\n".join(rows), "utf-8")
        os.utime(path, (part, part))


def go_on(spark: SparkSession, place: Path) -> None:
    """Judge what came, with this version."""
    run_to_end(
        lambda: stream(
            spark,
            folder_rows(spark, place),
            into=place / "tables",
            checkpoint=place / "checkpoint",
            text="line",
            order_by=["at"],
            file="host",
            trigger={"availableNow": True},
            specs=[place / "specs" / "house" / "Door.yaml"],
        )
    )


def go_on_with(version: Path, place: Path) -> subprocess.CompletedProcess[str]:
    """Judge what came, with another version."""
    return subprocess.run(
        [sys.executable, "-m", "tests.spark.streaming_program", str(place)],
        cwd=place,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(version), str(ROOT)])},
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )


@pytest.fixture
def logs(tmp_path: Path) -> dict[str, list[str]]:
    """Two logs of a house that is made here."""
    House(tmp_path)
    (tmp_path / "in").mkdir()
    return {name: some_day(random.Random(8), 90) for name in ("a.log", "b.log")}


def test_a_stream_goes_on_with_a_version_that_keeps_the_same_and_back(
    spark: SparkSession, tmp_path: Path, logs: dict[str, list[str]]
) -> None:
    """Nothing is lost and nothing said twice, whichever version did which of the triggers."""
    path = other_version(tmp_path / "other", JUDGING, WORDS, "In other words.")
    for part in range(3):
        come(tmp_path, logs, part)
        if part == 1:
            with pytest.warns(UserWarning, match="begun by another version"):
                go_on(spark, tmp_path)
            continue
        ran = go_on_with(path, tmp_path)
        assert ran.returncode == 0, ran.stderr[-3000:]
        assert ("begun by another version" in ran.stderr) == (part == 2)
    assert_tables_are_those_of_a_check(spark, tmp_path, logs)


@pytest.mark.parametrize("is_older", [True, False])
def test_a_version_that_keeps_other_values_says_what_to_do(
    spark: SparkSession, tmp_path: Path, logs: dict[str, list[str]], is_older: bool
) -> None:
    """An older one whose checkpoint is given to this one, and this one's that is given to it."""
    path = other_version(tmp_path / "other", READING, A_FIELD, f"{A_FIELD}    more: int = 0\n")
    come(tmp_path, logs, 0)
    what = "another version of statemachines and another form of what is kept"
    if is_older:
        ran = go_on_with(path, tmp_path)
        assert ran.returncode == 0, ran.stderr[-3000:]
        with pytest.raises(CheckpointOutdated, match=what):
            go_on(spark, tmp_path)
        return
    go_on(spark, tmp_path)
    ran = go_on_with(path, tmp_path)
    assert ran.returncode == 1
    assert what in ran.stderr.splitlines()[-1]
