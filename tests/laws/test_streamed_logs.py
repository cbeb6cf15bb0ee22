"""Laws of streams: after any cut into triggers, and after kills, the tables are those of a check.

Covers: statemachines.conform.engines.follow.whole_report,
statemachines.conform.engines.spark.observation_rows,
statemachines.conform.engines.spark.streaming.batch_log,
statemachines.conform.engines.spark.streaming.judged_stream,
statemachines.conform.engines.spark.streaming.row_changes,
statemachines.conform.engines.spark.streaming.stream_batches,
statemachines.conform.engines.spark.streaming.streamed_files.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from attrs import define, field
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from statemachines.conform.check_options import CheckOptions
from statemachines.conform.checking import (
    JudgingRequest,
    check_locally,
    finish_report,
    make_request,
)
from statemachines.conform.engines.growing import content_readings
from statemachines.conform.engines.spark.stages.observing_stage import ReadSettings
from statemachines.conform.engines.spark.stages.stage_rows import pack
from statemachines.conform.engines.spark.streaming import batch_log, stream_query
from statemachines.conform.engines.spark.streaming.batch_log import BatchLog, CheckpointOutdated
from statemachines.conform.engines.spark.streaming.judged_stream import restored_stream
from statemachines.conform.engines.spark.streaming.row_changes import (
    OBSERVATIONS,
    RowChange,
    report_rows,
)
from statemachines.conform.engines.spark.streaming.stream_batches import (
    ChangeTables,
    StreamBatches,
    join_news,
)
from statemachines.conform.engines.spark.streaming.stream_query import checkpoint_keys
from statemachines.conform.engines.spark.streaming.streamed_files import (
    StreamedFile,
    StreamedLine,
    StreamedNews,
    StreamedReader,
)
from statemachines.conform.engines.state import reading_keys
from tests.doors import House
from tests.effort import some_of
from tests.growing_logs import Host
from tests.spark.same import assert_same

pytest.importorskip("pyarrow", reason="needs the extra 'spark'")
pytest.importorskip("pyspark", reason="needs the extra 'spark'")

from statemachines.conform.engines.spark.stages.observing_stage import worker_reader
from statemachines.conform.engines.spark.streaming.file_processor import news_bodies

SOME = settings(
    max_examples=some_of(8),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
Lines = Mapping[str, list[StreamedLine]]
Tables = dict[tuple[str, str], tuple[object, ...]]


class Killed(BaseException):
    """The driver is no more."""


@pytest.fixture(scope="module")
def request_(tmp_path_factory: pytest.TempPathFactory) -> JudgingRequest:
    house = House(tmp_path_factory.mktemp("house"))
    return make_request(CheckOptions(specs=[house.spec]))


@pytest.fixture(autouse=True)
def settled_early(monkeypatch: pytest.MonkeyPatch) -> None:
    """Observations settle early, and records of triggers are merged often."""
    monkeypatch.setattr(content_readings, "TAIL_BYTES", 300)
    monkeypatch.setattr(batch_log, "MERGED_AT_ONCE", 3)


@define
class Spark:
    """What Spark does for a stream: keeps states, numbers triggers, does a killed one again."""

    request: JudgingRequest
    checkpoint: Path
    chance: random.Random
    lateness_ms: int = 0
    states: dict[str, bytes] = field(factory=dict)
    written: dict[int, list[RowChange]] = field(factory=dict)
    """By trigger, as partitions of tables."""
    batch: int = 0
    batches: StreamBatches = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.start()

    def start(self) -> None:
        log = BatchLog(str(self.checkpoint))
        self.batches = StreamBatches(self.request, log, ChangeTables("nowhere"))

    def trigger(self, lines: Lines, kills: float = 0.0) -> None:
        """Do a trigger, however often it is killed before it is done."""
        states = dict(self.states)
        while not self._attempt(lines, states, kills):
            states = dict(self.states)
            if self.chance.random() < 0.7:
                self.batches.close()
                self.start()
        self.states = states
        self.batch += 1

    def _attempt(self, lines: Lines, states: dict[str, bytes], kills: float) -> bool:
        news = self._read(lines, states)
        when = (
            self.chance.choice(["before", "after", "done"]) if self.chance.random() < kills else ""
        )

        def write(changes: list[RowChange]) -> None:
            if when == "before":
                raise Killed
            self.written[self.batch] = changes
            if when == "after":
                raise Killed

        try:
            self.batches.judge(self.batch, news, write)
        except Killed:
            return False
        return when != "done"

    def _read(self, lines: Lines, states: dict[str, bytes]) -> list[StreamedNews]:
        by = StreamedReader(
            worker_reader(pack(ReadSettings(self.request.plan, self.request.layouts))),
            self.lateness_ms,
        )
        rows = []
        for name, some in lines.items():
            file = StreamedFile.unpacked(states[name]) if name in states else StreamedFile(name)
            rows += [(name, body) for body in news_bodies(file.take(some, by))]
            states[name] = file.packed()
        self.chance.shuffle(rows)
        return join_news(rows)

    def tables(self) -> Tables:
        """What the tables say now, by their changes."""
        now: Tables = {}
        for _, changes in sorted(self.written.items()):
            for table, change, key, row in changes:
                if change in ("found", "changed", "withdrawn"):
                    assert ((table, key) in now) == (change != "found")
                if change == "withdrawn":
                    assert now.pop((table, key)) == row
                else:
                    now[table, key] = row
        return now


def written_logs(folder: Path, chance: random.Random) -> dict[str, list[StreamedLine]]:
    """Logs of a host, rotated ones too, whose lines have numbers and times."""
    host = Host(folder, chance)
    for _ in range(chance.randint(1, 6)):
        host.write()
        if chance.random() < 0.3:
            host.rotate()
    logs = {}
    for path in host.logs():
        texts = path.read_bytes().splitlines()
        path.write_bytes(b"".join(text + b"\n" for text in texts))
        logs[path.name] = [
            StreamedLine(((True, number),), text, number * 100) for number, text in enumerate(texts)
        ]
    return logs


def in_triggers(logs: Lines, chance: random.Random, lateness_ms: int) -> Iterator[Lines]:
    """Cut lines into triggers: each file's in their order, or late by no more than they may be, and
    some of them twice.
    """
    arriving = []
    for name, lines in logs.items():
        for line in lines:
            assert line.at_ms is not None
            comes = [chance.randint(0, lateness_ms) for _ in range(1 + (chance.random() < 0.2))]
            if not lateness_ms:
                comes = [0]
            arriving += [(line.at_ms + late, name, line) for late in comes]
    arriving.sort(key=lambda entry: (entry[0], entry[1], entry[2].order))
    while arriving:
        count = chance.randint(1, max(1, len(arriving) // 2))
        some, arriving = arriving[:count], arriving[count:]
        chance.shuffle(some)
        yield {
            name: [line for _, of, line in some if of == name] for name in {of for _, of, _ in some}
        }


def expected_tables(request: JudgingRequest, folder: Path) -> Tables:
    report = finish_report(check_locally([folder], request), request)
    return {
        (table, key): row
        for table, rows in report_rows(report).items()
        for key, row in rows.items()
    }


def judged(tables: Tables) -> Tables:
    return {name: row for name, row in tables.items() if name[0] != OBSERVATIONS}


@SOME
@given(seed=st.integers(0, 10**6), lateness=st.sampled_from([0, 0, 700]))
def test_cuts_kills_and_late_lines_change_nothing(
    request_: JudgingRequest, tmp_path_factory: pytest.TempPathFactory, seed: int, lateness: int
) -> None:
    """The tables hold what a check finds, and what one trigger of everything says."""
    chance = random.Random(seed)
    folder = tmp_path_factory.mktemp("logs")
    logs = written_logs(folder, chance)
    spark = Spark(request_, tmp_path_factory.mktemp("state"), chance, lateness)
    for lines in in_triggers(logs, chance, lateness):
        spark.trigger(lines, kills=0.3)
    assert judged(spark.tables()) == expected_tables(request_, folder)
    whole = Spark(request_, tmp_path_factory.mktemp("state"), chance)
    whole.trigger(logs)
    assert spark.tables() == whole.tables()
    log = BatchLog(str(spark.checkpoint))
    with restored_stream(request_, log, spark.batch) as stream:
        stream_report = stream.report()
    assert_same(finish_report(check_locally([folder], request_), request_), stream_report)


def test_systems_are_judged_in_every_trigger(tmp_path: Path) -> None:
    """A rule of machines together is broken, or not, by what all files say."""
    example = Path(__file__).parents[2] / "examples" / "logs" / "stream_rebalance"
    request = make_request()
    logs = {
        path.relative_to(example).as_posix(): [
            StreamedLine(((True, number),), text)
            for number, text in enumerate(path.read_bytes().splitlines())
        ]
        for path in sorted(example.rglob("*.log"))
    }
    spark = Spark(request, tmp_path, random.Random(1))
    for part in range(2):
        halves = {
            name: lines[part * len(lines) // 2 : (part + 1) * len(lines) // 2]
            for name, lines in logs.items()
        }
        spark.trigger(halves)
    assert judged(spark.tables()) == expected_tables(request, example)
    assert {name for name, _ in spark.tables()} >= {OBSERVATIONS}


def test_a_line_that_comes_too_late_is_left_out_and_said(
    request_: JudgingRequest, tmp_path: Path
) -> None:
    """What was settled is not read again; nobody may take the tables for complete then."""
    texts = [b"Door d goes from CLOSED to OPEN", b"Door d goes from OPEN to CLOSED"]
    first, second = (
        StreamedLine(((True, number),), text, number) for number, text in enumerate(texts)
    )
    spark = Spark(request_, tmp_path, random.Random(1))
    spark.trigger({"house.log": [second]})
    spark.trigger({"house.log": [first, second]})
    with restored_stream(request_, BatchLog(str(tmp_path)), 2) as stream:
        problems = stream.report().sources[0].problems
    assert "1 line came too late or once more, and were left out" in problems


def test_a_checkpoint_of_other_specs_is_refused(tmp_path: Path) -> None:
    """What was read by other words cannot be read on."""
    log = BatchLog(str(tmp_path))
    keys = {"specs": "a", "layouts": "b", reading_keys.VERSION: "c"}
    log.refuse_other(keys)
    log.refuse_other(keys)
    with pytest.raises(CheckpointOutdated, match="with other specs"):
        log.refuse_other({**keys, "specs": "c"})


def test_a_checkpoint_of_another_version_that_keeps_the_same_is_taken_over(
    request_: JudgingRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who updates the package need not read all again; once, a sentence says what that means."""
    log = BatchLog(str(tmp_path))
    log.refuse_other(checkpoint_keys(request_))
    monkeypatch.setattr(reading_keys, "_sources_digest", lambda: "the next one")
    with pytest.warns(UserWarning, match="begun by another version .* judges all of them"):
        log.refuse_other(checkpoint_keys(request_))
    with warnings.catch_warnings(action="error"):
        log.refuse_other(checkpoint_keys(request_))


def test_a_checkpoint_of_a_version_that_keeps_other_values_is_refused(
    request_: JudgingRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What one version kept, another would take for something else; the sentence says what to do."""
    log = BatchLog(str(tmp_path))
    log.refuse_other(checkpoint_keys(request_))
    monkeypatch.setattr(reading_keys, "_sources_digest", lambda: "the next one")
    monkeypatch.setattr(stream_query, "form_digest", lambda *_, **__: "another")
    what = r"another version of statemachines and another form of what is kept: .* give a new place"
    with pytest.raises(CheckpointOutdated, match=what):
        log.refuse_other(checkpoint_keys(request_))


def test_records_of_many_triggers_are_few_files(request_: JudgingRequest, tmp_path: Path) -> None:
    """A stream runs for weeks: a file a trigger would be a million."""
    spark = Spark(request_, tmp_path, random.Random(1))
    for number in range(40):
        text = b"Door d goes from CLOSED to OPEN"
        spark.trigger({"house.log": [StreamedLine(((True, number),), text, number)]})
    assert len(list((tmp_path / batch_log.FOLDER).glob("*.batches"))) < 12
