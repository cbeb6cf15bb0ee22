"""Every row of a system that can be reached, breadth first: so the first row that is wrong is the
end of a shortest way to it.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator

from attrs import define, field

from statemachines.explore.checkpoints.checkpoint_files import Checkpoint, PlainData
from statemachines.explore.checkpoints.system_checkpoints import encode_model, restore_model
from statemachines.explore.models.row_columns import Row
from statemachines.explore.models.system_model import SystemModel, SystemRowStep
from statemachines.explore.properties.system_properties import SystemProperties
from statemachines.explore.resources.limits import (
    Budget,
    Limits,
    SearchEnding,
    check_nothing,
    range_left_bound,
)
from statemachines.explore.results.system_results import SystemTrace
from statemachines.explore.rows.row_search import ROWS_BETWEEN_CHECKS, CanonicalRow, row_chunks
from statemachines.explore.walks.system_walks import SystemTraceStep
from statemachines.model.definitions.snapshots import Raised


@define(eq=False, kw_only=True)
class SystemSearch(SearchEnding):
    """A search as it goes."""

    world: SystemModel
    canonical: CanonicalRow | None
    raising: bool
    properties: SystemProperties
    rows: list[Row] = field(factory=list)
    indices: dict[Row, int] = field(factory=dict)
    parents: array[int] = field(factory=lambda: array("q"))
    transitions: int = 0
    disabled: int = 0
    depth: int = 0
    hits: dict[int, tuple[int, bool]] = field(factory=dict)
    """Place of a property to the row that meets it, and whether a step from there does."""
    fired_links: set[int] = field(factory=set)
    """Numbers of links that sent something."""
    left_range: bool = False
    """Whether an integer without bounds left the range that is explored."""

    checkpoint: Checkpoint | None = None
    resume_point: tuple[int, int, int, int, int, int, int] = (0, 0, 0, 0, 0, 0, 0)
    """Before the row that is looked at: its place, where its level ends, then how many rows,
    transitions and so on there were.

    All that a file keeps is taken from here, and it is replaced at once: so an interrupt may come
    anywhere between.
    """

    def run(self, budget: Budget) -> None:
        """Visit all rows."""
        world = self.world
        world.check_limits = lambda: budget.check_when_due(0, 0, 0)
        end, place = self.visit_initial_rows()
        world.check_limits = lambda: budget.check_when_due(
            len(self.rows), self.transitions + world.disabled + place, self.transitions
        )
        while place < len(self.rows):
            if place == end:
                self.depth, end = self.depth + 1, len(self.rows)
            self.note_resume_point(place, end)
            world.check_limits()
            if len(self.rows) > budget.limits.most_states:
                budget.check(len(self.rows), budget.checked_at_steps, self.transitions)
            self.expand(place)
            place += 1
        self.note_resume_point(place, end)

    def note_resume_point(self, place: int, end: int) -> None:
        """Note how far the search is: after an interrupt, what comes later is done again."""
        world = self.world
        self.resume_point = (
            place,
            end,
            len(self.rows),
            self.transitions,
            world.disabled,
            len(world.faulty_rows),
            self.depth,
        )

    def visit_initial_rows(self) -> tuple[int, int]:
        """Meet the first rows, or those of a search that stopped; return where its last level ends,
        and which row is next.
        """
        if self.checkpoint is None or not self.checkpoint.engine:
            for number, row in enumerate(self.world.initial_rows, 1):
                if number % ROWS_BETWEEN_CHECKS == 0:
                    self.world.check_limits()
                self.visit(row, -1)
            return len(self.rows), 0
        restore_model(self.world, self.checkpoint)
        stored, width, numbers = (
            self.checkpoint.stored,
            len(self.world.part_keys) + 3,
            self.checkpoint.blobs["rows"],
        )
        self.rows.extend(
            tuple(numbers[begin : begin + width]) for begin in range(0, len(numbers), width)
        )
        self.indices = {row: place for place, row in enumerate(self.rows)}
        self.parents.extend(self.checkpoint.blobs["parents"])
        self.transitions, self.world.disabled, self.depth = (
            stored["transitions"],
            stored["turned_down"],
            stored["deepest"],
        )
        self.left_range, self.fired_links = stored["left"], set(stored["fired"])
        self.hits = {number: (place, is_step) for number, place, is_step in stored["met"]}
        self.world.faulty_rows = [self.rows[place] for place in stored["wrong"]]
        return stored["end"], stored["next"]

    def with_initial_rows_only(self) -> SystemSearch:
        """Return the search of a world not all of whose beginnings were found: they are all that is
        known.
        """
        self.rows = list(self.world.initial_rows)
        self.indices = {row: place for place, row in enumerate(self.rows)}
        self.limit_reached, self.interrupted, self.out_of_memory = (
            True,
            self.world.ending.interrupted,
            self.world.ending.out_of_memory,
        )
        return self

    def save(self) -> None:
        """Write the search to its file, as it was before the row that was being looked at."""
        place, end, many, transitions, turned_down, wrong, deepest = self.resume_point
        if self.checkpoint is None or not many:  # it had not begun
            return
        met = [
            [number, at, is_step]
            for number, (at, is_step) in self.hits.items()
            if at < many and not (at == place and is_step)
        ]
        told: PlainData = {
            "end": end,
            "next": place,
            "transitions": transitions,
            "turned_down": turned_down,
            "deepest": deepest,
        }
        told |= {"left": self.left_range, "fired": sorted(self.fired_links), "met": met}
        told |= {"wrong": [self.indices[row] for row in self.world.faulty_rows[:wrong]]}
        blobs = {"rows": row_chunks(self.rows, many), "parents": [self.parents[:many]]}
        self.bounds += self.checkpoint.write_search(
            "system", told | encode_model(self.world), blobs
        )

    def visit(self, row: Row, parent: int) -> None:
        """Add a row that is new, and look at what is claimed of it."""
        if self.canonical is not None:
            row = self.canonical(row)
        if row in self.indices:
            return
        place = self.indices[row] = len(self.rows)
        self.rows.append(row)
        self.parents.append(parent)
        for number in self.properties.decided_by_row(row, self.hits):
            self.hits[number] = place, False

    def expand(self, place: int) -> None:
        """Take every step from a row."""
        row, moves = self.rows[place], False
        if self.world.is_out_of_range(row):
            self.left_range = True
            return
        for step in self.world.steps(row):
            self.fired_links.update(_firing_links(step.trace_step))
            if not self.raising and has_raised(step.trace_step):
                continue
            self.transitions += step.weight
            moves = moves or step.after != row
            for number in self.properties.decided_by_step(row, step.after, self.hits):
                self.hits[number] = place, True
            self.visit(step.after, place)
        if not moves:
            for number in self.properties.decided_by_deadlock(row, self.hits):
                self.hits[number] = place, False

    def property_trace(self, number: int) -> SystemTrace:
        """Return the way to what a property looked for."""
        place, is_step = self.hits[number]
        if not is_step:
            return self.row_trace(place)
        wanted = self.properties.violating_step(number)
        return self.row_trace(place, lambda row, step: wanted(row, step.after))

    def row_trace(
        self, place: int, last: Callable[[Row, SystemRowStep], bool] | None = None
    ) -> SystemTrace:
        """Return a shortest way to a row, and a last step from there where one is asked for."""
        rows = [self.rows[place]]
        while (place := self.parents[place]) >= 0:
            rows.append(self.rows[place])
        rows.reverse()
        now = next(row for row in self.world.initial_rows if self.canonical_row(row) == rows[0])
        begin, steps = self.world.snapshot(now), list[SystemTraceStep]()
        for following in rows[1:]:
            step = next(
                each for each in self.steps(now) if self.canonical_row(each.after) == following
            )
            steps.append(step.trace_step)
            now = step.after
        if last is not None:
            steps.append(next(each.trace_step for each in self.steps(now) if last(now, each)))
        return SystemTrace(begin, tuple(steps))

    def steps(self, row: Row) -> Iterator[SystemRowStep]:
        """Yield the steps that the search takes from a row."""
        return (
            step
            for step in self.world.steps(row)
            if self.raising or not has_raised(step.trace_step)
        )

    def canonical_row(self, row: Row) -> Row:
        """Return the row that stands for one."""
        return row if self.canonical is None else self.canonical(row)


def search_system(
    world: SystemModel,
    limits: Limits,
    canonical: CanonicalRow | None,
    *,
    raising: bool,
    keep: Checkpoint | None = None,
) -> SystemSearch:
    """Visit every row of a system.

    Args:
        world: the system.
        limits: where it gives up.
        canonical: for symmetry.
        raising: whether steps in which a part raises are taken.
        keep: where its `save` keeps it; it goes on with what is there.
    """
    rules = SystemProperties(world, raising)
    run, before = (
        SystemSearch(
            world=world, canonical=canonical, raising=raising, properties=rules, checkpoint=keep
        ),
        world.disabled,
    )
    if world.ending.ended_early:
        return run.with_initial_rows_only()
    try:
        with run.catch_ending():
            run.run(Budget(limits, run.bounds))
    finally:
        world.check_limits = check_nothing
    if run.out_of_memory:
        world.known_moves.clear()
    if run.left_range:
        run.bounds.append(range_left_bound(world.extent))
    run.disabled = world.disabled - before
    return run


def _firing_links(occurrence: SystemTraceStep) -> Iterator[int]:
    """Yield the links that sent something at once, or that something was kept for."""
    yield from (step.link for step in occurrence.answer.steps if step.link is not None)
    yield from (place.link for place in occurrence.answer.after.waiting)


def has_raised(occurrence: SystemTraceStep) -> bool:
    """Tell whether some part raised in a step."""
    return any(isinstance(step.answer, Raised) for step in occurrence.answer.steps)
