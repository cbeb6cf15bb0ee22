"""`format_spec`: what a spec says is never changed, its comments stay, and once is enough.

Covers: statemachines.api.queries.formatted_specs, statemachines.cli.verbs.writing.format,
statemachines.notation.formatting.spec_formatting,
statemachines.notation.formatting.yaml_round_trip, statemachines.notation.lines.explosive_patterns,
statemachines.notation.formatting.text_folding.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import attrs
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from statemachines.cli import main
from statemachines.model.definitions.machine_definitions import SpecDefinition
from statemachines.model.diagnosis.diagnostics import SpecError
from statemachines.notation import read_spec_text
from statemachines.notation.document.notation_keys import SHAPES_BY_FILE_KIND
from statemachines.notation.formatting import spec_formatting
from statemachines.notation.formatting.spec_formatting import (
    TOP_KEYS,
    WIDTH,
    CannotFormat,
    format_spec,
)
from tests.effort import some_of
from tests.written_machines import specs_as_written

ROOT = Path(__file__).parents[3]
SHIPPED = [
    path
    for folder in ("specs", "docs/examples", "examples")
    for path in sorted((ROOT / folder).rglob("*.yaml"))
]
QUICK_BYTES = 15_000
"""Up to this size a spec is also read twice by the quick run."""


def machine_of_text(text: str, path: Path) -> SpecDefinition | None:
    spec = read_spec_text(
        text.encode(), path.name, name=path.stem, path=path, specs=ROOT / "specs"
    ).spec
    return None if spec is None else attrs.evolve(spec, sha256="")


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
def test_a_shipped_spec_is_in_form(path: Path) -> None:
    """What `statemachines format --check specs` says: a change of a spec shows what was changed."""
    text = path.read_text("utf-8")
    assert format_spec(text, path.name) == text, f"statemachines format {path}"


def test_a_spec_out_of_form_is_seen_and_keeps_its_comments() -> None:
    """A checker that was never seen to fail is untested."""
    path = ROOT / "specs" / "kafka" / "KafkaProcess.yaml"
    text = path.read_text("utf-8")
    head, machine, rest = text.partition("machine: KafkaProcess\n")
    untidy = head + rest + "# Named last\n" + machine
    tidy = format_spec(untidy, path.name)
    assert tidy != untidy
    assert format_spec(tidy, path.name) == tidy
    assert tidy.count("#") == untidy.count("#") == text.count("#") + 1


def test_a_long_text_of_a_log_is_folded_and_a_short_one_is_not() -> None:
    """People look for a line as it stands in a log, as long as an editor shows all of it."""
    short, long = ("the door of the shed " * number + "is open" for number in (4, 6))
    spec = "notation: 1\nmachine: Door\nlog:\n  lines:\n    - {text: $, says: note}\n"
    assert f"    - text: {short}\n" in format_spec(spec.replace("$", short), "Door.yaml")
    folded = format_spec(spec.replace("$", f"'{long}'"), "Door.yaml")
    assert max(map(len, folded.splitlines())) <= WIDTH
    quoted = format_spec(spec.replace("$", f"'{long} '"), "Door.yaml")
    assert max(map(len, quoted.splitlines())) <= WIDTH
    assert quoted.rstrip().split("says")[0].rstrip().endswith('is open "')


def test_a_list_of_words_goes_on_in_the_next_line() -> None:
    """And what fits stays on its line, whatever stands beside it."""
    names = [f"STATE_{number}" for number in range(30)]
    spec = f"notation: 1\nmachine: Door\ntypes: {{State: [{', '.join(names)}]}}\n"
    lines = format_spec(spec, "Door.yaml").splitlines()
    assert 80 < max(map(len, lines)) <= WIDTH
    assert len(lines) < 10
    fits = 'notation: 1\nmachine: Door\ndefine:\n  a: [{in: "1", is: ' + "b" * 40 + "}, {is: c}]\n"
    assert format_spec(fits, "Door.yaml") == fits


def check_same_machine(paths: Iterable[Path]) -> None:
    for path in paths:
        text = path.read_text("utf-8")
        formatted = format_spec(text, path.name)
        assert machine_of_text(formatted, path) == machine_of_text(text, path), path


def test_formatting_changes_no_small_machine_that_is_shipped() -> None:
    """A form is a form: the machine is the same value."""
    check_same_machine(path for path in SHIPPED if path.stat().st_size <= QUICK_BYTES)


@pytest.mark.long
def test_formatting_changes_no_large_machine_that_is_shipped() -> None:
    """The same for those that take long to read."""
    check_same_machine(path for path in SHIPPED if path.stat().st_size > QUICK_BYTES)


@st.composite
def dressed_specs(draw: st.DrawFn) -> str:
    """Draw a spec in any style, keys in any order (`notation` is first), with comments above and
    behind lines.
    """
    document = yaml.safe_load(draw(specs_as_written()))
    keys = ["notation", *draw(st.permutations(sorted(document.keys() - {"notation"})))]
    text = yaml.safe_dump(
        {key: document[key] for key in keys},
        sort_keys=False,
        width=1 << 20,
        default_flow_style=draw(st.sampled_from([False, None])),
        indent=draw(st.sampled_from([2, 3, 4])),
    )
    lines = text.splitlines()
    places = st.sets(st.integers(0, len(lines) - 1), max_size=4)
    above, behind = draw(places), draw(places)
    dressed = list[str]()
    for number, line in enumerate(lines):
        if number in above:
            dressed.append(" " * (len(line) - len(line.lstrip())) + f"# above {number}")
        dressed.append(line + (f"  # behind {number}" if number in behind else ""))
    return "\n".join(dressed) + "\n"


@settings(max_examples=some_of(25), deadline=None)
@given(text=dressed_specs())
def test_formatting_changes_no_machine(text: str) -> None:
    """Whatever it looked like before."""
    here = Path("Written.yaml")
    formatted = format_spec(text, here.name)
    assert machine_of_text(formatted, here) == machine_of_text(text, here)
    assert format_spec(formatted, here.name) == formatted
    assert formatted.count("# ") == text.count("# ")
    for line in text.splitlines():
        assert line.partition("# ")[2] in formatted


def test_every_key_of_a_file_has_its_place() -> None:
    """A key that the notation gains is put where people look for it, not anywhere."""
    keys = {key.name for shape in SHAPES_BY_FILE_KIND.values() for key in shape.keys}
    assert keys == set(TOP_KEYS)
    assert len(TOP_KEYS) == len(keys)


UNTIDY = """\
# yaml-language-server: $schema=machine.schema.json
# Of a shed.
states: { OPEN: {initial:   true}, SHUT: {final: true, doc: "It was painted green in the year in which the shed was built, and it never was again, for want of paint."} }
# How it moves.
transitions:
- {from: OPEN, to: SHUT}   # once
variables:
  wide: {type: bool, initial: True}
  other: {type: bool, initial: 'False'}
