"""The same search on arrays: a whole level at once. It finds what `search` finds, the same traces included."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from attrs import define, evolve, field, frozen

from statemachines.explore.aspects import aspects_of
from statemachines.explore.checkpoints import Checkpoint
from statemachines.explore.crew import Crew, Stopped
from statemachines.explore.decisions import Decisions, decisions_of
from statemachines.explore.distinct import distinct
from statemachines.explore.expanding import Expansion, Piece, Wanted, wanted
from statemachines.explore.limits import Budget, Limits, left_range
from statemachines.explore.lookups import NoRoom
from statemachines.explore.packing import Codes, Packing, packing_with_room
from statemachines.explore.retracing import Retrace
from statemachines.explore.search import Goal, Searched
from statemachines.explore.visited import Level, Visited
from statemachines.explore.world import World

PIECE = 1 << 16
"""Rows that are worked on at once."""
SHARE = 1 << 20
"""Steps for which a piece is given to a thread: enough for numpy to be long at work. There are threads where each gets so many."""


def have_arrays() -> bool:
    """Tell whether numpy is installed."""
    return find_spec("numpy") is not None


def array_search(world: World, goals: Sequence[Goal], limits: Limits, keep: Checkpoint | None = None, jobs: int = 1) -> Searched | None:
    """Visit every row that can be reached; None where a row does not fit into 62 bits.

    Args:
        world: what is explored.
        goals: what is looked for on the way.
        limits: where it gives up.
        keep: where its `save` keeps it; it goes on with what is there.
        jobs: threads; what is found does not depend on them. Where there is a ceiling of steps, one.

    Complexity: some ten operations on arrays a step; 8 bytes a row, and two maps of all rows, a byte each, where they have 27 bits or less.
        Threads share the work of numpy on large levels, not that of Python: rules and conditions that are asked for the first time.
    """
    if keep is not None and keep.engine == "arrays":
        keep.restore(world)
        packing: Packing | None = Packing(tuple(keep.stored["bits"]))
    else:
        packing = packing_with_room(world)
    if packing is None:
        return None
    seen, crew = Searched(), Crew(jobs if limits.most_steps is None else 1)
    run = _Search(world, goals, Budget(limits, seen.bounds), import_module("numpy"), packing, seen, crew, keep=keep)
    seen.save = run.save
    world.look_at(run.drawing)
    try:
        with seen.noted():
            run.run()
    finally:
        world.look_at()
        crew.close()
    return None if run.overflow and not seen.early else run.end()


@frozen(eq=False)
class _Packed:
    """What a packing is part of: replaced as a whole, so that an interrupt finds either all of the old or all of the new."""

    packing: Packing
    levels: list[Codes]
    met: dict[int, tuple[int, Codes]]
    """Goal to the level where it was first met, and the rows there that meet it, or that a step leaves that does."""
    expansion: Expansion


@frozen(eq=False)
class _Mark:
    """A search before a level is gone through: all that its file keeps, whatever happens after it."""

    packing: Packing
    levels: list[Codes]
    many: int
    """Of the levels: later ones are not known yet."""
    met: dict[int, tuple[int, Codes]]
    transitions: int
    turned_down: int
    left: bool


@define(eq=False)
class _Search:
    """A search as it goes, level by level."""

    world: World
    goals: Sequence[Goal]
    budget: Budget
    numpy: Any
    begun: Packing
    """The packing with which it begins."""
    seen: Searched
    crew: Crew
    decisions: list[Decisions] = field(factory=list)
    """What events with data do, whatever the packing."""
    packed: _Packed = field(init=False)
    steps: int = 0
    """Distinct ones that left the last level."""
    left: bool = False
    overflow: bool = False
    keep: Checkpoint | None = None
    mark: _Mark | None = None
    """None: it has not begun."""

    def __attrs_post_init__(self) -> None:
        self.packed = _Packed(self.begun, [], {}, self.expansion_of(self.begun))

    @property
    def packing(self) -> Packing:
        return self.packed.packing

    @property
    def levels(self) -> list[Codes]:
        return self.packed.levels

    @property
    def met(self) -> dict[int, tuple[int, Codes]]:
        return self.packed.met

    @property
    def expansion(self) -> Expansion:
        return self.packed.expansion

    def run(self) -> None:
        """Go through all levels."""
        numpy, aspects = self.numpy, aspects_of(self.world.tables, self.world.columns)
        self.decisions = [decisions_of(rule, self.begun, aspects) for rule in self.world.rules if rule.has_data]
        self.packed = evolve(self.packed, expansion=self.expansion_of(self.begun))
        if self.keep is not None and self.keep.engine == "arrays":
            visited = self.again(self.keep)
            self.go_on(visited, self.levels.pop())
            return
        begins = numpy.array([self.packing.code(row) for row in self.world.begins], dtype=numpy.int64)
        visited = Visited(numpy, self.packing.width * self.world.copies)
        self.go_on(visited, visited.fresh(begins))

    def end(self) -> Searched:
        """Return what was found."""
        seen = self.seen
        if seen.starved:
            self.world.forget()
        if self.left:
            seen.bounds.append(left_range(self.world.extent))
        retrace = Retrace(self.numpy, self.world, self.expansion, self.levels)
        seen.met = frozenset(self.met)
        shown = {number: met for number, met in self.met.items() if self.goals[number].is_shown}
        seen.paths = {number: retrace.path(self.goals[number], *met) for number, met in shown.items()}
        return seen

    def go_on(self, visited: Visited, frontier: Codes) -> None:
        """Go through level after level."""
        while len(frontier):
            self.levels.append(frontier)
            self.note()
            self.seen.states += len(frontier)
            self.seen.deepest = len(self.levels) - 1
            piece = Piece()
            self.expansion.look(frontier, wanted(self.goals, self.met), piece)
            self.add(piece)
            self.budget.look(self.seen.states, self.seen.transitions + self.seen.turned_down, self.seen.transitions)
            following = self.following(frontier, visited)
            while following is None:
                visited = self.repacked()
                if self.overflow:
                    return
                following = self.following(self.levels[-1], visited)
            frontier = following
            if self.expansion.is_full:
                self.packed = evolve(self.packed, expansion=self.expansion_of(self.packing))

    def note(self) -> None:
        """Note how far the search is: what comes after this is done again where it is interrupted."""
        seen, packed = self.seen, self.packed
        met = dict(packed.met)
        self.mark = _Mark(packed.packing, packed.levels, len(packed.levels), met, seen.transitions, seen.turned_down, self.left)

    def again(self, keep: Checkpoint) -> Visited:
        """Take up a search that stopped: all of its levels, the last of which is to be gone through."""
        numpy, stored = self.numpy, keep.stored
        found = numpy.array(keep.blobs["codes"], dtype=numpy.int64)
        levels = numpy.split(found, numpy.cumsum(stored["levels"])[:-1])
        met = {goal: (level, numpy.array(codes, dtype=numpy.int64)) for goal, level, codes in stored["met"]}
        self.packed = evolve(self.packed, levels=levels, met=met)
        self.seen.transitions, self.seen.turned_down, self.left = stored["transitions"], stored["turned_down"], stored["left"]
        self.seen.states = len(found) - len(self.levels[-1])
        return self.visited()

    def visited(self) -> Visited:
        """Return all levels as a set."""
        visited = Visited(self.numpy, self.packing.width * self.world.copies)
        for codes in self.levels:
            visited.fresh(codes)
        return visited

    def save(self) -> None:
        """Write the search to its file, as it was before the level that was being gone through."""
        mark = self.mark
        if self.keep is None or mark is None:
            return
        levels = mark.levels[: mark.many]
        met = [(goal, level, codes.tolist()) for goal, (level, codes) in mark.met.items()]
        stored = {"bits": mark.packing.bits, "levels": [len(codes) for codes in levels], "met": met, "left": mark.left}
        stored |= {"transitions": mark.transitions, "turned_down": mark.turned_down}
        self.seen.bounds += self.keep.save(self.world, "arrays", stored, {"codes": levels})

    def following(self, frontier: Codes, visited: Visited) -> Codes | None:
        """Return the next level; None where some value has no room: then nothing was counted."""
        seen, before = self.seen, (self.seen.transitions, self.seen.turned_down, dict(self.met))
        level, last, self.steps = visited.begin(len(frontier)), self.steps, 0
        try:
            self.expand(frontier, level, last)
            return level.end()
        except NoRoom:
            seen.transitions, seen.turned_down, met = before
            self.packed = evolve(self.packed, met=met)
            self.steps = last
            return None
        finally:
            self.left = self.left or self.expansion.leaves

    def expand(self, frontier: Codes, level: Level, last: int) -> None:
        """Take all steps from a level: alone, or with others where the level before (`last`: its steps) says that there are many."""
        goals = wanted(self.goals, self.met)
        steps = last * len(frontier) // max(1, len(self.levels[-2]) if len(self.levels) > 1 else 1)
        if self.crew.jobs == 1 or steps < SHARE * self.crew.jobs:
            for codes in pieces(frontier, PIECE):
                self.work(codes, goals, level)
            return
        many = max(len(frontier) * SHARE // max(1, steps), -(-len(frontier) // (8 * self.crew.jobs)))
        self.crew.each(lambda codes: self.work(codes, goals, level), [*pieces(frontier, min(PIECE, many))], self.spend)

    def work(self, codes: Codes, goals: Wanted, level: Level) -> None:
        """Take all steps from some rows; what is known counts even where it ends early."""
        piece = Piece()
        try:
            self.expansion.expand(codes, goals, level, piece, self.spent)
        finally:
            self.add(piece)

    def spent(self, piece: Piece) -> None:
        """Look at the limits, in the only thread; in one of several, whether to stop.

        Raises:
            Enough: a limit was hit.
            Stopped: another thread ends the level.
        """
        if self.crew.stop:
            raise Stopped
        if not self.crew.busy:
            seen = self.seen
            steps = seen.transitions + seen.turned_down + piece.transitions + piece.turned_down
            self.budget.spend(seen.states, steps, seen.transitions + piece.transitions)

    def drawing(self) -> None:
        """Look at the limits while arguments are drawn; in one of several threads, whether to stop.

        Raises:
            Enough: a limit was hit.
            Stopped: another thread ends the level.
        """
        if self.crew.stop:
            raise Stopped
        if not self.crew.busy:
            self.spend()

    def spend(self) -> None:
        """Look at the limits while others work."""
        seen = self.seen
        self.budget.spend(seen.states, seen.transitions + seen.turned_down, seen.transitions)

    def add(self, piece: Piece) -> None:
        """Add what was found in some rows of the last level; of a goal, rows of the first level count that has some."""
        with self.crew.lock:
            self.seen.transitions += piece.transitions
            self.seen.turned_down += piece.turned_down
            self.steps += piece.steps
            for number, codes in piece.met.items():
                known = [self.met[number][1]] if number in self.met else []
                self.met[number] = len(self.levels) - 1, distinct(self.numpy, self.numpy.concatenate([*known, *codes]))

    def expansion_of(self, packing: Packing) -> Expansion:
        """Return the tables of the rules and conditions for a packing."""
        return Expansion(self.numpy, self.world, packing, self.crew.lock, self.decisions)

    def repacked(self) -> Visited:
        """Give columns the bits that they need now, and some to grow."""
        packing = packing_with_room(self.world)
        if packing is None:
            self.overflow = True
            return Visited(self.numpy, 1)
        copies, old = self.world.copies, self.packing
        levels = [self.numpy.sort(old.moved(codes, packing, copies)) for codes in self.levels]
        met = {number: (level, old.moved(codes, packing, copies)) for number, (level, codes) in self.met.items()}
        self.packed = _Packed(packing, levels, met, self.expansion_of(packing))
        self.note()
        return self.visited()


def pieces(codes: Codes, many: int) -> Iterator[Codes]:
    """Cut a level into pieces of so many rows."""
    for begin in range(0, len(codes), many):
        yield codes[begin : begin + many]
