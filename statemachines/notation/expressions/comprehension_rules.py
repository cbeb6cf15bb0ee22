"""Set, list and map comprehensions, and the generators inside `any`, `all`, `sum`, `min`, `max`,
`set`, `next`.
"""

from __future__ import annotations

import ast

from statemachines.model.language.expression_nodes import (
    Clause,
    Comprehension,
    Expression,
    Literal,
    Local,
)
from statemachines.model.language.value_types import (
    ERROR_TYPE,
    BagType,
    EnumType,
    ErrorType,
    IntType,
    ListType,
    MapType,
    PairsType,
    SetType,
    Type,
)
from statemachines.notation.expressions.expression_typer import (
    ExpressionTyper,
    TypingContext,
    type_phrase,
)
from statemachines.notation.typing.type_agreement import element_type, is_ordered

_Generators = list[ast.comprehension]
_MOST_LISTED = 6


def read_set_comprehension(
    typing: ExpressionTyper, node: ast.expr, here: TypingContext
) -> Expression:
    """Type `{f(x) for x in s if c}`.

    Args:
        typing: takes what is wrong, and types parts.
        node: the comprehension.
        here: names and facts that are known there.

    Returns:
        A node of a set's type.
    """
    assert isinstance(node, ast.SetComp)
    clauses, here = _read_clauses(typing, node.generators, here)
    element = typing.read_narrow(node.elt, here)
    return Comprehension("set", element, None, clauses, type=SetType(element.type))


def read_list_comprehension(
    typing: ExpressionTyper, node: ast.expr, here: TypingContext
) -> Expression:
    """Type `[f(x) for x in xs if c]`: order comes from lists and ranges only.

    Args:
        typing: takes what is wrong, and types parts.
        node: the comprehension.
        here: names and facts that are known there.

    Returns:
        A node of a list's type.
    """
    assert isinstance(node, ast.ListComp)
    clauses, here = _read_clauses(typing, node.generators, here)
    require_order(typing, clauses, "a list comprehension")
    element = typing.read_narrow(node.elt, here)
    return Comprehension("list", element, None, clauses, type=ListType(element.type))


def read_map_comprehension(
    typing: ExpressionTyper, node: ast.expr, here: TypingContext
) -> Expression:
    """Type `{k: v for k in s if c}`: over a set or a map, the key is the variable of the single
    `for`.

    Args:
        typing: takes what is wrong, and types parts.
        node: the comprehension.
        here: names and facts that are known there.

    Returns:
        A node of a map's type.
    """
    assert isinstance(node, ast.DictComp)
    clauses, inner = _read_clauses(typing, node.generators, here)
    key, value = typing.read_narrow(node.key, inner), typing.read_narrow(node.value, inner)
    ordered = all(is_ordered(clause.iterable.type) for clause in clauses)
    if not ordered and (len(clauses) > 1 or key != clauses[0].targets[0]):
        message = (
            f"the key `{typing.source.node_text(node.key)}` may come twice, and which value counts"
            " would be chance"
        )
        return typing.report_error(
            "SM311",
            message,
            node.key,
            "over a set or a map, the key is the variable of the single `for`",
        )
    return Comprehension("map", key, value, clauses, type=MapType(key.type, value.type))


def read_generator(
    typing: ExpressionTyper, node: ast.GeneratorExp, here: TypingContext
) -> Comprehension:
    """Type a generator where one may stand; its type is that of what it gives.

    Args:
        typing: takes what is wrong, and types parts.
        node: the comprehension.
        here: names and facts that are known there.

    Returns:
        A node with its clauses and the typed element.
    """
    clauses, here = _read_clauses(typing, node.generators, here)
    element = typing.read_narrow(node.elt, here)
    ordered = all(is_ordered(clause.iterable.type) for clause in clauses)
    type_ = ListType(element.type) if ordered else BagType(element.type)
    return Comprehension(
        "generator", element, None, clauses, type=type_, span=typing.source.node_span(node)
    )


