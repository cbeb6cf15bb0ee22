"""Known findings: what a project has looked at and lives with, so that only what is new counts."""

from __future__ import annotations

import json
from collections.abc import Iterator

from attrs import evolve

from statemachines.model.evidence.reports import Finding, Report
from statemachines.model.evidence.verdicts import Verdict
from statemachines.report import report_rows
from statemachines.report.json_format import terminal_safe_json

BASELINE_FORMAT = "statemachines.baseline/1"
KnownFindings = frozenset[str]
"""Findings without what changes from log to log: line, time, text, count."""


class BaselineError(ValueError):
    """A file that is no baseline; the message says why."""


def to_baseline(report: Report) -> Iterator[str]:
    """Write the findings of a report that do not hold, each once, as a file to be kept beside the
    project.
    """
    known = sorted(
        {
            _finding_identity(finding)
            for finding in report.findings
            if finding.verdict is not Verdict.HOLDS
        }
    )
    findings = [json.loads(each) for each in known]
    yield (
        terminal_safe_json(
            json.dumps(
                {"format": BASELINE_FORMAT, "findings": findings}, indent=2, ensure_ascii=False
            )
        )
        + "\n"
    )


def read_baseline(text: str) -> KnownFindings:
    """Read a baseline.

    Raises:
        BaselineError: it is none.
    """
    try:
        told = json.loads(text)
        if told["format"] != BASELINE_FORMAT:
            raise BaselineError(
                f"its format is `{told['format']}`, and `{BASELINE_FORMAT}` is expected"
            )
        return frozenset(_identity_text(finding) for finding in told["findings"])
    except (ValueError, TypeError, KeyError) as problem:
        raise (
            problem
            if isinstance(problem, BaselineError)
            else BaselineError("it is no baseline; --format baseline writes one")
        ) from None


def report_without_known(report: Report, known: KnownFindings) -> tuple[Report, int]:
    """Take known findings out of a report.

    Returns:
        The report with the verdict of what is left, and how many findings were taken out, repeated
        ones counted each time.
    """
    left = tuple(finding for finding in report.findings if _finding_identity(finding) not in known)
    taken = sum(f.count for f in report.findings) - sum(f.count for f in left)
    unseen = report.verdict is Verdict.INCONCLUSIVE and not any(
        f.verdict is Verdict.INCONCLUSIVE for f in report.findings
    )
    verdict = (
        report.verdict if unseen else max((report.at_best, *(finding.verdict for finding in left)))
    )
    return evolve(report, findings=left, verdict=verdict), taken


def _finding_identity(finding: Finding) -> str:
    told = {
        "kind": finding.kind,
        "machine": finding.machine,
        "instance": report_rows.key(finding.instance),
        "from": finding.source,
        "to": finding.target,
        "outcome": finding.outcome,
    }
    return _identity_text(told)


def _identity_text(told: object) -> str:
    return json.dumps(told, sort_keys=True, ensure_ascii=False)
