"""Episodes of subjects: when a condition began and ceased to hold, over generations, and how it
ended.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from attrs import evolve

from statemachines.conform.interchange.judgements import (
    EpisodePoint,
    InstanceJudgement,
    Replacement,
    StatePoint,
)
from statemachines.conform.join.eras import SubjectInstances
from statemachines.conform.join.log_subjects import (
    EndMoments,
    LogSubjects,
    find_end_moments,
    fitting_episodes,
)
from statemachines.conform.join.report_sources import machine_log, to_instant
from statemachines.conform.settle.judging_context import is_shared
from statemachines.model.definitions.log_definitions import EpisodeDefinition, TimeLimit
from statemachines.model.evidence.instance_names import whole_finder
from statemachines.model.evidence.reports import (
    Episode,
    EpisodeOutcome,
    InstanceKey,
    Instant,
    Place,
    Quote,
)
from statemachines.notation.lines.line_templates import render_template

LASTING_OUTCOMES = (EpisodeOutcome.OPEN, EpisodeOutcome.MAY_BE_OVER)
"""What no line ended."""


class SubjectEpisode(NamedTuple):
    """An episode under way to the report."""

    owner: int
    episode_index: int
    """Of the episode in its spec."""
    since: EpisodePoint
    row: Episode
    limit_ms: int
    """How long it has to last."""
    ceased: EpisodePoint | None
    """None: no line of the subject ended it."""


def pair_points(
    points: Iterable[EpisodePoint],
) -> Iterator[tuple[EpisodePoint, EpisodePoint | None, EpisodePoint]]:
    """Yield where each episode began, where it ended (None: it is open), and what is to blame.

    Args:
        points: those of one kind of episode and one subject, oldest generation first.
    """
    since: EpisodePoint | None = None
    blame: EpisodePoint | None = None
    for point in points:
        if point.holds is None:
            blame = blame or (point if since else None)
        elif point.holds and since is None:
            since = point
        elif not point.holds and since is not None:
            yield since, point, blame or since
            since = blame = None
    if since is not None:
        yield since, None, blame or since


def subject_episodes(log_subjects: LogSubjects) -> Iterator[Episode]:
    """Yield the episodes of every subject, over its generations."""
    ends = find_end_moments(log_subjects)
    episodes = [
        row for subject in log_subjects.subjects for row in _one_subject_episodes(ends, subject)
    ]
    episodes = _heal_replaced(log_subjects, episodes)
    closings = orderly_closings(log_subjects, episodes)
    for episode in episodes:
        process = episode.since.process
        closing = closings[process](episode.row.subject) if process in closings else None
        row = episode.row if closing is None else _settle_closed(closing, episode.row)
        if lasts_long_enough(
            log_subjects, episode.owner, episode.limit_ms, episode.since, row.until
        ):
            yield row


def _one_subject_episodes(ends: EndMoments, subject: SubjectInstances) -> Iterator[SubjectEpisode]:
    log_subjects, owner = ends.log_subjects, subject[0]
    for span in episode_spans(log_subjects, subject):
        limit_ms = limit_in_ms(span.episode.longer_than, span.last)
        row = _episode_row(ends, subject, span)
        if lasts_long_enough(log_subjects, owner, limit_ms, span.since, row.until):
            yield SubjectEpisode(owner, span.episode_index, span.since, row, limit_ms, span.ceased)


class EpisodeSpan(NamedTuple):
    """From where to where the condition of an episode held."""

    episode_index: int
    """Of the episode in its spec."""
    episode: EpisodeDefinition
    last: InstanceJudgement
    """The last instance of its subject, before anything began anew."""
    since: EpisodePoint
    ceased: EpisodePoint | None
    """None: no line of the subject ended it."""
    blame: EpisodePoint


def episode_spans(log_subjects: LogSubjects, subject: SubjectInstances) -> Iterator[EpisodeSpan]:
    """Yield where the episodes of one subject began and ended, however short they were."""
    owner, _, instances = subject
    if not any(instance.episode_points for instance in instances):
        return
    for index, episode in fitting_episodes(log_subjects, owner, instances):
        if episode.grouped_by:
            continue
        by_era: dict[int, list[InstanceJudgement]] = defaultdict(list)
        for instance in instances:
            by_era[log_subjects.eras.era_index(log_subjects.context, instance)].append(instance)
        for same in by_era.values():
            points = [point for j in same for point in j.episode_points if point.episode == index]
            for since, ceased, blame in pair_points(points):
                if not (episode.maybe and _is_brief(log_subjects, since, ceased)):
                    yield EpisodeSpan(index, episode, same[-1], since, ceased, blame)


def limit_in_ms(limit: TimeLimit | None, last: InstanceJudgement) -> int:
    """Return how long something may last: as a line told, else as the spec says; 0: any time."""
    return (
        limit.ms({remembered.name: remembered.value for remembered in last.remembered})
        if limit is not None
        else 0
    )


def lasts_long_enough(
    log_subjects: LogSubjects,
    owner: int,
    limit_ms: int,
    since: EpisodePoint | StatePoint,
    until: Instant | None,
) -> bool:
    """Tell whether an episode lasts beyond what its spec allows; one that is open, until the end of
    the log. Where several processes tell of it, their clocks may be apart by the tolerance.
    """
    if not limit_ms:
        return True
    end = log_subjects.last_time(owner, since.process) if until is None else until.ms
    if since.at is None or end is None:
        return False
    shared = is_shared(log_subjects.context, owner)
    slack = log_subjects.context.plan.options.tolerance_ms if shared else 0
    return end - since.at > limit_ms + slack


def _is_brief(log_subjects: LogSubjects, since: EpisodePoint, ceased: EpisodePoint | None) -> bool:
    """Say whether a doubt was settled while the lines of one event came in."""
    if ceased is None or ceased.at is None or since.at is None:
        return False
    return ceased.at - since.at <= log_subjects.context.plan.options.tolerance_ms


def _episode_row(ends: EndMoments, subject: SubjectInstances, span: EpisodeSpan) -> Episode:
    (owner, key, _), (_, episode, last, since, ceased, blame) = subject, span
    context = ends.log_subjects.context
    outcome, until = outcome_and_end(ends, key, span)
    states = (ceased.states if ceased else last.states) or since.states
    fields = {name: str(value) for name, value in key} | {"state": " or ".join(states)}
    title, was = (
        render_template(wording, fields) for wording in (episode.title, episode.past_title)
    )
    quote = Quote(Place(context.files[blame.file].name, blame.line), blame.text)
    process = context.processes[since.process].name
    return Episode(
        episode.name, context.plan.owners[owner].name, key, title, to_instant(since), until,
        outcome is EpisodeOutcome.OPEN, quote, process, blame.reason,
        outcome is EpisodeOutcome.ORDERLY, outcome, was, thrown_at=blame.thrown_at,
        limit_ms=limit_in_ms(episode.longer_than, last),
    )  # fmt: skip


def outcome_and_end(
    ends: EndMoments, key: InstanceKey, span: EpisodeSpan
) -> tuple[EpisodeOutcome, Instant | None]:
    """Return how an episode ended, and when: by a line of its own, by what another machine tells,
    with what it is a part of, or not as far as the log tells.
    """
    _, episode, last, _, ceased, _ = span
    if ceased is not None:
        return (
            (
                EpisodeOutcome.ORDERLY
                if ceased.orderly
                else EpisodeOutcome.ENDED
                if ceased.by_end
                else EpisodeOutcome.HEALED
            ),
            to_instant(ceased),
        )
    log_subjects, sign = ends.log_subjects, episode.ends_with
    instant = ends.first_end(sign, key, last) if sign is not None else None
    if instant is not None:
        return EpisodeOutcome.ENDED, instant
    over = log_subjects.ended_since(key, last) or log_subjects.restarted_since(last)
    if over is not None:
        return EpisodeOutcome.ENDED, over.at
    may_be_over = log_subjects.may_have_left(
        last, _healing_states(log_subjects, last.owner, episode)
    )
    return EpisodeOutcome.MAY_BE_OVER if may_be_over else EpisodeOutcome.OPEN, None


def _healing_states(
    log_subjects: LogSubjects, owner: int, episode: EpisodeDefinition
) -> frozenset[str]:
    """Return the states by which an episode would be over, and its subject would not."""
    spec, settled = (
        log_subjects.context.plan.specs[owner],
        log_subjects.tables.episode_states(owner),
    )
    holds = settled.open_states[settled.episodes.index(episode)]
    others = {state.name for state in spec.states if not state.final} - holds - set(episode.orderly)
    return frozenset(episode.until) or frozenset(others)


# --------------------------------------------------------------------------------------------------
# replacements


def _heal_replaced(
    log_subjects: LogSubjects, episodes: Sequence[SubjectEpisode]
) -> list[SubjectEpisode]:
    """Heal what another instance of the same program makes up for that began later: one for one,
    the oldest first.
    """
    spare = _Replacements(log_subjects)
    healed: dict[int, Episode] = {}
    lasting = [
        (episode.since.position, place)
        for place, episode in enumerate(episodes)
        if episode.row.outcome in LASTING_OUTCOMES or _ended_by_namesake(log_subjects, episode)
    ]
    for where, place in sorted((where, place) for where, place in lasting if where is not None):
        episode = episodes[place]
        others = spare.available(
            episode.owner, episode.episode_index, episode.since.process, episode.row.subject
        )
        while others and others[0][1].began <= where:
            others.popleft()
        if others:
            heir, made_up = others.popleft()
            healed[place] = evolve(
                episode.row, until=to_instant(made_up.point), open=False,
                outcome=EpisodeOutcome.HEALED,
                replaced_by=heir if heir != episode.row.subject else (),
            )  # fmt: skip
    return [
        episode if place not in healed else episode._replace(row=healed[place])
        for place, episode in enumerate(episodes)
    ]


def _ended_by_namesake(log_subjects: LogSubjects, episode: SubjectEpisode) -> bool:
    """Tell whether all that ended an episode is that its name was given anew, in one run of its
    process: that heals it no sooner than another name.
    """
    since, ceased = episode.since.position, episode.ceased
    if since is None or ceased is None or ceased.position is None:
        return False
    process = log_subjects.context.processes[episode.since.process]
    same_run = not process.began_between(since, ceased.position)
    return ceased.by_end and ceased.by_missing_lines and same_run


class _Replacements:
    """What makes up for others, by machine, episode, process and program: the oldest first."""

    def __init__(self, log_subjects: LogSubjects) -> None:
        self._program_lookups = {
            process: whole_finder(keys)
            for process, keys in programs_by_process(log_subjects).items()
        }
        self._by_program: dict[tuple[object, ...], deque[tuple[InstanceKey, Replacement]]] = (
            defaultdict(deque)
        )
        all_ = [
            (owner, key, replacement)
            for owner, key, instances in log_subjects.subjects
            for j in instances
            for replacement in j.replacements
        ]
        for owner, key, made_up in sorted(all_, key=lambda row: row[2].began):
            others = self.available(owner, made_up.episode, made_up.point.process, key)
            others.append((key, made_up))

    def available(
        self, owner: int, number: int, process: int, subject: InstanceKey
    ) -> deque[tuple[InstanceKey, Replacement]]:
        """Return what makes up for an episode of a subject, and whose it is."""
        whole = self._program_lookups.get(process)
        return self._by_program[owner, number, process, whole(subject) if whole else None]


# --------------------------------------------------------------------------------------------------
# closings


class ProgramClosing(NamedTuple):
    """A program that was closed in order."""

    began: int
    ended: Instant | None


def _settle_closed(closing: ProgramClosing, row: Episode) -> Episode:
    """Settle what was open while its program was closed: what began then is in order, what was
    wrong before ended with it.
    """
    if not row.open or row.since is None or row.since.ms is None:
        return row
    if row.since.ms >= closing.began:
        return evolve(row, orderly=True, outcome=EpisodeOutcome.ORDERLY)
    return evolve(row, open=False, until=closing.ended, outcome=EpisodeOutcome.ENDED)


ClosingLookups = dict[int, Callable[[InstanceKey], "ProgramClosing | None"]]
"""By process, what tells when the program was closed that a subject belongs to; None: it was not,
or not in order.
"""


def orderly_closings(
    log_subjects: LogSubjects, episodes: Sequence[SubjectEpisode]
) -> ClosingLookups:
    """Find the programs that were closed in order.

    A program (`program` in its spec) was closed in order where it ended in a final state and in no
    episode. The closing began with the last state before the final one. A part belongs to the only
    program of its process, or to the one whose name begins its own.
    """
    ill = {(episode.owner, episode.row.subject) for episode in episodes if episode.row.open}
    closings: dict[int, dict[InstanceKey, ProgramClosing | None]] = defaultdict(dict)
    for subject in log_subjects.subjects:
        owner, key, instances = subject
        if (
            machine_log(log_subjects.context.plan, owner).is_program
            and instances[-1].since is not None
        ):
            closings[instances[-1].since.process][key] = (
                None if (owner, key) in ill else _subject_closing(log_subjects, subject)
            )
    return {process: _closing_lookup(programs) for process, programs in closings.items()}


def programs_by_process(log_subjects: LogSubjects) -> dict[int, list[InstanceKey]]:
    """Return the programs of each process."""
    programs: dict[int, list[InstanceKey]] = defaultdict(list)
    for owner, key, instances in log_subjects.subjects:
        if (
            machine_log(log_subjects.context.plan, owner).is_program
            and instances[-1].since is not None
        ):
            programs[instances[-1].since.process].append(key)
    return programs


def _closing_lookup(
    programs: dict[InstanceKey, ProgramClosing | None],
) -> Callable[[InstanceKey], ProgramClosing | None]:
    whole = whole_finder(programs)

    def closing(part: InstanceKey) -> ProgramClosing | None:
        program = whole(part)
        return None if program is None else programs[program]

    return closing


def _subject_closing(log_subjects: LogSubjects, subject: SubjectInstances) -> ProgramClosing | None:
    """Return when the last state before a final one was reached, and the final one; None where the
    subject is in no final state.
    """
    owner, _, instances = subject
    last, finals = (
        instances[-1],
        {state.name for state in log_subjects.context.plan.specs[owner].states if state.final},
    )
    if last.states is None or not set(last.states) <= finals:
        return None
    point = last.before or last.since
    return (
        None
        if point is None or point.at is None or last.since is None
        else ProgramClosing(point.at, to_instant(last.since))
    )
