"""Logs with planted faults are judged alike through every door: as a whole, by several processes,
with a state folder and followed while they grow in ten cuts, on Spark in pieces, and as a stream.

Covers: statemachines.conform.checking,
statemachines.conform.engines.processes.parallel_reader,
statemachines.conform.engines.state.kept_check, statemachines.conform.engines.follow.follower,
statemachines.conform.engines.spark.judging_jobs,
statemachines.conform.engines.spark.streaming.stream_query.
"""

from __future__ import annotations

import gzip
import os
import random
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from attrs import evolve

from statemachines.conform.check_options import CheckOptions
from statemachines.conform.checking import (
    JudgingRequest,
    check_locally,
    finish_report,
    make_request,
)
from statemachines.conform.engines import file_reader
from statemachines.conform.engines.follow.follower import Follower
from statemachines.conform.engines.growing import content_readings
from statemachines.conform.engines.spark.streaming.batch_log import BatchLog
from statemachines.conform.engines.spark.streaming.judged_stream import restored_stream
from statemachines.conform.engines.spark.streaming.row_changes import report_rows
from statemachines.conform.spark import check_paths, stream, streamed
from statemachines.model.evidence.reports import Report
from tests.faulty_logs import doubled, dropped, littered, retold, swapped, with_faults
from tests.growing_logs import growing
from tests.spark.same import assert_same, run_to_end

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

EXAMPLES = Path(__file__).parents[2] / "examples" / "logs"
CUTS = 10
TRIGGERS = 3
KINDS = (dropped, doubled, swapped, littered, retold, retold)
"""Of faults; a file that is cut has few others."""


