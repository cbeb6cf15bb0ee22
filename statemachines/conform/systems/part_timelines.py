"""What a log tells of one part of a system: its steps, and where it may be between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from attrs import evolve, frozen

from statemachines.model.evidence.reports import TimelineStep
from statemachines.semantics.machine.machine_tables import MachineTables
from statemachines.semantics.machine.state_paths import reachable_states, state_graph

States = frozenset[str | None]
"""Where a part may be; None: it is not there."""


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

    @property
    def is_orderable(self) -> bool:
        """Whether its steps can be put into an order with those of others."""
        return bool(self.steps) and all(
            step.at is not None and step.at.ms is not None for step in self.steps
        )

    def states_after(self, seen: int) -> States:
        """Return the states in which it may be when so many of its steps are told."""
        return self.states_between[seen]

    def states_around(self, since: int, until: int, seen: int) -> States:
        """Return the states in which it may be in a span of milliseconds, `seen` of its steps being
        told.
        """
        found = set[str | None](self.states_after(seen))
        for place in self._steps_near(since, until, seen):
            found |= {*self.states_after(place), *self.states_after(place + 1)}
        return frozenset(found)

    def _steps_near(self, since: int, until: int, seen: int) -> Sequence[int]:
        """Return the numbers of the steps within a span that lies around those that are told
        already.
        """
        first = last = seen
        while first and since <= step_ms(self.steps[first - 1]):
            first -= 1
        while last < len(self.steps) and step_ms(self.steps[last]) <= until:
            last += 1
        return range(first, last)


def make_part_timeline(part: str, key: str | None, rows: Sequence[TimelineStep]) -> PartTimeline:
    """Read the rows of one instance: told steps, and where others passed between them."""
    told, unsure, passed = list[TimelineStep](), set[int](), False
    for row in rows:
        if row.how == "told" and row.target is not None and row.place is not None:
            unsure |= {len(told)} if passed else set()
            told.append(row)
            passed = False
        else:
            passed = True
    unsure |= {len(told)} if passed else set()
    return PartTimeline(
        part, key, tuple(told), frozenset(unsure), any(row.how == "hidden" for row in rows)
    )


def with_possible_states(life: PartTimeline, tables: MachineTables) -> PartTimeline:
    """Say where its machine allows an instance to be between its lines.

    Before the first line, and where lines are missing, that is whatever leads from the line before
    to the next one: the shortest way is one of many. A life that begins anew may be over, or not
    there, since any time after the last line of the one before.
    """
    between = (
        _states_before_first(life, tables),
        *(_states_between(life, tables, number) for number in range(1, len(life.steps))),
    )
    last = life.steps[-1].target or ""
    anywhere = life.has_hidden_steps or len(life.steps) in life.uncertain
    end: States = frozenset(tables.states) if anywhere else frozenset([last])
    return evolve(
        life, states_between=(*between, end), states_if_lost=end | _reachable_from(tables, last)
    )


def _states_before_first(life: PartTimeline, tables: MachineTables) -> States:
    """Return where an instance may be before its first line."""
    source = life.steps[0].source
    initial = tables.state_names(tables.initial)
    absent = (
        {None} if life.key is not None and (source is None or source in initial) else set[None]()
    )
    return frozenset({*_leading_to(tables, source), *absent})


def _states_between(life: PartTimeline, tables: MachineTables, number: int) -> States:
    """Return where an instance may be between two of its lines."""
    before, after = life.steps[number - 1], life.steps[number]
    assert before.target is not None
    if before.life != after.life:
        return _reachable_from(tables, before.target) | _leading_to(tables, after.source) | {None}
    if number not in life.uncertain and after.source in (None, before.target):
        return frozenset([before.target])
    on_the_way = _reachable_from(tables, before.target) & _leading_to(tables, after.source)
    return (on_the_way or frozenset(tables.states)) | {before.target}


def _reachable_from(tables: MachineTables, state: str) -> States:
    """Return what a state leads to, itself included."""
    return _reachability(tables).get(state, frozenset(tables.states))


def _leading_to(tables: MachineTables, state: str | None) -> States:
    """Return what leads to a state, itself included; all of None."""
    return frozenset(
        one
        for one, reached in _reachability(tables).items()
        if state in reached or state not in tables.state_index
    )


@lru_cache(maxsize=256)
def _reachability(tables: MachineTables) -> Mapping[str, States]:
    """Return where any number of steps leads, by state."""
    graph = state_graph(tables)
    return {
        state: frozenset(tables.state_names(reachable_states(graph, 1 << place)))
        for state, place in tables.state_index.items()
    }


def step_ms(step: TimelineStep) -> int:
    """Return when a told step of a usable life was, in milliseconds."""
    return step.at.ms if step.at is not None and step.at.ms is not None else 0
