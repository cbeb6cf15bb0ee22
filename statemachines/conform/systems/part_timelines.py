"""What a log shows of one part of a system: its steps, where it may be between them, and their
order among those of other parts, as the lines of the logs stand, or by their clocks.
"""

from __future__ import annotations

from array import array
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, repeat

from attrs import evolve, frozen

from statemachines.conform.systems.observed_steps import (
    ObservedSteps,
    PossibleState,
    StepKind,
)
from statemachines.logs import rotation_key
from statemachines.model.definitions.log_definitions import LineKind
from statemachines.model.definitions.machine_definitions import SpecDefinition
from statemachines.model.language.frozen_values import FrozenMap
from statemachines.semantics.machine.machine_tables import MachineTables
from statemachines.semantics.machine.state_paths import reachable_states, state_graph

States = frozenset[PossibleState | None]
"""Where a part may be; None: it is not there."""


def possible_states(names: Iterable[str]) -> States:
    """Return some states in which nothing is known of variables."""
    return frozenset(map(PossibleState, names))


@frozen
class PartTimeline:
    """One instance, as its rows of the timeline tell of it."""

    part: str
    key: str | None
    """None where there is one only."""
    observed: ObservedSteps
    gap_states: tuple[States, ...] = ()
    """The states in which it may be before a step, or after the last one, by the number of what
    lies there, unseen moves included: see `with_possible_states`.
    """
    states_if_lost: States = frozenset()
    """Where it may be behind its last line if others were lost, or cut off."""
    is_always_there: bool = False
    """Whether the system has it at every moment."""

    def states_after(self, step_count: int) -> States:
        """Return the states in which it may be when so many of its steps are told."""
        return self.gap_states[self.observed.gaps[step_count]]

    def states_around(self, since: int, until: int, step_count: int) -> States:
        """Return the states in which it may be in a span of milliseconds, `step_count` of its
        steps being told.
        """
        states_around = set(self.states_after(step_count))
        for place in self._steps_near(since, until, step_count):
            states_around |= {*self.states_after(place), *self.states_after(place + 1)}
        return frozenset(states_around)

    def _steps_near(self, since: int, until: int, step_count: int) -> Sequence[int]:
        """Return the numbers of the steps within a span that lies around those that are told
        already.
        """
        first, last, times = step_count, step_count, self.observed.times
        while first and since <= times[first - 1]:
            first -= 1
        while last < len(times) and times[last] <= until:
            last += 1
        return range(first, last)


def unsteady_variables(spec: SpecDefinition) -> frozenset[str]:
    """Return the variables of a machine that may change without a step that a line tells."""
    lines = spec.log.lines if spec.log is not None else ()
    changed_elsewhere = {
        name
        for line in lines
        if line.kinds != (LineKind.STEP,)
        for name, _ in line.variable_templates
    }
    silent = {
        assignment.variable
        for transition in spec.transitions
        if transition.silent and transition.case is not None
        for assignment in transition.case.effect
    }
    return frozenset(changed_elsewhere | silent)


def with_possible_states(
    timeline: PartTimeline, tables: MachineTables, unsteady: Container[str]
) -> PartTimeline:
    """Say where its machine allows an instance to be between its lines.

    Before the first line, and where lines are missing, that is whatever leads from the line before
    to the next one: the shortest way is one of many. A life that begins anew may be over, or not
    there, since any time after the last line of the one before.

    Args:
        timeline: with its steps.
        tables: of its machine.
        unsteady: variables that may change without a told step; behind the last one they are not
            known.
    """
    *examples, end = timeline.observed.gap_examples
    between = [_states_before(timeline, tables, number) for number in examples]
    last = timeline.observed.kind(end - 1).target.state
    anywhere = timeline.observed.has_hidden_steps or end in timeline.observed.uncertain
    behind = (
        possible_states(tables.states)
        if anywhere
        else frozenset([_state_at_end(timeline, unsteady)])
    )
    all_states = (*between, behind, behind | _reachable_from(tables, last))
    if timeline.is_always_there:
        all_states = tuple(states - {None} for states in all_states)
    return evolve(timeline, gap_states=all_states[:-1], states_if_lost=all_states[-1])


def _state_at_end(timeline: PartTimeline, unsteady: Container[str]) -> PossibleState:
    """Return where an instance is behind its last line: lines that tell no step may have told other
    values since.
    """
    state, values = timeline.observed.kind(-1).target
    return PossibleState(
        state, FrozenMap({name: value for name, value in values.items() if name not in unsteady})
    )


def _state_between(before: StepKind, after: StepKind) -> PossibleState:
    """Return where an instance is from a step to the next: a variable is known where both know it,
    and agree.
    """
    state, left = before.target
    earlier = after.source.values
    return PossibleState(
        state,
        FrozenMap(
            {
                name: value
                for name, value in left.items()
                if name in earlier and earlier[name] == value
            }
        ),
    )


