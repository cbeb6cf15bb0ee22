"""From the judgements of all instances to the report."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from attrs import evolve

from statemachines.conform.accounts import machine_rows
from statemachines.conform.alone import with_histories
from statemachines.conform.episodes import all_episodes
from statemachines.conform.joint import joint_episodes
from statemachines.conform.judged import Found, Judged, Unjudgeable
from statemachines.conform.naming import key_of
from statemachines.conform.processes import Context
from statemachines.conform.profile import Profile
from statemachines.conform.repeats import repeats_of
from statemachines.conform.sources import FileFacts, releases_of, sources_of
from statemachines.conform.subjects import Seen, machines_of, marks_of, now_of
from statemachines.conform.tables import Tables
from statemachines.conform.unread import UNREAD, unread_rows
from statemachines.conform.world import world_of
from statemachines.model.loglines import Line
from statemachines.model.machines import Spec
from statemachines.model.reports import Checked, Finding, Instant, Place, Quote, Report, Step, Unjudged, Was
from statemachines.model.verdicts import Verdict, worst

LISTED = 10_000
"""Findings of one kind and machine in a report; the rest are left out and said."""
NO_STATE = "no line of the catalogue that was observed tells a step or a state"


class Assembly:
    """Names what the judge numbered, and puts everything into the order of the contract."""

    def __init__(self, context: Context, tables: Tables, profiles: Sequence[Profile], facts: Sequence[FileFacts]) -> None:
        self.context, self.tables, self.profiles, self.facts = context, tables, profiles, facts

    def report(
        self, judged: Sequence[Judged], seen: Seen, timeline: Iterable[Step], *, errors: tuple[str, ...] = (), interrupted: bool = False
    ) -> Report:
        """Return the report of instances that come in the order of the timeline; a machine that no fitting release has was not seen."""
        marks = tuple(marks_of(self.context, judged))
        judged = [j for j in judged if j.observations or any(one.judged for one in j.looked)]
        judged = with_histories(self.context, judged)
        findings, unjudged = self.findings(judged), tuple(self._unjudged(judged))
        nothing = not any(j.steps or j.since is not None for j in judged)
        if nothing:
            said = any(not row.why.startswith(UNREAD) for row in unjudged)
            unjudged = unjudged if said else (*self._nothing(judged), *unjudged)
        unknown = Verdict.INCONCLUSIVE if nothing or interrupted else Verdict.HOLDS
        verdict = max(worst([finding.verdict for finding in findings]), unknown)
        world = world_of(self.context, self.tables, judged)
        for process, wiped in world.eras.said:
            self.context.processes[process].problems.append(wiped)
        episodes = tuple(sorted((*all_episodes(world), *joint_episodes(world)), key=lambda one: one.machine))
        return Report(
            verdict,
            self._checked(judged, seen, unjudged),
            sources_of(self.context, self.profiles, self.facts),
            releases_of(self.context, self.profiles),
            tuple(machines_of(self.context, self.tables, judged, seen)),
            tuple(now_of(world)),
            episodes,
            findings,
            timeline,
            unjudged,
            errors=errors,
            interrupted=interrupted,
            at_best=unknown,
            repeated=repeats_of(episodes, marks),
            unread=tuple(self._unread()),
            rules=tuple(machine_rows(self.context, judged)),
            begins=next(self._begins(), None),
        )

    def _unread(self) -> Iterator[Quote]:
        """Yield the first unread lines of each file, by path."""
        for number in sorted(range(len(self.profiles)), key=lambda number: self.context.files[number].name):
            for line, text in self.profiles[number].unread_samples:
                yield Quote(Place(self.context.files[number].name, line), text)

    def _checked(self, judged: Sequence[Judged], seen: Seen, unjudged: tuple[Unjudged, ...]) -> Checked:
        return Checked(
            files=len(self.context.files),
            lines=sum(profile.lines for profile in self.profiles),
            records=sum(profile.records for profile in self.profiles),
            observations=sum(j.observations for j in judged),
            instances=len(judged),
            steps=sum(j.steps for j in judged),
            unread_lines=sum(profile.unread for profile in self.profiles),
            hidden_steps=seen.hidden,
            missing_steps=seen.missing,
            unjudged=sum(row.count for row in unjudged),
        )

    def findings(self, judged: Sequence[Judged]) -> tuple[Finding, ...]:
        """Return the findings, VIOLATED first, then by time and place; at most `LISTED` of a kind and machine."""
        listed: Counter[tuple[str, str]] = Counter()
        kept = []
        for finding in sorted((self._finding(j, found) for j in judged for found in j.findings), key=finding_order):
            listed[finding.kind, finding.machine] += 1
            if listed[finding.kind, finding.machine] <= LISTED:
                kept.append(finding)
        return tuple(kept)

    def _finding(self, judged: Judged, found: Found) -> Finding:
        spec, seen, files = self.context.plan.specs[judged.owner], found.seen, self.context.files
        line = next((entry for entry in self.context.plan.owners[judged.owner].lines if entry.number == found.entry), None)
        return Finding(
            found.kind,
            found.verdict,
            spec.name,
            key_of(self.context, judged.owner, judged.key),
            self.context.processes[found.process].name,
            Instant(seen.at, seen.zone) if seen.at is not None else None,
            Place(files[seen.file].name, seen.line),
            seen.text,
            found.source,
            found.target,
            found.outcome,
            found.legal,
            found.missing,
            Was(found.was.states, Place(files[found.was.file].name, found.was.line)) if found.was else None,
            spec.family.ranges(found.legal_in) if found.legal_in else None,
            _said_by(spec, found, line),
            found.count,
            found.message,
            Place(files[found.last_file].name, found.last_line) if found.count > 1 else None,
        )

    def _unjudged(self, judged: Sequence[Judged]) -> Iterator[Unjudged]:
        """Yield what could not be judged, by why and file; each with its first line."""
        rows: dict[tuple[str, str], list[Unjudgeable]] = defaultdict(list)
        for entry in self._unjudgeable(judged):
            rows[entry.why, self._name(entry)].append(entry)
        for why, unread in unread_rows(self.context, self.profiles):
            rows[why, ""].append(unread)
        for (why, _), entries in sorted(rows.items()):
            first = min(entries, key=lambda entry: (self._name(entry), entry.line))
            yield Unjudged(why, sum(entry.times for entry in entries), Place(self._name(first), first.line), first.text)

    def _name(self, entry: Unjudgeable) -> str:
        return self.context.files[entry.file].name

    def _unjudgeable(self, judged: Sequence[Judged]) -> Iterator[Unjudgeable]:
        for j in judged:
            yield from j.unjudged
        for number, profile in enumerate(self.profiles):
            for why, times, line, text in profile.unjudged:
                yield Unjudgeable(why, times, number, line, text)

    def _nothing(self, judged: Sequence[Judged]) -> Iterator[Unjudged]:
        """Yield the one row of a check that observed nothing, or nothing that tells a step or a state."""
        why = NO_STATE if judged else "no line of the catalogue was observed"
        yield from (Unjudged(why, 1, begins.place, begins.text) for begins in itertools.islice(self._begins(), 1))

    def _begins(self) -> Iterator[Quote]:
        """Yield the first line of each file that has any, by path."""
        for number in sorted(range(len(self.profiles)), key=lambda number: self.context.files[number].name):
            if self.profiles[number].lines:
                yield Quote(Place(self.context.files[number].name, 1), self.facts[number].first_text)


def _said_by(spec: Spec, found: Found, line: Line | None) -> Place | None:
    """Return where a spec says what a finding rests on: the property that is broken, or the entry that read the line."""
    if found.rule:
        return Place(spec.file, found.rule_line) if found.rule_line else None
    return Place(spec.file, line.span.line) if line and line.span else None


def cut_short(report: Report, *, interrupted: bool = False, errors: Iterable[str] = ()) -> Report:
    """Return a report with what was not looked at: where there is any, nothing is known to hold.

    Args:
        report: of what was read.
        interrupted: whether reading was, before the report was begun.
        errors: what was named and could not be read, beside what the report itself says.
    """
    errors = (*errors, *report.errors)
    unknown = max(report.at_best, Verdict.INCONCLUSIVE if interrupted or errors else Verdict.HOLDS)
    interrupted = interrupted or report.interrupted
    return evolve(report, interrupted=interrupted, errors=errors, verdict=max(report.verdict, unknown), at_best=unknown)


def finding_order(finding: Finding) -> tuple[object, ...]:
    """Return what orders findings: VIOLATED first, then by time and place."""
    at = finding.at.ms if finding.at is not None and finding.at.ms is not None else -1
    place = (finding.place.file, finding.place.line) if finding.place else ("", 0)
    instance = tuple((isinstance(value, str), value) for _, value in finding.instance)
    return -finding.verdict, at, place, finding.machine, instance, finding.kind
