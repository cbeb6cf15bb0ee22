"""`init`: what it writes holds together."""

from __future__ import annotations

from pathlib import Path

import pytest

from statemachines.cli import main

DIAGRAM = """\
stateDiagram-v2
    [*] --> NEW
    NEW --> PAID : pay
    PAID --> [*]
"""


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It writes where the person stands."""
    monkeypatch.chdir(tmp_path)


def test_a_new_spec_has_nothing_against_it(capsys: pytest.CaptureFixture[str]) -> None:
    """A start that is wrong would teach wrong things."""
    assert main(["init", "parcel.yaml"]) == 0
    assert main(["lint", "parcel.yaml"]) == 0
    assert "nothing to say against 1 spec" in capsys.readouterr().out
    Path("parcel.log").write_text("2026-11-21 08:00:00,000 INFO parcel 7: NEW -> DONE (app.parcel)\n", "utf-8")
    assert main(["check", "parcel.log", "--spec", "parcel.yaml"]) == 1


def test_a_file_that_is_there_is_not_written_over(capsys: pytest.CaptureFixture[str]) -> None:
    """Somebody's work."""
    Path("parcel.yaml").write_text("mine", "utf-8")
    assert main(["init", "parcel.yaml"]) == 2
    assert "--force" in capsys.readouterr().err
    assert Path("parcel.yaml").read_text("utf-8") == "mine"
    assert main(["init", "parcel.yaml", "--force"]) == 0


def test_editors_are_told_the_schema_by_a_way_that_holds_on_every_machine() -> None:
    """A colleague checks the file out elsewhere; with no schema near, no line is better than a dead one."""
    assert main(["init", "plain.yaml"]) == 0
    assert Path("plain.yaml").read_text("utf-8").startswith("notation: 1\n")
    Path("specs/shop").mkdir(parents=True)
    Path("specs/machine.schema.json").write_text("{}", "utf-8")
    for file, way in (("specs/shop/parcel.yaml", "../machine.schema.json"), ("parcel.yaml", "specs/machine.schema.json")):
        assert main(["init", file]) == 0
        assert Path(file).read_text("utf-8").startswith(f"# yaml-language-server: $schema={way}\n")


def test_a_draft_is_made_from_a_diagram() -> None:
    """What a team has on its wiki is a beginning."""
    Path("order.mmd").write_text(DIAGRAM, "utf-8")
    assert main(["init", "order.yaml", "--from", "order.mmd"]) == 0
    assert main(["ask", "order.yaml", "NEW", "PAID"]) == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("init", "9lives.yaml"), "is no name of a machine"),
        (("init", "a.yaml", "--from", "nowhere.mmd"), "nowhere.mmd"),
        (("init", "a.yaml", "--from", "picture.png"), "a draft is made from"),
        (("init", "no/such/a.yaml"), "cannot be written"),
    ],
)
def test_what_cannot_be_started_from_is_told(words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 2 and a sentence."""
    assert main(words) == 2
    assert said in capsys.readouterr().err
