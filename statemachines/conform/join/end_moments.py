"""Ends of episodes that another line reports: whose process was killed says nothing any more, and
who else knows of the matter does; whose trouble is final may be closed, and says so.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from attrs import frozen

from statemachines.conform.interchange.judgements import InstanceJudgement
from statemachines.conform.join.log_subjects import LogSubjects
from statemachines.conform.join.report_names import machine_log, named_key
from statemachines.conform.settle.instance_order import reporting_process
from statemachines.model.definitions.log_definitions import EndSign
from statemachines.model.evidence.reports import InstanceKey, Instant
from statemachines.notation.lines.line_templates import render_template, template_fields


class _Moment(NamedTuple):
    """When something was told."""

    ms: int
    zone: str


SignKey = tuple[str, tuple[str, ...], tuple[str, ...], bool]
"""A machine, the names that are compared, the signs, and whether it is the subject's own."""
Moments = Mapping[tuple[object, ...], Sequence[_Moment]]
"""By system, or who tells of a machine's own instances, and compared values, the oldest first."""


@frozen
class EndMoments:
    """What machines tell by which episodes of others are over.

    Complexity: linear in instances and in what they tell; a look-up is a binary search.
    """

    log_subjects: LogSubjects
    moments: Mapping[SignKey, Moments]

    def first_end(self, sign: EndSign, key: InstanceKey, last: InstanceJudgement) -> Instant | None:
        """Return when another machine told the end, after all that was told of a subject; None
        where it did not, or where the subject is not known by what is compared.

        Args:
            sign: what ends it.
            key: of the subject.
            last: its last instance.
        """
        values = _rendered_values(sign, known_fields(key, last))
        if values is None or last.last_heard is None:
            return None
        sign_key = _sign_key(self.log_subjects, last.owner, sign)
        where = _scope(self.log_subjects, last, is_own=sign_key[-1]), *values
        moments = self.moments[sign_key].get(where, ())
        index = bisect_left(moments, last.last_heard.reached, key=lambda moment: moment.ms)
        return Instant(*moments[index]) if index < len(moments) else None

    def message(self, key: InstanceKey, last: InstanceJudgement) -> str:
        """Return why the state that a subject was in last is no longer; empty where no other
        machine told the end of an episode that it was in.
        """
        for episode in machine_log(self.log_subjects.context.plan, last.owner).episodes:
            sign = episode.ends_with
            if sign is None or not set(last.states or ()) <= set(episode.states):
                continue
            if self.first_end(sign, key, last) is not None:
                fields = {name: str(value) for name, value in key}
                return f"no longer heard of: {render_template(sign.message, fields)}"
        return ""


def find_end_moments(log_subjects: LogSubjects) -> EndMoments:
    """Find when machines told what ends episodes of others."""
    by_sign: dict[SignKey, dict[tuple[object, ...], list[_Moment]]] = {
        _sign_key(log_subjects, number, episode.ends_with): defaultdict(list)
        for number, owner in enumerate(log_subjects.context.plan.owners)
        for episode in (owner.log.episodes if owner.log is not None else ())
        if episode.ends_with is not None
    }
    for judged in log_subjects.instances if by_sign else ():
        machine = log_subjects.context.plan.owners[judged.owner].name
        for sign_key, moments in by_sign.items():
            if sign_key[0] == machine:
                _add_moments(log_subjects, judged, sign_key, moments)
    for moments in by_sign.values():
        for moment in moments.values():
            moment.sort()
    return EndMoments(log_subjects, by_sign)


def known_fields(key: InstanceKey, judged: InstanceJudgement) -> dict[str, str]:
    """Return all that an instance is known by: its key, and what its lines told once."""
    remembered = {field.name: field.value for field in judged.remembered}
    return remembered | {name: str(value) for name, value in key}


def _add_moments(
    log_subjects: LogSubjects,
    judged: InstanceJudgement,
    sign_key: SignKey,
    moments: dict[tuple[object, ...], list[_Moment]],
) -> None:
    _, names, signs, is_own = sign_key
    fields = known_fields(named_key(log_subjects.context, judged.owner, judged.key), judged)
    if all(name in fields for name in names):
        where = _scope(log_subjects, judged, is_own=is_own), *(fields[name] for name in names)
        moments[where] += _sign_moments(log_subjects, judged, signs)


def _sign_moments(
    log_subjects: LogSubjects, judged: InstanceJudgement, signs: tuple[str, ...]
) -> Iterator[_Moment]:
    """Yield when an instance told one of some signs: the end of an episode, or a counted line."""
    names = [
        episode.name for episode in machine_log(log_subjects.context.plan, judged.owner).episodes
    ]
    for point in judged.episode_points:
        ends = point.holds is False and not point.by_end and names[point.episode] in signs
        if ends and point.at is not None:
            yield _Moment(point.at, point.zone)
    for counter in judged.counters:
        for counted in {counter.first, counter.last} if counter.counter in signs else ():
            if counted.at is not None:
                yield _Moment(counted.at, counted.zone)


def _sign_key(log_subjects: LogSubjects, owner: int, sign: EndSign) -> SignKey:
    names = tuple(name for name, _ in sign.about)
    is_own = sign.machine == log_subjects.context.plan.owners[owner].name
    return sign.machine, names, sign.signs, is_own


def _rendered_values(sign: EndSign, fields: Mapping[str, str]) -> tuple[str, ...] | None:
    templates = [text for _, text in sign.about]
    if any(name not in fields for text in templates for name in template_fields(text)):
        return None
    return tuple(render_template(text, fields) for text in templates)


def _scope(log_subjects: LogSubjects, judged: InstanceJudgement, *, is_own: bool) -> int:
    """Return among whom fields are compared: the instances of a system, and of the subject's own
    machine those of which the same process tells: others have their namesakes.
    """
    if not judged.processes:
        return -1
    if is_own:
        return reporting_process(log_subjects.context, judged.owner, judged.processes[0])
    return log_subjects.context.system_index(judged.processes[0])
