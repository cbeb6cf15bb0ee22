"""What is known of the parts of a system, moment by moment, as their timelines show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import frozen

from statemachines.conform.systems.part_timelines import (
    PartTimeline,
    States,
    merge_steps,
    possible_states,
)
from statemachines.model.definitions.system_definitions import SystemSpecDefinition
from statemachines.model.evidence.reports import TimelineStep
from statemachines.semantics.system.system_tables import SystemTables


@frozen
class KnownStates:
    """What is known of each life at one moment."""

    counts: tuple[int, ...]
    """How many of its steps were seen until then."""
    states: tuple[States, ...]


class SystemHistory:
    """The steps of all parts in one order, and what is known of each part after each of them."""

    def __init__(
        self,
        spec: SystemSpecDefinition,
        tables: SystemTables,
        parts: Sequence[PartTimeline],
    ) -> None:
        self.parts = parts
        self.moves = list(merge_steps(parts))
        self.initial = tables.tables[parts[0].part].state_names(
            tables.tables[parts[0].part].initial
        )
        self.begins = frozenset(self._find_begins(has_family=bool(spec.family.name)))
        """The moves that are, or may be, the first since the whole began anew."""
        self.anywhere: list[States] = [
            possible_states(tables.tables[timeline.part].states)
            | (frozenset() if timeline.is_always_there else {None})
            for timeline in parts
        ]
        """Of a part that was there before the whole began anew: it may be in any state, and it need
        not be there.
        """
        self.entered = list(self._find_entered())
        """Of each life the last beginning of the whole up to its first step; None without any."""

    def known_after_steps(self) -> Iterator[KnownStates]:
        """Yield what is known after each step."""
        known = self.known_initially()
        for move in self.moves:
            known = self.after_step(known, *move)
            yield known

    def after_step(self, known: KnownStates, part: int, number: int) -> KnownStates:
        """Return what is known after one more step; where the whole begins anew, what was known of
        its parts is of no use.
        """
        counts, states = list(known.counts), list(known.states)
        if (part, number) in self.begins:
            states = [
                self._states_at_begin(index, (part, number), count, states[index])
                for index, count in enumerate(counts)
            ]
        counts[part], states[part] = number + 1, self.parts[part].states_after(number + 1)
        return KnownStates(tuple(counts), tuple(states))

    def _states_at_begin(
        self, part: int, begin: tuple[int, int], count: int, state: States
    ) -> States:
        """Return what is known of a part when the whole begins: of one that was there before
        nothing.
        """
        if count:
            return self.anywhere[part]
        return self.parts[part].states_after(0) if self.entered[part] == begin else state

    def known_initially(self) -> KnownStates:
        """Return what is known before the first step."""
        known = zip(self.parts, self.anywhere, self.entered, strict=True)
        states = (
            timeline.states_after(0)
            if entered is None or (index == 0 and timeline.steps[0].run is None)
            else anywhere
            for index, (timeline, anywhere, entered) in enumerate(known)
        )
        return KnownStates(tuple(0 for _ in self.parts), tuple(states))

    def _find_entered(self) -> Iterator[tuple[int, int] | None]:
        """Yield of each life the last beginning of the whole up to its first step."""
        entered = dict[int, tuple[int, int] | None]()
        began: tuple[int, int] | None = None
        for move in self.moves:
            began = move if move in self.begins else began
            entered.setdefault(move[0], began)
        yield from (entered[part] for part in range(len(self.parts)))

    def _find_begins(self, *, has_family: bool) -> Iterator[tuple[int, int]]:
        """Yield the first move of each life of the part that there is exactly once, and of each run
        of its process.

        A process that says when it begins is believed; of one that never does, but belongs to a
        family whose programs may, any step out of an initial state may be the first of a run.
        """
        moves = [(move, self.parts[move[0]].steps[move[1]]) for move in self.moves]
        last = self.parts[0].steps[0]
        run = next(step.run for _, step in moves if step.process == last.process)
        for (part, number), step in moves:
            is_new_run = step.process == last.process and step.run != run
            # a life that begins with a run of the process is that run's, which began already
            is_new_life = part == 0 and step.life != last.life and step.run == last.run
            may_begin = (
                part == 0 and step.run is None and has_family and step.source in self.initial
            )
            if is_new_life or is_new_run or may_begin:
                yield part, number
            run = step.run if step.process == last.process else run
            last = step if part == 0 else last

    def step_at(self, index: int) -> TimelineStep:
        """Return the step at an index of the order of all steps."""
        part, number = self.moves[index]
        return self.parts[part].steps[number]

    def confirmed_states(self, known: KnownStates, mover: int) -> tuple[States, ...]:
        """Return where each instance may be even if lines behind its last one were lost; the one
        that just moved is where its line says.
        """
        known_parts = zip(self.parts, known.counts, known.states, strict=True)
        return tuple(
            (
                timeline.states_if_lost | (frozenset() if timeline.is_always_there else {None})
                if index != mover and count == len(timeline.steps) and count
                else states
            )
            for index, (timeline, count, states) in enumerate(known_parts)
        )

    def states_around(self, at: int, span: int, known: KnownStates) -> tuple[States, ...]:
        """Return the states in which each instance may be within a span of milliseconds around a
        moment.
        """
        known_parts = zip(self.parts, known.counts, known.states, strict=True)
        return tuple(
            states | timeline.states_around(at - span, at + span, count)
            for timeline, count, states in known_parts
        )

    def states_message(self, states: tuple[States, ...]) -> str:
        """Say in which state each part is."""
        known_parts = zip(self.parts, self.anywhere, states, strict=True)
        named = (
            (timeline, sorted({state.state for state in known if state}))
            for timeline, anywhere, known in known_parts
            if known != anywhere
        )
        return ", ".join(
            f"{timeline.key or timeline.part} {' or '.join(known)}"
            for timeline, known in named
            if known
        )
