"""What many instances have in common: a row of lamps is dark while each of its lamps is.

Covers: statemachines.conform.join.deadlines.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import statemachines as sm

SPEC = """
notation: 1
machine: Lamp
states:
  LIT: {initial: true}
  DARK:
  GONE: {final: true}
transitions:
  - {from: LIT, to: DARK}
  - {from: DARK, to: LIT}
  - {from: [LIT, DARK], to: GONE}
log:
  instance: [row, lamp]
  patterns: {row: '\\d+', lamp: '\\d+'}
  lines:
    - {text: "lamp {lamp} of row {row} went from {from} to {to}", says: step, to: [DARK, GONE], logger: shop.Lamps, level: INFO}
    - {text: "lamp {lamp} of row {row} went from {from} to {to}", says: step, to: LIT, logger: shop.Lamps, level: LEVEL}
  episodes:
    dark: {while: "state == 'DARK'", of: row, title: "row {row} is dark", was: "row {row} was dark"}
"""


def checked(folder: Path, *moves: tuple[int, int, int, str, str], level: str = "INFO") -> sm.Report:
    """Judge moves: second, row, lamp, from, to."""
    (folder / "lamp.yaml").write_text(SPEC.replace("LEVEL", level), "utf-8")
    lines = (
        f"[2026-01-01 10:00:{second:02},000] INFO lamp {lamp} of row {row} went from {a} to {b} (shop.Lamps)\n"
        for second, row, lamp, a, b in moves
    )
    (folder / "lamp.log").write_text("".join(lines), "utf-8")
    return sm.check([folder / "lamp.log"], specs=[folder / "lamp.yaml"])


def dark(report: sm.Report) -> list[tuple[str, int | None, int | None]]:
    """Title, first and last second of each episode."""
    seconds = [
        [None if t is None or t.ms is None else t.ms // 1000 % 60 for t in (one.since, one.until)]
        for one in report.episodes
    ]
    return [
        (one.title, since, until)
        for one, (since, until) in zip(report.episodes, seconds, strict=True)
    ]


def test_a_row_is_dark_while_all_of_its_lamps_are(tmp_path: Path) -> None:
    """One lamp is a lamp; all of them are the fuse."""
    moves = [
        (1, 1, 1, "LIT", "DARK"),
        (2, 2, 1, "LIT", "DARK"),
        (3, 1, 2, "LIT", "DARK"),
        (4, 2, 2, "DARK", "LIT"),
        (9, 1, 1, "DARK", "LIT"),
    ]
    assert dark(checked(tmp_path, *moves[:4])) == [("row 1 is dark", 3, None)]
    assert dark(checked(tmp_path, *moves)) == [("row 1 is dark", 3, 9)]


def test_a_row_that_is_lit_again_is_told_as_past(tmp_path: Path) -> None:
    """`row 1 is dark for 6 s` would send somebody to it."""
    moves = [(1, 1, 1, "LIT", "DARK"), (3, 1, 2, "LIT", "DARK"), (9, 1, 1, "DARK", "LIT")]
    (incident,) = checked(tmp_path, *moves).incidents[:1]
    assert incident.title == "row 1 was dark"


def test_one_lamp_alone_tells_nothing_of_its_row(tmp_path: Path) -> None:
    """It may be the lamp; and what is gone at the end does not count."""
    assert dark(checked(tmp_path, (1, 1, 1, "LIT", "DARK"))) == []
    gone = [
        (1, 1, 1, "LIT", "DARK"),
        (2, 1, 2, "LIT", "DARK"),
        (3, 1, 2, "DARK", "GONE"),
        (4, 1, 3, "LIT", "DARK"),
    ]
    assert dark(checked(tmp_path, *gone[:3])) == []


def test_where_the_level_hides_the_end_nothing_is_said_to_go_on(tmp_path: Path) -> None:
    """An alarm needs certainty: the lamps may be lit again, and no line at this level would tell."""
    moves = [(1, 1, 1, "LIT", "DARK"), (3, 1, 2, "LIT", "DARK")]
    assert dark(checked(tmp_path, *moves, level="DEBUG")) == []


def test_a_field_that_is_no_key_is_named(tmp_path: Path) -> None:
    """The spec says what would be right."""
    (tmp_path / "lamp.yaml").write_text(
        SPEC.replace("of: row", "of: raw").replace("LEVEL", "INFO"), "utf-8"
    )
    with pytest.raises(sm.SpecError, match="`raw` is no key"):
        sm.load(tmp_path / "lamp.yaml")


@given(st.lists(st.tuples(st.integers(1, 2), st.integers(1, 3)), max_size=20))
def test_the_fold_agrees_with_looking_at_every_second(switched: list[tuple[int, int]]) -> None:
    """The slow way: the states of all known lamps after each line."""
    import tempfile

    states: dict[tuple[int, int], str] = {}
    moves, expected, previous = [], [], {1: False, 2: False}
    for second, lamp in enumerate(switched):
        source = states.get(lamp, "LIT")
        states[lamp] = "DARK" if source == "LIT" else "LIT"
        moves.append((second * 2, *lamp, source, states[lamp]))
        for row in (1, 2):
            known = [state for (number, _), state in states.items() if number == row]
            now = len(known) > 1 and set(known) == {"DARK"}
            if now != previous[row]:
                expected.append((f"row {row} is dark", second * 2, now))
                previous[row] = now
    with tempfile.TemporaryDirectory() as folder:
        found = dark(checked(Path(folder), *moves)) if moves else []
    by_row = {
        row: [(second, now) for title, second, now in expected if title == f"row {row} is dark"]
        for row in (1, 2)
    }
    wanted = []
    for row, changes in by_row.items():
        ends = [*changes, (None, False)]
        wanted += [
            (f"row {row} is dark", second, until)
            for (second, now), (until, _) in pairwise(ends)
            if now
        ]
    assert sorted(found, key=str) == sorted(wanted, key=str)
