"""What goes wrong on a cluster is said in one sentence, and loses nothing else.

Covers: statemachines.conform.engines.spark.cluster.job_failures.
"""

from __future__ import annotations

import gzip
import os
import signal
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from attrs import evolve

from statemachines.api.queries.observation_files import write_observations
from statemachines.cli.outcomes.termination import termination_as_interrupt
from statemachines.conform.checking import make_request
from statemachines.conform.engines.spark import judging_jobs
from statemachines.conform.engines.spark.cluster.job_failures import (
    JobFailed,
    failure_message,
    failures_in_words,
)
from statemachines.conform.engines.spark.cluster.sessions import SessionFailed
from statemachines.conform.engines.spark.cluster.spark_jobs import interrupts_between_polls
from statemachines.conform.engines.spark.stages.file_chunks import FileChunk, plan_jobs
from statemachines.conform.spark import (
    check,
    check_paths,
    observations,
    session,
)
from statemachines.logs.storage.listed_files import REPLACED
from statemachines.model.end_signals import END_SIGNALS
from tests.spark.same import assert_same, here

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

REBALANCE = Path(__file__).parents[2] / "examples" / "logs" / "stream_rebalance"

CRASHED = """An error occurred while calling o180.collectToPython.
: org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 in stage 3.0 failed 1 times, most recent failure: Lost task 0.0 in stage 3.0 (TID 3) (localhost executor driver): org.apache.spark.SparkException: Python worker exited unexpectedly (crashed). Consider setting 'spark.python.worker.faulthandler.enabled' configuration to 'true' for the better Python traceback.
\tat org.apache.spark.api.python.BasePythonRunner.apply(PythonRunner.scala:1136)
"""
LOST = """Job aborted due to stage failure: Task 0 in stage 2.0 failed 4 times, most recent failure: Lost task 0.3 in stage 2.0 (TID 8) (127.0.0.1 executor 3): ExecutorLostFailure (executor 3 exited caused by one of the running tasks) Reason: Command exited with code 137
Driver stacktrace:
"""


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        (CRASHED, "the job on Spark failed: Python worker exited unexpectedly (crashed)"),
        (
            LOST,
            "a Spark worker was lost, and again when it was tried again: Command exited with code 137",
        ),
        (
            'Traceback (most recent call last):\n  File "a.py"\nOSError: no space left\n',
            "the job on Spark failed: OSError: no space left",
        ),
        ("", "the job on Spark failed: Spark does not say why"),
        (
            "Job aborted: java.io.IOException: No space left on device",
            "the disk of a Spark worker is full: spark.local.dir (or SPARK_LOCAL_DIRS) says where Spark keeps what was read, and TMPDIR where Python does",
        ),
    ],
)
def test_what_spark_says_of_a_failure_is_one_sentence(said: str, sentence: str) -> None:
    """Java's stack tells a person nothing; the words are those that Spark 4.3 used."""
    assert failure_message(said) == sentence


def lacks_a_package(batches: Any) -> Any:
    import a_package_that_no_worker_has  # noqa: F401

    yield from batches


@pytest.mark.spark
def test_a_worker_that_lacks_a_package_is_said(spark: SparkSession) -> None:
    """A cluster's Python is somebody else's."""
    frame = spark.range(1).mapInArrow(lacks_a_package, "id bigint")
    sentence = "a Spark worker lacks a_package_that_no_worker_has: workers need"
    with pytest.raises(JobFailed, match=sentence), failures_in_words():
        frame.collect()


@pytest.mark.spark
@pytest.mark.parametrize("ask", [check, observations])
def test_what_fails_while_workers_are_looked_at_is_a_sentence_too(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, ask: Callable[..., Any]
) -> None:
    """On a cluster the first question is whether workers see the files; it was called a bug."""
    from pyspark.sql import functions as F

    frame = spark.range(1).mapInArrow(lacks_a_package, "id bigint")
    monkeypatch.setattr(judging_jobs, "ship", lambda _: frame.collect())
    with pytest.raises(JobFailed, match="a Spark worker lacks a_package_that_no_worker_has"):
        ask(spark, [REBALANCE])
    failing = spark.createDataFrame([("x", 1)], "value string, at int").withColumn(
        "file", F.raise_error(F.lit("the table is damaged"))
    )
    with pytest.raises(JobFailed, match="the table is damaged"):
        ask(spark, failing, order_by="at", file="file")


@pytest.mark.parametrize("sent", END_SIGNALS)
def test_an_interrupt_waits_for_the_answer_of_java(sent: signal.Signals) -> None:
    """Else the answer to one question is read as that to the next; who presses twice is obeyed. So
    it is with a termination.
    """
    with termination_as_interrupt(), interrupts_between_polls() as raise_interrupt:
        raise_interrupt()
        os.kill(os.getpid(), sent)
        os.kill(os.getpid(), signal.SIGHUP)  # a terminal that closes sends it again
        with pytest.raises(KeyboardInterrupt):
            raise_interrupt()
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)


