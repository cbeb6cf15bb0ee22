"""Deadlines: what had to be over by some time, and when it was."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from attrs import define, frozen

from statemachines.conform.interchange.judgements import (
    EpisodePoint,
    InstanceJudgement,
    PendingFinding,
)
from statemachines.conform.interchange.observations import Observation
from statemachines.conform.join.end_moments import EndMoments, find_end_moments
from statemachines.conform.join.eras import SubjectInstances
from statemachines.conform.join.log_subjects import LogSubjects, fitting_releases
from statemachines.conform.join.report_names import machine_log
from statemachines.conform.join.subject_episodes import (
    EpisodeSpan,
    episode_spans,
    limit_in_ms,
    outcome_and_end,
)
from statemachines.conform.settle.instance_order import is_shared
from statemachines.model.evidence.durations import format_duration
from statemachines.model.evidence.reports import EpisodeOutcome
from statemachines.model.evidence.verdicts import Verdict

WITHIN = "within"
"""The claim of a deadline."""
LATE = ": late by "
"""Between the name of a deadline and by how much it was missed."""
_NOT_TOLD = "it may have been over in time, and no line of the log tells when it was"
_BETWEEN = "steps that no line would tell may have been between"
_NO_ENTRY = -1
"""A deadline rests on two lines and the time between them, and on no entry of the spec alone."""


@define
class DeadlineCounts:
    """How often a deadline was looked at."""

    decided: int = 0
    undecided: int = 0
    broken: int = 0

    def count(self, verdict: Verdict | None) -> None:
        """Count one episode: None and INCONCLUSIVE decide nothing."""
        self.decided += verdict in (Verdict.HOLDS, Verdict.VIOLATED)
        self.undecided += verdict in (None, Verdict.INCONCLUSIVE)
        self.broken += verdict is Verdict.VIOLATED


@frozen
class JudgedDeadlines:
    """Judgements with what was late, and how often each deadline was looked at."""

    judged: Sequence[InstanceJudgement]
    counts: Mapping[tuple[int, str], DeadlineCounts]
    """By machine and name of the episode."""


def judge_deadlines(
    log_subjects: LogSubjects, judged: Sequence[InstanceJudgement]
) -> JudgedDeadlines:
    """Find what was not over within the time that its spec allows.

    Late is VIOLATED, and INCONCLUSIVE where steps that no line would tell may have been between, or
    where it ended with a step whose line is missing.
    What the clocks cannot decide, what goes on and still has time, and what has no times at its
    lines is undecided.

    Args:
        log_subjects: the subjects of the log.
        judged: the instances that it was gathered from.

    Complexity: linear in the episodes that have a deadline.
    """
    counts: dict[tuple[int, str], DeadlineCounts] = defaultdict(DeadlineCounts)
    late: dict[int, list[PendingFinding]] = defaultdict(list)
    subjects = [
        subject for subject in log_subjects.subjects if _has_deadlines(log_subjects, subject[0])
    ]
    ends = find_end_moments(log_subjects) if subjects else None
    for subject in subjects:
        assert ends is not None
        for span in episode_spans(log_subjects, subject):
            if span.episode.within is not None:
                verdict, lasted = _judge(ends, subject, span)
                counts[subject[0], span.episode.name].count(verdict)
                if verdict is not None and verdict is not Verdict.HOLDS:
                    late[id(span.last)].append(_finding(subject[0], span, verdict, lasted))
    return JudgedDeadlines(
        [
            judgement._replace(findings=(*judgement.findings, *late.get(id(judgement), ())))
            for judgement in judged
        ],
        counts,
    )


def _has_deadlines(log_subjects: LogSubjects, owner: int) -> bool:
    return any(episode.within for episode in machine_log(log_subjects.context.plan, owner).episodes)


def _judge(
    ends: EndMoments, subject: SubjectInstances, span: EpisodeSpan
) -> tuple[Verdict | None, int]:
    """Return whether a deadline was kept, None where that is not decided and nothing is wrong; and
    how long it lasted, to the end of the log where no line ended it.
    """
    log_subjects, (owner, key, _) = ends.log_subjects, subject
    outcome, until = outcome_and_end(ends, key, span)
    end = log_subjects.last_time(owner, span.since.process) if until is None else until.ms
    if end is None or span.since.at is None:
        return None, 0
    if outcome is EpisodeOutcome.ORDERLY and span.episode.requests:
        return None, 0
    lasted, limit = end - span.since.at, limit_in_ms(span.episode.within, span.last)
    slack = (
        log_subjects.context.plan.options.tolerance_ms
        if is_shared(log_subjects.context, owner)
        else 0
    )
    if lasted <= limit + slack:
        return (Verdict.HOLDS if lasted <= limit and until is not None else None), lasted
    if _ended_unseen(ends, subject, span, outcome):
        in_time = _ended_with_process(log_subjects, span, limit)
        return (None if in_time else Verdict.INCONCLUSIVE), lasted
    unseen = outcome is EpisodeOutcome.MAY_BE_OVER or _may_have_been_elsewhere(
        log_subjects, owner, span
    )
    return (Verdict.INCONCLUSIVE if unseen else Verdict.VIOLATED), lasted


def _ended_unseen(
    ends: EndMoments, subject: SubjectInstances, span: EpisodeSpan, outcome: EpisodeOutcome
) -> bool:
    """Tell whether what was late was over at some time that no line tells: the line is missing, or
    its process began anew.
    """
    if span.ceased is not None:
        return span.ceased.by_missing_lines
    sign = span.episode.ends_with
    is_told = sign is not None and ends.first_end(sign, subject[1], span.last) is not None
    return outcome is EpisodeOutcome.ENDED and not is_told


def _ended_with_process(log_subjects: LogSubjects, span: EpisodeSpan, limit: int) -> bool:
    """Tell whether its process ended before it was late."""
    since = span.since.at or 0
    process = log_subjects.context.processes[span.since.process]
    return any(since <= end.reached <= since + limit for end in process.ends)


def _may_have_been_elsewhere(log_subjects: LogSubjects, owner: int, span: EpisodeSpan) -> bool:
    """Tell whether steps that no line tells lead out of the states of an episode and back."""
    shown = log_subjects.tables.lines_shown_anywhere(
        log_subjects.context, span.since.process, owner
    )
    states = log_subjects.tables.episode_states(owner).open_states[span.episode_index]
    classes = log_subjects.tables.fitting_classes(
        owner, fitting_releases(log_subjects.context, owner, [span.last])
    )
    return any(
        _leads_out_and_back(rules.unseen.unseen_steps(shown).keys(), states) for rules in classes
    )


def _leads_out_and_back(steps: Iterable[tuple[str, str]], states: frozenset[str]) -> bool:
    outside = {target for source, target in steps if source in states and target not in states}
    while more := {target for source, target in steps if source in outside} - outside:
        outside |= more
    return bool(outside & states)


def _finding(owner: int, span: EpisodeSpan, verdict: Verdict, lasted: int) -> PendingFinding:
    """Make the finding of what was late: at the line that ended it, else at the one that began
    it.
    """
    place, episode = span.ceased or span.since, span.episode
    limit = limit_in_ms(episode.within, span.last)
    late, allowed = format_duration(lasted - limit), format_duration(limit)
    ended = "" if span.ceased or verdict is Verdict.INCONCLUSIVE else " at the end of the log"
    message = f"{episode.name}{LATE}{late}{ended}, {allowed} allowed"
    if verdict is Verdict.INCONCLUSIVE:
        missing = span.ceased is None or span.ceased.by_missing_lines
        message += f"; {_NOT_TOLD if missing else _BETWEEN}"
    return PendingFinding(
        "broken rule", verdict, _observation(owner, place), place.process, span.last.incarnations,
        None, None, _NO_ENTRY, message=message, rule=episode.name,
        rule_line=episode.span.line if episode.span else 0,
    )  # fmt: skip


def _observation(owner: int, point: EpisodePoint) -> Observation:
    """Return the line of a point as an observation."""
    return Observation(
        owner, (), (), point.file, None, point.line, point.at, point.at, point.zone, point.text
    )
