"""Whoever waits in a pipe hears that something is done, and how far it is.

Covers: statemachines.cli.console.progress, statemachines.cli.console.progress_lines.
"""

from __future__ import annotations

import threading
import time

import pytest

from statemachines.cli.console import progress_lines
from statemachines.cli.console.progress import ReadingBar

MEGABYTE = 1_000_000


def heard(capsys: pytest.CaptureFixture[str], wanted: int) -> list[str]:
    """Wait for some lines on stderr."""
    lines = list[str]()
    for _ in range(1000):
        lines += capsys.readouterr().err.splitlines()
        if len(lines) >= wanted:
            break
        time.sleep(0.01)
    return lines


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines come at once, instead of each minute."""
    monkeypatch.setattr(progress_lines, "FIRST_LINE_S", 0)
    monkeypatch.setattr(progress_lines, "NEXT_LINE_S", 0.01)


@pytest.mark.usefixtures("soon")
def test_a_pipe_hears_how_far_reading_is_and_that_judging_goes_on(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Lines come by themselves: judging calls nobody. After the end nothing is said."""
    threads = threading.active_count()
    with ReadingBar(quiet=False) as bar:
        assert threading.active_count() == threads, "a process with threads cannot be copied"
        bar(30 * MEGABYTE, 2000 * MEGABYTE)
        assert heard(capsys, 2)[0].endswith(": 30 of 2,000 MB are read")
        bar(2000 * MEGABYTE, 2000 * MEGABYTE)
        assert heard(capsys, 3)[-1].endswith(": all 2,000 MB are read, and are being judged")
    capsys.readouterr()
    assert threading.active_count() == threads
    time.sleep(0.05)
    assert capsys.readouterr().err == ""


@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize(
    ("done", "whole", "told"),
    [
        (0, 400, "0 of 400 bytes are read"),
        (70_000, 400_000, "70 of 400 kB are read"),
        (400_000, 400_000, "all 400 kB are read, and are being judged"),
        (300_000, 2_340_000, "0.3 of 2.3 MB are read"),
        (0, 0, "0 bytes came, and more may"),
        (345 * MEGABYTE, 0, "345 MB came, and more may"),
    ],
)
def test_amounts_are_told_in_a_unit_that_shows_them(
    done: int, whole: int, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """`0 of 0 MB are read` was told of small logs on a Spark that took its time to start; and of a
    pipe that went on that all was read.
    """
    threads = threading.active_count()
    with ReadingBar(quiet=False) as bar:
        bar(done, whole)
        assert heard(capsys, 1)[0].endswith(f": {told}")
        assert whole or threading.active_count() == threads


@pytest.mark.usefixtures("soon")
def test_quiet_is_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    """A daily run mails what it says."""
    threads = threading.active_count()
    with ReadingBar(quiet=True) as bar:
        bar(1, 2)
        assert threading.active_count() == threads
    assert capsys.readouterr().err == ""


def test_what_is_done_soon_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """Most checks are done within seconds, and their stderr is empty."""
    with ReadingBar(quiet=False) as bar:
        bar(1, 2)
        time.sleep(0.05)
    assert capsys.readouterr().err == ""
