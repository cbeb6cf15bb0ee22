"""Streams of files that appear and grow below some paths.

Covers: statemachines.conform.engines.spark.streaming.growing_paths,
statemachines.conform.engines.spark.streaming.path_source,
statemachines.conform.engines.spark.streaming.stream_query.
"""

from __future__ import annotations

import gzip
import os
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from statemachines.conform.engines.spark.streaming import growing_paths, stream_query
from statemachines.conform.engines.spark.streaming.growing_paths import (
    GrowingPaths,
    Line,
    LogReplaced,
)
from statemachines.conform.engines.spark.streaming.row_changes import report_rows
from statemachines.conform.engines.spark.streaming.stream_batches import ChangeTables
from statemachines.conform.spark import stream, streamed
from tests.doors import House, lines
from tests.spark.same import here, run_to_end

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytest.importorskip("pyarrow", reason="needs the extra 'spark'")

DAY = lines(
    "Door d hung into its frame", "Door d goes from CLOSED to OPEN", "Door d goes from OPEN to JAMMED",
    "Door e stands LOCKED", "Door e goes from LOCKED to GONE", "Door d goes from OPEN to CLOSED",
    "Door e goes from GONE to OPEN", "Door d goes from CLOSED to JAMMED",
)  # fmt: skip
LONG_AGO, TO_COME = (1_000_000_000, 1_000_000_000), (4_000_000_000, 4_000_000_000)


def read_on(paths: GrowingPaths, known: dict[str, int], most: int | None = None) -> list[Line]:
    """Read what came, and note how far."""
    ends = paths.ends(known, most)
    found = [line for one in paths.ranges(known, ends) for line in one.lines()]
    known.update(ends)
    return found


@pytest.mark.parametrize("seed", range(10))
def test_each_line_is_read_once_however_files_grow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """Written in pieces that end anywhere, read in pieces of bounded size."""
    monkeypatch.setattr(growing_paths, "_BLOCK_BYTES", 7)
    chance, known, found = random.Random(seed), dict[str, int](), list[Line]()
    texts = {
        name: b"".join(b"x" * chance.randrange(30) + b"\n" for _ in range(20)) for name in "ab"
    }
    paths = GrowingPaths((str(tmp_path),))
    places = dict.fromkeys(texts, 0)
    while any(place < len(texts[name]) for name, place in places.items()):
        name = chance.choice("ab")
        some = texts[name][places[name] :][: chance.randrange(40)]
        places[name] += len(some)
        with (tmp_path / name).open("ab") as file:
            file.write(some)
        os.utime(tmp_path / name, TO_COME)
        found += read_on(paths, known, chance.choice([None, 64]))
    while more := read_on(paths, known, 64):
        found += more
    for name, text in texts.items():
        read = sorted((at, line) for file, at, line in found if file == name)
        assert b"".join(line + b"\n" for _, line in read) == text
        assert all(text[at : at + len(line)] == line for at, line in read)


def test_a_line_without_its_end_and_an_archive_count_when_nobody_writes(tmp_path: Path) -> None:
    """Half of a line says something else, half of an archive nothing."""
    log, archive = tmp_path / "a.log", tmp_path / "b.log.gz"
    log.write_bytes(b"one\ntw")
    archive.write_bytes(gzip.compress(b"three\nfour\n"))
    paths, known = GrowingPaths((str(tmp_path),)), dict[str, int]()
    for path in (log, archive):
        os.utime(path, TO_COME)
    assert read_on(paths, known) == [("a.log", 0, b"one")]
    for path in (log, archive):
        os.utime(path, LONG_AGO)
    assert read_on(paths, known) == [
        ("a.log", 4, b"tw"),
        ("b.log.gz", 0, b"three"),
        ("b.log.gz", 6, b"four"),
    ]
    assert read_on(paths, known) == []


def test_a_file_that_is_another_one_now_is_refused(tmp_path: Path) -> None:
    """Its lines would be taken for those behind the ones that were read."""
    log = tmp_path / "a.log"
    log.write_bytes(b"one\ntwo\n")
    paths, known = GrowingPaths((str(tmp_path),)), dict[str, int]()
    read_on(paths, known)
    log.write_bytes(b"new\n")
    with pytest.raises(LogReplaced, match="is another file than the one that was read"):
        paths.ends(known)
    log.write_bytes(b"one\ntwo\nthree\n")
    ends = paths.ends(known)
    log.unlink()
    with pytest.raises(LogReplaced, match="is gone before all of it was read"):
        paths.ranges(known, ends)


@pytest.mark.spark
def test_a_stream_over_paths_says_what_a_check_says(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files appear and grow, a trigger fails: nothing is lost, nothing said twice."""
    house, logs = House(tmp_path), tmp_path / "logs"
    (logs / "east").mkdir(parents=True)
    write, failures = ChangeTables.write, []

    def fails_once(tables: ChangeTables, *rest: Any) -> None:
        write(tables, *rest)
        if not failures:
            failures.append(rest)
            raise OSError("the disk is gone")

    def run() -> None:
        where = {"into": tmp_path / "tables", "checkpoint": tmp_path / "checkpoint"}
        trigger = {"availableNow": True}
        run_to_end(lambda: stream(spark, [logs], **where, trigger=trigger, specs=[house.spec]))

    monkeypatch.setattr(stream_query.ChangeTables, "write", fails_once)
    text = "".join(f"{line}\n" for line in DAY)
    (logs / "a.log").write_text(text[:200], "utf-8")
    os.utime(logs / "a.log", TO_COME)  # half of a line is left, however slow the machine is
    with pytest.raises(Exception, match="the disk is gone"):
        run()
    (logs / "east" / "b.log").write_text(text, "utf-8")
    run()
    with (logs / "a.log").open("a", encoding="utf-8") as log:
        log.write(text[200:])
    run()
    for table, rows in report_rows(here([logs], specs=[house.spec])).items():
        kept = streamed(spark, tmp_path / "tables", table).collect()
        assert sorted(row.key for row in kept) == sorted(rows), table
        assert rows, table
    told = streamed(spark, tmp_path / "tables", "observations").collect()
    assert len(told) == 2 * len(DAY)


@pytest.mark.spark
def test_paths_that_are_no_files_are_refused(spark: SparkSession, tmp_path: Path) -> None:
    """The sentence names what to do."""
    for path, said in (("-", "reads a pipe"), (tmp_path / "no", "no such file or folder")):
        with pytest.raises(ValueError, match=said):
            stream(spark, path, into=tmp_path, checkpoint=tmp_path / "checkpoint")
