"""Typed nodes as text again: what a person wrote, with one way of spacing and no parentheses that say nothing."""

from __future__ import annotations

from functools import singledispatch

from statemachines.model import expressions as e
from statemachines.model.types import IntType, RecordType, SetType, base_of
from statemachines.semantics.texts import exact

_LOOSEST, _OR, _AND, _NOT, _COMPARED, _UNION, _DIFFERENCE, _MEET, _SUM, _PRODUCT, _UNARY, _ATOM = range(12)
"""How tightly an expression holds together: a looser one inside a tighter one needs parentheses."""
_BOOLEANS = {"or": _OR, "and": _AND}
_LEVELS = {"|": _UNION, "^": _DIFFERENCE, "&": _MEET, "+": _SUM, "-": _SUM, "*": _PRODUCT, "//": _PRODUCT, "%": _PRODUCT}
_Written = tuple[str, int]
"""A text and how tightly it holds together."""


def wording(node: e.Expression) -> str:
    """Write an expression; reading it gives the same expression.

    >>> from statemachines.model.types import INT
    >>> two = e.Literal(2, type=INT)
    >>> wording(e.Binary("*", e.Binary("+", two, two, type=INT), two, type=INT))
    '(2 + 2) * 2'
    """
    return _written(node)[0]


@singledispatch
def _written(node: e.Expression) -> _Written:
    """Return a text and how tightly it holds together."""
    raise NotImplementedError(type(node).__name__)


def _at(node: e.Expression, level: int) -> str:
    """Write a part, in parentheses where it holds together less tightly than its place asks."""
    text, own = _written(node)
    return text if own >= level else f"({text})"


def _all(nodes: tuple[e.Expression, ...]) -> str:
    return ", ".join(_at(node, _LOOSEST) for node in nodes)


@_written.register
def _literal(node: e.Literal) -> _Written:
    if isinstance(node.value, frozenset):
        type_ = base_of(node.type)
        if isinstance(type_, SetType) and isinstance(type_.item, IntType):
            return f"{{{', '.join(map(str, sorted(node.value)))}}}", _ATOM
        return str(type_.item if isinstance(type_, SetType) else type_), _ATOM
    negative = isinstance(node.value, int) and node.value < 0
    return exact(node.value), _UNARY if negative else _ATOM


@_written.register
def _name(node: e.Name) -> _Written:
    name = node.name.rpartition(".")[2] if node.kind is e.Kind.INPUT else node.name.removeprefix("before.")
    return (f"before.{name}" if node.kind is e.Kind.BEFORE else name), _ATOM


@_written.register
def _local(node: e.Local) -> _Written:
    return node.name, _ATOM


@_written.register
def _in_states(node: e.InStates) -> _Written:
    return (f"before.{node.name}" if node.before else node.name), _ATOM


@_written.register
def _boolean(node: e.Boolean) -> _Written:
    level = _BOOLEANS[node.operator]
    return f" {node.operator} ".join(_at(operand, level + 1) for operand in node.operands), level


@_written.register
def _not(node: e.Not) -> _Written:
    if isinstance(node.operand, e.IsNone):
        return f"{_at(node.operand.operand, _COMPARED + 1)} is not None", _COMPARED
    return f"not {_at(node.operand, _NOT)}", _NOT


@_written.register
def _implies(node: e.Implies) -> _Written:
    return f"implies({_all((node.condition, node.consequence))})", _ATOM


@_written.register
def _compare(node: e.Compare) -> _Written:
    return f"{_at(node.left, _COMPARED + 1)} {node.operator} {_at(node.right, _COMPARED + 1)}", _COMPARED


@_written.register
def _is_none(node: e.IsNone) -> _Written:
    return f"{_at(node.operand, _COMPARED + 1)} is None", _COMPARED


@_written.register
def _binary(node: e.Binary) -> _Written:
    level = _LEVELS[node.operator]
    return f"{_at(node.left, level)} {node.operator} {_at(node.right, level + 1)}", level


