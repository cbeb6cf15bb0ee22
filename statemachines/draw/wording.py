"""Expressions as people write them: the notation's own text, with no more parentheses than it needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from statemachines.model import expressions as e
from statemachines.model.types import IntType, SetType

TERNARY, OR, AND, NOT, COMPARE, UNION, DIFFERENCE, MEET, SUM, PRODUCT, SIGN, ATOM = range(12)
"""How strongly an expression holds together; a weaker one inside a stronger one needs parentheses."""
STRENGTH = {"or": OR, "and": AND, "|": UNION, "^": DIFFERENCE, "&": MEET, "+": SUM, "-": SUM, "*": PRODUCT, "//": PRODUCT, "%": PRODUCT}
Written = tuple[str, int]
"""A text and its strength."""


def wording(node: e.Expression) -> str:
    """Write an expression of the notation.

    >>> from statemachines.model.types import IntType
    >>> coins = e.Name(e.Kind.VARIABLE, "coins", type=IntType())
    >>> wording(e.Compare(">=", e.Binary("+", coins, e.Literal(1, type=IntType()), type=IntType()), coins, type=IntType()))
    'coins + 1 >= coins'
    """
    return _written(node)[0]


def _written(node: e.Expression) -> Written:
    return WRITERS[type(node)](node)


def _within(node: e.Expression, strength: int) -> str:
    """Write a part of something that holds together with a strength."""
    text, own = _written(node)
    return text if own >= strength else f"({text})"


def _several(nodes: tuple[e.Expression, ...]) -> str:
    return ", ".join(map(wording, nodes))


def _literal(node: e.Literal) -> Written:
    if isinstance(node.value, frozenset):
        if isinstance(node.type, SetType) and isinstance(node.type.item, IntType):
            return f"{{{', '.join(map(str, sorted(node.value)))}}}", ATOM
        return (str(node.type.item) if isinstance(node.type, SetType) else "set()"), ATOM
    return repr(node.value), ATOM


def _name(node: e.Name) -> Written:
    name = node.name.rpartition(".")[2] if node.kind is e.Kind.INPUT else node.name
    return (f"before.{name}" if node.kind is e.Kind.BEFORE and not name.startswith("before.") else name), ATOM


def _in_states(node: e.InStates) -> Written:
    return (f"before.{node.name}" if node.before else node.name), ATOM


def _boolean(node: e.Boolean) -> Written:
    own = STRENGTH[node.operator]
    return f" {node.operator} ".join(_within(each, own + 1) for each in node.operands), own


def _binary(node: e.Binary) -> Written:
    own = STRENGTH[node.operator]
    return f"{_within(node.left, own)} {node.operator} {_within(node.right, own + 1)}", own


def _compare(node: e.Compare) -> Written:
    return f"{_within(node.left, UNION)} {node.operator} {_within(node.right, UNION)}", COMPARE


def _is_none(node: e.IsNone) -> Written:
    return f"{_within(node.operand, UNION)} is None", COMPARE


def _not(node: e.Not) -> Written:
    """`not` of `is None` and of `in` is written in their midst, as people do."""
    inside = node.operand
    if isinstance(inside, e.IsNone):
        return f"{_within(inside.operand, UNION)} is not None", COMPARE
    if isinstance(inside, e.Compare) and inside.operator == "in":
        return f"{_within(inside.left, UNION)} not in {_within(inside.right, UNION)}", COMPARE
    return f"not {_within(inside, NOT)}", NOT


def _conditional(node: e.Conditional) -> Written:
    return f"{_within(node.yes, OR)} if {_within(node.test, OR)} else {wording(node.no)}", TERNARY


def _set(node: e.SetDisplay) -> Written:
    return (f"{{{_several(node.items)}}}" if node.items else "set()"), ATOM


def _map(node: e.MapDisplay) -> Written:
    return f"{{{', '.join(f'{wording(key)}: {wording(value)}' for key, value in node.pairs)}}}", ATOM


def _comprehension(node: e.Comprehension) -> Written:
    element = wording(node.element) + (f": {wording(node.value)}" if node.value is not None else "")
    opened, closed = {"list": ("[", "]"), "generator": ("(", ")")}.get(node.kind, ("{", "}"))
    return f"{opened}{element}{''.join(map(_clause, node.clauses))}{closed}", ATOM


def _clause(clause: e.Clause) -> str:
    conditions = "".join(f" if {_within(each, OR)}" for each in clause.conditions)
    return f" for {_several(clause.targets)} in {_within(clause.iterable, OR)}{conditions}"


def _call(node: e.Call) -> Written:
    """A generator that is the only argument stands without parentheses of its own."""
    if node.function == "next":
        return f"next({_several(node.arguments)}, {wording(node.otherwise) if node.otherwise is not None else None})", ATOM
    if len(node.arguments) == 1 and isinstance(node.arguments[0], e.Comprehension) and node.otherwise is None:
        inside = wording(node.arguments[0])
        return f"{node.function}{inside if inside.startswith('(') else f'({inside})'}", ATOM
    rest = f", default={wording(node.otherwise)}" if node.otherwise is not None else ""
    return f"{node.function}({_several(node.arguments)}{rest})", ATOM


def _get(node: e.Get) -> Written:
    rest = f", {wording(node.otherwise)}" if node.otherwise is not None else ""
    return f"{_within(node.map, ATOM)}.get({wording(node.key)}{rest})", ATOM


def _slice(node: e.Slice) -> Written:
    low, high = ("" if end is None else wording(end) for end in (node.low, node.high))
    return f"{_within(node.items, ATOM)}[{low}:{high}]", ATOM


def _make(node: e.Make) -> Written:
    names = [name for name, _ in getattr(node.type, "fields", ())]
    return f"{node.type}({', '.join(f'{name}={wording(value)}' for name, value in zip(names, node.values, strict=False))})", ATOM


def _replace(node: e.Replace) -> Written:
    changes = "".join(f", {name}={wording(value)}" for name, value in node.changes)
    return f"replace({wording(node.record)}{changes})", ATOM


WRITERS: Mapping[type, Callable[[Any], Written]] = {
    e.Literal: _literal,
    e.Name: _name,
    e.Local: lambda node: (node.name, ATOM),
    e.InStates: _in_states,
    e.Boolean: _boolean,
    e.Not: _not,
    e.Implies: lambda node: (f"implies({wording(node.condition)}, {wording(node.consequence)})", ATOM),
    e.Compare: _compare,
    e.IsNone: _is_none,
    e.Binary: _binary,
    e.Negative: lambda node: (f"-{_within(node.operand, SIGN)}", SIGN),
    e.Conditional: _conditional,
    e.SetDisplay: _set,
    e.ListDisplay: lambda node: (f"[{_several(node.items)}]", ATOM),
    e.MapDisplay: _map,
    e.Comprehension: _comprehension,
    e.Call: _call,
    e.View: lambda node: (f"{_within(node.map, ATOM)}.{node.method}()", ATOM),
    e.Get: _get,
    e.Item: lambda node: (f"{_within(node.container, ATOM)}[{wording(node.key)}]", ATOM),
    e.Slice: _slice,
    e.Make: _make,
    e.Field: lambda node: (f"{_within(node.record, ATOM)}.{node.name}", ATOM),
    e.Replace: _replace,
    e.Apply: lambda node: (f"{node.definition}({_several(node.arguments)})" if node.arguments else node.definition, ATOM),
    e.Allows: lambda node: (f"{node.machine}.allows({wording(node.source)}, {wording(node.target)})", ATOM),
}
