"""Sections of `show` that machines and systems share: what is declared, what is known, what shall hold."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence

from statemachines.api.signatures import EventSignature
from statemachines.api.worded import claims, definitions, parameters, types, variables
from statemachines.model.data import Data
from statemachines.report.text.columns import Cell, Gives, Look, section, table

CUT = Gives.ITS_END
PROSE = 118
"""Columns of what authors wrote, at most."""
DOC = " " * 6
"""Before what is said of the line above."""


def head(name: str, of: str, doc: str, source: str, look: Look) -> Iterator[str]:
    """Say what it is called, and what its author says of it."""
    yield look.paint(name, "head") + of
    for paragraph in doc.split("\n\n"):
        yield from textwrap.wrap(paragraph, min(look.width - 2, PROSE), initial_indent="  ", subsequent_indent="  ")
    if source:
        yield look.paint(f"  {source}", "dim")


def declared(data: Data, look: Look) -> Iterator[str]:
    """Say which types, parameters and variables there are."""
    yield from section("Types", table(_rows(types(data)), look), look)
    yield from section("Parameters", table(_rows(parameters(data)), look), look)
    known = ((name, type_, f"= {first}" if first else "") for name, type_, first in variables(data))
    yield from section("Variables", table(_rows(known), look), look)


def defined(data: Data, look: Look) -> Iterator[str]:
    """Say what names stand for."""
    yield from section("Definitions", table(_rows((name, f"= {is_}") for name, is_ in definitions(data)), look), look)


def taken(signatures: Iterable[EventSignature], look: Look, of: str = "") -> Iterator[str]:
    """Say what events take, what their arguments must fulfil, and what they give back; nothing of those that do neither."""
    rows = [_signature(each) for each in signatures if each.arguments or each.where or each.returns]
    yield from section(f"Arguments and results of events{of}", table(rows, look), look)


def _signature(one: EventSignature) -> list[Cell]:
    names = [f"let {name} = {value}" for name, value in one.lets]
    told = {"where": one.where, "returns": " or ".join(one.returns)}
    said = "; ".join([*(f"{word} {text}" for word, text in told.items() if text), *names])
    return [Cell(one.name, "head"), Cell(f"({one.takes})", gives=CUT), Cell(said, gives=CUT)]


def _rows(told: Iterable[Sequence[str]]) -> list[list[Cell]]:
    return [[Cell(name, "head"), *(Cell(each, gives=CUT) for each in rest)] for name, *rest in told]


def properties(data: Data, look: Look) -> Iterator[str]:
    """Say what shall hold, each with what its author wrote of it below."""
    told = claims(data)
    rows = table([[Cell(each.said, "head"), Cell(each.holds, gives=CUT)] for each in told], look)
    width = min(look.width, PROSE) - 6
    for each, row in zip(told, rows, strict=True):
        yield row
        yield from (look.paint(line, "dim") for line in textwrap.wrap(each.doc, width, initial_indent=DOC, subsequent_indent=DOC))
