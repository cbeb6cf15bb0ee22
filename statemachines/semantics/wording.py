"""Typed nodes as text again: what a person wrote, with one way of spacing and no parentheses that say nothing."""

from __future__ import annotations

from functools import singledispatch

from statemachines.model import expressions as e
from statemachines.model.types import IntType, RecordType, SetType, base_of
from statemachines.semantics.texts import exact

_ATOM, _UNARY, _COMPARED, _NOT, _LOOSEST = 9, 8, 3, 2, 0
_LEVELS = {"or": 1, "and": 1.5, "|": 4, "^": 4.5, "&": 5, "+": 6, "-": 6, "*": 7, "//": 7, "%": 7}


def wording(node: e.Expression) -> str:
    """Write an expression; reading it gives the same expression.

    >>> from statemachines.model.types import INT
    >>> two = e.Literal(2, type=INT)
    >>> wording(e.Binary("*", e.Binary("+", two, two, type=INT), two, type=INT))
    '(2 + 2) * 2'
    """
    return _written(node)[0]


@singledispatch
def _written(node: e.Expression) -> tuple[str, float]:
    """Return a text and how tightly it holds together."""
    raise NotImplementedError(type(node).__name__)


def _at(node: e.Expression, level: float) -> str:
    """Write a part, in parentheses where it holds together less tightly than its place asks."""
    text, own = _written(node)
    return text if own >= level else f"({text})"


def _all(nodes: tuple[e.Expression, ...]) -> str:
    return ", ".join(_at(node, _LOOSEST) for node in nodes)


@_written.register
def _literal(node: e.Literal) -> tuple[str, float]:
    if isinstance(node.value, frozenset):
        type_ = base_of(node.type)
        if isinstance(type_, SetType) and isinstance(type_.item, IntType):
            return f"{{{', '.join(map(str, sorted(node.value)))}}}", _ATOM
        return str(type_.item if isinstance(type_, SetType) else type_), _ATOM
    negative = isinstance(node.value, int) and node.value < 0
    return exact(node.value), _UNARY if negative else _ATOM


@_written.register
def _name(node: e.Name) -> tuple[str, float]:
    name = node.name.rpartition(".")[2] if node.kind is e.Kind.INPUT else node.name.removeprefix("before.")
    return (f"before.{name}" if node.kind is e.Kind.BEFORE else name), _ATOM


@_written.register
def _local(node: e.Local) -> tuple[str, float]:
    return node.name, _ATOM


@_written.register
def _in_states(node: e.InStates) -> tuple[str, float]:
    return (f"before.{node.name}" if node.before else node.name), _ATOM


@_written.register
def _boolean(node: e.Boolean) -> tuple[str, float]:
    level = _LEVELS[node.operator]
    return f" {node.operator} ".join(_at(operand, level + 0.1) for operand in node.operands), level


@_written.register
def _not(node: e.Not) -> tuple[str, float]:
    if isinstance(node.operand, e.IsNone):
        return f"{_at(node.operand.operand, _COMPARED + 0.1)} is not None", _COMPARED
    return f"not {_at(node.operand, _NOT)}", _NOT


@_written.register
def _implies(node: e.Implies) -> tuple[str, float]:
    return f"implies({_all((node.condition, node.consequence))})", _ATOM


@_written.register
def _compare(node: e.Compare) -> tuple[str, float]:
    return f"{_at(node.left, _COMPARED + 0.1)} {node.operator} {_at(node.right, _COMPARED + 0.1)}", _COMPARED


@_written.register
def _is_none(node: e.IsNone) -> tuple[str, float]:
    return f"{_at(node.operand, _COMPARED + 0.1)} is None", _COMPARED


@_written.register
def _binary(node: e.Binary) -> tuple[str, float]:
    level = _LEVELS[node.operator]
    return f"{_at(node.left, level)} {node.operator} {_at(node.right, level + 0.1)}", level


@_written.register
def _negative(node: e.Negative) -> tuple[str, float]:
    return f"-{_at(node.operand, _UNARY)}", _UNARY


