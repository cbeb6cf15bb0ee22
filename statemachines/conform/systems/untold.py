"""Systems whose parts a log tells of, and whose rules it does not tell enough for: said, so that nobody takes silence for a proof."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import evolve

from statemachines.model.reports import Report, Unjudged
from statemachines.model.systems import System, SystemSpec
from statemachines.notation.systems.resolving import system_of


def with_what_is_untold(report: Report, systems: Sequence[SystemSpec]) -> Report:
    """Return a report with a row among the unjudged for every system of which it saw a part.

    Args:
        report: of any engine.
        systems: those whose rules logs cannot be judged by.
    """
    rows = [row for spec in systems for row in _rows(report, spec)]
    if not rows:
        return report
    checked = evolve(report.checked, unjudged=report.checked.unjudged + sum(row.count for row in rows))
    return evolve(report, unjudged=tuple(sorted((*report.unjudged, *rows), key=lambda row: row.why)), checked=checked)


def _rows(report: Report, spec: SystemSpec) -> Iterator[Unjudged]:
    """Yield the row of one system: how many instances there are that its rules are about, and the first place of one of them."""
    parts = {machine.name for _, machine in spec.machines}
    count = sum(row.instances for row in report.machines if row.machine in parts)
    places = [row.place for row in report.now if row.machine in parts and row.place is not None]
    if count and places:
        newest = system_of(spec, spec.family.newest(spec.releases) if spec.family.name else None)
        yield Unjudged(f"rules of {spec.name}: {reason(newest)}", count, min(places, key=lambda place: (place.file, place.line)), "")


def reason(system: System) -> str:
    """Return why a log cannot be judged by the rules of a system."""
    if system.data.parameters:
        return f"no line tells {_listed([one.name for one in system.data.parameters])}"
    if system.data.variables:
        return f"no line tells {_listed([one.name for one in system.data.variables])}"
    data = [name for name, machine in system.machines if machine.data.variables or machine.data.parameters]
    if data:
        return f"no line tells the variables of {_listed(data)}"
    return "nothing tells which instances belong together"


def _listed(names: Sequence[str]) -> str:
    return " and ".join(part for part in (", ".join(names[:-1]), names[-1]) if part)
