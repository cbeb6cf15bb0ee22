"""What rules of systems found stays said while they are not asked.

Covers: statemachines.conform.engines.follow.follower.
"""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import pytest

import statemachines as sm
from statemachines.conform.check_options import CheckOptions
from statemachines.conform.checking import make_request
from statemachines.conform.engines.follow import follower as followers
from statemachines.conform.engines.follow.follower import Follower
from tests.unit.conform.test_own_systems import PARTS, checked


@pytest.fixture
def lines(tmp_path: Path) -> list[str]:
    """A log in which a lift moves in the dark at the sixth line; its specs lie beside it."""
    checked(tmp_path, "".join(PARTS))
    (tmp_path / "logs").mkdir()
    return (tmp_path / "a.log").read_text().splitlines(keepends=True)


def append(folder: Path, lines: list[str]) -> None:
    with (folder / "logs" / "a.log").open("a") as log:
        log.write("".join(lines))


def test_what_was_found_before_a_restart_is_not_withdrawn_where_too_much_is_in_memory(
    tmp_path: Path, lines: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its rule is as broken as before, and nobody asked it."""
    options = {"specs": tmp_path / "Tower.yaml", "state": tmp_path / "state"}
    append(tmp_path, lines[:5])
    with sm.follow(tmp_path / "logs", **options) as follower:
        assert follower.poll() == []
        append(tmp_path, lines[5:])
        assert [change.kind.value for change in follower.poll(to_the_end=True)] == ["forbidden"]
        follower.keep()
    for most in (-1, 200_000):  # lines near the end of a log are not counted
        monkeypatch.setattr(followers, "MOST_FOR_SYSTEMS", most)
        with sm.follow(tmp_path / "logs", **options) as follower:
            waits = pytest.warns(UserWarning, match="rules of systems wait for a summary")
            with waits if most < 0 else nullcontext():
                assert follower.poll() == []
            append(tmp_path, [f"2026-01-01 10:01:00,001 INFO T - nothing of interest {most}\n"])
            assert follower.poll(to_the_end=True) == []  # and is said once
            assert [row.rule_name for row in follower.report().findings] == ["still"]
            follower.keep()


def test_they_are_asked_at_the_end_however_short_a_time_ago_they_were(
    tmp_path: Path, lines: list[str]
) -> None:
    """What the report has, whoever listens to changes was told."""
    append(tmp_path, lines[:5])
    now = iter([0.0, 0.0, 0.0, 100.0, *[100.0] * 100])
    request = make_request(CheckOptions(specs=[tmp_path / "Tower.yaml"]))
    with Follower([str(tmp_path / "logs")], request, clock=lambda: next(now)) as follower:
        assert follower.poll() == []
        append(tmp_path, lines[5:])
        assert follower.poll() == []
        (broken,) = follower.poll(to_the_end=True)
    assert broken.finding is not None
    assert broken.finding.rule_name == "still"
