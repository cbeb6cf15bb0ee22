"""Expressions of an event, split: what arguments alone decide is worked out once for them, and many arguments then are the same.

Which of a thousand maps of outcomes a caller chose matters little to an effect that asks which items failed. The set of those that failed
is an *atom*: the largest part of an expression that depends on arguments and on the few columns from which they are drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from attrs import define, evolve, field, frozen

from statemachines.explore.aspects import NO_VALUE, UNSAFE, Aspects
from statemachines.explore.columns import Row
from statemachines.explore.rules import columns_read
from statemachines.model.data import Let
from statemachines.model.expressions import Call, Comprehension, Expression, Kind, ListDisplay, Local, Name, View, rebuild, walk
from statemachines.model.snapshots import Snapshot, Value
from statemachines.model.types import BOOL, ListType
from statemachines.semantics.compile import Evaluate, needed, used_names
from statemachines.semantics.tables import Tables

_ATOM = "atom__"


@frozen(eq=False)
class Part:
    """An expression over columns, aspects and atoms."""

    evaluate: Evaluate
    reads: Row
    """The columns that it looks at, those of aspects last."""
    atoms: tuple[int, ...]

    def of(self, now: Snapshot, named: dict[str, Value]) -> Value:
        """Return its value (`named`: its atoms and aspects)."""
        value: Value = self.evaluate(now.state, now.variables, now.parameters, named)
        return value


@define(eq=False)
class Atoms:
    """The atoms of one event, in the order in which they were found."""

    tables: Tables
    nodes: list[tuple[Expression, tuple[Let, ...], object]] = field(factory=list)
    """Each with the `let` around it, and what tells these apart from others."""
    known: dict[tuple[object, Expression], int] = field(factory=dict)
    together: list[tuple[tuple[int, ...], Evaluate]] = field(factory=list)
    alone: list[Evaluate] = field(factory=list)

    def number(self, key: object, node: Expression, lets: tuple[Let, ...]) -> int:
        """Return the place of an atom."""
        found = self.known.get((key, node))
        if found is None:
            found = self.known[key, node] = len(self.nodes)
            self.nodes.append((node, lets, key))
        return found

    def of(self, now: Snapshot, arguments: Mapping[str, Value]) -> tuple[Value, ...]:
        """Return their values for some arguments; all at once where none of them is unsafe here."""
        values: list[Value] = [NO_VALUE] * len(self.nodes)
        for places, evaluate in self.together:
            try:
                for place, value in zip(places, evaluate(now.state, now.variables, now.parameters, arguments), strict=True):
                    values[place] = value
            except UNSAFE:
                for place in places:
                    values[place] = _value(self.alone[place], now, arguments)
        return tuple(values)

    def compiled(self) -> None:
        """Compile the atoms: all have been found."""
        compiler, groups = self.tables.behaviour.compiler, dict[object, list[int]]()
        for place, (_, _, key) in enumerate(self.nodes):
            groups.setdefault(key, []).append(place)
        self.alone = [compiler.expression(node, _of(lets, [node])) for node, lets, _ in self.nodes]
        self.together = []
        for places in groups.values():
            nodes = tuple(self.nodes[place][0] for place in places)
            whole = ListDisplay(nodes, type=ListType(BOOL))
            self.together.append((tuple(places), compiler.expression(whole, _of(self.nodes[places[0]][1], nodes))))


def _of(lets: tuple[Let, ...], nodes: Iterable[Expression]) -> tuple[Let, ...]:
    wanted = needed(lets, nodes)
    return tuple(let for let in lets if let.name in wanted)


def _value(evaluate: Evaluate, now: Snapshot, arguments: Mapping[str, Value]) -> Value:
    try:
        value: Value = evaluate(now.state, now.variables, now.parameters, arguments)
    except UNSAFE:
        return NO_VALUE
    return value


def atom_name(place: int) -> str:
    """Return how an atom is called in the expressions that use it."""
    return f"{_ATOM}{place}"


@define(eq=False)
class Splitter:
    """Splits the expressions of one operation."""

    tables: Tables
    place: dict[tuple[str, bool], int]
    """Name of a column, and whether it is fixed, to its place."""
    around: frozenset[int]
    """The columns from which arguments are drawn: atoms may look at them."""
    lets: tuple[Let, ...]
    atoms: Atoms
    aspects: Aspects
    key: object
    """Tells operations apart whose `let` have the same names."""
    changed: dict[str, Let] = field(factory=dict)
    parts: dict[Expression, Part] = field(factory=dict)

    def part(self, node: Expression, *, alone: bool = False) -> Part:
        """Split an expression, once.

        Args:
            node: what is split.
            alone: nothing else is looked up together with it: what looks at columns only gains nothing from aspects.
        """
        if node not in self.parts:
            self.parts[node] = self._part(node if alone and not self._asks(node) else self._split(node))
        return self.parts[node]

    def _part(self, changed: Expression) -> Part:
        lets = tuple(self._let(let) for let in self.lets)
        wanted = needed(lets, [changed])
        nodes = [changed, *(let.value for let in lets if let.name in wanted)]
        names = self.tables.behaviour.compiler.names_of(nodes)
        given = {name.name for name in names if name.kind is Kind.ARGUMENT}
        aspects = {name: column for name in given if (column := self.aspects.column(name)) is not None}
        atoms = sorted(int(name.removeprefix(_ATOM)) for name in given - aspects.keys())
        evaluate = self.tables.behaviour.compiler.expression(changed, _of(lets, [changed]))
        return Part(evaluate, tuple(sorted({*columns_read(self.tables, nodes, self.place), *aspects.values()})), tuple(atoms))

    def _let(self, let: Let) -> Let:
        found = self.changed.get(let.name)
        if found is None:
            found = self.changed[let.name] = evolve(let, value=self._split(let.value))
        return found

    def _split(self, node: Expression) -> Expression:
        if isinstance(node, Local):
            return node
        if not self._asks(node):
            return self._seen(node)
        if self._is_atom(node):
            return Name(Kind.ARGUMENT, atom_name(self.atoms.number(self.key, node, self.lets)), type=node.type)
        return rebuild(node, self._split)

    def _seen(self, node: Expression) -> Expression:
        """Put names of aspects into an expression without arguments."""
        if self.aspects.is_aspect(node) and not _is_no_value(node) and not _free_locals(node):
            return self.aspects.named(node)
        return rebuild(node, lambda part: part if isinstance(part, Local) else self._seen(part))

    def _nodes(self, node: Expression) -> list[Expression]:
        """Return an expression with the `let` that it needs."""
        wanted = needed(self.lets, [node])
        return [node, *(let.value for let in self.lets if let.name in wanted)]

    def _asks(self, node: Expression) -> bool:
        return any(name.kind is Kind.ARGUMENT for name in used_names(self._nodes(node)))

    def _is_atom(self, node: Expression) -> bool:
        if _is_no_value(node) or _free_locals(node):
            return False
        return columns_read(self.tables, self._nodes(node), self.place) <= self.around


def _is_no_value(node: Expression) -> bool:
    """Tell whether an expression gives what only another one goes through: pairs of a map, a range, a generator."""
    match node:
        case View():
            return True
        case Comprehension(kind=kind):
            return kind == "generator"
        case Call(function=function):
            return function == "range"
    return False


def _free_locals(node: Expression) -> bool:
    """Tell whether an expression uses a generator's variable from outside of it."""
    parts = list(walk(node))
    bound = {target for part in parts if isinstance(part, Comprehension) for clause in part.clauses for target in clause.targets}
    return any(isinstance(part, Local) and part not in bound for part in parts)
