"""A file of which nothing was read is never counted as one that follows the life cycle.

Covers: statemachines.conform.engines.follow.followed_log, statemachines.conform.engines.local,
statemachines.logs.storage.open_logs.
"""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

import statemachines as sm
from statemachines.model.evidence.reports import Report
from statemachines.model.evidence.verdicts import Verdict
from tests.doors import House, lines

OPENED = lines("House program starting up", "Door d goes from CLOSED to OPEN")
LOG = "\n".join(OPENED).encode()


def _zip() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("house.log", LOG)
    return packed.getvalue()


def _tar_gz() -> bytes:
    packed, member = io.BytesIO(), tarfile.TarInfo("house.log")
    member.size = len(LOG)
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        archive.addfile(member, io.BytesIO(LOG))
    return packed.getvalue()


NO_LOGS = {
    "a.zip": _zip(),
    "a.tar.gz": _tar_gz(),
    "heap.hprof": bytes(range(256)) * 40,
    "log.html": b"<!DOCTYPE html>\n<html><body><table><tr><td>Door d</td></tr></table></body></html>\n",
}
"""Files that may hold a log, and of which nothing is read."""


def _follow(paths: list[Path], house: House, _: Path) -> Report:
    with sm.follow(paths, specs=[house.spec]) as follower:
        follower.poll()
        return follower.report(to_the_end=True)


def _keep_state(paths: list[Path], house: House, folder: Path) -> Report:
    house.check(*paths, state=folder / "state")
    return house.check(*paths, state=folder / "state")


DOORS: dict[str, Callable[[list[Path], House, Path], Report]] = {
    "one process": lambda paths, house, _: house.check(*paths, jobs=1),
    "two processes": lambda paths, house, _: house.check(*paths, jobs=2),
    "state": _keep_state,
    "follow": _follow,
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("name", NO_LOGS)
def test_a_named_file_that_is_no_log_is_an_error(
    door: str, name: str, house: House, tmp_path: Path
) -> None:
    """`check good.log a.zip` said HOLDS, with exit code 0, whatever the archive held."""
    good, other = house.write("good.log", OPENED), tmp_path / name
    other.write_bytes(NO_LOGS[name])
    report = DOORS[door]([good, other], house, tmp_path)
    assert report.verdict is Verdict.INCONCLUSIVE
    assert [error.partition(": ")[0] for error in report.errors] == [str(other)]


@pytest.mark.parametrize("door", DOORS)
def test_what_is_no_log_in_a_folder_is_a_problem_of_its_own(
    door: str, house: House, tmp_path: Path
) -> None:
    """A heap dump lies beside many logs, and nobody asked for it."""
    folder = tmp_path / "logs"
    folder.mkdir()
    (folder / "good.log").write_bytes(LOG + b"\n")
    for name, content in NO_LOGS.items():
        (folder / name).write_bytes(content)
    report = DOORS[door]([folder], house, tmp_path)
    assert (report.verdict, report.errors) == (Verdict.HOLDS, ())
    assert [bool(source.problems) for source in report.sources] == [True, True, False, True, True]


@pytest.mark.parametrize("door", DOORS)
def test_a_cut_archive_is_an_error_wherever_it_lies(
    door: str, house: House, tmp_path: Path
) -> None:
    """What is followed was said to hold at the end, though its archive was cut."""
    folder = tmp_path / "logs"
    folder.mkdir()
    packed = gzip.compress(b"\n".join([LOG] * 200))
    (folder / "cut.log.gz").write_bytes(packed[: len(packed) // 2])
    report = DOORS[door]([folder], house, tmp_path)
    assert report.verdict is not Verdict.HOLDS
    assert [error.partition(":")[0] for error in report.errors] == ["cut.log.gz"]
