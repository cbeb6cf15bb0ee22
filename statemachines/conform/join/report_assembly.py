"""From the judgements of all instances to the report."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from attrs import evolve

from statemachines.conform.incidents.also_logged import with_loud_lines, with_unusual_lines
from statemachines.conform.incidents.incident_rows import find_incidents
from statemachines.conform.interchange.judgements import (
    InstanceJudgement,
    PendingFinding,
    UnjudgedLines,
)
from statemachines.conform.interchange.profiles import Profile
from statemachines.conform.interchange.variants import VariantTable
from statemachines.conform.join.current_states import (
    TimelineCounts,
    counter_rows,
    current_states,
    machine_summaries,
)
from statemachines.conform.join.deadlines import (
    JudgedDeadlines,
    joint_episodes,
    judge_deadlines,
)
from statemachines.conform.join.log_subjects import LogSubjects, gather_subjects
from statemachines.conform.join.report_sources import (
    UNREAD_PREFIX,
    FileFacts,
    named_key,
    release_rows,
    remembered_fields,
    source_rows,
    subject_phrases,
    unread_rows,
    with_days,
)
from statemachines.conform.join.rule_accounts import machine_rule_rows
from statemachines.conform.join.silent_processes import process_spans
from statemachines.conform.join.subject_episodes import subject_episodes
from statemachines.conform.judge.instance.single_releases import with_release_findings
from statemachines.conform.judge.repeats import find_repeats
from statemachines.conform.judge.tables.judging_tables import JudgingTables
from statemachines.conform.settle.judging_context import JudgingContext
from statemachines.model.definitions.log_definitions import LineDefinition
from statemachines.model.definitions.machine_definitions import SpecDefinition
from statemachines.model.evidence.incidents import Incident
from statemachines.model.evidence.reports import (
    CheckCounts,
    Episode,
    Finding,
    Instant,
    Place,
    PriorBelief,
    Quote,
    Report,
    TimelineStep,
    UnjudgedSummary,
)
from statemachines.model.evidence.verdicts import Verdict, worst_verdict

MOST_LISTED = 10_000
"""Findings of one kind and machine in a report; the last one stands for the rest."""
_NO_STATE_OBSERVED = "no line of the catalogue that was observed tells a step or a state"


class ReportAssembly:
    """Names what the judge numbered, and puts everything into the order of the contract."""

    def __init__(
        self,
        context: JudgingContext,
        tables: JudgingTables,
        profiles: Sequence[Profile],
        facts: Sequence[FileFacts],
    ) -> None:
        self.context, self.tables, self.profiles = context, tables, profiles
        self.facts = with_days(context, profiles, facts)

    def report(
        self,
        judged: Sequence[InstanceJudgement],
        observed_counts: TimelineCounts,
        timeline: Iterable[TimelineStep],
        *,
        grouped: VariantTable | None = None,
        errors: tuple[str, ...] = (),
        interrupted: bool = False,
    ) -> Report:
        """Return the report of instances that come in the order of the timeline, and of those that
        went as some of them did (`grouped`); a machine that no fitting release has was not seen.
        """
        marks, grouped = tuple(counter_rows(self.context, judged)), grouped or VariantTable()
        everything, log_subjects, deadlines = judged, *self._with_deadlines(judged)
        judged = deadlines.judged
        nothing = not any(j.steps or j.since is not None for j in judged)
        findings, unjudged = self.findings(judged), self._unjudged(judged, nothing)
        unknown = Verdict.INCONCLUSIVE if nothing or interrupted else Verdict.HOLDS
        episodes = _episodes(log_subjects)
        return Report(
            max(worst_verdict([finding.verdict for finding in findings]), unknown),
            self._checked(judged, observed_counts, unjudged, grouped),
            source_rows(self.context, self.profiles, self.facts),
            release_rows(self.context, self.profiles),
            tuple(machine_summaries(self.context, self.tables, judged, observed_counts, grouped)),
            current_states(log_subjects, grouped),
            episodes,
            findings,
            timeline,
            unjudged,
            errors=errors,
            interrupted=interrupted,
            at_best=unknown,
            repeated=find_repeats(episodes, marks),
            unread=tuple(self._unread_quotes()),
            rules=tuple(machine_rule_rows(self.context, judged, deadlines.counts, grouped)),
            begins=next(self._first_lines(), None),
            incidents=self._incidents(log_subjects, everything, episodes),
            remembered=remembered_fields(self.context, judged),
            called=subject_phrases(self.context.plan),
        )

    def _with_deadlines(
        self, everything: Sequence[InstanceJudgement]
    ) -> tuple[LogSubjects, JudgedDeadlines]:
        """Return who the log is about, and the judgements of those of whom something was observed,
        with what was late.
        """
        judged = [
            j
            for j in everything
            if j.observations or any(count.decided for count in j.property_counts)
        ]
        judged = with_release_findings(self.context, judged)
        log_subjects = self._subjects(judged, everything)
        return log_subjects, judge_deadlines(log_subjects, judged)

    def _subjects(
        self, judged: Sequence[InstanceJudgement], everything: Sequence[InstanceJudgement]
    ) -> LogSubjects:
        """Return who the log is about; what wiped a process out is noted as a problem of it."""
        spans = process_spans(self.context, self.profiles, self.facts)
        log_subjects = gather_subjects(self.context, self.tables, judged, spans, everything)
        for process, wiped in log_subjects.eras.messages:
            self.context.processes[process].problems.append(wiped)
        return log_subjects

    def _unjudged(
        self, judged: Sequence[InstanceJudgement], nothing: bool
    ) -> tuple[UnjudgedSummary, ...]:
        """Return what could not be judged; where nothing was observed, that too, unless another row
        says why.
        """
        rows = tuple(self._unjudged_rows(judged))
        if not nothing or any(not row.why.startswith(UNREAD_PREFIX) for row in rows):
            return rows
        return (*self._nothing_observed(judged), *rows)

    def _incidents(
        self,
        log_subjects: LogSubjects,
        everything: Sequence[InstanceJudgement],
        episodes: Sequence[Episode],
    ) -> tuple[Incident, ...]:
        """Return what happened, with what the programs themselves said then."""
        incidents = find_incidents(log_subjects, everything, episodes, self._end_ms())
        incidents = with_loud_lines(incidents, self.context, self.profiles)
        return with_unusual_lines(incidents, self.context, self.profiles)

    def _end_ms(self) -> int | None:
        """Return the last time of the log."""
        times = [fact.last.ms for fact in self.facts if fact.last and fact.last.ms is not None]
        return max(times, default=None)

    def _unread_quotes(self) -> Iterator[Quote]:
        """Yield the first unread lines of each file, by path."""
        for number in sorted(
            range(len(self.profiles)), key=lambda number: self.context.files[number].name
        ):
            for line, text in self.profiles[number].unread_samples:
                yield Quote(Place(self.context.files[number].name, line), text)

    def _checked(
        self,
        judged: Sequence[InstanceJudgement],
        counts: TimelineCounts,
        unjudged: tuple[UnjudgedSummary, ...],
        grouped: VariantTable,
    ) -> CheckCounts:
        others = [(variant.others, variant.judgement) for variant in grouped.variants]
        return CheckCounts(
            files=len(self.context.files),
            lines=sum(profile.lines for profile in self.profiles),
            records=sum(profile.records for profile in self.profiles),
            observations=sum(j.observations for j in judged)
            + sum(count * j.observations for count, j in others),
            instances=len(judged) + sum(count for count, _ in others),
            steps=sum(j.steps for j in judged) + sum(count * j.steps for count, j in others),
            unread_lines=sum(profile.unread for profile in self.profiles),
            hidden_steps=counts.hidden,
            missing_steps=counts.missing,
            unjudged=sum(row.count for row in unjudged),
        )

    def findings(self, judged: Sequence[InstanceJudgement]) -> tuple[Finding, ...]:
        """Return the findings, VIOLATED first, then by time and place; at most `MOST_LISTED` of a
        kind and machine, of which the last one is counted for the rest.
        """
        listed: Counter[tuple[str, str]] = Counter()
        findings, rest = [], dict[tuple[str, str], tuple[int, list[Finding]]]()
        for finding in sorted(
            (self._finding(j, pending) for j in judged for pending in j.findings),
            key=finding_sort_key,
        ):
            what = finding.kind, finding.machine
            listed[what] += 1
            if listed[what] <= MOST_LISTED:
                findings.append(finding)
            if listed[what] == MOST_LISTED:
                rest[what] = len(findings) - 1, []
            elif listed[what] > MOST_LISTED:
                rest[what][1].append(finding)
        for place, others in rest.values():
            findings[place] = _standing_for(findings[place], others)
        return tuple(findings)

    def _finding(self, judged: InstanceJudgement, finding: PendingFinding) -> Finding:
        spec, observation, files = (
            self.context.plan.specs[judged.owner],
            finding.observation,
            self.context.files,
        )
        line = next(
            (
                entry
                for entry in self.context.plan.owners[judged.owner].lines
                if entry.index == finding.entry
            ),
            None,
        )
        return Finding(
            finding.kind,
            finding.verdict,
            spec.name,
            named_key(self.context, judged.owner, judged.key),
            self.context.processes[finding.process].name,
            Instant(observation.at, observation.zone) if observation.at is not None else None,
            Place(files[observation.file].name, observation.line),
            observation.text,
            finding.source,
            finding.target,
            finding.outcome,
            finding.legal,
            finding.missing,
            (
                PriorBelief(
                    finding.state_before.states,
                    Place(files[finding.state_before.file].name, finding.state_before.line),
                )
                if finding.state_before
                else None
            ),
            spec.family.ranges(finding.legal_in) if finding.legal_in else None,
            _spec_position(spec, finding, line),
            finding.count,
            finding.message,
            Place(files[finding.last_file].name, finding.last_line) if finding.count > 1 else None,
            began=None if finding.began is None else Instant(finding.began, observation.zone),
        )

    def _unjudged_rows(self, judged: Sequence[InstanceJudgement]) -> Iterator[UnjudgedSummary]:
        """Yield what could not be judged, by why and file; each with its first line."""
        rows: dict[tuple[str, str], list[UnjudgedLines]] = defaultdict(list)
        for entry in self._unjudged_lines(judged):
            rows[entry.reason, self._file_name(entry)].append(entry)
        for why, unread in unread_rows(self.context, self.profiles):
            rows[why, ""].append(unread)
        for (why, _), entries in sorted(rows.items()):
            first = min(entries, key=lambda entry: (self._file_name(entry), entry.line))
            yield UnjudgedSummary(
                why,
                sum(entry.occurrences for entry in entries),
                Place(self._file_name(first), first.line),
                first.text,
            )

    def _file_name(self, entry: UnjudgedLines) -> str:
        return self.context.files[entry.file].name

    def _unjudged_lines(self, judged: Sequence[InstanceJudgement]) -> Iterator[UnjudgedLines]:
        for j in judged:
            yield from j.unjudged
        for number, profile in enumerate(self.profiles):
            for why, times, line, text in profile.unjudged:
                yield UnjudgedLines(why, times, number, line, text)

    def _nothing_observed(self, judged: Sequence[InstanceJudgement]) -> Iterator[UnjudgedSummary]:
        """Yield the one row of a check that observed nothing, or nothing that tells a step or a
        state.
        """
        why = _NO_STATE_OBSERVED if judged else "no line of the catalogue was observed"
        yield from (
            UnjudgedSummary(why, 1, begins.place, begins.text)
            for begins in itertools.islice(self._first_lines(), 1)
        )

    def _first_lines(self) -> Iterator[Quote]:
        """Yield the first line of each file that has any, by path."""
        for number in sorted(
            range(len(self.profiles)), key=lambda number: self.context.files[number].name
        ):
            if self.profiles[number].lines:
                yield Quote(
                    Place(self.context.files[number].name, 1), self.facts[number].first_text
                )


def _episodes(log_subjects: LogSubjects) -> tuple[Episode, ...]:
    """Return the episodes of all subjects, and those that several share, machine by machine."""
    rows = *subject_episodes(log_subjects), *joint_episodes(log_subjects)
    return tuple(sorted(rows, key=lambda episode: episode.machine))


def _standing_for(last: Finding, others: Sequence[Finding]) -> Finding:
    """Return the last finding that is listed of a kind, counted for those that are not."""
    if not others:
        return last
    more = sum(finding.count for finding in others)
    return evolve(
        last,
        count=last.count + more,
        message=f"{last.message}; {more:,} more of this kind are counted here and not listed",
        last=others[-1].last or others[-1].place,
    )


def _spec_position(
    spec: SpecDefinition, finding: PendingFinding, line: LineDefinition | None
) -> Place | None:
    """Return where a spec says what a finding rests on: the property that is broken, or the entry
    that read the line.
    """
    if finding.rule:
        return Place(spec.file, finding.rule_line) if finding.rule_line else None
    return Place(spec.file, line.span.line) if line and line.span else None


def with_incompleteness(
    report: Report, *, interrupted: bool = False, errors: Iterable[str] = ()
) -> Report:
    """Return a report with what was not looked at: where there is any, nothing is known to hold.

    Args:
        report: of what was read.
        interrupted: whether reading was, before the report was begun.
        errors: what was named and could not be read, beside what the report itself says.
    """
    errors = (*errors, *report.errors)
    unknown = max(report.at_best, Verdict.INCONCLUSIVE if interrupted or errors else Verdict.HOLDS)
    interrupted = interrupted or report.interrupted
    return evolve(
        report,
        interrupted=interrupted,
        errors=errors,
        verdict=max(report.verdict, unknown),
        at_best=unknown,
    )


def finding_sort_key(finding: Finding) -> tuple[object, ...]:
    """Return what orders findings: VIOLATED first, then by time and place."""
    at = finding.at.ms if finding.at is not None and finding.at.ms is not None else -1
    place = (finding.place.file, finding.place.line) if finding.place else ("", 0)
    instance = tuple((isinstance(value, str), value) for _, value in finding.instance)
    return -finding.verdict, at, place, finding.machine, instance, finding.kind
