"""Laws of `--state`: whatever became of the logs since, the report is that of a check of everything.

Covers: statemachines.conform.engines.state.judged_facts,
statemachines.conform.engines.state.kept_check, statemachines.conform.engines.state.kept_instances,
statemachines.conform.engines.state.kept_judgements,
statemachines.conform.engines.state.kept_passes, statemachines.conform.engines.state.kept_results,
statemachines.conform.engines.state.renumbering, statemachines.conform.checking, statemachines.conform.engines.file_reader,
statemachines.conform.engines.growing.content_readings,
statemachines.conform.engines.growing.fingerprints, statemachines.conform.engines.inputs,
statemachines.conform.engines.local, statemachines.conform.engines.state.kept_files,
statemachines.conform.engines.state.reading_keys, statemachines.conform.engines.state.state_folder,
statemachines.conform.engines.state.state_problems, statemachines.conform.interchange.check_plan,
statemachines.conform.engines.growing.raw_files.
"""

from __future__ import annotations

import random
import sqlite3
import warnings
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

import pytest
from attrs import define, evolve
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from statemachines.conform.checking import load_specs, make_plan
from statemachines.conform.engines import file_reader
from statemachines.conform.engines.growing import content_readings
from statemachines.conform.engines.inputs import Input, list_inputs
from statemachines.conform.engines.local import check_files
from statemachines.conform.engines.state import kept_passes
from statemachines.conform.engines.state.judged_facts import ChangedFacts
from statemachines.conform.engines.state.kept_check import check_kept_files
from statemachines.conform.engines.state.kept_instances import KeptInstances
from statemachines.conform.engines.state.reading_keys import other_keys_text, reading_keys
from statemachines.conform.engines.state.renumbering import Renumbering
from statemachines.conform.engines.state.state_folder import StateFolder
from statemachines.conform.engines.state.state_problems import StateWarning
from statemachines.conform.interchange.check_plan import CheckPlan
from statemachines.conform.interchange.observations import Observation
from statemachines.conform.judge.judgement_pass import JudgementPass
from statemachines.conform.judge.line_orders import LineRuns
from statemachines.logs import default_layouts
from statemachines.report.json_format import to_json
from tests.doors import House, line
from tests.effort import some_of
from tests.growing_logs import Host, RestlessHost

