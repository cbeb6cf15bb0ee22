"""What a log tells of one part of a system: its steps, and where it may be between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from attrs import evolve, frozen

from statemachines.model.reports import Step
from statemachines.semantics.graphs import graph_of, reachable
from statemachines.semantics.tables import Tables

States = frozenset[str | None]
"""Where a part may be; None: it is not there."""


@frozen
class Life:
    """One instance, as its rows of the timeline tell of it."""

    part: str
    key: str | None
    """None where there is one only."""
    steps: tuple[Step, ...]
    """Told ones, with times and places, in order."""
    unsure: frozenset[int]
    """The numbers of the steps before which something passed that no line tells."""
    hides: bool
    """Whether some of its moves are hidden: then more may be, behind its last line."""
    between: tuple[States, ...] = ()
    """The states in which it may be before each step, and after the last one, unseen moves included: see `settled`."""
    loose: States = frozenset()
    """Where it may be behind its last line if others were lost, or cut off."""

    @property
    def usable(self) -> bool:
        """Whether its steps can be put into an order with those of others."""
        return bool(self.steps) and all(step.at is not None and step.at.ms is not None for step in self.steps)

    def after(self, seen: int) -> States:
        """Return the states in which it may be when so many of its steps are told."""
        return self.between[seen]

    def around(self, since: int, until: int, seen: int) -> States:
        """Return the states in which it may be in a span of milliseconds, `seen` of its steps being told."""
        found = set[str | None](self.after(seen))
        for place in self._near(since, until, seen):
            found |= {*self.after(place), *self.after(place + 1)}
        return frozenset(found)

    def _near(self, since: int, until: int, seen: int) -> Sequence[int]:
        """Return the numbers of the steps within a span that lies around those that are told already."""
        first = last = seen
        while first and since <= ms(self.steps[first - 1]):
            first -= 1
        while last < len(self.steps) and ms(self.steps[last]) <= until:
            last += 1
        return range(first, last)


def life_of(part: str, key: str | None, rows: Sequence[Step]) -> Life:
    """Read the rows of one instance: told steps, and where others passed between them."""
    told, unsure, passed = list[Step](), set[int](), False
    for row in rows:
        if row.how == "told" and row.target is not None and row.place is not None:
            unsure |= {len(told)} if passed else set()
            told.append(row)
            passed = False
        else:
            passed = True
    unsure |= {len(told)} if passed else set()
    return Life(part, key, tuple(told), frozenset(unsure), any(row.how == "hidden" for row in rows))


def settled(life: Life, tables: Tables) -> Life:
    """Say where its machine allows an instance to be between its lines.

    Before the first line, and where lines are missing, that is whatever leads from the line before to the next one: the shortest way is
    one of many. A life that begins anew may be over, or not there, since any time after the last line of the one before.
    """
    between = (_before(life, tables), *(_between(life, tables, number) for number in range(1, len(life.steps))))
    last = life.steps[-1].target or ""
    anywhere = life.hides or len(life.steps) in life.unsure
    end: States = frozenset(tables.states) if anywhere else frozenset([last])
    return evolve(life, between=(*between, end), loose=end | _from(tables, last))


def _before(life: Life, tables: Tables) -> States:
    """Return where an instance may be before its first line."""
    source = life.steps[0].source
    initial = tables.names(tables.initial)
    absent = {None} if life.key is not None and (source is None or source in initial) else set[None]()
    return frozenset({*_to(tables, source), *absent})


def _between(life: Life, tables: Tables, number: int) -> States:
    """Return where an instance may be between two of its lines."""
    before, after = life.steps[number - 1], life.steps[number]
    assert before.target is not None
    if before.life != after.life:
        return _from(tables, before.target) | _to(tables, after.source) | {None}
    if number not in life.unsure and after.source in (None, before.target):
        return frozenset([before.target])
    on_the_way = _from(tables, before.target) & _to(tables, after.source)
    return (on_the_way or frozenset(tables.states)) | {before.target}


def _from(tables: Tables, state: str) -> States:
    """Return what a state leads to, itself included."""
    return _reached(tables).get(state, frozenset(tables.states))


def _to(tables: Tables, state: str | None) -> States:
    """Return what leads to a state, itself included; all of None."""
    return frozenset(one for one, reached in _reached(tables).items() if state in reached or state not in tables.number)


@lru_cache(maxsize=256)
def _reached(tables: Tables) -> Mapping[str, States]:
    """Return where any number of steps leads, by state."""
    graph = graph_of(tables)
    return {state: frozenset(tables.names(reachable(graph, 1 << place))) for state, place in tables.number.items()}


def ms(step: Step) -> int:
    """Return when a told step of a usable life was, in milliseconds."""
    return step.at.ms if step.at is not None and step.at.ms is not None else 0
