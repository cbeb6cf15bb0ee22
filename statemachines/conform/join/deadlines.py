"""Deadlines: what had to be over by some time, and when it was; and episodes of what many instances
have in common, which are open while the condition holds of every one of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from operator import or_

from statemachines.conform.interchange.judgements import (
    EpisodePoint,
    InstanceJudgement,
    PendingFinding,
    StatePoint,
)
from statemachines.conform.interchange.observations import Observation
from statemachines.conform.join.eras import SubjectInstances
from statemachines.conform.join.log_subjects import (
    EndMoments,
    LogSubjects,
    find_end_moments,
    fitting_episodes,
    fitting_releases,
)
from statemachines.conform.join.report_sources import machine_log, to_instant
from statemachines.conform.join.subject_episodes import (
    EpisodeSpan,
    episode_spans,
    lasts_long_enough,
    limit_in_ms,
    outcome_and_end,
)
from statemachines.conform.judge.tables.judging_tables import JudgingTables
from statemachines.conform.settle.judging_context import (
    JudgingContext,
    is_shared,
    reporting_process,
)
from statemachines.model.definitions.log_definitions import EpisodeDefinition
from statemachines.model.evidence.durations import format_duration
from statemachines.model.evidence.reports import Episode, EpisodeOutcome, InstanceKey, Place, Quote
from statemachines.model.evidence.verdicts import Verdict
from statemachines.model.values import define, frozen
from statemachines.notation.lines.line_templates import render_template

_FEWEST_INSTANCES = 2
"""What a single instance shows is no sign of what it has in common with others."""

_ConditionPoint = EpisodePoint | StatePoint
_ConditionChange = tuple[bool, _ConditionPoint]
"""Whether the condition holds of one instance from a line on."""
_JointGroup = tuple[int, int, int, InstanceKey]
"""Machine, who tells of it, number of the episode in its spec, and the values that the instances
share.
"""


def joint_episodes(log_subjects: LogSubjects) -> Iterator[Episode]:
    """Yield the episodes whose specs say of what they are (`of`), over all instances that share it.

    An instance that is over at the end of the log does not count. What the levels of the files
    would hide the end of is not told as open. While the lines of one event come in, the condition
    holds of all that were told so far: what is over within the tolerance of clocks is left out.

    Complexity: that of sorting the changes of the condition.
    """
    groups: dict[_JointGroup, list[list[_ConditionChange]]] = defaultdict(list)
    kinds: dict[_JointGroup, EpisodeDefinition] = {}
    context = log_subjects.context
    plan = context.plan
    owners = {
        number
        for number, owner in enumerate(plan.owners)
        if owner.log is not None and any(episode.grouped_by for episode in owner.log.episodes)
    }
    for owner, key, instances in log_subjects.subjects:
        for number, episode in (
            fitting_episodes(log_subjects, owner, instances) if owner in owners else ()
        ):
            if episode.grouped_by and (
                changes := _condition_changes(log_subjects, key, instances, number)
            ):
                shared = tuple(field for field in key if field[0] in episode.grouped_by)
                group = (
                    owner,
                    reporting_process(context, owner, instances[-1].processes[0]),
                    number,
                    shared,
                )
                groups[group].append(changes)
                kinds[group] = episode
    for group, members in groups.items():
        for since, until in _joint_spans(members):
            sure = _is_certain(context, log_subjects.tables, group, kinds[group], since, until)
            if sure and _lasts(log_subjects, group, kinds[group], since, until):
                yield _joint_row(context, group, kinds[group], since, until)


def _lasts(
    log_subjects: LogSubjects,
    group: _JointGroup,
    episode: EpisodeDefinition,
    since: _ConditionPoint,
    until: _ConditionPoint | None,
) -> bool:
    end = None if until is None else to_instant(until)
    limit = episode.longer_than
    return lasts_long_enough(log_subjects, group[0], limit.otherwise_ms if limit else 0, since, end)


def _is_certain(
    context: JudgingContext,
    tables: JudgingTables,
    group: _JointGroup,
    episode: EpisodeDefinition,
    since: _ConditionPoint,
    until: _ConditionPoint | None,
) -> bool:
    """Tell whether an episode is more than a moment in which lines come in, and would be seen to
    end.
    """
    if until is not None:
        lasted = until.at - since.at if until.at is not None and since.at is not None else 0
        return lasted > context.plan.options.tolerance_ms
    owner, shown = group[0], tables.lines_shown_anywhere(context, since.process, group[0])
    unseen = [
        rules.unseen.unseen_steps(shown)
        for rules in tables.fitting_classes(
            owner, episode.releases & _releases_at(context, owner, since)
        )
    ]
    steps = (step for moves in unseen for step, how in moves.items() if how == "hidden")
    return not any(
        source in episode.states and target not in episode.states for source, target in steps
    )


def _releases_at(context: JudgingContext, owner: int, point: _ConditionPoint) -> int:
    process = context.processes[point.process]
    fits = process.own_fits.get(owner) or process.fits.get(context.plan.owners[owner].family) or ()
    return reduce(or_, (fit.releases for fit in fits), 0)


def _condition_changes(
    log_subjects: LogSubjects, key: InstanceKey, instances: Sequence[InstanceJudgement], number: int
) -> list[_ConditionChange]:
    """Return where the condition began and ceased to hold of a subject; nothing if it is over."""
    last = instances[-1]
    if (
        last.states is None
        or last.is_over
        or log_subjects.eras.era_end(log_subjects.context, last) is not None
    ):
        return []
    points = [
        point for judged in instances for point in judged.episode_points if point.episode == number
    ]
    changes: list[_ConditionChange] = [
        (point.holds, point) for point in points if point.holds is not None
    ]
    restart = log_subjects.restarts.unobserved_since(key, last)
    return [*changes, (False, restart)] if restart is not None else changes


def _joint_spans(
    members: Sequence[Iterable[_ConditionChange]],
) -> Iterator[tuple[_ConditionPoint, _ConditionPoint | None]]:
    """Yield from when to when the condition holds of all members that were told of."""
    changes = sorted(
        (
            (_point_sort_key(point), number, holds, point)
            for number, member in enumerate(members)
            for holds, point in member
        ),
        key=lambda row: row[:2],
    )
    holding: dict[int, bool] = {}
    count, since = 0, None
    for _, number, holds, point in changes:
        count += holds - holding.get(number, False)
        holding[number] = holds
        if count == len(holding) >= _FEWEST_INSTANCES:
            since = since or point
        elif since is not None:
            yield since, point
            since = None
    if since is not None:
        yield since, None


def _point_sort_key(point: _ConditionPoint) -> tuple[int, int, int]:
    return point.at or 0, point.file, point.line


def _joint_row(
    context: JudgingContext,
    group: _JointGroup,
    episode: EpisodeDefinition,
    since: _ConditionPoint,
    until: _ConditionPoint | None,
) -> Episode:
    owner, _, _, key = group
    assert isinstance(since, EpisodePoint)
    fields = {name: str(value) for name, value in key}
    title, was = (
        render_template(wording, fields) for wording in (episode.title, episode.past_title)
    )
    quote = Quote(Place(context.files[since.file].name, since.line), since.text)
    process = context.processes[since.process].name
    end = to_instant(until) if until is not None else None
    return Episode(
        episode.name, context.plan.owners[owner].name, key, title, to_instant(since), end,
        until is None, quote, process, since.reason, was=was,
    )  # fmt: skip


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
    not_due: int = 0
    """Of those that are undecided: they go on at the end of the log, and still have time."""

    def count(self, verdict: Verdict | None, *, is_due: bool) -> None:
        """Count one episode: None and INCONCLUSIVE decide nothing."""
        self.not_due += not is_due
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
                verdict, lasted, is_due = _judge(ends, subject, span)
                counts[subject[0], span.episode.name].count(verdict, is_due=is_due)
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
) -> tuple[Verdict | None, int, bool]:
    """Return whether a deadline was kept, None where that is not decided and nothing is wrong; how
    long it lasted, to the end of the log where no line ended it; and whether its time is over.
    """
    log_subjects, (owner, key, _) = ends.log_subjects, subject
    outcome, until = outcome_and_end(ends, key, span)
    end = log_subjects.last_time(owner, span.since.process) if until is None else until.ms
    if end is None or span.since.at is None:
        return None, 0, True
    if outcome is EpisodeOutcome.ORDERLY and span.episode.requests:
        return None, 0, True
    lasted, limit = end - span.since.at, limit_in_ms(span.episode.within, span.last)
    slack = (
        log_subjects.context.plan.options.tolerance_ms
        if is_shared(log_subjects.context, owner)
        else 0
    )
    if lasted <= limit + slack:
        is_kept = lasted <= limit and until is not None
        return (Verdict.HOLDS if is_kept else None), lasted, until is not None
    if _ended_unseen(ends, subject, span, outcome):
        in_time = _ended_with_process(log_subjects, span, limit)
        return (None if in_time else Verdict.INCONCLUSIVE), lasted, True
    unseen = outcome is EpisodeOutcome.MAY_BE_OVER or _may_have_been_elsewhere(
        log_subjects, owner, span
    )
    return (Verdict.INCONCLUSIVE if unseen else Verdict.VIOLATED), lasted, True


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
        rule_line=episode.span.line if episode.span else 0, began=span.since.at,
    )  # fmt: skip


def _observation(owner: int, point: EpisodePoint) -> Observation:
    """Return the line of a point as an observation."""
    return Observation(
        owner, (), (), point.file, None, point.line, point.at, point.at, point.zone, point.text
    )
