"""Law: what is said to have healed was healed by a line that says so; what is open was closed by none."""

from __future__ import annotations

import re
from datetime import UTC
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from statemachines.conform import check
from statemachines.model.evidence.reports import Episode, EpisodeOutcome, Instant, Report
from statemachines.report.text.document import to_text
from tests.doors import FAMILY, START, line
from tests.effort import some_of
from tests.unit.conform.test_outcomes import LAMP

SOME = settings(
    max_examples=some_of(40),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
STATES = ("NEW", "LIT", "FLICKERING", "BURNT", "COOLING", "THROWN", "SOLD")
ONE_NAME = LAMP.replace("replaced: \"state == 'LIT'\",", "")


@st.composite
def lines_of_lamps(draw: st.DrawFn) -> list[str]:
    """Draw a log: steps of lamps that mostly follow each other, maps, and restarts; the order of lamps is mixed."""
    ways = {
        lamp: [
            draw(st.sampled_from(STATES[:4])),
            *draw(st.lists(st.sampled_from(STATES), max_size=7)),
        ]
        for lamp in "ab"
    }
    steps = [
        (lamp, f"Lamp {lamp} goes from {one} to {other}")
        for lamp, way in ways.items()
        for one, other in pairwise(way)
    ]
    turns = draw(st.permutations([lamp for lamp, _ in steps]))
    told = {lamp: iter([text for name, text in steps if name == lamp]) for lamp in ways}
    said = [next(told[lamp]) for lamp in turns]
    for _ in range(draw(st.integers(0, 2))):
        other = draw(
            st.sampled_from(
                ["House program starting up", "House program has stopped", "nothing", "map"]
            )
        )
        where = draw(st.integers(0, len(said)))
        said.insert(
            where, f"House of lamps: a={draw(st.sampled_from(STATES))}" if other == "map" else other
        )
    return said


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the specs."""
    found = tmp_path_factory.mktemp("lamps")
    (found / "house.yaml").write_text(FAMILY, "utf-8")
    (found / "Lamp.yaml").write_text(ONE_NAME, "utf-8")
    return found


def judged(folder: Path, said: list[str]) -> Report:
    """Judge one log, a second a line."""
    (folder / "house.log").write_text(
        "".join(f"{line(text, at)}\n" for at, text in enumerate(said)), "utf-8"
    )
    return check([folder / "house.log"], specs=[folder / "Lamp.yaml"], engine="local")


def told_at(said: list[str], instant: Instant | None) -> str:
    """Return the line of a moment."""
    assert instant is not None
    assert instant.ms is not None
    return said[(instant.ms - int(START.replace(tzinfo=UTC).timestamp() * 1000)) // 1000]


def shown(report: Report, outcome: EpisodeOutcome) -> list[Episode]:
    """Return the episodes of being dark with an outcome."""
    return [
        episode
        for episode in report.episodes
        if episode.kind == "dark" and episode.outcome is outcome
    ]


@SOME
@given(lines_of_lamps())
def test_only_a_line_that_says_so_heals(folder: Path, said: list[str]) -> None:
    """No close, no restart and no other state does; what a line sold was no trouble."""
    report = judged(folder, said)
    for episode in shown(report, EpisodeOutcome.HEALED):
        lamp = episode.subject[0][1]
        assert re.search(
            rf"Lamp {lamp} goes from LIT|Lamp {lamp} .* to LIT|{lamp}=LIT",
            told_at(said, episode.until),
        ), episode
    for episode in shown(report, EpisodeOutcome.ORDERLY):
        assert "SOLD" in told_at(said, episode.until), episode
    assert all(
        episode.until is None
        for episode in (
            *shown(report, EpisodeOutcome.OPEN),
            *shown(report, EpisodeOutcome.MAY_BE_OVER),
        )
    )


@SOME
@given(lines_of_lamps())
def test_what_is_open_was_closed_by_no_line(folder: Path, said: list[str]) -> None:
    """After the line that opened it nothing says that the lamp is lit, gone or that the house began anew."""
    for episode in shown(judged(folder, said), EpisodeOutcome.OPEN):
        lamp = episode.subject[0][1]
        later = said[said.index(told_at(said, episode.since)) :]
        last = next(
            place
            for place in range(len(later) - 1, -1, -1)
            if f"Lamp {lamp}" in later[place] or f"{lamp}=" in later[place]
        )
        assert not re.search(r"(to |=)(LIT|THROWN|SOLD)$", later[last]), later
        assert "House program starting up" not in later[last:]


@SOME
@given(lines_of_lamps())
def test_the_report_for_people_says_healed_of_what_healed(folder: Path, said: list[str]) -> None:
    """Each outcome has its place, and only what is open is an alarm."""
    report = judged(folder, said)
    told = "\n".join(to_text(report))
    assert ("\nHealed" in told) == any(
        episode.outcome is EpisodeOutcome.HEALED for episode in report.episodes
    )
    assert ("\nEnded without having recovered" in told) == any(
        episode.outcome is EpisodeOutcome.ENDED for episode in report.episodes
    )
    assert ("✗ a " in told or "✗ b " in told) == any(episode.open for episode in report.episodes)
