"""Laws of `--follow`: what it knows of logs at any moment is what a check of them would find.

Covers: statemachines.conform.check_options, statemachines.conform.checking,
statemachines.conform.engines.follow.followed_files,
statemachines.conform.engines.follow.followed_log,
statemachines.conform.engines.follow.followed_observations,
statemachines.conform.engines.follow.follower, statemachines.conform.engines.follow.live_judging,
statemachines.conform.engines.follow.log_reading, statemachines.conform.engines.follow.pipe_window,
statemachines.conform.engines.follow.state_keeping,
statemachines.conform.engines.growing.content_readings, statemachines.conform.join.report_changes,
statemachines.model.evidence.changes.
"""

from __future__ import annotations

import random
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from statemachines.conform.check_options import CheckOptions
from statemachines.conform.checking import (
    JudgingRequest,
    check_locally,
    finish_report,
    make_request,
)
from statemachines.conform.engines.follow import followed_observations, live_judging
from statemachines.conform.engines.follow.followed_observations import FollowedObservations
from statemachines.conform.engines.follow.follower import FollowedPaths, Follower
from statemachines.conform.engines.follow.pipe_window import PipeWindow
from statemachines.conform.engines.growing import content_readings
from statemachines.conform.engines.state.reading_keys import reading_keys
from statemachines.conform.engines.state.state_folder import StateFolder
from statemachines.conform.engines.state.state_problems import StateWarning
from statemachines.conform.interchange.observations import Observation
from statemachines.conform.join.report_changes import ReportedChanges
from statemachines.conform.judge.line_orders import LineRuns
from statemachines.model.evidence.changes import LogChangeKind
from statemachines.model.evidence.reports import Report
from statemachines.model.evidence.verdicts import Verdict
from statemachines.report.json_format import to_json
from tests.doors import House, line
from tests.effort import some_of
from tests.growing_logs import STATES, Host, RestlessHost
from tests.unit.report.handmade import EMPTY, FULL

