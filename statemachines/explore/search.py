"""Every row that can be reached, breadth first, in one order: so the first row that is wrong is the end of a shortest way to it."""

from __future__ import annotations

import os
import pathlib
import time
from array import array
from collections.abc import Callable, Iterable, Sequence

from attrs import define, field, frozen

from statemachines.explore.checkpoints import Checkpoint, decoded, encoded
from statemachines.explore.columns import Row
from statemachines.explore.drawing import Values
from statemachines.explore.rules import Outcome
from statemachines.explore.watching import Watch
from statemachines.explore.world import Event, World

Canonical = Callable[[Row], Row]
"""Returns the one row that stands for all that are the same but for the names of interchangeable things."""
Told = Callable[[int, int], None]
"""Is told now and then how many rows and transitions there are."""
OFTEN = 20_000
"""Steps after which limits are looked at again."""
SOON = 0.5
"""Seconds after which they are, however few steps there were."""


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


@frozen
class Limits:
    """Where a search gives up."""

    most_states: int = 5_000_000
    most_memory: int | None = None
    """MiB that the process may use; None: no ceiling."""
    told: Told | None = None
    most_seconds: float | None = None
    """Seconds by the clock; None: as long as it takes."""
    most_steps: int | None = None
    """Steps, those counted that nothing took; None: as many as there are."""


class Enough(Exception):
    """A limit was hit; it is named among the bounds."""


@define(eq=False)
class Budget:
    """What is left of the limits, looked at now and then."""

    limits: Limits
    bounds: list[str]
    begun: float = field(factory=time.monotonic)
    looked: int = 0
    """Steps when it was last looked at."""
    due: float = 0.0
    """When it is looked at again, however few steps there were."""

    def spend(self, states: int, steps: int, transitions: int) -> None:
        """Look at the limits where there was enough work since the last time.

        Raises:
            Enough: one was hit.
        """
        if steps - self.looked >= OFTEN or time.monotonic() > self.due:
            self.look(states, steps, transitions)

    def look(self, states: int, steps: int, transitions: int) -> None:
        """Look at the limits.

        Raises:
            Enough: one was hit.
        """
        self.looked, self.due = steps, time.monotonic() + SOON
        if self.limits.told is not None:
            self.limits.told(states, transitions)
        if (hit := self._hit(states, steps)) is not None:
            self.bounds.append(hit)
            raise Enough

    def _hit(self, states: int, steps: int) -> str | None:
        limits = self.limits
        if states > limits.most_states:
            return f"the ceiling of {limits.most_states:,} states"
        if limits.most_steps is not None and steps > limits.most_steps:
            return f"the ceiling of {limits.most_steps:,} steps"
        if limits.most_seconds is not None and time.monotonic() - self.begun > limits.most_seconds:
            return f"the ceiling of {limits.most_seconds:,.10g} seconds"
        if limits.most_memory is not None and memory() > limits.most_memory:
            return f"the ceiling of {limits.most_memory:,} MiB of memory"
        return None


@frozen(eq=False)
class Path:
    """A way to what a goal looked for: rows from a beginning on, and where it is a step, or an error of the spec, what follows the last."""

    rows: tuple[Row, ...]
    after: Row | None = None
    """The row after the last step, where the goal is a step; it may be the same as the last of `rows`."""
    event: str = ""
    arguments: Values | None = None
    said: str = ""


@define(eq=False)
class Searched:
    """What a search saw."""

    rows: Sequence[Row] = ()
    """In the order in which they were met; none where the engine keeps them in arrays."""
    place: dict[Row, int] = field(factory=dict)
    states: int = 0
    transitions: int = 0
    turned_down: int = 0
    deepest: int = 0
    """Steps to the farthest row."""
    paths: dict[int, Path] = field(factory=dict)
    """Goal to the way to it, for those that were met."""
    bounds: list[str] = field(factory=list)
    """What kept it from seeing everything."""
    interrupted: bool = False
    gave_up: bool = False
    """Whether a limit was hit."""


Met = tuple[int, Row | None, Event | None, Values | None, str]
"""How a goal was met: the place of a row, the row after a step from there, its event and arguments, and what is said."""


