"""Typed nodes as text again: what a person wrote, with one way of spacing and no parentheses that say nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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
from statemachines.model.types import IntType, RecordType, SetType, base_of

_ATOM, _UNARY, _COMPARED, _NOT, _LOOSEST = 9, 8, 3, 2, 0
_LEVELS = {"or": 1, "and": 1.5, "|": 4, "^": 4.5, "&": 5, "+": 6, "-": 6, "*": 7, "//": 7, "%": 7}


def to_text(node: Expression) -> str:
    """Write an expression; reading it gives the same expression.

    >>> from statemachines.model.types import INT
    >>> two = Literal(2, type=INT)
    >>> to_text(Binary("*", Binary("+", two, two, type=INT), two, type=INT))
    '(2 + 2) * 2'
    """
    return _write(node)[0]


def _write(node: Expression) -> tuple[str, float]:
    """Return a text and how tightly it holds together."""
    return _WRITERS[type(node)](node)


def _at(node: Expression, level: float) -> str:
    """Write a part, in parentheses where it holds together less tightly than its place asks."""
    text, own = _write(node)
    return text if own >= level else f"({text})"


def _all(nodes: tuple[Expression, ...]) -> str:
    return ", ".join(_at(node, _LOOSEST) for node in nodes)


def _literal(node: Literal) -> tuple[str, float]:
    if isinstance(node.value, frozenset):
        type_ = base_of(node.type)
        if isinstance(type_, SetType) and isinstance(type_.item, IntType):
            return f"{{{', '.join(map(str, sorted(node.value)))}}}", _ATOM
        return str(type_.item if isinstance(type_, SetType) else type_), _ATOM
    negative = isinstance(node.value, int) and node.value < 0
    return repr(node.value), _UNARY if negative else _ATOM


def _name(node: Name) -> tuple[str, float]:
    name = node.name.rsplit(".", 1)[-1]
    return (f"before.{name}" if node.kind is Kind.BEFORE else name), _ATOM


def _local(node: Local) -> tuple[str, float]:
    return node.name, _ATOM


def _in_states(node: InStates) -> tuple[str, float]:
    return (f"before.{node.name}" if node.before else node.name), _ATOM


def _boolean(node: Boolean) -> tuple[str, float]:
    level = _LEVELS[node.operator]
    return f" {node.operator} ".join(_at(operand, level + 0.1) for operand in node.operands), level


def _not(node: Not) -> tuple[str, float]:
    if isinstance(node.operand, IsNone):
        return f"{_at(node.operand.operand, _COMPARED + 0.1)} is not None", _COMPARED
    return f"not {_at(node.operand, _NOT)}", _NOT


def _implies(node: Implies) -> tuple[str, float]:
    return f"implies({_all((node.condition, node.consequence))})", _ATOM


def _compare(node: Compare) -> tuple[str, float]:
    return f"{_at(node.left, _COMPARED + 0.1)} {node.operator} {_at(node.right, _COMPARED + 0.1)}", _COMPARED


def _is_none(node: IsNone) -> tuple[str, float]:
    return f"{_at(node.operand, _COMPARED + 0.1)} is None", _COMPARED


def _binary(node: Binary) -> tuple[str, float]:
    level = _LEVELS[node.operator]
    return f"{_at(node.left, level)} {node.operator} {_at(node.right, level + 0.1)}", level


def _negative(node: Negative) -> tuple[str, float]:
    return f"-{_at(node.operand, _UNARY)}", _UNARY


def _conditional(node: Conditional) -> tuple[str, float]:
    return f"{_at(node.yes, 1)} if {_at(node.test, 1)} else {_at(node.no, _LOOSEST)}", _LOOSEST


def _set(node: SetDisplay) -> tuple[str, float]:
    return f"{{{_all(node.items)}}}" if node.items else "set()", _ATOM


def _list(node: ListDisplay) -> tuple[str, float]:
    return f"[{_all(node.items)}]", _ATOM


def _map(node: MapDisplay) -> tuple[str, float]:
    return "{" + ", ".join(f"{_at(key, _LOOSEST)}: {_at(value, _LOOSEST)}" for key, value in node.pairs) + "}", _ATOM


def _comprehension(node: Comprehension) -> tuple[str, float]:
    made = _at(node.element, _LOOSEST) + (f": {_at(node.value, _LOOSEST)}" if node.value is not None else "")
    opening, closing = {"set": ("{", "}"), "map": ("{", "}"), "list": ("[", "]"), "generator": ("(", ")")}[node.kind]
    return f"{opening}{made}{''.join(map(_clause, node.clauses))}{closing}", _ATOM


def _clause(clause: Clause) -> str:
    targets = ", ".join(target.name for target in clause.targets)
    conditions = "".join(f" if {_at(condition, 1)}" for condition in clause.conditions)
    return f" for {targets} in {_at(clause.iterable, 1)}{conditions}"


def _call(node: Call) -> tuple[str, float]:
    if node.function == "next":
        return f"next({_all(node.arguments)}, None)", _ATOM
    if len(node.arguments) == 1 and isinstance(node.arguments[0], Comprehension) and node.arguments[0].kind == "generator":
        inner = _at(node.arguments[0], _LOOSEST)
        return f"{node.function}{inner}" if node.otherwise is None else f"{node.function}({inner}, default={_at(node.otherwise, 0)})", _ATOM
    default = f", default={_at(node.otherwise, _LOOSEST)}" if node.otherwise is not None else ""
    return f"{node.function}({_all(node.arguments)}{default})", _ATOM


def _view(node: View) -> tuple[str, float]:
    return f"{_at(node.map, _ATOM)}.{node.method}()", _ATOM


def _get(node: Get) -> tuple[str, float]:
    default = f", {_at(node.otherwise, _LOOSEST)}" if node.otherwise is not None else ""
    return f"{_at(node.map, _ATOM)}.get({_at(node.key, _LOOSEST)}{default})", _ATOM


def _item(node: Item) -> tuple[str, float]:
    return f"{_at(node.container, _ATOM)}[{_at(node.key, _LOOSEST)}]", _ATOM


def _slice(node: Slice) -> tuple[str, float]:
    low, high = ("" if end is None else _at(end, _LOOSEST) for end in (node.low, node.high))
    return f"{_at(node.items, _ATOM)}[{low}:{high}]", _ATOM


def _make(node: Make) -> tuple[str, float]:
    type_ = base_of(node.type)
    return f"{type_.name if isinstance(type_, RecordType) else type_}({_all(node.values)})", _ATOM


def _field(node: Field) -> tuple[str, float]:
    return f"{_at(node.record, _ATOM)}.{node.name}", _ATOM


def _replace(node: Replace) -> tuple[str, float]:
    changes = ", ".join(f"{name}={_at(value, _LOOSEST)}" for name, value in node.changes)
    return f"replace({_at(node.record, _LOOSEST)}, {changes})", _ATOM


def _apply(node: Apply) -> tuple[str, float]:
    return f"{node.definition}({_all(node.arguments)})" if node.arguments else node.definition, _ATOM


def _allows(node: Allows) -> tuple[str, float]:
    return f"{node.machine.rsplit('/', 1)[-1]}.allows({_all((node.source, node.target))})", _ATOM


_WRITERS: dict[type[Expression], Callable[[Any], tuple[str, float]]] = {
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
