"""What variables alone come to, as columns of their own: worked out once for what they hold, whatever the arguments are.

Where the gap of a puzzle is depends on the board only; which pieces may slide depends on where the gap is. So the gap is looked for once on
each board, and pieces are asked about for each of nine gaps. Such a part of an expression is an *aspect* of a row.
"""

from __future__ import annotations

from attrs import define, field, frozen

from statemachines.explore.columns import Column, Row
from statemachines.explore.rules import columns_read
from statemachines.model.expressions import Apply, Comprehension, Expression, Kind, Name, walk
from statemachines.model.snapshots import Snapshot, Value
from statemachines.semantics.compile import Evaluate
from statemachines.semantics.tables import Tables

NO_VALUE = "a part that nothing asks for here"
"""Stands for a part of an expression whose value only a guard makes safe: where the guard is false, nothing looks at it."""
UNSAFE = (KeyError, IndexError, AttributeError, TypeError, ZeroDivisionError, ValueError, StopIteration)
"""What asking for such a part may raise."""
_NAME = "aspect__"


@frozen(eq=False)
class Aspect:
    """A part of an expression that looks at columns only; its values are numbered as they are met, by one thread at a time."""

    name: str
    reads: Row
    evaluate: Evaluate
    values: list[Value] = field(factory=list)
    numbers: dict[Value, int] = field(factory=dict)

    def number(self, now: Snapshot) -> int:
        """Return the number of its value in a snapshot with its columns."""
        try:
            value: Value = self.evaluate(now.state, now.variables, now.parameters)
        except UNSAFE:
            value = NO_VALUE
        found = self.numbers.setdefault(value, len(self.values))
        if found == len(self.values):
            self.values.append(value)
        return found


@define(eq=False)
class Aspects:
    """The aspects of a machine, for all of its events; their columns come after those of a row."""

    tables: Tables
    place: dict[tuple[str, bool], int]
    """Name of a column, and whether it is fixed, to its place."""
    listed: list[Aspect] = field(factory=list)
    known: dict[Expression, int] = field(factory=dict)

    @property
    def first(self) -> int:
        """The column of the first aspect."""
        return len(self.place)

    def of(self, column: int) -> Aspect:
        """Return the aspect in a column."""
        return self.listed[column - self.first]

    def column(self, name: str) -> int | None:
        """Return the column of an aspect with this name; None for another name."""
        return self.first + int(name.removeprefix(_NAME)) if name.startswith(_NAME) else None

    def named(self, node: Expression) -> Name:
        """Return the name that stands for an expression."""
        found = self.known.get(node)
        if found is None:
            found = self.known[node] = len(self.listed)
            reads = tuple(sorted(columns_read(self.tables, [node], self.place)))
            self.listed.append(Aspect(f"{_NAME}{found}", reads, self.tables.behaviour.compiler.expression(node)))
        return Name(Kind.ARGUMENT, f"{_NAME}{found}", type=node.type)

    def is_aspect(self, node: Expression) -> bool:
        """Tell whether an expression looks at columns only, and goes through something: else it is asked as fast as it is looked up."""
        kinds = {name.kind for name in self.tables.behaviour.compiler.names_of([node])}
        return Kind.VARIABLE in kinds <= {Kind.VARIABLE, Kind.PARAMETER, Kind.STATE} and self._goes_through(node)

    def _goes_through(self, node: Expression) -> bool:
        bodies = {one.name: one.body for one in self.tables.machine.data.definitions}
        parts = list(walk(node))
        inner = [bodies[part.definition] for part in parts if isinstance(part, Apply)]
        return any(isinstance(part, Comprehension) for part in parts) or any(self._goes_through(body) for body in inner)


def aspects_of(tables: Tables, columns: tuple[Column, ...]) -> Aspects:
    """Return the aspects of a machine: none yet."""
    parameters = len(tables.machine.data.parameters)
    return Aspects(tables, {(column.name, position <= parameters): position for position, column in enumerate(columns)})