SOME = settings(
    max_examples=some_of(25),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@define
class Checks:
    """The same logs, checked with and without a state folder."""

    plan: CheckPlan
    host: Host
    state: Path

    def inputs(self) -> list[Input]:
        found = list_inputs([str(self.host.folder)], self.host.folder)
        return [entry for entry in found if isinstance(entry, Input)]

    def kept(self, *, timeline: bool = True) -> str:
        layouts = default_layouts()
        with StateFolder(self.state, reading_keys(self.plan, layouts)) as state:
            inputs = self.inputs()
            report = check_kept_files(self.plan, inputs, layouts, state, timeline=timeline)
        return "".join(to_json(report))

    def whole(self, *, timeline: bool = True) -> str:
        report = check_files(self.plan, self.inputs(), default_layouts(), timeline=timeline)
        return "".join(to_json(report))


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> CheckPlan:
    house = House(tmp_path_factory.mktemp("house"))
    return make_plan(load_specs([house.spec]).machines)


@pytest.fixture
def small_tails(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let short logs, of records of one line each, have a settled part of several pieces."""
    monkeypatch.setattr(content_readings, "TAIL_BYTES", 300)
    monkeypatch.setattr(file_reader, "READ_CHUNK_BYTES", 250)


def checks_of(
    plan: CheckPlan,
    tmp_path_factory: pytest.TempPathFactory,
    seed: int,
    host: type[Host] = Host,
) -> Checks:
    folder = tmp_path_factory.mktemp("host")
    (folder / "logs").mkdir()
    return Checks(plan, host(folder / "logs", random.Random(seed)), folder / "state")


@SOME
@given(seed=st.integers(0, 10**6))
@pytest.mark.usefixtures("small_tails")
@pytest.mark.parametrize("host", [Host, RestlessHost])
def test_ten_days_of_growth_and_rotation_give_the_reports_of_checks_of_everything(
    plan: CheckPlan, tmp_path_factory: pytest.TempPathFactory, host: type[Host], seed: int
) -> None:
    """Byte for byte: nobody can tell a check that kept its readings from one that did not."""
    checks = checks_of(plan, tmp_path_factory, seed, host)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(10):
            checks.host.one_day()
            assert checks.kept() == checks.whole()


def test_a_record_that_is_not_finished_yet_comes_out_right(
    plan: CheckPlan, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A line without its end, then its stack trace, with as much before it as settles."""
    checks = checks_of(plan, tmp_path_factory, 1)
    failure = line("Door d did not get from OPEN to CLOSED", 100_000, level="ERROR")
    trace = "java.lang.IllegalStateException: it is jammed\n\tat house.Door.close(Door.java:7)\n"
    padding = "".join(line(f"nothing of interest {n}", n) + "\n" for n in range(6_000))
    log = checks.host.folder / "house.log"
    log.write_text(padding)
    for piece in (failure[:-20], failure[-20:], "\n", trace, padding):
        with log.open("a") as written:
            written.write(piece)
        assert checks.kept() == checks.whole()
    assert "it is jammed" in checks.kept()


def test_a_stale_reading_would_be_noticed(
    plan: CheckPlan, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The law above has teeth: with fingerprints that are all the same, a rewritten log keeps the
    reading of the one before.
    """
    checks = checks_of(plan, tmp_path_factory, 1)
    log = checks.host.folder / "house.log"
    log.write_text(line("Door d goes from OPEN to CLOSED", 1) + "\n")
    checks.kept()
    log.write_text(line("Door d goes from GONE to CLOSED", 1) + "\n")
    from statemachines.conform.engines.growing.fingerprints import Fingerprint
    from statemachines.conform.engines.state import kept_files

    with monkeypatch.context() as patch:
        patch.setattr(kept_files, "fingerprint", lambda raw: Fingerprint(len(raw), b"same"))
        checks.kept()
        log.write_text(line("Door d goes from OPEN to JAMMED", 1) + "\n")
        assert checks.kept() != checks.whole()
    assert checks.kept() == checks.whole()


@pytest.mark.parametrize("fault", ["tail", "start", "settled"])
def test_a_fault_in_the_joining_of_old_and_new_is_noticed(
    plan: CheckPlan,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    small_tails: None,
    fault: str,
) -> None:
    """Each of three mistakes shows in one of a few days."""
    if fault == "tail":
        monkeypatch.setattr(content_readings, "settled_boundary", len)
    if fault == "start":
        pieces = file_reader.FileReader.pieces
        monkeypatch.setattr(
            file_reader.FileReader, "pieces", lambda *given: islice(pieces(*given), 1, None)
        )
    if fault == "settled":
        monkeypatch.setattr(StateFolder, "add_observations", lambda *_: None)
    differs = 0
    for seed in range(5):
        checks = checks_of(plan, tmp_path_factory, seed)
        for _ in range(6):
            checks.host.one_day()
            checks.host.write()
            try:
                differs += checks.kept() != checks.whole()
            except (KeyError, AttributeError):  # a profile of lines that nobody read
                differs += 1
    assert differs


def planted(monkeypatch: pytest.MonkeyPatch, fault: str) -> None:
    """Plant a mistake in what is kept of judgements."""

    def always(*_: object, **__: object) -> bool:
        return True

    if fault == "whatever a judgement rests on holds":
        monkeypatch.setattr(ChangedFacts, "hold", always)
    if fault == "numbers stay what they were":
        monkeypatch.setattr(Renumbering, "moved", lambda self, value: value)
    if fault == "rows keep the numbers that they were written with":
        monkeypatch.setattr(KeptInstances, "moved", lambda self, numbering, rows: rows)
    if fault == "judging goes on whatever comes":
        monkeypatch.setattr(KeptInstances, "_goes_on", always)
    if fault == "lines that are held are forgotten":
        fold = JudgementPass.fold
        monkeypatch.setattr(JudgementPass, "fold", lambda self: evolve(fold(self), held=()))
    if fault == "the end of a process touches no judgement":
        monkeypatch.setattr(kept_passes, "ended_with_process", lambda *_: False)
    if fault == "what was counted before is forgotten":
        monkeypatch.setattr(kept_passes, "_joined", lambda left, right: right)
    if fault == "what a log told near its end is never asked again":
        monkeypatch.setattr(KeptInstances, "_is_judged_to_the_end", always)


@pytest.mark.usefixtures("small_tails")
@pytest.mark.parametrize(
    "fault",
    [
        "whatever a judgement rests on holds",
        "numbers stay what they were",
        "rows keep the numbers that they were written with",
        "judging goes on whatever comes",
        "lines that are held are forgotten",
        "the end of a process touches no judgement",
        "what was counted before is forgotten",
        "what a log told near its end is never asked again",
    ],
)
def test_a_fault_in_what_is_kept_of_judgements_is_noticed(
    plan: CheckPlan,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    fault: str,
) -> None:
    """The law above has teeth: each of these mistakes shows within some days."""
    planted(monkeypatch, fault)
    timeline = fault != "what was counted before is forgotten"
    for seed in range(60):
        checks = checks_of(plan, tmp_path_factory, seed)
        for _ in range(10):
            checks.host.one_day()
            try:
                if checks.kept(timeline=timeline) != checks.whole(timeline=timeline):
                    return
            except (
                KeyError,
                TypeError,
                ValueError,
                IndexError,
                sqlite3.Error,
            ):  # it is noticed, rudely
                return
    raise AssertionError("nobody noticed")


def test_a_judgement_is_not_made_again_of_what_no_new_line_is_about(
    plan: CheckPlan, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two doors the one that moved goes on from where it was; the other is not looked at."""
    checks = checks_of(plan, tmp_path_factory, 1)
    log = checks.host.folder / "house.log"
    moves = [
        line(f"Door {door} goes from {move}", number)
        for number in range(0, 6_000, 2)
        for door in "de"
        for move in ("OPEN to CLOSED", "CLOSED to OPEN")
    ]
    more = [line("nothing of interest", 7_000)] * 4_000
    log.write_text("\n".join([*moves, *more]) + "\n")
    checks.kept()
    judged = [0]
    cut = LineRuns.cut

    def counted(self: LineRuns, observations: Iterable[Observation]):
        def noted() -> Iterator[Observation]:
            for seen in observations:
                judged[0] += 1
                yield seen

        return cut(self, noted())

    monkeypatch.setattr(LineRuns, "cut", counted)
    with log.open("a") as written:
        written.write(line("Door d goes from OPEN to CLOSED", 7_001) + "\n")
    kept = checks.kept()
    assert judged[0] == 1
    assert kept == checks.whole()


def test_other_options_have_all_judged_anew(
    plan: CheckPlan, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """What was judged by one release does not stand by another."""
    checks = checks_of(plan, tmp_path_factory, 1)
    moves = ("OPEN to CLOSED", "CLOSED to LOCKED", "LOCKED to GONE")
    told = [line(f"Door d goes from {move}", number) for number, move in enumerate(moves)]
    (checks.host.folder / "house.log").write_text("\n".join(told) + "\n")
    found = set()
    for release in ("1.0", "2.0", "1.0"):
        checks.plan = evolve(plan, options=evolve(plan.options, release=release))
        found.add(checks.kept())
        assert checks.kept() == checks.whole()
    assert len(found) == 2


def test_only_what_is_new_is_read(
    plan: CheckPlan, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hundredth more costs a hundredth and the tail; what was only moved costs nothing."""
    checks = checks_of(plan, tmp_path_factory, 1)
    log = checks.host.folder / "house.log"
    lines = [line(f"nothing of interest {n}", n) + "\n" for n in range(60_000)]
    log.write_text("".join(lines))
    scanned = [0]
    read = file_reader.FileReader._read_chunk

    def counted(
        self: file_reader.FileReader, number: int, buffer: bytes, start: int, end: int, **how: bool
    ):
        scanned[0] += end - start
        return read(self, number, buffer, start, end, **how)

    monkeypatch.setattr(file_reader.FileReader, "_read_chunk", counted)
    first = checks.kept()
    assert scanned[0] == log.stat().st_size > 2_500_000
    for change, most in (("nothing", 0), ("grown", 300_000), ("rotated", 0), ("packed", 200_000)):
        scanned[0] = 0
        if change == "grown":
            with log.open("a") as written:
                written.writelines(lines[:600])
        if change == "rotated":
            checks.host.rotate()
        if change == "packed":
            checks.host.chance = random.Random(1)
            while list(checks.host.folder.glob("house.log.1")):
                checks.host.pack()
        after = checks.kept()
        assert scanned[0] <= most, change
        assert (after == first) == (change == "nothing")
    assert after == checks.whole()


@pytest.mark.usefixtures("small_tails")
@pytest.mark.parametrize("pieces", range(1, 8))
def test_a_check_that_was_stopped_keeps_what_it_came_to_and_no_half(
    plan: CheckPlan, tmp_path_factory: pytest.TempPathFactory, pieces: int
) -> None:
    """Ctrl-C in the middle of a file: the next check is as good as any."""
    checks = checks_of(plan, tmp_path_factory, pieces)
    left = [pieces]

    def stop(done: int, whole: int) -> None:
        left[0] -= 1
        if not left[0]:
            raise KeyboardInterrupt

    for _ in range(4):
        for _ in range(8):
            checks.host.write()
        left[0] = pieces
        with StateFolder(checks.state, reading_keys(plan, default_layouts())) as state:
            inputs, layouts = checks.inputs(), default_layouts()
            report = check_kept_files(plan, inputs, layouts, state, progress=stop)
        assert report.interrupted == (left[0] <= 0)
        assert checks.kept() == checks.whole()


def test_what_the_state_was_made_with_is_looked_at(
    plan: CheckPlan, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Another version, other specs, another zone: all is read anew, and a sentence says why."""
    checks = checks_of(plan, tmp_path_factory, 1)
    checks.host.write()
    keys = reading_keys(plan, default_layouts())
    checks.kept()
    for name in keys:
        other = other_keys_text(keys, {**keys, name: "another"})
        assert other == f"{'other' if name in ('specs', 'layouts') else 'another'} {name}"
        with pytest.warns(StateWarning, match=f"was made with {other}; all is read anew"):
            StateFolder(checks.state, {**keys, name: "another"}).close()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StateWarning)
        assert checks.kept() == checks.whole()