machine: Door
notation: 1
"""
TIDY = """\
# yaml-language-server: $schema=machine.schema.json
# Of a shed.
notation: 1
machine: Door
variables:
  wide: {type: bool, initial: True}
  other: {type: bool, initial: 'False'}
states:
  OPEN: {initial: true}
  SHUT:
    final: true
    doc: >-
      It was painted green in the year in which the shed was built, and it never was again, for want
      of paint.
# How it moves.
transitions:
  - {from: OPEN, to: SHUT} # once
"""


def test_a_form_is_as_documented() -> None:
    """Keys in order with the comments above them, what is too long broken up, words as written."""
    assert format_spec(UNTIDY, "Door.yaml") == TIDY
    assert max(map(len, TIDY.splitlines())) <= WIDTH


@pytest.mark.parametrize("text", ["a: [1", "a: &x 1\n", "machine: A\nmachine: B\n"])
def test_what_no_spec_may_be_is_told_as_everywhere(text: str) -> None:
    """An anchor would be written out, a double key lost."""
    with pytest.raises(SpecError):
        format_spec(text, "Door.yaml")


@pytest.mark.parametrize("lost", [("# How it moves.\n", ""), ("initial: true", "initial: false")])
def test_what_would_be_lost_is_refused(
    lost: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A library that drops a comment or changes a word does not get its way."""
    right = spec_formatting._laid_out
    monkeypatch.setattr(
        spec_formatting, "_laid_out", lambda text, file: right(text, file).replace(*lost)
    )
    with pytest.raises(CannotFormat, match="formatting would change it"):
        format_spec(UNTIDY, "Door.yaml")


def test_the_verb_writes_and_checks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`--check` is for a pipeline: it writes nothing, and says which."""
    untidy, broken = tmp_path / "Door.yaml", tmp_path / "Wrong.yaml"
    untidy.write_text(UNTIDY, "utf-8")
    assert main(["format", "--check", str(tmp_path)]) == 1
    assert capsys.readouterr().out == f"has another form: {untidy}\n"
    assert untidy.read_text("utf-8") == UNTIDY
    assert main(["format", str(untidy)]) == 0
    assert untidy.read_text("utf-8") == TIDY
    assert main(["format", "--check", str(untidy)]) == 0
    broken.write_text("a: [1", "utf-8")
    untidy.write_text(UNTIDY, "utf-8")
    assert main(["format", str(broken), str(untidy)]) == 2
    assert "Wrong.yaml:2:1  SM101" in capsys.readouterr().err
    assert (untidy.read_text("utf-8"), broken.read_text("utf-8")) == (TIDY, "a: [1")


def test_nothing_may_be_left_out_within_braces() -> None:
    """`{A: {initial: true}, B: }` is how many write states that have no more to say."""
    text = "notation: 1\nmachine: M\nstates: {A: {initial: true}, B: }\n"
    assert "B: null" in format_spec(text, "M.yaml")
    assert "B: 'null'" in format_spec(text.replace("B: ", "B: 'null'"), "M.yaml")
