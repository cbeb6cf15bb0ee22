"""`check --follow` as a program: real files, pipes, rotation and signals.

Covers: statemachines.api.log_following, statemachines.cli.following.change_output,
statemachines.cli.following.follow_loop, statemachines.cli.following.hooked_commands,
statemachines.report.change_lines.
"""

from __future__ import annotations

import itertools
import json
import os
import queue
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import statemachines as sm
from statemachines.api import log_following
from statemachines.cli import main
from statemachines.cli.following import follow_loop, hooked_commands
from statemachines.cli.following.follow_loop import Keeping
from statemachines.cli.following.hooked_commands import HookedCommand
from statemachines.cli.following.watched_streams import WatchedStreams
from statemachines.model.evidence.changes import LogChange, LogChangeKind
from statemachines.report.change_lines import change_json, change_variables
from tests.hostile.bounded import SEAL, STEP
from tests.laws.test_followed_changes import CONN, FAMILY

ORDERS = str(Path(__file__).parents[3] / "examples" / "orders")
PATIENCE_S = 120
"""A machine that is busy with other tests takes its time."""
FOLLOW = [sys.executable, "-m", "statemachines.cli", "check", "--follow", "--spec", ORDERS]


def placed(order: int, second: int = 0) -> str:
    return (
        f"2026-11-21 12:00:{second:02}.000 INFO  [http-1] shop.Orders - order {order} was placed\n"
    )


def step(order: int, states: str, second: int = 1) -> str:
    return (
        f"2026-11-21 12:00:{second:02}.000 INFO  [http-1] shop.Orders - order {order}: {states}\n"
    )


