"""What was said is written at once, and taken in after a kill.

Covers: statemachines.conform.engines.follow.said_file.
"""

from __future__ import annotations

import warnings
from contextlib import closing
from pathlib import Path

import pytest

import statemachines as sm
from statemachines.conform.engines.follow.said_file import SaidFile
from statemachines.conform.engines.state.state_problems import StateWarning
from statemachines.conform.join.report_changes import ReportedChanges, SaidRow
from statemachines.conform.join.said_things import SaidThing
from tests.unit.cli.test_following import ORDERS, placed, step

ROWS = [
    ("open", "a", SaidThing("a is broken")),
    ("over", "b", SaidThing("b", "b.log", 2)),
    ("begun", "", SaidThing()),
]


def opened(folder: Path, made_with: str = "these specs") -> SaidFile:
    return SaidFile.in_folder(folder, made_with)


def write(folder: Path, rows: list[SaidRow], made_with: str = "these specs") -> None:
    with closing(opened(folder, made_with)) as file:
        file.add(rows)


def written(folder: Path) -> Path:
    (path,) = folder.iterdir()
    return path


def test_rows_are_those_that_were_written_before(tmp_path: Path) -> None:
    """By a process that did not clear it."""
    assert list(opened(tmp_path).rows()) == []
    write(tmp_path, ROWS[:2])
    write(tmp_path, ROWS[2:])
    assert list(opened(tmp_path).rows()) == ROWS


@pytest.mark.parametrize("lost", range(1, 18))
def test_a_row_that_was_being_written_is_none_and_hides_no_later_one(
    tmp_path: Path, lost: int
) -> None:
    """A kill in the middle of it."""
    write(tmp_path, ROWS)
    path = written(tmp_path)
    path.write_bytes(path.read_bytes()[:-lost])
    write(tmp_path, [("over", "a", SaidThing("a"))])
    assert list(opened(tmp_path).rows()) in (
        [*ROWS[:2], ("over", "a", SaidThing("a"))],
        [*ROWS, ("over", "a", SaidThing("a"))],
    )


def test_what_was_said_by_other_specs_is_not_taken(tmp_path: Path) -> None:
    """The folder is made anew then, too."""
    write(tmp_path, ROWS, "others")
    assert list(opened(tmp_path).rows()) == []
    write(tmp_path, ROWS[:1])
    assert list(opened(tmp_path).rows()) == ROWS[:1]


def test_it_is_as_short_as_what_the_folder_does_not_hold(tmp_path: Path) -> None:
    """Weeks of sayings would fill a disk."""
    with closing(opened(tmp_path)) as file:
        file.clear()
        empty = written(tmp_path).stat().st_size
        for number in range(1000):
            file.add([("open", f"order {number}", SaidThing("not paid"))])
        assert written(tmp_path).stat().st_size > 20_000
        file.clear()
    assert written(tmp_path).stat().st_size == empty


def test_a_follower_empties_it_whenever_the_folder_is_written(tmp_path: Path) -> None:
    """And what it says is in it until then."""
    (tmp_path / "logs").mkdir()
    log, state = tmp_path / "logs" / "shop.log", tmp_path / "state"
    log.write_text(placed(7))
    with sm.follow(str(log), specs=ORDERS, state=str(state)) as follower:
        for change in follower.poll():
            follower.note_said(change)
        assert b"order 7 is not paid" in (state / "said.jsonl").read_bytes()
        follower.keep()
        assert (state / "said.jsonl").read_bytes().count(b"\n") == 1


def test_what_was_passed_over_at_the_first_look_is_not_news_after_a_kill(tmp_path: Path) -> None:
    """Before the folder was written at all; and what came while nobody looked is."""
    (tmp_path / "logs").mkdir()
    log, state = tmp_path / "logs" / "shop.log", str(tmp_path / "state")
    log.write_text(placed(1) + step(1, "NEW -> SHIPPED") + placed(2, 2) + placed(3, 2))
    with sm.follow(str(log), specs=ORDERS, state=state) as follower:
        first, second = follower.poll()
        follower.note_said(first)
    with log.open("a") as more:
        more.write(step(2, "NEW -> SHIPPED", 4))
    with sm.follow(str(log), specs=ORDERS, state=state) as follower:
        said = [(change.kind.value, change.key) for change in follower.poll()]
    assert ("opened", second.key) in said
    assert ("healed", first.key) in said
    assert [kind for kind, _ in said].count("forbidden") == 1
    assert len(said) == 3


def test_a_file_that_cannot_be_written_is_said_once(tmp_path: Path) -> None:
    """A folder has its name."""
    (tmp_path / "said.jsonl").mkdir()
    file = opened(tmp_path)
    with pytest.warns(StateWarning, match="said.jsonl cannot be written"):
        file.add(ROWS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        file.add(ROWS)
        file.clear()


def test_rows_taken_in_their_order_are_what_was_known(tmp_path: Path) -> None:
    """A second time as well: the folder may have been written and the file not yet emptied."""
    rows = [
        *ROWS,
        ("over", "a", SaidThing("a")),
        ("finding", "f", SaidThing("no")),
        ("withdrawn", "f", SaidThing()),
    ]
    known = ReportedChanges()
    for row in [*rows, *rows]:
        known.take(row)
    assert known == ReportedChanges({}, {"a", "b"}, {}, is_first=False)
