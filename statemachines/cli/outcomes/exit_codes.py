"""Exit codes: what a script learns from a check."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from statemachines.model.evidence.reports import Report

FINE, FOUND, BAD_INPUT, UNDECIDED, INTERRUPTED = 0, 1, 2, 3, 130
FAIL_ON = ("violated", "inconclusive", "refused", "failed", "open-episode", "ill", "unread")
REFUSAL_KINDS = {"refused", "raised", "ignored"}
"""Kinds of findings that say: something forbidden was asked for, and the program did not do it."""


def report_exit_code(report: Report, fail_on: Collection[str]) -> int:
    """Return the exit code of a check.

    Args:
        report: what was found.
        fail_on: which of `FAIL_ON` count.

    Returns:
        130 interrupted; 2 a named path could not be read or a spec is broken; 1 a violation or
        another listed thing; 3 inconclusive.
    """
    from statemachines.model.evidence.verdicts import Verdict

    if report.interrupted:
        return INTERRUPTED
    if report.errors:
        return BAD_INPUT
    if any(_is_found(report, thing) for thing in fail_on if thing != "inconclusive"):
        return FOUND
    return (
        UNDECIDED if "inconclusive" in fail_on and report.verdict is Verdict.INCONCLUSIVE else FINE
    )


def _is_found(report: Report, thing: str) -> bool:
    from statemachines.model.evidence.incidents import Health
    from statemachines.model.evidence.verdicts import Verdict

    if thing == "violated":
        return report.verdict is Verdict.VIOLATED
    if thing == "unread":
        return report.checked.unread_lines > 0
    if thing == "ill":
        return report.health is Health.ILL
    if thing == "open-episode":
        return any(episode.open and not episode.orderly for episode in report.episodes)
    kinds = REFUSAL_KINDS if thing == "refused" else {thing}
    return any(finding.kind in kinds for finding in report.findings)
