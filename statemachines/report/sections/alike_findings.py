"""Findings that say the same of several instances: one in full, and the names of the others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import accumulate

from statemachines.model.evidence.reports import Finding, Report
from statemachines.model.evidence.verdicts import Verdict
from statemachines.report.sections.display_names import place_name
from statemachines.report.sections.plain_texts import cut_end, printable_text
from statemachines.report.sections.subject_names import SubjectNames

_LONGEST_LIST = 240
"""Characters of the names of those that are alike; the rest is counted."""


def alike_findings(report: Report, verdict: Verdict) -> list[list[Finding]]:
    """Gather findings of one machine that tell the same step with the same fault.

    Args:
        report: what a check found.
        verdict: of the findings.

    Returns:
        Groups in the order of their first ones.
    """
    groups: dict[tuple[object, ...], list[Finding]] = defaultdict(list)
    for row in report.findings:
        if row.verdict is verdict:
            step = row.source, row.target, row.outcome
            groups[row.kind, row.machine, *step, row.missing, row.legal_in, row.spec].append(row)
    return list(groups.values())


def more_alike(others: Sequence[Finding], names: SubjectNames) -> str:
    """Name what else the same was found of, with places, as far as there is room.

    Args:
        others: findings but the first one of a group.
        names: how instances are called.

    Returns:
        A clause, or nothing.
    """
    if not others:
        return ""
    places: dict[str, list[str]] = defaultdict(list)
    for row in others:
        name = names.name(row.machine, row.instance, row.process)
        places[name].append(place_name(row.place))
    named = [f"{name} ({', '.join(where)})" for name, where in places.items()]
    ends = accumulate(len(name) + 2 for name in named)
    shown = max(sum(end <= _LONGEST_LIST for end in ends), 1)
    more = [f"{len(named) - shown:,} more (--all lists them)"] if len(named) > shown else []
    listed = ", ".join([cut_end(named[0], _LONGEST_LIST), *named[1:shown], *more])
    return printable_text(f"and {len(others):,} more like it: {listed}")
