"""`explore` as a person meets it: pictures of all states, ceilings that are named, a search that goes on where it stopped.

Covers: statemachines.api.queries.state_graphs, statemachines.cli.verbs.explore,
statemachines.report.exploration.exploration_markdown.
"""

from __future__ import annotations

import itertools
import re
import signal
from pathlib import Path

import pytest

from statemachines.cli import main
from statemachines.explore.resources.limits import Budget


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


def test_states_up_to_symmetry_are_drawn_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two resource managers that change places are one picture less."""
    plain, file = tmp_path / "plain.mmd", tmp_path / "symmetry.mmd"
    assert (
        main(["explore", "examples/TransactionCommit", "--scope", "RM=2", "--graph", str(plain)])
        == 0
    )
    assert (
        main(
            [
                "explore",
                "examples/TransactionCommit",
                "--scope",
                "RM=2",
                "--symmetry",
                "--graph",
                str(file),
            ]
        )
        == 0
    )
    assert (plain.read_text("utf-8").count(" as "), file.read_text("utf-8").count(" as ")) == (
        12,
        8,
    )
    capsys.readouterr()


def test_too_many_states_are_no_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nobody reads a thousand boxes."""
    assert (
        main(
            [
                "explore",
                "examples/TwoPhaseCommit",
                "--scope",
                "RM=5",
                "--graph",
                str(tmp_path / "all.svg"),
            ]
        )
        == 2
    )
    assert "more than 300 states are no picture" in capsys.readouterr().err


