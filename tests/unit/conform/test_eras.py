"""Generations that go back: what was wiped is over, and what only came late is not.

Covers: statemachines.conform.join.eras, statemachines.conform.join.log_subjects.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from statemachines.conform import check
from statemachines.model.evidence.reports import Report
from tests.doors import FAMILY, line

POST = r"""
notation: 1
machine: Post
family: house
states:
  FREE: {initial: true}
  MANNED: {initial: true}
  LEFT: {initial: true}
transitions:
  - {from: [FREE, LEFT], to: MANNED}
  - {from: MANNED, to: LEFT}
log:
  instance: [officer, term, post]
  patterns: {officer: '\w+', term: '\d+', post: '\w+'}
  shared: true
  subject: [post]
  generation: {term: officer}
  lines:
    - {text: "Officer {officer} in term {term}: post {post} from {from} to {to}", says: step, logger: house.Post, level: INFO}
  episodes:
    left: {while: "state == 'LEFT'", title: "{post} is left"}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the specs."""
    (tmp_path / "house.yaml").write_text(FAMILY, "utf-8")
    (tmp_path / "Post.yaml").write_text(POST, "utf-8")
    return tmp_path


def told(term: int, way: str, post: str = "gate", officer: str = "o1") -> str:
    """Write a step."""
    source, _, target = way.partition(" ")
    return f"Officer {officer} in term {term}: post {post} from {source} to {target}"


def judged(folder: Path, *files: list[tuple[int, str]]) -> Report:
    """Judge files of lines with their seconds."""
    paths = [folder / f"{number}.log" for number in range(len(files))]
    for path, lines in zip(paths, files, strict=True):
        path.write_text("".join(f"{line(text, at)}\n" for at, text in lines), "utf-8")
    return check(paths, specs=[folder / "Post.yaml"], engine="local")


def said(report: Report) -> list[str]:
    """Return what is said of generations that went back."""
    return [
        problem
        for source in report.sources
        for problem in source.problems
        if "went back" in problem
    ]


def now(report: Report) -> dict[str, tuple[str, ...]]:
    """Return the states at the end."""
    return {str(row.subject[0][1]): row.state for row in report.now}


OLD = [(0, told(39, "MANNED LEFT")), (1, told(39, "MANNED LEFT", "tower"))]


def test_what_was_wiped_is_over_and_belief_begins_again(folder: Path) -> None:
    """The term went from 39 to 1: the post is what the new one says, and what it does not speak of is no more."""
    report = judged(folder, [*OLD, (100, told(1, "FREE MANNED"))])
    assert now(report) == {"gate": ("MANNED",)}
    assert [(str(e.outcome), e.open) for e in report.episodes] == [("ended", False)] * 2
    assert said(report) == [
        "term went back from 39 to 1 in line 3: the system was wiped and made anew, or the logs of two lie together"
    ]


def test_two_files_that_tell_of_one_wipe_are_one(folder: Path) -> None:
    """Each officer's own book goes back; the system was made anew once."""
    first = [*OLD, (100, told(1, "FREE MANNED"))]
    second = [
        (2, told(38, "MANNED LEFT", "wall", "o2")),
        (200, told(2, "FREE MANNED", "wall", "o2")),
    ]
    for files in ((first, second), (second, first)):
        report = judged(folder, *files)
        assert now(report) == {"gate": ("MANNED",), "wall": ("MANNED",)}
        assert len(said(report)) == 2


def test_a_late_line_of_a_deposed_officer_is_no_wipe(folder: Path) -> None:
    """Another carrier of a lower term knows less; generations count, whatever the clocks say."""
    report = judged(
        folder,
        [
            (0, told(38, "FREE MANNED")),
            (1, told(39, "MANNED LEFT", officer="o2")),
            (2, told(38, "LEFT MANNED")),
        ],
    )
    assert now(report) == {"gate": ("LEFT",)}
    assert not said(report)


def test_two_systems_that_write_together_are_none_either(folder: Path) -> None:
    """Terms that take turns never went back for good."""
    turns = [
        (at, told(39 if at % 2 else 1, "MANNED LEFT" if at % 4 < 2 else "LEFT MANNED"))
        for at in range(8)
    ]
    assert not said(judged(folder, turns))