@_written.register
def _negative(node: e.Negative) -> _Written:
    return f"-{_at(node.operand, _UNARY)}", _UNARY


@_written.register
def _conditional(node: e.Conditional) -> _Written:
    return f"{_at(node.yes, _OR)} if {_at(node.test, _OR)} else {_at(node.no, _LOOSEST)}", _LOOSEST


@_written.register
def _set(node: e.SetDisplay) -> _Written:
    return f"{{{_all(node.items)}}}" if node.items else "set()", _ATOM


@_written.register
def _list(node: e.ListDisplay) -> _Written:
    return f"[{_all(node.items)}]", _ATOM


@_written.register
def _map(node: e.MapDisplay) -> _Written:
    return "{" + ", ".join(f"{_at(key, _LOOSEST)}: {_at(value, _LOOSEST)}" for key, value in node.pairs) + "}", _ATOM


@_written.register
def _comprehension(node: e.Comprehension) -> _Written:
    made = _at(node.element, _LOOSEST) + (f": {_at(node.value, _LOOSEST)}" if node.value is not None else "")
    opening, closing = {"set": ("{", "}"), "map": ("{", "}"), "list": ("[", "]"), "generator": ("(", ")")}[node.kind]
    return f"{opening}{made}{''.join(map(_clause, node.clauses))}{closing}", _ATOM


def _clause(clause: e.Clause) -> str:
    targets = ", ".join(target.name for target in clause.targets)
    conditions = "".join(f" if {_at(condition, _OR)}" for condition in clause.conditions)
    return f" for {targets} in {_at(clause.iterable, _OR)}{conditions}"


@_written.register
def _call(node: e.Call) -> _Written:
    if node.function == "next":
        return f"next({_all(node.arguments)}, None)", _ATOM
    default = f", default={_at(node.otherwise, _LOOSEST)}" if node.otherwise is not None else ""
    given = _all(node.arguments)
    alone = (
        not default
        and len(node.arguments) == 1
        and isinstance(node.arguments[0], e.Comprehension)
        and node.arguments[0].kind == "generator"
    )
    return f"{node.function}{given}" if alone else f"{node.function}({given}{default})", _ATOM


@_written.register
def _view(node: e.View) -> _Written:
    return f"{_at(node.map, _ATOM)}.{node.method}()", _ATOM


@_written.register
def _get(node: e.Get) -> _Written:
    default = f", {_at(node.otherwise, _LOOSEST)}" if node.otherwise is not None else ""
    return f"{_at(node.map, _ATOM)}.get({_at(node.key, _LOOSEST)}{default})", _ATOM


@_written.register
def _item(node: e.Item) -> _Written:
    return f"{_at(node.container, _ATOM)}[{_at(node.key, _LOOSEST)}]", _ATOM


@_written.register
def _slice(node: e.Slice) -> _Written:
    low, high = ("" if end is None else _at(end, _LOOSEST) for end in (node.low, node.high))
    return f"{_at(node.items, _ATOM)}[{low}:{high}]", _ATOM


@_written.register
def _make(node: e.Make) -> _Written:
    type_ = base_of(node.type)
    assert isinstance(type_, RecordType)
    given = zip(type_.fields, node.values, strict=True)
    return f"{type_.name}({', '.join(f'{name}={_at(value, _LOOSEST)}' for (name, _), value in given)})", _ATOM


@_written.register
def _field(node: e.Field) -> _Written:
    return f"{_at(node.record, _ATOM)}.{node.name}", _ATOM


@_written.register
def _replace(node: e.Replace) -> _Written:
    changes = ", ".join(f"{name}={_at(value, _LOOSEST)}" for name, value in node.changes)
    return f"replace({_at(node.record, _LOOSEST)}, {changes})", _ATOM


@_written.register
def _apply(node: e.Apply) -> _Written:
    return f"{node.definition}({_all(node.arguments)})" if node.arguments else node.definition, _ATOM


@_written.register
def _allows(node: e.Allows) -> _Written:
    return f"{node.machine.rsplit('/', 1)[-1]}.allows({_all((node.source, node.target))})", _ATOM
