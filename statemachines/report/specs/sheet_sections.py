"""Sections of `show` that machines and systems share: what is declared, what is known, what shall
hold.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence

from statemachines.model.definitions.data_definitions import MachineData
from statemachines.report.specs.descriptions import (
    definition_rows,
    parameter_rows,
    property_descriptions,
    type_rows,
    variable_rows,
)
from statemachines.report.specs.event_signatures import EventSignature
from statemachines.report.text.text_columns import (
    Cell,
    CellShortening,
    OutputStyle,
    aligned_rows,
    titled_section,
)

CUT_AT_END = CellShortening.AT_END
PROSE_WIDTH = 118
"""Columns of what authors wrote, at most."""
_DOC_INDENT = " " * 6
"""Before what is said of the line above."""


def sheet_heading(name: str, of: str, doc: str, source: str, style: OutputStyle) -> Iterator[str]:
    """Say what it is called, and what its author says of it.

    Args:
        name: with the release.
        of: behind the name: what it belongs to.
        doc: of the spec.
        source: of the spec.
        style: columns, colours, and what is shortened.

    Yields:
        Lines to print.
    """
    yield style.paint(name, "head") + of
    for paragraph in doc.split("\n\n"):
        yield from textwrap.wrap(
            paragraph,
            min(style.width - 2, PROSE_WIDTH),
            initial_indent="  ",
            subsequent_indent="  ",
        )
    if source:
        yield style.paint(f"  {source}", "dim")


def declared_sections(data: MachineData, style: OutputStyle) -> Iterator[str]:
    """Say which types, parameters and variables there are.

    Args:
        data: of a machine or a system.
        style: columns, colours, and what is shortened.

    Yields:
        Lines to print.
    """
    yield from titled_section("Types", aligned_rows(_named_rows(type_rows(data)), style), style)
    yield from titled_section(
        "Parameters", aligned_rows(_named_rows(parameter_rows(data)), style), style
    )
    known = (
        (name, type_, f"= {first}" if first else "") for name, type_, first in variable_rows(data)
    )
    yield from titled_section("Variables", aligned_rows(_named_rows(known), style), style)


def definition_section(data: MachineData, style: OutputStyle) -> Iterator[str]:
    """Say what names stand for.

    Args:
        data: of a machine or a system.
        style: columns, colours, and what is shortened.

    Yields:
        Lines to print.
    """
    yield from titled_section(
        "Definitions",
        aligned_rows(_named_rows((name, f"= {is_}") for name, is_ in definition_rows(data)), style),
        style,
    )


def event_section(
    signatures: Iterable[EventSignature], style: OutputStyle, of: str = ""
) -> Iterator[str]:
    """Say what events take, what their arguments must fulfil, and what they give back; nothing of
    those that do neither.

    Args:
        signatures: of events.
        style: columns, colours, and what is shortened.
        of: of which part; empty: of the machine itself.

    Yields:
        Lines to print.
    """
    rows = [
        _signature_cells(signature)
        for signature in signatures
        if signature.arguments or signature.where or signature.returns
    ]
    yield from titled_section(
        f"Arguments and results of events{of}", aligned_rows(rows, style), style
    )


def _signature_cells(event_signature: EventSignature) -> list[Cell]:
    names = [f"let {name} = {value}" for name, value in event_signature.lets]
    entries = {"where": event_signature.where, "returns": " or ".join(event_signature.returns)}
    meaning = "; ".join([*(f"{word} {text}" for word, text in entries.items() if text), *names])
    return [
        Cell(event_signature.name, "head"),
        Cell(f"({event_signature.takes})", shortening=CUT_AT_END),
        Cell(meaning, shortening=CUT_AT_END),
    ]


def _named_rows(rows: Iterable[Sequence[str]]) -> list[list[Cell]]:
    return [
        [Cell(name, "head"), *(Cell(text, shortening=CUT_AT_END) for text in rest)]
        for name, *rest in rows
    ]


def property_lines(data: MachineData, style: OutputStyle) -> Iterator[str]:
    """Say what shall hold, each with what its author wrote of it below.

    Args:
        data: of a machine or a system.
        style: columns, colours, and what is shortened.

    Yields:
        Lines to print.
    """
    entries = property_descriptions(data)
    rows = aligned_rows(
        [
            [Cell(entry.title, "head"), Cell(entry.condition, shortening=CUT_AT_END)]
            for entry in entries
        ],
        style,
    )
    width = min(style.width, PROSE_WIDTH) - 6
    for entry, row in zip(entries, rows, strict=True):
        yield row
        yield from (
            style.paint(line, "dim")
            for line in textwrap.wrap(
                entry.doc, width, initial_indent=_DOC_INDENT, subsequent_indent=_DOC_INDENT
            )
        )
