"""`init`: what it writes holds together.

Covers: statemachines.api.queries.new_specs, statemachines.cli.arguments.option_types,
statemachines.cli.console.output_files, statemachines.cli.verbs.writing.init,
statemachines.cli.verbs.writing.lint, statemachines.report.specs.lint_results.
"""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import unquote, urlsplit

import jsonschema
import pytest
import yaml

from statemachines.api.queries.new_specs import DRAFT_FORMS
from statemachines.cli import main

XSTATE = """{"id": "light", "initial": "green", "states": {
  "green": {"on": {"TIMER": "yellow"}},
  "yellow": {"on": {"TIMER": {"target": "red", "actions": "warn"}}},
  "red": {"type": "final"}}}"""
PROGRAM = """
from transitions import Machine

class Shop:
    machine = Machine(states=["open", "shut"], transitions=[["close", "open", "shut"]], initial="open", after_state_change="tell")
"""
SCXML = '<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" name="lamp" initial="off"><state id="off"/></scxml>'
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
    assert "no problems in 1 spec" in capsys.readouterr().out
    Path("parcel.log").write_text(
        "2026-11-21 08:00:00,000 INFO parcel 7: NEW -> DONE (app.parcel)\n", "utf-8"
    )
    assert main(["check", "parcel.log", "--spec", "parcel.yaml"]) == 1


def test_a_file_that_is_there_is_not_written_over(capsys: pytest.CaptureFixture[str]) -> None:
    """Somebody's work."""
    Path("parcel.yaml").write_text("mine", "utf-8")
    assert main(["init", "parcel.yaml"]) == 2
    assert "--force" in capsys.readouterr().err
    assert Path("parcel.yaml").read_text("utf-8") == "mine"
    assert main(["init", "parcel.yaml", "--force"]) == 0


def test_editors_are_told_the_schema() -> None:
    """The installed one, so that no network is needed; one that lies near by a way that a colleague's checkout has too."""
    Path("order.mmd").write_text(DIAGRAM, "utf-8")
    for words in (["init", "plain.yaml"], ["init", "order.yaml", "--from", "order.mmd"]):
        assert main(words) == 0
        line, _, rest = Path(words[1]).read_text("utf-8").partition("\n")
        assert json.loads(
            Path(unquote(urlsplit(line.partition("$schema=")[2]).path)).read_text("utf-8")
        )["title"]
        assert "notation: 1" in rest
    Path("specs/shop").mkdir(parents=True)
    Path("specs/machine.schema.json").write_text("{}", "utf-8")
    for file, way in (
        ("specs/shop/parcel.yaml", "../machine.schema.json"),
        ("parcel.yaml", "specs/machine.schema.json"),
    ):
        assert main(["init", file]) == 0
        assert Path(file).read_text("utf-8").startswith(f"# yaml-language-server: $schema={way}\n")


@pytest.mark.parametrize("form", [None, *DRAFT_FORMS, "shop_program:Shop.machine"])
def test_every_file_names_the_schema_and_fits_it(
    form: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An editor completes what was written by hand, drafted or imported; a new form of drafts is asked too."""
    monkeypatch.syspath_prepend(str(tmp_path))
    Path("shop_program.py").write_text(PROGRAM, "utf-8")
    texts = {".json": XSTATE, ".scxml": SCXML, ".xml": SCXML, ".md": f"```mermaid\n{DIAGRAM}```\n"}
    source = form
    if form is not None and form.startswith("."):
        source = f"draft{form}"
        Path(source).write_text(texts.get(form, DIAGRAM), "utf-8")
    assert main(["init", "made.yaml", *([] if source is None else ["--from", source])]) == 0
    text = Path("made.yaml").read_text("utf-8")
    first = text.partition("\n")[0]
    assert first.startswith("# yaml-language-server: $schema=file:")
    schema = json.loads(
        Path(unquote(urlsplit(first.partition("$schema=")[2]).path)).read_text("utf-8")
    )
    jsonschema.Draft202012Validator(schema).validate(yaml.safe_load(text))


def test_a_draft_is_made_from_a_diagram() -> None:
    """What a team has on its wiki is a beginning."""
    Path("order.mmd").write_text(DIAGRAM, "utf-8")
    assert main(["init", "order.yaml", "--from", "order.mmd"]) == 0
    assert main(["ask", "order.yaml", "NEW", "PAID"]) == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("init", "9lives.yaml"), "call the file _9lives.yaml"),
        (("init", "my-order.v2.yaml"), "call the file my_order_v2.yaml"),
        (("init", "a.yaml", "--from", "nowhere.mmd"), "nowhere.mmd"),
        (("init", "a.yaml", "--from", "picture.png"), "a draft is made from"),
        (("init", "no/such/a.yaml"), "there is no folder"),
    ],
)
def test_what_cannot_be_started_from_is_told(
    words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 2 and a sentence."""
    assert main(words) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("file", "text", "source", "lost"),
    [
        ("light.json", XSTATE, "light.json", "`actions: warn`"),
        (
            "the_shop.py",
            PROGRAM,
            "the_shop:Shop.machine",
            "the machine's callback `tell` (after_state_change)",
        ),
        ("lamp.scxml", SCXML, "lamp.scxml", ""),
        ("order.mmd", DIAGRAM, "order.mmd", ""),
    ],
)
def test_every_draft_lints(
    file: str, text: str, source: str, lost: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """It holds together as it comes out, and what did not carry over is said and stands in the file."""
    Path(file).write_text(text, "utf-8")
    assert main(["init", "draft.yaml", "--from", source]) == 0
    told = capsys.readouterr().err
    assert lost in told
    assert lost in Path("draft.yaml").read_text("utf-8")
    assert main(["lint", "draft.yaml"]) == 0, capsys.readouterr().out


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("nowhere_at_all:machine", "No module named"),
        ("json:machine", "has no attribute 'machine'"),
        ("json:dumps", "is no machine of `transitions`"),
        ("list.json", "it should be an object"),
        ("torn.json", "it is no JSON"),
    ],
)
def test_what_is_no_machine_is_told(
    source: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 2 and a sentence; nothing is written."""
    Path("list.json").write_text("[]", "utf-8")
    Path("torn.json").write_text("{", "utf-8")
    assert main(["init", "draft.yaml", "--from", source]) == 2
    assert said in capsys.readouterr().err
    assert not Path("draft.yaml").exists()
