"""Every row of a system that can be reached, breadth first: so the first row that is wrong is the end of a shortest way to it."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator

from attrs import define, field

from statemachines.explore.checkpoints import Checkpoint, Stored
from statemachines.explore.columns import Row
from statemachines.explore.limits import Budget, Ending, Limits, left_range, unlimited
from statemachines.explore.search import BEGINNINGS, Canonical, chunks
from statemachines.explore.system_checkpoints import restore_world, world_stored
from statemachines.explore.system_results import SystemTrace
from statemachines.explore.system_rules import Rules
from statemachines.explore.system_world import SystemStep, SystemWorld
from statemachines.explore.walking_systems import SystemOccurrence
from statemachines.model.snapshots import Raised


@define(eq=False, kw_only=True)
class Run(Ending):
    """A search as it goes."""

    world: SystemWorld
    canonical: Canonical | None
    raising: bool
    rules: Rules
    rows: list[Row] = field(factory=list)
    place: dict[Row, int] = field(factory=dict)
    parents: array[int] = field(factory=lambda: array("q"))
    transitions: int = 0
    turned_down: int = 0
    deepest: int = 0
    met: dict[int, tuple[int, bool]] = field(factory=dict)
    """Place of a property to the row that meets it, and whether a step from there does."""
    fired: set[int] = field(factory=set)
    """Numbers of links that sent something."""
    left: bool = False
    """Whether an integer without bounds left the range that is explored."""

    keep: Checkpoint | None = None
    mark: tuple[int, int, int, int, int, int, int] = (0, 0, 0, 0, 0, 0, 0)
    """Before the row that is looked at: its place, where its level ends, then how many rows, transitions and so on there were.

    All that a file keeps is taken from here, and it is replaced at once: so an interrupt may come anywhere between.
    """

    def go(self, budget: Budget) -> None:
        """Visit all rows."""
        world = self.world
        world.spend = lambda: budget.spend(0, 0, 0)
        end, place = self.begun()
        world.spend = lambda: budget.spend(len(self.rows), self.transitions + world.turned_down + place, self.transitions)
        while place < len(self.rows):
            if place == end:
                self.deepest, end = self.deepest + 1, len(self.rows)
            self.note(place, end)
            world.spend()
            if len(self.rows) > budget.limits.most_states:
                budget.look(len(self.rows), budget.looked, self.transitions)
            self.expand(place)
            place += 1
        self.note(place, end)

    def note(self, place: int, end: int) -> None:
        """Note how far the search is: what comes after this is done again where it is interrupted."""
        world = self.world
        self.mark = (place, end, len(self.rows), self.transitions, world.turned_down, len(world.wrong), self.deepest)

    def begun(self) -> tuple[int, int]:
        """Meet the first rows, or those of a search that stopped; return where its last level ends, and which row is next."""
        if self.keep is None or not self.keep.engine:
            for number, row in enumerate(self.world.begins, 1):
                if number % BEGINNINGS == 0:
                    self.world.spend()
                self.meet(row, -1)
            return len(self.rows), 0
        restore_world(self.world, self.keep)
        stored, width, numbers = self.keep.stored, len(self.world.places) + 3, self.keep.blobs["rows"]
        self.rows.extend(tuple(numbers[begin : begin + width]) for begin in range(0, len(numbers), width))
        self.place = {row: place for place, row in enumerate(self.rows)}
        self.parents.extend(self.keep.blobs["parents"])
        self.transitions, self.world.turned_down, self.deepest = stored["transitions"], stored["turned_down"], stored["deepest"]
        self.left, self.fired = stored["left"], set(stored["fired"])
        self.met = {number: (place, is_step) for number, place, is_step in stored["met"]}
        self.world.wrong = [self.rows[place] for place in stored["wrong"]]
        return stored["end"], stored["next"]

    def ended_before_it_began(self) -> Run:
        """Return the search of a world not all of whose beginnings were found: they are all that is known."""
        self.rows = list(self.world.begins)
        self.place = {row: place for place, row in enumerate(self.rows)}
        self.gave_up, self.interrupted, self.starved = True, self.world.stopped.interrupted, self.world.stopped.starved
        return self

    def save(self) -> None:
        """Write the search to its file, as it was before the row that was being looked at."""
        place, end, many, transitions, turned_down, wrong, deepest = self.mark
        if self.keep is None or not many:  # it had not begun
            return
        met = [[number, at, is_step] for number, (at, is_step) in self.met.items() if at < many and not (at == place and is_step)]
        told: Stored = {"end": end, "next": place, "transitions": transitions, "turned_down": turned_down, "deepest": deepest}
        told |= {"left": self.left, "fired": sorted(self.fired), "met": met}
        told |= {"wrong": [self.place[row] for row in self.world.wrong[:wrong]]}
        blobs = {"rows": chunks(self.rows, many), "parents": [self.parents[:many]]}
        self.bounds += self.keep.write("system", told | world_stored(self.world), blobs)

    def meet(self, row: Row, parent: int) -> None:
        """Add a row that is new, and look at what is claimed of it."""
        if self.canonical is not None:
            row = self.canonical(row)
        if row in self.place:
            return
        place = self.place[row] = len(self.rows)
        self.rows.append(row)
        self.parents.append(parent)
        for number in self.rules.met_by_row(row, self.met):
            self.met[number] = place, False

    def expand(self, place: int) -> None:
        """Take every step from a row."""
        row, moves = self.rows[place], False
        if self.world.is_outside(row):
            self.left = True
            return
        for step in self.world.steps(row):
            self.fired.update(_senders(step.occurrence))
            if not self.raising and has_raised(step.occurrence):
                continue
            self.transitions += step.weight
            moves = moves or step.after != row
            for number in self.rules.met_by_step(row, step.after, self.met):
                self.met[number] = place, True
            self.meet(step.after, place)
        if not moves:
            for number in self.rules.met_by_standing(row, self.met):
                self.met[number] = place, False

    def trace(self, number: int) -> SystemTrace:
        """Return the way to what a property looked for."""
        place, is_step = self.met[number]
        if not is_step:
            return self.way(place)
        wanted = self.rules.step_wanted(number)
        return self.way(place, lambda row, step: wanted(row, step.after))

    def way(self, place: int, last: Callable[[Row, SystemStep], bool] | None = None) -> SystemTrace:
        """Return a shortest way to a row, and a last step from there where one is asked for."""
        rows = [self.rows[place]]
        while (place := self.parents[place]) >= 0:
            rows.append(self.rows[place])
        rows.reverse()
        now = next(row for row in self.world.begins if self.same(row) == rows[0])
        begin, steps = self.world.snapshot(now), list[SystemOccurrence]()
        for following in rows[1:]:
            step = next(each for each in self.steps(now) if self.same(each.after) == following)
            steps.append(step.occurrence)
            now = step.after
        if last is not None:
            steps.append(next(each.occurrence for each in self.steps(now) if last(now, each)))
        return SystemTrace(begin, tuple(steps))

    def steps(self, row: Row) -> Iterator[SystemStep]:
        """Yield the steps that the search takes from a row."""
        return (step for step in self.world.steps(row) if self.raising or not has_raised(step.occurrence))

    def same(self, row: Row) -> Row:
        """Return the row that stands for one."""
        return row if self.canonical is None else self.canonical(row)


def searched(world: SystemWorld, limits: Limits, canonical: Canonical | None, *, raising: bool, keep: Checkpoint | None = None) -> Run:
    """Visit every row of a system.

    Args:
        world: the system.
        limits: where it gives up.
        canonical: for symmetry.
        raising: whether steps in which a part raises are taken.
        keep: where its `save` keeps it; it goes on with what is there.
    """
    rules = Rules(world, raising)
    run, before = Run(world=world, canonical=canonical, raising=raising, rules=rules, keep=keep), world.turned_down
    if world.stopped.early:
        return run.ended_before_it_began()
    try:
        with run.noted():
            run.go(Budget(limits, run.bounds))
    finally:
        world.spend = unlimited
    if run.starved:
        world.moves.clear()
    if run.left:
        run.bounds.append(left_range(world.extent))
    run.turned_down = world.turned_down - before
    return run


def _senders(occurrence: SystemOccurrence) -> Iterator[int]:
    """Yield the links that sent something at once, or that something was kept for."""
    yield from (step.link for step in occurrence.answer.steps if step.link is not None)
    yield from (place.link for place in occurrence.answer.after.waiting)


def has_raised(occurrence: SystemOccurrence) -> bool:
    """Tell whether some part raised in a step."""
    return any(isinstance(step.answer, Raised) for step in occurrence.answer.steps)
