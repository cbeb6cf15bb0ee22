"""What happened once: an episode, or lines of one mark that belong together."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise, product

from attrs import evolve

from statemachines.conform.incidents.incident_kinds import IncidentKinds
from statemachines.conform.interchange.judgements import CounterRun, InstanceJudgement
from statemachines.conform.join.report_sources import subject_key, to_instant
from statemachines.conform.settle.judging_context import JudgingContext
from statemachines.model.definitions.incident_definitions import Harm, IncidentDefinition, Lasting
from statemachines.model.evidence.reports import (
    Episode,
    EpisodeOutcome,
    InstanceKey,
    Instant,
    Place,
    Quote,
)
from statemachines.model.values import frozen


@frozen
class Trouble:
    """Something that is an incident, or an effect of one."""

    kind: IncidentDefinition
    machine: str
    subject: InstanceKey
    process: str
    title: str
    since: Instant | None
    until: Instant | None
    outcome: EpisodeOutcome
    quote: Quote | None
    reason: str
    inferred: bool
    count: int = 1
    is_long: bool = True
    thrown_at: str = ""
    limit_ms: int = 0
    """How long it may last before it is trouble."""
    came_back: bool = False
    """Whether it lasted, and the log tells its end: no moment, and nothing that goes on."""
    replaced_by: InstanceKey = ()
    """The subject that makes up for this one; empty: none did."""
    present_title: str = ""
    """What it is called while it goes on, where its end is not known."""

    @property
    def while_it_goes_on(self) -> Trouble:
        """The same, where what brought it about is known to go on still."""
        return evolve(self, title=self.present_title, until=None, outcome=EpisodeOutcome.OPEN)

    @property
    def since_ms(self) -> int:
        """When it began; 0 where the log tells no time."""
        return (self.since.ms or 0) if self.since else 0

    @property
    def until_ms(self) -> int | None:
        """When it was over; None while it goes on."""
        return self.until.ms if self.until else None


def episode_troubles(
    kinds: IncidentKinds, episodes: Iterable[Episode], end_ms: int | None
) -> Iterator[Trouble]:
    """Yield what episodes are trouble; what began and healed in its normal time is none, and those
    of one subject that the kind joins (`repeats`) are one.

    Args:
        kinds: what the specs say of incidents.
        episodes: all of a report.
        end_ms: the last time of the log.
    """
    for kind, episode, times in _joined_episodes(kinds, episodes, end_ms):
        if kind.needs_cause and not episode.reason:
            continue
        lasted = _lasted_ms(episode.since, episode.until, end_ms)
        is_long = not kind.within_ms or lasted is None or lasted > kind.within_ms
        is_long = is_long or (episode.open and kinds.is_of_failure(episode.machine, episode))
        if is_long or episode.open:
            yield Trouble(
                kind, episode.machine, episode.subject, episode.process,
                _episode_title(kinds, kind, episode, is_open=episode.open),
                episode.since, episode.until, episode.outcome, episode.blame, episode.reason,
                kind.inferred or kinds.is_inferred(episode.machine, episode.kind), times, is_long,
                thrown_at=episode.thrown_at, limit_ms=episode.limit_ms,
                came_back=episode.outcome is EpisodeOutcome.HEALED, replaced_by=episode.replaced_by,
                present_title=_episode_title(kinds, kind, episode, is_open=True),
            )  # fmt: skip


def _joined_episodes(
    kinds: IncidentKinds, episodes: Iterable[Episode], end_ms: int | None
) -> Iterator[tuple[IncidentDefinition, Episode, int]]:
    """Yield what was no orderly end, with its kind; episodes of one subject that stand no farther
    apart than their kind says are one, and how many they were. What came back goes on where the log
    ends before the next one was due.
    """
    by_subject: dict[tuple[object, ...], list[Episode]] = defaultdict(list)
    for episode in episodes:
        if episode.outcome is EpisodeOutcome.ORDERLY:
            continue
        kind = kinds.of_episode(episode.machine, episode.kind)
        if kind.repeats_ms:
            key = kind.kind, episode.machine, episode.kind, episode.subject, episode.process
            by_subject[key].append(episode)
        else:
            yield kind, episode, 1
    for (_, machine, name, *_), episodes_of_one in by_subject.items():
        kind = kinds.of_episode(str(machine), str(name))
        for same in episode_stretches(sorted(episodes_of_one, key=episode_start), kind.repeats_ms):
            last = same[-1]
            whole = evolve(same[0], until=last.until, open=last.open, outcome=last.outcome)
            comes_back = len(same) > 1 and last.outcome is EpisodeOutcome.HEALED
            if comes_back and end_ms is not None and end_ms - episode_end(last) <= kind.repeats_ms:
                whole = evolve(whole, until=None, open=True, outcome=EpisodeOutcome.OPEN)
            yield kind, whole, len(same)


def episode_stretches(ordered: Sequence[Episode], gap_ms: int) -> Iterator[Sequence[Episode]]:
    """Yield episodes together that follow each other soon enough.

    Args:
        ordered: of one subject, the oldest first.
        gap_ms: how far apart they may be.
    """
    held: list[Episode] = []
    for episode in ordered:
        if held and episode_start(episode) - episode_end(held[-1]) > gap_ms:
            yield held
            held = []
        held.append(episode)
    if held:
        yield held


def episode_start(episode: Episode) -> int:
    """Return when an episode began, in milliseconds; 0 without a time."""
    return (episode.since.ms or 0) if episode.since else 0


def episode_end(episode: Episode) -> int:
    """Return when an episode was over, or began where no end is told, in milliseconds."""
    until = episode.until.ms if episode.until else None
    return episode_start(episode) if until is None else max(until, episode_start(episode))


def _lasted_ms(since: Instant | None, until: Instant | None, end_ms: int | None) -> int | None:
    ends = until.ms if until else end_ms
    begins = since.ms if since else None
    return None if begins is None or ends is None else ends - begins


def _episode_title(
    kinds: IncidentKinds, kind: IncidentDefinition, episode: Episode, *, is_open: bool
) -> str:
    template = kind.title if is_open else kind.past_title or kind.title
    if not template:
        return episode.title if is_open else episode.was or episode.title
    return kinds.title(episode.machine, template, episode.subject, episode.process)


# --------------------------------------------------------------------------------------------------
# marks


@frozen
class _Run:
    """Lines of one mark and subject that belong together."""

    kind: IncidentDefinition
    machine: str
    subject: InstanceKey
    process: str
    is_named: bool
    """Whether keys name the instance, or there is one of it in all processes together."""
    run: CounterRun
    quote: Quote
    lasting: tuple[EpisodeOutcome, Instant | None] | None
    """How it is at the end of the log, and until when it was, where only its process tells."""

    @property
    def told_of(self) -> tuple[str, ...]:
        """Who it is about: the process, where there is one instance in each and no key names it."""
        return () if self.is_named else (self.process,)


def mark_troubles(
    context: JudgingContext,
    kinds: IncidentKinds,
    judged: Sequence[InstanceJudgement],
    end_ms: int | None,
) -> Iterator[Trouble]:
    """Yield what counted lines are trouble: those of one kind and subject, joined where they stand
    no farther apart than the kind says, and where they are as many as it asks for.

    Complexity: that of sorting them.
    """
    by_subject: dict[tuple[object, ...], list[_Run]] = defaultdict(list)
    for run in _runs(context, kinds, judged):
        by_subject[run.machine, run.kind.kind, run.subject, run.told_of].append(run)
    for runs in by_subject.values():
        for same in _joined_runs(sorted(runs, key=_run_sort_key)):
            if same.run.total >= same.kind.least_times:
                yield _mark_trouble(kinds, same, end_ms)


def _runs(
    context: JudgingContext, kinds: IncidentKinds, judged: Sequence[InstanceJudgement]
) -> Iterator[_Run]:
    for j in judged:
        owner = context.plan.owners[j.owner]
        machine, is_named = owner.name, bool(j.key) or bool(owner.log and owner.log.shared)
        for counter in j.counters:
            for kind, (before, run) in product(
                kinds.of_mark(machine, counter.counter), pairwise((None, *counter.runs))
            ):
                assert run is not None
                if kind.settles_ms and _is_of_start(context, before, run, kind.settles_ms):
                    continue
                key = subject_key(context, j.owner, j.key)
                subject = tuple(f for f in key if not kind.subject or f[0] in kind.subject)
                place = Place(context.files[run.first.file].name, run.first.line)
                process = context.processes[run.first.process].name
                quote, lasts = Quote(place, run.text), _lasting(context, run, kind.lasts)
                yield _Run(kind, machine, subject, process, is_named, run, quote, lasts)


def _is_of_start(
    context: JudgingContext, before: CounterRun | None, run: CounterRun, settles_ms: int
) -> bool:
    """Tell whether lines began and ceased while their process started, and were not over once since
    it began.
    """
    starts = context.processes[run.first.process].possible_starts
    first, last = run.first.at, run.last.at
    if first is None or last is None:
        return False
    place = bisect_right(starts, first, key=lambda start: start.reached)
    began = starts[place - 1].reached if place else None
    if began is None or last - began > settles_ms:
        return False
    return before is None or before.first.at is None or before.first.at < began


def _lasting(
    context: JudgingContext, run: CounterRun, lasts: Lasting | None
) -> tuple[EpisodeOutcome, Instant | None] | None:
    """Return what has become of something that lasts as long as its process, or its absence, and
    until when; None where it is over with its lines.
    """
    process, last = context.processes[run.last.process], run.last
    if lasts not in (Lasting.PROCESS, Lasting.ABSENCE):
        return None
    if last.at is None:
        return EpisodeOutcome.MAY_BE_OVER, None
    is_absence = lasts is Lasting.ABSENCE
    after = process.possible_starts if is_absence else (*process.certain_starts, *process.ends)
    ended = min((place.reached for place in after if place.reached > last.at), default=None)
    if ended is None:
        return EpisodeOutcome.OPEN if is_absence else EpisodeOutcome.MAY_BE_OVER, None
    return EpisodeOutcome.HEALED, Instant(ended, last.zone)


def _run_sort_key(run: _Run) -> tuple[object, ...]:
    return run.run.first.at or 0, run.quote.place.file, run.quote.place.line


def _joined_runs(runs: Sequence[_Run]) -> Iterator[_Run]:
    """Join runs of one subject that several instances tell of, oldest first."""
    held: _Run | None = None
    for run in runs:
        if held is None:
            held = run
        elif _is_same_incident(held, run):
            last = max(held.run.last, run.run.last, key=lambda point: point.at or 0)
            total = held.run.total + run.run.total
            reason = held.run.reason or run.run.reason
            held = evolve(held, run=held.run._replace(last=last, total=total, reason=reason))
        else:
            yield held
            held = run
    if held is not None:
        yield held


def _is_same_incident(before: _Run, run: _Run) -> bool:
    if before.run.last.at is None or run.run.first.at is None:
        return False
    gap = run.run.first.at - before.run.last.at
    return bool(run.kind.repeats_ms) and gap <= run.kind.repeats_ms


def _mark_trouble(kinds: IncidentKinds, lines: _Run, end_ms: int | None) -> Trouble:
    """Return what the lines of a mark tell: an incident that goes on where the log ends before the
    next one was due, else a moment or a stretch of time.
    """
    kind, run = lines.kind, lines.run
    is_moment = kind.lasts is Lasting.MOMENT
    last, repeats = run.last.at, 0 if is_moment else kind.repeats_ms
    goes_on = (
        repeats and last is not None and end_ms is not None
    ) and end_ms - last <= kind.repeats_ms
    until = to_instant(run.first if is_moment else run.last)
    outcome = EpisodeOutcome.HEALED
    if goes_on:
        outcome, until = EpisodeOutcome.OPEN, None
    elif lines.lasting is not None:
        outcome, until = lines.lasting
    template = kind.title if until is None else kind.past_title or kind.title
    return Trouble(
        kind, lines.machine, lines.subject, lines.process,
        kinds.title(lines.machine, template, lines.subject, lines.process), to_instant(run.first),
        until, outcome, lines.quote, run.reason, kind.inferred, 1 if is_moment else run.total,
        is_long=not kind.within_ms or (run.last.at or 0) - (run.first.at or 0) > kind.within_ms,
        thrown_at=run.thrown_at,
    )  # fmt: skip


def without_short_ones(troubles: Iterable[Trouble]) -> Iterator[Trouble]:
    """Leave out what was over in the time that its kind calls normal, and what has not been
    repeated for longer yet: each time stands for itself until then.
    """
    for trouble in troubles:
        goes_on = trouble.outcome is EpisodeOutcome.OPEN and not trouble.kind.least_times
        if trouble.is_long or goes_on:
            yield trouble


def joined_delays(troubles: Iterable[Trouble]) -> Iterator[tuple[Trouble, Sequence[Trouble]]]:
    """Join the delays of one kind and subject that are over: how often they were, and the longest
    in between, is told elsewhere.

    Yields:
        Each trouble, with the troubles that it stands for: itself, or the delays that were joined.
    """
    delays: dict[tuple[str, str, InstanceKey, str], list[Trouble]] = defaultdict(list)
    for trouble in troubles:
        if trouble.kind.harm is Harm.DELAY and trouble.outcome is EpisodeOutcome.HEALED:
            key = trouble.kind.kind, trouble.machine, trouble.subject, trouble.process
            delays[key].append(trouble)
        else:
            yield trouble, (trouble,)
    for times in delays.values():
        count = sum(trouble.count for trouble in times)
        yield evolve(times[0], until=times[-1].until, count=count), times