@_written.register
def _conditional(node: e.Conditional) -> tuple[str, float]:
    return f"{_at(node.yes, 1)} if {_at(node.test, 1)} else {_at(node.no, _LOOSEST)}", _LOOSEST


@_written.register
def _set(node: e.SetDisplay) -> tuple[str, float]:
    return f"{{{_all(node.items)}}}" if node.items else "set()", _ATOM


@_written.register
def _list(node: e.ListDisplay) -> tuple[str, float]:
    return f"[{_all(node.items)}]", _ATOM


@_written.register
def _map(node: e.MapDisplay) -> tuple[str, float]:
    return "{" + ", ".join(f"{_at(key, _LOOSEST)}: {_at(value, _LOOSEST)}" for key, value in node.pairs) + "}", _ATOM


@_written.register
def _comprehension(node: e.Comprehension) -> tuple[str, float]:
    made = _at(node.element, _LOOSEST) + (f": {_at(node.value, _LOOSEST)}" if node.value is not None else "")
    opening, closing = {"set": ("{", "}"), "map": ("{", "}"), "list": ("[", "]"), "generator": ("(", ")")}[node.kind]
    return f"{opening}{made}{''.join(map(_clause, node.clauses))}{closing}", _ATOM


def _clause(clause: e.Clause) -> str:
    targets = ", ".join(target.name for target in clause.targets)
    conditions = "".join(f" if {_at(condition, 1)}" for condition in clause.conditions)
    return f" for {targets} in {_at(clause.iterable, 1)}{conditions}"


@_written.register
def _call(node: e.Call) -> tuple[str, float]:
    if node.function == "next":
        return f"next({_all(node.arguments)}, None)", _ATOM
    if len(node.arguments) == 1 and isinstance(node.arguments[0], e.Comprehension) and node.arguments[0].kind == "generator":
        inner = _at(node.arguments[0], _LOOSEST)
        return f"{node.function}{inner}" if node.otherwise is None else f"{node.function}({inner}, default={_at(node.otherwise, 0)})", _ATOM
    default = f", default={_at(node.otherwise, _LOOSEST)}" if node.otherwise is not None else ""
    return f"{node.function}({_all(node.arguments)}{default})", _ATOM


@_written.register
def _view(node: e.View) -> tuple[str, float]:
    return f"{_at(node.map, _ATOM)}.{node.method}()", _ATOM


@_written.register
def _get(node: e.Get) -> tuple[str, float]:
    default = f", {_at(node.otherwise, _LOOSEST)}" if node.otherwise is not None else ""
    return f"{_at(node.map, _ATOM)}.get({_at(node.key, _LOOSEST)}{default})", _ATOM


@_written.register
def _item(node: e.Item) -> tuple[str, float]:
    return f"{_at(node.container, _ATOM)}[{_at(node.key, _LOOSEST)}]", _ATOM


@_written.register
def _slice(node: e.Slice) -> tuple[str, float]:
    low, high = ("" if end is None else _at(end, _LOOSEST) for end in (node.low, node.high))
    return f"{_at(node.items, _ATOM)}[{low}:{high}]", _ATOM


@_written.register
def _make(node: e.Make) -> tuple[str, float]:
    type_ = base_of(node.type)
    assert isinstance(type_, RecordType)
    given = zip(type_.fields, node.values, strict=True)
    return f"{type_.name}({', '.join(f'{name}={_at(value, _LOOSEST)}' for (name, _), value in given)})", _ATOM


@_written.register
def _field(node: e.Field) -> tuple[str, float]:
    return f"{_at(node.record, _ATOM)}.{node.name}", _ATOM


@_written.register
def _replace(node: e.Replace) -> tuple[str, float]:
    changes = ", ".join(f"{name}={_at(value, _LOOSEST)}" for name, value in node.changes)
    return f"replace({_at(node.record, _LOOSEST)}, {changes})", _ATOM


@_written.register
def _apply(node: e.Apply) -> tuple[str, float]:
    return f"{node.definition}({_all(node.arguments)})" if node.arguments else node.definition, _ATOM


@_written.register
def _allows(node: e.Allows) -> tuple[str, float]:
    return f"{node.machine.rsplit('/', 1)[-1]}.allows({_all((node.source, node.target))})", _ATOM
