"""What questions about rows come to, remembered by what was looked at to answer them.

A question is a tree. Each of its nodes names the column that is looked at next, or a view of one
(the state of a part, say, and not all of its data); a branch is what was seen there; a leaf is the
answer. A row that nobody asked about yet leads out of the tree: the question is asked once, what it
looks at is recorded, and that is the new branch. As an answer depends on nothing else than what was
looked at, every row that comes to a leaf has its answer.
"""

from __future__ import annotations

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
        found = self.looks.get((column, view))
        if found is not None:
            return found.value
        value = self.view(column, view, self.row[column])
        if column not in self.known:
            self.looks[column, view] = Look(column, view, value)
            if view == WHOLE:
                self.known.add(column)
        return value


@define(eq=False)
class DecisionNode:
    """Where a column is looked at."""

    index: int
    column: int
    view: str
    branches: dict[Hashable, int] = field(factory=dict)
    """What is seen, to a node, or (below zero) to a leaf."""
    by_id: dict[int, int] = field(factory=dict)
    """The same by the numbers of values that were met."""


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
    links: list[tuple[int, int, int]] = field(factory=list)
    """What was added: a node, the number of a value, and where that leads; tables of arrays follow
    it.
    """

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
            number = row[node.column]
            at = node.by_id.get(number)
            if at is None:
                at = self._known_branch(node, number)
        return self._ask(question, row) if at is None else self.leaves[~at]

    def _known_branch(self, node: DecisionNode, number: int) -> int | None:
        """Return where another value leads that looks the same."""
        found = node.branches.get(self.view(node.column, node.view, number))
        if found is not None:
            self._link(node, number, found)
        return found

    def _link(self, node: DecisionNode, number: int, target: int) -> None:
        # in this order: what is interrupted here is added once more, and nothing is missed
        self.links.append((node.index, number, target))
        node.by_id[number] = target

    def _ask(self, question: int, row: Row) -> Answer:
        """Ask a question, and add what was looked at as a branch."""
        recorder = LookRecorder(row, self.view)
        answer = self.ask(question, recorder)
        self.leaves.append(answer)
        self._add_branch(question, row, recorder.looks.values(), ~(len(self.leaves) - 1))
        return answer

    def _add_branch(self, question: int, row: Row, looks: Iterable[Look], leaf: int) -> None:
        at, last = self.roots[question], None
        for look in looks:
            if at is None:
                at = self._new_node(look)
                self._attach(question, last, row, at)
            node = self.nodes[at]
            assert (node.column, node.view) == (look.column, look.view)
            last = node, look.value
            at = node.branches.get(look.value)
        assert at is None
        self._attach(question, last, row, leaf)

    def _new_node(self, look: Look) -> int:
        self.nodes.append(DecisionNode(len(self.nodes), look.column, look.view))
        return len(self.nodes) - 1

    def _attach(
        self, question: int, last: tuple[DecisionNode, Hashable] | None, row: Row, target: int
    ) -> None:
        """Let a branch, or a question itself, lead to a node or a leaf."""
        if last is None:
            self.rooted.append((question, target))
            self.roots[question] = target
            return
        node, value = last
        node.branches[value] = target
        self._link(node, row[node.column], target)
