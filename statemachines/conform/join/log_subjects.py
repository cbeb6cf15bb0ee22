"""What everything that was judged says together: which subjects there are, what of them is over,
and which ends of episodes another line reports: whose process was killed says nothing any more, and
who else knows of the matter does.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from attrs import field

from statemachines.conform.interchange.judgements import InstanceJudgement
from statemachines.conform.interchange.observations import Position
from statemachines.conform.join.eras import (
    Eras,
    Restarts,
    SubjectInstances,
    find_eras,
    find_restarts,
)
from statemachines.conform.join.report_sources import (
    machine_log,
    named_key,
    subject_key,
    to_instant,
)
from statemachines.conform.join.silent_processes import ProcessSpan
from statemachines.conform.judge.tables.judging_tables import JudgingTables
from statemachines.conform.judge.tables.release_tables import ReleaseClass
from statemachines.conform.settle.judging_context import (
    JudgingContext,
    is_shared,
    reporting_process,
)
from statemachines.model.definitions.log_definitions import EndSign, EpisodeDefinition
from statemachines.model.evidence.reports import InstanceKey, Instant
from statemachines.model.values import frozen
from statemachines.notation.lines.line_templates import render_template, template_fields

EpisodesOfSpec = tuple[tuple[int, EpisodeDefinition], ...]
"""Each with its number in its spec."""


@frozen
class SubjectEnd:
    """Where something was over, whatever was told of it before."""

    at: Instant | None


@frozen
class LogSubjects:
    """The subjects of a log in the order of the report, and what began anew."""

    context: JudgingContext
    tables: JudgingTables
    subjects: Sequence[SubjectInstances]
    eras: Eras
    restarts: Restarts
    spans: Mapping[int, ProcessSpan]
    """What the files of each process cover."""
    instances: Sequence[InstanceJudgement] = ()
    """All of the log, also those that only counted lines tell of."""
    fitting_episodes: dict[tuple[int, frozenset[int]], EpisodesOfSpec] = field(
        factory=dict, init=False, eq=False
    )
    """By machine and processes, those of the releases that fit."""
    _reachable: dict[tuple[object, ...], bool] = field(factory=dict, init=False, eq=False)

    def ended_since(self, subject: InstanceKey, last: InstanceJudgement) -> SubjectEnd | None:
        """Return where the program or the system began anew that a subject is a part of; None where
        it was heard of since.

        Args:
            subject: its key.
            last: its last instance.
        """
        restart = self.restarts.unobserved_since(subject, last)
        if restart is not None:
            return SubjectEnd(to_instant(restart))
        wiped = self.eras.era_end(self.context, last)
        return self._end_at(wiped, last) if wiped is not None else None

    def last_time(self, owner: int, process: int) -> int | None:
        """Return until when a log tells of what a process told: of what several processes tell of,
        until the end of all; None without times.
        """
        if is_shared(self.context, owner):
            return max((span.last for span in self.spans.values()), default=None)
        span = self.spans.get(process)
        return span.last if span is not None else None

    def restarted_since(self, last: InstanceJudgement) -> SubjectEnd | None:
        """Return where the only process that tells of an instance began anew since; None where it
        did not.

        What several processes tell of, and what has generations, outlives each of them.
        """
        log = machine_log(self.context.plan, last.owner)
        if (
            last.since is None
            or last.last_position is None
            or is_shared(self.context, last.owner)
            or log.generation is not None
        ):
            return None
        started = self.context.processes[last.since.process].started_after(last.last_position)
        return self._end_at(started, last) if started is not None else None

    @staticmethod
    def _end_at(where: Position, last: InstanceJudgement) -> SubjectEnd:
        timed = last.since is not None and last.since.at is not None
        return SubjectEnd(
            Instant(where.reached, last.since.zone) if timed and last.since is not None else None
        )

    def may_have_left(self, last: InstanceJudgement, to: frozenset[str]) -> bool:
        """Tell whether steps that no file of the process shows lead from where an instance is to
        any of some states.

        Args:
            last: the instance.
            to: the states.
        """
        if last.since is None or last.states is None:
            return False
        key = last.owner, last.since.process, last.states, to
        if key not in self._reachable:
            shown = self.tables.lines_it_would_show(self.context, last.since.process, last.owner)
            classes = self.tables.fitting_classes(
                last.owner, fitting_releases(self.context, last.owner, [last])
            )
            self._reachable[key] = any(
                _hidden_steps_lead(rules, last.states, to, shown) for rules in classes
            )
        return self._reachable[key]


def _hidden_steps_lead(
    rules: ReleaseClass, start: Iterable[str], to: frozenset[str], shown: frozenset[int]
) -> bool:
    """Tell whether hidden steps lead from some states to others."""
    by_others = {line.state_of_others for line in rules.lines if line.index in shown}
    hidden = [
        transition
        for transition, how in rules.unseen.unseen_steps(shown).items()
        if how == "hidden" and transition[1] not in by_others
    ]
    reached = set(start)
    while more := {target for source, target in hidden if source in reached} - reached:
        reached |= more
    return bool((reached - set(start)) & to)


def gather_subjects(
    context: JudgingContext,
    tables: JudgingTables,
    judged: Sequence[InstanceJudgement],
    spans: Mapping[int, ProcessSpan],
    instances: Sequence[InstanceJudgement] = (),
) -> LogSubjects:
    """Gather the instances of each subject; they come in the order of the report, and in it stay:
    what was made anew comes later.

    Args:
        context: of the judging.
        tables: of the machines.
        judged: all instances, in the order of the report.
        spans: what the files of each process cover.
        instances: all, also those that only counted lines tell of.
    """
    eras = find_eras(context, judged)
    gathered: dict[tuple[int, int, InstanceKey], list[InstanceJudgement]] = defaultdict(list)
    for j in judged:
        told_by = reporting_process(context, j.owner, j.processes[0]) if j.processes else -1
        gathered[j.owner, told_by, subject_key(context, j.owner, j.key)].append(j)
    for judgements in gathered.values():
        if len(judgements) > 1:
            judgements.sort(key=lambda j: eras.era_index(context, j))
    by_era = [(owner, key, judgements) for (owner, _, key), judgements in gathered.items()]
    restarts = find_restarts(context, by_era)
    return LogSubjects(context, tables, by_era, eras, restarts, spans, instances)


def fitting_releases(
    context: JudgingContext, owner: int, judged: Sequence[InstanceJudgement]
) -> int:
    """Return the releases that fit any process that tells of some instances."""
    releases = 0
    for number in {p for j in judged for p in j.processes}:
        process = context.processes[number]
        for fit in (
            process.own_fits.get(owner) or process.fits.get(context.plan.owners[owner].family) or ()
        ):
            releases |= fit.releases
    return releases


def fitting_episodes(
    log_subjects: LogSubjects, owner: int, instances: Sequence[InstanceJudgement]
) -> Sequence[tuple[int, EpisodeDefinition]]:
    """Return the kinds of episodes of the releases that fit, each with its number in the spec.

    Of one name that several of them define, it is the one with the fewest states.
    """
    key = owner, frozenset(process for j in instances for process in j.processes)
    known = log_subjects.fitting_episodes.get(key)
    if known is None:
        fits = fitting_releases(log_subjects.context, owner, instances)
        known = log_subjects.fitting_episodes[key] = tuple(_episodes_of(log_subjects, owner, fits))
    return known


def _episodes_of(
    log_subjects: LogSubjects, owner: int, fits: int
) -> Iterator[tuple[int, EpisodeDefinition]]:
    every, settled = (
        machine_log(log_subjects.context.plan, owner).episodes,
        log_subjects.tables.episode_states(owner),
    )
    by_name: dict[str, list[tuple[int, EpisodeDefinition]]] = {}
    for number, episode in enumerate(every):
        if episode.releases & fits:
            by_name.setdefault(episode.name, []).append((number, episode))
    for same in by_name.values():
        yield min(same, key=lambda entry: len(settled.open_states[entry[0]]))


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
