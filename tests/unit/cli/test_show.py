"""`show`: what one needs to call a machine.

Covers: statemachines.report.specs.event_signatures, statemachines.report.specs.sheet_sections,
statemachines.report.specs.system_sheet.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from statemachines.cli import main

SHOP = """\
notation: 1
machine: Shop
types: {Colour: [red, green], Who: id, Card: {owner: Who, points: 0..9}}
errors: {Broke: it}
parameters: {low: 0..9, high: {type: 0..9, doc: the most}}
where: low < high
variables: {n: 0..9 = 0, light: Colour = 'red'}
define: {room: {args: {more: 0..9}, is: n + more <= high}}
events:
  put:
    args: {amount: 1..5, who: Who, answer: {type: Colour, chosen: true}}
    where: amount < 5 and light == 'red'
    let: {all: n + amount}
    cases: [{when: room(amount), effect: {n: all}, returns: all}, {raises: Broke}]
  NAME: {returns: n}
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)


def shown(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """What it prints, blanks as one."""
    assert main(["show", *words]) == 0
    return " ".join(capsys.readouterr().out.split())


def test_what_is_declared_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    """Parameters, what they must fulfil, types with their members, arguments, results, errors, definitions."""
    Path("shop.yaml").write_text(SHOP.replace("all", "sum_").replace("NAME", "count"))
    said = shown(capsys, "shop.yaml")
    for part in (
        "Colour one of red, green", "Card Card(owner: Who, points: 0..9)", "high 0..9 the most", "where low < high", "light Colour = 'red'",
        "put (amount: 1..5, who: Who, answer: Colour (chosen)) where amount < 5 and light == 'red'; returns sum_; let sum_ = n + amount",
        "count () returns n", "room(more: 0..9) = n + more <= high", "raise Broke",
    ):  # fmt: skip
        assert part in said, part


def test_nothing_is_cut_where_nobody_looks(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pipe has no width; an expression without its end is a wrong one."""
    long = " and ".join(f"n != {number}" for number in range(9)) + " and n == 9"
    Path("shop.yaml").write_text(
        SHOP.replace("all", "sum_").replace("NAME", "count").replace("n + more <= high", long)
    )
    for columns in (None, "60"):
        if columns:
            monkeypatch.setenv("COLUMNS", columns)
        said = shown(capsys, "shop.yaml")
        assert long in said
        assert "…" not in said


def test_a_system_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    """Its parts, what they do to each other, what they share."""
    Path("Shop.yaml").write_text(
        "notation: 1\nmachine: Shop\nstates: {OPEN: {initial: true}, SHUT: {final: true}}\ntransitions: [{from: OPEN, to: SHUT}]\n"
    )
    Path("Street.yaml").write_text(
        "notation: 1\nsystem: Street\ndoc: Two shops.\ntypes: {Place: [north, south]}\nvariables: {lights: bool = True}\n"
        "parts: {shops: {machine: Shop, each: Place}}\n"
        "links: [{on: shops, enters: SHUT, effect: {lights: 'False'}}]\nalways: {lit: lights or not lights}\n"
    )
    said = shown(capsys, "Street.yaml")
    for part in (
        "Street Two shops.",
        "shops Shop one for each Place",
        "shops enters SHUT lights = False",
        "lights bool = True",
        "always lit",
    ):
        assert part in said, part
