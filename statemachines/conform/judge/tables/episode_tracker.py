"""Where the conditions of a machine's episodes begin and end to hold in one instance."""

from __future__ import annotations

from typing import Any, NamedTuple

from statemachines.conform.interchange.judgements import (
    EpisodePoint,
    PendingFinding,
    Replacement,
    StatePoint,
    StepRow,
)
from statemachines.conform.interchange.observations import Observation, Position
from statemachines.conform.judge.tables.episode_states import EpisodeStates, OpenEpisodes
from statemachines.conform.settle.judging_context import JudgingContext


class EpisodeMemory(NamedTuple):
    """What following the episodes of an instance goes on from; as `EpisodeTracker` has it."""

    is_open: list[bool | None]
    requests: dict[int, str | None]
    last_states: list[tuple[str, ...]]
    blamed: list[bool]
    counted_lines: dict[tuple[str, int], Observation]
    incarnation: int
    stepped_incarnation: int
    left: str | None
    began: Position | None
    leaving: Position | None
    points: list[EpisodePoint]
    replacements: list[Replacement]


_REMEMBERED = tuple(
    name if name in ("points", "replacements") else f"_{name}" for name in EpisodeMemory._fields
)
"""What its fields are called in an `EpisodeTracker`."""


_SAME_MS = 10_000
"""So long after a line with a reason, one without it is of the same happening."""


