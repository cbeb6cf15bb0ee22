"""`show` of a system: its parts, what their steps do to each other, what they share, what shall
hold.
"""

from __future__ import annotations

from collections.abc import Iterator

from statemachines.model.definitions.system_definitions import (
    SystemDefinition,
    SystemSpecDefinition,
)
from statemachines.report.specs.descriptions import channel_rows, link_rows, part_rows, same_rows
from statemachines.report.specs.event_signatures import event_signatures
from statemachines.report.specs.sheet_sections import (
    CUT_AT_END,
    declared_sections,
    definition_section,
    event_section,
    property_lines,
    sheet_heading,
)
from statemachines.report.text.text_columns import Cell, OutputStyle, aligned_rows, titled_section


def system_sheet(
    spec: SystemSpecDefinition, system: SystemDefinition, style: OutputStyle
) -> Iterator[str]:
    """Show a system of one release.

    Args:
        spec: in all its releases.
        system: in one release.
        style: columns, colours, and what is shortened.

    Yields:
        Lines to print.
    """
    of = f"  {system.release}  (of {spec.family.ranges(spec.releases)})" if system.release else ""
    yield from sheet_heading(system.name, of, system.doc, system.source, style)
    yield from titled_section(
        "Parts", aligned_rows([_part_cells(*part) for part in part_rows(system)], style), style
    )
    same = [[Cell(name, "head"), Cell(of), Cell(doc, "dim")] for name, of, doc in same_rows(system)]
    yield from titled_section("The same", aligned_rows(same, style), style)
    channels = [
        [Cell(name, "head"), Cell(holds), Cell(doc, "dim")]
        for name, holds, doc in channel_rows(system)
    ]
    yield from titled_section("Channels", aligned_rows(channels, style), style)
    rows = [
        [Cell(when, "head"), Cell(does, shortening=CUT_AT_END)] for when, does in link_rows(system)
    ]
    yield from titled_section("Links", aligned_rows(rows, style), style)
    yield from declared_sections(system.data, style)
    for name, machine in system.machines:
        yield from event_section(event_signatures(machine), style, of=f" of {name}")
    yield from definition_section(system.data, style)
    yield from titled_section("Properties", property_lines(system.data, style), style)


def _part_cells(name: str, machine: str, many: str, given: str) -> list[Cell]:
    return [
        Cell(name, "head"),
        Cell(machine),
        Cell(many, "dim"),
        Cell(f"with {given}" if given else "", shortening=CUT_AT_END),
    ]
