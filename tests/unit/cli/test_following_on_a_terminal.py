"""`check --follow` where a person looks: the key, jobs in the background, terminals that close, and
readers that go.

Covers: statemachines.cli.following.watched_streams, statemachines.cli.outcomes.termination,
statemachines.model.end_signals.
"""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from statemachines.cli.following import hooked_commands
from statemachines.cli.following.hooked_commands import HookedCommand
from statemachines.cli.following.watched_streams import WatchedTerminal
from tests.unit.cli.test_following import FOLLOW, PATIENCE_S, append, passed_at_once, placed

LEADER = """
import fcntl, os, signal, subprocess, sys, termios
fcntl.ioctl(1, termios.TIOCSCTTY, 0)
signal.signal(signal.SIGINT, signal.SIG_IGN)
group = 0 if sys.argv[1] == "background" else None
heed = lambda: signal.signal(signal.SIGINT, signal.default_int_handler)
command = subprocess.Popen(sys.argv[2:], process_group=group, preexec_fn=heed)
signal.signal(signal.SIGTERM, lambda *_: command.kill())
sys.exit(command.wait())
"""
"""Begins a session on a terminal, and runs a command there; a termination ends both."""


def wait_until(is_so: Callable[[], bool]) -> None:
    """Wait until something is so."""
    due = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < due
        time.sleep(0.02)  # waits for another process, and leaves it the machine


