"""What variables alone come to, as columns of their own: worked out once for what they hold,
whatever the arguments are.

Where the gap of a puzzle is depends on the board only; which pieces may slide depends on where the
gap is. So the gap is looked for once on each board, and pieces are asked about for each of nine
gaps. Such a part of an expression is an *aspect* of a row.
"""

from __future__ import annotations

from attrs import define, field, frozen

from statemachines.explore.models.row_columns import ColumnPlaces, Row
from statemachines.model.definitions.snapshots import Snapshot, Value
from statemachines.model.language.expression_nodes import (
    Comprehension,
    DefinitionCall,
    Expression,
    Name,
    NameKind,
    walk,
)
from statemachines.semantics.evaluation.compiler import Evaluator
from statemachines.semantics.machine.machine_tables import MachineTables

MISSING_VALUE = "a part that nothing asks for here"
"""Stands for a part of an expression whose value only a guard makes safe: where the guard is false,
nothing looks at it.
"""
UNSAFE_ERRORS = (
    KeyError,
    IndexError,
    AttributeError,
    TypeError,
    ZeroDivisionError,
    ValueError,
    StopIteration,
)
"""What asking for such a part may raise."""
_NAME_PREFIX = "aspect__"


@frozen(eq=False)
class DerivedColumn:
    """A part of an expression that looks at columns only; values are numbered as they are met."""

    name: str
    reads: Row
    evaluate: Evaluator
    values: list[Value] = field(factory=list)
    ids: dict[Value, int] = field(factory=dict)

    def value_id(self, now: Snapshot) -> int:
        """Return the number of its value in a snapshot with its columns."""
        try:
            value: Value = self.evaluate(now.state, now.variables, now.parameters)
        except UNSAFE_ERRORS:
            value = MISSING_VALUE
        value_id = self.ids.setdefault(value, len(self.values))
        if value_id == len(self.values):
            self.values.append(value)
        return value_id


@define(eq=False)
class DerivedColumns:
    """The aspects of a machine, for all of its events; their columns come after those of a row."""

    tables: MachineTables
    places: ColumnPlaces
    derived: list[DerivedColumn] = field(factory=list)
    indices: dict[Expression, int] = field(factory=dict)

    @property
    def first_index(self) -> int:
        """The column of the first aspect."""
        return len(self.places.columns)

    def at_index(self, column: int) -> DerivedColumn:
        """Return the aspect in a column."""
        return self.derived[column - self.first_index]

    def named_index(self, name: str) -> int | None:
        """Return the column of an aspect with this name; None for another name."""
        return (
            self.first_index + int(name.removeprefix(_NAME_PREFIX))
            if name.startswith(_NAME_PREFIX)
            else None
        )

    def name_for(self, node: Expression) -> Name:
        """Return the name that stands for an expression."""
        index = self.indices.get(node)
        if index is None:
            index = self.indices[node] = len(self.derived)
            reads = tuple(sorted(self.places.read_by([node])))
            self.derived.append(
                DerivedColumn(
                    f"{_NAME_PREFIX}{index}",
                    reads,
                    self.tables.behaviour.compiler.compile_expression(node),
                )
            )
        return Name(NameKind.ARGUMENT, f"{_NAME_PREFIX}{index}", type=node.type)

    def is_derivable(self, node: Expression) -> bool:
        """Tell whether an expression looks at columns only, and goes through something: else it is
        asked as fast as it is looked up.
        """
        kinds = {name.kind for name in self.tables.behaviour.compiler.all_used_names([node])}
        return NameKind.VARIABLE in kinds <= {
            NameKind.VARIABLE,
            NameKind.PARAMETER,
            NameKind.STATE,
        } and self._has_loop(node)

    def _has_loop(self, node: Expression) -> bool:
        bodies = {
            definition.name: definition.body for definition in self.tables.machine.data.definitions
        }
        parts = list(walk(node))
        inner = [bodies[part.definition] for part in parts if isinstance(part, DefinitionCall)]
        return any(isinstance(part, Comprehension) for part in parts) or any(
            self._has_loop(body) for body in inner
        )
