"""Episodes of subjects: when a condition began and ceased to hold, over generations, and how it ended."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from attrs import evolve

from statemachines.conform.judged import EpisodePoint, Judged, Replacing
from statemachines.conform.naming import instant, log_of
from statemachines.conform.restarts import Subject
from statemachines.conform.world import World, fitting
from statemachines.model.belonging import belonging
from statemachines.model.loglines import Episode
from statemachines.model.reports import Instant, Key, OpenOrClosed, Outcome, Place, Quote
from statemachines.notation.templates import render_template

UNTIL_NOW = (Outcome.OPEN, Outcome.MAY_BE_OVER)
"""What no line ended."""


class Found(NamedTuple):
    """An episode under way to the report."""

    owner: int
    number: int
    """Of the episode in its spec."""
    since: EpisodePoint
    row: OpenOrClosed


def episodes_of(points: Iterable[EpisodePoint]) -> Iterator[tuple[EpisodePoint, EpisodePoint | None, EpisodePoint]]:
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


def all_episodes(world: World) -> Iterator[OpenOrClosed]:
    """Yield the episodes of every subject, over its generations."""
    found = [row for subject in world.subjects for row in _of_subject(world, subject)]
    found = _with_replaced(world, found)
    closings = closings_of(world, found)
    for one in found:
        process = one.since.process
        closing = closings[process](one.row.subject) if process in closings else None
        yield one.row if closing is None else _closed_with(closing, one.row)


def _of_subject(world: World, subject: Subject) -> Iterator[Found]:
    owner, _, instances = subject
    for number, episode in fitting_episodes(world, owner, instances):
        if episode.of:
            continue
        by_era: dict[int, list[Judged]] = defaultdict(list)
        for one in instances:
            by_era[world.eras.of(world.context, one)].append(one)
        for same in by_era.values():
            points = [point for j in same for point in j.points if point.episode == number]
            for since, ceased, blame in episodes_of(points):
                yield Found(owner, number, since, _row(world, subject, same[-1], episode, (since, ceased, blame)))


def _row(
    world: World, subject: Subject, last: Judged, episode: Episode, points: tuple[EpisodePoint, EpisodePoint | None, EpisodePoint]
) -> OpenOrClosed:
    (owner, key, _), (since, ceased, blame), files = subject, points, world.context.files
    outcome, until = _ending(world, key, last, episode, ceased)
    states = (ceased.states if ceased else last.states) or since.states
    fields = {name: str(value) for name, value in key} | {"state": " or ".join(states)}
    title, was = (render_template(wording, fields) for wording in (episode.title, episode.was))
    quote = Quote(Place(files[blame.file].name, blame.line), blame.text)
    process = world.context.processes[since.process].name
    return OpenOrClosed(
        episode.name, world.context.plan.owners[owner].name, key, title, instant(since), until, outcome is Outcome.OPEN, quote, process,
        blame.reason, outcome is Outcome.ORDERLY, outcome, was,
    )  # fmt: skip


def _ending(world: World, key: Key, last: Judged, episode: Episode, ceased: EpisodePoint | None) -> tuple[Outcome, Instant | None]:
    """Return how an episode ended, and when: by a line of its own, with what it is a part of, or not as far as the log tells."""
    if ceased is not None:
        return Outcome.ORDERLY if ceased.orderly else Outcome.ENDED if ceased.over else Outcome.HEALED, instant(ceased)
    over = world.over_since(key, last) or world.restarted_since(last)
    if over is not None:
        return Outcome.ENDED, over.at
    may_be_over = world.may_have_left(last, _healing(world, last.owner, episode))
    return Outcome.MAY_BE_OVER if may_be_over else Outcome.OPEN, None


def _healing(world: World, owner: int, episode: Episode) -> frozenset[str]:
    """Return the states by which an episode would be over, and its subject would not."""
    spec, settled = world.context.plan.specs[owner], world.tables.episodes(owner)
    holds = settled.states[settled.episodes.index(episode)]
    others = {state.name for state in spec.states if not state.final} - holds - set(episode.orderly)
    return frozenset(episode.until) or frozenset(others)


def fitting_episodes(world: World, owner: int, instances: Sequence[Judged]) -> Iterator[tuple[int, Episode]]:
    """Yield the kinds of episodes of the releases that fit, each with its number in the spec.

    Of one name that several of them define, it is the one with the fewest states.
    """
    fits = fitting(world.context, owner, instances)
    every, settled = log_of(world.context.plan, owner).episodes, world.tables.episodes(owner)
    by_name: dict[str, list[tuple[int, Episode]]] = {}
    for number, episode in enumerate(every):
        if episode.releases & fits:
            by_name.setdefault(episode.name, []).append((number, episode))
    for same in by_name.values():
        yield min(same, key=lambda entry: len(settled.states[entry[0]]))


# ------------------------------------------------------------------------------------------------------------- replacements


def _with_replaced(world: World, found: Sequence[Found]) -> list[Found]:
    """Heal what another instance of the same program makes up for that began later: one for one, the oldest first."""
    spare = _Spare(world)
    healed: dict[int, OpenOrClosed] = {}
    lasting = [(one.since.where, place) for place, one in enumerate(found) if one.row.outcome in UNTIL_NOW]
    for where, place in sorted((where, place) for where, place in lasting if where is not None):
        one = found[place]
        others = spare.of(one.owner, one.number, one.since.process, one.row.subject)
        while others and others[0].born <= where:
            others.popleft()
        if others:
            until = instant(others.popleft().point)
            healed[place] = evolve(one.row, until=until, open=False, outcome=Outcome.HEALED)
    return [one if place not in healed else one._replace(row=healed[place]) for place, one in enumerate(found)]


class _Spare:
    """What makes up for others, by machine, episode, process and program: the oldest first."""

    def __init__(self, world: World) -> None:
        self._wholes = {process: belonging(keys) for process, keys in programs_of(world).items()}
        self._found: dict[tuple[object, ...], deque[Replacing]] = defaultdict(deque)
        all_ = [(owner, key, one) for owner, key, instances in world.subjects for j in instances for one in j.replacing]
        for owner, key, one in sorted(all_, key=lambda found: found[2].born):
            self.of(owner, one.episode, one.point.process, key).append(one)

    def of(self, owner: int, number: int, process: int, subject: Key) -> deque[Replacing]:
        """Return what makes up for an episode of a subject."""
        whole = self._wholes.get(process)
        return self._found[owner, number, process, whole(subject) if whole else None]


# ----------------------------------------------------------------------------------------------------------------- closings


class Closing(NamedTuple):
    """A program that was closed in order."""

    began: int
    ended: Instant | None


def _closed_with(closing: Closing, row: OpenOrClosed) -> OpenOrClosed:
    """Settle what was open while its program was closed: what began then is in order, what was wrong before ended with it."""
    if not row.open or row.since is None or row.since.ms is None:
        return row
    if row.since.ms >= closing.began:
        return evolve(row, orderly=True, outcome=Outcome.ORDERLY)
    return evolve(row, open=False, until=closing.ended, outcome=Outcome.ENDED)


Closings = dict[int, Callable[[Key], "Closing | None"]]
"""By process, what tells when the program was closed that a subject belongs to; None: it was not, or not in order."""


def closings_of(world: World, episodes: Sequence[Found]) -> Closings:
    """Find the programs that were closed in order.

    A program (`program` in its spec) was closed in order where it ended in a final state and in no episode. The closing began with the
    last state before the final one. A part belongs to the only program of its process, or to the one whose name begins its own.
    """
    ill = {(one.owner, one.row.subject) for one in episodes if one.row.open}
    found: dict[int, dict[Key, Closing | None]] = defaultdict(dict)
    for subject in world.subjects:
        owner, key, instances = subject
        if log_of(world.context.plan, owner).program and instances[-1].since is not None:
            found[instances[-1].since.process][key] = None if (owner, key) in ill else _closing(world, subject)
    return {process: _asked(programs) for process, programs in found.items()}


def programs_of(world: World) -> dict[int, list[Key]]:
    """Return the programs of each process."""
    found: dict[int, list[Key]] = defaultdict(list)
    for owner, key, instances in world.subjects:
        if log_of(world.context.plan, owner).program and instances[-1].since is not None:
            found[instances[-1].since.process].append(key)
    return found


def _asked(programs: dict[Key, Closing | None]) -> Callable[[Key], Closing | None]:
    whole = belonging(programs)

    def closing(part: Key) -> Closing | None:
        program = whole(part)
        return None if program is None else programs[program]

    return closing


def _closing(world: World, subject: Subject) -> Closing | None:
    """Return when the last state before a final one was reached, and the final one; None where the subject is in no final state."""
    owner, _, instances = subject
    last, finals = instances[-1], {state.name for state in world.context.plan.specs[owner].states if state.final}
    if last.states is None or not set(last.states) <= finals:
        return None
    point = last.before or last.since
    return None if point is None or point.at is None or last.since is None else Closing(point.at, instant(last.since))
