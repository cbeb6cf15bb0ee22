"""Every row that can be reached, breadth first, in one order: so the first row that is wrong is the end of a shortest way to it."""

from __future__ import annotations

import itertools
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence

from attrs import define, field, frozen

from statemachines.explore.checkpoints import Checkpoint, decoded, encoded
from statemachines.explore.columns import Row
from statemachines.explore.drawing import Values
from statemachines.explore.limits import Budget, Ending, Limits, left_range
from statemachines.explore.rules import Outcome
from statemachines.explore.watching import Watch
from statemachines.explore.world import Event, World

BEGINNINGS = 1_000
"""Beginnings after which limits are looked at again."""
CHUNK = 1 << 14
"""Rows that are written at once."""
Canonical = Callable[[Row], Row]
"""Returns the one row that stands for all that are the same but for the names of interchangeable things."""


@frozen(eq=False)
class Goal:
    """What is looked for; the first row or step that meets it is kept."""

    row: Callable[[Row], bool] | None = None
    step: Callable[[Row, Row], bool] | None = None
    watch: Watch | None = None
    """The condition that `row` or `step` asks."""
    wanted: bool = False
    """What the condition must be for the goal to be met."""
    fault: bool = False
    """Whether an error of the spec is looked for."""
    stuck: Callable[[Row], bool] | None = None
    """Looked at in rows that no event changes."""
    is_shown: bool = True
    """Whether the way to it is wanted, and not only whether it is met."""


@frozen(eq=False)
class Path:
    """A way to what a goal looked for: rows from a beginning on, and where it is a step, or an error of the spec, what follows the last."""

    rows: tuple[Row, ...]
    after: Row | None = None
    """The row after the last step, where the goal is a step; it may be the same as the last of `rows`."""
    event: str = ""
    arguments: Values | None = None
    said: str = ""


def nothing_to_save() -> None:
    """Save nothing: no file was named."""


@define(eq=False)
class Searched(Ending):
    """What a search saw."""

    rows: Sequence[Row] = ()
    """In the order in which they were met; none where the engine keeps them in arrays."""
    place: dict[Row, int] = field(factory=dict)
    states: int = 0
    transitions: int = 0
    turned_down: int = 0
    deepest: int = 0
    """Steps to the farthest row."""
    met: frozenset[int] = frozenset()
    """The goals that were met."""
    paths: dict[int, Path] = field(factory=dict)
    """Goal to the way to it, for those of them that are to be shown."""
    save: Callable[[], None] = nothing_to_save
    """Writes the search to its file, as it was when it was last consistent."""


Met = tuple[int, Row | None, Event | None, Values | None, str]
"""How a goal was met: the place of a row, the row after a step from there, its event and arguments, and what is said."""


