"""Every code that the source can report has a section on the errors page and an example that gets it, and nothing else.

Covers: statemachines.notation.linting.state_reachability, statemachines.notation.linting.line_fields,
statemachines.notation.log_passes.episode_pass.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from statemachines.model.diagnosis.diagnostics import Diagnostic, SpecError
from statemachines.notation import lint, load_spec, read_spec_text
from tests.unit.notation.errors_page import CHECKOUT, FIXTURES, Section, sections

SECTIONS = sections()
PACKAGE = CHECKOUT / "statemachines"


def too_large(_: Path) -> tuple[Diagnostic, ...]:
    return read_spec_text(b"# " + b"x" * (1 << 20), "large.yaml").diagnostics


def too_many_arrows(_: Path) -> tuple[Diagnostic, ...]:
    names = "".join(f"  S{number}: {{initial: true}}\n" for number in range(400))
    return read_spec_text(
        f"notation: 1\nmachine: Big\nstates:\n{names}transitions: [{{to: [{', '.join(f'S{n}' for n in range(400))}]}}]\n".encode(),
        "big.yaml",
    ).diagnostics


def too_many_wordings(_: Path) -> tuple[Diagnostic, ...]:
    line = '    - {text: "the door {door} is {state}", says: is}\n'
    head = "notation: 1\nmachine: Door\nstates: {OPEN: {initial: true, final: true}}\nlog:\n  instance: [door]\n  lines:\n"
    return read_spec_text((head + line * 2001).encode(), "wordy.yaml").diagnostics


def refused(name: str | Path, folder: Path | None = None) -> tuple[Diagnostic, ...]:
    with pytest.raises(SpecError) as error:
        load_spec(name, folder=folder)
    return error.value.diagnostics


def two_of_a_name(folder: Path) -> tuple[Diagnostic, ...]:
    for place in ("house", "garden"):
        (folder / place).mkdir()
        (folder / place / "Door.yaml").write_text(
            "notation: 1\nmachine: Door\nstates: {OPEN: {initial: true, final: true}}\n"
        )
    return refused("Door", folder)


MADE: dict[str, Callable[[Path], tuple[Diagnostic, ...]]] = {
    "SM104": too_large,
    "SM218": too_many_arrows,
    "SM518": too_many_wordings,
    "SM601": lambda _: refused("StreamTread"),
    "SM602": two_of_a_name,
    "SM604": lambda folder: refused(folder / "Door.yaml"),
    "SM606": lambda _: refused(FIXTURES / "door.yaml"),
}
"""Codes whose example is no file of a few lines."""


def codes_in_source() -> set[str]:
    return {
        code
        for path in PACKAGE.rglob("*.py")
        for code in re.findall(r'"(SM\d{3})"', path.read_text("utf-8"))
    }


def test_every_code_of_the_source_has_a_section_and_every_section_a_code() -> None:
    """A message that `explain` cannot explain, and a page that speaks of messages long gone, are both found here."""
    assert {section.code for section in SECTIONS} == codes_in_source()


def test_sections_stand_in_the_order_of_their_codes() -> None:
    """People look a code up by scrolling."""
    codes = [section.code for section in SECTIONS]
    assert codes == sorted(codes)


def test_every_section_has_an_example_that_is_tried() -> None:
    """An example that no test runs ages unseen."""
    files = {path.stem for path in FIXTURES.glob("SM*.yaml")}
    assert files | MADE.keys() == {section.code for section in SECTIONS}
    assert not files & MADE.keys()


@pytest.mark.parametrize("path", sorted(FIXTURES.glob("SM*.yaml")), ids=lambda path: path.stem)
def test_an_example_gets_its_code_and_no_other(path: Path) -> None:
    """One mistake gives one message: follow-up errors hide the cause."""
    assert {found.code for found in lint(path)} == {path.stem}


@pytest.mark.parametrize("code", sorted(MADE))
def test_an_example_that_is_no_file_gets_its_code(code: str, tmp_path: Path) -> None:
    """The same for what a small file cannot show."""
    assert {found.code for found in MADE[code](tmp_path)} == {code}


@pytest.mark.parametrize(
    "section", [one for one in SECTIONS if one.fails_first], ids=lambda one: one.code
)
def test_the_page_shows_the_example_that_is_tried(section: Section) -> None:
    """What a person reads is what the test ran."""
    assert section.examples[0] == (FIXTURES / f"{section.code}.yaml").read_text("utf-8")


@pytest.mark.parametrize(
    "section",
    [one for one in SECTIONS if len(one.examples) > one.fails_first],
    ids=lambda one: one.code,
)
def test_what_the_page_calls_right_is_right(section: Section, tmp_path: Path) -> None:
    """A correction that gets a message of its own teaches the wrong thing."""
    (tmp_path / "door.yaml").write_bytes((FIXTURES / "door.yaml").read_bytes())
    path = tmp_path / "Right.yaml"
    path.write_text(section.examples[-1], "utf-8")
    assert lint(path) == []
