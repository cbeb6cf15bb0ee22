"""Every row of a system that can be reached, breadth first: so the first row that is wrong is the end of a shortest way to it."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator

from attrs import define, field

from statemachines.explore.columns import Row
from statemachines.explore.exploring import How
from statemachines.explore.limits import Budget, Enough, left_range
from statemachines.explore.search import Canonical
from statemachines.explore.system_results import SystemTrace
from statemachines.explore.system_rules import Rules
from statemachines.explore.system_world import SystemStep, SystemWorld
from statemachines.explore.walking_systems import SystemOccurrence
from statemachines.model.snapshots import Raised


@define(eq=False)
class Run:
    """A search as it goes."""

    world: SystemWorld
    canonical: Canonical | None
    raising: bool
    rules: Rules
    bounds: list[str] = field(factory=list)
    rows: list[Row] = field(factory=list)
    place: dict[Row, int] = field(factory=dict)
    parents: array[int] = field(factory=lambda: array("q"))
    transitions: int = 0
    turned_down: int = 0
    deepest: int = 0
    met: dict[int, tuple[int, SystemOccurrence | None]] = field(factory=dict)
    """Place of a property to the row that meets it, and the step from there where it is one."""
    fired: set[int] = field(factory=set)
    """Numbers of links that sent something."""
    interrupted: bool = False
    left: bool = False
    """Whether an integer without bounds left the range that is explored."""

    def go(self, budget: Budget) -> None:
        """Visit all rows."""
        for row in self.world.begins:
            self.meet(row, -1)
        end, place = len(self.rows), 0
        while place < len(self.rows):
            if place == end:
                self.deepest, end = self.deepest + 1, len(self.rows)
            if place % 256 == 0 or len(self.rows) > budget.limits.most_states:
                budget.look(len(self.rows), self.transitions, self.transitions)
            self.expand(place)
            place += 1

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
            self.met[number] = place, None

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
                self.met[number] = place, step.occurrence
            self.meet(step.after, place)
        if not moves:
            for number in self.rules.met_by_standing(row, self.met):
                self.met[number] = place, None

    def trace(self, number: int) -> SystemTrace:
        """Return the way to what a property looked for."""
        place, last = self.met[number]
        if last is None:
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


def searched(world: SystemWorld, how: How, canonical: Canonical | None, *, raising: bool) -> Run:
    """Visit every row of a system.

    Args:
        world: the system.
        how: its limits count.
        canonical: for symmetry.
        raising: whether steps in which a part raises are taken.
    """
    run = Run(world, canonical, raising, Rules(world, raising))
    try:
        run.go(Budget(how.limits, run.bounds))
    except Enough:
        pass
    except KeyboardInterrupt:
        run.interrupted = True
        run.bounds.append("interrupted")
    if run.left:
        run.bounds.append(left_range(world.extent))
    run.turned_down = world.turned_down
    return run


def _senders(occurrence: SystemOccurrence) -> Iterator[int]:
    """Yield the links that sent something at once, or that something was kept for."""
    yield from (step.link for step in occurrence.answer.steps if step.link is not None)
    yield from (place.link for place in occurrence.answer.after.waiting)


def has_raised(occurrence: SystemOccurrence) -> bool:
    """Tell whether some part raised in a step."""
    return any(isinstance(step.answer, Raised) for step in occurrence.answer.steps)
