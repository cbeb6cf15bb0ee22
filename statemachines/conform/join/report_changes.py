"""What one report of a log says that the one before it did not."""

from __future__ import annotations

import json
from collections.abc import Iterator

from attrs import define, evolve, field

from statemachines.model.evidence.changes import LogChange, LogChangeKind
from statemachines.model.evidence.reports import Episode, EpisodeOutcome, Finding, Report
from statemachines.model.evidence.verdicts import Verdict


@define
class ReportedChanges:
    """What was said of a log so far, to say only what is new.

    Names of files and numbers of lines are no part of what tells things apart: they move when logs
    are rotated.
    """

    open: dict[str, str] = field(factory=dict)
    """Episodes that are open, and what they are called."""
    over: set[str] = field(factory=set)
    findings: dict[str, str] = field(factory=dict)
    is_first: bool = True
    """Whether nothing was said yet: what is over by now is no news then."""

    def update(self, report: Report) -> list[LogChange]:
        """Return what is new in a report, in the order of its time."""
        changes = [*self._episode_changes(report), *self._finding_changes(report)]
        self.is_first = False
        return sorted(changes, key=_change_time)

    def as_text(self) -> str:
        """Write it down for a restart."""
        return json.dumps([self.open, sorted(self.over), self.findings])

    @classmethod
    def from_text(cls, text: str) -> ReportedChanges:
        """Read what was written down."""
        known, over, findings = json.loads(text)
        return cls(known, set(over), findings, is_first=False)

    def _episode_changes(self, report: Report) -> Iterator[LogChange]:
        now = {
            episode_key(episode): episode
            for episode in report.episodes
            if not episode.orderly or not episode.open
        }
        for key, episode in now.items():
            is_new = key not in self.open
            if is_new and not _is_news(episode, key in self.over, self.is_first):
                continue
            has_passed = is_new and not episode.open
            if is_new:
                opened = _as_it_opened(episode)
                yield LogChange(LogChangeKind.OPENED, episode=opened, has_passed=has_passed)
            if not episode.open:
                yield LogChange(LogChangeKind.HEALED, episode=episode, has_passed=has_passed)
        for key, title in self.open.items():
            if key not in now:
                yield LogChange(LogChangeKind.WITHDRAWN, withdrawn=title)
        self.open = {key: episode.title for key, episode in now.items() if episode.open}
        self.over = {key for key, episode in now.items() if not episode.open}

    def _finding_changes(self, report: Report) -> Iterator[LogChange]:
        now = {finding_key(f): f for f in report.findings if f.verdict is Verdict.VIOLATED}
        for key, finding in now.items():
            if key not in self.findings and not self.is_first:
                yield LogChange(LogChangeKind.FORBIDDEN, finding=finding)
        for key, message in self.findings.items():
            if key not in now:
                yield LogChange(LogChangeKind.WITHDRAWN, withdrawn=message)
        self.findings = {key: finding.message for key, finding in now.items()}


def _is_news(episode: Episode, was_over: bool, is_first: bool) -> bool:
    """Say whether an episode that was not open is worth a word: not one that was over before, or
    ended in order.
    """
    return not was_over and not episode.orderly and (episode.open or not is_first)


def _as_it_opened(episode: Episode) -> Episode:
    """Return an episode as it was when it opened, also where it is over by now."""
    opened = EpisodeOutcome.OPEN
    return evolve(episode, open=True, until=None, outcome=opened, replaced_by=())


def episode_key(episode: Episode) -> str:
    """Return what an episode is known by from report to report."""
    since = episode.since.ms if episode.since else None
    return json.dumps([episode.machine, episode.kind, episode.subject, episode.process, since])


def finding_key(finding: Finding) -> str:
    """Return what a finding is known by from report to report."""
    at = finding.at.ms if finding.at else None
    what = (finding.kind, finding.machine, finding.instance, finding.rule)
    return json.dumps([*what, at, finding.source, finding.target, finding.outcome, finding.text])


def _change_time(change: LogChange) -> tuple[int, bool]:
    """Return what orders changes: withdrawn ones first, then by the time at which they came."""
    episode, finding = change.episode, change.finding
    if episode is not None:
        ended = change.kind is LogChangeKind.HEALED
        moment = episode.until if ended else episode.since
        return (moment.ms if moment and moment.ms is not None else -1), ended
    if finding is not None:
        return (finding.at.ms if finding.at and finding.at.ms is not None else -1), False
    return -2, False
