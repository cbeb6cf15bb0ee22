"""All steps from some rows at once, under one packing: counted, watched, and gathered where they lead to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from attrs import define, field, frozen

from statemachines.explore.cells import Joined, Keys
from statemachines.explore.columns import Row
from statemachines.explore.decisions import Decisions
from statemachines.explore.distinct import distinct
from statemachines.explore.lookups import Answers, Array, Lock, Steps
from statemachines.explore.moves import Moved, Moves
from statemachines.explore.packing import Codes, Packing
from statemachines.explore.rules import Rule
from statemachines.explore.search import Goal
from statemachines.explore.visited import Level
from statemachines.explore.watching import Condition
from statemachines.explore.world import World

FEW = 16
"""Keys up to which rows are sorted out by them: then each step adds one number to all of them."""


@define(eq=False)
class Piece:
    """What was found in some rows of a level."""

    transitions: int = 0
    turned_down: int = 0
    steps: int = 0
    """Distinct ones: arguments that come to the same are one."""
    met: dict[int, list[Codes]] = field(factory=dict)
    """Goal to rows that meet it, or that a step leaves that does."""

    def reach(self, goal: int, codes: Codes) -> None:
        """Remember rows that meet a goal."""
        if len(codes):
            self.met.setdefault(goal, []).append(codes)


@frozen(eq=False)
class Wanted:
    """The goals that no earlier level has met, by what they look at."""

    rows: tuple[tuple[int, Goal], ...]
    steps: tuple[tuple[int, Goal], ...]
    stuck: tuple[tuple[int, Goal], ...]
    faults: tuple[int, ...]


def wanted(goals: Sequence[Goal], met: dict[int, Any]) -> Wanted:
    """Return the goals that are still looked for."""
    left = [(number, goal) for number, goal in enumerate(goals) if number not in met]
    return Wanted(
        tuple((number, goal) for number, goal in left if goal.row is not None),
        tuple((number, goal) for number, goal in left if goal.step is not None),
        tuple((number, goal) for number, goal in left if goal.stuck is not None),
        tuple(number for number, goal in left if goal.fault),
    )


@define(eq=False)
class Expansion:
    """The tables of all rules and conditions, for one packing; several threads may ask."""

    numpy: Any
    world: World
    packing: Packing
    lock: Lock
    decisions: list[Decisions]
    """What events with data do."""
    steps: list[Steps] = field(init=False)
    """What the other ones do."""
    moves: list[Moves] = field(init=False)
    answers: dict[int, Answers] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        groups: dict[tuple[int, ...], list[Rule]] = {}
        for rule in self.world.rules:
            if not rule.has_data:
                groups.setdefault(rule.reads, []).append(rule)
        self.steps = [Steps(self.numpy, self.packing, tuple(rules), reads, self.lock) for reads, rules in groups.items()]
        shared: dict[Row, Keys | Joined] = {}
        self.moves = [Moves(self.numpy, self.packing, each, shared, self.lock) for each in self.decisions]

    @property
    def leaves(self) -> bool:
        """Whether some step has left the range that is explored of integers."""
        return any(steps.leaves for steps in self.steps) or any(moves.leaves for moves in self.moves)

    @property
    def is_full(self) -> bool:
        """Whether what is remembered takes so much memory that it should be forgotten."""
        return any(moves.is_full for moves in self.moves)

    def answer(self, condition: Condition) -> Answers:
        """Return a condition's table."""
        found = self.answers.get(id(condition))
        if found is None:
            with self.lock:
                found = self.answers.setdefault(id(condition), Answers(self.numpy, self.packing, condition, self.lock))
        return found

    def inside(self, codes: Codes) -> Codes:
        """Leave out rows in which an integer without bounds has left the range that is explored."""
        for column, one in enumerate(self.world.columns):
            if any(one.outside):
                outside = self.numpy.array(one.outside, dtype=bool)
                for copy in range(self.world.copies):
                    codes = codes[~outside[self.packing.keys(codes, self.packing.runs((column,)), copy)]]
        return codes

    def look(self, codes: Codes, goals: Wanted, piece: Piece) -> None:
        """Look at the goals in rows."""
        for number, goal in goals.rows:
            if goal.watch is not None:
                piece.reach(number, codes[self.answer(goal.watch.condition).of(codes, goal.watch.copy) == goal.wanted])

    def expand(self, codes: Codes, goals: Wanted, level: Level, piece: Piece, spend: Callable[[Piece], None]) -> None:
        """Take all steps from rows.

        Args:
            codes: the rows.
            goals: what is looked for on the way.
            level: where it is gathered what steps lead to.
            piece: where it is counted.
            spend: is called now and then; what it raises ends it.

        Raises:
            NoRoom: the packing has no bits for a value that was met.
        """
        codes = self.inside(codes)
        changed = self.numpy.zeros(len(codes), dtype=bool) if goals.stuck else None
        for copy in range(self.world.copies):
            for steps in self.steps:
                self._step(steps, copy, codes, goals, level, piece, changed)
            for moves in self.moves:
                self._move(moves, copy, codes, goals, level, piece, changed, spend)
        if changed is not None and not changed.all():
            self._stuck(codes[~changed], goals, piece)

    def _step(self, steps: Steps, copy: int, codes: Codes, goals: Wanted, level: Level, piece: Piece, changed: Array) -> None:
        """Take the steps of events without data."""
        places = steps.places(codes, copy)
        counts, _, changes, turned_down, wrong = steps.arrays
        often = self.numpy.bincount(places, minlength=len(counts))
        piece.transitions += int(often @ counts)
        piece.steps += int(often @ counts)
        piece.turned_down += int(often @ turned_down)
        if goals.faults and wrong.any():
            self._wrong(codes[wrong.take(places)], goals, piece)
        if changed is not None:
            changed |= changes.take(places)
        if len(counts) <= FEW and not goals.steps:
            for after in self._sorted_out(steps, codes, places, often, copy):
                level.add(after)
            return
        for sources, after in self.taken(steps, codes, places, copy):
            self._watch(goals, codes if sources is None else codes.take(sources), after, piece)
            level.add(after)

    def _sorted_out(self, steps: Steps, codes: Codes, places: Array, often: Array, copy: int) -> Iterator[Codes]:
        """Yield where steps lead that change something."""
        shift, kinds = copy * self.packing.width, places.astype(self.numpy.uint8)
        for place in self.numpy.flatnonzero(often).tolist():
            deltas = {delta for delta in steps.deltas[place] if delta}
            if deltas:
                rows = codes.compress(kinds == place)
                yield from (rows + (delta << shift) for delta in deltas)

    def taken(self, steps: Steps, codes: Codes, places: Array, copy: int) -> Iterator[tuple[Array, Codes]]:
        """Yield the rows that steps leave (their places; None: all) and those that they lead to."""
        counts, added, *_ = steps.arrays
        many, shift = counts.take(places), copy * self.packing.width
        for number, row in enumerate(added << shift):
            if int(many.min(initial=0)) > number:
                yield None, codes + row.take(places)
            else:
                sources = self.numpy.flatnonzero(many > number)
                yield sources, codes.take(sources) + row.take(places.take(sources))

    def _move(
        self,
        moves: Moves,
        copy: int,
        codes: Codes,
        goals: Wanted,
        level: Level,
        piece: Piece,
        changed: Array,
        spend: Callable[[Piece], None],
    ) -> None:
        """Take the steps of an event with data."""
        begin = 0
        for rows, found, after in self.pairs(moves, codes, copy):
            piece.transitions += found.transitions
            piece.turned_down += found.turned_down
            piece.steps += found.pairs
            if goals.faults and len(found.wrong):
                self._wrong(rows[found.wrong], goals, piece)
            if goals.steps:
                self._watch(goals, rows.take(found.sources), after, piece)
            if changed is not None:
                changed[begin + found.sources[after != rows.take(found.sources)]] = True
            begin += len(rows)
            level.add(after)
            spend(piece)

    def pairs(self, moves: Moves, codes: Codes, copy: int) -> Iterator[tuple[Codes, Moved, Codes]]:
        """Yield some rows after others, their steps, and the rows after these."""
        if self.world.copies == 1:
            yield from ((found.rows, found, found.after) for found in moves.of(codes))
            return
        shift, mask, begin = copy * self.packing.width, (1 << self.packing.width) - 1, 0
        for found in moves.of((codes >> shift) & mask):
            rows = codes[begin : begin + len(found.rows)]
            begin += len(rows)
            yield rows, found, rows.take(found.sources) + ((found.after - found.rows.take(found.sources)) << shift)

    def _watch(self, goals: Wanted, before: Codes, after: Codes, piece: Piece) -> None:
        for number, goal in goals.steps:
            if goal.watch is not None:
                said = self.answer(goal.watch.condition).of(after, goal.watch.copy, before)
                piece.reach(number, distinct(self.numpy, before[said == goal.wanted]))

    def _stuck(self, codes: Codes, goals: Wanted, piece: Piece) -> None:
        rows = [(code, self.packing.row(code, self.world.copies)) for code in codes.tolist()]
        for number, goal in goals.stuck:
            found = [code for code, row in rows if goal.stuck is not None and goal.stuck(row)]
            piece.reach(number, self.numpy.array(found, dtype=self.numpy.int64))

    def _wrong(self, codes: Codes, goals: Wanted, piece: Piece) -> None:
        for number in goals.faults:
            piece.reach(number, codes)