@define(eq=False)
class _Search:
    world: World
    goals: Sequence[Goal]
    limits: Limits
    canonical: Canonical | None
    raising: bool
    seen: Searched
    budget: Budget
    parents: array[int] = field(factory=lambda: array("q"))
    met: dict[int, Met] = field(factory=dict)
    left: bool = False
    keep: Checkpoint | None = None
    mark: tuple[int, int, int, int, int] = (0, 0, 0, 0, 0)
    """Before the row that is looked at: its place, where its level ends, how many rows, transitions and so on there were."""

    def run(self) -> None:
        rows: list[Row] = []
        self.seen.rows = rows
        end, place = self.begun(rows)
        while place < len(rows):
            if place == end:
                self.seen.deepest, end = self.seen.deepest + 1, len(rows)
            self.mark = (place, end, len(rows), self.seen.transitions, self.seen.turned_down)
            self.budget.spend(len(rows), self.seen.transitions + self.seen.turned_down + place, self.seen.transitions)
            if len(rows) > self.limits.most_states:
                self.budget.look(len(rows), self.budget.looked, self.seen.transitions)
            self.expand(place, rows)
            place += 1

    def begun(self, rows: list[Row]) -> tuple[int, int]:
        """Meet the first rows, or those of a search that stopped; return where its last level ends, and which row is next."""
        if self.keep is None or self.keep.engine != "rows":
            for row in self.world.begins:
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
        place, end, many, transitions, turned_down = self.mark
        if self.keep is None:
            return
        numbers = [number for row in self.seen.rows[:many] for number in row]
        met = [one for goal, found in self.met.items() if (one := self.stored(goal, found, place, many)) is not None]
        stored = {"end": end, "next": place, "transitions": transitions, "turned_down": turned_down, "left": self.left, "met": met}
        self.keep.save(self.world, "rows", stored | {"deepest": self.seen.deepest}, {"rows": numbers, "parents": self.parents[:many]})

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
            for outcome in doings.outcomes:
                if outcome.raised and not self.raising:
                    continue
                self.seen.transitions += 1
                moves = moves or bool(outcome.sets)
                self.left = self.left or outcome.leaves
                after = outcome.apply(row, event.offset)
                self.step(place, row, event, outcome, after)
                if not (known and after in seen):
                    self.meet(after, place, rows)
        if not moves:
            self.stuck(place, row)

    def step(self, place: int, row: Row, event: Event, outcome: Outcome, after: Row) -> None:
        for number, goal in enumerate(self.goals):
            if goal.step is not None and number not in self.met and goal.step(row, after):
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
        keep: where it is kept if it stops early; it goes on with what is there.

    Complexity: one look-up a step; rows and ways to them are kept, some 300 bytes a row of ten columns.
    """
    seen = Searched()
    run = _Search(world, goals, limits, canonical, raising, seen, Budget(limits, seen.bounds), keep=keep)
    try:
        run.run()
    except Enough:
        seen.gave_up = True
    except KeyboardInterrupt:
        run.seen.interrupted = True
        run.seen.bounds.append("interrupted")
    if keep is not None and (seen.gave_up or seen.interrupted):
        run.save()
    run.seen.states = len(run.seen.rows)
    if run.left:
        low, high = world.extent.integers
        run.seen.bounds.append(f"an integer without bounds left {low}..{high}; nothing was explored from there")
    run.seen.paths = {number: run.path(number) for number in run.met}
    return run.seen


def memory() -> int:
    """Return the memory that this process uses now, in MiB; at most, where the system does not tell more; 0 where it tells nothing."""
    try:
        pages = int(pathlib.Path("/proc/self/statm").read_text("ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return _most_memory()
    return pages * os.sysconf("SC_PAGE_SIZE") // (1 << 20)


def most_of_memory() -> int | None:
    """Return three quarters of the memory of this machine, in MiB; None where the system does not tell."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") * 3 // (1 << 22)
    except (AttributeError, ValueError, OSError):
        return None


def _most_memory() -> int:
    try:
        import resource
    except ImportError:
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
