"""Spark and one machine give the same bytes, whatever is cut where.

Covers: statemachines.conform.engines.spark.cluster.spark_jobs,
statemachines.conform.engines.spark.spark_checks,
statemachines.conform.engines.spark.judging_jobs,
statemachines.conform.engines.spark.stages.open_chunks.
"""

from __future__ import annotations

import gzip
import random
from collections import Counter
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from statemachines.conform.check_options import CheckOptions
from statemachines.conform.checking import check_locally, finish_report, make_request
from statemachines.conform.engines.spark import judging_jobs, spark_engine
from statemachines.conform.engines.spark.frame_reading import plan_frame
from statemachines.conform.engines.spark.judging_jobs import shuffle_tasks
from statemachines.conform.engines.spark.spark_engine import PlannedJob, SparkEngine
from statemachines.conform.engines.spark.stages.file_chunks import plan_jobs
from statemachines.conform.engines.spark.stages.observing_stage import ReadSettings
from statemachines.conform.spark import (
    Columns,
    check_frame,
    check_paths,
    episodes,
    findings,
    timeline,
)
from statemachines.model.evidence.verdicts import Verdict
from tests.faulty_logs import with_faults
from tests.spark.same import assert_engines_agree, assert_same, here

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

EXAMPLES = Path(__file__).parent.parent.parent / "examples" / "logs"
REBALANCE = EXAMPLES / "stream_rebalance"

DOZEN = (
    "c01022_failures", "c111_forced", "c251_compose", "c251_kubectl", "c251_rolled", "c352_overwritten",
    "s111_death_one", "s111_forced", "s251_global_fail", "s251_midnight", "s251_onefile", "s251_rotated",
)  # fmt: skip
"""Controllers and streams, all prefixes, rotated files, several processes in one file, midnight without a date, forced moves."""


def test_pieces_and_partitions_do_not_change_the_report(spark: SparkSession) -> None:
    """A cut may fall anywhere: within a line, within a stack trace, between two steps of one instance."""
    expected = assert_engines_agree(spark, [EXAMPLES], piece_bytes=9_973, partitions=3)
    assert expected.checked.steps > 50
    assert_same(expected, check_paths(spark, [EXAMPLES], make_request()))


def test_a_named_file_that_is_no_log_is_an_error(spark: SparkSession, tmp_path: Path) -> None:
    """Nothing is read of it, so the other files alone cannot make it hold."""
    dump = tmp_path / "heap.hprof"
    dump.write_bytes(bytes(range(256)) * 40)
    expected = assert_engines_agree(spark, [REBALANCE, dump])
    assert expected.errors == (f"{dump}: not a text file",)
    assert expected.verdict is Verdict.INCONCLUSIVE


