"""What a log tells of one part of a system: its steps, and where it may be between them."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve, frozen

from statemachines.model.reports import Step
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
    between: tuple[frozenset[str], ...]
    """The states in which it may be before each step, and after the last one, unseen moves included."""
    hides: bool
    """Whether some of its moves are hidden: then more may be, behind its last line."""
    born: bool = False
    """Whether it was not there before its first step."""

    @property
    def usable(self) -> bool:
        """Whether its steps can be put into an order with those of others."""
        return bool(self.steps) and all(step.at is not None and step.at.ms is not None for step in self.steps)

    def after(self, seen: int) -> States:
        """Return the states in which it may be when so many of its steps are told."""
        absent = {None} if seen == 0 and self.born else set[None]()
        last = {self.steps[seen - 1].target} if seen else set[None]()
        return frozenset({*self.between[seen], *absent, *last})

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
    """Read the rows of one instance: told steps, and what it may have been between them."""
    told, between, unseen = list[Step](), list[frozenset[str]](), set[str]()
    for row in rows:
        if row.how == "told" and row.target is not None and row.place is not None:
            told.append(row)
            between.append(frozenset(unseen | ({row.source} if row.source is not None else set())))
            unseen = set()
        else:
            unseen |= {state for state in (row.source, row.target) if state is not None}
    return Life(part, key, tuple(told), (*between, frozenset(unseen)), any(row.how == "hidden" for row in rows))


def settled(life: Life, tables: Tables) -> Life:
    """Say of an instance what its machine knows: whether it began in the log, and where it may be behind its last line."""
    initial, first = tables.names(tables.initial), life.steps[0].source
    end = frozenset(tables.states) if life.hides else life.between[-1]
    return evolve(life, born=life.key is not None and (first is None or first in initial), between=(*life.between[:-1], end))


def ms(step: Step) -> int:
    """Return when a told step of a usable life was, in milliseconds."""
    return step.at.ms if step.at is not None and step.at.ms is not None else 0