def test_copies_are_drawn_side_by_side(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A state of two copies names both."""
    file = tmp_path / "two.mmd"
    assert main(["explore", "examples/RiverCrossing", "--copies", "2", "--graph", str(file)]) == 0
    drawn = file.read_text("utf-8")
    assert drawn.count(" as ") == 100
    assert "<br>1: farmerIsHere=True" in drawn
    assert "2: crossWith(passenger='goat')" in drawn
    capsys.readouterr()


def test_the_result_is_shown_before_a_picture_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An hour of exploring is not lost to a file name: what is wrong with it is said first, what cannot be drawn last."""
    assert (
        main(
            [
                "explore",
                "examples/TwoPhaseCommit",
                "--scope",
                "RM=4",
                "--graph",
                str(tmp_path / "all.svg"),
            ]
        )
        == 2
    )
    assert "1,568 states" in capsys.readouterr().out
    assert main(["explore", "examples/TwoPhaseCommit", "--graph", str(tmp_path / "all.foo")]) == 2
    shown = capsys.readouterr()
    assert "unknown ending .foo" in shown.err
    assert shown.out == ""


@pytest.mark.parametrize("ending", [".md", ".scxml", ".json", ".tla"])
def test_only_endings_of_pictures_are_offered(
    ending: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """States are drawn; forms that tell a machine as text are refused at once, and no ending is named that is refused in turn."""
    for asked in (ending, ".xyz"):
        assert (
            main(["explore", "examples/RiverCrossing", "--graph", str(tmp_path / f"all{asked}")])
            == 2
        )
        shown = capsys.readouterr()
        assert (
            f"unknown ending {asked}; known are .svg, .dot, .gv, .mmd, .png, .puml\n" in shown.err
        )
        assert shown.out == ""


def test_all_states_of_a_system_are_drawn(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A state is what its parts are in, and what waits; what is the same everywhere is left out."""
    file, asked = (
        tmp_path / "states.mmd",
        ["explore", "kafka/StreamsApplication", "--release", "3.9.0", "--scope", "Thread=1"],
    )
    assert main([*asked, "--graph", str(file)]) == 0
    states = re.search(r"(\d+) states", capsys.readouterr().out)
    assert states is not None
    drawn = file.read_text("utf-8")
    assert drawn.count(" as ") == int(states[1])
    assert "client CREATED<br>threads['Thread1'] CREATED<br>no globalThread" in drawn
    assert "waiting: threads['Thread1'].to_PENDING_SHUTDOWN()" in drawn
    assert "client.to_REBALANCING" in drawn


def test_several_copies_of_a_system_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """The parts are what stands side by side; the message says how many of them are asked for."""
    assert main(["explore", "kafka/StreamsApplication", "--copies", "2"]) == 2
    assert (
        "is a system, of which there is one; --scope says how many of its parts"
        in capsys.readouterr().err
    )


@pytest.mark.parametrize(
    "words",
    [
        ("explore", "examples/TwoPhaseCommit", "--graph", "out.svg/"),
        ("draw", "examples/Orders", "-o", "out.svg/"),
        ("generate", "code", "examples/Orders", "-o", "out.py/"),
        ("init", "New.yaml/"),
        ("check", "a.log", "-o", "out.html/", "--format", "html"),
    ],
)
def test_a_file_is_not_written_where_the_name_of_a_folder_was_given(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Said before anything is searched; the file would stand where nobody looks."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.log").write_text("nothing\n")
    assert main(list(words)) == 2
    assert [each.name for each in tmp_path.iterdir()] == ["a.log"]


@pytest.mark.parametrize("name", ["examples/TwoPhaseCommit", "kafka/StreamsApplication"])
def test_ctrl_c_gives_what_is_known_and_the_search_goes_on(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The signal arrives while it searches: exit code 130, counts so far, and nothing is said to hold; a machine and a system."""
    asked = ["explore", name, "--symmetry", "--resume", str(tmp_path / "search")]
    counted, calls = Budget.check, list[int]()

    def look(self: Budget, states: int, steps: int, transitions: int) -> None:
        calls.append(states)
        if states > 20:
            signal.raise_signal(signal.SIGINT)
        counted(self, states, steps, transitions)

    with monkeypatch.context() as patched:
        patched.setattr(Budget, "check", look)
        patched.setattr(Budget, "check_when_due", look)
        assert main(asked) == 130
    shown, said = capsys.readouterr()
    assert "not everything was seen: interrupted" in shown
    assert "INCONCLUSIVE   the spec is sound" in shown
    assert (
        f"the search is kept in {tmp_path / 'search'}; the same command goes on from there" in said
    )
    assert main(asked) == 0
    whole, said = capsys.readouterr()
    assert "kept" not in said
    assert main(asked[:-2]) == 0
    assert capsys.readouterr().out == whole


def test_a_search_that_hit_a_ceiling_says_where_it_is_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same command would hit the same ceiling again."""
    file = tmp_path / "search"
    assert (
        main(["explore", "examples/TwoPhaseCommit", "--resume", str(file), "--most-states=50"]) == 3
    )
    assert (
        f"kept in {file}; the same command with a higher ceiling goes on from there"
        in capsys.readouterr().err
    )


@pytest.mark.parametrize(
    ("option", "bound"),
    [
        ("--most-states=50", "the ceiling of 50 states"),
        ("--memory=1", "the ceiling of 1 MiB of memory"),
        ("--time=1", "the ceiling of 1 seconds"),
    ],
)
def test_a_ceiling_of_a_system_is_named(
    option: str, bound: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same ceilings as of a machine."""
    clock = itertools.count()
    with monkeypatch.context() as patched:
        patched.setattr("time.monotonic", lambda: next(clock) / 10)
        assert main(["explore", "kafka/StreamsApplication", "--symmetry", option]) == 3
    assert f"not everything was seen: {bound}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("option", "bound"),
    [
        ("--most-states=50", "the ceiling of 50 states"),
        ("--memory=1", "the ceiling of 1 MiB of memory"),
    ],
)
def test_a_ceiling_is_named(option: str, bound: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What was not looked at is not said to hold."""
    assert main(["explore", "examples/TwoPhaseCommit", "--scope", "RM=5", option]) == 3
    assert f"not everything was seen: {bound}" in capsys.readouterr().out


HOUSE = """
notation: 1
system: House
parts: {lamp: {machine: Lamp}}
links: [{on: lamp, enters: BROKEN, only if: "False"}]
always: {off: lamp.state == 'OFF'}
"""
LAMP = """
notation: 1
machine: Lamp
states: {OFF: {initial: true, final: true}, ON: {doc: Light.}, BROKEN: {final: true}}
transitions: [{from: OFF, to: ON}, {from: ON, to: OFF}, {from: ON, to: BROKEN}]
"""
TANK = """
notation: 1
machine: Tank
variables: {level: "0..3 = 0"}
events:
  fill: {args: {by: "set[1..2]"}, effect: {level: level + len(by)}}
leads to: {full: {when: level == 0, then: level == 3}}
"""


def test_states_that_no_part_comes_to_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A machine says so of its own states; in a system it is a link, or what the others do, that keeps a part from them."""
    (tmp_path / "House.yaml").write_text(HOUSE.lstrip())
    (tmp_path / "Lamp.yaml").write_text(LAMP.lstrip())
    assert main(["explore", str(tmp_path / "House.yaml")]) == 1
    assert "\n  never in lamp.BROKEN\n" in capsys.readouterr().out
    assert main(["explore", str(tmp_path / "House.yaml"), "--most-states", "1"]) in (1, 3)
    assert "\n  not yet in lamp.BROKEN\n" in capsys.readouterr().out
    assert main(["explore", str(tmp_path / "House.yaml"), "--format", "markdown"]) == 1
    assert "\n- never in lamp.BROKEN\n" in capsys.readouterr().out


def test_what_was_found_is_written_as_markdown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """For a pull request: as `diff` does. A bar or a backtick in a value breaks no table."""
    (tmp_path / "Tank.yaml").write_text(TANK.lstrip())
    assert main(["explore", str(tmp_path / "Tank.yaml"), "--format", "markdown", "--program"]) == 1
    shown = capsys.readouterr().out
    assert shown.partition("Tank")[2].startswith(
        "\n\n**VIOLATED**. 4 states, 12 transitions, at most 2 steps away.\n\n| Verdict | Property |  |\n"
    )
    assert (
        "| VIOLATED | the spec is sound | `level` would be 4, which is not of type `0..3` |"
        in shown
    )
    assert (
        "| 1 | `fill(by={1, 2})` | `level=2` |\n| 2 | `fill(by={1, 2})` | refused: `level` would be 4"
        in shown
    )
    assert (
        "## leads to full: never comes\n\nBegins: `level=0`\n\nAnd nothing happens any more.\n\n```python\n"
        in shown
    )
    assert (
        main(["explore", str(tmp_path / "Tank.yaml"), "--format", "markdown", "--traces", "none"])
        == 1
    )
    assert "##" not in capsys.readouterr().out
