"""The episodes of a machine, as sets of states."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from attrs import field

from statemachines.model.definitions.log_definitions import EpisodeDefinition, LineKind
from statemachines.model.definitions.machine_definitions import SpecDefinition, state_moves
from statemachines.model.values import frozen


class OpenEpisodes(NamedTuple):
    """What is open in an instance."""

    is_open: tuple[bool | None, ...]
    """By episode; None: nothing told yet."""
    is_leaving: bool
    """Whether its life is on the way to its end."""
    may_replace: bool
    """Whether its life began and made up for no other yet."""


@frozen
class EpisodeStates:
    """The episodes of a machine as sets of states, made once for all its instances."""

    episodes: tuple[EpisodeDefinition, ...]
    open_states: tuple[frozenset[str], ...]
    until: tuple[frozenset[str], ...]
    orderly: tuple[frozenset[str], ...]
    opening: frozenset[str]
    """States in which what is seen has just begun."""
    ends: tuple[frozenset[str], ...]
    """States that end an episode without healing it."""
    replaceable: tuple[int, ...]
    lost: frozenset[str]
    """States of what others may make up for, from which it comes to none that makes up for it."""
    states: frozenset[str]
    """All that there are."""
    doubtable: frozenset[int]
    """Episodes whose states another one has too, which is open while these are in doubt."""
    requests: Mapping[int, int]
    """Lines that ask for something which must be answered in time, and their episodes."""
    answers: frozenset[int]
    """Lines that say what became of a request that led nowhere."""
    marks: Mapping[int, str]
    """Lines that are counted, and their marks."""
    _neutral: dict[OpenEpisodes, frozenset[str]] = field(factory=dict, eq=False, repr=False)

    def neutral_states(self, now: OpenEpisodes) -> frozenset[str]:
        """Return the states to which a step that is not the first of its life changes nothing of
        any episode.

        Args:
            now: what is open; no request that waits for its answer.
        """
        if now not in self._neutral:
            self._neutral[now] = self.states.difference(*self._moving_states(now))
        return self._neutral[now]

    @property
    def always_moving(self) -> frozenset[str]:
        """The states to which a step concerns an episode, whatever is open."""
        opened = zip(self.episodes, self.open_states, strict=True)
        return frozenset[str]().union(*(states for episode, states in opened if not episode.maybe))

    def _moving_states(self, now: OpenEpisodes) -> Iterator[frozenset[str]]:
        """Yield the states that open an episode, go on with it, or end it."""
        yield self.always_moving
        if self.replaceable:
            yield self.states - self.lost if now.is_leaving else self.lost
        for number, episode in enumerate(self.episodes):
            if now.may_replace:
                yield frozenset(episode.replaced)
            if now.is_open[number] is False or episode.requests:
                continue
            if episode.maybe or not self.until[number]:
                yield self.states
            yield self.until[number] | self.ends[number] | self.orderly[number]


def make_episode_states(spec: SpecDefinition) -> EpisodeStates:
    """Return the episodes of a machine."""
    episodes = spec.log.episodes if spec.log else ()
    opened = tuple(open_states(episode, episodes, spec) for episode in episodes)
    return EpisodeStates(
        episodes,
        opened,
        tuple(frozenset(episode.until) for episode in episodes),
        tuple(frozenset(episode.orderly) for episode in episodes),
        opening_states(spec),
        tuple(
            _unhealed_ends(spec, episode, states)
            for episode, states in zip(episodes, opened, strict=True)
        ),
        tuple(number for number, episode in enumerate(episodes) if episode.replaced),
        _lost_states(spec),
        frozenset(state.name for state in spec.states),
        _doubtable_episodes(episodes, opened),
        {line: number for number, episode in enumerate(episodes) for line in episode.requests},
        _answering_lines(spec),
        {line.index: line.counter for line in (spec.log.lines if spec.log else ()) if line.counter},
    )


def _lost_states(spec: SpecDefinition) -> frozenset[str]:
    episodes = spec.log.episodes if spec.log else ()
    hopeful = {state for episode in episodes for state in episode.replaced}
    final = {state.name for state in spec.states if state.final}
    moves = [move for move in state_moves(spec.transitions) if move.source not in final]
    while more := {
        move.source for move in moves if move.target in hopeful and move.source not in hopeful
    }:
        hopeful |= more
    return frozenset(state.name for state in spec.states) - hopeful


_ANSWER_KINDS = {LineKind.IGNORED, LineKind.REFUSED, LineKind.RAISED, LineKind.FAILED}


def _answering_lines(spec: SpecDefinition) -> frozenset[int]:
    lines = spec.log.lines if spec.log else ()
    return frozenset(line.index for line in lines if _ANSWER_KINDS.intersection(line.kinds))


def _doubtable_episodes(
    episodes: Sequence[EpisodeDefinition], opened: Sequence[frozenset[str]]
) -> frozenset[int]:
    doubts = {states for episode, states in zip(episodes, opened, strict=True) if episode.maybe}
    return frozenset(
        number
        for number, episode in enumerate(episodes)
        if opened[number] in doubts and not episode.maybe
    )


def _unhealed_ends(
    spec: SpecDefinition, episode: EpisodeDefinition, opened: frozenset[str]
) -> frozenset[str]:
    """Return the states that end an episode without healing it: the final ones; where nothing is
    said of what heals it, also those from which only a final state can come. What was on the way to
    its end while the episode went on is not held against it.
    """
    final = frozenset(state.name for state in spec.states if state.final)
    closing = closing_states(spec)
    return final if episode.until or opened <= closing - final else closing


def closing_states(spec: SpecDefinition) -> frozenset[str]:
    """Return the states from which there is no way but to the end, and the final ones.

    Args:
        spec: a machine; what a step leads to in any of its releases counts.

    Returns:
        Their names.
    """
    moves = ((move.source, move.target) for move in state_moves(spec.transitions))
    return _surrounded(moves, {state.name for state in spec.states if state.final})


def opening_states(spec: SpecDefinition) -> frozenset[str]:
    """Return the initial states, and those to which there is no way but from them, before anything
    is replaced by who is in one: what is seen there has just begun, also where its first lines are
    lost.

    Args:
        spec: a machine; what a step leads to in any of its releases counts.

    Returns:
        Their names.
    """
    moves = ((move.target, move.source) for move in state_moves(spec.transitions))
    episodes = spec.log.episodes if spec.log else ()
    at_work = frozenset(state for episode in episodes for state in episode.replaced)
    initial = {state.name for state in spec.states if state.initial}
    return _surrounded(moves, initial, but=at_work)


def _surrounded(
    moves: Iterable[tuple[str, str]], known: set[str], but: frozenset[str] = frozenset()
) -> frozenset[str]:
    """Return some states, and those from which moves lead nowhere else; none of `but` is added."""
    targets: dict[str, set[str]] = defaultdict(set)
    for source, target in moves:
        if source != target:
            targets[source].add(target)
    while more := {state for state, reached in targets.items() if reached <= known} - known - but:
        known |= more
    return frozenset(known)


def open_states(
    episode: EpisodeDefinition, episodes: Sequence[EpisodeDefinition], spec: SpecDefinition
) -> frozenset[str]:
    """Return the states in which an episode is open.

    Of a state that its releases do not have it says nothing: there those of the same name count, of
    the releases that have it. So where no line tells the release, a new state is an alarm as its
    own releases say.
    """
    return frozenset(episode.states) | frozenset(_states_of_other_releases(episode, episodes, spec))


def _states_of_other_releases(
    episode: EpisodeDefinition, episodes: Sequence[EpisodeDefinition], spec: SpecDefinition
) -> Iterator[str]:
    same = [other for other in episodes if other.name == episode.name]
    there = {
        state.name: sum({s.releases for s in spec.states if s.name == state.name})
        for state in spec.states
    }
    for state, releases in there.items():
        theirs = [other for other in same if other.releases & releases]
        if (
            not releases & episode.releases
            and theirs
            and all(state in other.states for other in theirs)
        ):
            yield state