def test_what_small_logs_tell_is_judged_on_the_driver(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second job costs more than all of a small log: the first check of a session took twice as long."""
    expected = here([REBALANCE])
    monkeypatch.delattr(spark_engine, "_plan_judging")
    assert_same(expected, check_paths(spark, [REBALANCE], make_request()))


def test_the_order_of_files_does_not_change_the_report(spark: SparkSession) -> None:
    """A shell and a file system list them differently."""
    files = sorted(path for path in EXAMPLES.rglob("*.log"))
    assert_same(here(files), check_paths(spark, files[::-1], make_request()))


@pytest.mark.long
def test_a_dozen_captures_are_judged_alike(spark: SparkSession, shared: Path) -> None:
    """Real logs of a dozen kinds, in one check, each in pieces."""
    assert_engines_agree(
        spark,
        [shared / "logs" / "captured" / name for name in DOZEN],
        piece_bytes=65_521,
        partitions=2,
    )


def test_options_mean_the_same(spark: SparkSession) -> None:
    """A given release, zone and level go the same way to the workers."""
    options = {
        "release": "2.5.1",
        "zone": "Europe/Berlin",
        "levels": [(None, "WARN")],
        "specs": ["kafka/StreamThread"],
    }
    assert_engines_agree(spark, [REBALANCE], options=options)


TILL = """
notation: 1
machine: Till
variables: {coins: "0..99 = 0"}
events: {take: {args: {n: "0..99"}}}
states: {OPEN: {initial: true}, SHUT: {}}
transitions:
  - {from: OPEN, to: SHUT, event: shut, guard: "coins < 10"}
  - {from: SHUT, to: OPEN, event: open}
  - {from: OPEN, event: take, guard: "coins + n <= 99", effect: {coins: "coins + n"}}
always: {few: coins <= 25, shutIsPoor: "implies(state == 'SHUT', coins < 10)"}
each step: {byTens: coins - before.coins < 10}
leads to: {opens: {when: state == 'SHUT', then: state == 'OPEN'}}
log:
  instance: [till]
  patterns: {till: '[a-z]+', n: '\\d+', reason: '.*'}
  lines:
    - {text: "the till {till} went from {from} to {to}", says: step, logger: B, level: INFO}
    - {text: "the till {till} took {n} coins", says: event, event: take, args: {n: "{n}"}, logger: B, level: INFO}
    - {text: "the till {till} holds {n} coins", says: note, set: {coins: "{n}"}, logger: B, level: INFO}
    - {text: "the till {till} was jammed: {reason}", says: note, mark: jammed, logger: B, level: INFO}
  episodes:
    closed: {while: "state == 'SHUT'", title: "{till} is shut", because: jammed}
"""


def all_that_is_new(folder: Path) -> list[Path | str]:
    """Write logs with marks, repeated episodes, values and a broken rule of a system, in two files; return what to judge by."""
    (folder / "Till.yaml").write_text(TILL, "utf-8")
    day, tills = "[2026-01-01 10:%02d:%02d,000] INFO %s (%s)\n", list[str]()
    for at in range(0, 240, 4):
        till = "abc"[at % 3]
        told = [
            f"holds {at % 30} coins",
            f"was jammed: coin {at} of {at % 5} stuck",
            "went from OPEN to SHUT",
            "went from SHUT to OPEN",
        ]
        tills += [
            day % (*divmod(at + place, 60), f"the till {till} {what}", "B")
            for place, what in enumerate(told)
        ]
    (folder / "tills.log").write_text("".join(tills), "utf-8")
    early = [
        ("client", "app", "CREATED", "REBALANCING"), ("thread", "app-StreamThread-1", "CREATED", "STARTING"),
        ("thread", "app-StreamThread-1", "STARTING", "PARTITIONS_ASSIGNED"), ("client", "app", "REBALANCING", "RUNNING"),
        ("thread", "app-StreamThread-1", "PARTITIONS_ASSIGNED", "RUNNING"), ("client", "app", "RUNNING", "PENDING_SHUTDOWN"),
    ]  # fmt: skip
    packages = {
        "client": "org.apache.kafka.streams.KafkaStreams",
        "thread": "org.apache.kafka.streams.processor.internals.StreamThread",
    }
    steps = [
        day
        % (
            0,
            3 * at,
            f"stream-{kind} [{name}] State transition from {source} to {target}",
            packages[kind],
        )
        for at, (kind, name, source, target) in enumerate(early)
    ]
    (folder / "app.log").write_text("".join(steps), "utf-8")
    return [folder / "Till.yaml", "kafka/StreamsApplication"]


def test_marks_repeats_values_and_systems_are_judged_alike(
    spark: SparkSession, tmp_path: Path
) -> None:
    """What several lines tell together, cut into pieces; the rules of systems after it."""
    request = make_request(
        CheckOptions(specs=all_that_is_new(tmp_path), release="3.9.1", unread=True)
    )
    logs = [tmp_path / "tills.log", tmp_path / "app.log"]
    reports = [
        check_locally(logs, request),
        check_paths(spark, logs, request, piece_bytes=997, partitions=3),
    ]
    expected, found = (finish_report(report, request) for report in reports)
    assert {one.kind for one in expected.findings} == {"broken rule", "forbidden"}
    assert {one.kind for one in expected.repeated} == {"jammed", "closed"}
    judged = {row.rule: (row.judged > 0, row.broken > 0) for row in expected.rules}
    assert judged["few"] == judged["runningMeansAllRun"] == (True, True)
    assert judged["opens"] == (False, False)
    assert next(one.place for one in expected.findings if one.kind == "broken rule") is not None
    assert_same(expected, found)


@pytest.mark.long
def test_planted_faults_are_judged_alike(spark: SparkSession, shared: Path, tmp_path: Path) -> None:
    """Twenty captures with faults of six kinds: what is wrong with a log must not depend on where it is judged."""
    chance = random.Random("planted")
    folders = [
        path for path in sorted((shared / "logs" / "captured").glob("[cs]*")) if path.is_dir()
    ]
    for folder in chance.sample(folders, 20):
        with_faults(folder, tmp_path / folder.name, chance, 12)
    report = assert_engines_agree(
        spark,
        sorted(tmp_path.iterdir()),
        options={"separate": True},
        piece_bytes=100_003,
        partitions=2,
    )
    assert {"gap", "forbidden", "impossible"} <= {finding.kind for finding in report.findings}


# ---------------------------------------------------------------------------------------------------------------- odd inputs


@pytest.fixture
def odd(tmp_path: Path) -> Path:
    """A folder with whatever people have among their logs."""
    plain = (REBALANCE / "app1.log").read_bytes()
    (tmp_path / "plain.log").write_bytes(plain.removesuffix(b"\n"))
    (tmp_path / "crlf.log").write_bytes(plain.replace(b"\n", b"\r\n"))
    (tmp_path / "utf16.log").write_bytes(plain.decode().encode("utf-16"))
    (tmp_path / "packed.log.gz").write_bytes(gzip.compress(plain))
    (tmp_path / "cut.log.gz").write_bytes(gzip.compress(plain)[:-100])
    (tmp_path / "empty.log").write_bytes(b"")
    (tmp_path / "core").write_bytes(bytes(range(256)) * 400)
    (tmp_path / "_hidden name*.log").write_bytes(plain)
    return tmp_path


def test_odd_files_are_read_alike(spark: SparkSession, odd: Path) -> None:
    """Spark's own text source loses or misreads most of these."""
    expected = assert_engines_agree(spark, [odd, odd / "missing.log"], piece_bytes=20_011)
    assert len(expected.sources) == 8
    assert len(expected.errors) == 2


def test_files_of_a_remote_file_system_are_read_alike(spark: SparkSession, odd: Path) -> None:
    """Object stores are read by ranges, through the file system's own library, and names are taken as they are."""
    assert_same(
        here([odd]), check_paths(spark, [f"file://{odd}"], make_request(), piece_bytes=20_011)
    )


# -------------------------------------------------------------------------------------------------------------------- frames


def test_a_frame_of_lines_is_judged_as_the_files_are(spark: SparkSession) -> None:
    """Many people have their logs in a table already."""
    files = sorted(REBALANCE.rglob("*.log"))
    rows = [
        (path.name, number, line)
        for path in files
        for number, line in enumerate(path.read_text().splitlines())
    ]
    frame = spark.createDataFrame(rows, "host string, number int, line string").repartition(3)
    found = check_frame(spark, frame, Columns("line", ("number",), "host"), make_request())
    assert_same(here([REBALANCE]), found)


def test_a_frame_is_read_by_no_more_tasks_than_are_worth_it(spark: SparkSession) -> None:
    """Ten small files of a frame took 80 seconds of a small machine, in Spark's 200 tasks."""
    asked = spark.conf.get("spark.sql.shuffle.partitions")
    try:
        spark.conf.set("spark.sql.shuffle.partitions", "200")
        assert shuffle_tasks(spark) == 8
        spark.conf.set("spark.sql.shuffle.partitions", "3")
        assert shuffle_tasks(spark) == 3
    finally:
        spark.conf.set("spark.sql.shuffle.partitions", asked)
    frame = spark.createDataFrame(
        [("a", 1, "x"), ("b", 1, "y")], "host string, at int, line string"
    )
    request = make_request(CheckOptions(specs=["kafka/StreamThread"]))
    work = ReadSettings(request.plan, request.layouts)
    _, job = plan_frame(frame, Columns("line", ("at",), "host"), work, tasks=200)
    assert job.frame.rdd.getNumPartitions() == 4


def test_findings_episodes_and_timeline_are_frames(spark: SparkSession, tmp_path: Path) -> None:
    """A timeline of any length is written as Parquet by the workers."""
    steps = timeline(spark, str(EXAMPLES))
    steps.write.parquet(str(tmp_path / "timeline"))
    report = here([EXAMPLES])
    told = [
        (
            s.machine,
            frozenset((name, str(value)) for name, value in s.instance),
            s.source,
            s.target,
            s.how,
        )
        for s in report.timeline
    ]
    kept = spark.read.parquet(str(tmp_path / "timeline")).toLocalIterator()
    assert Counter(told) == Counter(
        (r.machine, frozenset(r.instance.items()), r["from"], r.to, r.how) for r in kept
    )
    rows = list(findings(spark, [EXAMPLES]).toLocalIterator())
    assert list(findings(spark, report).toLocalIterator()) == rows
    assert [(r.kind, r.verdict, r.message, r.line) for r in rows] == [
        (f.kind, f.verdict.name, f.message, f.place.line if f.place else None)
        for f in report.findings
    ]
    wrong = list(episodes(spark, [EXAMPLES]).where("NOT open").toLocalIterator())
    assert [(r.kind, r.outcome, r.title, r.line) for r in wrong] == [
        (e.kind, str(e.outcome), e.displayed_title, e.blame.place.line if e.blame else None)
        for e in report.episodes
        if not e.open
    ]


# ----------------------------------------------------------------------------------------------------------------- interrupted


def test_ctrl_c_tells_what_earlier_jobs_have_read(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Jobs are of bounded size: an hour of reading is not lost with the last minute."""
    monkeypatch.setattr(judging_jobs, "plan_jobs", partial(plan_jobs, job_bytes=1))
    jobs, total = list[PlannedJob](), list[int]()
    read_job = SparkEngine._read_job

    def counted(
        engine: SparkEngine, stack: ExitStack, job: PlannedJob, told: Any, **how: Any
    ) -> Any:
        jobs.append(job)
        return read_job(engine, stack, job, told, **how)

    def interrupt(_: int, every: int) -> None:
        total.append(every)
        if len(jobs) == 2:  # however far the first one's progress was told
            raise KeyboardInterrupt

    monkeypatch.setattr(SparkEngine, "_read_job", counted)
    report = check_paths(
        spark, sorted(REBALANCE.rglob("*.log")), make_request(), progress=interrupt
    )
    assert report.interrupted
    assert 0 < report.checked.steps < here([REBALANCE]).checked.steps
    assert set(total) == {sum(path.stat().st_size for path in REBALANCE.rglob("*.log"))}


def test_outcomes_and_wipes_are_judged_alike(spark: SparkSession, tmp_path: Path) -> None:
    """How episodes ended, what replaced what, and generations that went back, over files that interleave."""
    from tests.doors import FAMILY, line
    from tests.unit.conform.test_eras import OLD, POST, told
    from tests.unit.conform.test_outcomes import LAMP, goes

    for name, text in (("house", FAMILY), ("Post", POST), ("Lamp", LAMP)):
        (tmp_path / f"{name}.yaml").write_text(text, "utf-8")
    lamps = [
        *goes("LIT BURNT", "a"), *goes("NEW LIT", "c"), *goes("LIT FLICKERING COOLING THROWN", "b"), *goes("LIT FLICKERING LIT", "d"),
        "House of lamps: e=BURNT", "House program starting up", *goes("LIT BURNT SOLD", "f"), *goes("LIT BURNT", "g"),
    ]  # fmt: skip
    posts = [*OLD, (100, told(1, "FREE MANNED"))]
    for name, entries in (("lamps", list(enumerate(lamps))), ("posts", posts)):
        (tmp_path / f"{name}.log").write_text(
            "".join(f"{line(text, at)}\n" for at, text in entries), "utf-8"
        )
    request = make_request(
        CheckOptions(specs=[tmp_path / "Lamp.yaml", tmp_path / "Post.yaml"], unread=True)
    )
    logs = [tmp_path / "lamps.log", tmp_path / "posts.log"]
    reports = [
        check_locally(logs, request),
        check_paths(spark, logs, request, piece_bytes=397, partitions=3),
    ]
    expected, found = (finish_report(report, request) for report in reports)
    assert {str(one.outcome) for one in expected.episodes} == {"healed", "ended", "orderly", "open"}
    assert any("went back" in problem for source in expected.sources for problem in source.problems)
    assert_same(expected, found)
