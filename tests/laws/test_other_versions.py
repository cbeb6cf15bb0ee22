"""A stream whose program is updated, and set back: it goes on, or a sentence says what to do.

Covers: statemachines.conform.engines.spark.streaming.batch_log,
statemachines.conform.engines.spark.streaming.stream_query.
"""

from __future__ import annotations

import json
import os
import pickle
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from statemachines.conform.engines.spark.streaming.row_changes import report_rows
from tests.doors import House
from tests.laws.test_streamed_logs import Spark
from tests.spark.cluster import ROOT
from tests.spark.same import here
from tests.spark.test_killed_streams import some_day

pytestmark = pytest.mark.long

JUDGING, READING = (
    "conform/engines/follow/live_judging.py",
    "conform/engines/growing/content_readings.py",
)
WORDS = "Judging again what new lines are about, and only that."
A_FIELD = "    settled_end: int = 0\n"
TRIGGERS = 3


def other_version(place: Path, module: str, before: str, after: str) -> Path:
    """Copy the package, with something in it that is otherwise; return where it lies."""
    for folder in ("statemachines", "specs"):
        shutil.copytree(ROOT / folder, place / folder)
    path = place / "statemachines" / module
    source = path.read_text("utf-8")
    assert source.count(before) == 1
    path.write_text(source.replace(before, after), "utf-8")
    return place


def do_trigger(version: Path, place: Path, batch: int) -> subprocess.CompletedProcess[str]:
    """Judge the lines of a trigger with a version."""
    return subprocess.run(
        [sys.executable, "-m", "tests.laws.streaming_program", str(place), str(batch)],
        cwd=place,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(version), str(ROOT)])},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.fixture
def logs(tmp_path: Path) -> dict[str, list[str]]:
    """Two logs, whose lines come in three triggers; each brings the last line of the one before
    once more.
    """
    House(tmp_path)
    logs = {name: some_day(random.Random(name), 90) for name in ("a.log", "b.log")}
    for batch in range(TRIGGERS):
        start, end = max(30 * batch - 1, 0), 30 * batch + 30
        numbered = {name: [*enumerate(texts)][start:end] for name, texts in logs.items()}
        (tmp_path / f"{batch}.json").write_text(json.dumps(numbered), "utf-8")
    (tmp_path / "logs").mkdir()
    for name, texts in logs.items():
        (tmp_path / "logs" / name).write_text("".join(f"{text}\n" for text in texts), "utf-8")
    return logs


@pytest.mark.usefixtures("logs")
def test_a_stream_goes_on_with_a_version_that_keeps_the_same_and_back(tmp_path: Path) -> None:
    """Nothing is lost and nothing said twice, whichever version did which of the triggers."""
    updated = other_version(tmp_path / "other", JUDGING, WORDS, "In other words.")
    for batch, version in enumerate((ROOT, updated, ROOT)):
        ran = do_trigger(version, tmp_path, batch)
        assert ran.returncode == 0, ran.stderr[-3000:]
        assert ("begun by another version" in ran.stderr) == (batch > 0)
    spark = Spark.__new__(Spark)
    _, spark.written = pickle.loads((tmp_path / "kept").read_bytes())
    tables = spark.tables()
    for table, rows in report_rows(
        here([tmp_path / "logs"], specs=[tmp_path / "specs" / "house" / "Door.yaml"])
    ).items():
        assert sorted(key for name, key in tables if name == table) == sorted(rows), table
        assert rows, table
    assert sum(name == "observations" for name, _ in tables) == 180


@pytest.mark.usefixtures("logs")
@pytest.mark.parametrize("is_set_back", [False, True])
def test_a_version_that_keeps_other_values_says_what_to_do(
    tmp_path: Path, is_set_back: bool
) -> None:
    """The checkpoint stays as it was: who wrote it reads it on."""
    other = other_version(tmp_path / "other", READING, A_FIELD, f"{A_FIELD}    more: int = 0\n")
    first, second = (other, ROOT) if is_set_back else (ROOT, other)
    assert do_trigger(first, tmp_path, 0).returncode == 0
    ran = do_trigger(second, tmp_path, 1)
    assert ran.returncode == 1
    told = ran.stderr.splitlines()[-1]
    assert "another version of statemachines and another form of what is kept" in told
    assert "give a new place for the checkpoint" in told
    assert do_trigger(first, tmp_path, 1).returncode == 0
