"""`mutate`, as a person meets it.

Covers: statemachines.cli.verbs.mutate.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from statemachines.cli import main

LAMP = """
notation: 1
machine: Lamp
states: {OFF: {initial: true}, ON: {}, BROKEN: {final: true}}
transitions:
  - {from: OFF, to: ON, event: press}
  - {from: ON, to: BROKEN, event: kick}
each step:
  onlyOnBreaks: implies(state == 'BROKEN' and before.state != 'BROKEN', before.state == 'ON')
"""


@pytest.fixture
def lamp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A spec in the current folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "Lamp.yaml").write_text(LAMP, "utf-8")
    return "Lamp.yaml"


def told(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Exit code, stdout, stderr."""
    code = main(words)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_a_table_and_the_survivors_are_shown(lamp: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What to do next is the last thing that is read."""
    code, out, _ = told(capsys, "mutate", lamp)
    assert code == 1
    assert out.startswith("Lamp   ")
    assert "SURVIVED" in out
    assert "KILLED" not in out


def test_one_mutant_is_shown_with_who_noticed_it(
    lamp: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The property, and what is wrong."""
    code, out, _ = told(capsys, "mutate", lamp, "--only", "4", "--show", "all")
    assert code == 0
    assert "KILLED   4   OFF -> ON on press leads to BROKEN, not to ON" in out
    assert "  by properties: each step onlyOnBreaks, does not hold of this step" in out


def test_the_json_has_everything(lamp: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Numbers, difference, who noticed by which run."""
    code, out, _ = told(capsys, "mutate", lamp, "--format", "json")
    found = json.loads(out)
    assert code == 1
    assert (found["format"], found["mutants"]) == (
        "statemachines.mutation/1",
        len(found["results"]),
    )
    one = found["results"][3]
    assert (one["number"], one["fate"], one["spec"]) == (4, "killed", "Lamp.yaml:6")
    assert one["diff"] == ["  from: OFF", "- to: ON", "+ to: BROKEN", "  event: press"]
    assert {each["judge"] for each in one["noticed"]} == {"checks", "properties"}
    assert any(
        each["run"] and each["run"]["steps"][-1]["became"] == "OFF -> BROKEN"
        for each in one["noticed"]
    )
    assert set(found["operators"][-1]["noticed"]) == {"checks", "properties"}


def test_a_score_may_be_asked_for(lamp: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A gate for a pipeline."""
    assert told(capsys, "mutate", lamp, "--at-least", "10", "--show", "none")[0] == 0
    assert told(capsys, "mutate", lamp, "--at-least", "100", "--show", "none")[0] == 1


def test_a_sample_says_of_how_many(lamp: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Nobody takes it for all."""
    _, out, _ = told(capsys, "mutate", lamp, "--sample", "5", "--show", "none")
    assert out.startswith("Lamp   5 mutants of ")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("mutate", "Lamp.yaml", "--log", "missing.log"), "missing.log"),
        (("mutate", "Lamp.yaml", "--release", "9"), "9"),
        (("mutate", "Nothing"), "Nothing"),
        (("mutate", "Lamp.yaml", "--test", "missing.py"), "does not pass with"),
    ],
)
def test_what_cannot_be_asked_is_said(
    lamp: str, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], said: str
) -> None:
    """Exit code 2, and why."""
    code, out, err = told(capsys, *words)
    assert (code, out) == (2, "")
    assert said in err


def test_what_cannot_judge_is_an_error(lamp: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A number that no mutant has, a spec in which there is nothing to change."""
    code, out, err = told(capsys, "mutate", lamp, "--only", "4000")
    assert (code, out) == (2, "")
    assert "there is no mutant 4000; Lamp has " in err
    Path("One.yaml").write_text(
        "notation: 1\nmachine: One\nstates: {A: {initial: true, final: true}}\n", "utf-8"
    )
    code, _, err = told(capsys, "mutate", "One.yaml")
    assert code == 2
    assert "One has no mutants" in err


def test_a_property_that_is_broken_already_is_said_to_judge_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A low score of a spec whose rule is wrong says nothing of the rule, and a person would look for missing ones in vain."""
    path = tmp_path / "Lamp.yaml"
    path.write_text(LAMP + "always:\n  neverOn: state != 'ON'\n", "utf-8")
    _, out, _ = told(capsys, "mutate", str(path), "--show", "none")
    assert "\n  always neverOn is VIOLATED as it is, and so it judges no mutant\n" in out
    assert "onlyOnBreaks is VIOLATED" not in out
    _, out, _ = told(capsys, "mutate", str(path), "--format", "json", "--only", "1")
    assert json.loads(out)["violated"] == ["always neverOn"]
