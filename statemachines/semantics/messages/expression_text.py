"""Typed nodes as text again: what a person wrote, with one way of spacing and no parentheses that
say nothing.
"""

from __future__ import annotations

from functools import singledispatch

from statemachines.model.language import expression_nodes as e
from statemachines.model.language.value_types import IntType, RecordType, SetType, base_type
from statemachines.semantics.messages.value_text import format_literal

(
    _LOOSEST,
    _OR,
    _AND,
    _NOT,
    _COMPARISON,
    _UNION,
    _DIFFERENCE,
    _INTERSECTION,
    _SUM,
    _PRODUCT,
    _UNARY,
    _ATOM,
) = range(12)
"""How tightly an expression holds together: a looser one inside a tighter one needs parentheses."""
_BOOLEANS = {"or": _OR, "and": _AND}
_LEVELS = {
    "|": _UNION,
    "^": _DIFFERENCE,
    "&": _INTERSECTION,
    "+": _SUM,
    "-": _SUM,
    "*": _PRODUCT,
    "//": _PRODUCT,
    "%": _PRODUCT,
}
_FormattedTerm = tuple[str, int]
"""A text and how tightly it holds together."""


def format_expression(node: e.Expression) -> str:
    """Write an expression; reading it gives the same expression.

    Args:
        node: a checked expression.

    Returns:
        One line in the notation of specs.

    >>> from statemachines.model.language.value_types import INT
    >>> two = e.Literal(2, type=INT)
    >>> four = e.BinaryOperation("+", two, two, type=INT)
    >>> format_expression(e.BinaryOperation("*", four, two, type=INT))
    '(2 + 2) * 2'
    """
    return _formatted(node)[0]


@singledispatch
def _formatted(node: e.Expression) -> _FormattedTerm:
    """Return a text and how tightly it holds together."""
    raise NotImplementedError(type(node).__name__)


def _parenthesized(node: e.Expression, level: int) -> str:
    """Write a part, in parentheses where it holds together less tightly than its place asks."""
    text, own = _formatted(node)
    return text if own >= level else f"({text})"


def _comma_separated(nodes: tuple[e.Expression, ...]) -> str:
    return ", ".join(_parenthesized(node, _LOOSEST) for node in nodes)


@_formatted.register
def _literal(node: e.Literal) -> _FormattedTerm:
    if isinstance(node.value, frozenset):
        type_ = base_type(node.type)
        if isinstance(type_, SetType) and isinstance(type_.item, IntType):
            return f"{{{', '.join(map(str, sorted(node.value)))}}}", _ATOM
        return str(type_.item if isinstance(type_, SetType) else type_), _ATOM
    negative = isinstance(node.value, int) and node.value < 0
    return format_literal(node.value), _UNARY if negative else _ATOM


@_formatted.register
def _name(node: e.Name) -> _FormattedTerm:
    name = (
        node.name.rpartition(".")[2]
        if node.kind is e.NameKind.INPUT
        else node.name.removeprefix("before.")
    )
    return (f"before.{name}" if node.kind is e.NameKind.BEFORE else name), _ATOM


@_formatted.register
def _local(node: e.Local) -> _FormattedTerm:
    return node.name, _ATOM


@_formatted.register
def _in_states(node: e.InStates) -> _FormattedTerm:
    return (f"before.{node.name}" if node.before else node.name), _ATOM


@_formatted.register
def _enabled(node: e.Enabled) -> _FormattedTerm:
    given = [f"{name}={format_expression(value)}" for name, value in node.arguments]
    return f"{e.ENABLED}({', '.join([node.event, *given])})", _ATOM


@_formatted.register
def _boolean(node: e.BooleanOperation) -> _FormattedTerm:
    level = _BOOLEANS[node.operator]
    return (
        f" {node.operator} ".join(_parenthesized(operand, level + 1) for operand in node.operands),
        level,
    )


@_formatted.register
def _not(node: e.Not) -> _FormattedTerm:
    if isinstance(node.operand, e.IsNone):
        return f"{_parenthesized(node.operand.operand, _COMPARISON + 1)} is not None", _COMPARISON
    return f"not {_parenthesized(node.operand, _NOT)}", _NOT


@_formatted.register
def _implies(node: e.Implies) -> _FormattedTerm:
    return f"implies({_comma_separated((node.condition, node.consequence))})", _ATOM


@_formatted.register
def _compare(node: e.Comparison) -> _FormattedTerm:
    return (
        (
            f"{_parenthesized(node.left, _COMPARISON + 1)} {node.operator}"
            f" {_parenthesized(node.right, _COMPARISON + 1)}"
        ),
        _COMPARISON,
    )


@_formatted.register
def _is_none(node: e.IsNone) -> _FormattedTerm:
    return f"{_parenthesized(node.operand, _COMPARISON + 1)} is None", _COMPARISON


@_formatted.register
def _binary(node: e.BinaryOperation) -> _FormattedTerm:
    level = _LEVELS[node.operator]
    return (
        (
            f"{_parenthesized(node.left, level)} {node.operator}"
            f" {_parenthesized(node.right, level + 1)}"
        ),
        level,
    )


