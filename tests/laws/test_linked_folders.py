"""Law: what lies behind a linked folder is read as if it lay there, once, whoever reads; so is a
file with several names.

Covers: statemachines.conform.engines.inputs.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import statemachines as sm
from statemachines.report.formats import report_in_form

SPECS = Path(__file__).parents[2] / "examples" / "orders"
PLACED = "2026-11-21 12:00:00.000 INFO  [http-1] shop.Orders - order {order} was placed\n"
PAID = "2026-11-21 12:00:01.000 INFO  [http-1] shop.Orders - order {order}: NEW -> PAID\n"


def write(file: Path, order: int) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text((PLACED + PAID).format(order=order), "utf-8")


def rows(report: sm.Report) -> dict[str, Any]:
    read: dict[str, Any] = json.loads("".join(report_in_form(report, "json")))
    return {**read, "made_with": None}


def every_door(folder: Path, state: Path) -> dict[str, Any]:
    """What is reported at once; the same with a state folder, and of who follows."""
    expected = rows(sm.check(folder, specs=SPECS))
    for _ in range(2):
        assert rows(sm.check(folder, specs=SPECS, state=state)) == expected
    with sm.follow(str(folder), specs=SPECS) as follower:
        follower.poll()
        assert rows(follower.report()) == expected
    return expected


def test_linked_folders_are_read(tmp_path: Path) -> None:
    """Nobody looked into them, and nobody said so: HOLDS."""
    logs, elsewhere = tmp_path / "logs", tmp_path / "elsewhere"
    write(logs / "own.log", 1)
    write(elsewhere / "deep" / "far.log", 2)
    (logs / "linked").symlink_to(elsewhere)
    report = every_door(logs, tmp_path / "state")
    files = [row["file"] for row in report["sources"]]
    assert files == ["linked/deep/far.log", "own.log"]
    assert report["checked"]["instances"] == 2


@pytest.mark.parametrize(
    ("link", "target"),
    [
        ("loop", "logs"),
        ("up", "."),
        ("within", "logs/a"),
        ("a/loop", "logs"),
        (".hidden", "elsewhere"),
        ("linked/loop", "elsewhere"),
        ("linked/around", "around"),
        ("linked_too", "around/elsewhere"),
        ("linked_below", "around/elsewhere/b"),
        ("linked_link", "logs/linked"),
    ],
)
def test_each_file_is_read_once(tmp_path: Path, link: str, target: str) -> None:
    """Whatever leads to it besides: a circle, a second link, one to what is read by its name."""
    logs, elsewhere = tmp_path / "logs", tmp_path / "around" / "elsewhere"
    write(logs / "a" / "own.log", 1)
    write(elsewhere / "b" / "far.log", 2)
    (tmp_path / "elsewhere").symlink_to(elsewhere)
    (logs / "linked").symlink_to(elsewhere)
    expected = every_door(logs, tmp_path / "state")
    assert [row["file"] for row in expected["sources"]] == ["a/own.log", "linked/b/far.log"]
    (logs / link).symlink_to(tmp_path / target)
    assert every_door(logs, tmp_path / "state") == expected


@pytest.mark.parametrize("name", ["a/same.log", "b.log", "own.log.1"])
def test_a_file_with_several_names_is_read_once(tmp_path: Path, name: str) -> None:
    """Who follows knows files by their inodes; a check took each name for another program's log, of
    which it counted all lines twice.
    """
    logs = tmp_path / "logs"
    write(logs / "a" / "own.log", 1)
    write(logs / "other.log", 2)
    expected = every_door(logs, tmp_path / "state")
    (logs / name).hardlink_to(logs / "a" / "own.log")
    assert every_door(logs, tmp_path / "state") == expected
