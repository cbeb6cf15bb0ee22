"""The same search on arrays: a whole level at once. It finds what `search` finds, the same traces included."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from attrs import define, field

from statemachines.explore.checkpoints import Checkpoint
from statemachines.explore.columns import Row
from statemachines.explore.decisions import Decisions, decisions_of
from statemachines.explore.limits import Budget, Enough, Limits, left_range
from statemachines.explore.lookups import Answers, Array, Steps
from statemachines.explore.moves import Keys, Moved, Moves, NoRoom
from statemachines.explore.packing import Codes, Packing, fits, packing_with_room
from statemachines.explore.rules import Rule
from statemachines.explore.search import Goal, Path, Searched
from statemachines.explore.visited import Visited
from statemachines.explore.watching import Condition
from statemachines.explore.world import World

PIECE = 1 << 18
"""Rows that are worked on at once."""


def have_arrays() -> bool:
    """Tell whether numpy is installed."""
    return find_spec("numpy") is not None


def array_search(world: World, goals: Sequence[Goal], limits: Limits, keep: Checkpoint | None = None) -> Searched | None:
    """Visit every row that can be reached; None where a row does not fit into 62 bits.

    Args:
        world: what is explored.
        goals: what is looked for on the way.
        limits: where it gives up.
        keep: where it is kept if it stops early; it goes on with what is there.

    Complexity: some ten operations on arrays a step; 8 bytes a row, and a bit map of all rows where these have at most 27 bits.
    """
    if keep is not None and keep.engine == "arrays":
        keep.restore(world)
        packing: Packing | None = Packing(tuple(keep.stored["bits"]))
    else:
        packing = packing_with_room(world)
    if packing is None:
        return None
    seen = Searched()
    run = _Search(world, goals, Budget(limits, seen.bounds), import_module("numpy"), packing, seen, keep=keep)
    try:
        run.run()
    except Enough:
        seen.gave_up = True
    except KeyboardInterrupt:
        run.seen.interrupted = True
        run.seen.bounds.append("interrupted")
    if run.overflow:
        return None
    if keep is not None and (seen.gave_up or seen.interrupted):
        run.save()
    if run.left:
        run.seen.bounds.append(left_range(world.extent))
    run.seen.paths = {number: run.path(number) for number in run.met}
    return run.seen


@define(eq=False)
class _Search:
    """A search as it goes, level by level."""

    world: World
    goals: Sequence[Goal]
    budget: Budget
    numpy: Any
    packing: Packing
    seen: Searched
    levels: list[Codes] = field(factory=list)
    met: dict[int, tuple[int, Codes]] = field(factory=dict)
    """Goal to the level where it was first met, and the rows there that meet it, or that a step leaves that does."""
    steps: list[Steps] = field(factory=list)
    """What events without data do."""
    decisions: list[Decisions] = field(factory=list)
    """What the other ones do, whatever the packing."""
    moves: list[Moves] = field(factory=list)
    answers: dict[int, Answers] = field(factory=dict)
    left: bool = False
    overflow: bool = False
    keep: Checkpoint | None = None
    mark: tuple[int, int, dict[int, tuple[int, Codes]]] = (0, 0, {})
    """Before the level that is gone through: transitions, what was turned down, goals that were met."""

    def run(self) -> None:
        numpy = self.numpy
        self.prepare()
        if self.keep is not None and self.keep.engine == "arrays":
            visited = self.again(self.keep)
            self.go_on(visited, self.levels.pop())
            return
        begins = numpy.unique(numpy.array([self.packing.code(row) for row in self.world.begins], dtype=numpy.int64))
        visited = Visited(numpy, self.packing.width * self.world.copies)
        self.go_on(visited, visited.fresh([begins]))

    def go_on(self, visited: Visited, frontier: Codes) -> None:
        """Go through level after level."""
        while len(frontier):
            self.levels.append(frontier)
            self.seen.states += len(frontier)
            self.seen.deepest = len(self.levels) - 1
            self.look(frontier)
            self.mark = self.seen.transitions, self.seen.turned_down, dict(self.met)
            self.budget.look(self.seen.states, self.seen.transitions + self.seen.turned_down, self.seen.transitions)
            following = self.following(frontier, visited)
            while following is None:
                visited = self.repacked()
                if self.overflow:
                    return
                following = self.following(self.levels[-1], visited)
            frontier = following
            if any(moves.is_full for moves in self.moves):
                self.prepare()

    def again(self, keep: Checkpoint) -> Visited:
        """Take up a search that stopped: all of its levels, the last of which is to be gone through."""
        numpy, stored = self.numpy, keep.stored
        found = numpy.array(keep.blobs["codes"], dtype=numpy.int64)
        self.levels = numpy.split(found, numpy.cumsum(stored["levels"])[:-1])
        self.met = {goal: (level, numpy.array(codes, dtype=numpy.int64)) for goal, level, codes in stored["met"]}
        self.seen.transitions, self.seen.turned_down, self.left = stored["transitions"], stored["turned_down"], stored["left"]
        self.seen.states = len(found) - len(self.levels[-1])
        visited = Visited(numpy, self.packing.width * self.world.copies)
        for codes in self.levels:
            visited.fresh([codes])
        return visited

    def save(self) -> None:
        """Write the search to its file, as it was before the level that was being gone through."""
        if self.keep is None:
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
        try:
            if self.ask(frontier):
                return visited.fresh([visited.new(codes) for codes in self.expand(frontier)])
        except NoRoom:
            pass
        seen.transitions, seen.turned_down, self.met = before
        return None

    def prepare(self) -> None:
        """Make the tables of the rules and conditions for the packing."""
        groups: dict[tuple[int, ...], list[Rule]] = {}
        for rule in self.world.rules:
            if not rule.has_data:
                groups.setdefault(rule.reads, []).append(rule)
        self.steps = [Steps(self.numpy, self.packing, tuple(rules), reads) for reads, rules in groups.items()]
        if not self.decisions:
            self.decisions = [decisions_of(rule, self.packing) for rule in self.world.rules if rule.has_data]
        shared: dict[Row, Keys] = {}
        self.moves = [Moves(self.numpy, self.packing, each, shared) for each in self.decisions]
        self.answers = {}

    def answer(self, condition: Condition) -> Answers:
        """Return a condition's table."""
        found = self.answers.get(id(condition))
        if found is None:
            found = self.answers[id(condition)] = Answers(self.numpy, self.packing, condition)
        return found

    def pieces(self, codes: Codes) -> Iterator[Codes]:
        """Cut a level, and leave out rows from which nothing is explored."""
        for begin in range(0, len(codes), PIECE):
            yield self.inside(codes[begin : begin + PIECE])

    def inside(self, codes: Codes) -> Codes:
        """Leave out rows in which an integer without bounds has left the range that is explored."""
        for column, one in enumerate(self.world.columns):
            if any(one.outside):
                outside = self.numpy.array(one.outside, dtype=bool)
                for copy in range(self.world.copies):
                    codes = codes[~outside[self.packing.keys(codes, self.packing.runs((column,)), copy)]]
        return codes

    def ask(self, frontier: Codes) -> bool:
        """Ask every rule about every key of a level; tell whether all values that it brought have room."""
        for codes in self.pieces(frontier):
            for steps in self.steps:
                for copy in range(self.world.copies):
                    steps.places(codes, copy)
        self.left = self.left or any(steps.leaves for steps in self.steps)
        return fits(self.world, self.packing)

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
        visited = Visited(self.numpy, packing.width * copies)
        for codes in self.levels:
            visited.fresh([codes])
        return visited

    def look(self, frontier: Codes) -> None:
        """Look at the goals in the rows of a level."""
        for number, goal in enumerate(self.goals):
            if goal.row is not None and goal.watch is not None and number not in self.met:
                found = frontier[self.answer(goal.watch.condition).of(frontier, goal.watch.copy) == goal.wanted]
                self.reach(number, found)

    def reach(self, number: int, codes: Codes) -> None:
        """Remember rows of the last level that meet a goal, unless an earlier level has some."""
        if len(codes):
            level, known = self.met.get(number, (len(self.levels) - 1, codes[:0]))
            if level == len(self.levels) - 1:
                self.met[number] = level, self.numpy.union1d(known, codes)

    def expand(self, frontier: Codes) -> Iterator[Codes]:
        """Yield where steps lead from a level, with repetitions, and look at the goals that concern steps."""
        watched = [(number, goal) for number, goal in enumerate(self.goals) if goal.step is not None]
        stopped = [number for number, goal in enumerate(self.goals) if goal.stuck is not None]
        for codes in self.pieces(frontier):
            moved = self.numpy.zeros(len(codes), dtype=bool)
            for steps in self.steps:
                for copy in range(self.world.copies):
                    places = steps.places(codes, copy)
                    moved |= self.count(steps, codes, places)
                    for sources, after in self.taken(steps, codes, places, copy):
                        self.watch(watched, codes if sources is None else codes[sources], after)
                        yield after
            for moves in self.moves:
                for copy in range(self.world.copies):
                    yield from self.moved(moves, codes, copy, watched, moved)
            if stopped and not moved.all():
                self.stuck(stopped, codes[~moved])

    def moved(self, moves: Moves, codes: Codes, copy: int, watched: list[tuple[int, Goal]], changed: Array) -> Iterator[Codes]:
        """Yield where the steps of an event with data lead, and mark the rows that some step changes."""
        begin = 0
        moves.transitions, moves.turned_down = 0, 0
        for rows, found, after in self.pairs(moves, codes, copy):
            if len(found.wrong):
                self.fault(rows[found.wrong])
            self.watch(watched, rows[found.sources], after)
            changed[begin + found.sources[after != rows[found.sources]]] = True
            begin += len(rows)
            self.budget.spend(self.seen.states, self.seen.transitions + moves.transitions + moves.turned_down, self.seen.transitions)
            yield after
        self.seen.transitions += moves.transitions
        self.seen.turned_down += moves.turned_down
        self.left = self.left or moves.leaves

    def pairs(self, moves: Moves, codes: Codes, copy: int) -> Iterator[tuple[Codes, Moved, Codes]]:
        """Yield some rows after others, their steps, and the rows after these."""
        shift, mask, begin = copy * self.packing.width, (1 << self.packing.width) - 1, 0
        for found in moves.of((codes >> shift) & mask):
            rows = codes[begin : begin + len(found.rows)]
            begin += len(rows)
            yield rows, found, rows[found.sources] + ((found.after - found.rows[found.sources]) << shift)

    def taken(self, steps: Steps, codes: Codes, places: Array, copy: int) -> Iterator[tuple[Array, Codes]]:
        """Yield the rows that steps leave (None: all) and those that they lead to."""
        counts, added, *_ = steps.arrays
        many, shift = counts[places], copy * self.packing.width
        for number, row in enumerate(added << shift):
            if int(many.min(initial=0)) > number:
                yield None, codes + row[places]
            else:
                sources = self.numpy.flatnonzero(many > number)
                yield sources, codes[sources] + row[places[sources]]

    def count(self, steps: Steps, codes: Codes, places: Array) -> Array:
        """Count steps and what is turned down, look for faults; tell of each row whether something changes it."""
        counts, _, changes, turned_down, wrong = steps.arrays
        often = self.numpy.bincount(places, minlength=len(counts))
        self.seen.transitions += int(often @ counts)
        self.seen.turned_down += int(often @ turned_down)
        if wrong.any():
            self.fault(codes[wrong[places]])
        return changes[places]

    def watch(self, watched: list[tuple[int, Goal]], before: Codes, after: Codes) -> None:
        for number, goal in watched:
            if goal.watch is not None and self.met.get(number, (len(self.levels) - 1,))[0] == len(self.levels) - 1:
                said = self.answer(goal.watch.condition).of(after, goal.watch.copy, before)
                self.reach(number, before[said == goal.wanted])

    def stuck(self, stopped: list[int], codes: Codes) -> None:
        rows = [(code, self.packing.row(code, self.world.copies)) for code in codes.tolist()]
        for number in stopped:
            asked = self.goals[number].stuck
            found = [code for code, row in rows if asked is not None and asked(row)]
            self.reach(number, self.numpy.array(found, dtype=self.numpy.int64))

    def fault(self, codes: Codes) -> None:
        for number, goal in enumerate(self.goals):
            if goal.fault:
                self.reach(number, codes)

    def path(self, number: int) -> Path:
        """Return the way to a goal that `search` would have met first: at each step the first one that may still get there."""
        level, good = self.met[number]
        ways = [good]
        for codes in reversed(self.levels[:level]):
            ways.append(self.leading(codes, ways[-1]))
        ways.reverse()
        rows = [self.first(self.world.begins, ways[0])]
        for way in ways[1:]:
            rows.append(self.first((after for _, _, after in self.world.steps(rows[-1])), way))
        return self.ended(self.goals[number], rows)

    def leading(self, codes: Codes, good: Codes) -> Codes:
        """Return the rows of a level from which a step leads to one of the good ones."""
        found = [codes[:0]]
        for piece in self.pieces(codes):
            for steps in self.steps:
                for copy in range(self.world.copies):
                    for sources, after in self.taken(steps, piece, steps.places(piece, copy), copy):
                        found.append((piece if sources is None else piece[sources])[self.numpy.isin(after, good)])
            for moves in self.moves:
                for copy in range(self.world.copies):
                    for rows, steps_taken, after in self.pairs(moves, piece, copy):
                        found.append(self.numpy.unique(rows[steps_taken.sources][self.numpy.isin(after, good)]))
        return self.numpy.unique(self.numpy.concatenate(found))

    def first(self, rows: Sequence[Row] | Iterator[Row], good: Codes) -> Row:
        wanted = set(good.tolist())
        return next(row for row in rows if self.packing.code(row) in wanted)

    def ended(self, goal: Goal, rows: list[Row]) -> Path:
        if goal.step is not None:
            after = next(after for _, _, after in self.world.steps(rows[-1]) if goal.step(rows[-1], after))
            return Path(tuple(rows), after)
        if goal.fault:
            event = next(event for event in self.world.events if event.doings(rows[-1]).wrong)
            arguments, said = event.doings(rows[-1]).wrong[0]
            return Path(tuple(rows), None, event.rule.event, arguments, said)
        return Path(tuple(rows))