class EpisodeTracker:
    """Follows the episodes of one instance; afterwards `points` says where each began and ended."""

    def __init__(self, context: JudgingContext, of: EpisodeStates) -> None:
        self._context, self._sets, self._episodes = context, of, of.episodes
        self._is_open: list[bool | None] = [
            False if episode.maybe or episode.requests else None for episode in of.episodes
        ]
        self._requests: dict[int, str | None] = {}
        """What was asked for and not answered, by episode; None: some step."""
        self._last_states: list[tuple[str, ...]] = [()] * len(self._episodes)
        """The states in which each held last."""
        self._blamed = [False] * len(self._episodes)
        self._counted_lines: dict[tuple[str, int], Observation] = {}
        """Mark and life to the last line with it since the episode that it may be blamed for was
        over, the latest line last.
        """
        self._incarnation = self._stepped_incarnation = 0
        self._left: str | None = None
        """The state that the last step left."""
        self._began: Position | None = None
        """Where the life began, if the log shows it and nothing was replaced by it yet."""
        self._leaving: Position | None = None
        """Where the way to the end of the life began, of which others may take the place."""
        self.points: list[EpisodePoint] = []
        self.replacements: list[Replacement] = []

    def memory(self) -> EpisodeMemory:
        """Return what another one goes on from; it shares what this one still changes."""
        return EpisodeMemory(*(getattr(self, name) for name in _REMEMBERED))

    def resume(self, memory: EpisodeMemory) -> None:
        """Go on from what one of the same instance came to; the memory is this one's now."""
        for name, value in zip(_REMEMBERED, memory, strict=True):
            setattr(self, name, value)

    def state(self, incarnation: int) -> tuple[object, ...]:
        """Return all that what comes next depends on, but for causes, and for what makes up for
        others.
        """
        return (
            tuple(self._is_open),
            tuple(self._requests.items()),
            tuple(self._last_states),
            tuple(self._blamed),
            self._left,
            incarnation - self._incarnation,
        )

    def go_to(self, state: tuple[Any, ...], incarnation: int) -> None:
        """Be in a state, in a life."""
        is_open, requests, last_states, blamed, self._left, ago = state
        self._is_open, self._requests = list(is_open), dict(requests)
        self._last_states, self._blamed = list(last_states), list(blamed)
        self._incarnation = incarnation - ago

    @property
    def has_replaceable(self) -> bool:
        """Whether others may make up for the episodes of an instance."""
        return bool(self._sets.replaceable)

    def neutral_states(self, incarnation: int) -> frozenset[str]:
        """Return the states to which a step changes nothing here: those that concern no episode, as
        far as they are open now.

        Args:
            incarnation: the life that goes on.
        """
        if self._incarnation != incarnation or self._requests:
            return frozenset()
        if self._sets.replaceable and self._stepped_incarnation != incarnation:
            return frozenset()
        is_leaving, may_replace = self._leaving is not None, self._began is not None
        return self._sets.neutral_states(
            OpenEpisodes(tuple(self._is_open), is_leaving, may_replace)
        )

    def take_row(self, row: StepRow, observation: Observation) -> None:
        """Take in a row of the timeline: the first of a life says whether the log shows its
        beginning.
        """
        self._left, is_missing = row.source, row.how == "missing"
        for number, target in tuple(self._requests.items()):
            # done before this line, and nothing tells when
            if row.source == target or (is_missing and row.target == target):
                self._answer(number, row.process, observation, unseen=True)
        if is_missing and row.incarnation == self._incarnation:
            self._take_missing_step(row, observation)
        if row.how == "unknown":
            self._take_unknown_state(row, observation)
        if (
            self._sets.replaceable
            and row.how != "ended unseen"
            and row.incarnation != self._stepped_incarnation
        ):
            self._stepped_incarnation = row.incarnation
            self._began = (
                self._context.position(observation) if row.source in self._sets.opening else None
            )

    def _take_missing_step(self, row: StepRow, observation: Observation) -> None:
        """End what a step ended whose line is not in the log: when, nothing tells."""
        for number, states in enumerate(self._sets.open_states):
            episode, target = self._episodes[number], row.target or ""
            may_end = not (episode.requests or episode.maybe) and row.source in states
            if self._is_open[number] and may_end and target not in states:
                self._close_if_left(
                    number, frozenset({target}), row.incarnation, row.process, observation
                )
                if not self._is_open[number]:
                    self.points[-1] = self.points[-1]._replace(by_missing_lines=True)

    def _take_unknown_state(self, row: StepRow, observation: Observation) -> None:
        """End what held before a state that the spec does not have: the line says that it was left.
        When, it tells only of the state that it names.
        """
        for number in tuple(self._requests):
            self._answer(number, row.process, observation, unseen=True)
        for number, states in enumerate(self._sets.open_states):
            if not self._is_open[number]:
                continue
            if row.target is not None and row.target not in states:
                self._close_if_left(
                    number, frozenset({row.target}), row.incarnation, row.process, observation
                )
            if self._is_open[number]:
                self._close_episode(number, row.process, observation, over=True)
            if row.source not in states or row.incarnation != self._incarnation:
                self.points[-1] = self.points[-1]._replace(by_missing_lines=True)

    def take_point(self, point: StatePoint, incarnation: int, observation: Observation) -> None:
        """Take in where the instance is now."""
        believed = frozenset(point.states)
        if incarnation != self._incarnation:
            self._begin_incarnation(incarnation, point.process, observation)
        if self._sets.replaceable and not believed <= self._sets.lost:
            self._leaving = None
        elif self._sets.replaceable and self._leaving is None:
            self._leaving = self._context.position(observation)
        for number, target in tuple(self._requests.items()):
            if point.states == (target,) or (target is None and point.by_step):
                self._answer(number, point.process, observation)
        for number, states in enumerate(self._sets.open_states):
            if self._episodes[number].requests:
                continue
            if self._episodes[number].maybe:
                self._may_hold(number, point, believed, incarnation, observation)
            elif believed <= states:
                self._open_episode(number, point, incarnation, observation)
            elif not believed & states and self._is_open[number] is not False:
                self._close_if_left(number, believed, incarnation, point.process, observation)
            elif self._is_open[number] and number in self._sets.doubtable:
                self._close_episode(number, point.process, observation, over=True)
        if self._began is not None:
            self._note_replacements(believed, point)

    def take_readings(
        self, now: StatePoint | None, incarnation: int, observation: Observation
    ) -> None:
        """Take in what a line asks for, or what became of what was asked for.

        Args:
            now: where the instance was last; None: that is not known.
            incarnation: the number of its life.
            observation: the line.
        """
        if not self._sets.requests:
            return
        for reading in observation.readings:
            number = self._sets.requests.get(reading.entry)
            if number is not None:
                states = now.states if now is not None else ()
                self._ask(number, reading.target, states, incarnation, observation)
            elif reading.entry in self._sets.answers:
                for request in tuple(self._requests):
                    self._answer(request, self._context.process_index(observation), observation)

    def _ask(
        self,
        number: int,
        target: str | None,
        states: tuple[str, ...],
        incarnation: int,
        observation: Observation,
    ) -> None:
        """Open the episode of a request, unless one is open or it is done already."""
        process = self._context.process_index(observation)
        if incarnation != self._incarnation:
            self._begin_incarnation(incarnation, process, observation)
        if number not in self._requests and states != (target,):
            self._requests[number], self._is_open[number] = target, True
            self.points.append(self._make_point(number, True, process, observation, states=states))

    def _answer(
        self, number: int, process: int, observation: Observation, *, unseen: bool = False
    ) -> None:
        """End the episode of a request; one that was done unseen was no trouble, as far as is
        known.
        """
        del self._requests[number]
        self._close_episode(number, process, observation, over=False, orderly=unseen)

    def _open_episode(
        self, number: int, point: StatePoint, incarnation: int, observation: Observation
    ) -> None:
        episode = self._episodes[number]
        opens = point.by_step or not (episode.by_step or episode.left)
        if episode.left and self._left not in episode.left:
            opens = False
        if episode.opened_by or episode.not_opened_by:
            marks = {self._sets.marks.get(reading.entry, "") for reading in observation.readings}
            opens = opens and marks.isdisjoint(episode.not_opened_by)
            opens = opens and not (episode.opened_by and marks.isdisjoint(episode.opened_by))
        if not self._is_open[number] and opens:
            self._is_open[number], self._blamed[number] = True, False
            self.points.append(
                self._make_point(number, True, point.process, observation, states=point.states)
            )
            self._blame_cause(number, incarnation, point.process)
        self._last_states[number] = point.states

    def _may_hold(
        self,
        number: int,
        point: StatePoint,
        believed: frozenset[str],
        incarnation: int,
        observation: Observation,
    ) -> None:
        """Follow an episode that is open while its condition is in doubt: it has not healed where
        the condition holds after all.
        """
        states = self._sets.open_states[number]
        if believed & states and not believed <= states:
            self._open_episode(number, point, incarnation, observation)
        elif self._is_open[number]:
            self._close_episode(number, point.process, observation, over=believed <= states)

    def _close_if_left(
        self,
        number: int,
        believed: frozenset[str],
        incarnation: int,
        process: int,
        observation: Observation,
    ) -> None:
        """End an episode whose states were left: by what heals it, by an orderly end, or by the end
        of the life.
        """
        until, orderly = self._sets.until[number], believed <= self._sets.orderly[number]
        over = believed <= self._sets.ends[number] and not believed <= until
        if until and not (over or orderly or believed <= until):
            return
        if self._is_open[number]:
            self._forget_causes(number, incarnation)
        self._close_episode(number, process, observation, over=over, orderly=orderly)

    def _forget_causes(self, number: int, incarnation: int) -> None:
        """Forget what a past episode was blamed on: the next one has a cause of its own."""
        for counter in self._episodes[number].because:
            self._counted_lines.pop((counter, incarnation), None)

    def _close_episode(
        self,
        number: int,
        process: int,
        observation: Observation,
        *,
        over: bool,
        orderly: bool = False,
    ) -> None:
        states = self._last_states[number] if self._is_open[number] else ()
        self._is_open[number], self._blamed[number] = False, False
        self.points.append(
            self._make_point(
                number, False, process, observation, states=states, over=over, orderly=orderly
            )
        )

    def _begin_incarnation(self, incarnation: int, process: int, observation: Observation) -> None:
        """What held in the life before is over with it; when, nothing tells."""
        if self._incarnation:
            known = len(self.points)
            self.end_incarnation(process, observation)
            self.points[known:] = (
                point._replace(by_missing_lines=True) for point in self.points[known:]
            )
        self._incarnation, self._leaving = incarnation, None

    def _note_replacements(self, believed: frozenset[str], point: StatePoint) -> None:
        for number in self._sets.replaceable:
            if self._began is not None and believed <= set(self._episodes[number].replaced):
                self.replacements.append(Replacement(number, self._began, point))
        if len(self.replacements) and self.replacements[-1].point is point:
            self._began = None

    def _blame_cause(self, number: int, incarnation: int, process: int) -> None:
        """Blame an episode that begins on the line that its spec names."""
        because = self._episodes[number].because
        lines = [
            line
            for (counter, when), line in self._counted_lines.items()
            if when == incarnation and counter in because
        ]
        if lines:
            self._blamed[number] = True
            blamed = next((line for line in reversed(lines) if line.reason), lines[-1])
            self.points.append(self._make_point(number, None, process, blamed))

    def take_counted_line(self, counter: str, incarnation: int, observation: Observation) -> None:
        """Take in a line that is counted for something: one that tells a reason explains what is
        open and was not explained before. One without a reason takes no place of one with it: a
        program often says of one exception what it was, and then that it gives up.
        """
        before = self._counted_lines.pop((counter, incarnation), None)
        self._counted_lines[counter, incarnation] = (
            before if before is not None and _is_more_of_same(before, observation) else observation
        )
        for number, episode in enumerate(self._episodes):
            late = self._is_open[number] and not self._blamed[number] and observation.reason
            if late and counter in episode.because:
                process = self._context.process_index(observation)
                self._blamed[number] = True
                self.points.append(self._make_point(number, None, process, observation))

    def end_incarnation(self, process: int, observation: Observation) -> None:
        """The instance's life is over: so is what held in it."""
        self._requests.clear()
        for number, holds in enumerate(self._is_open):
            if holds:
                self._close_episode(number, process, observation, over=True)

    def take_finding(self, finding: PendingFinding, observation: Observation) -> None:
        """Take in a finding that an episode may be blamed on."""
        for number, episode in enumerate(self._episodes):
            if finding.kind in episode.blame and self._is_open[number] and not self._blamed[number]:
                self._blamed[number] = True
                self.points.append(self._make_point(number, None, finding.process, observation))

    def _make_point(
        self, number: int, holds: bool | None, process: int, observation: Observation, *,
        states: tuple[str, ...] = (), over: bool = False, orderly: bool = False,
    ) -> EpisodePoint:  # fmt: skip
        where = self._context.position(observation) if number in self._sets.replaceable else None
        if holds and where is not None:
            where = self._leaving or where
        return EpisodePoint(
            number,
            holds,
            observation.at,
            observation.zone,
            process,
            observation.file,
            observation.line,
            observation.text,
            observation.reason,
            where,
            states,
            over,
            orderly,
            observation.thrown_at,
        )


def _is_more_of_same(before: Observation, line: Observation) -> bool:
    """Tell whether a line says no more than that what one before it gave a reason for went on."""
    if line.reason or not before.reason:
        return False
    times = before.reached, line.reached
    return times[0] is None or times[1] is None or times[1] - times[0] <= _SAME_MS
