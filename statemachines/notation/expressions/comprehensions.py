"""Set, list and map comprehensions, and the generators inside `any`, `all`, `sum`, `min`, `max`, `set`, `next`."""

from __future__ import annotations

import ast

from statemachines.model.expressions import Clause, Comprehension, Expression, Local
from statemachines.model.types import (
    WRONG,
    BagType,
    ListType,
    MapType,
    PairsType,
    SetType,
    Type,
)
from statemachines.notation.expressions.agreement import element_of, has_order
from statemachines.notation.expressions.typing import Here, Typing, said

_Generators = list[ast.comprehension]


def read_set_comprehension(typing: Typing, node: ast.expr, here: Here) -> Expression:
    """Type `{f(x) for x in s if c}`."""
    assert isinstance(node, ast.SetComp)
    clauses, here = read_clauses(typing, node.generators, here)
    element = typing.read(node.elt, here)
    return Comprehension("set", element, None, clauses, type=SetType(element.type))


def read_list_comprehension(typing: Typing, node: ast.expr, here: Here) -> Expression:
    """Type `[f(x) for x in xs if c]`: order comes from lists and ranges only."""
    assert isinstance(node, ast.ListComp)
    clauses, here = read_clauses(typing, node.generators, here)
    needs_order(typing, clauses, "a list comprehension")
    element = typing.read(node.elt, here)
    return Comprehension("list", element, None, clauses, type=ListType(element.type))


def read_map_comprehension(typing: Typing, node: ast.expr, here: Here) -> Expression:
    """Type `{k: v for k in s if c}`: over a set or a map, the key is the variable of the single `for`."""
    assert isinstance(node, ast.DictComp)
    clauses, inner = read_clauses(typing, node.generators, here)
    key, value = typing.read(node.key, inner), typing.read(node.value, inner)
    ordered = all(has_order(clause.iterable.type) for clause in clauses)
    if not ordered and (len(clauses) > 1 or key != clauses[0].targets[0]):
        message = f"the key `{typing.written.source(node.key)}` may come twice, and which value counts would be chance"
        return typing.wrong("SM311", message, node.key, "over a set or a map, the key is the variable of the single `for`")
    return Comprehension("map", key, value, clauses, type=MapType(key.type, value.type))


def read_generator(typing: Typing, node: ast.GeneratorExp, here: Here) -> Comprehension:
    """Type a generator where one may stand; its type is that of what it gives."""
    clauses, here = read_clauses(typing, node.generators, here)
    element = typing.read(node.elt, here)
    ordered = all(has_order(clause.iterable.type) for clause in clauses)
    type_ = ListType(element.type) if ordered else BagType(element.type)
    return Comprehension("generator", element, None, clauses, type=type_, span=typing.written.of(node))


def needs_order(typing: Typing, clauses: tuple[Clause, ...], what: str) -> None:
    """Report a generator that has no order where one is needed."""
    for clause in clauses:
        if not has_order(clause.iterable.type):
            place = clause.iterable.span or typing.written.span
            message = f"{what} needs an order, and this is {said(clause.iterable.type)}"
            typing.wrong("SM311", message, place, "order comes from lists and ranges only; `{… for …}` makes a set")


def read_clauses(typing: Typing, generators: _Generators, here: Here) -> tuple[tuple[Clause, ...], Here]:
    """Type each `for … in … if …`; return them with what is known inside."""
    clauses = []
    for generator in generators:
        clause, here = _read_clause(typing, generator, here)
        clauses.append(clause)
    return tuple(clauses), here


def _read_clause(typing: Typing, generator: ast.comprehension, here: Here) -> tuple[Clause, Here]:
    if generator.is_async:
        typing.wrong("SM302", "`async` is no part of the language", generator.target)
    iterable = typing.read(generator.iter, here)
    targets = _targets(typing, generator.target, iterable, here)
    inner = here.inside(Clause(targets, iterable)) if targets else here
    conditions = []
    for condition in generator.ifs:
        conditions.append(typing.condition(condition, inner))
        inner = inner.knowing(conditions[-1])
    return Clause(targets, iterable, tuple(conditions)), inner


def _targets(typing: Typing, target: ast.expr, iterable: Expression, here: Here) -> tuple[Local, ...]:
    """Make the variables of a `for`."""
    names = target.elts if isinstance(target, ast.Tuple) else [target]
    types = _given(typing, iterable)
    if len(names) != len(types):
        wanted = "`for k, v in`" if len(types) == 2 else "one name"
        hint = "the pairs of a map are `m.items()`" if len(names) == 2 else ""
        typing.wrong("SM308", f"`{typing.written.source(target)}` walks what gives {len(types)} a time: {wanted}", target, hint)
        types = (WRONG,) * len(names)
    return tuple(_target(typing, name, type_, here) for name, type_ in zip(names, types, strict=True))


def _given(typing: Typing, iterable: Expression) -> tuple[Type, ...]:
    """Return the types of what a `for` gives each time."""
    if isinstance(iterable.type, PairsType):
        return (iterable.type.key, iterable.type.value)
    item = element_of(iterable.type)
    if item is None:
        place = iterable.span or typing.written.span
        typing.wrong("SM304", f"this is {said(iterable.type)}; `for` walks sets, lists, maps and ranges", place)
    return (WRONG if item is None else item,)


def _target(typing: Typing, node: ast.expr, type_: Type, here: Here) -> Local:
    if not isinstance(node, ast.Name):
        typing.wrong("SM302", f"`{typing.written.source(node)}` is no name", node)
        return Local("_", typing.number(), type=WRONG)
    if node.id in here.locals or node.id in typing.scope.all_names():
        typing.wrong("SM315", f"`{node.id}` stands for something else already", node, "nothing shadows: choose another name")
    return Local(node.id, typing.number(), type=type_, span=typing.written.of(node))