class Following:
    """A follower that runs beside the test."""

    def __init__(self, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [*FOLLOW, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "NO_COLOR": "1", "COLUMNS": ""},
        )
        self._lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for text in self.process.stdout:
            self._lines.put(text.rstrip("\n"))
        self._lines.put("the end")

    def line(self) -> str:
        """The next line that it writes."""
        return self._lines.get(timeout=PATIENCE_S)

    def until(self, text: str) -> list[str]:
        """All lines up to one that holds a text."""
        lines = [self.line()]
        while text not in lines[-1] and lines[-1] != "the end":
            lines.append(self.line())
        assert text in lines[-1], lines
        return lines

    def write(self, text: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(text)
        self.process.stdin.flush()

    def end(self, number: int = signal.SIGINT) -> int:
        self.process.send_signal(number)
        return self.process.wait(PATIENCE_S)


@contextmanager
def following(*arguments: str) -> Iterator[Following]:
    found = Following(*arguments)
    try:
        yield found
    finally:
        if found.process.poll() is None:
            found.process.kill()
            found.process.wait(PATIENCE_S)
        for stream in (found.process.stdin, found.process.stdout, found.process.stderr):
            assert stream is not None
            stream.close()


@pytest.fixture(autouse=True)
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for logs, with none in it yet."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "logs").mkdir()
    return tmp_path / "logs" / "shop.log"


def append(log: Path, text: str) -> None:
    with log.open("a") as written:
        written.write(text)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_what_opens_heals_and_is_forbidden_is_said_as_it_comes(log: Path, number: int) -> None:
    """Through a half line and a rotation, and the report of it all comes at the end."""
    append(log, placed(6))
    with following("logs") as follower:
        assert follower.line() == "✗ order 6 is not paid   since 2026-11-21 12:00:00   shop.log:1"
        append(log, step(6, "NEW -> PAID")[:-4])
        append(log, step(6, "NEW -> PAID")[-4:])
        assert follower.line().startswith("○ healed: order 6 is not paid   2026-11-21 12:00:01")
        log.rename(log.with_name("shop.log.1"))
        append(log, placed(7, 2))
        assert follower.line().startswith("✗ order 7 is not paid")
        append(log, step(7, "NEW -> SHIPPED", 3))
        assert follower.line() == (
            "✗ forbidden: Order 7   2026-11-21 12:00:03   shop.log:2   NEW -> SHIPPED is not allowed"
        )
        assert "ended without having recovered" in follower.line()
        assert follower.end(number) == 1
        report = follower.until("the end")
        assert report[1].startswith("VIOLATED   1 process, 2 files, 4 lines")


def test_a_pipe_is_followed_to_its_end() -> None:
    """`kubectl logs -f app | statemachines check --follow -`: said before the pipe ends."""
    with following("-", "--fail-on", "never") as follower:
        follower.write(placed(7))
        assert follower.line().startswith("✗ order 7 is not paid")
        follower.write(step(7, "NEW -> PAID"))
        assert follower.line().startswith("○ healed")
        assert follower.process.stdin is not None
        follower.process.stdin.close()
        assert follower.process.wait(PATIENCE_S) == 0
        assert follower.line().startswith("HEALED   nothing is wrong now; order 7")
        assert follower.line().startswith("HOLDS   1 process, 2 lines")


def test_what_comes_faster_than_it_is_judged_waits_in_the_pipe(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two gigabytes that came through a pipe while others were judged were held in memory."""
    read, write = os.pipe()
    taken: list[bytes] = []
    monkeypatch.setattr(follow_loop, "_READ_BYTES", 100)
    monkeypatch.setattr(follow_loop, "_MOST_TAKEN", 250)
    follower, request = SimpleNamespace(feed=taken.append), SimpleNamespace(paths=("-",))
    with os.fdopen(read) as pipe:
        loop = follow_loop._Loop(
            follower,
            request,
            SimpleNamespace(stop=False, summary=False),
            WatchedStreams(pipe.fileno(), None, None),
            taken.extend,
        )
        os.write(write, b"x" * 400)
        assert loop._wait(600)
        assert sum(map(len, taken)) == 300
        os.close(write)
        assert not loop._wait(600)
        assert sum(map(len, taken)) == 400


def test_a_signal_asks_for_a_summary(log: Path) -> None:
    """Without ending anything."""
    append(log, placed(7))
    with following("logs") as follower:
        follower.line()
        follower.process.send_signal(signal.SIGUSR1)
        assert follower.line() == "ILL   order 7 is not paid since 12:00:00"
        assert follower.line().startswith("HOLDS   1 process, 1 line")
        append(log, step(7, "NEW -> PAID"))
        follower.until("○ healed: order 7")
        assert follower.end() == 0


@pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="the system has no such signal")
def test_a_signal_that_comes_while_specs_are_loaded_ends_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By itself it kills a process; the summary is that of no line."""
    follow = log_following.follow

    @contextmanager
    def asked_early(*arguments: Any, **options: Any) -> Iterator[Any]:
        signal.raise_signal(signal.SIGUSR1)
        with follow(*arguments, **options) as follower:
            yield follower

    end, start = os.pipe()
    os.write(start, placed(7).encode())
    os.close(start)
    unhandled: list[int] = []
    before = signal.signal(signal.SIGUSR1, lambda number, _: unhandled.append(number))
    monkeypatch.setattr(log_following, "follow", asked_early)
    monkeypatch.setattr(sys, "stdin", os.fdopen(end))
    try:
        assert main([*FOLLOW[3:], "-", "--fail-on", "never"]) == 0
    finally:
        sys.stdin.close()
        signal.signal(signal.SIGUSR1, before)
    assert unhandled == []
    said = [text.split("  ")[0] for text in capsys.readouterr().out.splitlines()]
    assert said[:2] == ["UNKNOWN", "INCONCLUSIVE"]
    assert [text for text in said[2:] if text in ("ILL", "HOLDS")] == ["ILL", "HOLDS"]


def test_programs_read_an_object_a_line(log: Path) -> None:
    """And how it stands as the last one."""
    append(log, placed(7))
    with following("logs", "--format", "jsonl") as follower:
        first = json.loads(follower.line())
        assert (first["change"], first["incident"]["title"]) == ("opened", "order 7 is not paid")
        append(log, step(7, "NEW -> SHIPPED"))
        kinds = [json.loads(follower.line())["change"] for _ in range(2)]
        assert kinds == ["forbidden", "healed"]
        assert follower.end() == 1
        last = json.loads(follower.line())
        assert (last["change"], last["verdict"]) == ("summary", "VIOLATED")


def test_another_form_is_written_at_the_end_and_changes_go_to_stderr(log: Path) -> None:
    """A report that is kept, and words for whoever looks meanwhile."""
    append(log, placed(7))
    with following("logs", "--format", "json", "-o", "report.json") as follower:
        assert follower.process.stderr is not None
        assert "order 7 is not paid" in follower.process.stderr.readline()
        assert follower.end() == 0
    report = json.loads(Path("report.json").read_text())
    main(["check", "logs", "--spec", ORDERS, "--format", "json", "-o", "whole.json", "--quiet"])
    assert report == json.loads(Path("whole.json").read_text())


def test_a_command_is_run_and_no_line_of_a_log_can_be_one(log: Path, tmp_path: Path) -> None:
    """What a log says is in the environment only."""
    append(log, placed(7))
    hook = 'echo "$STATEMACHINES_CHANGE $STATEMACHINES_TITLE ($STATEMACHINES_LINE)" >> said'
    with following("logs", "--exec", hook) as follower:
        follower.line()
        evil = f"order $(touch {tmp_path}/trapped) `touch {tmp_path}/trapped`; touch trapped"
        append(log, step(7, "NEW -> PAID") + f"2026-11-21 12:00:02.000 INFO shop.Orders - {evil}\n")
        follower.line()
        assert follower.end() == 0
    assert Path("said").read_text().splitlines() == [
        "opened order 7 is not paid (1)",
        "healed order 7 is not paid (1)",
    ]
    assert not Path("trapped").exists()


def test_what_a_command_was_not_run_for_is_said(log: Path) -> None:
    """Two orders that were placed and paid between two looks."""
    append(log, placed(1))
    with following("logs", "--exec", "echo ran >> said") as follower:
        follower.line()
        append(log, "".join(placed(order) + step(order, "NEW -> PAID") for order in (7, 8)))
        follower.until("8")
        assert follower.process.stderr is not None
        said = [follower.process.stderr.readline() for _ in range(2)]
        assert follower.end() == 0
    for order, line in zip((7, 8), said, strict=True):
        assert f"not run for order {order} is not paid: over when first seen" in line
    assert Path("said").read_text() == "ran\n"


def test_what_a_command_is_told_is_obeyed_by_no_terminal(tmp_path: Path) -> None:
    """It prints it, or mails it."""
    (tmp_path / "Seal.yaml").write_text(
        SEAL + "  episodes: {dry: {while: \"state == 'DRY'\", title: '{id} is dry'}}\n"
    )
    (tmp_path / "a.log").write_text(STEP.format("\x1b[31m7\x07\u202e\x9b"))
    (incident,) = sm.check(tmp_path / "a.log", specs=tmp_path / "Seal.yaml").incidents
    told = dict(change_variables(LogChange(LogChangeKind.OPENED, incident=incident)))
    assert "7" in told["STATEMACHINES_TITLE"]
    assert all(text.isprintable() for text in told.values()), told


def passed_at_once(folder: Path) -> list[LogChange]:
    """What is said where two orders were placed and one was paid between two looks."""
    log = folder / "shop.log"
    log.write_text("")
    with sm.follow(str(log), specs=ORDERS) as follower:
        follower.poll()
        log.write_text(placed(7) + placed(8) + step(7, "NEW -> PAID"))
        return follower.poll()


def test_what_opened_and_healed_in_one_turn_opened_as_it_was_then(tmp_path: Path) -> None:
    """A row that is `opened` and not open, with the time of its end, is of no use to a program."""
    rows = [json.loads(change_json(change)) for change in passed_at_once(tmp_path)]
    assert [(row["change"], row["incident"]["title"]) for row in rows] == [
        ("opened", "order 7 is not paid"),
        ("opened", "order 8 is not paid"),
        ("healed", "order 7 is not paid"),
    ]
    states = [(row["incident"]["ill"], row["incident"]["outcome"]) for row in rows]
    assert states == [(True, "open"), (True, "open"), (False, "healed")]
    assert [row["incident"]["until"] is None for row in rows] == [True, True, False]


def test_no_command_is_run_for_what_was_over_as_it_was_seen(tmp_path: Path) -> None:
    """An alarm for what is over wakes somebody for nothing."""
    said = tmp_path / "said"
    with HookedCommand(f'echo "$STATEMACHINES_CHANGE $STATEMACHINES_TITLE" >> {said}') as command:
        for change in passed_at_once(tmp_path):
            command.take(change)
    assert said.read_text() == "opened order 8 is not paid\n"


def test_a_command_that_hangs_does_not_keep_following_from_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever stops it has a reason, and the command may wait for ever."""
    monkeypatch.setattr(hooked_commands, "_LONGEST_WAIT_S", 0.3)
    began = time.monotonic()
    with HookedCommand("sleep 20") as command:
        for change in passed_at_once(tmp_path):
            command.take(change)
    assert time.monotonic() - began < 15
    assert "sleep 20: has not ended, and is no longer waited for" in capsys.readouterr().err


def test_commands_that_end_one_after_the_other_are_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many that take their time are not cut off."""
    monkeypatch.setattr(hooked_commands, "_LONGEST_WAIT_S", 5)
    said, (change, *_) = (
        tmp_path / "said",
        [each for each in passed_at_once(tmp_path) if not each.has_passed],
    )
    with HookedCommand(f"sleep 0.3; echo one >> {said}") as command:
        for _ in range(4):
            command.take(change)
    assert said.read_text() == "one\n" * 4


def test_after_a_restart_only_what_is_new_is_said(log: Path) -> None:
    """Also what became of it while nobody looked."""
    append(log, placed(7) + placed(8))
    with following("logs", "--state", "state") as follower:
        follower.line()
        follower.line()
        assert follower.end() == 0
    append(log, step(8, "NEW -> PAID"))
    with following("logs", "--state", "state") as follower:
        assert follower.line().startswith("○ healed: order 8")
        append(log, step(7, "NEW -> PAID", 2))
        assert follower.line().startswith("○ healed: order 7")
        assert follower.end() == 0
        assert follower.line().startswith("HEALED   nothing is wrong now; order 7")
        assert follower.line().startswith("HOLDS   1 process, 4 lines")


NODE = "2026-11-21 11:59:59.000 INFO  [main] net.main - This is node 7\n"
PUT_RIGHT = "the lines that came since put it right"
KNOWN = {
    "format": "statemachines.baseline/1",
    "findings": [{"kind": "broken rule", "instance": {"conn": 1}}],
    "incidents": [{"kind": "OPENING too long", "subject": {"conn": 1}}],
}


def dialled(conn: int, minute: int, second: int, states: str = "CLOSED => OPENING") -> str:
    when = f"2026-11-21 12:{minute:02}:{second:02}.000"
    return f"{when} INFO  [main] net.pool - connection {conn} {states}\n"


def told_row(row: str) -> tuple[str, object, str | None, str]:
    """What a row says, of whom, at which file's line, and why."""
    said = json.loads(row)
    it = said.get("finding") or {**said, **said.get("incident", {}).get("cause", {})}
    who = it.get("instance") or said.get("incident", {}).get("subject")
    return said["change"], who, it["file"] and f"{it['file']}:{it['line']}", said.get("why", "")


@pytest.mark.parametrize("is_killed", [False, True])
def test_what_becomes_of_what_the_baseline_knows_is_not_said(log: Path, is_killed: bool) -> None:
    """Nor after a restart without the baseline: nobody was told that it began. What was said is
    said to be withdrawn, and of whom, with its line.
    """
    Path("net").mkdir()
    Path("net/net.yaml").write_text(FAMILY)
    Path("net/Conn.yaml").write_text(
        CONN.replace("machine: Conn\n", "machine: Conn\nfamily: net\n")
    )
    Path("known.json").write_text(json.dumps(KNOWN))
    append(log, placed(6))
    late = NODE + "".join(dialled(conn, 0, 20, "OPENING => OPEN") for conn in (1, 2))
    follow = ["logs", "--spec", "net/Conn.yaml", "--state", "state", "--format", "jsonl"]
    with following(*follow, "--baseline", "known.json") as follower:
        assert "order 6 is not paid" in follower.line()
        append(
            log.with_name("a.log"), NODE + dialled(1, 0, 0) + dialled(2, 0, 1) + dialled(3, 1, 0)
        )
        begun = [told_row(follower.line()) for _ in range(2)]
        append(log, placed(8))
        assert "order 8 is not paid" in follower.line()  # so the rows before are noted
        if not is_killed:
            append(log.with_name("b.log"), late)
            ended = [told_row(follower.line()) for _ in range(2)]
            follower.end()
            rest = follower.until("the end")
    if is_killed:
        append(log.with_name("b.log"), late)
        with following(*follow) as follower:
            ended = [told_row(follower.line()) for _ in range(2)]
            follower.end()
            rest = follower.until("the end")
    assert sorted(begun, key=str) == [
        (what, {"conn": 2}, "a.log:3", "") for what in ("forbidden", "opened")
    ]
    assert ended == [("withdrawn", {"conn": 2}, "a.log:3", PUT_RIGHT)] * 2
    said_again = [row for row in rest if "order 8 is not paid" in row]  # it was being noted
    assert len(said_again) <= is_killed
    left = [json.loads(row)["change"] for row in rest[:-1] if row not in said_again]
    assert left == ["summary"]


def test_who_is_killed_again_and_again_comes_to_the_report_of_a_check(log: Path) -> None:
    """`kill -9` in the middle of a line, and a rotation while nobody looks: nothing is lost, and
    nothing counts twice.
    """
    for turn in range(3):
        shipped = step(turn, "NEW -> SHIPPED", 2 * turn + 1)
        with following("logs", "--state", "state", "--format", "jsonl") as follower:
            append(log, placed(turn, 2 * turn))
            assert f"order {turn} is not paid" in follower.until(f"order {turn} is not paid")[-1]
            append(log, shipped[:-9])
            follower.process.kill()
            assert follower.process.wait(PATIENCE_S) == -signal.SIGKILL
        append(log, shipped[-9:])
        if turn == 1:
            log.rename(log.with_name("shop.log.1"))
    append(log, placed(9, 9))
    with following("logs", "--state", "state", "--format", "json", "-o", "report.json") as follower:
        assert follower.process.stderr is not None
        while "order 9 is not paid" not in follower.process.stderr.readline():
            assert follower.process.poll() is None
        assert follower.end() == 1
    main(["check", "logs", "--spec", ORDERS, "--format", "json", "-o", "whole.json", "--quiet"])
    report = json.loads(Path("report.json").read_text())
    assert report == json.loads(Path("whole.json").read_text())
    assert len(report["findings"]) == 3


def write_orders(log: Path, enough: threading.Event, written: list[int]) -> None:
    """Four rows a second: each order is placed, and paid or shipped, which is forbidden."""
    for order in itertools.count():
        began, ended = (f"12:{order // 30:02}:{order % 30 * 2 + odd:02}" for odd in (0, 1))
        append(log, placed(order).replace("12:00:00", began))
        time.sleep(0.25)
        states = "NEW -> PAID" if order % 2 else "NEW -> SHIPPED"
        append(log, step(order, states).replace("12:00:01", ended))
        time.sleep(0.25)
        written.append(order)
        if enough.is_set():
            return


def said_by_who_is_killed(log: Path, kills: int, seed: int) -> tuple[Counter[str], list[int]]:
    """What is said, and how often, while orders are written and the follower is killed at random
    moments; and the orders.
    """
    enough, said, written, moments = threading.Event(), Counter[str](), [], random.Random(seed)
    writer = threading.Thread(target=write_orders, args=(log, enough, written))
    append(log, placed(9998))
    for turn in range(kills + 1):
        with following("logs", "--state", "state", "--format", "jsonl") as follower:
            if turn < kills:
                if turn % 4 != 3:  # else it is killed while it begins
                    said[event_of(follower.line())] += 1
                if turn == 0:
                    writer.start()
                time.sleep(moments.uniform(0, 2))
                follower.process.kill()
            else:
                enough.set()
                writer.join()
                append(log, placed(9999))
                said.update(event_of(row) for row in follower.until("order 9999 is"))
                follower.process.send_signal(signal.SIGINT)
            follower.process.wait(PATIENCE_S)
            said.update(event_of(row) for row in follower.until("the end")[:-1])
    return said, written


def event_of(row: str) -> str:
    """What a row says, without what may change about it."""
    said = json.loads(row)
    row = said.get("incident") or said.get("finding") or {}
    subject = row.get("subject") or row.get("instance") or {}
    return f"{said['change']} {subject.get('order')}"


def expected_sayings(orders: list[int]) -> set[str]:
    """Of each order that it opened and what became of it."""
    said = {f"{what} {order}" for order in orders for what in ("opened", "healed")}
    return said | {f"forbidden {order}" for order in orders if order % 2 == 0}


@pytest.mark.parametrize("kills", [3, pytest.param(10, marks=pytest.mark.long)])
def test_what_is_said_while_killed_again_and_again_is_said_once(log: Path, kills: int) -> None:
    """Nothing is lost, and a kill costs at most the row that was being written."""
    said, orders = said_by_who_is_killed(log, kills, seed=kills)
    assert set(said) == {*expected_sayings(orders), "opened 9998", "opened 9999", "summary None"}
    again = {event: times for event, times in said.items() if times > 1}
    assert said.total() - len(said) <= kills, again


def test_the_last_line_of_a_pipe_counts_without_its_line_feed() -> None:
    """What the summary knows, whoever listens to changes was told."""
    with following("-", "--fail-on", "never") as follower:
        follower.write(placed(7) + step(7, "NEW -> PAID").rstrip("\n"))
        assert follower.line().startswith("✗ order 7 is not paid")
        assert follower.process.stdin is not None
        follower.process.stdin.close()
        assert follower.line().startswith("○ healed")
        assert follower.line().startswith("HEALED")


def test_a_named_pipe_is_not_followed_in_silence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It would be a file without a line for ever; the message says how its lines are read."""
    os.mkfifo(tmp_path / "a pipe")
    assert main(["check", "--follow", "a pipe"]) == 2
    assert "statemachines check --follow - < 'a pipe'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["logs", "--format", "jsonl"], "goes with --follow"),
        (["logs", "--exec", "true"], "goes with --follow"),
        (["-", "--follow", "--state", "state"], "not known again after a restart"),
        (["logs", "--follow", "--engine", "spark"], "leave Spark out"),
        (["logs", "--follow", "--format", "jsonl", "-o", "x"], "written as it comes"),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """One of them would be passed over in silence."""
    assert main(["check", *arguments]) == 2
    assert said in capsys.readouterr().err


def test_what_was_said_is_not_said_again_by_who_was_killed_right_after(tmp_path: Path) -> None:
    """The folder is written as soon as something was said, not once a minute."""
    logs = tmp_path / "logs"
    logs.mkdir(exist_ok=True)
    (logs / "shop.log").write_text(placed(7))
    with sm.follow(str(logs), specs=ORDERS, state=str(tmp_path / "state")) as follower:
        keeping = Keeping(follower)
        news = follower.poll()
        assert [change.kind.value for change in news] == ["opened"]
        keeping.keep_if_due(anything_said=True)
        shutil.copytree(tmp_path / "state", tmp_path / "killed")
    with sm.follow(str(logs), specs=ORDERS, state=str(tmp_path / "killed")) as follower:
        assert follower.poll() == []
