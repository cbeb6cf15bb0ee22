"""Law: what may not be read or listed in a folder is named, and no check holds without it, whoever
reads: at once, with a state folder, or following.

Covers: statemachines.conform.engines.inputs, statemachines.conform.engines.follow.whole_report.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import statemachines as sm
from statemachines.cli import main
from statemachines.report.formats import report_in_form

SPECS = Path(__file__).parents[2] / "examples" / "orders"
PLACED = "2026-11-21 12:00:00.000 INFO  [http-1] shop.Orders - order 7 was placed\n"
PAID = "2026-11-21 12:00:01.000 INFO  [http-1] shop.Orders - order 7: NEW -> PAID\n"
_MAY_READ_ALL = 0b110
"""The capabilities of a superuser that let files be read and folders be listed."""


class _Header(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("process", ctypes.c_int)]


class _Sets(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint32) for name in ("effective", "permitted", "inheritable")]


@pytest.fixture
def ordinary_user() -> Iterator[None]:
    """Let permissions count for a superuser too."""
    if not sys.platform.startswith("linux"):
        pytest.skip("permissions are taken as on Linux")
    libc, header, sets = ctypes.CDLL(None), _Header(0x20080522, 0), (_Sets * 2)()
    assert libc.capget(ctypes.byref(header), sets) == 0
    before = sets[0].effective
    sets[0].effective &= ~_MAY_READ_ALL
    assert libc.capset(ctypes.byref(header), sets) == 0
    yield
    sets[0].effective = before
    assert libc.capset(ctypes.byref(header), sets) == 0


@pytest.fixture
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ordinary_user: None) -> Iterator[Path]:
    """A folder of logs in which something may not be read."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "logs"
    for name in ("a", "b", ".hidden"):
        (folder / name).mkdir(parents=True)
    (folder / "shop.log").write_text(PLACED, "utf-8")
    (folder / "a" / "closed.log").write_text(PAID, "utf-8")
    (folder / "a" / "empty.log").write_text("", "utf-8")
    (folder / "b" / "within.log").write_text(PAID, "utf-8")
    os.mkfifo(folder / "pipe.log")
    for name in ("a/closed.log", "a/empty.log"):
        (folder / name).chmod(0)
    for name in ("b", ".hidden"):
        (folder / name).chmod(0)
    yield folder
    for name in ("b", ".hidden"):
        (folder / name).chmod(0o700)


def rows(report: sm.Report) -> dict[str, Any]:
    read: dict[str, Any] = json.loads("".join(report_in_form(report, "json")))
    return {**read, "made_with": None}


ERRORS = [
    "a/closed.log: Permission denied",
    "b: the folder cannot be listed: Permission denied",
]


def test_what_may_not_be_read_is_named_through_every_door(logs: Path, tmp_path: Path) -> None:
    """All was well where the log of the one who was ill belonged to somebody else."""
    expected = rows(sm.check("logs", specs=SPECS))
    assert (sorted(expected["errors"]), expected["verdict"]) == (ERRORS, "INCONCLUSIVE")
    assert {row["file"]: row["problems"] for row in expected["sources"]} == {
        "a/closed.log": ["cannot be read: Permission denied"],
        "a/empty.log": ["cannot be read: Permission denied"],
        "pipe.log": ["cannot be read: it is a pipe; name it to have it read"],
        "shop.log": [],
    }
    state = tmp_path / "state"
    for _ in range(2):
        assert rows(sm.check("logs", specs=SPECS, state=state)) == expected
    for _ in range(2):
        with sm.follow("logs", specs=SPECS, state=state) as follower:
            follower.poll()
            followed = rows(follower.report())
            follower.keep()
        assert sorted(followed.pop("errors")) == ERRORS
        assert followed == {key: row for key, row in expected.items() if key != "errors"}


def test_the_exit_code_is_that_of_what_could_not_be_read(
    logs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A gate that lets through what nobody could look at is none."""
    assert main(["check", "logs", "--spec", str(SPECS / "Order.yaml"), "--quiet"]) == 2
    said = capsys.readouterr().err
    assert all(f"statemachines: {error}\n" in said for error in ERRORS)


def test_what_may_be_read_again_is_followed_on(logs: Path) -> None:
    """Somebody gave the permission; nothing has to be started anew."""
    with sm.follow("logs", specs=SPECS) as follower:
        follower.poll()
        for name in ("b", "a/closed.log"):
            (logs / name).chmod(0o700)
        follower.poll()
        report = follower.report()
    assert not report.errors
    assert report.checked.lines == 3
