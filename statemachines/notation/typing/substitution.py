"""Expressions as terms of a proof: equal up to the names of generators' variables, with one put in
place of another.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from functools import partial

import attrs

from statemachines.model.language.expression_nodes import (
    COMPONENT_NAMES,
    Call,
    Clause,
    Comprehension,
    DefinitionCall,
    Expression,
    Local,
    MapView,
    Name,
    NameKind,
    rebuild,
    walk,
)
from statemachines.model.language.value_types import (
    ElementType,
    ListType,
    MapType,
    OptionalType,
    RecordType,
    SetType,
    Type,
)

_fresh_ids = itertools.count(1_000_000)


def is_same_term(
    left: Expression, right: Expression, renamed: Mapping[Local, Local] | None = None
) -> bool:
    """Tell whether two expressions always have the same value because they are the same text.

    Args:
        left: a typed expression.
        right: a typed expression.
        renamed: variables of generators that stand for each other.

    Returns:
        False where they may differ.
    """
    if left is right and not renamed:
        return True
    if type(left) is not type(right):
        return False
    if isinstance(left, Local) and isinstance(right, Local):
        return (renamed or {}).get(left, left) == right
    if isinstance(left, Comprehension) and isinstance(right, Comprehension):
        renamed = {**(renamed or {}), **_paired_locals(left, right)}
    for name in COMPONENT_NAMES[type(left)]:  # a loop: nothing is asked as often in a proof
        mine, theirs = getattr(left, name), getattr(right, name)
        if isinstance(mine, str):
            if mine != theirs:
                return False
            continue
        is_surely_same = mine is theirs and not renamed
        if not is_surely_same and not _same_parts(mine, theirs, renamed):
            return False
    return True


def _paired_locals(left: Comprehension, right: Comprehension) -> dict[Local, Local]:
    mine = [target for clause in left.clauses for target in clause.targets]
    theirs = [target for clause in right.clauses for target in clause.targets]
    return dict(zip(mine, theirs, strict=False))


def _same_parts(left: object, right: object, renamed: Mapping[Local, Local] | None) -> bool:
    if isinstance(left, Expression) and isinstance(right, Expression):
        return is_same_term(left, right, renamed)
    if isinstance(left, tuple) and isinstance(right, tuple):
        return len(left) == len(right) and all(
            _same_parts(a, b, renamed) for a, b in zip(left, right, strict=True)
        )
    if isinstance(left, Clause) and isinstance(right, Clause):
        mine, theirs = (
            (left.targets, left.iterable, left.conditions),
            (right.targets, right.iterable, right.conditions),
        )
        return _same_parts(mine, theirs, renamed)
    return type(left) is type(right) and left == right


def substitute(node: Expression, by: Mapping[Expression, Expression]) -> Expression:
    """Put expressions in place of names; each keeps the type of what is put in.

    Args:
        node: a typed expression.
        by: what is put in, by what it stands for.

    Returns:
        A new expression; the same one where nothing is put in.
    """
    if isinstance(node, Name | Local):
        return by.get(node, node)
    return rebuild(node, partial(substitute, by=by))  # a lambda would be one more call a part


def substitute_type(type_: Type, by: Mapping[Expression, Expression]) -> Type:
    """Put expressions in place of names in the sets that stand for types.

    Args:
        type_: that may name sets.
        by: what is put in, by what it stands for.

    Returns:
        A new type; the same one where nothing is put in.
    """
    match type_:
        case ElementType():
            return attrs.evolve(
                type_,
                set_expression=substitute(type_.set_expression, by),
                base=substitute_type(type_.base, by),
            )
        case SetType() | ListType() | OptionalType():
            return attrs.evolve(type_, item=substitute_type(type_.item, by))
        case MapType():
            return attrs.evolve(
                type_, key=substitute_type(type_.key, by), value=substitute_type(type_.value, by)
            )
        case RecordType():
            return RecordType(
                type_.name,
                tuple((name, substitute_type(field, by)) for name, field in type_.fields),
            )
    return type_


def locals_of(node: Expression) -> frozenset[Local]:
    """Return the variables of all generators in an expression.

    Args:
        node: a typed expression.

    Returns:
        Each once.
    """
    return frozenset([part for part in walk(node) if isinstance(part, Local)])


def with_fresh_locals(node: Expression, locals_: frozenset[Local]) -> Expression:
    """Give every generator's variable a number that no other expression has.

    Args:
        node: a typed expression.
        locals_: those variables.

    Returns:
        An equal expression but for those numbers.
    """
    if not locals_:
        return node
    return substitute(node, {local: attrs.evolve(local, id=next(_fresh_ids)) for local in locals_})


def fresh_local(name: str, type_: Type) -> Local:
    """Return a variable that stands nowhere yet.

    Args:
        name: as messages show it.
        type_: of its values.

    Returns:
        A variable.
    """
    return Local(name, next(_fresh_ids), type=type_)


def membership_core(node: Expression) -> Expression:
    """Take off what changes nothing for membership: `set(x)`, `x.keys()`.

    Args:
        node: a typed expression.

    Returns:
        The set, list or map itself.
    """
    while True:
        if isinstance(node, Call) and node.function == "set" and node.arguments:
            node = node.arguments[0]
        elif isinstance(node, MapView) and node.method == "keys":
            node = node.map
        else:
            return node


def matching_substitute(
    pattern: Expression, node: Expression, variable: Local
) -> Expression | None:
    """Return what makes a pattern the node when put for a variable; None if nothing does.

    Args:
        pattern: an expression with the variable.
        node: a typed expression.
        variable: of a generator.

    Returns:
        A typed expression.
    """
    if pattern == variable:
        return node
    for candidate in walk(node):
        if substitute(pattern, {variable: candidate}) == node:
            return candidate
    return None


def input_substitution(
    apply: DefinitionCall, inputs: tuple[tuple[str, Type], ...]
) -> dict[Expression, Expression]:
    """Return what stands for a definition's inputs in one use of it.

    Args:
        apply: the use.
        inputs: names and types.

    Returns:
        What is put in, by the input.
    """
    names = [Name(NameKind.INPUT, name, type=type_) for name, type_ in inputs]
    return dict(zip(names, apply.arguments, strict=True))
