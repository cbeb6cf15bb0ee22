"""Exit codes: what a script learns from a check."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from statemachines.model.counts import count_text

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
    if any(_amount(report, thing) for thing in fail_on if thing != "inconclusive"):
        return FOUND
    return (
        UNDECIDED if "inconclusive" in fail_on and report.verdict is Verdict.INCONCLUSIVE else FINE
    )


def hidden_reason(report: Report, fail_on: Collection[str]) -> str:
    """Say why the exit code is 1 where the first two lines of the report do not: of what they say,
    ILL and VIOLATED, nothing is repeated.

    Args:
        report: what was found.
        fail_on: which of `FAIL_ON` count.

    Returns:
        One line; empty where those lines say it, or the exit code is another.
    """
    if report_exit_code(report, fail_on) != FOUND:
        return ""
    counts = {thing: _amount(report, thing) for thing in fail_on if thing != "inconclusive"}
    if counts.get("violated") or counts.get("ill"):
        return ""
    reasons = (
        f"{count_text(count, *_COUNTED[thing])} (`{thing}`)"
        for thing, count in counts.items()
        if count
    )
    return f"exit code {FOUND}, as --fail-on asks: {', '.join(reasons)}"


_COUNTED = {
    "open-episode": ("episode goes on", "episodes go on"),
    "unread": ("line was not read", "lines were not read"),
    "refused": ("request was refused", "requests were refused"),
    "failed": ("step failed", "steps failed"),
}
"""What is counted of each thing that the first lines do not name."""


def _amount(report: Report, thing: str) -> int:
    """Return how much of a thing there is."""
    from statemachines.model.evidence.incidents import Health
    from statemachines.model.evidence.verdicts import Verdict

    if thing == "violated":
        return int(report.verdict is Verdict.VIOLATED)
    if thing == "unread":
        return report.checked.unread_lines
    if thing == "ill":
        return int(report.health is Health.ILL)
    if thing == "open-episode":
        return sum(episode.open and not episode.orderly for episode in report.episodes)
    kinds = REFUSAL_KINDS if thing == "refused" else {thing}
    return sum(finding.count for finding in report.findings if finding.kind in kinds)
