"""Episodes of what many instances have in common: they are open while the condition holds of every
one of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from operator import or_

from statemachines.conform.interchange.judgements import EpisodePoint, InstanceJudgement, StatePoint
from statemachines.conform.join.log_subjects import LogSubjects
from statemachines.conform.join.report_names import to_instant
from statemachines.conform.join.subject_episodes import fitting_episodes, lasts_long_enough
from statemachines.conform.judge.tables.judging_tables import JudgingTables
from statemachines.conform.settle.instance_order import reporting_process
from statemachines.conform.settle.judging_context import JudgingContext
from statemachines.model.definitions.log_definitions import EpisodeDefinition
from statemachines.model.evidence.reports import Episode, InstanceKey, Place, Quote
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
    for owner, key, instances in log_subjects.subjects:
        for number, episode in fitting_episodes(log_subjects, owner, instances):
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