SOME = settings(
    max_examples=some_of(20),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@pytest.fixture(scope="module")
def request_(tmp_path_factory: pytest.TempPathFactory) -> JudgingRequest:
    house = House(tmp_path_factory.mktemp("house"))
    return make_request(CheckOptions(specs=[house.spec]))


@pytest.fixture(params=[1, 10**6], ids=["on disk", "in memory"])
def kept(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Observations settle early, and lie on disk or in memory; records are of one line."""
    monkeypatch.setattr(content_readings, "TAIL_BYTES", 300)
    monkeypatch.setattr(FollowedObservations.__init__, "__defaults__", (request.param,))


def checked(request: JudgingRequest, folder: Path) -> Report:
    return finish_report(check_locally([folder], request), request)


def opened(request: JudgingRequest, logs: Path, state: Path, stack: ExitStack) -> Follower:
    """A follower of a folder, which goes on where the one before it ended."""
    keys = reading_keys(request.plan, request.layouts)
    kept = stack.enter_context(StateFolder(state, keys))
    return stack.enter_context(Follower([str(logs)], request, kept))


def violated(report: Report) -> Counter[tuple[object, ...]]:
    """What nobody may do and somebody did: with whom, when, from where to where, how often."""
    told = Counter[tuple[object, ...]]()
    for found in report.findings:
        if found.verdict is Verdict.VIOLATED:
            who = found.kind, found.machine, found.instance, found.process
            told[(*who, found.at, found.source, found.target, found.message)] += found.count
    return told


@SOME
@given(seed=st.integers(0, 10**6))
@pytest.mark.usefixtures("kept")
def test_what_is_followed_is_what_a_check_would_find(
    request_: JudgingRequest, tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    """Through writing, rotation and packing, the report is the same byte for byte, and so is what
    is known between reports.
    """
    host = Host(tmp_path_factory.mktemp("logs"), random.Random(seed))
    host.write()
    with Follower([str(host.folder)], request_) as follower:
        for _ in range(8):
            for _ in range(host.chance.randint(0, 2)):
                host.chance.choice([host.write, host.write, host.rotate, host.pack])()
            follower.poll()
        whole = checked(request_, host.folder)
        assert "".join(to_json(follower.report(to_the_end=True))) == "".join(to_json(whole))
        follower.poll()
        assert follower.latest is not None
        assert violated(follower.latest) == violated(whole)
        assert follower.latest.episodes == whole.episodes


@SOME
@given(seed=st.integers(0, 10**6))
@pytest.mark.usefixtures("kept")
def test_what_is_copied_cut_and_packed_is_followed(
    request_: JudgingRequest, tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    """In the middle of a line, between two looks, by several programs that tell of the same doors,
    and over restarts: where nothing is lost the report is that of a check.
    """
    folder, chance = tmp_path_factory.mktemp("host"), random.Random(seed)
    (folder / "logs").mkdir()
    host = RestlessHost(folder / "logs", chance)
    host.write()
    with ExitStack() as stack:
        follower = opened(request_, host.folder, folder / "state", stack)
        for _ in range(8):
            for _ in range(chance.randint(0, 2)):
                chance.choice(host.keeping)()
            follower.poll()
            if chance.random() < 0.3:
                follower.keep()
                stack.close()
                follower = opened(request_, host.folder, folder / "state", stack)
                follower.poll()
        whole = checked(request_, host.folder)
        assert "".join(to_json(follower.report(to_the_end=True))) == "".join(to_json(whole))


def test_what_is_renamed_before_it_is_kept_is_kept(
    request_: JudgingRequest, tmp_path: Path
) -> None:
    """A rotation between reading and writing the state folder ended who followed."""
    log = tmp_path / "logs" / "house.log"
    log.parent.mkdir()
    log.write_text(line("Door d goes from CLOSED to OPEN", 1) + "\n")
    for at, step in ((2, "OPEN to CLOSED"), (3, "CLOSED to OPEN")):
        with ExitStack() as stack:
            follower = opened(request_, log.parent, tmp_path / "state", stack)
            follower.poll()
            log.rename(log.with_suffix(f".log.{1 + len(list(log.parent.iterdir()))}"))
            follower.keep()
            log.write_text(line(f"Door d goes from {step}", at) + "\n")
            follower.poll()
            follower.keep()
            whole = checked(request_, log.parent)
            assert follower.report().checked.steps == whole.checked.steps


@pytest.mark.usefixtures("kept")
def test_what_is_truncated_before_it_is_kept_counts_once(
    request_: JudgingRequest, tmp_path: Path
) -> None:
    """Who is killed then reads the copy that was made of it: lines that were kept behind the
    reading that was kept before were read again with that one, and counted twice.
    """
    steps = ["CLOSED to OPEN", "OPEN to CLOSED"] * 20
    lines = [f"{line(f'Door d goes from {step}', at)}\n" for at, step in enumerate(steps, 1)]
    (tmp_path / "logs").mkdir()
    log = tmp_path / "logs" / "house.log"
    with ExitStack() as stack:
        follower = opened(request_, log.parent, tmp_path / "state", stack)
        log.write_text("".join(lines[:20]))
        follower.poll()
        follower.keep()
        log.write_text("".join(lines))
        follower.poll()
        log.with_name("house.log.1").write_bytes(log.read_bytes())
        log.write_text("")
        follower.keep()
    with ExitStack() as stack:
        follower = opened(request_, log.parent, tmp_path / "state", stack)
        follower.poll()
        whole = checked(request_, log.parent)
        assert "".join(to_json(follower.report())) == "".join(to_json(whole))


@pytest.mark.parametrize("room", [0, 2, 5])
@pytest.mark.usefixtures("kept")
def test_a_disk_that_fills_up_ends_no_following(
    request_: JudgingRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: int
) -> None:
    """The state folder stays as it was, and who is started again goes on from there: when a disk is
    full is when somebody wants to know what goes wrong.
    """
    logs, prepared = tmp_path / "logs", StateFolder._prepared
    logs.mkdir()

    def small(folder: StateFolder) -> sqlite3.Connection:
        database = prepared(folder)
        (pages,) = database.execute("PRAGMA page_count").fetchone()
        database.execute(f"PRAGMA max_page_count = {pages + room}")
        return database

    monkeypatch.setattr(StateFolder, "_prepared", small)
    with ExitStack() as stack:
        stack.enter_context(pytest.warns(StateWarning, match="disk is full"))
        follower = opened(request_, logs, tmp_path / "state", stack)
        for round_ in range(20):
            for name in ("one", "two"):
                with (logs / f"{name}.log").open("a") as log:
                    log.writelines(
                        f"{line(f'Door {name}{round_} goes from {step}', 9 * round_ + at)}\n"
                        for at, step in enumerate(["CLOSED to OPEN", "OPEN to CLOSED"] * 10)
                    )
            follower.poll()
            follower.keep()
        whole = "".join(to_json(checked(request_, logs)))
        assert "".join(to_json(follower.report())) == whole
    monkeypatch.setattr(StateFolder, "_prepared", prepared)
    with ExitStack() as stack:
        assert "".join(to_json(opened(request_, logs, tmp_path / "state", stack).report())) == whole


@pytest.mark.usefixtures("kept")
def test_logs_that_hold_the_same_are_followed_apart_over_restarts(
    request_: JudgingRequest, tmp_path: Path
) -> None:
    """A restart took one for a copy of the other, and what came then was kept as that one's."""
    steps = ["CLOSED to OPEN", "OPEN to CLOSED"] * 20
    same = "".join(f"{line(f'Door d goes from {step}', at)}\n" for at, step in enumerate(steps, 1))
    for name in ("one", "two"):
        (tmp_path / "logs" / name).mkdir(parents=True)
        (tmp_path / "logs" / name / "house.log").write_text(same)
    for at in range(4):
        with ExitStack() as stack:
            follower = opened(request_, tmp_path / "logs", tmp_path / "state", stack)
            follower.poll()
            whole = checked(request_, tmp_path / "logs")
            assert "".join(to_json(follower.report())) == "".join(to_json(whole))
            for name in ("one", "two") if at else ():
                with (tmp_path / "logs" / name / "house.log").open("a") as log:
                    log.writelines(
                        f"{line(f'Door {name}{at} goes from {step}', 50 * at + more)}\n"
                        for more, step in enumerate(steps)
                    )
            follower.poll()
            follower.keep(is_last=at == 2)


def test_a_copy_stays_one_over_a_restart(request_: JudgingRequest, tmp_path: Path) -> None:
    """A restart between the copy and the cut of a rotation would count each line twice."""
    logs = tmp_path / "logs"
    logs.mkdir()
    log = logs / "house.log"
    log.write_text(line("Door d goes from CLOSED to OPEN", 1) + "\n")
    with ExitStack() as stack:
        follower = opened(request_, logs, tmp_path / "state", stack)
        follower.poll()
        (logs / "house.log.1").write_bytes(log.read_bytes())
        follower.poll()
        follower.keep()
    with ExitStack() as stack:
        follower = opened(request_, logs, tmp_path / "state", stack)
        follower.poll()
        assert follower.report().checked.lines == 1
        log.write_text(line("Door d goes from OPEN to CLOSED", 2) + "\n")
        follower.poll()
        follower.poll()
        whole = checked(request_, logs)
        assert "".join(to_json(follower.report())) == "".join(to_json(whole))


@pytest.mark.usefixtures("kept")
def test_a_line_costs_no_more_where_its_instance_has_many(
    request_: JudgingRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever follows logs for weeks judges what is new, and not again what was before."""
    moves = ("OPEN to CLOSED", "CLOSED to OPEN")
    log, judged = tmp_path / "house.log", [0]
    cut = LineRuns.cut

    def counted(self: LineRuns, observations: Iterable[Observation]):
        told = list(observations)
        judged[0] += len(told)
        return cut(self, told)

    monkeypatch.setattr(LineRuns, "cut", counted)
    with Follower([str(tmp_path)], request_) as follower:
        for number in range(200):
            with log.open("a") as written:
                written.write(line(f"Door d goes from {moves[number % 2]}", number) + "\n")
            follower.poll()
        assert follower.latest is not None
        assert follower.latest.checked.steps == 200
        assert judged[0] < 200 * 10


@pytest.mark.parametrize("fault", ["new lines are forgotten", "folds outlive a release"])
def test_a_fault_in_going_on_is_noticed(
    request_: JudgingRequest,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    fault: str,
) -> None:
    """The law above has teeth: each of these mistakes shows within some histories."""
    monkeypatch.setattr(content_readings, "TAIL_BYTES", 300)
    if fault == "new lines are forgotten":
        monkeypatch.setattr(FollowedObservations, "take_fresh", lambda self, teller: [])
    if fault == "folds outlive a release":
        monkeypatch.setattr(live_judging, "is_same", lambda *_: True)
    for seed in range(30):
        folder, chance = tmp_path_factory.mktemp("logs"), random.Random(seed)
        told = []
        for _ in range(60):
            a, b = chance.choice(STATES), chance.choice(STATES)
            told.append(f"Door d goes from {a} to {b}")
        told[chance.randint(40, 59)] = "House software version 1.0"
        with Follower([str(folder)], request_) as follower:
            for at, text in enumerate(told):
                with (folder / "house.log").open("a") as log:
                    log.write(line(text, at) + "\n")
                if at % 3 == 2:
                    follower.poll()
            follower.poll()
            whole = checked(request_, folder)
            assert follower.latest is not None
            if violated(follower.latest) != violated(whole):
                return
    raise AssertionError("nobody noticed")


@SOME
@given(seed=st.integers(0, 10**6))
@pytest.mark.usefixtures("kept")
def test_a_pipe_is_judged_as_a_file_is(
    request_: JudgingRequest, tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    """However its bytes come."""
    chance = random.Random(seed)
    host = Host(tmp_path_factory.mktemp("logs"), chance)
    with Follower(["-"], request_) as follower:
        content = b""
        for _ in range(10):
            piece = host.text().encode()
            content += piece
            follower.feed(piece)
            if chance.random() < 0.7:
                follower.poll()
        (host.folder / "-").write_bytes(content)
        whole = checked(request_, host.folder)
        assert "".join(to_json(follower.report(to_the_end=True))) == "".join(to_json(whole))


@pytest.mark.usefixtures("kept")
def test_everything_is_said_once(
    request_: JudgingRequest, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """What opened is over or still open at the end; nothing is said twice, whatever was rotated."""
    for seed in range(5):
        host = Host(tmp_path_factory.mktemp("logs"), random.Random(seed))
        with Follower([str(host.folder)], request_) as follower:
            said = follower.poll()
            for _ in range(12):
                host.chance.choice([host.write, host.write, host.write, host.rotate, host.pack])()
                said += follower.poll()
            said += [*follower.poll(), *follower.poll()]
            withdrawn = sum(change.kind is LogChangeKind.WITHDRAWN for change in said)
            findings = [str(c.finding) for c in said if c.kind is LogChangeKind.FORBIDDEN]
            assert len(set(findings)) == len(findings)
            assert follower.latest is not None
            found = {f for f in follower.latest.findings if f.verdict is Verdict.VIOLATED}
            assert abs(len(findings) - len(found)) <= withdrawn


@pytest.mark.parametrize("how", ["cut", "copied and cut", "replaced", "deleted"])
def test_what_was_read_of_a_log_that_is_gone_stays_known(
    request_: JudgingRequest, tmp_path: Path, how: str
) -> None:
    """A door that was opened in it is not forgotten, and no line counts twice."""
    log = tmp_path / "house.log"
    log.write_text(line("Door d goes from CLOSED to OPEN", 1) + "\n")
    with Follower([str(tmp_path)], request_) as follower:
        follower.poll()
        if how == "copied and cut":
            (tmp_path / "house.log.1").write_bytes(log.read_bytes())
            follower.poll()
        if how in ("replaced", "deleted"):
            log.unlink()
        if how == "deleted":
            follower.poll()
        log.write_text(
            line("Door d goes from OPEN to CLOSED", 3) + "\n" if how != "deleted" else ""
        )
        follower.poll()
        follower.poll()
        report = follower.report()
        steps = 1 if how == "deleted" else 2
        assert (report.checked.steps, report.checked.lines) == (steps, steps)
        assert report.verdict is Verdict.HOLDS
        names = {source.file for source in report.sources if source.lines}
        old = "house.log.1" if how == "copied and cut" else "house.log (rotated away 1)"
        assert old in names


def test_files_that_are_renamed_while_they_are_looked_at_are_all_seen(
    request_: JudgingRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else what the missed one told would be taken for undone, and then said once more."""
    for number, door in ((1, "d"), (2, "e")):
        text = line(f"Door {door} goes from CLOSED to OPEN", number) + "\n"
        (tmp_path / f"house.log.{number}").write_text(text)
    files, renamed = FollowedPaths.files, list[str]()

    def seen(*arguments: object) -> Iterator[tuple[str, Path]]:
        for name, path in list(files(*arguments)):
            yield name, path
            if not renamed:
                renamed.append(name)
                for number in (2, 1):
                    (tmp_path / f"house.log.{number}").rename(tmp_path / f"house.log.{number + 1}")

    monkeypatch.setattr(FollowedPaths, "files", seen)
    with Follower([str(tmp_path)], request_) as follower:
        follower.poll()
        assert follower.latest is not None
        assert follower.latest.checked.instances == 2


def test_a_change_that_a_later_line_undoes_is_withdrawn() -> None:
    """A banner may say that the release is one in which the step was legal all the same."""
    told = ReportedChanges()
    assert told.update(EMPTY) == []
    kinds = [change.kind for change in told.update(FULL)]
    assert kinds.count(LogChangeKind.FORBIDDEN) == 1
    assert told.update(FULL) == []
    told = ReportedChanges.from_text(told.as_text())
    undone = told.update(EMPTY)
    assert [change.kind for change in undone] == [LogChangeKind.WITHDRAWN] * 2
    assert all(change.machine and change.subject and change.place for change in undone)
    assert all(change.why == "the lines that came since put it right" for change in undone)
    assert ReportedChanges.from_text(told.as_text()) == told


def test_what_was_known_before_the_first_look_is_not_withdrawn() -> None:
    """Nobody was told of a step that was forbidden then; of what went on then somebody was."""
    told = ReportedChanges()
    assert [change.kind for change in told.update(FULL)] == [LogChangeKind.OPENED]
    assert [change.kind for change in told.update(EMPTY)] == [LogChangeKind.WITHDRAWN]


def test_a_pipe_takes_no_memory_for_what_is_settled() -> None:
    """Weeks of lines go through."""
    window = PipeWindow()
    for number in range(200):
        window.append(bytes([number % 256]) * 100_000)
        window.settle(window.size - 1_000)
    assert window.size == 20_000_000
    assert window.kept_bytes < 2_000_000
    assert window.read_range(0, 2) == b"\0\0"
    assert window.read_range(100_000, 100_001) == b"\1"
    assert window.read_range(window.size - 1, window.size) == bytes([199])
    assert len(window.read_range(0, window.size)) == window.size


def test_a_follower_that_misses_what_is_new_is_noticed(
    request_: JudgingRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The laws above have teeth."""
    log = tmp_path / "house.log"
    log.write_text(line("Door d goes from CLOSED to OPEN", 1) + "\n")
    with Follower([str(tmp_path)], request_) as follower:
        follower.poll()
        monkeypatch.setattr(followed_observations.FollowedObservations, "tellers", ())
        assert follower.report().checked.steps == 0
