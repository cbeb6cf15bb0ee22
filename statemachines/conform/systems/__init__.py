"""Rules of systems, judged over a report: the timelines of the parts merged, and each rule looked at wherever a part moved.

Only what the log tells counts: a rule is broken where it does not hold whatever the parts that were not seen do. A part's line and those of
the parts that follow it are a little apart, so what lasts no longer is said nothing of; where several files tell of one process, what lasts
no longer than the tolerance cannot be told.

Limits: systems with parameters, shared variables or parts with data are not judged, for logs do not tell them; neither is one without a
part that there is exactly once, for nothing says which instances belong together; nor a process with several releases in one log; nor one
with more than `MOST_LIVES` instances. The steps of the parts' machines are held in memory, those of other machines are not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import evolve

from statemachines.conform.assemble import finding_order
from statemachines.conform.systems.gathering import Rows, by_process, groups_of, is_judged
from statemachines.conform.systems.judging import Group
from statemachines.conform.systems.lives import Life
from statemachines.conform.systems.ordering import clock_goes_back, logs_of
from statemachines.model.places import Span
from statemachines.model.releases import Releases
from statemachines.model.reports import Finding, MachineSummary, Place, ProcessReleases, Report, Unjudged
from statemachines.model.systems import SystemSpec
from statemachines.model.verdicts import Verdict, worst
from statemachines.notation.ranges import parse_ranges
from statemachines.notation.systems.resolving import system_of

MOST_LIVES = 200
"""Instances of one system: with more, each step would ask too much."""

Heard = tuple[list[Finding], int, int, list[Unjudged]]
"""What is broken, how many instances of a system were looked at and how many steps, and those that were not."""


def with_rules(report: Report, systems: Sequence[SystemSpec], *, tolerance: int) -> Report:
    """Return a report to which the rules of systems are added.

    Args:
        report: with the timeline of the parts' machines.
        systems: those that logs cannot be judged against are passed over.
        tolerance: milliseconds by which the files of one process may be apart.

    Returns:
        The report with findings of the kind `broken rule`, INCONCLUSIVE where the order lies within the tolerance, with a row for each
        system that was looked at, and with what was too much.
    """
    added, rows, left = list[Finding](), list[MachineSummary](), list[Unjudged]()
    machines = frozenset(machine for spec in systems for machine in parts_of(spec))
    processes = by_process(report.timeline, machines) if machines else {}
    releases: dict[str, list[ProcessReleases]] = {}
    for row in report.releases:
        releases.setdefault(row.process, []).append(row)
    for spec in systems:
        found, groups, steps, unjudged = _judged(spec, processes, releases, tolerance)
        if groups:
            rows.append(MachineSummary(spec.name, groups, steps, max(worst([one.verdict for one in found]), Verdict.HOLDS), ()))
        added, left = added + sorted(found, key=lambda one: one.message), left + unjudged
    return _joined(report, added, rows, left)


def parts_of(spec: SystemSpec) -> frozenset[str]:
    """Return the machines whose steps the rules of a system look at; none where logs cannot tell enough."""
    samples = (spec.family.newest(releases) for releases, _ in spec.versions)
    usable = any(is_judged(system_of(spec, release)) for release in samples)
    return frozenset(machine.name for _, machine in spec.machines) if usable else frozenset()


def _joined(report: Report, added: list[Finding], rows: list[MachineSummary], left: list[Unjudged]) -> Report:
    """Put what was added into the order of the contract."""
    findings = sorted((*report.findings, *added), key=finding_order)
    verdict = max(report.verdict, worst([one.verdict for one in added]), Verdict.HOLDS) if added else report.verdict
    machines = tuple(sorted((*report.machines, *rows), key=lambda row: row.machine)) if rows else report.machines
    checked = evolve(report.checked, unjudged=report.checked.unjudged + sum(row.count for row in left))
    return evolve(report, verdict=verdict, findings=tuple(findings), machines=machines, unjudged=(*report.unjudged, *left), checked=checked)


def _judged(spec: SystemSpec, processes: Mapping[str, Rows], releases: Mapping[str, list[ProcessReleases]], tolerance: int) -> Heard:
    """Judge the processes one after the other."""
    found, groups, steps, left = list[Finding](), 0, 0, list[Unjudged]()
    for process, rows in processes.items():
        fits = releases.get(process, [])
        fitting = parse_ranges(fits[0].releases, spec.family, Span("", 1, 1))[0] if len(fits) == 1 else 0
        heard = _of_process(spec, fitting, process, rows, tolerance)
        found, groups, steps, left = found + heard[0], groups + heard[1], steps + heard[2], left + heard[3]
    return found, groups, steps, left


def _of_process(spec: SystemSpec, fitting: Releases, process: str, rows: Rows, tolerance: int) -> Heard:
    """Judge the systems of one process in every class of releases that fits; what all of them say counts, and the mildest of it."""
    classes = [system_of(spec, spec.family.newest(releases & fitting)) for releases, _ in spec.versions if releases & fitting]
    if not classes or not all(is_judged(system) for system in classes):
        return [], 0, 0, []
    gathered = [groups_of(system, rows) for system in classes]
    left = [_too_many(spec, lives) for lives in gathered[0] if len(lives) > MOST_LIVES]
    usable = [[lives for lives in groups if _is_usable(lives, tolerance)] for groups in gathered]
    said = [
        {(one.message, one.place): one for lives in groups for one in Group(spec, system, lives, process, tolerance).findings()}
        for system, groups in zip(classes, usable, strict=True)
    ]
    everywhere = [key for key in said[0] if all(key in other for other in said)]
    mildest = [evolve(said[0][key], verdict=min(other[key].verdict for other in said)) for key in everywhere]
    return mildest, len(usable[0]), sum(len(life.steps) for lives in usable[0] for life in lives), left


def _is_usable(lives: Sequence[Life], tolerance: int) -> bool:
    """Tell whether the steps of some instances can be put into one order; of several logs whose clocks go back they cannot."""
    if len(lives) > MOST_LIVES or not all(life.usable for life in lives):
        return False
    return len(logs_of(lives)) == 1 or not clock_goes_back(lives, tolerance)


def _too_many(spec: SystemSpec, lives: Sequence[Life]) -> Unjudged:
    """Say that the rules of one instance are not looked at."""
    first = next((step for life in lives for step in life.steps if step.place is not None), None)
    why = f"rules of {spec.name}: more than {MOST_LIVES} instances together"
    return Unjudged(why, len(lives), first.place if first and first.place else Place("", 1), (first.text or "") if first else "")