@_formatted.register
def _negative(node: e.Negative) -> _FormattedTerm:
    return f"-{_parenthesized(node.operand, _UNARY)}", _UNARY


@_formatted.register
def _conditional(node: e.Conditional) -> _FormattedTerm:
    return (
        (
            f"{_parenthesized(node.yes, _OR)} if {_parenthesized(node.test, _OR)} else"
            f" {_parenthesized(node.no, _LOOSEST)}"
        ),
        _LOOSEST,
    )


@_formatted.register
def _set(node: e.SetDisplay) -> _FormattedTerm:
    return f"{{{_comma_separated(node.items)}}}" if node.items else "set()", _ATOM


@_formatted.register
def _list(node: e.ListDisplay) -> _FormattedTerm:
    return f"[{_comma_separated(node.items)}]", _ATOM


@_formatted.register
def _map(node: e.MapDisplay) -> _FormattedTerm:
    return (
        "{"
        + ", ".join(
            f"{_parenthesized(key, _LOOSEST)}: {_parenthesized(value, _LOOSEST)}"
            for key, value in node.pairs
        )
        + "}",
        _ATOM,
    )


@_formatted.register
def _comprehension(node: e.Comprehension) -> _FormattedTerm:
    made = _parenthesized(node.element, _LOOSEST) + (
        f": {_parenthesized(node.value, _LOOSEST)}" if node.value is not None else ""
    )
    opening, closing = {
        "set": ("{", "}"),
        "map": ("{", "}"),
        "list": ("[", "]"),
        "generator": ("(", ")"),
    }[node.kind]
    return f"{opening}{made}{''.join(map(_clause, node.clauses))}{closing}", _ATOM


def _clause(clause: e.Clause) -> str:
    targets = ", ".join(target.name for target in clause.targets)
    conditions = "".join(f" if {_parenthesized(condition, _OR)}" for condition in clause.conditions)
    return f" for {targets} in {_parenthesized(clause.iterable, _OR)}{conditions}"


@_formatted.register
def _call(node: e.Call) -> _FormattedTerm:
    if node.function == "next":
        otherwise = "None" if node.default is None else _parenthesized(node.default, _LOOSEST)
        return f"next({_comma_separated(node.arguments)}, {otherwise})", _ATOM
    default = (
        f", default={_parenthesized(node.default, _LOOSEST)}" if node.default is not None else ""
    )
    given = _comma_separated(node.arguments)
    alone = (
        not default
        and len(node.arguments) == 1
        and isinstance(node.arguments[0], e.Comprehension)
        and node.arguments[0].kind == "generator"
    )
    return f"{node.function}{given}" if alone else f"{node.function}({given}{default})", _ATOM


@_formatted.register
def _view(node: e.MapView) -> _FormattedTerm:
    return f"{_parenthesized(node.map, _ATOM)}.{node.method}()", _ATOM


@_formatted.register
def _get(node: e.MapGet) -> _FormattedTerm:
    default = f", {_parenthesized(node.default, _LOOSEST)}" if node.default is not None else ""
    return (
        f"{_parenthesized(node.map, _ATOM)}.get({_parenthesized(node.key, _LOOSEST)}{default})",
        _ATOM,
    )


@_formatted.register
def _item(node: e.ItemAccess) -> _FormattedTerm:
    return f"{_parenthesized(node.container, _ATOM)}[{_parenthesized(node.key, _LOOSEST)}]", _ATOM


@_formatted.register
def _slice(node: e.Slice) -> _FormattedTerm:
    low, high = (
        "" if end is None else _parenthesized(end, _LOOSEST) for end in (node.low, node.high)
    )
    return f"{_parenthesized(node.items, _ATOM)}[{low}:{high}]", _ATOM


@_formatted.register
def _make(node: e.RecordDisplay) -> _FormattedTerm:
    type_ = base_type(node.type)
    assert isinstance(type_, RecordType)
    pairs = zip(type_.fields, node.values, strict=True)
    given = (f"{name}={_parenthesized(value, _LOOSEST)}" for (name, _), value in pairs)
    return f"{type_.name}({', '.join(given)})", _ATOM


@_formatted.register
def _field(node: e.FieldAccess) -> _FormattedTerm:
    return f"{_parenthesized(node.record, _ATOM)}.{node.name}", _ATOM


@_formatted.register
def _replace(node: e.RecordUpdate) -> _FormattedTerm:
    changes = ", ".join(f"{name}={_parenthesized(value, _LOOSEST)}" for name, value in node.changes)
    return f"replace({_parenthesized(node.record, _LOOSEST)}, {changes})", _ATOM


@_formatted.register
def _apply(node: e.DefinitionCall) -> _FormattedTerm:
    return (
        (
            f"{node.definition}({_comma_separated(node.arguments)})"
            if node.arguments
            else node.definition
        ),
        _ATOM,
    )


@_formatted.register
def _allows(node: e.AllowsCall) -> _FormattedTerm:
    return (
        f"{node.machine.rsplit('/', 1)[-1]}.allows({_comma_separated((node.source, node.target))})",
        _ATOM,
    )
