"""Ctrl-C: what is known so far, and exit code 130."""

from __future__ import annotations

import fcntl
import os
import signal
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from statemachines.cli import main

ROOT = Path(__file__).parents[3]
ORDER = str(ROOT / "examples" / "orders" / "Order.yaml")
LINE = "2026-11-21 12:00:0{}.000 INFO  [http-1] shop.Orders - order 7{}\n"


@pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="needs /proc to see when the program waits"
)
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_what_came_through_a_pipe_until_it_is_stopped_is_judged(sent: signal.Signals) -> None:
    """`kubectl logs -f app | statemachines check -`, and the person, or the cluster, has seen enough."""
    command = [sys.executable, "-m", "statemachines.cli", "check", "-", "--spec", ORDER]
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    whole = {**os.environ, "COLUMNS": ""}
    with subprocess.Popen(command, cwd=ROOT, env=whole, preexec_fn=heed_ctrl_c, **pipes) as process:
        assert process.stdin
        process.stdin.write(
            (LINE.format(0, " was placed") + LINE.format(1, ": NEW -> SHIPPED")).encode()
        )
        process.stdin.flush()
        wait_until_read(process)
        process.send_signal(sent)
        told, said = (text.decode() for text in process.communicate(timeout=120))
    assert process.returncode == 130, said
    assert told.splitlines()[1].startswith("VIOLATED   interrupted; so far: ")
    assert "NEW -> SHIPPED" in told
    assert "interrupted" in said


def test_a_check_that_is_stopped_while_it_judges_says_that_there_is_no_report(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing but `interrupted` looked as if nothing had been found."""

    def stopped(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("statemachines.conform.engines.local.judge_instances", stopped)
    log = str(ROOT / "examples" / "orders" / "logs")
    assert main(["check", log, "--spec", ORDER]) == 130
    told = capsys.readouterr()
    assert told.out == ""
    assert "stopped before there was a report" in told.err


def heed_ctrl_c() -> None:
    """Let a program hear Ctrl-C also where the tests run in the background of a shell, which tells its jobs not to."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def wait_until_read(process: subprocess.Popen[bytes]) -> None:
    """Wait until a process has taken all that is in its standard input and sleeps for more."""
    assert process.stdin
    while process.poll() is None:
        (waiting,) = struct.unpack(
            "i", fcntl.ioctl(process.stdin.fileno(), termios.FIONREAD, struct.pack("i", 0))
        )
        state = Path(f"/proc/{process.pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0]
        if not waiting and state == "S":
            return
        os.sched_yield()
