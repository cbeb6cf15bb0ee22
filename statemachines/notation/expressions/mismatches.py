"""Why two types do not agree, in a sentence."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from statemachines.model.expressions import Expression, Literal, walk
from statemachines.model.suggestions import meant
from statemachines.model.types import (
    BoolType,
    EnumType,
    IntType,
    ListType,
    MapType,
    OptionalType,
    SetType,
    TextType,
    Type,
    WordsType,
    base_of,
)
from statemachines.notation.expressions.agreement import join
from statemachines.notation.expressions.typing import Typing, said


def explain_mixture(typing: Typing, node: ast.AST, items: tuple[Expression, ...]) -> Expression:
    """Report the first of some values that is of another kind than those before it."""
    for number, item in enumerate(items[1:], 1):
        for earlier in items[:number]:
            if join(earlier.type, item.type) is None:
                return explain_pair(typing, node, earlier, item)
    return typing.wrong("SM304", "these are of different kinds", node)


def explain_pair(typing: Typing, node: ast.AST, left: Expression, right: Expression) -> Expression:
    """Report two values of different kinds that stand together."""
    for mine, theirs in ((left, right), (right, left)):
        stranger = _stranger(mine, theirs.type)
        if stranger is not None:
            return stranger_is_wrong(typing, *stranger)
    place = right.span or typing.written.of(node)
    hint = mixing_hint(left.type, right.type)
    return typing.wrong("SM304", f"this is {said(right.type)}, and what stands beside it {said(left.type)}", place, hint)


def explain_misfit(typing: Typing, typed: Expression, declared: Type, node: ast.AST | None = None) -> Expression:
    """Report a value of another kind than what is declared."""
    place = typed.span or (typing.written.of(node) if node is not None else typing.written.span)
    stranger = _stranger(typed, declared)
    if stranger is not None:
        return stranger_is_wrong(typing, *stranger)
    if isinstance(typed.type, OptionalType) and not isinstance(declared, OptionalType):
        source = typing.written.text if node is None else typing.written.source(node)
        return typing.wrong("SM309", f"`{source}` may be None here", place, f"the fact `{source} is not None` is missing")
    return typing.wrong("SM304", f"this is {said(typed.type)}; `{declared}` is wanted", place, mixing_hint(declared, typed.type))


def stranger_is_wrong(typing: Typing, literal: Literal, names: EnumType) -> Expression:
    """Report a quoted word that is no member of the enumeration that its place asks for."""
    place = literal.span or typing.written.span
    hint = meant(str(literal.value), list(names.members)) or f"members are {', '.join(names.members)}"
    return typing.wrong("SM306", f"`'{literal.value}'` is no member of `{names}`", place, hint)


def _stranger(node: Expression, other: Type) -> tuple[Literal, EnumType] | None:
    """Find a quoted word that its context does not know."""
    mine, theirs = tuple(_leaves(node.type)), tuple(_leaves(other))
    for words, names in zip(mine, theirs, strict=False):
        if isinstance(words, WordsType) and isinstance(names, EnumType) and not words.members <= set(names.members):
            strangers = words.members - set(names.members)
            for part in walk(node):
                if isinstance(part, Literal) and isinstance(part.value, str) and part.value in strangers:
                    return part, names
    return None


def _leaves(type_: Type) -> Iterator[Type]:
    """Yield the types that a type is made of, in one order for all."""
    type_ = base_of(type_)
    match type_:
        case OptionalType():
            yield from _leaves(type_.item)
        case SetType() | ListType():
            yield from _leaves(type_.item)
        case MapType():
            yield from _leaves(type_.key)
            yield from _leaves(type_.value)
        case _:
            yield type_


def mixing_hint(wanted: Type, given: Type) -> str:
    """Say what often helps where two kinds meet."""
    wanted, given = base_of(wanted), base_of(given)
    match wanted, given:
        case (IntType(), BoolType()) | (BoolType(), IntType()):
            return "bool is no int: write `1 if c else 0`"
        case SetType(), MapType() if not _is_empty(given):
            return "the keys of a map are `set(m)`"
        case SetType(), MapType():
            return "the empty set is `set()`"
        case (SetType(), ListType()) | (ListType(), SetType()):
            return "a set is written `{a, b}`, a list `[a, b]`"
        case _, TextType():
            return "a text is carried and printed, never computed with"
    return ""


def _is_empty(type_: Type) -> bool:
    return isinstance(type_, MapType) and str(type_.key) == "nothing"
