"""The findings of one instance: equal ones are counted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from statemachines.conform.interchange.judgements import PendingFinding
from statemachines.model.evidence.verdicts import Verdict

_COUNTED_KINDS = {"failed", "ignored", "refused", "raised"}
_What = tuple[object, ...]
"""What equal findings have in common; the process stands behind the kind."""
_MOST_LISTED = {False: 100, True: 1000}
"""Findings that are listed so often an instance, then counted: those that are not HOLDS, and those
that are.
"""


class FindingList:
    """Takes findings in as they are made.

    Complexity: memory for the findings that are listed: a bound an instance, and one of each kind
    beyond it.
    """

    _noted: list[tuple[PendingFinding, bool]] | None = None
    """Takes the findings that others are counted with, while somebody asks."""

    def __init__(self) -> None:
        self.listed: list[PendingFinding] = []
        self._since_step: dict[tuple[_What, int], PendingFinding] = {}
        self._last_equal: dict[_What, PendingFinding] = {}
        self._counts = {False: 0, True: 0}
        """Of the listed findings, by whether they are HOLDS."""

    def fork(self) -> FindingList:
        """Return a list that goes on from here, and has none of the findings before."""
        other = FindingList()
        other._counts = dict(self._counts)
        return other

    def mapped(self, change: Callable[[PendingFinding], PendingFinding]) -> FindingList:
        """Return a list of changed findings, which counts on as this one does."""
        other, changed = FindingList(), {id(finding): change(finding) for finding in self.listed}
        other.listed, other._counts = list(changed.values()), dict(self._counts)
        for what, finding in self._last_equal.items():
            known = changed[id(finding)]
            other._last_equal[_of_process(what, known.process)] = known
        for (what, incarnation), finding in self._since_step.items():
            known = changed[id(finding)]
            other._since_step[_of_process(what, known.process), incarnation] = known
        return other

    def add(self, finding: PendingFinding, incarnation: int) -> None:
        """Take in a finding of a life."""
        what: _What = (
            finding.kind,
            finding.process,
            finding.source,
            finding.target,
            finding.outcome,
            finding.verdict,
            finding.rule,
        )
        holds = finding.verdict == Verdict.HOLDS
        known = self._counted_with(what, finding, holds=holds)
        if known is not None:
            known.count += 1
            known.last_file, known.last_line = finding.observation.file, finding.observation.line
            if self._noted is not None:
                self._noted.append((known, self._counts[holds] >= _MOST_LISTED[holds]))
            return
        self._since_step[what, finding.incarnation] = self._last_equal[what] = finding
        finding.incarnation = incarnation
        finding.last_file, finding.last_line = finding.observation.file, finding.observation.line
        self._counts[holds] += 1
        self.listed.append(finding)

    def _counted_with(
        self, what: _What, finding: PendingFinding, *, holds: bool
    ) -> PendingFinding | None:
        """Return the listed finding that is to stand for one more; None where it is listed."""
        if self._counts[holds] >= _MOST_LISTED[holds]:
            return self._last_equal.get(what)
        counts = holds and finding.kind in _COUNTED_KINDS
        return self._since_step.get((what, finding.incarnation)) if counts else None

    def separate_later_ones(self) -> None:
        """List an equal finding anew from here on: a step lies in between."""
        self._since_step = {}

    @property
    def stretch(self) -> object:
        """What is another object after each step."""
        return self._since_step

    @contextmanager
    def noting(self, counted: list[tuple[PendingFinding, bool]]) -> Iterator[None]:
        """Have a list take each finding that another one is counted with, and whether equal ones
        are counted with it for good, whatever lies in between.
        """
        self._noted = counted
        try:
            yield
        finally:
            del self._noted


def _of_process(what: _What, process: int) -> _What:
    return (what[0], process, *what[2:])
