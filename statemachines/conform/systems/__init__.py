"""Rules of systems, judged over a report: the timelines of the parts merged, and each rule looked
at wherever a part moved.

Only what the log shows counts: a rule is broken where it does not hold whatever the parts that were
not seen do. A part's line and those of the parts that follow it are a little apart, so what lasts
no longer is said nothing of; where several files tell of one process, or several processes of one
system, what lasts no longer than the tolerance cannot be told.

Limits: what is not known stays unknown: parameters and variables of a system, and what no line
tells of its parts. A system without a part that there is exactly once is not judged, for nothing
says which instances belong together; nor is one with too many instances. The report says so.

Complexity: of each step of the parts' machines some hundred and thirty bytes of memory, most of it
while they are put into one order.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve

from statemachines.conform.interchange.instance_steps import instance_steps
from statemachines.conform.join.report_assembly import finding_sort_key
from statemachines.conform.join.rule_accounts import unjudged_sort_key
from statemachines.conform.systems.system_account import SystemAccount, is_judgeable
from statemachines.model.definitions.system_definitions import SystemSpecDefinition
from statemachines.model.evidence.reports import MachineSummary, Report
from statemachines.model.evidence.verdicts import Verdict, worst_verdict
from statemachines.model.garbage import uncollected


def with_system_findings(
    report: Report,
    systems: Sequence[SystemSpecDefinition],
    *,
    tolerance: int,
    separate: bool = False,
) -> Report:
    """Return a report to which the rules of systems are added.

    Args:
        report: with the timeline of the parts' machines.
        systems: those that were asked for; what logs tell too little of is accounted for.
        tolerance: milliseconds by which the files of one process, and the clocks of processes, may
            be apart.
        separate: whether folders are kept apart.

    Returns:
        The report with findings of the kind `broken rule`, INCONCLUSIVE where the order lies within
        the tolerance, with a row for each system that was looked at, with all of them and their
        rules in the account, and with what could not be looked at.
    """
    accounts = [SystemAccount(spec, report) for spec in systems]
    machines = {machine for spec in systems for machine in judged_machines(spec)}
    with uncollected():  # else all steps are looked through again and again
        instances = list(instance_steps(report.timeline, machines)) if machines else []
    for account in accounts:
        parts = judged_machines(account.spec)
        if mine := [instance for instance in instances if instance.machine in parts]:
            # Imported where it is used: most small logs tell of one machine.
            from statemachines.conform.systems.system_groups import judge_groups

            judge_groups(account, mine, tolerance, separate=separate)
    return _merge_accounts(report, accounts)


def judged_machines(spec: SystemSpecDefinition) -> frozenset[str]:
    """Return the machines whose steps the rules of a system look at; none where logs cannot tell
    enough.
    """
    usable = any(is_judgeable(wiring.parts) for _, wiring in spec.versions)
    return frozenset(machine.name for _, machine in spec.machines) if usable else frozenset()


def _merge_accounts(report: Report, accounts: Sequence[SystemAccount]) -> Report:
    """Put what was added into the order of the contract."""
    added = [
        finding
        for account in accounts
        for finding in sorted(account.findings, key=lambda finding: finding.message)
    ]
    left = [row for account in accounts for row in account.unjudged_rows()]
    rows = [
        MachineSummary(
            account.spec.name,
            account.groups,
            account.steps,
            worst_verdict([finding.verdict for finding in account.findings]),
            (),
        )
        for account in accounts
        if account.groups
    ]
    findings = sorted((*report.findings, *added), key=finding_sort_key)
    verdict = (
        max(report.verdict, worst_verdict([finding.verdict for finding in added]), Verdict.HOLDS)
        if added
        else report.verdict
    )
    machines = (
        tuple(sorted((*report.machines, *rows), key=lambda row: row.machine))
        if rows
        else report.machines
    )
    rules = sorted(
        (*report.rules, *(row for account in accounts for row in account.rule_rows())),
        key=lambda row: row.machine,
    )
    checked = evolve(
        report.checked, unjudged=report.checked.unjudged + sum(row.count for row in left)
    )
    return evolve(
        report, verdict=verdict, findings=tuple(findings), machines=machines, rules=tuple(rules),
        unjudged=tuple(sorted((*report.unjudged, *left), key=unjudged_sort_key)), checked=checked,
    )  # fmt: skip
