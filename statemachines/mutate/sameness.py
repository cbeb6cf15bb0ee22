"""Whether two machines behave the same: proved, step by step, over all that can be reached."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from statemachines.explore.columns import Row
from statemachines.explore.drawing import Values
from statemachines.explore.rules import picker, snapshot_of
from statemachines.explore.world import World
from statemachines.model.snapshots import Answer, Refused, Snapshot
from statemachines.mutate.originals import Slot
from statemachines.semantics.step import decided

Parted = tuple[Values, Answer | None, Answer | None]
"""Arguments and what two machines answer; None: they are against its `where`, and are not asked of it."""


@frozen
class Apart:
    """The first place where two machines answer otherwise; before it, on the way there, they answer alike."""

    row: int
    """Which row of the search, in the order in which they were met; -1: they begin otherwise."""
    event: str = ""
    arguments: Values | None = None
    old: Answer | None = None
    new: Answer | None = None

    @property
    def key(self) -> object:
        """The same for all mutants that part here with the same answer."""
        arguments = tuple(sorted(self.arguments.items())) if self.arguments else ()
        return self.row, self.event, arguments, said_by(self.new) if self.new else None, self.old is None


def said_by(answer: Answer) -> object:
    """Return what whoever asked is told: kind of answer, what comes after, what is given back and raised, what is wrong with the spec."""
    return type(answer).__name__, answer.after, answer.returned, answer.error, answer.reason if isinstance(answer, Refused) else ""


def first_apart(rows: Sequence[Row], one: World, other: World, slots: frozenset[Slot]) -> Apart | None:
    """Return the first place where two worlds part.

    Both machines are deterministic once arguments are chosen, and alike outside of `slots`. So where no reachable row of the one has an
    answer that differs, both reach the same rows, and no run can tell them apart.

    Args:
        rows: those of the first world from which a search goes on, breadth first.
        one: a machine.
        other: another one, with the same columns and beginnings.
        slots: where alone they may differ.

    Complexity: each event is asked once for what the columns that it looks at hold.
    """
    states = one.tables.states
    pairs = [_Pair(one, other, number) for number, event in enumerate(one.events) if any(event.rule.event == name for _, name in slots)]
    for place, row in enumerate(rows):
        for pair in pairs:
            if (states[row[0]], pair.event) in slots:
                found = pair.apart(row)
                if found is not None:
                    arguments, old, new = found
                    return Apart(place, pair.event, arguments, old, new)
    return None


class _Pair:
    """One event of two worlds."""

    def __init__(self, one: World, other: World, number: int) -> None:
        rule = one.events[number].rule
        like = next(each.rule for each in other.events if each.rule.event == rule.event)
        self.event, self._draws, self._worlds = rule.event, rule.draws, (one, other)
        self._reads = tuple(sorted({*rule.reads, *like.reads}))
        self._pick = picker(self._reads)
        self._known = set[Row]()
        signatures = [world.tables.behaviour.signature(rule.event) for world in self._worlds]
        meanings = [world.machine.data.definitions for world in self._worlds]
        self._others = like.draws if signatures[0] != signatures[1] or meanings[0] != meanings[1] else None

    def apart(self, row: Row) -> Parted | None:
        """Return arguments for which the two answer otherwise in a row."""
        numbers = self._pick(row)
        if numbers in self._known:
            return None
        self._known.add(numbers)
        one, other = self._worlds
        now = snapshot_of(one.tables, one.columns, dict(zip(self._reads, numbers, strict=True)))
        taken = self._taken_otherwise(now)
        if taken is not None:
            return taken
        for arguments in self._draws.of(now):
            old = decided(one.tables, now, self.event, arguments)
            new = decided(other.tables, now, self.event, arguments)
            if said_by(old) != said_by(new):
                return arguments, old, new
        return None

    def _taken_otherwise(self, now: Snapshot) -> Parted | None:
        """Return arguments that may be asked of one of the two only."""
        if self._others is None:
            return None
        mine, theirs = list(self._draws.of(now)), list(self._others.of(now))
        for arguments in theirs if mine != theirs else ():
            if arguments not in mine:
                return arguments, None, decided(self._worlds[1].tables, now, self.event, arguments)
        for arguments in mine if mine != theirs else ():
            if arguments not in theirs:
                return arguments, decided(self._worlds[0].tables, now, self.event, arguments), None
        return None
