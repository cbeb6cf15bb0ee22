"""`longer than`: what is over sooner is no episode, and what is open lasts until the end of the log."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import statemachines as sm
from statemachines.model.evidence.durations import format_duration, parse_duration
from statemachines.notation import lint
from tests.effort import some_of

DOOR = """
notation: 1
machine: Door
states: {SHUT: {initial: true}, OPEN: }
transitions: [{from: SHUT, to: OPEN}, {from: OPEN, to: SHUT}]
log:
  instance: [door]
  shared: SHARED
  lines: [{text: "the door {door} went from {from} to {to}", says: step, logger: D, level: INFO}]
  episodes:
    forgotten: {while: "state == 'OPEN'", longer than: 30 s, title: "{door} was forgotten"}
"""


def forgotten(
    folder: Path, lines: list[tuple[int, str]], *, shared: bool = False
) -> list[tuple[str, bool]]:
    """Judge lines at so many milliseconds; the titles of the episodes, and whether they are open."""
    (folder / "Door.yaml").write_text(DOOR.replace("SHARED", str(shared).lower()), "utf-8")
    written = [
        f"[2026-01-01 10:{ms // 60_000:02}:{ms // 1000 % 60:02},{ms % 1000:03}] INFO {text} (D)\n"
        for ms, text in lines
    ]
    (folder / "door.log").write_text("".join(written), "utf-8")
    report = sm.check([folder / "door.log"], specs=[folder / "Door.yaml"], engine="local")
    return [(one.title, one.open) for one in report.episodes]


OPENS, SHUTS = "the door 7 went from SHUT to OPEN", "the door 7 went from OPEN to SHUT"


def test_what_is_over_in_time_is_no_episode(tmp_path: Path) -> None:
    """Thirty seconds are allowed, and no millisecond more."""
    assert forgotten(tmp_path, [(0, OPENS), (30_000, SHUTS)]) == []
    assert forgotten(tmp_path, [(0, OPENS), (30_001, SHUTS)]) == [("7 was forgotten", False)]


def test_what_is_open_lasts_until_the_last_line_of_its_process(tmp_path: Path) -> None:
    """A line of anything else says that time went by."""
    assert forgotten(tmp_path, [(0, OPENS), (29_000, "it rains")]) == []
    assert forgotten(tmp_path, [(0, OPENS), (31_000, "it rains")]) == [("7 was forgotten", True)]


def test_clocks_of_several_processes_may_be_apart(tmp_path: Path) -> None:
    """The tolerance is a second as shipped."""
    assert forgotten(tmp_path, [(0, OPENS), (30_900, SHUTS)], shared=True) == []
    assert forgotten(tmp_path, [(0, OPENS), (31_001, SHUTS)], shared=True) != []


@settings(
    max_examples=some_of(30),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(spans=st.lists(st.integers(1, 60_000), min_size=1, max_size=8))
def test_an_episode_is_told_for_each_span_that_is_too_long(
    tmp_path: Path, spans: list[int]
) -> None:
    """Whatever came before."""
    lines, now = list[tuple[int, str]](), 0
    for span in spans:
        lines += [(now, OPENS), (now + span, SHUTS)]
        now += span + 10
    assert len(forgotten(tmp_path, lines)) == sum(span > 30_000 for span in spans)


@given(minutes=st.integers(1, 1_000), seconds=st.integers(0, 59))
def test_a_duration_is_read_as_it_is_written(minutes: int, seconds: int) -> None:
    """Of whole seconds nothing is left out below an hour."""
    ms = (minutes % 60 * 60 + seconds) * 1_000
    assert ms == 0 or parse_duration(format_duration(ms)) == ms


def test_what_is_no_duration_is_refused_at_its_line(tmp_path: Path) -> None:
    """With what would be right."""
    file = tmp_path / "Door.yaml"
    file.write_text(DOOR.replace("30 s", "soon").replace("SHARED", "false"), "utf-8")
    with pytest.raises(sm.SpecError, match="a duration, such as `30 s`"):
        sm.load(file)


PROGRAM = """\
    - text: "the house has these settings:"
      rest: ["door.id = {door}", "open.ms = {allowed}"]
      says: note
      logger: D
      level: INFO
"""
TOLD = "{told: allowed, and: 5 s, otherwise: 30 s}"
TELLING = (
    DOOR.replace("  lines: [", "  remembers: [allowed]\n  patterns: {allowed: '\\d+'}\n  lines:\n    - ")
    .replace("INFO}]", f"INFO}}\n{PROGRAM}".rstrip())
    .replace("30 s", TOLD)
)  # fmt: skip


def settings_of(door: int, allowed: str) -> str:
    """Return how a program prints its settings, below a line that says so."""
    rows = ["colour = red", f"open.ms = {allowed}", f"door.id = {door}", "size = null"]
    return "\n\t".join(["the house has these settings:", *rows]) + "\n"


@pytest.mark.parametrize(
    ("told", "span", "is_told"),
    [
        (settings_of(7, "2000"), 7_001, True),
        (settings_of(7, "2000"), 7_000, False),
        (settings_of(7, "90000"), 60_000, False),
        (settings_of(8, "2000"), 30_000, False),
        (settings_of(8, "2000"), 30_001, True),
        (settings_of(7, "null"), 30_001, True),
        (settings_of(7, "9" * 400), 30_001, True),
        ("it rains", 30_001, True),
    ],
)
def test_a_line_may_tell_how_long_a_state_may_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: str, span: int, is_told: bool
) -> None:
    """A program prints its settings when it begins; what is said of another one does not count,
    nor what is no number.
    """
    monkeypatch.setitem(globals(), "DOOR", TELLING)
    lines = [(0, told), (10, OPENS), (10 + span, SHUTS)]
    assert forgotten(tmp_path, lines) == ([("7 was forgotten", False)] if is_told else [])


def test_only_a_number_that_is_remembered_is_a_time(tmp_path: Path) -> None:
    """Else it would never be told."""
    file = tmp_path / "Door.yaml"
    text = TELLING.replace("SHARED", "false")
    file.write_text(text, "utf-8")
    assert lint(file) == []
    for wrong in (text.replace("told: allowed", "told: door"), text.replace(r"'\d+'", r"'\S+'")):
        file.write_text(wrong, "utf-8")
        assert [found.code for found in lint(file)] == ["SM514"]
