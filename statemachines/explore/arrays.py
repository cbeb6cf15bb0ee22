"""The same search on arrays: a whole level at once. It finds what `search` finds, the same traces included."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from attrs import define, field

from statemachines.explore.aspects import aspects_of
from statemachines.explore.checkpoints import Checkpoint
from statemachines.explore.crew import Crew, Stopped
from statemachines.explore.decisions import Decisions, decisions_of
from statemachines.explore.distinct import distinct
from statemachines.explore.expanding import Expansion, Piece, Wanted, wanted
from statemachines.explore.limits import Budget, Enough, Limits, left_range
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
        keep: where it is kept if it stops early; it goes on with what is there.
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
    world.look_at(run.drawing)
    try:
        run.run()
    except Enough:
        seen.gave_up = True
    except KeyboardInterrupt:
        run.seen.interrupted = True
        run.seen.bounds.append("interrupted")
    finally:
        world.look_at()
        crew.close()
    return None if run.overflow else run.end()


@define(eq=False)
class _Search:
    """A search as it goes, level by level."""

    world: World
    goals: Sequence[Goal]
    budget: Budget
    numpy: Any
    packing: Packing
    seen: Searched
    crew: Crew
    levels: list[Codes] = field(factory=list)
    met: dict[int, tuple[int, Codes]] = field(factory=dict)
    """Goal to the level where it was first met, and the rows there that meet it, or that a step leaves that does."""
    decisions: list[Decisions] = field(factory=list)
    """What events with data do, whatever the packing."""
    expansion: Expansion = field(init=False)
    steps: int = 0
    """Distinct ones that left the last level."""
    left: bool = False
    overflow: bool = False
    keep: Checkpoint | None = None
    mark: tuple[int, int, dict[int, tuple[int, Codes]]] = (0, 0, {})
    """Before the level that is gone through: transitions, what was turned down, goals that were met."""

    def run(self) -> None:
        """Go through all levels."""
        numpy = self.numpy
        self.prepare()
        if self.keep is not None and self.keep.engine == "arrays":
            visited = self.again(self.keep)
            self.go_on(visited, self.levels.pop())
            return
        begins = numpy.array([self.packing.code(row) for row in self.world.begins], dtype=numpy.int64)
        visited = Visited(numpy, self.packing.width * self.world.copies)
        self.go_on(visited, visited.fresh(begins))

    def end(self) -> Searched:
        """Return what was found, kept where it stopped early."""
        seen = self.seen
        if self.keep is not None and (seen.gave_up or seen.interrupted):
            self.save()
        if self.left:
            seen.bounds.append(left_range(self.world.extent))
        retrace = Retrace(self.numpy, self.world, self.expansion, self.levels)
        seen.paths = {number: retrace.path(self.goals[number], *met) for number, met in self.met.items()}
        return seen

    def go_on(self, visited: Visited, frontier: Codes) -> None:
        """Go through level after level."""
        while len(frontier):
            self.levels.append(frontier)
            self.seen.states += len(frontier)
            self.seen.deepest = len(self.levels) - 1
            piece = Piece()
            self.expansion.look(frontier, wanted(self.goals, self.met), piece)
            self.add(piece)
            self.mark = self.seen.transitions, self.seen.turned_down, dict(self.met)
            self.budget.look(self.seen.states, self.seen.transitions + self.seen.turned_down, self.seen.transitions)
            following = self.following(frontier, visited)
            while following is None:
                visited = self.repacked()
                if self.overflow:
                    return
                following = self.following(self.levels[-1], visited)
            frontier = following
            if self.expansion.is_full:
                self.prepare()

    def again(self, keep: Checkpoint) -> Visited:
        """Take up a search that stopped: all of its levels, the last of which is to be gone through."""
        numpy, stored = self.numpy, keep.stored
        found = numpy.array(keep.blobs["codes"], dtype=numpy.int64)
        self.levels = numpy.split(found, numpy.cumsum(stored["levels"])[:-1])
        self.met = {goal: (level, numpy.array(codes, dtype=numpy.int64)) for goal, level, codes in stored["met"]}
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
        if self.keep is None or not self.levels:  # it had not begun
            return
        transitions, turned_down, found = self.mark
        met = [(goal, level, codes.tolist()) for goal, (level, codes) in found.items()]
        stored = {"bits": self.packing.bits, "levels": [len(codes) for codes in self.levels], "met": met, "left": self.left}
        stored |= {"transitions": transitions, "turned_down": turned_down}
        codes = self.numpy.concatenate(self.levels).tolist() if self.levels else []
        self.keep.save(self.world, "arrays", stored, {"codes": codes})

    def following(self, frontier: Codes, visited: Visited) -> Codes | None:
        """Return the next level; None where some value has no room: then nothing was counted."""
        seen, before = self.seen, (self.seen.transitions, self.seen.turned_down, dict(self.met))
        level, last, self.steps = visited.begin(len(frontier)), self.steps, 0
        try:
            self.expand(frontier, level, last)
            return level.end()
        except NoRoom:
            seen.transitions, seen.turned_down, self.met = before
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

    def prepare(self) -> None:
        """Make the tables of the rules and conditions for the packing."""
        if not self.decisions:
            aspects = aspects_of(self.world.tables, self.world.columns)
            self.decisions = [decisions_of(rule, self.packing, aspects) for rule in self.world.rules if rule.has_data]
        self.expansion = Expansion(self.numpy, self.world, self.packing, self.crew.lock, self.decisions)

    def repacked(self) -> Visited:
        """Give columns the bits that they need now, and some to grow."""
        packing = packing_with_room(self.world)
        if packing is None:
            self.overflow = True
            return Visited(self.numpy, 1)
        copies, old = self.world.copies, self.packing
        self.levels = [self.numpy.sort(old.moved(codes, packing, copies)) for codes in self.levels]
        self.met = {number: (level, old.moved(codes, packing, copies)) for number, (level, codes) in self.met.items()}
        self.mark = *self.mark[:2], dict(self.met)
        self.packing = packing
        self.prepare()
        return self.visited()


def pieces(codes: Codes, many: int) -> Iterator[Codes]:
    """Cut a level into pieces of so many rows."""
    for begin in range(0, len(codes), many):
        yield codes[begin : begin + many]
