"""Typed expressions to Python source: every name is one of ours, every literal is written anew; nothing of a user's text is run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from attrs import define, field

from statemachines.model.expressions import (
    Allows,
    Apply,
    Binary,
    Boolean,
    Call,
    Clause,
    Compare,
    Comprehension,
    Conditional,
    Expression,
    Field,
    Get,
    Implies,
    InStates,
    IsNone,
    Item,
    Kind,
    ListDisplay,
    Literal,
    Local,
    Make,
    MapDisplay,
    Name,
    Negative,
    Not,
    Replace,
    SetDisplay,
    Slice,
    View,
)
from statemachines.model.types import RecordType, base_of
from statemachines.model.values import FrozenMap, record_class

PREFIXES = {
    Kind.VARIABLE: "v_",
    Kind.PARAMETER: "p_",
    Kind.ARGUMENT: "a_",
    Kind.LET: "l_",
    Kind.STATE: "s_",
    Kind.BEFORE: "b_",
    Kind.INPUT: "i_",
    Kind.OUTSIDE: "o_",
}


def identifier(kind: Kind, name: str) -> str:
    """Return the Python name of a declared name; two kinds never share one.

    >>> identifier(Kind.VARIABLE, "count"), identifier(Kind.INPUT, "twice.n")
    ('v_count', 'i_n')
    """
    return PREFIXES[kind] + name.rsplit(".", 1)[-1]


@define
class Writer:
    """Writes expressions and keeps the constants that they need."""

    free: Mapping[str, tuple[str, ...]] = field(factory=dict)
    """Definition to the identifiers that its body uses beside its inputs: they are passed on."""
    renamed: Mapping[str, str] = field(factory=dict)
    """Identifiers that are called otherwise where an expression is written."""
    constants: dict[str, object] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        self.constants.setdefault("FrozenMap", FrozenMap)

    def constant(self, prefix: str, value: object) -> str:
        """Keep a value and return the name it is known by."""
        for name, kept in self.constants.items():
            if name.startswith(prefix) and kept == value:
                return name
        name = f"{prefix}{len(self.constants)}"
        self.constants[name] = value
        return name

    def write(self, node: Expression) -> str:
        """Return an expression as Python source, in parentheses where it needs them."""
        return _WRITERS[type(node)](self, node)

    def name(self, name: str) -> str:
        """Return an identifier as it is called here."""
        return self.renamed.get(name, name)

    def several(self, nodes: tuple[Expression, ...]) -> str:
        """Return expressions with commas, a last one included."""
        return "".join(f"{self.write(node)}, " for node in nodes)


def _literal(writer: Writer, node: Literal) -> str:
    if isinstance(node.value, frozenset):
        return writer.constant("c_", node.value)
    return f"({node.value})" if isinstance(node.value, int) and node.value < 0 else repr(node.value)


def _name(writer: Writer, node: Name) -> str:
    return writer.name(identifier(node.kind, node.name))


def _local(writer: Writer, node: Local) -> str:
    return f"t{node.number}_{node.name}"


def _in_states(writer: Writer, node: InStates) -> str:
    state = writer.name(identifier(Kind.BEFORE if node.before else Kind.STATE, "state"))
    return f"({state} in {writer.constant('c_', frozenset(node.states))})"


def _boolean(writer: Writer, node: Boolean) -> str:
    return "(" + f" {node.operator} ".join(writer.write(operand) for operand in node.operands) + ")"


def _not(writer: Writer, node: Not) -> str:
    return f"(not {writer.write(node.operand)})"


def _implies(writer: Writer, node: Implies) -> str:
    return f"(not {writer.write(node.condition)} or {writer.write(node.consequence)})"


def _compare(writer: Writer, node: Compare) -> str:
    right = _walked(writer, node.right) if "in" in node.operator else writer.write(node.right)
    return f"({writer.write(node.left)} {node.operator} {right})"


def _is_none(writer: Writer, node: IsNone) -> str:
    return f"({writer.write(node.operand)} is None)"


def _binary(writer: Writer, node: Binary) -> str:
    return f"({writer.write(node.left)} {node.operator} {writer.write(node.right)})"


def _negative(writer: Writer, node: Negative) -> str:
    return f"(-{writer.write(node.operand)})"


def _conditional(writer: Writer, node: Conditional) -> str:
    return f"({writer.write(node.yes)} if {writer.write(node.test)} else {writer.write(node.no)})"


def _set(writer: Writer, node: SetDisplay) -> str:
    return f"frozenset(({writer.several(node.items)}))" if node.items else writer.constant("c_", frozenset())


def _list(writer: Writer, node: ListDisplay) -> str:
    return f"({writer.several(node.items)})"


def _map(writer: Writer, node: MapDisplay) -> str:
    pairs = ", ".join(f"{writer.write(key)}: {writer.write(value)}" for key, value in node.pairs)
    return f"FrozenMap({{{pairs}}})" if pairs else writer.constant("m_", FrozenMap())


def _comprehension(writer: Writer, node: Comprehension) -> str:
    clauses = "".join(_clause(writer, clause) for clause in node.clauses)
    element = writer.write(node.element)
    match node.kind:
        case "set":
            return f"frozenset([{element}{clauses}])"
        case "list":
            return f"tuple([{element}{clauses}])"
        case "map":
            assert node.value is not None
            return f"FrozenMap({{{element}: {writer.write(node.value)}{clauses}}})"
    return f"({element}{clauses})"


def _clause(writer: Writer, clause: Clause) -> str:
    targets = ", ".join(writer.write(target) for target in clause.targets)
    conditions = "".join(f" if {writer.write(condition)}" for condition in clause.conditions)
    return f" for {targets} in {_walked(writer, clause.iterable)}{conditions}"


def _walked(writer: Writer, node: Expression) -> str:
    """Write what is only walked or looked into: no copy is made of it."""
    if isinstance(node, Call) and node.function == "range":
        return f"range({writer.several(node.arguments)})"
    if isinstance(node, View) and node.method == "keys":
        return writer.write(node.map)
    return writer.write(node)


def _call(writer: Writer, node: Call) -> str:
    match node.function:
        case "set":
            return f"frozenset({_walked(writer, node.arguments[0])})"
        case "range":
            return f"tuple({_walked(writer, node)})"
        case "next":
            return f"next({writer.write(node.arguments[0])}, None)"
    default = f"default={writer.write(node.otherwise)}" if node.otherwise is not None else ""
    if len(node.arguments) == 1:
        return f"{node.function}({_walked(writer, node.arguments[0])}{', ' if default else ''}{default})"
    return f"{node.function}({writer.several(node.arguments)}{default})"


def _view(writer: Writer, node: View) -> str:
    return f"frozenset({writer.write(node.map)})" if node.method == "keys" else f"{writer.write(node.map)}.{node.method}()"


def _get(writer: Writer, node: Get) -> str:
    default = f", {writer.write(node.otherwise)}" if node.otherwise is not None else ""
    return f"{writer.write(node.map)}.get({writer.write(node.key)}{default})"


def _item(writer: Writer, node: Item) -> str:
    return f"{writer.write(node.container)}[{writer.write(node.key)}]"


def _slice(writer: Writer, node: Slice) -> str:
    low, high = ("" if end is None else writer.write(end) for end in (node.low, node.high))
    return f"{writer.write(node.items)}[{low}:{high}]"


def _make(writer: Writer, node: Make) -> str:
    type_ = base_of(node.type)
    assert isinstance(type_, RecordType)
    made = writer.constant("r_", record_class(type_.name, tuple(name for name, _ in type_.fields)))
    return f"{made}({writer.several(node.values)})"


def _field(writer: Writer, node: Field) -> str:
    return f"{writer.write(node.record)}.{node.name}"


def _replace(writer: Writer, node: Replace) -> str:
    changes = ", ".join(f"{name}={writer.write(value)}" for name, value in node.changes)
    return f"{writer.write(node.record)}._replace({changes})"


def _apply(writer: Writer, node: Apply) -> str:
    passed = "".join(f"{writer.name(name)}, " for name in writer.free[node.definition])
    return f"d_{node.definition}({writer.several(node.arguments)}{passed})"


def _allows(writer: Writer, node: Allows) -> str:
    return f"(({writer.write(node.source)}, {writer.write(node.target)}) in {writer.constant('c_', node.pairs)})"


_WRITERS: dict[type[Expression], Callable[[Writer, Any], str]] = {
    Literal: _literal,
    Name: _name,
    Local: _local,
    InStates: _in_states,
    Boolean: _boolean,
    Not: _not,
    Implies: _implies,
    Compare: _compare,
    IsNone: _is_none,
    Binary: _binary,
    Negative: _negative,
    Conditional: _conditional,
    SetDisplay: _set,
    ListDisplay: _list,
    MapDisplay: _map,
    Comprehension: _comprehension,
    Call: _call,
    View: _view,
    Get: _get,
    Item: _item,
    Slice: _slice,
    Make: _make,
    Field: _field,
    Replace: _replace,
    Apply: _apply,
    Allows: _allows,
}
