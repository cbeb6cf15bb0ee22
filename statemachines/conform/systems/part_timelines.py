"""What a log shows of one part of a system: its steps, where it may be between them, and their
order among those of other parts, as the lines of the logs stand, or by their clocks.
"""

from __future__ import annotations

import heapq
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from attrs import evolve, frozen

from statemachines.conform.systems.partial_conditions import NOTHING_KNOWN, KnownValues
from statemachines.logs import rotation_key
from statemachines.model.definitions.log_definitions import LineKind
from statemachines.model.definitions.machine_definitions import SpecDefinition
from statemachines.model.evidence.reports import Place, TimelineStep
from statemachines.model.language.frozen_values import FrozenMap
from statemachines.semantics.machine.machine_tables import MachineTables
from statemachines.semantics.machine.state_paths import reachable_states, state_graph


class PossibleState(NamedTuple):
    """A state in which a part may be, with what is then known of its variables."""

    state: str
    values: KnownValues = NOTHING_KNOWN


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
    steps: tuple[TimelineStep, ...]
    """Told ones, with times and places, in order."""
    uncertain: frozenset[int]
    """The numbers of the steps before which something passed that no line tells."""
    has_hidden_steps: bool
    """Whether some of its moves are hidden: then more may be, behind its last line."""
    states_between: tuple[States, ...] = ()
    """The states in which it may be before each step, and after the last one, unseen moves
    included: see `settled`.
    """
    states_if_lost: States = frozenset()
    """Where it may be behind its last line if others were lost, or cut off."""
    is_always_there: bool = False
    """Whether the system has it at every moment."""

    @property
    def is_orderable(self) -> bool:
        """Whether its steps can be put into an order with those of others."""
        return bool(self.steps) and all(
            step.at is not None and step.at.ms is not None for step in self.steps
        )

    def states_after(self, step_count: int) -> States:
        """Return the states in which it may be when so many of its steps are told."""
        return self.states_between[step_count]

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
        first = last = step_count
        while first and since <= step_ms(self.steps[first - 1]):
            first -= 1
        while last < len(self.steps) and step_ms(self.steps[last]) <= until:
            last += 1
        return range(first, last)


def make_part_timeline(part: str, key: str | None, rows: Sequence[TimelineStep]) -> PartTimeline:
    """Read the rows of one instance: told steps, and where others passed between them; the machine
    says later where it may be meanwhile.
    """
    observed, unsure, passed = list[TimelineStep](), set[int](), False
    for row in rows:
        if row.how == "told" and row.target is not None and row.place is not None:
            unsure |= {len(observed)} if passed else set()
            observed.append(row)
            passed = False
        else:
            passed = True
    unsure |= {len(observed)} if passed else set()
    return PartTimeline(
        part, key, tuple(observed), frozenset(unsure), any(row.how == "hidden" for row in rows)
    )


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
    between = (
        _states_before_first(timeline, tables),
        *(_states_between(timeline, tables, number) for number in range(1, len(timeline.steps))),
    )
    last = timeline.steps[-1].target or ""
    anywhere = timeline.has_hidden_steps or len(timeline.steps) in timeline.uncertain
    end = (
        possible_states(tables.states)
        if anywhere
        else frozenset([_state_at_end(timeline, unsteady)])
    )
    all_states = (*between, end, end | _reachable_from(tables, last))
    if timeline.is_always_there:
        all_states = tuple(states - {None} for states in all_states)
    return evolve(timeline, states_between=all_states[:-1], states_if_lost=all_states[-1])


def state_before(step: TimelineStep) -> PossibleState:
    """Return where a step comes from."""
    values = NOTHING_KNOWN if step.values is None else FrozenMap(step.values.before)
    return PossibleState(step.source or "", values)


def state_after(step: TimelineStep) -> PossibleState:
    """Return where a step leads."""
    values = NOTHING_KNOWN if step.values is None else FrozenMap(step.values.after)
    return PossibleState(step.target or "", values)


