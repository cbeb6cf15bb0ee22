"""The rules of a system, looked at in groups of processes that belong together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import evolve

from statemachines.conform.interchange.instance_steps import InstanceSteps
from statemachines.conform.systems.known_histories import KnownHistories
from statemachines.conform.systems.part_timelines import PartTimeline, clock_goes_back, source_logs
from statemachines.conform.systems.process_groups import ProcessGroup, SystemFits, group_processes
from statemachines.conform.systems.system_account import (
    ClassFindings,
    SystemAccount,
    is_judgeable,
    unjudgeable_system_reason,
)
from statemachines.conform.systems.system_instances import (
    are_apart,
    group_instances,
)
from statemachines.conform.systems.system_judge import JudgedSystem
from statemachines.conform.systems.unseen_completion import KnownAnswers
from statemachines.model.definitions.release_sets import ReleaseSet
from statemachines.model.definitions.system_definitions import (
    SystemDefinition,
    SystemSpecDefinition,
)
from statemachines.model.evidence.reports import Finding, TimelineStep
from statemachines.notation.releases.system_selection import system_of

ALL_RELEASES = ~0
"""All releases: over several processes those that fit any of them."""
MOST_INSTANCES = 200
"""Instances of one system: with more, each step would ask too much."""
TOO_MANY = f"more than {MOST_INSTANCES} instances together"
NO_TIMES = "a part has lines without times, or none that tells a step"
CLOCK_GOES_BACK = (
    "the times of one log go back, so nothing says how its lines lie between another's"
)
NO_RELEASE = "it is not in the releases of the process"
ORPHANS = "nothing tells which instances belong together"
APART = (
    "no two of its parts were seen together: they belong together by their names, and within a"
    " process unless a machine is `shared`"
)


def judge_groups(
    account: SystemAccount, instances: Sequence[InstanceSteps], tolerance: int, *, separate: bool
) -> None:
    """Judge a system over the steps of its parts.

    Args:
        account: of the system; what is found and what cannot be looked at is added to it.
        instances: of the machines of its parts.
        tolerance: milliseconds by which the files of one process, and the clocks of processes, may
            be apart.
        separate: whether folders are kept apart.
    """
    spec, report = account.spec, account.report
    fits = SystemFits.from_rows(spec, report.releases, tolerance)
    for group in group_processes(spec, instances, report.remembered, separate=separate):
        _judge_processes(account, group, fits, tolerance)
    if are_apart(account.gathered):
        timelines = [timeline for timelines in account.gathered for timeline in timelines]
        account.skip(APART, len(timelines), _all_steps(timelines))


def _judge_processes(
    account: SystemAccount, group: ProcessGroup, fits: SystemFits, tolerance: int
) -> None:
    """Judge the systems of one group of processes, in every class of releases that fits in it."""
    spec, fitting = account.spec, fits.fitting_anywhere(group.processes)
    classes = [
        (releases & fitting, _newest_system(spec, releases & fitting))
        for releases, _ in spec.versions
        if releases & fitting
    ]
    unfit = next((system for _, system in classes if not is_judgeable(system.parts)), None)
    if group.unjudgeable_reason or unfit is not None or not classes:
        why = group.unjudgeable_reason or (
            unjudgeable_system_reason(unfit.parts) if unfit else NO_RELEASE
        )
        account.skip(why, len(group.instances), group.instances.steps())
        return
    class_findings, counts, alone = list[ClassFindings](), [], len(group.processes) == 1
    histories = KnownHistories(spec, fits if alone else _AnyReleaseFits())
    for number, (releases, system) in enumerate(classes):
        gathered = _usable_instances(
            account if number == 0 else SystemAccount(spec, account.report),
            system,
            group,
            tolerance,
        )
        known = KnownAnswers()
        judged_systems = [
            JudgedSystem(spec, system, timelines, tolerance, histories, known)
            for timelines in gathered
        ]
        class_findings.append(
            (
                releases,
                {
                    (finding.message, finding.place): finding
                    for judged_system in judged_systems
                    for finding in judged_system.findings()
                },
            )
        )
        counts.append((releases, [judged_system.counts for judged_system in judged_systems]))
    account.count_decisions(counts)
    account.broken += _agreed_findings(class_findings, fits, alone=alone)


class _AnyReleaseFits:
    """Over several processes all releases count that fit any of them."""

    def fitting_everywhere(self, _: str) -> ReleaseSet:
        return ALL_RELEASES

    def fitting_line(self, *_: object) -> ReleaseSet:
        return ALL_RELEASES


def _newest_system(spec: SystemSpecDefinition, releases: ReleaseSet) -> SystemDefinition:
    return system_of(spec, spec.family.newest(releases) or None)


def _all_steps(timelines: Sequence[PartTimeline]) -> Iterator[TimelineStep]:
    return (step for timeline in timelines for step in timeline.observed.steps())


def _usable_instances(
    account: SystemAccount, system: SystemDefinition, group: ProcessGroup, tolerance: int
) -> list[list[PartTimeline]]:
    """Return the instances that belong together and can be looked at; what cannot goes to the
    account.
    """
    gathered = group_instances(system, group.instances, group.remembered)
    machines = {part.machine for part in system.parts}
    orphans = sum(machine in machines for machine, _ in group.instances) - sum(
        len(timelines) for timelines in gathered
    )
    if orphans:
        account.skip(ORPHANS, orphans, group.instances.steps())
    account.gathered += gathered
    usable = list[list[PartTimeline]]()
    for timelines in gathered:
        if why := _order_problem(timelines, tolerance):
            account.skip(
                why,
                len(timelines),
                (step for timeline in timelines for step in timeline.observed.steps()),
            )
        else:
            usable.append(timelines)
    account.groups += len(usable)
    account.steps += sum(len(timeline.observed) for timelines in usable for timeline in timelines)
    return usable


def _order_problem(timelines: Sequence[PartTimeline], tolerance: int) -> str:
    """Return why the steps of some instances cannot be put into one order; of several logs whose
    clocks go back they cannot.
    """
    if len(timelines) > MOST_INSTANCES:
        return TOO_MANY
    if not all(timeline.observed.is_timed for timeline in timelines):
        return NO_TIMES
    return (
        ""
        if len(source_logs(timelines)) == 1 or not clock_goes_back(timelines, tolerance)
        else CLOCK_GOES_BACK
    )


def _agreed_findings(
    class_findings: Sequence[ClassFindings], fits: SystemFits, *, alone: bool
) -> Iterator[Finding]:
    """Yield what all classes say that fit where it stands, with the mildest verdict; over several
    processes all classes that fit any.

    Each part of a process that was upgraded within its log is judged by the releases of that part.
    """
    for key in dict.fromkeys(key for _, findings in class_findings for key in findings):
        finding = next(findings[key] for _, findings in class_findings if key in findings)
        fitting = (
            fits.fitting_at(finding.process, finding.place, finding.at) if alone else ALL_RELEASES
        )
        judged = [findings for releases, findings in class_findings if releases & fitting]
        if all(key in findings for findings in judged):
            yield evolve(finding, verdict=min(findings[key].verdict for findings in judged))
