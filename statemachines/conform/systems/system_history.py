"""What is known of the parts of a system, moment by moment, as their timelines show."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Protocol

from attrs import frozen

from statemachines.conform.systems.part_timelines import (
    OrderedStep,
    PartTimeline,
    States,
    merge_steps,
)
from statemachines.model.definitions.release_sets import ReleaseSet
from statemachines.model.definitions.system_definitions import SystemSpecDefinition
from statemachines.model.evidence.reports import TimelineStep
from statemachines.model.made_sequences import MadeSequence


@frozen
class KnownStates:
    """What is known of each life at one moment."""

    counts: tuple[int, ...]
    """How many of its steps were seen until then."""
    states: tuple[States, ...]


class LineFits(Protocol):
    """Which releases fit the lines of processes."""

    def fitting_everywhere(self, process: str) -> ReleaseSet | None:
        """Return the releases that fit all lines of a process; None where not all are the same."""

    def fitting_line(self, process: str, file: str, line: int, ms: int) -> ReleaseSet:
        """Return the releases that fit a line of a process: in which file, and when."""


class Moves(MadeSequence[OrderedStep]):
    """The steps of some lives in one order: the number of a life, and that of its step.

    Complexity: ten bytes a step.
    """

    def __init__(self, parts: Sequence[PartTimeline]) -> None:
        self._parts, self._numbers = merge_steps(parts)

    def __len__(self) -> int:
        return len(self._parts)

    def value_at(self, place: int) -> OrderedStep:
        """Return the step at a place of the order."""
        return self._parts[place], self._numbers[place]

    def __iter__(self) -> Iterator[OrderedStep]:
        return zip(self._parts, self._numbers, strict=True)


class MergedSteps:
    """The steps of some lives in one order, whatever the release.

    Complexity: n log n in the steps.
    """

    def __init__(self, parts: Sequence[PartTimeline], fits: LineFits) -> None:
        self._parts, self._fits = parts, fits
        self.moves = Moves(parts)
        times = [timeline.observed.times for timeline in parts]
        self.times = array("q", (times[part][number] for part, number in self.moves))
        """When each step was, in milliseconds."""
        self.indices = [array("l") for _ in parts]
        """Of each life the places of its steps in the order of all."""
        for index, (part, _) in enumerate(self.moves):
            self.indices[part].append(index)

    def tally(self, numbers: Iterable[int]) -> Mapping[tuple[int, ReleaseSet], int]:
        """Count how many steps have a number, by the releases that fit their lines.

        Args:
            numbers: of each step in the order of all.
        """
        processes = {origin.process for part in self._parts for origin in part.observed.origins}
        everywhere = set(map(self._fits.fitting_everywhere, processes))
        if len(everywhere) == 1 and (fitting := everywhere.pop()) is not None:
            return {(number, fitting): count for number, count in Counter(numbers).items()}
        return Counter(zip(numbers, self._fitting(), strict=True))

    def _fitting(self) -> Iterator[ReleaseSet]:
        """Yield the releases that fit the line of each step."""
        for part, number in self.moves:
            observed = self._parts[part].observed
            yield self._fits.fitting_line(
                observed.origin(number).process,
                observed.file(number),
                observed.lines[number],
                observed.times[number],
            )


class SystemHistory:
    """The steps of all parts in one order, what is known of each part after each of them, and which
    of them are alike.

    Complexity: linear in the steps; what is known after one of them is worked out when it is asked
    for, by the parts.
    """

    def __init__(
        self,
        spec: SystemSpecDefinition,
        initial: Sequence[str],
        parts: Sequence[PartTimeline],
        anywhere: Sequence[States],
        merged: MergedSteps,
    ) -> None:
        self.parts, self.merged, self.moves = parts, merged, merged.moves
        self.initial, self.anywhere = initial, anywhere
        self.begins = tuple(self._find_begins(has_family=bool(spec.family.name)))
        """The moves that are, or may be, the first since the whole began anew, in order."""
        self.entered = list(self._find_entered())
        """Of each life the last beginning of the whole up to its first step; None without any."""

    def known_after(self, index: int) -> KnownStates:
        """Return what is known after a move; -1 stands for the time before the first one.

        Where the whole begins anew, what was known of its parts is of no use until they move.
        """
        nearest = bisect_right(self.begins, index)
        begun = self.begins[nearest - 1] if nearest else -1
        counts = tuple(bisect_right(indices, index) for indices in self.merged.indices)
        return KnownStates(
            counts,
            tuple(
                self._known_state(part, count, index, begun) for part, count in enumerate(counts)
            ),
        )

    def _known_state(self, part: int, count: int, index: int, begun: int) -> States:
        """Return where a life may be after a move, so many of its steps being told, and the whole
        having begun anew at another one.
        """
        entered, timeline = self.entered[part], self.parts[part]
        if count:
            is_new = self.merged.indices[part][count - 1] >= begun
            return timeline.states_after(count) if is_new else self.anywhere[part]
        is_known = entered is None or entered <= index
        if is_known or (part == 0 and timeline.observed.origin(0).run is None):
            return timeline.states_after(0)
        return self.anywhere[part]

    def known_before(self, index: int) -> KnownStates:
        """Return what is known before a move; at one with which the whole begins anew, what is
        known since.
        """
        return self.known_after(index if self.is_begin(index) else index - 1)

    def is_begin(self, index: int) -> bool:
        """Tell whether the whole begins anew, or may, with a move."""
        nearest = bisect_right(self.begins, index)
        return nearest > 0 and self.begins[nearest - 1] == index

    def _find_entered(self) -> Iterator[int | None]:
        """Yield of each life the last beginning of the whole up to its first step."""
        for indices in self.merged.indices:
            nearest = bisect_right(self.begins, indices[0])
            yield self.begins[nearest - 1] if nearest else None

    def _find_begins(self, *, has_family: bool) -> Iterator[int]:
        """Yield the first move of each life of the part that there is exactly once, and of each run
        of its process.

        A process that says when it begins is believed; of one that never does, but belongs to a
        family whose programs may, any step out of an initial state may be the first of a run.
        """
        parts = [timeline.observed for timeline in self.parts]
        last = parts[0].origin(0)
        if all(len(part.origins) == 1 and part.origins[0].run == last.run for part in parts):
            if last.run is None and has_family:
                for number, index in enumerate(self.merged.indices[0]):
                    if parts[0].kind(number).source_state in self.initial:
                        yield index
            return
        origins = (parts[part].origin(number) for part, number in self.moves)
        run = next(origin.run for origin in origins if origin.process == last.process)
        for index, (part, number) in enumerate(self.moves):
            origin = parts[part].origin(number)
            is_own = origin.process == last.process
            is_new_run = is_own and origin.run != run
            # a life that begins with a run of the process is that run's, which began already
            is_new_life = part == 0 and origin.life != last.life and origin.run == last.run
            may_begin = (
                part == 0
                and origin.run is None
                and has_family
                and parts[0].kind(number).source_state in self.initial
            )
            if is_new_life or is_new_run or may_begin:
                yield index
            run = origin.run if is_own else run
            last = origin if part == 0 else last

    def step_at(self, index: int) -> TimelineStep:
        """Return the step at an index of the order of all steps."""
        part, number = self.moves[index]
        return self.parts[part].observed.step(number)

    def confirmed_states(self, known: KnownStates, mover: int) -> tuple[States, ...]:
        """Return where each instance may be even if lines behind its last one were lost; the one
        that just moved is where its line says.
        """
        known_parts = zip(self.parts, known.counts, known.states, strict=True)
        return tuple(
            (
                timeline.states_if_lost | (frozenset() if timeline.is_always_there else {None})
                if index != mover and count == len(timeline.observed) and count
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