@define(eq=False)
class _Search:
    """A search as it goes."""

    world: World
    goals: Sequence[Goal]
    limits: Limits
    canonical: Canonical | None
    raising: bool
    seen: Searched
    budget: Budget
    parents: array[int] = field(factory=lambda: array("q"))
    met: dict[int, Met] = field(factory=dict)
    of_steps: list[tuple[int, Callable[[Row, Row], bool]]] = field(factory=list)
    """The goals that look at steps."""
    left: bool = False
    keep: Checkpoint | None = None
    mark: tuple[int, int, int, int, int, int] = (0, 0, 0, 0, 0, 0)
    """Before the row that is looked at: its place, where its level ends, how many rows, transitions and so on there were.

    All that a file keeps is taken from here, and it is replaced at once: so an interrupt may come anywhere between.
    """

    def run(self) -> None:
        rows: list[Row] = []
        self.seen.rows = rows
        self.of_steps = [(number, goal.step) for number, goal in enumerate(self.goals) if goal.step is not None]
        end, place = self.begun(rows)
        while place < len(rows):
            if place == end:
                self.seen.deepest, end = self.seen.deepest + 1, len(rows)
            self.note(place, end)
            self.budget.spend(len(rows), self.seen.transitions + self.seen.turned_down + place, self.seen.transitions)
            if len(rows) > self.limits.most_states:
                self.budget.look(len(rows), self.budget.looked, self.seen.transitions)
            self.expand(place, rows)
            place += 1
        self.note(place, end)

    def note(self, place: int, end: int) -> None:
        """Note how far the search is: what comes after this is done again where it is interrupted."""
        seen = self.seen
        self.mark = (place, end, len(seen.rows), seen.transitions, seen.turned_down, seen.deepest)

    def look(self) -> None:
        """Look at the limits while arguments are drawn.

        Raises:
            Enough: one was hit.
        """
        self.budget.spend(len(self.seen.rows), self.budget.looked, self.seen.transitions)

    def begun(self, rows: list[Row]) -> tuple[int, int]:
        """Meet the first rows, or those of a search that stopped; return where its last level ends, and which row is next."""
        if self.keep is None or self.keep.engine != "rows":
            for number, row in enumerate(self.world.begins, 1):
                if number % BEGINNINGS == 0:
                    self.look()
                self.meet(row, -1, rows)
            return len(rows), 0
        self.keep.restore(self.world)
        stored, width, numbers = self.keep.stored, self.world.width * self.world.copies, self.keep.blobs["rows"]
        rows.extend(tuple(numbers[begin : begin + width]) for begin in range(0, len(numbers), width))
        self.seen.place = {row: place for place, row in enumerate(rows)}
        self.parents.extend(self.keep.blobs["parents"])
        self.seen.transitions, self.seen.turned_down, self.seen.deepest = stored["transitions"], stored["turned_down"], stored["deepest"]
        self.left = stored["left"]
        for goal, place, after, event, arguments, said in stored["met"]:
            found = None if event is None else self.world.events[event]
            values = None if arguments is None else {name: decoded(value) for name, value in arguments}
            self.met[goal] = (place, None if after is None else tuple(after), found, values, said)
        return stored["end"], stored["next"]

    def save(self) -> None:
        """Write the search to its file, as it was before the row that was being looked at."""
        place, end, many, transitions, turned_down, deepest = self.mark
        if self.keep is None or not many:  # it had not begun
            return
        met = [one for goal, found in self.met.items() if (one := self.stored(goal, found, place, many)) is not None]
        stored = {"end": end, "next": place, "transitions": transitions, "turned_down": turned_down, "left": self.left, "met": met}
        blobs = {"rows": chunks(self.seen.rows, many), "parents": [self.parents[:many]]}
        self.seen.bounds += self.keep.save(self.world, "rows", stored | {"deepest": deepest}, blobs)

    def stored(self, goal: int, found: Met, place: int, many: int) -> object:
        """Return how a goal was met, as plain data; None where that will be seen again."""
        at, after, event, arguments, said = found
        if at >= many or (at == place and self.goals[goal].row is None):
            return None
        number = None if event is None else next(number for number, one in enumerate(self.world.events) if one is event)
        values = None if arguments is None else [[name, encoded(value)] for name, value in arguments.items()]
        return [goal, at, after, number, values, said]

    def meet(self, row: Row, parent: int, rows: list[Row]) -> None:
        """Add a row that is new, and look at the goals there."""
        if self.canonical is not None:
            row = self.canonical(row)
        if row in self.seen.place:
            return
        place = self.seen.place[row] = len(rows)
        rows.append(row)
        self.parents.append(parent)
        for number, goal in enumerate(self.goals):
            if goal.row is not None and number not in self.met and goal.row(row):
                self.met[number] = (place, None, None, None, "")

    def expand(self, place: int, rows: list[Row]) -> None:
        """Take every step from a row."""
        row = rows[place]
        if self.left and self.world.is_outside(row):
            return
        seen, known, moves = self.seen.place, self.canonical is None, False
        for event in self.world.events:
            doings = event.doings(row)
            self.seen.turned_down += doings.turned_down
            if doings.wrong:
                self.fault(place, event, doings.wrong)
            self.budget.spend(len(rows), self.seen.transitions + self.seen.turned_down + place, self.seen.transitions)
            self.seen.transitions += len(doings.outcomes) if self.raising else doings.calm
            for outcome in doings.apart:
                if outcome.raised and not self.raising:
                    continue
                moves = moves or bool(outcome.sets)
                self.left = self.left or outcome.leaves
                after = outcome.apply(row, event.offset)
                self.step(place, row, event, outcome, after)
                if not (known and after in seen):
                    self.meet(after, place, rows)
        if not moves:
            self.stuck(place, row)

    def step(self, place: int, row: Row, event: Event, outcome: Outcome, after: Row) -> None:
        for number, holds in self.of_steps:
            if number not in self.met and holds(row, after):
                self.met[number] = (place, after, event, outcome.arguments, "")

    def stuck(self, place: int, row: Row) -> None:
        for number, goal in enumerate(self.goals):
            if goal.stuck is not None and number not in self.met and goal.stuck(row):
                self.met[number] = (place, None, None, None, "")

    def fault(self, place: int, event: Event, wrong: Iterable[tuple[Values, str]]) -> None:
        for number, goal in enumerate(self.goals):
            if goal.fault and number not in self.met:
                arguments, said = next(iter(wrong))
                self.met[number] = (place, None, event, arguments, said)

    def path(self, number: int) -> Path:
        place, after, event, arguments, said = self.met[number]
        rows = [self.seen.rows[place]]
        while (place := self.parents[place]) >= 0:
            rows.append(self.seen.rows[place])
        return Path(tuple(reversed(rows)), after, event.rule.event if event else "", arguments, said)


def chunks(rows: Sequence[Row], many: int) -> Iterator[array[int]]:
    """Yield the numbers of the first rows, so many at once that little memory is needed where little is left."""
    for begin in range(0, many, CHUNK):
        yield array("q", itertools.chain.from_iterable(rows[begin : min(begin + CHUNK, many)]))


def search(
    world: World,
    goals: Sequence[Goal],
    limits: Limits,
    *,
    canonical: Canonical | None = None,
    raising: bool = True,
    keep: Checkpoint | None = None,
) -> Searched:
    """Visit every row that can be reached.

    Args:
        world: what is explored.
        goals: what is looked for on the way.
        limits: where it gives up.
        canonical: for symmetry.
        raising: whether steps that raise are taken.
        keep: where its `save` keeps it; it goes on with what is there.

    Complexity: one look-up a step; rows and ways to them are kept, some 300 bytes a row of ten columns.
    """
    seen = Searched()
    run = _Search(world, goals, limits, canonical, raising, seen, Budget(limits, seen.bounds), keep=keep)
    seen.save = run.save
    world.look_at(run.look)
    try:
        with seen.noted():
            run.run()
    finally:
        world.look_at()
    if seen.starved:
        world.forget()
        seen.place = {}
    run.seen.states = len(run.seen.rows)
    if run.left:
        run.seen.bounds.append(left_range(world.extent))
    seen.met = frozenset(run.met)
    seen.paths = {number: run.path(number) for number in run.met if goals[number].is_shown}
    return run.seen
