"""Rules of systems, judged over a report: the timelines of the parts merged, and each rule looked at wherever a part moved.

Only what the log tells counts: a rule is broken where it does not hold whatever the parts that were not seen do. A part's line and those of
the parts that follow it are a little apart, so what lasts no longer is said nothing of; where several files tell of one process, or several
processes of one system, what lasts no longer than the tolerance cannot be told.

Limits: systems with parameters, shared variables or parts with data are not judged, for logs do not tell them; neither is one without a
part that there is exactly once, for nothing says which instances belong together; nor one with more than `MOST_LIVES` instances. The report
says so. The steps of the parts' machines are held in memory, those of other machines are not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import evolve

from statemachines.conform.accounts import unjudged_order
from statemachines.conform.assemble import finding_order
from statemachines.conform.systems.account import Account, Said
from statemachines.conform.systems.gathering import groups_of, is_judged
from statemachines.conform.systems.judging import Group
from statemachines.conform.systems.lives import Life
from statemachines.conform.systems.ordering import clock_goes_back, logs_of
from statemachines.conform.systems.untold import reason
from statemachines.conform.systems.worlds import Fits, World, worlds_of
from statemachines.model.releases import Releases
from statemachines.model.reports import Finding, MachineSummary, Report, Step
from statemachines.model.systems import System, SystemSpec
from statemachines.model.verdicts import Verdict, worst
from statemachines.notation.systems.resolving import system_of

ANYWHERE = ~0
"""All releases: over several processes those that fit any of them."""
MOST_LIVES = 200
"""Instances of one system: with more, each step would ask too much."""
TOO_MANY = f"more than {MOST_LIVES} instances together"
TIMES = "a part has lines without times, or none that tells a step"
CLOCKS = "the times of one log go back, so nothing says how its lines lie between another's"
NO_RELEASE = "it is not in the releases of the process"
ORPHANS = "nothing tells which instances belong together"


def with_rules(report: Report, systems: Sequence[SystemSpec], *, tolerance: int, separate: bool = False) -> Report:
    """Return a report to which the rules of systems are added.

    Args:
        report: with the timeline of the parts' machines.
        systems: those that were asked for; what logs tell too little of is accounted for.
        tolerance: milliseconds by which the files of one process, and the clocks of processes, may be apart.
        separate: whether folders are kept apart.

    Returns:
        The report with findings of the kind `broken rule`, INCONCLUSIVE where the order lies within the tolerance, with a row for each
        system that was looked at, with all of them and their rules in the account, and with what could not be looked at.
    """
    accounts = [Account(spec, report) for spec in systems]
    machines = {machine for spec in systems for machine in parts_of(spec)}
    steps = [step for step in report.timeline if step.machine in machines] if machines else []
    for account in accounts:
        fits = Fits.of(account.spec, report.releases, tolerance)
        parts = parts_of(account.spec)
        for world in worlds_of(account.spec, [step for step in steps if step.machine in parts], separate=separate):
            _judge(account, world, fits, tolerance)
    return _joined(report, accounts)


def parts_of(spec: SystemSpec) -> frozenset[str]:
    """Return the machines whose steps the rules of a system look at; none where logs cannot tell enough."""
    samples = (spec.family.newest(releases) for releases, _ in spec.versions)
    usable = any(is_judged(system_of(spec, release or None)) for release in samples)
    return frozenset(machine.name for _, machine in spec.machines) if usable else frozenset()


def _joined(report: Report, accounts: Sequence[Account]) -> Report:
    """Put what was added into the order of the contract."""
    added = [finding for account in accounts for finding in sorted(account.findings, key=lambda one: one.message)]
    left = [row for account in accounts for row in account.unjudged()]
    rows = [
        MachineSummary(account.spec.name, account.groups, account.steps, worst([one.verdict for one in account.findings]), ())
        for account in accounts
        if account.groups
    ]
    findings = sorted((*report.findings, *added), key=finding_order)
    verdict = max(report.verdict, worst([one.verdict for one in added]), Verdict.HOLDS) if added else report.verdict
    machines = tuple(sorted((*report.machines, *rows), key=lambda row: row.machine)) if rows else report.machines
    rules = sorted((*report.rules, *(row for account in accounts for row in account.rows())), key=lambda row: row.machine)
    checked = evolve(report.checked, unjudged=report.checked.unjudged + sum(row.count for row in left))
    return evolve(
        report, verdict=verdict, findings=tuple(findings), machines=machines, rules=tuple(rules),
        unjudged=tuple(sorted((*report.unjudged, *left), key=unjudged_order)), checked=checked,
    )  # fmt: skip


def _judge(account: Account, world: World, fits: Fits, tolerance: int) -> None:
    """Judge the systems of one world in every class of releases that fits anywhere in it."""
    spec, fitting = account.spec, fits.anywhere(world.processes)
    classes = [(releases & fitting, _system(spec, releases & fitting)) for releases, _ in spec.versions if releases & fitting]
    unfit = next((system for _, system in classes if not is_judged(system)), None)
    if world.why or unfit is not None or not classes:
        why = world.why or (reason(unfit) if unfit else NO_RELEASE)
        account.leave(why, len(world.rows), _steps(world))
        return
    said, counts, alone = list[Said](), [], len(world.processes) == 1
    for number, (releases, system) in enumerate(classes):
        gathered = _groups(account if number == 0 else Account(spec, account.report), system, world, tolerance)
        groups = [Group(spec, system, lives, tolerance, fits.of_step if alone else _anywhere) for lives in gathered]
        said.append((releases, {(one.message, one.place): one for group in groups for one in group.findings()}))
        counts.append((releases, [group.counts for group in groups]))
    account.count(counts)
    account.findings += _agreed(said, fits, alone=alone)


def _anywhere(_: Step) -> Releases:
    return ANYWHERE


def _system(spec: SystemSpec, releases: Releases) -> System:
    return system_of(spec, spec.family.newest(releases) or None)


def _steps(world: World) -> Iterator[Step]:
    return (step for steps in world.rows.values() for step in steps)


def _groups(account: Account, system: System, world: World, tolerance: int) -> list[list[Life]]:
    """Return the instances that belong together and can be looked at; what cannot goes to the account."""
    gathered = groups_of(system, world.rows)
    machines = {part.machine for part in system.parts}
    orphans = sum(machine in machines for machine, _ in world.rows) - sum(len(lives) for lives in gathered)
    if orphans:
        account.leave(ORPHANS, orphans, _steps(world))
    for lives in gathered:
        if why := _unusable(lives, tolerance):
            account.leave(why, len(lives), (step for life in lives for step in life.steps))
    usable = [lives for lives in gathered if not _unusable(lives, tolerance)]
    account.groups += len(usable)
    account.steps += sum(len(life.steps) for lives in usable for life in lives)
    return usable


def _unusable(lives: Sequence[Life], tolerance: int) -> str:
    """Return why the steps of some instances cannot be put into one order; of several logs whose clocks go back they cannot."""
    if len(lives) > MOST_LIVES:
        return TOO_MANY
    if not all(life.usable for life in lives):
        return TIMES
    return "" if len(logs_of(lives)) == 1 or not clock_goes_back(lives, tolerance) else CLOCKS


def _agreed(said: Sequence[Said], fits: Fits, *, alone: bool) -> Iterator[Finding]:
    """Yield what all classes say that fit where it stands, with the mildest verdict; over several processes all classes that fit any.

    Each part of a process that was upgraded within its log is judged by the releases of that part.
    """
    for key in dict.fromkeys(key for _, found in said for key in found):
        one = next(found[key] for _, found in said if key in found)
        fitting = fits.at(one.process, one.place, one.at) if alone else ANYWHERE
        asked = [found for releases, found in said if releases & fitting]
        if all(key in found for found in asked):
            yield evolve(one, verdict=min(found[key].verdict for found in asked))
