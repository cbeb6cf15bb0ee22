"""A forest of decisions as arrays: many rows go down their trees side by side, one node at a time.

A view of a column has a block of cells, one for each number of a value that was met there: what is
seen of it. A node has a block of cells, one for each of what is seen in its view: where that leads.
What leads nowhere yet is asked of the forest for one row, and all others follow.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from attrs import define, field

from statemachines.explore.arrays.distinct_numbers import GrowingArray
from statemachines.explore.arrays.lookup_tables import Array
from statemachines.explore.arrays.packing import Packing, RowCodes
from statemachines.explore.models.decision_forests import DecisionForest
from statemachines.explore.models.row_columns import Row

UNKNOWN = -(1 << 31)
"""Where it is not known yet what a value leads to."""
UNSEEN = 1 << 30
"""What is seen where that is not known yet: it lies beyond all cells of a node."""
FIRST_BLOCK = 8
"""Cells of a view or a node at first; the last one is for numbers beyond, and stays unknown."""
MOST_CELLS = 1 << 26
"""Cells beyond which a table is made anew."""


@define(eq=False)
class BlockTable:
    """Blocks of cells that grow: one for each view, or for each node."""

    numpy: Any
    fill: int
    begins: GrowingArray = field(init=False)
    """By view or node: where its block begins."""
    lasts: GrowingArray = field(init=False)
    """By view or node: the last place in its block."""
    cells: GrowingArray = field(init=False)
    """Of all blocks."""

    def __attrs_post_init__(self) -> None:
        numpy = self.numpy
        self.begins, self.lasts = (GrowingArray(numpy, numpy.int64) for _ in range(2))
        self.cells = GrowingArray(numpy, numpy.int32, fill=self.fill)  # most of the memory

    @property
    def size(self) -> int:
        """How many blocks there are."""
        return self.begins.size

    def add_block(self) -> None:
        """Add a block."""
        self.begins.append(self.cells.extend(FIRST_BLOCK))
        self.lasts.append(FIRST_BLOCK - 1)

    def look_up(self, blocks: Array, places: Array) -> Array:
        """Return what stands in the cells of blocks."""
        within = self.numpy.minimum(places, self.lasts.room.take(blocks))
        numbers = self.cells.room.take(self.begins.room.take(blocks) + within)
        return numbers.astype(self.numpy.int64)

    def put(self, block: int, place: int, number: int) -> None:
        """Put a number into a cell."""
        last = int(self.lasts.room[block])
        if place >= last:
            begin = int(self.begins.room[block])
            larger = 2 * (place + 2)
            index = self.cells.extend(larger)
            self.cells.room[index : index + last] = self.cells.room[begin : begin + last]
            self.begins.room[block], self.lasts.room[block] = index, larger - 1
        self.cells.room[int(self.begins.room[block]) + place] = number


@define(eq=False)
class ForestTable:
    """A forest as arrays; it follows what is added to the forest."""

    numpy: Any
    forest: DecisionForest[Any]
    views: BlockTable = field(init=False)
    """By view and number of a value: what is seen."""
    nodes: BlockTable = field(init=False)
    """By node and what is seen: a node, or (below zero) a leaf."""
    node_views: GrowingArray = field(init=False)
    """By node: the view in which it looks."""
    roots: GrowingArray = field(init=False)
    """By question: its first node, or its leaf."""
    followed_views: int = 0
    """Entries of the forest's `seen` that stand here."""
    followed: int = 0
    """Numbers of the links of the forest that stand here."""
    followed_roots: int = 0
    """Questions with a first node, or a leaf, that stand here."""
    words: Array = None
    """By view: the word of its column, those of the row before a step after the others; None: there
    is one.
    """
    shifts: Array = None
    masks: Array = None
    """By view: where its column lies within the word."""
    packing: Packing | None = None

    def __attrs_post_init__(self) -> None:
        self.views = BlockTable(self.numpy, UNSEEN)
        self.nodes = BlockTable(self.numpy, UNKNOWN)
        self.node_views = GrowingArray(self.numpy, self.numpy.int64)
        self.roots = GrowingArray(self.numpy, self.numpy.int64, fill=UNKNOWN)

    def use(self, packing: Packing) -> None:
        """Look at rows of this packing from now on."""
        if packing is not self.packing:
            self.packing = packing
            self._place_views()

    def _place_views(self) -> None:
        """Note where the columns of all views lie."""
        if self.packing is None:
            return
        numpy, packing, bits = self.numpy, self.packing, self.packing.bits
        columns = [view.column for view in self.forest.views.values()]
        own = [column % len(bits) for column in columns]
        words = [
            packing.words[own_column] + column // len(bits) * packing.word_count
            for own_column, column in zip(own, columns, strict=True)
        ]
        self.words = numpy.array(words, dtype=numpy.int64) if any(words) else None
        self.shifts = numpy.array([packing.shifts[column] for column in own], dtype=numpy.int64)
        self.masks = numpy.array([(1 << bits[column]) - 1 for column in own], dtype=numpy.int64)

    @property
    def is_full(self) -> bool:
        """Whether it takes so much memory that it should be made anew."""
        return self.nodes.cells.size > MOST_CELLS

    def leaves(
        self,
        words: Sequence[RowCodes],
        questions: Array | None,
        row: Callable[[int], Row],
    ) -> Array:
        """Return for each row the leaf to which a question about it leads.

        Args:
            words: of the rows; then those of the rows before the steps, where questions look at
                them.
            questions: of each row, what is asked; None: the first question of all.
            row: gives the numbers of a row, by its place, for what must be asked.
        """
        self._follow()
        numpy = self.numpy
        questions_asked = (
            numpy.zeros(len(words[0]), dtype=numpy.int64) if questions is None else questions
        )
        at = self.roots.room.take(questions_asked)
        unknown = numpy.flatnonzero(at == UNKNOWN)
        if len(unknown):
            self._ask(unknown, questions_asked.take(unknown), questions_asked, row)
            at[unknown] = self.roots.room.take(questions_asked.take(unknown))
        self._descend(at, words, questions_asked, row)
        return ~at

    def _descend(
        self,
        at: Array,
        words: Sequence[RowCodes],
        questions_asked: Array,
        row: Callable[[int], Row],
    ) -> None:
        """Go down until every row is at a leaf."""
        numpy, many = self.numpy, len(at)
        whole = words[0] if len(words) == 1 else numpy.concatenate(words)
        pending = numpy.flatnonzero(at >= 0)
        now = at.take(pending)
        while len(pending):
            views = self.node_views.room.take(now)
            numbers = self._numbers(views, whole, pending, many)
            following = self._following(now, views, numbers)
            unknown = numpy.flatnonzero(following == UNKNOWN)
            if len(unknown):
                keys = now.take(unknown) << 31 | numbers.take(unknown)
                self._ask(pending.take(unknown), keys, questions_asked, row)
                following[unknown] = self._following(
                    *(codes.take(unknown) for codes in (now, views, numbers))
                )
            at[pending] = following
            inner = following >= 0
            pending, now = pending.compress(inner), following.compress(inner)

    def _numbers(self, views: Array, whole: RowCodes, pending: Array, many: int) -> Array:
        """Return the number in the column of the view of each pending row; the words of all (so
        many) stand one after the other.
        """
        places = pending if self.words is None else self.words.take(views) * many + pending
        return (whole.take(places) >> self.shifts.take(views)) & self.masks.take(views)

    def _following(self, now: Array, views: Array, numbers: Array) -> Array:
        return self.nodes.look_up(now, self.views.look_up(views, numbers))

    def _ask(
        self, places: Array, keys: Array, questions_asked: Array, row: Callable[[int], Row]
    ) -> None:
        """Ask about one row for each key; `places`: of the rows that have the keys."""
        for index in places.take(self.numpy.unique(keys, return_index=True)[1]).tolist():
            self.forest.answer(int(questions_asked[index]), row(index))
        self._follow()

    def _follow(self) -> None:
        """Take over what was added to the forest."""
        forest = self.forest
        if self.views.size < len(forest.views):
            for _ in range(len(forest.views) - self.views.size):
                self.views.add_block()
            self._place_views()
        for view, number, view_id in forest.view_values[self.followed_views :]:
            self.views.put(view, number, view_id)
        self.followed_views = len(forest.view_values)
        for node in forest.nodes[self.nodes.size :]:
            self.node_views.append(node.view.index)
            self.nodes.add_block()
        links = forest.links[self.followed :]
        for index, view_id, target in zip(links[::3], links[1::3], links[2::3], strict=True):
            self.nodes.put(index, view_id, target)
        self.followed += len(links)
        self.roots.extend(len(forest.roots) - self.roots.size)
        for question, root in forest.rooted[self.followed_roots :]:
            self.roots.room[question] = root
        self.followed_roots = len(forest.rooted)