class Terminal:
    """A terminal with a command that runs on it."""

    def __init__(self, way: str, arguments: list[str], *, is_piped: bool) -> None:
        self.handle, end = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-c", LEADER, way, *FOLLOW, *arguments],
            stdin=subprocess.PIPE if is_piped else end,
            stdout=end,
            stderr=end,
            start_new_session=True,
            env={**os.environ, "NO_COLOR": "1", "COLUMNS": "100", "TERM": "xterm"},
        )
        os.close(end)
        self.shown = ""

    def until(self, text: str) -> None:
        """Read what is shown up to a text."""
        due = time.monotonic() + PATIENCE_S
        while text not in self.shown:
            assert time.monotonic() < due, self.shown
            if select.select([self.handle], [], [], 0.1)[0]:
                self.shown += os.read(self.handle, 4096).decode(errors="replace")
        self.shown = self.shown.partition(text)[2]

    def press(self, keys: bytes) -> None:
        os.write(self.handle, keys)

    def pipe(self, text: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(text.encode())
        self.process.stdin.flush()


@contextmanager
def on_terminal(
    *arguments: str, way: str = "foreground", is_piped: bool = False
) -> Iterator[Terminal]:
    terminal = Terminal(way, list(arguments), is_piped=is_piped)
    try:
        yield terminal
    finally:
        terminal.process.terminate()
        terminal.process.wait(PATIENCE_S)
        os.close(terminal.handle)  # before, it would end the leader of the session alone
        if terminal.process.stdin is not None:
            terminal.process.stdin.close()


@pytest.fixture(autouse=True)
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for logs, with none in it yet."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "logs").mkdir()
    return tmp_path / "logs" / "shop.log"


def test_enter_asks_for_a_summary_while_the_log_comes_through_a_pipe() -> None:
    """`kubectl logs -f app | statemachines check --follow -`: standard input is the log, and the
    key is on the terminal.
    """
    with on_terminal("-", is_piped=True) as terminal:
        terminal.pipe(placed(7))
        terminal.until("order 7 is not paid")
        terminal.press(b"\n")
        terminal.until("HOLDS   1 process, 1 line")
        terminal.pipe(placed(8))
        terminal.until("order 8 is not paid")
        terminal.press(b"\x03")
        assert terminal.process.wait(PATIENCE_S) == 0


def test_nothing_is_taken_while_somebody_types_a_password() -> None:
    """`ssh host tail -f log | statemachines check --follow -` asks on the same terminal."""
    handle, end = pty.openpty()
    try:
        shown = termios.tcgetattr(end)
        assert WatchedTerminal(end, is_input=False).is_ours() is False  # of no session: not ours
        hidden = [*shown[:3], shown[3] & ~termios.ECHO, *shown[4:]]
        termios.tcsetattr(end, termios.TCSANOW, hidden)
        program = "import fcntl, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0)\n" + (
            "from statemachines.cli.following.watched_streams import WatchedTerminal as T\n"
            "print(T(0, is_input=False).is_ours(), T(0, is_input=True).is_ours())\n"
        )
        told = list[str]()
        for state in (hidden, shown):
            termios.tcsetattr(end, termios.TCSANOW, state)
            told.append(
                subprocess.run(
                    [sys.executable, "-c", program],
                    stdin=end,
                    stdout=subprocess.PIPE,
                    text=True,
                    start_new_session=True,
                    check=True,
                ).stdout
            )
        assert told == ["False True\n", "True True\n"]
    finally:
        os.close(handle)
        os.close(end)


def test_typing_stops_no_follower_in_the_background(log: Path) -> None:
    """`check --follow logs &`, and the shell is used on: who reads there is stopped by the system."""
    append(log, placed(7))
    with on_terminal("logs", way="background") as terminal:
        terminal.until("order 7 is not paid")
        terminal.press(b"echo hello\n")
        terminal.until("echo hello")
        append(log, placed(8))
        terminal.until("order 8 is not paid")


def test_a_terminal_that_closes_ends_with_the_report(log: Path, tmp_path: Path) -> None:
    """As Ctrl-C does; the signal comes from the shell and from the system."""
    append(log, placed(7))
    file = tmp_path / "report.txt"
    with on_terminal("logs", "-o", str(file)) as terminal:
        terminal.until("order 7 is not paid")
        group = os.getpgid(terminal.process.pid)
        os.killpg(group, signal.SIGHUP)
        wait_until(file.exists)
    assert file.read_text("utf-8").startswith("ILL   order 7 is not paid")


def test_who_is_started_by_nohup_stays(log: Path) -> None:
    """It ignores the signal, and is not made to heed it."""
    append(log, placed(7))
    with subprocess.Popen(
        [*FOLLOW, "logs"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGHUP)
        append(log, placed(8))
        assert b"order 8" in process.stdout.readline()
        process.terminate()
        process.stdout.read()
        assert process.wait(PATIENCE_S) == 0


def test_following_ends_when_its_reader_does_though_nothing_changes(log: Path) -> None:
    """`check --follow logs --format jsonl | head -1` waited for the next change."""
    append(log, placed(7))
    with subprocess.Popen(
        [*FOLLOW, "logs", "--format", "jsonl"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert b'"opened"' in process.stdout.readline()
        process.stdout.close()
        assert process.wait(PATIENCE_S) == 0
        assert process.stderr.read() == b""


def test_a_command_outlives_ctrl_c(log: Path, tmp_path: Path) -> None:
    """A terminal sends it to all that it runs: the page that was just being sent was lost."""
    append(log, placed(7))
    hook = "touch began; until [ -e go ]; do sleep 0.05; done; touch done"
    with subprocess.Popen(
        [*FOLLOW, "logs", "--exec", hook],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        process_group=0,
    ) as process:
        wait_until(Path("began").exists)
        os.killpg(process.pid, signal.SIGINT)
        Path("go").touch()
        assert process.wait(PATIENCE_S) == 0
        assert process.stderr is not None
        assert process.stderr.read() == b""
    assert Path("done").exists()


def test_what_a_command_has_started_ends_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Only the shell was killed, and what it had called hung on."""
    monkeypatch.setattr(hooked_commands, "_LONGEST_RUN_MS", 500)
    hook = "sleep 1000 & echo $! > pid; wait"
    with HookedCommand(hook) as command:
        command.take(next(change for change in passed_at_once(tmp_path) if not change.has_passed))
    pid = int(Path("pid").read_text("utf-8"))
    wait_until(lambda: not is_running(pid))
    said = capfd.readouterr().err
    assert said == f"statemachines: {hook}: has not ended after 500 ms, and was killed\n"


def is_running(pid: int) -> bool:
    """Tell whether a process is there, and not only its number."""
    try:
        os.kill(pid, 0)
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text("utf-8")
    except (ProcessLookupError, FileNotFoundError):
        return False


def test_ctrl_c_pressed_again_as_a_program_ends_shows_no_traceback() -> None:
    """Its work is done; Python tidies up."""
    program = (
        "import signal, sys\n"
        "from statemachines.cli import main\n"
        "sys.argv = ['statemachines', '--version']\n"
        "code = main()\n"
        "signal.raise_signal(signal.SIGINT)\n"
        "sys.exit(code)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert (done.returncode, done.stderr) == (-signal.SIGINT, "")