@pytest.fixture(scope="module")
def request_() -> JudgingRequest:
    """The whole shipped catalogue."""
    return make_request(CheckOptions())


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let logs of some hundred kilobytes settle, in several pieces."""
    monkeypatch.setattr(content_readings, "TAIL_BYTES", 20_000)
    monkeypatch.setattr(file_reader, "READ_CHUNK_BYTES", 30_000)


@pytest.fixture
def two_tasks(spark: SparkSession) -> Iterator[None]:
    """Small triggers need no more."""
    name = "spark.sql.shuffle.partitions"
    before = spark.conf.get(name)
    spark.conf.set(name, "2")
    yield
    spark.conf.set(name, before)


def faulty(folder: Path, place: Path, faults: int) -> Path:
    """Copy a folder of logs, with faults in its lines: a stream has lines, not archives, nor does
    an archive grow.
    """
    plain, target = place / "plain", place / folder.name
    shutil.copytree(folder, plain, ignore=shutil.ignore_patterns("truth.json"))  # is no log
    for path in plain.rglob("*.gz"):
        path.with_suffix("").write_bytes(gzip.decompress(path.read_bytes()))
        path.unlink()
    with_faults(plain, target, random.Random(folder.name), faults, KINDS)
    return target


def judged(request: JudgingRequest, logs: Path) -> Report:
    return finish_report(check_locally([str(logs)], request), request)


def through_growth(
    request: JudgingRequest, capture: Path, place: Path, chance: random.Random
) -> Iterator[tuple[str, Report]]:
    """Judge logs that come to be a capture, with what was known at each cut."""
    logs = place / "growing"
    logs.mkdir()
    state = evolve(request, options=evolve(request.options, state=str(place / "state")))
    with Follower([str(logs)], request) as follower:
        for _ in growing(capture, logs, chance, CUTS):
            follower.poll()
            kept = judged(state, logs)
        yield "state", kept
        yield "follow", follower.report(to_the_end=True)


def write_rows(capture: Path, rows: Path) -> None:
    """Write the lines of a capture as a table that comes in parts, the oldest first."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows.mkdir()
    for part in range(TRIGGERS):
        table: dict[str, list[object]] = {"host": [], "at": [], "line": []}
        for path in sorted(path for path in capture.rglob("*") if path.is_file()):
            lines = [*enumerate(path.read_bytes().removesuffix(b"\n").split(b"\n"))]
            some = lines[part * len(lines) // TRIGGERS : (part + 1) * len(lines) // TRIGGERS]
            table["host"] += [path.relative_to(capture).as_posix()] * len(some)
            table["at"] += [at for at, _ in some]
            table["line"] += [line for _, line in some]
        path = rows / f"{part}.parquet"
        pq.write_table(pa.table(table), path)
        os.utime(path, (part, part))


def through_a_stream(
    spark: SparkSession, request: JudgingRequest, capture: Path, place: Path
) -> tuple[Report, Mapping[str, list[str]]]:
    """Judge a capture whose lines come in some triggers; return the report and the tables' keys."""
    write_rows(capture, place / "rows")
    reader = spark.readStream.schema("host string, at bigint, line binary")
    frame = reader.option("maxFilesPerTrigger", 1).parquet(str(place / "rows"))
    run_to_end(
        lambda: stream(
            spark,
            frame,
            into=place / "tables",
            checkpoint=place / "checkpoint",
            text="line",
            order_by=["at"],
            file="host",
            trigger={"availableNow": True},
            options=request.options,
        )
    )
    with restored_stream(request, BatchLog(str(place / "checkpoint")), TRIGGERS) as told:
        report = told.report()
    keys = {
        table: sorted(row.key for row in streamed(spark, place / "tables", table).collect())
        for table in report_rows(report)
    }
    return report, keys


def assert_judged_alike(
    spark: SparkSession, request: JudgingRequest, capture: Path, place: Path
) -> Report:
    """Judge a capture through every door, and see that all reports are the same bytes.

    All keys are compared but `made_with`, which says where it was judged.
    """
    expected = judged(request, capture)
    several = evolve(request, options=evolve(request.options, jobs=2))
    assert_same(expected, judged(several, capture))
    for door, report in through_growth(request, capture, place, random.Random(capture.name)):
        assert_same(expected, report, door)
    in_pieces = check_paths(spark, [str(capture)], request, piece_bytes=65_521, partitions=2)
    assert_same(expected, finish_report(in_pieces, request))
    report, keys = through_a_stream(spark, request, capture, place)
    assert_same(expected, report, "stream")
    assert keys == {table: sorted(rows) for table, rows in report_rows(expected).items()}
    return expected


@pytest.mark.usefixtures("small_pieces", "two_tasks")
def test_a_log_with_faults_is_judged_alike_through_every_door(
    spark: SparkSession, request_: JudgingRequest, tmp_path: Path
) -> None:
    """Whoever reads them, and how often: the same findings, episodes and counts."""
    capture = faulty(EXAMPLES / "thread_death", tmp_path, 24)
    report = assert_judged_alike(spark, request_, capture, tmp_path)
    assert "forbidden" in {finding.kind for finding in report.findings}


CAPTURES = (
    "c01022_failures", "c111_forced", "c231_failover", "c251_rolled", "c282_rolling", "c391_deletion",
    "c422_kraft_failover_debug", "g391_groups", "k411_connect_zombie", "s111_overwritten",
    "s251_midnight", "s251_rotated", "s391_eos", "s391_levels",
)  # fmt: skip
"""Controllers and streams, forced moves, several processes in one file, rotated files, midnight
without a date; KRaft, groups, transactions, Connect.
"""


@pytest.mark.long
@pytest.mark.usefixtures("small_pieces", "two_tasks")
@pytest.mark.parametrize("name", CAPTURES)
def test_captures_with_faults_are_judged_alike_through_every_door(
    spark: SparkSession, request_: JudgingRequest, shared: Path, tmp_path: Path, name: str
) -> None:
    """Real logs of several kinds, each with many faults."""
    (folder,) = shared.glob(f"logs/*/{name}")
    capture = faulty(folder, tmp_path, 30)
    report = assert_judged_alike(spark, request_, capture, tmp_path)
    assert report.findings or report.episodes
