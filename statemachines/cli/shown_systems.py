"""`show` of a system: its parts, what their steps do to each other, what they share, what shall hold."""

from __future__ import annotations

from collections.abc import Iterator

from statemachines.api.signatures import signatures
from statemachines.api.worded import links, parts
from statemachines.cli.shown_data import CUT, declared, defined, head, properties, taken
from statemachines.model.systems import System, SystemSpec
from statemachines.report.text.columns import Cell, Look, section, table


def shown_system(spec: SystemSpec, system: System, look: Look) -> Iterator[str]:
    """Show a system of one release."""
    of = f"  {system.release}  (of {spec.family.ranges(spec.releases)})" if system.release else ""
    yield from head(system.name, of, system.doc, system.source, look)
    yield from section("Parts", table([_part(*part) for part in parts(system)], look), look)
    rows = [[Cell(when, "head"), Cell(does, gives=CUT)] for when, does in links(system)]
    yield from section("Links", table(rows, look), look)
    yield from declared(system.data, look)
    for name, machine in system.machines:
        yield from taken(signatures(machine), look, of=f" of {name}")
    yield from defined(system.data, look)
    yield from section("Properties", properties(system.data, look), look)


def _part(name: str, machine: str, many: str, given: str) -> list[Cell]:
    return [Cell(name, "head"), Cell(machine), Cell(many, "dim"), Cell(f"with {given}" if given else "", gives=CUT)]
