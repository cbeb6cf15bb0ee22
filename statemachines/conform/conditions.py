"""Where the conditions of a machine's episodes begin and end to hold in one instance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import frozen

from statemachines.conform.judged import EpisodePoint, Found, Replacing, StatePoint, StepRow
from statemachines.conform.observations import Observation, Position
from statemachines.conform.processes import Context
from statemachines.model.loglines import Episode
from statemachines.model.machines import Spec


@frozen
class Settled:
    """The episodes of a machine as sets of states, made once for all its instances."""

    episodes: tuple[Episode, ...]
    states: tuple[frozenset[str], ...]
    until: tuple[frozenset[str], ...]
    orderly: tuple[frozenset[str], ...]
    initial: frozenset[str]
    final: frozenset[str]
    replaceable: tuple[int, ...]


def settled(spec: Spec) -> Settled:
    """Return the episodes of a machine."""
    episodes = spec.log.episodes if spec.log else ()
    return Settled(
        episodes,
        tuple(states_of(episode, episodes, spec) for episode in episodes),
        tuple(frozenset(episode.until) for episode in episodes),
        tuple(frozenset(episode.orderly) for episode in episodes),
        frozenset(state.name for state in spec.states if state.initial),
        frozenset(state.name for state in spec.states if state.final),
        tuple(number for number, episode in enumerate(episodes) if episode.replaced),
    )


class Conditions:
    """Follows the episodes of one instance; afterwards `points` says where each began and ended."""

    def __init__(self, context: Context, of: Settled) -> None:
        self._context, self._of, self._episodes = context, of, of.episodes
        self._holds: list[bool | None] = [None] * len(self._episodes)
        self._last: list[tuple[str, ...]] = [()] * len(self._episodes)
        """The states in which each held last."""
        self._blamed = [False] * len(self._episodes)
        self._marked: dict[tuple[str, int], Observation] = {}
        """Mark and life to the last line with it since the episode that it may be blamed for was over, the latest line last."""
        self._life = self._stepping = 0
        self._born: Position | None = None
        """Where the life began, if the log shows it and nothing was replaced by it yet."""
        self.points: list[EpisodePoint] = []
        self.replacing: list[Replacing] = []

    def stepped(self, row: StepRow, seen: Observation) -> None:
        """Take in a row of the timeline: the first of a life says whether the log shows its beginning."""
        if self._of.replaceable and row.how != "ended unseen" and row.life != self._stepping:
            self._stepping = row.life
            self._born = self._context.position(seen) if row.source in self._of.initial else None

    def moved(self, point: StatePoint, life: int, seen: Observation) -> None:
        """Take in where the instance is now."""
        believed = frozenset(point.states)
        if life != self._life:
            self._new_life(life, point.process, seen)
        for number, states in enumerate(self._of.states):
            if believed <= states:
                self._open(number, point, life, seen)
            elif not believed & states and self._holds[number] is not False:
                self._may_close(number, believed, life, point.process, seen)
        if self._born is not None:
            self._may_replace(believed, point)

    def _open(self, number: int, point: StatePoint, life: int, seen: Observation) -> None:
        if not self._holds[number] and (point.made or not self._episodes[number].by_step):
            self._holds[number], self._blamed[number] = True, False
            self.points.append(self._point(number, True, point.process, seen, states=point.states))
            self._because(number, life, point.process)
        self._last[number] = point.states

    def _may_close(self, number: int, believed: frozenset[str], life: int, process: int, seen: Observation) -> None:
        """End an episode whose states were left: by what heals it, by an orderly end, or by the end of the life."""
        until, orderly = self._of.until[number], believed <= self._of.orderly[number]
        over = believed <= self._of.final and not believed <= until
        if until and not (over or orderly or believed <= until):
            return
        if self._holds[number]:
            self._forget(number, life)
        self._close(number, process, seen, over=over, orderly=orderly)

    def _forget(self, number: int, life: int) -> None:
        """Forget what an episode that is over was blamed on: the next one has a cause of its own."""
        for mark in self._episodes[number].because:
            self._marked.pop((mark, life), None)

    def _close(self, number: int, process: int, seen: Observation, *, over: bool, orderly: bool = False) -> None:
        states = self._last[number] if self._holds[number] else ()
        self._holds[number], self._blamed[number] = False, False
        self.points.append(self._point(number, False, process, seen, states=states, over=over, orderly=orderly))

    def _new_life(self, life: int, process: int, seen: Observation) -> None:
        """What held in the life before is over with it."""
        if self._life:
            self.over(process, seen)
        self._life = life

    def _may_replace(self, believed: frozenset[str], point: StatePoint) -> None:
        for number in self._of.replaceable:
            if self._born is not None and believed <= set(self._episodes[number].replaced):
                self.replacing.append(Replacing(number, self._born, point))
        if len(self.replacing) and self.replacing[-1].point is point:
            self._born = None

    def _because(self, number: int, life: int, process: int) -> None:
        """Blame an episode that begins on the line that its spec names."""
        because = self._episodes[number].because
        seen = [line for (mark, when), line in self._marked.items() if when == life and mark in because]
        if seen:
            self._blamed[number] = True
            self.points.append(self._point(number, None, process, seen[-1]))

    def marked(self, mark: str, life: int, seen: Observation) -> None:
        """Take in a line that is counted for something."""
        self._marked.pop((mark, life), None)
        self._marked[mark, life] = seen

    def over(self, process: int, seen: Observation) -> None:
        """The instance's life is over: so is what held in it."""
        for number, holds in enumerate(self._holds):
            if holds:
                self._close(number, process, seen, over=True)

    def found(self, finding: Found, seen: Observation) -> None:
        """Take in a finding that an episode may be blamed on."""
        for number, episode in enumerate(self._episodes):
            if finding.kind in episode.blame and self._holds[number] and not self._blamed[number]:
                self._blamed[number] = True
                self.points.append(self._point(number, None, finding.process, seen))

    def _point(
        self, number: int, holds: bool | None, process: int, seen: Observation, *,
        states: tuple[str, ...] = (), over: bool = False, orderly: bool = False,
    ) -> EpisodePoint:  # fmt: skip
        where = self._context.position(seen) if number in self._of.replaceable else None
        return EpisodePoint(
            number, holds, seen.at, seen.zone, process, seen.file, seen.line, seen.text, seen.reason, where, states, over, orderly
        )


def states_of(episode: Episode, episodes: Sequence[Episode], spec: Spec) -> frozenset[str]:
    """Return the states in which an episode is open.

    Of a state that its releases do not have it says nothing: there those of the same name count, of the releases that
    have it. So where no line tells the release, a new state is an alarm as its own releases say.
    """
    return frozenset(episode.states) | frozenset(_of_others(episode, episodes, spec))


def _of_others(episode: Episode, episodes: Sequence[Episode], spec: Spec) -> Iterator[str]:
    same = [other for other in episodes if other.name == episode.name]
    there = {state.name: sum({s.releases for s in spec.states if s.name == state.name}) for state in spec.states}
    for state, releases in there.items():
        theirs = [other for other in same if other.releases & releases]
        if not releases & episode.releases and theirs and all(state in other.states for other in theirs):
            yield state
