"""`explore` as a person meets it: pictures of all states, ceilings that are named, a search that goes on where it stopped."""

from __future__ import annotations

from pathlib import Path

import pytest

from statemachines.cli import main


def test_all_states_are_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A node for each state, with what tells it from the others; an arrow for each step between two."""
    file = tmp_path / "states.mmd"
    assert main(["explore", "examples/RiverCrossing", "--graph", str(file)]) == 0
    drawn = file.read_text("utf-8")
    assert drawn.count(" as ") == 10
    assert drawn.count(" --> ") == 1 + 20
    assert 'state "10<br>here=set()<br>farmerIsHere=False" as 10' in drawn
    assert "1 --> 2 : crossWith(passenger='goat')" in drawn
    capsys.readouterr()


def test_states_up_to_symmetry_are_drawn_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two resource managers that change places are one picture less."""
    plain, file = tmp_path / "plain.mmd", tmp_path / "symmetry.mmd"
    assert main(["explore", "examples/TransactionCommit", "--scope", "RM=2", "--graph", str(plain)]) == 0
    assert main(["explore", "examples/TransactionCommit", "--scope", "RM=2", "--symmetry", "--graph", str(file)]) == 0
    assert (plain.read_text("utf-8").count(" as "), file.read_text("utf-8").count(" as ")) == (12, 8)
    capsys.readouterr()


def test_too_many_states_are_no_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nobody reads a thousand boxes."""
    assert main(["explore", "examples/TwoPhaseCommit", "--scope", "RM=5", "--graph", str(tmp_path / "all.svg")]) == 2
    assert "more than 300 states are no picture" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("option", "bound"), [("--most-states=50", "the ceiling of 50 states"), ("--memory=1", "the ceiling of 1 MiB of memory")]
)
def test_a_ceiling_is_named(option: str, bound: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What was not looked at is not said to hold."""
    assert main(["explore", "examples/TwoPhaseCommit", "--scope", "RM=5", option]) == 3
    assert f"not everything was seen: {bound}" in capsys.readouterr().out