def _state_at_end(timeline: PartTimeline, unsteady: Container[str]) -> PossibleState:
    """Return where an instance is behind its last line: lines that tell no step may have told other
    values since.
    """
    state, values = state_after(timeline.steps[-1])
    return PossibleState(
        state, FrozenMap({name: value for name, value in values.items() if name not in unsteady})
    )


def _state_between(before: TimelineStep, after: TimelineStep) -> PossibleState:
    """Return where an instance is from a step to the next: a variable is known where both know it,
    and agree.
    """
    state, left = state_after(before)
    earlier = state_before(after).values
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
    source = timeline.steps[0].source
    initial = tables.state_names(tables.initial)
    absent: set[PossibleState | None] = (
        {None} if timeline.key is not None and (source is None or source in initial) else set()
    )
    return frozenset({*_leading_to(tables, source), *absent})


def _states_between(timeline: PartTimeline, tables: MachineTables, number: int) -> States:
    """Return where an instance may be between two of its lines."""
    before, after = timeline.steps[number - 1], timeline.steps[number]
    assert before.target is not None
    if before.life != after.life:
        return _reachable_from(tables, before.target) | _leading_to(tables, after.source) | {None}
    if number not in timeline.uncertain and after.source in (None, before.target):
        return frozenset([_state_between(before, after)])
    between = _reachable_from(tables, before.target) & _leading_to(tables, after.source)
    return (between or possible_states(tables.states)) | possible_states([before.target])


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


def step_ms(step: TimelineStep) -> int:
    """Return when a told step of a usable life was, in milliseconds."""
    return step.at.ms if step.at is not None and step.at.ms is not None else 0


OrderedStep = tuple[int, int]
"""The number of a life, and that of its step."""
_StepOrder = tuple[int, str, tuple[int, str, int], int]
"""When, in which log, in which of its rotated files, in which line."""


def source_logs(timelines: Sequence[PartTimeline]) -> frozenset[str]:
    """Return the logs that tell of some lives; rotated files are one."""
    return frozenset(
        rotation_key(step.place.file)[0]
        for timeline in timelines
        for step in timeline.steps
        if step.place is not None
    )


def clock_goes_back(timelines: Sequence[PartTimeline], by: int) -> bool:
    """Tell whether a log's times go back by more than so many milliseconds: then nothing says how
    its lines lie between another's.
    """
    reached = dict[str, int]()
    for order, step in sorted(
        ((_file_order(step), step) for timeline in timelines for step in timeline.steps),
        key=lambda pair: pair[0],
    ):
        if step_ms(step) < reached.get(order[1], 0) - by:
            return True
        reached[order[1]] = max(step_ms(step), reached.get(order[1], 0))
    return False


def merge_steps(timelines: Sequence[PartTimeline]) -> Iterator[OrderedStep]:
    """Yield the steps of all lives: of one log as its lines stand, of several by time; those of one
    life stay in their order.

    Complexity: n log n in the steps.
    """
    alone = len(source_logs(timelines)) == 1
    waiting = [
        (_sort_key(timeline.steps[0], alone), number, 0)
        for number, timeline in enumerate(timelines)
    ]
    heapq.heapify(waiting)
    while waiting:
        key, number, place = heapq.heappop(waiting)
        yield number, place
        if place + 1 < len(timelines[number].steps):
            heapq.heappush(
                waiting,
                (max(key, _sort_key(timelines[number].steps[place + 1], alone)), number, place + 1),
            )


def _file_order(step: TimelineStep) -> _StepOrder:
    """Return where a step stands: in which log, and where in it."""
    place = step.place or Place("", 1)
    return 0, *rotation_key(place.file), place.line


def _sort_key(step: TimelineStep, alone: bool) -> _StepOrder:
    """Return what puts a step in order; of one log its lines decide, whatever the times say."""
    order = _file_order(step)
    return order if alone else (step_ms(step), *order[1:])
