"""Expressions of an event, split: what arguments alone decide is worked out once for them, and many
arguments then are the same.

Which of a thousand maps of outcomes a caller chose matters little to an effect that asks which
items failed. The set of those that failed is an *atom*: the largest part of an expression that
depends on arguments and on the few columns from which they are drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from attrs import define, evolve, field, frozen

from statemachines.explore.models.derived_columns import (
    MISSING_VALUE,
    UNSAFE_ERRORS,
    DerivedColumns,
)
from statemachines.explore.models.row_columns import ColumnPlaces, Row
from statemachines.model.definitions.data_definitions import Let
from statemachines.model.definitions.snapshots import Snapshot, Value
from statemachines.model.language.expression_nodes import (
    Call,
    Comprehension,
    Expression,
    ListDisplay,
    Local,
    MapView,
    Name,
    NameKind,
    rebuild,
    walk,
)
from statemachines.model.language.value_types import BOOL, ListType
from statemachines.semantics.evaluation.compiler import Evaluator, needed_lets, used_names
from statemachines.semantics.machine.machine_tables import MachineTables

_TERM_PREFIX = "atom__"


@frozen(eq=False)
class SplitExpression:
    """An expression over columns, aspects and atoms."""

    evaluate: Evaluator
    reads: Row
    """The columns that it looks at, those of aspects last."""
    terms: tuple[int, ...]

    def value(self, now: Snapshot, named: dict[str, Value]) -> Value:
        """Return its value (`named`: its atoms and aspects)."""
        value: Value = self.evaluate(now.state, now.variables, now.parameters, named)
        return value


TermValues = tuple[Value, ...]
"""The values of all atoms, or of some."""


@define(eq=False)
class ArgumentTerms:
    """The atoms of one event, in the order in which they were found."""

    tables: MachineTables
    nodes: list[tuple[Expression, tuple[Let, ...], object]] = field(factory=list)
    """Each with the `let` around it, and what tells these apart from others."""
    indices: dict[tuple[object, Expression], int] = field(factory=dict)
    grouped: list[tuple[tuple[int, ...], Evaluator]] = field(factory=list)
    single: list[Evaluator] = field(factory=list)
    read_columns: bool = True
    """Whether some atom looks at more than arguments."""

    def index(self, key: object, node: Expression, lets: tuple[Let, ...]) -> int:
        """Return the place of an atom."""
        index = self.indices.get((key, node))
        if index is None:
            index = self.indices[key, node] = len(self.nodes)
            self.nodes.append((node, lets, key))
        return index

    def values(self, now: Snapshot, arguments: Mapping[str, Value]) -> tuple[Value, ...]:
        """Return their values for some arguments; all at once where none of them is unsafe here."""
        values: list[Value] = [MISSING_VALUE] * len(self.nodes)
        for indices, evaluate in self.grouped:
            try:
                for index, value in zip(
                    indices,
                    evaluate(now.state, now.variables, now.parameters, arguments),
                    strict=True,
                ):
                    values[index] = value
            except UNSAFE_ERRORS:
                for index in indices:
                    values[index] = _value_or_missing(self.single[index], now, arguments)
        return tuple(values)

    def compile(self) -> None:
        """Compile the atoms: all have been found."""
        compiler, groups = self.tables.behaviour.compiler, dict[object, list[int]]()
        used = compiler.all_used_names(
            [part for node, lets, _ in self.nodes for part in (node, *(let.value for let in lets))]
        )
        self.read_columns = any(name.kind is not NameKind.ARGUMENT for name in used)
        for index, (_, _, key) in enumerate(self.nodes):
            groups.setdefault(key, []).append(index)
        self.single = [
            compiler.compile_expression(node, _needed_lets(lets, [node]))
            for node, lets, _ in self.nodes
        ]
        self.grouped = []
        for indices in groups.values():
            nodes = tuple(self.nodes[index][0] for index in indices)
            whole = ListDisplay(nodes, type=ListType(BOOL))
            self.grouped.append(
                (
                    tuple(indices),
                    compiler.compile_expression(
                        whole, _needed_lets(self.nodes[indices[0]][1], nodes)
                    ),
                )
            )


def _needed_lets(lets: tuple[Let, ...], nodes: Iterable[Expression]) -> tuple[Let, ...]:
    wanted = needed_lets(lets, nodes)
    return tuple(let for let in lets if let.name in wanted)


def _value_or_missing(evaluate: Evaluator, now: Snapshot, arguments: Mapping[str, Value]) -> Value:
    try:
        value: Value = evaluate(now.state, now.variables, now.parameters, arguments)
    except UNSAFE_ERRORS:
        return MISSING_VALUE
    return value


def term_name(index: int) -> str:
    """Return how an atom is called in the expressions that use it."""
    return f"{_TERM_PREFIX}{index}"


@define(eq=False)
class ExpressionSplitter:
    """Splits the expressions of one operation."""

    tables: MachineTables
    places: ColumnPlaces
    argument_columns: frozenset[int]
    """The columns from which arguments are drawn: atoms may look at them."""
    lets: tuple[Let, ...]
    terms: ArgumentTerms
    derived: DerivedColumns
    key: object
    """Tells operations apart whose `let` have the same names."""
    split_lets: dict[str, Let] = field(factory=dict)
    known: dict[Expression, SplitExpression] = field(factory=dict)
    known_effects: dict[tuple[Expression, int], SplitExpression] = field(factory=dict)

    def split(self, node: Expression) -> SplitExpression:
        """Split an expression, once."""
        if node not in self.known:
            self.known[node] = self._split_once(self._rewrite(node))
        return self.known[node]

    def split_effect(self, node: Expression, column: int) -> SplitExpression:
        """Split what is assigned to a variable; nothing else is looked up together with it.

        What looks at columns only gains nothing from aspects. What changes the variable is no atom
        as a whole: it would be another one for each value that the variable has.
        """
        if (node, column) not in self.known_effects:
            self.known_effects[node, column] = self._split_once(self._effect(node, column))
        return self.known_effects[node, column]

    def _effect(self, node: Expression, column: int) -> Expression:
        if not self._reads_arguments(node):
            return node
        reads = self.places.read_by(self._with_lets(node))
        if column in reads and self._is_argument_term(node):
            return rebuild(node, self._rewrite)
        return self._rewrite(node)

    def _split_once(self, changed: Expression) -> SplitExpression:
        lets = tuple(self._split_let(let) for let in self.lets)
        wanted = needed_lets(lets, [changed])
        nodes = [changed, *(let.value for let in lets if let.name in wanted)]
        names = self.tables.behaviour.compiler.all_used_names(nodes)
        given = {name.name for name in names if name.kind is NameKind.ARGUMENT}
        aspects = {
            name: column for name in given if (column := self.derived.named_index(name)) is not None
        }
        atoms = sorted(int(name.removeprefix(_TERM_PREFIX)) for name in given - aspects.keys())
        evaluate = self.tables.behaviour.compiler.compile_expression(
            changed, _needed_lets(lets, [changed])
        )
        return SplitExpression(
            evaluate,
            tuple(sorted({*self.places.read_by(nodes), *aspects.values()})),
            tuple(atoms),
        )

    def _split_let(self, let: Let) -> Let:
        split_let = self.split_lets.get(let.name)
        if split_let is None:
            split_let = self.split_lets[let.name] = evolve(let, value=self._rewrite(let.value))
        return split_let

    def _rewrite(self, node: Expression) -> Expression:
        if isinstance(node, Local):
            return node
        if not self._reads_arguments(node):
            return self._rewrite_derived(node)
        if self._is_argument_term(node):
            return Name(
                NameKind.ARGUMENT,
                term_name(self.terms.index(self.key, node, self.lets)),
                type=node.type,
            )
        return rebuild(node, self._rewrite)

    def _rewrite_derived(self, node: Expression) -> Expression:
        """Put names of aspects into an expression without arguments."""
        if (
            self.derived.is_derivable(node)
            and not _is_iterated_only(node)
            and not _has_free_locals(node)
        ):
            return self.derived.name_for(node)
        return rebuild(
            node, lambda part: part if isinstance(part, Local) else self._rewrite_derived(part)
        )

    def _with_lets(self, node: Expression) -> list[Expression]:
        """Return an expression with the `let` that it needs."""
        wanted = needed_lets(self.lets, [node])
        return [node, *(let.value for let in self.lets if let.name in wanted)]

    def _reads_arguments(self, node: Expression) -> bool:
        return any(name.kind is NameKind.ARGUMENT for name in used_names(self._with_lets(node)))

    def _is_argument_term(self, node: Expression) -> bool:
        if _is_iterated_only(node) or _has_free_locals(node):
            return False
        return self.places.read_by(self._with_lets(node)) <= self.argument_columns


def _is_iterated_only(node: Expression) -> bool:
    """Tell whether an expression gives what only another one goes through: pairs of a map, a range,
    a generator.
    """
    match node:
        case MapView():
            return True
        case Comprehension(kind=kind):
            return kind == "generator"
        case Call(function=function):
            return function == "range"
    return False


def _has_free_locals(node: Expression) -> bool:
    """Tell whether an expression uses a generator's variable from outside of it."""
    parts = list(walk(node))
    bound = {
        target
        for part in parts
        if isinstance(part, Comprehension)
        for clause in part.clauses
        for target in clause.targets
    }
    return any(isinstance(part, Local) and part not in bound for part in parts)