def _states_before_first(timeline: PartTimeline, tables: MachineTables) -> States:
    """Return where an instance may be before its first line."""
    source = timeline.observed.kind(0).source_state
    initial = tables.state_names(tables.initial)
    absent: set[PossibleState | None] = (
        {None} if timeline.key is not None and (source is None or source in initial) else set()
    )
    return frozenset({*_leading_to(tables, source), *absent})


def _states_before(timeline: PartTimeline, tables: MachineTables, number: int) -> States:
    """Return where an instance may be before one of its lines, and behind the one before."""
    if not number:
        return _states_before_first(timeline, tables)
    observed = timeline.observed
    before, after = observed.kind(number - 1), observed.kind(number)
    left, source = before.target.state, after.source_state
    if observed.origin(number - 1).life != observed.origin(number).life:
        return _reachable_from(tables, left) | _leading_to(tables, source) | {None}
    if number not in observed.uncertain and source in (None, left):
        return frozenset([_state_between(before, after)])
    between = _reachable_from(tables, left) & _leading_to(tables, source)
    return (between or possible_states(tables.states)) | possible_states([left])


def _reachable_from(tables: MachineTables, state: str) -> States:
    """Return what a state leads to, itself included."""
    return possible_states(_reachability(tables).get(state, tables.states))


def _leading_to(tables: MachineTables, state: str | None) -> States:
    """Return what leads to a state, itself included; all of None."""
    return possible_states(
        before
        for before, reached in _reachability(tables).items()
        if state in reached or state not in tables.state_index
    )


@lru_cache(maxsize=256)
def _reachability(tables: MachineTables) -> Mapping[str, frozenset[str]]:
    """Return where any number of steps leads, by state."""
    graph = state_graph(tables)
    return {
        state: frozenset(tables.state_names(reachable_states(graph, 1 << place)))
        for state, place in tables.state_index.items()
    }


OrderedStep = tuple[int, int]
"""The number of a life, and that of its step."""
_FileRank = tuple[str, int]
"""The log that a file is of, and its place among all files in their order."""


def source_logs(timelines: Sequence[PartTimeline]) -> frozenset[str]:
    """Return the logs that tell of some lives; rotated files are one."""
    files = {file for timeline in timelines for file in timeline.observed.files}
    return frozenset(rotation_key(file)[0] for file in files)


def clock_goes_back(timelines: Sequence[PartTimeline], by: int) -> bool:
    """Tell whether a log's times go back by more than so many milliseconds: then nothing says how
    its lines lie between another's.
    """
    ranks, reached = _file_ranks(timelines), dict[str, int]()
    for log, _, _, ms in sorted(
        (log, rank, line, ms)
        for timeline in timelines
        for (log, rank), line, ms in _placed_steps(timeline, ranks)
    ):
        if ms < reached.get(log, 0) - by:
            return True
        reached[log] = max(ms, reached.get(log, 0))
    return False


def merge_steps(timelines: Sequence[PartTimeline]) -> tuple[array[int], array[int]]:
    """Put the steps of all lives into one order: of one log as its lines stand, whatever the times
    say, of several by time; those of one life stay in their order.

    Args:
        timelines: of the lives.

    Returns:
        Two columns: of each step the number of its life, and its number there.

    Complexity: n log n in the steps, and some eighty bytes a step while they are sorted.
    """
    ranks, alone = _file_ranks(timelines), len(source_logs(timelines)) == 1
    parts, numbers, keys = array("H"), array("L"), list[int]()
    for part, timeline in enumerate(timelines):
        count = len(timeline.observed)
        parts.extend(repeat(part, count))
        numbers.extend(range(count))
        places = (
            ((0 if alone else ms) << 80) + (rank << 48) + line
            for (_, rank), line, ms in _placed_steps(timeline, ranks)
        )
        keys.extend(accumulate(places, max))
    order = sorted(range(len(keys)), key=keys.__getitem__)
    return array("H", map(parts.__getitem__, order)), array("L", map(numbers.__getitem__, order))


def _placed_steps(
    timeline: PartTimeline, ranks: Mapping[str, _FileRank]
) -> Iterator[tuple[_FileRank, int, int]]:
    """Yield of each step where its file stands among all, its line and its time."""
    observed = timeline.observed
    files = [ranks[file] for file in observed.files]
    return zip(
        map(files.__getitem__, observed.file_numbers), observed.lines, observed.times, strict=True
    )


def _file_ranks(timelines: Sequence[PartTimeline]) -> dict[str, _FileRank]:
    """Return the log that each file is of, and its place among all files in their order."""
    keys = {file: rotation_key(file) for timeline in timelines for file in timeline.observed.files}
    ranks = {key: rank for rank, key in enumerate(sorted(set(keys.values())))}
    return {file: (key[0], ranks[key]) for file, key in keys.items()}
