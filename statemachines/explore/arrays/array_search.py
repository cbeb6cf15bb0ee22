"""The same search on arrays: a whole level at once.

It finds what `search` finds, the same traces included.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from attrs import define, evolve, field

from statemachines.explore.arrays.distinct_numbers import sorted_distinct
from statemachines.explore.arrays.expansions import ChunkFindings
from statemachines.explore.arrays.lookup_tables import PackingOverflow
from statemachines.explore.arrays.packing import Packing, RowCodes, suitable_packing
from statemachines.explore.arrays.retracing import PathRetracing
from statemachines.explore.arrays.row_expansion import ArrayExpansion, KnownSteps
from statemachines.explore.checkpoints.checkpoint_files import Checkpoint
from statemachines.explore.checkpoints.resume_points import (
    LevelProgress,
    ResumePoint,
    restored_rows,
)
from statemachines.explore.models.model_protocol import Model
from statemachines.explore.resources.limits import Budget, Limits, range_left_bound
from statemachines.explore.rows.search_goals import (
    PendingGoals,
    SearchGoal,
    SearchResult,
    pending_goals,
)
from statemachines.explore.visited.coded_rows import coded_rows
from statemachines.explore.visited.least_rows import LeastRows
from statemachines.explore.visited.packed_levels import Hits, PackedLevels
from statemachines.explore.visited.row_ranks import RowRanks
from statemachines.explore.visited.row_store import RowStore, StoredRows, joined_rows, row_store
from statemachines.explore.visited.visited_rows import GatheredLevel, VisitedRows
from statemachines.model.arrays import load_numpy

CHUNK_ROWS = 1 << 16
"""Rows that are worked on at once."""
FIRST_CHUNK_ROWS = 1 << 10
"""The same at the beginning of a search that is kept in a file."""
_CODED_BYTES = 8
"""What a row takes where whole runs are looked for."""
_NOTHING = ChunkFindings()
CHUNK_SECONDS = 0.25
"""What a chunk of a search that is kept in a file may take: what was done of a chunk is lost where
the search ends there.
"""


def search_arrays(
    model: Model,
    goals: Sequence[SearchGoal],
    limits: Limits,
    keep: Checkpoint | None = None,
) -> SearchResult | None:
    """Visit every row that can be reached; None where a row does not fit into 62 bits, and is no
    system's, or is to be kept in a file.

    Complexity: some ten operations on arrays a step; a row takes some 2 bytes in its level and 4
        among the rows that were met (up to 8 each, where rows lie far apart), or two maps of all
        rows, a byte each, where they have 27 bits or less. Beyond the memory that may be used they
        lie on disk.
    """
    numpy = load_numpy()
    if keep is not None and keep.engine == "arrays":
        keep.restore(model)
        packing: Packing | None = Packing(tuple(keep.stored["bits"]))
    else:
        packing = suitable_packing(model, numpy, is_kept=keep is not None)
    if packing is None:
        return None
    result = SearchResult()
    run = _ArraySearch(
        model,
        goals,
        Budget(limits, result.bounds),
        numpy,
        packing,
        result,
        row_store(numpy, limits, result.bounds),
        checkpoint=keep,
    )
    result.save, result.close = run.save, run.store.close
    if keep is not None:
        keep.running = result
    model.set_limit_check(run.check_limits)
    try:
        with result:
            run.run()
    finally:
        model.set_limit_check()
    return None if run.overflow and not result.ended_early else run.finish()


@define(eq=False)
class _ArraySearch:
    """A search as it goes, level by level."""

    model: Model
    goals: Sequence[SearchGoal]
    budget: Budget
    numpy: Any
    initial_packing: Packing
    """The packing with which it begins."""
    result: SearchResult
    store: RowStore
    """Where the rows lie."""
    known: KnownSteps = field(init=False)
    """What events do, whatever the packing."""
    packed: PackedLevels = field(init=False)
    left_range: bool = False
    ends_at_level: bool = False
    """Whether it ended as the next level had too many rows: all steps of the others were taken."""
    overflow: bool = False
    checkpoint: Checkpoint | None = None
    resume_point: ResumePoint | None = None
    """None: it has not begun."""
    progress: LevelProgress = field(factory=LevelProgress)
    """Of the level that is gone through."""
    chunk_rows: int = field(factory=lambda: FIRST_CHUNK_ROWS)
    """Rows that are worked on at once where the search is kept in a file."""

    ranks: RowRanks = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.ranks = RowRanks(self.model.columns)
        self.known = KnownSteps(self.numpy, self.model)
        self.packed = PackedLevels(
            self.initial_packing, [], {}, self.known.expansion(self.initial_packing)
        )

    @property
    def packing(self) -> Packing:
        return self.packed.packing

    @property
    def levels(self) -> list[StoredRows]:
        return self.packed.levels

    @property
    def hits(self) -> Hits:
        return self.packed.hits

    @property
    def expansion(self) -> ArrayExpansion:
        return self.packed.expansion

    def run(self) -> None:
        """Go through all levels."""
        numpy = self.numpy
        if self.checkpoint is not None and self.checkpoint.engine == "arrays":
            visited = self.resume(self.checkpoint)
            self.search_levels(visited, self.levels.pop())
            return
        most = self.budget.limits.most_states
        initial = list(dict.fromkeys(self.model.initial_rows))
        begins = numpy.array(list(map(self.packing.code, initial[:most])), dtype=numpy.int64)
        visited = VisitedRows(self.numpy, self.packing.width, self.store)
        frontier = visited.visit([begins])
        if len(initial) > most:
            self.add_level(frontier)  # and nothing is kept: some beginnings would be left out
            self.budget.reach_most_states()
        self.search_levels(visited, frontier)

    def finish(self) -> SearchResult:
        """Return what was found."""
        result = self.result
        result.on_disk = self.store.on_disk
        if result.out_of_memory:
            self.model.clear_memos()
        is_kept = self.checkpoint is not None and not self.ends_at_level
        if result.ended_early and is_kept and self.resume_point is not None:
            result.transitions = self.resume_point.transitions  # as they are kept
        levels = self.levels if self.model.state_constraints else ()
        result.beyond_constraint = sum(
            len(codes) - len(self.expansion.within_constraint(codes))
            for level in levels
            for codes in level.chunks(CHUNK_ROWS)
        )
        result.states -= result.beyond_constraint
        if self.left_range:
            result.bounds.append(range_left_bound(self.model.extent))
        if result.ended_early:  # anywhere: what was being added to tables may be half there
            self.known = KnownSteps(self.numpy, self.model)
            self.packed = evolve(self.packed, expansion=self.known.expansion(self.packing))
        if self.model.data.promises_of_runs and not (result.interrupted or result.out_of_memory):
            complete = not result.ended_early
            with result:
                self.expansion.forget_conditions()
                self.budget.make_room(_CODED_BYTES * sum(map(len, self.levels)))
                result.known_rows = coded_rows(
                    self.numpy, self.expansion, self.levels, complete=complete
                )
        retrace = PathRetracing(self.numpy, self.model, self.expansion, self.levels)
        result.reached_goals = frozenset(self.hits)
        result.paths = {
            number: retrace.path(self.goals[number], *hits)
            for number, hits in self.hits.items()
            if self.goals[number].needs_path
        }
        if self.checkpoint is None:  # nobody goes on from there
            self.levels.clear()
        return result

    def search_levels(self, visited: VisitedRows, frontier: StoredRows) -> None:
        """Go through level after level."""
        while len(frontier):
            self.add_level(frontier)
            self.note_resume_point()
            if self.room < 0:  # a file holds more
                self.budget.reach_most_states()
            transitions, disabled = self.result.transitions, self.result.disabled
            self.budget.check(self.result.states, transitions + disabled, transitions)
            following = self.next_level(frontier, visited)
            while following is None:
                visited.close()
                visited = self.repack()
                if self.overflow:
                    return
                following = self.next_level(self.levels[-1], visited)
            if self.progress.is_narrowed or len(following) > self.room:
                self.ends_at_level = True  # as much of it as there may be; its steps are not taken
                if len(following) > self.room:
                    least = LeastRows(self.numpy, self.ranks, self.packing)
                    within, chunks = (
                        least.within(following, self.room),
                        following.chunks(CHUNK_ROWS),
                    )
                    following = joined_rows(self.store.keep(within(codes)) for codes in chunks)
                if len(following):
                    self.add_level(following)
                self.budget.reach_most_states()
            frontier, self.progress = following, LevelProgress()
            if self.expansion.is_full:
                self.packed = evolve(self.packed, expansion=self.known.expansion(self.packing))
            if self.store.uses_disk:
                for number, level in enumerate(self.levels):
                    self.levels[number] = self.store.to_disk(level)

    @property
    def room(self) -> int:
        """How many more rows there may be."""
        return self.budget.limits.most_states - self.result.states

    def add_level(self, frontier: StoredRows) -> None:
        """Add a level, and look at the goals there."""
        self.levels.append(frontier)
        self.result.states += len(frontier)
        self.result.depth = len(self.levels) - 1
        findings = ChunkFindings()
        goals = pending_goals(self.goals, self.hits)
        for codes in frontier.chunks(CHUNK_ROWS) if goals.rows else ():
            self.expansion.check_row_goals(codes, goals, findings)
        self.add_findings(findings)

    def note_resume_point(self, gathered: Callable[[], StoredRows] | None = None) -> None:
        """Note how far the search is: after an interrupt, what comes later is done again."""
        if self.progress.is_narrowed:
            return
        rows = self.progress.gathered
        result, packed = self.result, self.packed
        hits = dict(packed.hits)
        self.resume_point = ResumePoint(
            packed.packing,
            packed.levels,
            len(packed.levels),
            hits,
            result.transitions,
            result.disabled,
            self.left_range,
            self.progress,
            gathered or (lambda: rows),
        )

    def resume(self, keep: Checkpoint) -> VisitedRows:
        """Take up a search that stopped: all of its levels, the last of which is to be gone
        through.
        """
        stored = keep.stored
        levels, hits, self.progress = restored_rows(self.numpy, keep, self.store)
        self.packed = evolve(self.packed, levels=levels, hits=hits)
        self.result.transitions, self.result.disabled = stored["transitions"], stored["turned_down"]
        self.left_range = stored["left"]
        self.result.states = sum(map(len, levels[:-1]))
        return self.visited_rows()

    def visited_rows(self) -> VisitedRows:
        """Return all levels as a set."""
        visited = VisitedRows(self.numpy, self.packing.width, self.store)
        for level in self.levels:
            self.store.forget(visited.visit(level.chunks(CHUNK_ROWS)))
        return visited

    def save(self) -> None:
        """Write the search to its file, as it was before the rows that were being gone through."""
        keep, resume_point = self.checkpoint, self.resume_point
        if keep is None or resume_point is None:
            return
        stored, blobs = resume_point.as_stored(CHUNK_ROWS)
        far = ("levels", "expanded")
        if keep.engine == "arrays" and all(stored[name] == keep.stored[name] for name in far):
            self.result.bounds.append(f"no more than {keep.path} held before")
        self.result.bounds += keep.save_search(self.model, "arrays", stored, blobs)

    def next_level(self, frontier: StoredRows, visited: VisitedRows) -> StoredRows | None:
        """Return the next level; None where some value has no room: then the rows that lead there
        were not counted.
        """
        progress, level = self.progress, visited.begin_level(len(frontier))
        reached = frozenset(self.hits) if progress.reached is None else progress.reached
        goals = pending_goals(self.goals, reached)
        for codes in progress.gathered.chunks(CHUNK_ROWS):
            level.add(codes)
        self.store.forget(progress.gathered)
        self.progress = evolve(progress, reached=reached, gathered=StoredRows())
        try:
            for codes in self.chunks_left(frontier):
                self.expand_chunk(codes, goals, level)
            return level.new_rows()
        except PackingOverflow:
            self.progress = evolve(self.progress, gathered=level.gathered_rows()())
            return None
        finally:
            self.left_range = self.left_range or self.expansion.leaves_range

    def chunks_left(self, frontier: StoredRows) -> Iterator[RowCodes]:
        """Yield the rows of a level whose steps were not taken, in chunks that take a fraction of a
        second where the search is kept in a file: whatever the limits are, some are done.
        """
        if self.checkpoint is None:
            many = self.store.rows_at_once(CHUNK_ROWS)
            yield from frontier.chunks(many, self.progress.expanded)
            return
        while self.progress.expanded < len(frontier):
            began = time.monotonic()
            yield next(frontier.chunks(self.chunk_rows, self.progress.expanded))
            quick = time.monotonic() - began < CHUNK_SECONDS
            self.chunk_rows = (
                min(2 * self.chunk_rows, self.store.rows_at_once(CHUNK_ROWS))
                if quick
                else max(self.chunk_rows // 2, 1)
            )

    def expand_chunk(self, codes: RowCodes, goals: PendingGoals, level: GatheredLevel) -> None:
        """Take all steps from some rows, and note that they were taken.

        Raises:
            PackingOverflow: some value has no room; nothing was counted.
        """
        if level.certain_rows > 2 * self.room:
            self.progress = evolve(self.progress, is_narrowed=True)
            level.narrow(self.room, LeastRows(self.numpy, self.ranks, self.packing))
        findings = ChunkFindings()
        try:
            self.expansion.expand(codes, goals, level, findings, self.check_limits)
        except PackingOverflow:
            findings = ChunkFindings()
            raise
        finally:  # what is known counts even where it ends early
            self.add_findings(findings)
        self.progress = evolve(self.progress, expanded=self.progress.expanded + len(codes))
        if self.checkpoint is not None:
            self.note_resume_point(level.gathered_rows())

    def check_limits(self, findings: ChunkFindings = _NOTHING) -> None:
        """Look at the limits, what was found in a part of a chunk included.

        Raises:
            LimitReached: a limit was hit.
        """
        transitions = self.result.transitions + findings.transitions
        steps = transitions + self.result.disabled + findings.disabled
        self.budget.check_when_due(self.result.states, steps, transitions)

    def add_findings(self, findings: ChunkFindings) -> None:
        """Add what was found in some rows of the last level; of a goal, rows of the first level
        count that has some.
        """
        self.result.transitions += findings.transitions
        self.result.disabled += findings.disabled
        for number, codes in findings.hits.items():
            known = [self.hits[number][1]] if number in self.hits else []
            self.hits[number] = (
                len(self.levels) - 1,
                sorted_distinct(self.numpy, self.numpy.concatenate([*known, *codes])),
            )

    def repack(self) -> VisitedRows:
        """Give columns the bits that they need now, and some to grow."""
        packing = suitable_packing(self.model, self.numpy, is_kept=self.checkpoint is not None)
        if packing is None:
            self.overflow = True
            return VisitedRows(self.numpy, 1, self.store)
        old, gathered = self.packed, self.progress.gathered
        packed = old.repacked(packing, self.known, self.store, CHUNK_ROWS)
        gathered = old.repacked_rows(gathered, packing, self.store, CHUNK_ROWS)
        self.packed = packed
        self.progress = evolve(self.progress, gathered=gathered)
        self.note_resume_point()
        return self.visited_rows()
