"""What questions about rows come to, remembered by what was looked at to answer them.

A question is a tree. Each of its nodes names the column that is looked at next, or a view of one
(the state of a part, say, and not all of its data); a branch is what was seen there; a leaf is the
answer. A row that nobody asked about yet leads out of the tree: the question is asked once, what it
looks at is recorded, and that is the new branch. As an answer depends on nothing else than what was
looked at, every row that comes to a leaf has its answer.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Iterable
from typing import Generic, TypeVar

from attrs import define, field, frozen

from statemachines.explore.models.row_columns import Row

Answer = TypeVar("Answer")
"""What a question comes to."""
WHOLE = ""
"""The view of a column that is all of it."""
View = Callable[[int, str, int], Hashable]
"""What is seen of a column (its place, a view, the number of its value)."""


def whole_view(column: int, view: str, number: int) -> Hashable:
    """Return what is seen where columns are looked at as a whole only."""
    del column, view
    return number


@frozen(eq=False)
class Look:
    """One look at a column."""

    column: int
    view: str
    value: Hashable
    """What was seen."""


@define(eq=False)
class LookRecorder:
    """A row that is handed out column by column, and what was looked at."""

    row: Row
    view: View
    known: set[int] = field(factory=set)
    """The columns of which all is known: the question is about a row that holds this there."""
    looks: dict[tuple[int, str], Look] = field(factory=dict)

    def see(self, column: int, view: str) -> Hashable:
        """Return what is seen of a column."""
        known = self.looks.get((column, view))
        if known is not None:
            return known.value
        value = self.view(column, view, self.row[column])
        if column not in self.known:
            self.looks[column, view] = Look(column, view, value)
            if view == WHOLE:
                self.known.add(column)
        return value


@define(eq=False)
class ColumnView:
    """A view of a column: what is seen there has a number, the same for all values that look the
    same.
    """

    index: int
    column: int
    view: str
    ids: dict[Hashable, int] = field(factory=dict)
    """What is seen, to its number."""
    by_number: dict[int, int] = field(factory=dict)
    """The number of a value, to that of what is seen of it."""


@define(eq=False)
class DecisionNode:
    """Where a column is looked at."""

    index: int
    view: ColumnView
    branches: dict[int, int] = field(factory=dict)
    """The number of what is seen, to a node, or (below zero) to a leaf."""


@define(eq=False)
class DecisionForest(Generic[Answer]):
    """Questions about rows, and the answers that are known."""

    ask: Callable[[int, LookRecorder], Answer]
    """Answers a question, by its number, about a row; it looks at the row through the recorder
    only.
    """
    view: View
    roots: list[int | None] = field(factory=list)
    """By question: its first node, or (below zero) its only leaf; None: it was never asked."""
    nodes: list[DecisionNode] = field(factory=list)
    leaves: list[Answer] = field(factory=list)
    views: dict[tuple[int, str], ColumnView] = field(factory=dict)
    """By column and view: those at which some node looks, in the order in which they came."""
    view_values: list[tuple[int, int, int]] = field(factory=list)
    """What was added: a view, the number of a value, and that of what is seen of it; tables of
    arrays follow it.
    """
    links: array[int] = field(factory=lambda: array("i"))
    """The same of nodes, three numbers each: a node, that of what is seen, and where that leads."""
    rooted: list[tuple[int, int]] = field(factory=list)
    """The same of questions, which were asked now: where they lead."""

    def add_question(self) -> int:
        """Return the number of a new question."""
        self.roots.append(None)
        return len(self.roots) - 1

    def answer(self, question: int, row: Row) -> Answer:
        """Return the answer to a question about a row.

        Complexity: a look-up for each column that the answer depends on, once it is known.
        """
        at = self.roots[question]
        while at is not None and at >= 0:
            node = self.nodes[at]
            view_id = node.view.by_number.get(row[node.view.column])
            at = node.branches.get(self._view_id(node.view, row) if view_id is None else view_id)
        return self._ask(question, row) if at is None else self.leaves[~at]

    def _view_id(self, view: ColumnView, row: Row) -> int:
        """Return the number of what is seen of a row in a view."""
        number = row[view.column]
        value = self.view(view.column, view.view, number)
        view_id = view.ids.setdefault(value, len(view.ids))
        # in this order: what is interrupted here is added once more, and nothing is missed
        self.view_values.append((view.index, number, view_id))
        view.by_number[number] = view_id
        return view_id

    def _link(self, node: DecisionNode, view_id: int, target: int) -> None:
        self.links += array("i", (node.index, view_id, target))  # first and at once, as above
        node.branches[view_id] = target

    def _ask(self, question: int, row: Row) -> Answer:
        """Ask a question, and add what was looked at as a branch."""
        recorder = LookRecorder(row, self.view)
        answer = self.ask(question, recorder)
        self.leaves.append(answer)
        self._add_branch(question, row, recorder.looks.values(), ~(len(self.leaves) - 1))
        return answer

    def _add_branch(self, question: int, row: Row, looks: Iterable[Look], leaf: int) -> None:
        at, last = self.roots[question], None
        for question_at in looks:
            if at is None:
                at = self._new_node(question_at)
                self._attach(question, last, at)
            node = self.nodes[at]
            assert (node.view.column, node.view.view) == (question_at.column, question_at.view)
            view_id = node.view.by_number.get(row[question_at.column])
            last = node, self._view_id(node.view, row) if view_id is None else view_id
            at = node.branches.get(last[1])
        assert at is None
        self._attach(question, last, leaf)

    def _new_node(self, question_at: Look) -> int:
        key = question_at.column, question_at.view
        if key not in self.views:
            self.views[key] = ColumnView(len(self.views), *key)
        self.nodes.append(DecisionNode(len(self.nodes), self.views[key]))
        return len(self.nodes) - 1

    def _attach(self, question: int, last: tuple[DecisionNode, int] | None, target: int) -> None:
        """Let a branch, or a question itself, lead to a node or a leaf."""
        if last is None:
            self.rooted.append((question, target))
            self.roots[question] = target
        else:
            self._link(*last, target)
