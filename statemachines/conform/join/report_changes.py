"""What one report of a log says that the one before it did not."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from attrs import define, evolve, field

from statemachines.model.evidence.changes import LogChange, LogChangeKind
from statemachines.model.evidence.incidents import Incident
from statemachines.model.evidence.reports import Episode, EpisodeOutcome, Finding, Report
from statemachines.model.evidence.verdicts import Verdict

SaidRow = tuple[str, str, str]
"""What became known of a thing (`_OPEN` and its kin), what it is known by, and what was said."""
_OPEN, _OVER, _FINDING, _WITHDRAWN, _BEGUN = "open", "over", "finding", "withdrawn", "begun"


@define
class ReportedChanges:
    """What was said of a log so far, to say only what is new.

    Names of files and numbers of lines are no part of what tells things apart: they move when logs
    are rotated.
    """

    open: dict[str, str] = field(factory=dict)
    """Incidents that go on, and what they are called."""
    over: set[str] = field(factory=set)
    findings: dict[str, str] = field(factory=dict)
    is_first: bool = True
    """Whether nothing was said yet: what is over by now is no news then."""

    def update(self, report: Report) -> list[LogChange]:
        """Return what is new in a report, in the order of its time."""
        changes = [*self._incident_changes(report), *self._finding_changes(report)]
        self.is_first = False
        return sorted(changes, key=_change_time)

    def passed_over(self, changes: Sequence[LogChange]) -> Iterator[SaidRow]:
        """Yield what was known without a word when something was said first.

        Args:
            changes: what was said then.
        """
        spoken = {change.key for change in changes}
        yield from ((_OVER, key, "") for key in sorted(self.over - spoken))
        yield from ((_FINDING, *row) for row in self.findings.items())
        yield _BEGUN, "", ""

    def take(self, row: SaidRow) -> None:
        """Take what was said before a restart, or passed over: a `said_row`."""
        what, key, title = row
        if what == _BEGUN:
            self.is_first = False
        elif what == _FINDING:
            self.findings[key] = title
        elif what == _OPEN:
            self.over.discard(key)
            self.open[key] = title
        else:
            self.open.pop(key, None)
            if what == _OVER:
                self.over.add(key)
            else:
                self.findings.pop(key, None)

    def as_text(self) -> str:
        """Write it down for a restart."""
        return json.dumps([self.open, sorted(self.over), self.findings])

    @classmethod
    def from_text(cls, text: str) -> ReportedChanges:
        """Read what was written down."""
        known, over, findings = json.loads(text)
        return cls(known, set(over), findings, is_first=False)

    def _incident_changes(self, report: Report) -> Iterator[LogChange]:
        now = {incident_key(row): row for row in report.incidents if row.is_trouble}
        for key, row in now.items():
            if key in self.open:
                if not row.is_open:
                    yield LogChange(LogChangeKind.HEALED, incident=row, key=key)
            elif row.is_open or (key not in self.over and _is_news(row, self.is_first)):
                yield from (evolve(change, key=key) for change in _beginning(row))
        for key, title in self.open.items():
            if key not in now:
                yield evolve(_without_it(json.loads(key), title, report), key=key)
        self.open = {key: row.title for key, row in now.items() if row.is_open}
        self.over = {key for key, row in now.items() if not row.is_open}

    def _finding_changes(self, report: Report) -> Iterator[LogChange]:
        now = {finding_key(f): f for f in report.findings if f.verdict is Verdict.VIOLATED}
        for key, finding in now.items():
            if key not in self.findings and not self.is_first:
                yield LogChange(LogChangeKind.FORBIDDEN, finding=finding, key=key)
        for key, message in self.findings.items():
            if key not in now:
                yield LogChange(LogChangeKind.WITHDRAWN, withdrawn=message, key=key)
        self.findings = {key: finding.message for key, finding in now.items()}


def said_row(change: LogChange) -> SaidRow:
    """Return what is written down of a change once it was said."""
    if change.finding is not None:
        return _FINDING, change.key, change.finding.message
    if change.incident is not None:
        return _OPEN if change.incident.is_open else _OVER, change.key, change.incident.title
    return _WITHDRAWN, change.key, ""


def _is_news(incident: Incident, is_first: bool) -> bool:
    """Say whether an incident that does not go on is worth a word: it may be over, or nobody could
    say so before.
    """
    return incident.outcome is EpisodeOutcome.MAY_BE_OVER or not is_first


def _beginning(incident: Incident) -> Iterator[LogChange]:
    """Yield what there is to say of an incident of which nothing was said: also its end, where it
    lasted and is over by now.
    """
    since, until = (moment and moment.ms for moment in (incident.since, incident.until))
    if incident.is_open or until is None or since == until:
        yield LogChange(LogChangeKind.OPENED, incident=incident)
        return
    opened = evolve(incident, until=None, outcome=EpisodeOutcome.OPEN, replaced_by=())
    yield LogChange(LogChangeKind.OPENED, incident=opened, has_passed=True)
    yield LogChange(LogChangeKind.HEALED, incident=incident, has_passed=True)


def _without_it(key: Sequence[Any], title: str, report: Report) -> LogChange:
    """Return what has become of an incident that went on and is none of its own any more: it is
    over and told together with earlier ones, follows from another, ended in order, or never was.

    Args:
        key: as `incident_key` has it.
        title: what was said of it.
        report: the one in which it is missing.
    """
    machine, kind, *_, since = key
    for row in report.incidents:
        *who, first = json.loads(incident_key(row))
        last = row.until.ms if row.until else None
        is_told = None not in (first, since, last) and first <= since <= (last or first)
        if who == key[:-1] and not row.is_open and is_told:
            began = evolve(row.since, ms=since) if row.since else None
            return LogChange(LogChangeKind.HEALED, incident=evolve(row, since=began, count=1))
    for row in report.incidents:
        if any((effect.machine, effect.kind) == (machine, kind) for effect in row.effects):
            why = f"it follows from: {row.title}"
            return LogChange(LogChangeKind.WITHDRAWN, withdrawn=title, why=why)
    ended = {episode_key(row) for row in report.episodes if row.outcome is EpisodeOutcome.ORDERLY}
    subjects = [[machine, *row[2:]] for row in map(json.loads, ended)]
    why = "it ended in order" if [machine, *key[2:]] in subjects else ""
    return LogChange(LogChangeKind.WITHDRAWN, withdrawn=title, why=why)


def incident_key(incident: Incident) -> str:
    """Return what an incident is known by from report to report."""
    since = incident.since.ms if incident.since else None
    who = (incident.machine, incident.kind, incident.subject, incident.process)
    return json.dumps([*who, since])


def episode_key(episode: Episode) -> str:
    """Return what an episode is known by from report to report."""
    since = episode.since.ms if episode.since else None
    return json.dumps([episode.machine, episode.kind, episode.subject, episode.process, since])


def finding_key(finding: Finding) -> str:
    """Return what a finding is known by from report to report."""
    at = finding.at.ms if finding.at else None
    what = (finding.kind, finding.machine, finding.instance, finding.rule)
    return json.dumps([*what, at, finding.source, finding.target, finding.outcome, finding.text])


def _change_time(change: LogChange) -> tuple[int, bool, int]:
    """Return what orders changes: withdrawn ones first, then by the time at which they came, and
    by their lines where they came at once.
    """
    incident, finding = change.incident, change.finding
    if incident is not None:
        ended = change.kind is LogChangeKind.HEALED
        moment = incident.until if ended else incident.since
        line = incident.cause.quote.place.line if incident.cause else 0
        return (moment.ms if moment and moment.ms is not None else -1), ended, line
    if finding is not None:
        return (finding.at.ms if finding.at and finding.at.ms is not None else -1), False, 0
    return -2, False, 0
