"""What became of one system in a check: findings, how often each rule was decided, and why what was not judged was not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from attrs import define, field

from statemachines.conform.accounts import STEPS, UNTOLD, unjudged_order
from statemachines.conform.asked import NOT_SEEN, asked_of
from statemachines.conform.systems.gathering import is_judged
from statemachines.conform.systems.judging import ONLY_IF, Asked, Counts, name_of_link
from statemachines.conform.systems.untold import reason
from statemachines.model.releases import Releases
from statemachines.model.reports import Finding, Place, Quote, Report, RuleSummary, Step, Unjudged
from statemachines.model.systems import SystemSpec
from statemachines.model.verdicts import worst
from statemachines.notation.systems.resolving import system_of

NO_STEPS = "no line tells a step of its parts"
NOT_ASKED = "no line tells a step that it speaks of"
EVENTS = "it speaks of an event, and logs tell the states of parts"

Name = tuple[str, str]
"""Claim and name of a rule."""


@define
class Account:
    """One system over one report."""

    spec: SystemSpec
    report: Report
    findings: list[Finding] = field(factory=list)
    groups: int = 0
    """Instances of the system that were looked at."""
    steps: int = 0
    left: dict[str, list[Unjudged]] = field(factory=lambda: defaultdict(list))
    """By why, what was not looked at."""
    counts: dict[Name, Counts] = field(factory=dict)

    def leave(self, why: str, count: int, steps: Iterable[Step]) -> None:
        """Keep that some instances were not looked at."""
        first = min(((step.place.file, step.place.line, step.text or "") for step in steps if step.place), default=("", 1, ""))
        self.left[why].append(Unjudged(f"rules of {self.spec.name}: {why}", count, Place(*first[:2]), first[2]))

    def count(self, classes: Sequence[tuple[Releases, Sequence[Mapping[Asked, Counts]]]]) -> None:
        """Add up how often rules were decided: where several classes of releases fit, the fewest; one without the rule decides nothing."""
        summed = [(releases, _summed(groups)) for releases, groups in classes]
        for name in dict.fromkeys(name for _, one in summed for name in one):
            known = [one.get(name, (0, 0)) for releases, one in summed if releases & name[2]]
            decided, asked = min((counts[0] for counts in known), default=0), max((sum(counts) for counts in known), default=0)
            before = self.counts.get(name[:2], (0, 0))
            self.counts[name[:2]] = before[0] + decided, before[1] + asked - decided

    def unjudged(self) -> Iterator[Unjudged]:
        """Yield what was not looked at, a row a reason; the one that the account gives for the whole system is not said twice."""
        whole = self._why()
        for why, rows in self.left.items():
            if why != whole:
                first = min(rows, key=unjudged_order)
                yield Unjudged(first.why, sum(row.count for row in rows), first.place, first.text)

    def rows(self) -> Iterator[RuleSummary]:
        """Yield a row for the system, one for each property, and one for each link that forbids steps."""
        name, why, first = self.spec.name, self._why(), self._first()
        verdict = None if why else worst([one.verdict for one in self.findings])
        yield RuleSummary(name, STEPS, None, self.steps, 0, len(self.findings), verdict, why, first)
        for asked in asked_of((releases, wiring.data) for releases, wiring in self.spec.versions):
            yield self._row((str(asked.claim), asked.name), why or asked.why, first)
        links = [link for _, wiring in self.spec.versions for link in wiring.links if link.only_if is not None]
        for link, event in {name_of_link(link): link.event for link in links}.items():
            yield self._row((ONLY_IF, link), why or (EVENTS if event is not None else ""), first)

    def _row(self, name: Name, why: str, first: Quote | None) -> RuleSummary:
        found = [one.verdict for one in self.findings if one.rule == name]
        decided, undecided = self.counts.get(name, (0, 0))
        verdict = worst(found) if decided else None
        why = "" if decided else why or (UNTOLD if undecided else NOT_ASKED)
        return RuleSummary(self.spec.name, *name, decided, undecided, len(found), verdict, why, first)

    def _why(self) -> str:
        """Return why nothing of the system was looked at; empty where something was."""
        if self.groups:
            return ""
        if not self._seen():
            return NOT_SEEN
        unfit = [system for release in self._releases() if not is_judged(system := system_of(self.spec, release))]
        return next(iter(self.left), reason(unfit[-1]) if unfit else NO_STEPS)

    def _releases(self) -> list[str | None]:
        return [self.spec.family.newest(releases) or None for releases, _ in self.spec.versions]

    def _seen(self) -> list[RuleSummary]:
        parts = {machine.name for _, machine in self.spec.machines}
        return [row for row in self.report.rules if row.machine in parts and row.rule is None and row.verdict is not None]

    def _first(self) -> Quote | None:
        lines = [row.first for row in self._seen() if row.first is not None]
        return min(lines, key=lambda line: (line.place.file, line.place.line), default=None)


def _summed(groups: Iterable[Mapping[Asked, Counts]]) -> dict[Asked, Counts]:
    found: dict[Asked, Counts] = {}
    for counts in groups:
        for name, (decided, undecided) in counts.items():
            before = found.get(name, (0, 0))
            found[name] = before[0] + decided, before[1] + undecided
    return found


Said = tuple[Releases, Mapping[tuple[str, "Place | None"], Finding]]
"""Releases that behave alike, and what they say: by message and place."""
