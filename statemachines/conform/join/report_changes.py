"""What one report of a log says that the one before it did not."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import define, evolve, field

from statemachines.conform.join.change_keys import (
    episode_key,
    findings_by_key,
    incident_key,
    incidents_by_key,
    key_parts,
)
from statemachines.conform.join.report_assembly import MOST_LISTED
from statemachines.conform.join.said_things import SaidThing, said_of, said_things
from statemachines.model.evidence.changes import LogChange, LogChangeKind
from statemachines.model.evidence.incidents import Incident
from statemachines.model.evidence.reports import (
    EpisodeOutcome,
    Finding,
    Report,
)
from statemachines.model.evidence.verdicts import Verdict

SaidRow = tuple[str, str, SaidThing]
"""What became known of a thing (`_OPEN` and its kin), what it is known by, and what was said."""
_OPEN, _OVER, _FINDING, _WITHDRAWN, _BEGUN = "open", "over", "finding", "withdrawn", "begun"
_PUT_RIGHT = "the lines that came since put it right"


@define
class ReportedChanges:
    """What was said of a log so far, to say only what is new.

    Names of files and numbers of lines are no part of what tells things apart: they move when logs
    are rotated.

    Limits: of a kind and machine that a report does not list all findings of, none is withdrawn.
    """

    open: dict[str, SaidThing] = field(factory=dict)
    """Incidents that go on."""
    over: set[str] = field(factory=set)
    findings: dict[str, SaidThing] = field(factory=dict)
    is_first: bool = True
    """Whether nothing was said yet: what is over by now is no news then."""
    settled_before: int | None = None
    """What was over before this moment (ms) is not known any more; None: all is."""

    def update(self, report: Report, *, has_systems: bool = True) -> list[LogChange]:
        """Return what is new in a report, in the order of its time.

        Args:
            report: what is known now.
            has_systems: whether the rules of systems were asked for it; if not, what they found
                before stays as it was.
        """
        changes = [
            *self._incident_changes(report),
            *self._finding_changes(report, has_systems=has_systems),
        ]
        self.is_first = False
        return sorted(changes, key=_change_time)

    def settle_past(self, report: Report, before_ms: int | None) -> None:
        """Know what a report still has that lacks what was over before a moment: what goes on may
        have begun later there. What goes on and followed from what is over is said by itself then.

        Args:
            report: says of the same lines what the latest said.
            before_ms: the moment.
        """
        self.settled_before = before_ms
        now = incidents_by_key(row for row in report.incidents if row.is_trouble)
        goes_on = {key for key, row in now.items() if row.is_open}
        began_earlier = {
            tuple(map(str, key_parts(key)[:3])): key for key in self.open if key not in goes_on
        }
        for key in goes_on - self.open.keys():
            earlier = began_earlier.pop(tuple(map(str, key_parts(key)[:3])), None)
            if earlier is not None:
                self.open[key] = said_of(now[key], self.open.pop(earlier))
        self.over = now.keys() - goes_on
        findings = findings_by_key(f for f in report.findings if f.verdict is Verdict.VIOLATED)
        missing = {key: thing for key, thing in self.findings.items() if key not in findings}
        self.findings = {
            **{key: self.findings[key] for key in findings if key in self.findings},
            **_unlisted(missing, report, has_systems=False),
        }

    def leave_out(self, change: LogChange) -> SaidRow:
        """Take note that something is not passed on: what becomes of it is not said either.

        Args:
            change: one that began something.

        Returns:
            What is written down of it.
        """
        what, key, thing = said_row(change)
        row = what, key, thing._replace(is_said=False)
        known = self.findings if what == _FINDING else self.open
        if key in known:
            known[key] = row[2]
        return row

    def passed_over(self, changes: Sequence[LogChange]) -> Iterator[SaidRow]:
        """Yield what was known without a word when something was said first.

        Args:
            changes: what was said then.
        """
        spoken = {change.key for change in changes}
        yield from ((_OVER, key, SaidThing()) for key in sorted(self.over - spoken))
        yield from ((_FINDING, *row) for row in self.findings.items())
        yield _BEGUN, "", SaidThing()

    def take(self, row: SaidRow) -> None:
        """Take what was said before a restart, or passed over: a `said_row`."""
        what, key, thing = row
        if what == _BEGUN:
            self.is_first = False
        elif what == _FINDING:
            self.findings[key] = thing
        elif what == _OPEN:
            self.over.discard(key)
            self.open[key] = thing
        else:
            self.open.pop(key, None)
            if what == _OVER:
                self.over.add(key)
            else:
                self.findings.pop(key, None)

    def as_text(self) -> str:
        """Write it down for a restart."""
        return json.dumps([self.open, sorted(self.over), self.findings, self.settled_before])

    @classmethod
    def from_text(cls, text: str) -> ReportedChanges:
        """Read what was written down."""
        known, over, findings, settled_before = json.loads(text)
        return cls(said_things(known), set(over), said_things(findings), False, settled_before)

    def _incident_changes(self, report: Report) -> Iterator[LogChange]:
        now = incidents_by_key(row for row in report.incidents if row.is_trouble)
        for key, row in now.items():
            if key in self.open:
                if not row.is_open and self.open[key].is_said:
                    yield LogChange(LogChangeKind.HEALED, incident=row, key=key)
            elif row.is_open or (key not in self.over and _is_news(row, self.is_first)):
                yield from (evolve(change, key=key) for change in _beginning(row))
        for key, thing in self.open.items():
            if key not in now and thing.is_said:
                yield evolve(_without_it(key_parts(key), thing, report), key=key)
        self.open = {
            key: said_of(row, self.open.get(key)) for key, row in now.items() if row.is_open
        }
        self.over = {key for key, row in now.items() if not row.is_open}

    def _finding_changes(self, report: Report, *, has_systems: bool) -> Iterator[LogChange]:
        now = findings_by_key(f for f in report.findings if f.verdict is Verdict.VIOLATED)
        for key, finding in now.items():
            if key not in self.findings and not self.is_first:
                yield LogChange(LogChangeKind.FORBIDDEN, finding=finding, key=key)
        missing = {key: thing for key, thing in self.findings.items() if key not in now}
        unlisted = _unlisted(missing, report, has_systems=has_systems)
        doubts = findings_by_key(f for f in report.findings if f.verdict is Verdict.INCONCLUSIVE)
        for key, thing in missing.items():
            if key not in unlisted and thing.is_said:
                _, machine, instance, *_ = key_parts(key)
                change = _withdrawn(thing, _why_not(key, doubts), machine, instance)
                yield evolve(change, key=key)
        said_now = {
            key: said_of(finding, self.findings.get(key), is_said=not self.is_first)
            for key, finding in now.items()
        }
        self.findings = {**said_now, **unlisted}


def said_row(change: LogChange) -> SaidRow:
    """Return what is written down of a change once it was said."""
    if change.finding is not None:
        return _FINDING, change.key, said_of(change.finding)
    if change.incident is not None:
        what = _OPEN if change.incident.is_open else _OVER
        return what, change.key, said_of(change.incident)
    return _WITHDRAWN, change.key, SaidThing()


def _unlisted(
    missing: Mapping[str, SaidThing], report: Report, *, has_systems: bool
) -> dict[str, SaidThing]:
    """Return the findings that a report may have and does not list: beyond what it lists of a kind
    and machine, and of systems that were not asked.
    """
    listed = Counter((finding.kind, finding.machine) for finding in report.findings)
    unlisted = {}
    for key, thing in missing.items():
        kind, machine, _, rule, *_ = key_parts(key)
        is_of_system = isinstance(rule, list)
        if listed[kind, machine] >= MOST_LISTED or (is_of_system and not has_systems):
            unlisted[key] = thing
    return unlisted


def _why_not(key: str, doubts: Mapping[str, Finding]) -> str:
    """Say why something is forbidden no more.

    Args:
        key: what it is known by.
        doubts: what is INCONCLUSIVE now, by the same.
    """
    if key in doubts:
        return f"it is not certain any more: {doubts[key].message}"
    return _PUT_RIGHT


def _withdrawn(thing: SaidThing, why: str, machine: str, subject: Sequence[Any]) -> LogChange:
    """Return that something that was said is so no more."""
    return LogChange(
        LogChangeKind.WITHDRAWN, withdrawn=thing.title, why=why, machine=machine,
        subject=tuple((name, value) for name, value in subject), place=thing.place,
    )  # fmt: skip


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


def _without_it(key: Sequence[Any], thing: SaidThing, report: Report) -> LogChange:
    """Return what has become of an incident that went on and is none of its own any more: it is
    over and told together with earlier ones, follows from another, ended in order, or never was.

    Args:
        key: as `incident_key` has it.
        thing: what was said of it.
        report: the one in which it is missing.
    """
    machine, kind, subject, since = key
    for row in report.incidents:
        *who, first = json.loads(incident_key(row))
        last = row.until.ms if row.until else None
        is_told = None not in (first, since, last) and first <= since <= (last or first)
        if who == key[:-1] and not row.is_open and is_told:
            began = evolve(row.since, ms=since) if row.since else None
            return LogChange(LogChangeKind.HEALED, incident=evolve(row, since=began, count=1))
    for row in report.incidents:
        if any((effect.machine, effect.kind) == (machine, kind) for effect in row.effects):
            return _withdrawn(thing, f"it follows from: {row.title}", machine, subject)
    ended = {episode_key(row) for row in report.episodes if row.outcome is EpisodeOutcome.ORDERLY}
    subjects = [(row[0], row[2], row[4]) for row in map(json.loads, ended)]
    why = "it ended in order" if (machine, subject, since) in subjects else _PUT_RIGHT
    return _withdrawn(thing, why, machine, subject)


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