@pytest.mark.spark
def test_files_that_change_while_they_are_read_lose_nothing_else(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One is deleted, one cut, one grows between listing and reading; two archives are broken."""
    text = (REBALANCE / "app1.log").read_bytes()
    for name in ("gone", "grown", "shorter", "sound"):
        (tmp_path / f"{name}.log").write_bytes(text)
    packed = bytearray(gzip.compress(text * 3))
    (tmp_path / "cut.log.gz").write_bytes(packed[: len(packed) // 2])
    packed[len(packed) // 2] ^= 0xFF
    (tmp_path / "corrupt.log.gz").write_bytes(packed)
    found = judging_jobs.list_logs

    def changed(*given: Any) -> Any:
        listing = found(*given)
        (tmp_path / "gone.log").unlink()
        (tmp_path / "shorter.log").write_bytes(text[: len(text) // 3])
        with (tmp_path / "grown.log").open("ab") as log:
            log.write(text)
        return listing

    monkeypatch.setattr(judging_jobs, "list_logs", changed)
    report = check_paths(spark, [tmp_path], make_request())
    problems = {source.file: source.problems for source in report.sources}
    assert problems["sound.log"] == problems["grown.log"] == ()
    assert problems["gone.log"] == (f"cannot be read: {REPLACED}",)
    assert problems["shorter.log"] == (
        "it was cut while it was read: the rest is not there any more",
    )
    assert all("cut archive" in problems[name][0] for name in ("cut.log.gz", "corrupt.log.gz"))
    lines = {source.file: source.lines for source in report.sources}
    assert lines["sound.log"] == lines["grown.log"] == text.count(b"\n")
    assert min(lines[name] for name in ("shorter.log", "cut.log.gz", "corrupt.log.gz")) > 0
    for name in ("gone.log", "shorter.log", "cut.log.gz", "corrupt.log.gz", "grown.log"):
        (tmp_path / name).unlink(missing_ok=True)
    monkeypatch.undo()
    assert_same(here([tmp_path]), check_paths(spark, [tmp_path], make_request()))


@pytest.mark.spark
@pytest.mark.parametrize("lost", [0, 2])
def test_a_file_ends_before_a_piece_that_could_not_be_opened(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lost: int
) -> None:
    """It was deleted while some of its pieces were open already: what stands behind lines that
    nobody read is not judged by them, and that the file was not read is said.
    """
    text = (REBALANCE / "app1.log").read_bytes()
    log, (piece_bytes, others) = tmp_path / "app1.log", (len(text) // 5, tmp_path / "others")
    log.write_bytes(text)

    def without_a_piece(files: Any, *, chunk_bytes: int, tasks: int) -> Any:
        jobs = plan_jobs(files, chunk_bytes=piece_bytes, tasks=tasks)
        return [[tuple(map(renamed, task)) for task in job] for job in jobs]

    def renamed(chunk: FileChunk) -> FileChunk:
        gone = evolve(chunk.file, path=str(tmp_path / "gone"), listed=None)
        return evolve(chunk, file=gone) if chunk.number == lost else chunk

    monkeypatch.setattr(judging_jobs, "plan_jobs", without_a_piece)
    report = check_paths(spark, [log], make_request(), partitions=2)
    problem = "No such file or directory"
    said = f"its end cannot be read: {problem}" if lost else problem
    assert report.errors == (f"{log}: {said}",)
    others.write_bytes(text[: text.find(b"\n", lost * piece_bytes - 1) + 1] if lost else b"")
    before = here([others])
    assert report.sources[0].lines == before.sources[0].lines
    assert report.checked.steps == before.checked.steps
    assert len(report.findings) == len(before.findings)
    assert (report.checked.steps > 0) == (lost > 0)
    told = observations(spark, [log]).drop("file").collect()
    monkeypatch.undo()
    expected = observations(spark, [others]).drop("file").collect()
    assert sorted(map(repr, told)) == sorted(map(repr, expected))


@pytest.mark.spark
def test_observations_are_the_same_table_from_spark_and_from_here(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files are cut into pieces on the way, and lines are counted from the beginning of the file."""
    in_pieces: Callable[..., Any] = partial(plan_jobs, chunk_bytes=9_973)
    monkeypatch.setattr(
        judging_jobs,
        "plan_jobs",
        lambda files, *, chunk_bytes, tasks: in_pieces(files, tasks=tasks),
    )
    told = observations(spark, [REBALANCE])
    assert write_observations([REBALANCE], tmp_path)
    kept = spark.read.parquet(str(tmp_path / "observations.parquet"))
    assert told.columns == kept.columns
    rows = [sorted(map(repr, frame.toLocalIterator())) for frame in (told, kept)]
    assert rows[0] == rows[1]
    assert len(rows[0]) > 50


@pytest.mark.spark
@pytest.mark.parametrize(
    ("place", "message"),
    [
        ({"master": "foo"}, "`foo` is no Spark cluster"),
        ({"remote": "host:15002"}, "`host:15002` is no Spark Connect server"),
    ],
)
def test_a_place_that_is_none_is_refused_also_where_a_session_is(
    spark: SparkSession, place: dict[str, str], message: str
) -> None:
    """The session that was there was taken instead, unsaid."""
    assert spark.getActiveSession() is not None
    with pytest.raises(SessionFailed, match=message):
        session(master=place.get("master"), remote=place.get("remote"))
