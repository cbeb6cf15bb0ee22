"""A file whose records stand newest first is not judged in that order, and it is said why.

Covers: statemachines.logs.storage.open_logs.
"""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import statemachines as sm
from statemachines.logs.storage.open_logs import NEWEST_FIRST, is_newest_first, is_plain_utf8

DOOR = """\
notation: 1
machine: Door
states: {SHUT: {initial: true}, OPEN: , LOCKED: }
transitions: [{from: SHUT, to: OPEN}, {from: OPEN, to: LOCKED}, {from: LOCKED, to: SHUT}]
log: {instance: [id], lines: [{text: "door {id} went {from} to {to}", says: step}]}
"""
STEPS = ("SHUT to OPEN", "OPEN to LOCKED", "LOCKED to SHUT", "SHUT to OPEN")


def _text_line(second: int, step: str) -> str:
    return f"2026-11-21 15:46:{second:02},567 INFO shop.Door - door 7 went {step}"


def _json_line(second: int, step: str) -> str:
    return json.dumps({"time": f"2026-11-21T15:46:{second:02}Z", "msg": f"door 7 went {step}"})


def _cells(second: int, step: str) -> str:
    return f'"2026-11-21T15:46:{second:02}Z","shop","door 7 went {step}"'


@pytest.mark.parametrize("write", [_text_line, _json_line, _cells])
def test_an_export_that_stands_newest_first_accuses_nobody(write: object, tmp_path: Path) -> None:
    """Each step looked like one that nothing leads to; turned round, the same lines are sound."""
    assert callable(write)
    lines = [write(second, step) for second, step in enumerate(STEPS)]
    (tmp_path / "Door.yaml").write_text(DOOR)
    for name, text in (("sound.log", lines), ("turned.log", lines[::-1])):
        (tmp_path / name).write_text("\n".join(text) + "\n")
    sound = sm.check(tmp_path / "sound.log", specs=tmp_path / "Door.yaml")
    turned = sm.check(tmp_path / "turned.log", specs=tmp_path / "Door.yaml")
    assert (sound.verdict.name, sound.checked.steps) == ("HOLDS", len(STEPS))
    assert (turned.verdict.name, turned.findings) == ("INCONCLUSIVE", ())
    assert turned.sources[0].problems == (NEWEST_FIRST,)


@given(st.lists(st.integers(0, 59), max_size=12))
def test_only_a_file_in_which_no_time_goes_on_stands_newest_first(seconds: list[int]) -> None:
    """Clocks are set back, and lines change places; the file's order counts there as it did."""
    text = "".join(_text_line(second, STEPS[0]) + "\n\tat a.B.c(B.java:1)\n" for second in seconds)
    falls = sum(b < a for a, b in pairwise(seconds))
    stands_so = seconds == sorted(seconds, reverse=True) and falls >= 3
    assert is_newest_first(text.encode()) is stands_so
    assert is_plain_utf8(text.encode()) is not stands_so


def test_lines_that_change_places_within_a_second_are_left_to_the_judge() -> None:
    """It looks for an order that conforms."""
    lines = [f"2026-11-21 15:46:19,{ms:03} INFO a.B - open\n" for ms in range(900, 0, -100)]
    assert not is_newest_first("".join(lines).encode())


def test_times_without_a_date_say_nothing() -> None:
    """They go back at midnight."""
    text = "".join(f"{second:02}:00:00,000 INFO a.B - open\n" for second in (23, 21, 20, 18, 4))
    assert not is_newest_first(text.encode())