def require_order(typing: ExpressionTyper, clauses: tuple[Clause, ...], what: str) -> None:
    """Report a generator that has no order where one is needed.

    Args:
        typing: takes what is wrong, and types parts.
        clauses: of the generator.
        what: that needs the order, for the message.
    """
    for clause in clauses:
        if not is_ordered(clause.iterable.type):
            span = clause.iterable.span or typing.source.span
            message = f"{what} needs an order, and this is {type_phrase(clause.iterable.type)}"
            typing.report_error(
                "SM311",
                message,
                span,
                _in_order(clause.iterable)
                or "order comes from lists and ranges only; `{… for …}` makes a set",
            )


def _in_order(walked: Expression) -> str:
    """Say how the values of a range or an enumeration are walked in order; nothing of others."""
    item = walked.type.item if isinstance(walked.type, SetType) else None
    if not isinstance(walked, Literal):
        return ""
    if isinstance(item, IntType) and item.low is not None and item.high is not None:
        return f"`range({item.low}, {item.high + 1})` has an order"
    if isinstance(item, EnumType) and len(item.members) <= _MOST_LISTED:
        return f"a list has an order: `{list(item.members)}`"
    return ""


def _read_clauses(
    typing: ExpressionTyper, generators: _Generators, here: TypingContext
) -> tuple[tuple[Clause, ...], TypingContext]:
    """Type each `for … in … if …`; return them with what is known inside."""
    clauses = []
    for generator in generators:
        clause, here = _read_clause(typing, generator, here)
        clauses.append(clause)
    return tuple(clauses), here


def _read_clause(
    typing: ExpressionTyper, generator: ast.comprehension, here: TypingContext
) -> tuple[Clause, TypingContext]:
    if generator.is_async:
        typing.report_error("SM302", "`async` is not part of the language", generator.target)
    iterable = typing.read_narrow(generator.iter, here)
    targets = _read_targets(typing, generator.target, iterable, here)
    inner = here.inside_clause(Clause(targets, iterable)) if targets else here
    conditions = []
    for condition in generator.ifs:
        conditions.append(typing.read_condition(condition, inner))
        inner = inner.assuming(conditions[-1])
    return Clause(targets, iterable, tuple(conditions)), inner


def _read_targets(
    typing: ExpressionTyper, target: ast.expr, iterable: Expression, here: TypingContext
) -> tuple[Local, ...]:
    """Make the variables of a `for`."""
    names = target.elts if isinstance(target, ast.Tuple) else [target]
    types = _iterated_types(typing, iterable)
    if isinstance(iterable.type, ErrorType):
        types = (ERROR_TYPE,) * len(names)
    if len(names) != len(types):
        wanted = "`for k, v in`" if len(types) == 2 else "one name"
        hint = "the pairs of a map are `m.items()`" if len(names) == 2 else ""
        typing.report_error(
            "SM308",
            f"`{typing.source.node_text(target)}` walks through what gives {len(types)} values at a"
            f" time: {wanted}",
            target,
            hint,
        )
        types = (ERROR_TYPE,) * len(names)
    return tuple(
        _read_target(typing, name, type_, here) for name, type_ in zip(names, types, strict=True)
    )


def _iterated_types(typing: ExpressionTyper, iterable: Expression) -> tuple[Type, ...]:
    """Return the types of what a `for` gives each time."""
    if isinstance(iterable.type, PairsType):
        return (iterable.type.key, iterable.type.value)
    item = element_type(iterable.type)
    if item is None:
        span = iterable.span or typing.source.span
        typing.report_error(
            "SM304",
            f"this is {type_phrase(iterable.type)}; `for` walks through sets, lists, maps and"
            " ranges",
            span,
        )
    return (ERROR_TYPE if item is None else item,)


def _read_target(
    typing: ExpressionTyper, node: ast.expr, type_: Type, here: TypingContext
) -> Local:
    if not isinstance(node, ast.Name):
        typing.report_error("SM302", f"`{typing.source.node_text(node)}` is not a name", node)
        return Local("_", typing.new_local_id(), type=ERROR_TYPE)
    if node.id in here.locals or node.id in typing.scope.all_names():
        typing.report_error(
            "SM315",
            f"`{node.id}` already stands for something else",
            node,
            "no name hides another: choose a different one",
        )
    return Local(node.id, typing.new_local_id(), type=type_, span=typing.source.node_span(node))
