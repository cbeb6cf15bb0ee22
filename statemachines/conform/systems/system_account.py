"""What became of one system in a check: findings, how often each rule was decided, and why what was
not judged was not.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from attrs import field

from statemachines.conform.interchange.check_plan import NOT_SEEN, versioned_properties
from statemachines.conform.join.rule_accounts import (
    AS_A_WHOLE,
    TOO_LITTLE_OBSERVED,
)
from statemachines.model.definitions.release_sets import ReleaseSet
from statemachines.model.definitions.system_definitions import (
    Link,
    SystemPart,
    SystemSpecDefinition,
)
from statemachines.model.evidence.reports import (
    Finding,
    Place,
    Quote,
    Report,
    RuleSummary,
    TimelineStep,
    UnjudgedSummary,
)
from statemachines.model.evidence.verdicts import worst_verdict
from statemachines.model.values import define

if TYPE_CHECKING:
    from statemachines.conform.systems.part_timelines import PartTimeline

_Skipped = tuple[int, Iterable[TimelineStep]]
"""How many instances were not looked at, and their steps, to be gone through once."""

_TWO_OF_ONE_MACHINE = "two parts are of one machine, and a log names machines"
_CREATED_PARTS = "its parts are created, and no log tells which of them there are"
_NO_ANCHOR = "nothing tells which instances belong together"


def is_always_there(part: SystemPart) -> bool:
    """Tell whether a system has a part exactly once, at every moment."""
    return part.each is None and not part.optional


def is_judgeable(parts: Sequence[SystemPart]) -> bool:
    """Tell whether a log tells which part each of a system's instances is, and which belong
    together.

    Args:
        parts: of the system.
    """
    has_own_machines = len({part.machine for part in parts}) == len(parts)
    created = any(part.is_created for part in parts)
    return has_own_machines and not created and any(map(is_always_there, parts))


def unjudgeable_system_reason(parts: Sequence[SystemPart]) -> str:
    """Return why a log cannot be judged by the rules of a system.

    Args:
        parts: of the system.
    """
    if len({part.machine for part in parts}) < len(parts):
        return _TWO_OF_ONE_MACHINE
    return _CREATED_PARTS if any(part.is_created for part in parts) else _NO_ANCHOR


_NO_STEPS = "no line tells a step of its parts"
_NO_SUCH_STEP = "no line tells a step that it speaks of"
_LINK_OF_EVENT = "it speaks of an event, and logs tell the states of parts"

ONLY_IF = "only if"
"""The claim of a link."""
DecisionCounts = tuple[int, int]


RuleQuestion = tuple[str, str, ReleaseSet]
"""Claim and name of a rule, and the releases that fit where it was asked."""
RuleName = tuple[str, str]
"""Claim and name of a rule."""


def link_name(link: Link) -> str:
    """Return how a link is called whose `only if` does not hold."""
    if link.event is not None:
        return f"{link.on} takes {link.event} too early"
    states = " or ".join((*(link.enters or ()), *(link.leaves or ())))
    return f"{link.on} {'enters' if link.enters else 'leaves'} {states} too early"


@define
class SystemAccount:
    """One system over one report."""

    spec: SystemSpecDefinition
    report: Report
    broken: list[Finding] = field(factory=list)
    """Every rule that is broken, where it begins to be."""
    groups: int = 0
    """Instances of the system that were looked at."""
    steps: int = 0
    gathered: list[list[PartTimeline]] = field(factory=list)
    """What belongs together, as far as the log tells."""
    skipped: dict[str, list[_Skipped]] = field(factory=lambda: defaultdict(list))
    """By why, what was not looked at."""
    counts: dict[RuleName, DecisionCounts] = field(factory=dict)

    @property
    def findings(self) -> list[Finding]:
        """What is reported: what a link forbids only where nothing else is at that line."""
        own = [finding for finding in self.broken if not _is_of_link(finding)]
        places = {finding.place for finding in own}
        of_links = {
            finding.place: finding
            for finding in reversed(self.broken)
            if _is_of_link(finding) and finding.place not in places
        }
        return [*own, *reversed(of_links.values())]

    def skip(self, why: str, count: int, steps: Iterable[TimelineStep]) -> None:
        """Keep that some instances were not looked at; their steps are gone through where that is
        told.
        """
        self.skipped[why].append((count, steps))

    def count_decisions(
        self, classes: Sequence[tuple[ReleaseSet, Sequence[Mapping[RuleQuestion, DecisionCounts]]]]
    ) -> None:
        """Add up how often rules were decided: where several classes of releases fit, the fewest;
        one without the rule decides nothing.
        """
        summed = [(releases, _sum_counts(groups)) for releases, groups in classes]
        for name in dict.fromkeys(name for _, counts in summed for name in counts):
            known = [counts.get(name, (0, 0)) for releases, counts in summed if releases & name[2]]
            decided, decisions = (
                min((counts[0] for counts in known), default=0),
                max((sum(counts) for counts in known), default=0),
            )
            before = self.counts.get(name[:2], (0, 0))
            self.counts[name[:2]] = before[0] + decided, before[1] + decisions - decided

    def unjudged_rows(self) -> Iterator[UnjudgedSummary]:
        """Yield what was not looked at, a row a reason; the one that the account gives for the
        whole system is not said twice.
        """
        whole = self._skip_reason()
        for why, rows in self.skipped.items():
            if why != whole:
                steps = chain.from_iterable(steps for _, steps in rows)
                places = (
                    (step.place.file, step.place.line, step.text or "")
                    for step in steps
                    if step.place
                )
                file, line, text = min(places, default=("", 1, ""))
                count, why = sum(count for count, _ in rows), f"rules of {self.spec.name}: {why}"
                yield UnjudgedSummary(why, count, Place(file, line), text)

    def rule_rows(self) -> Iterator[RuleSummary]:
        """Yield a row for the system, one for each property, and one for each link that forbids
        steps.
        """
        name, why, first = self.spec.name, self._skip_reason(), self._first_line()
        verdict = None if why else worst_verdict([finding.verdict for finding in self.findings])
        yield RuleSummary(
            name, AS_A_WHOLE, None, self.steps, 0, len(self.findings), verdict, why, first
        )
        for question in versioned_properties(
            (releases, wiring.data) for releases, wiring in self.spec.versions
        ):
            yield self._rule_row(
                (str(question.kind), question.name), why or question.unjudgeable_reason, first
            )
        links = [
            link
            for _, wiring in self.spec.versions
            for link in wiring.links
            if link.only_if is not None
        ]
        for link, event in {link_name(link): link.event for link in links}.items():
            yield self._rule_row(
                (ONLY_IF, link), why or (_LINK_OF_EVENT if event is not None else ""), first
            )

    def _rule_row(self, name: RuleName, why: str, first: Quote | None) -> RuleSummary:
        verdicts = [finding.verdict for finding in self.broken if finding.rule == name]
        decided, undecided = self.counts.get(name, (0, 0))
        verdict = worst_verdict(verdicts) if decided else None
        why = "" if decided else why or (TOO_LITTLE_OBSERVED if undecided else _NO_SUCH_STEP)
        return RuleSummary(
            self.spec.name, *name, decided, undecided, len(verdicts), verdict, why, first
        )

    def _skip_reason(self) -> str:
        """Return why nothing of the system was looked at; empty where something was."""
        if self.groups:
            return ""
        if not self._observed_parts():
            return NOT_SEEN
        unfit = [wiring.parts for _, wiring in self.spec.versions if not is_judgeable(wiring.parts)]
        return next(
            iter(self.skipped), unjudgeable_system_reason(unfit[-1]) if unfit else _NO_STEPS
        )

    def _observed_parts(self) -> list[RuleSummary]:
        parts = {machine.name for _, machine in self.spec.machines}
        return [
            row
            for row in self.report.rules
            if row.machine in parts and row.rule is None and row.verdict is not None
        ]

    def _first_line(self) -> Quote | None:
        lines = [row.first for row in self._observed_parts() if row.first is not None]
        return min(lines, key=lambda line: (line.place.file, line.place.line), default=None)


def _is_of_link(finding: Finding) -> bool:
    return finding.rule is not None and finding.rule[0] == ONLY_IF


def _sum_counts(
    groups: Iterable[Mapping[RuleQuestion, DecisionCounts]],
) -> dict[RuleQuestion, DecisionCounts]:
    totals: dict[RuleQuestion, DecisionCounts] = {}
    for counts in groups:
        for name, (decided, undecided) in counts.items():
            before = totals.get(name, (0, 0))
            totals[name] = before[0] + decided, before[1] + undecided
    return totals


ClassFindings = tuple[ReleaseSet, Mapping[tuple[str, "Place | None"], Finding]]
"""Releases that behave alike, and what they say: by message and place."""
