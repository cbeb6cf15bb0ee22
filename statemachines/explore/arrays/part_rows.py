"""The rows of a level seen as one part of each: what the events of the part do there, and how their
steps are labelled.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import define, evolve, field, frozen

from statemachines.explore.arrays.cell_tables import DerivedKeyIndex, KeyIndex
from statemachines.explore.arrays.event_decisions import EventDecisions
from statemachines.explore.arrays.event_expansion import EventExpansion, RowSuccessors
from statemachines.explore.arrays.lookup_tables import Array, StepTable
from statemachines.explore.arrays.packing import BlockPlace, Packing, RowCodes
from statemachines.explore.models.event_memos import EventMemo
from statemachines.explore.models.part_blocks import PartEvent
from statemachines.explore.models.row_columns import Row
from statemachines.explore.models.successors import Successor
from statemachines.explore.visited.known_rows import StepLabel


@define(eq=False)
class KindTables:
    """What the events of a kind of part do, under one packing: these of which nothing more
    comes.
    """

    step_tables: list[StepTable]
    """Of events without data."""
    event_expansions: list[EventExpansion]

    def ordered_tables(self, numpy: Any, packing: Packing) -> list[StepTable]:
        """Return tables of all events whose expansions do not take their steps in order."""
        memos = dict.fromkeys(
            moves.decisions.memo
            for moves in self.event_expansions
            if not moves.decisions.draws_in_order
        )
        return [*self.step_tables, *(StepTable(numpy, packing, (m,), m.reads) for m in memos)]


def kind_tables(numpy: Any, place: BlockPlace, decisions: list[EventDecisions]) -> KindTables:
    """Return what the events of a kind of part do; `decisions`: those with data."""
    groups: dict[tuple[int, ...], list[EventMemo]] = {}
    for memo in place.block.kind.free_memos:
        if not memo.has_data:
            groups.setdefault(memo.reads, []).append(memo)
    shared: dict[Row, KeyIndex | DerivedKeyIndex] = {}
    return KindTables(
        [StepTable(numpy, place.packing, tuple(some), reads) for reads, some in groups.items()],
        [EventExpansion(numpy, place.packing, decision, shared) for decision in decisions],
    )


@frozen(eq=False)
class PlacedRows:
    """Rows, and one part of each."""

    numpy: Any
    packing: Packing
    place: BlockPlace
    codes: RowCodes
    words: Sequence[RowCodes]
    own: RowCodes
    """Of each row the part, as if there were nothing else."""

    def part(self, begin: int, end: int) -> PlacedRows:
        """Return some of them that stand side by side."""
        words = [word[begin:end] for word in self.words]
        return evolve(self, codes=self.codes[begin:end], words=words, own=self.own[begin:end])

    def after(self, sources: Array | None, added: Array) -> RowCodes:
        """Return rows after steps: of each its row's place (None: one of each), and what it adds to
        the part.
        """
        place = self.place
        if self.packing.word_count == 1:
            before = self.codes if sources is None else self.codes.take(sources)
            return before + (added << place.shift if place.shift else added)
        words = [word if sources is None else word.take(sources) for word in self.words]
        words[place.word] = words[place.word] + (added << place.shift)
        return self.packing.joined(words)


@define(eq=False)
class EventLabels:
    """Labels of the steps of one part."""

    numpy: Any
    events: dict[str, PartEvent]
    label: StepLabel
    ordered_tables: list[StepTable]
    """Of events whose steps are not taken in order elsewhere."""
    classes: dict[EventExpansion, list[int]] = field(factory=dict)
    """The labels of the steps of each, by the number of all atoms of their arguments."""
    tables: dict[int, Array] = field(factory=dict)
    """By `id` of a table, the labels of its steps, as it has what they add."""

    def by_class(self, moves: EventExpansion) -> Array:
        """Return the labels of an event's steps by the number of all atoms of their arguments."""
        name, values = moves.decisions.memo.event, moves.classes.values
        known, fair = self.classes.setdefault(moves, []), moves.decisions.fair_terms
        for terms in values[len(known) :]:
            given = {argument: terms[index] for argument, index in fair.items()}
            taken = Successor(given, (), raised=False, leaves_range=False)
            known.append(self.label(self.events[name], taken))
        return self.numpy.array(known, dtype=self.numpy.int64)

    def by_step(self, steps: StepTable) -> Array:
        """Return the labels of events without data: a row a step, by key."""
        labels = self.tables.get(id(steps))
        if labels is None or labels.shape != steps.arrays[1].shape:
            labels = steps.labels(lambda memo, taken: self.label(self.events[memo.event], taken))
            self.tables[id(steps)] = labels
        return labels


def event_after(moved: RowSuccessors, rows: PlacedRows) -> RowCodes:
    """Return the rows after steps of a part."""
    if rows.place.is_all:
        return moved.after
    return rows.after(moved.sources, moved.after - moved.rows.take(moved.sources))
