"""The findings of one instance: equal ones are counted."""

from __future__ import annotations

from statemachines.conform.interchange.judgements import PendingFinding
from statemachines.model.evidence.verdicts import Verdict

_COUNTED_KINDS = {"failed", "ignored", "refused", "raised"}
_MOST_LISTED_FINDINGS = 100
"""Findings that are not HOLDS are listed so often an instance, then counted."""


class FindingList:
    """Takes findings in as they are made.

    Complexity: memory for the findings that are listed.
    """

    def __init__(self) -> None:
        self.listed: list[PendingFinding] = []
        self._counted: dict[tuple[object, ...], PendingFinding] = {}
        self._not_held = 0
        """Listed findings that are not HOLDS."""

    def fork(self) -> FindingList:
        """Return a list that goes on from here, and has none of the findings before."""
        other = FindingList()
        other._not_held = self._not_held
        return other

    def add(self, finding: PendingFinding, incarnation: int) -> None:
        """Take in a finding of a life."""
        key = (
            finding.kind,
            finding.process,
            finding.incarnation,
            finding.source,
            finding.target,
            finding.outcome,
            finding.verdict,
            finding.rule,
        )
        counts = finding.kind in _COUNTED_KINDS and finding.verdict == Verdict.HOLDS
        known = self._counted.get(key)
        if known is not None and (counts or self._not_held >= _MOST_LISTED_FINDINGS):
            known.count += 1
            known.last_file, known.last_line = finding.observation.file, finding.observation.line
            return
        finding.incarnation = incarnation
        finding.last_file, finding.last_line = finding.observation.file, finding.observation.line
        self._counted[key] = finding
        self._not_held += finding.verdict != Verdict.HOLDS
        self.listed.append(finding)

    def separate_later_ones(self) -> None:
        """List an equal finding anew from here on: a step lies in between."""
        self._counted.clear()
