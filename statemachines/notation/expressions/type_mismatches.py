"""Why two types do not agree, in a sentence."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from statemachines.model.diagnosis.suggestions import nearest_hint
from statemachines.model.language.expression_nodes import Expression, Literal, walk
from statemachines.model.language.value_types import (
    BoolType,
    EnumType,
    IntType,
    ListType,
    MapType,
    OptionalType,
    RecordType,
    SetType,
    TextType,
    Type,
    WordsType,
    base_type,
)
from statemachines.notation.expressions.expression_typer import ExpressionTyper, type_phrase
from statemachines.notation.typing.type_agreement import joined_type

_ALL_STATES = "State"
"""The enumeration of all states."""


def report_mixed_kinds(
    typing: ExpressionTyper, node: ast.AST, items: tuple[Expression, ...]
) -> Expression:
    """Report the first of some values that is of another kind than those before it.

    Args:
        typing: takes what is wrong, and types parts.
        node: where it is reported.
        items: the values, in their order.

    Returns:
        What stands for them.
    """
    for number, item in enumerate(items[1:], 1):
        for earlier in items[:number]:
            if joined_type(earlier.type, item.type) is None:
                return report_unlike_pair(typing, node, earlier, item)
    return typing.report_error("SM304", "these are of different kinds", node)


def report_unlike_pair(
    typing: ExpressionTyper, node: ast.AST, left: Expression, right: Expression
) -> Expression:
    """Report two values of different kinds that stand together.

    Args:
        typing: takes what is wrong, and types parts.
        node: where it is reported.
        left: the first value.
        right: the second one.

    Returns:
        What stands for both.
    """
    for mine, theirs in ((left, right), (right, left)):
        stranger = _unknown_member(mine, theirs.type)
        if stranger is not None:
            return _report_unknown_member(typing, *stranger)
    span = right.span or typing.source.node_span(node)
    hint = (
        kind_mismatch_hint(left.type, right.type)
        or kind_mismatch_hint(right.type, left.type)
        or _state_hint(left.type, right.type)
    )
    return typing.report_error(
        "SM304",
        f"this is {type_phrase(right.type)}, and what stands beside it {type_phrase(left.type)}",
        span,
        hint,
        undeclared=unknown_member(left.type, right.type) or unknown_member(right.type, left.type),
    )


def _state_hint(left: Type, right: Type) -> str:
    """Say that a part is no state; nothing of other pairs."""
    of_parts = [
        type_
        for type_, other in ((left, right), (right, left))
        if isinstance(type_, RecordType)
        and type_.get("state") is not None
        and isinstance(other, WordsType)
    ]
    return "the state of a part is its `.state`" if of_parts else ""


def report_misfit(
    typing: ExpressionTyper, typed: Expression, declared: Type, node: ast.AST | None = None
) -> Expression:
    """Report a value of another kind than what is declared.

    Args:
        typing: takes what is wrong, and types parts.
        typed: the value.
        declared: the type that it should have.
        node: where it is reported; None: where the value stands.

    Returns:
        What stands for the value.
    """
    span = typed.span or (typing.source.node_span(node) if node is not None else typing.source.span)
    stranger = _unknown_member(typed, declared)
    if stranger is not None:
        return _report_unknown_member(typing, *stranger)
    if isinstance(typed.type, OptionalType) and not isinstance(declared, OptionalType):
        source = typing.source.text if node is None else typing.source.node_text(node)
        return typing.report_error(
            "SM309",
            f"`{source}` may be None here",
            span,
            f"the fact `{source} is not None` is missing",
        )
    return typing.report_error(
        "SM304",
        f"this is {type_phrase(typed.type)}; `{declared}` is needed",
        span,
        kind_mismatch_hint(declared, typed.type),
        undeclared=unknown_member(declared, typed.type),
    )


def _report_unknown_member(
    typing: ExpressionTyper, literal: Literal, names: EnumType
) -> Expression:
    """Report a quoted word that is no member of the enumeration that its place asks for."""
    span = literal.span or typing.source.span
    hint = (
        nearest_hint(str(literal.value), list(names.members))
        or f"members are {', '.join(names.members)}"
    )
    message = f"`'{literal.value}'` is not a member of `{names}`"
    return typing.report_error(
        "SM306", message, span, hint, undeclared=_member_name(names, str(literal.value))
    )


def _unknown_member(node: Expression, other: Type) -> tuple[Literal, EnumType] | None:
    """Find a quoted word that its context does not know."""
    mine, theirs = tuple(_leaf_types(node.type)), tuple(_leaf_types(other))
    for words, names in zip(mine, theirs, strict=False):
        if (
            isinstance(words, WordsType)
            and isinstance(names, EnumType)
            and not words.members <= set(names.members)
        ):
            strangers = words.members - set(names.members)
            for part in walk(node):
                if (
                    isinstance(part, Literal)
                    and isinstance(part.value, str)
                    and part.value in strangers
                ):
                    return part, names
    return None


def _leaf_types(type_: Type) -> Iterator[Type]:
    """Yield the types that a type is made of, in one order for all."""
    type_ = base_type(type_)
    match type_:
        case OptionalType():
            yield from _leaf_types(type_.item)
        case SetType() | ListType():
            yield from _leaf_types(type_.item)
        case MapType():
            yield from _leaf_types(type_.key)
            yield from _leaf_types(type_.value)
        case _:
            yield type_


def kind_mismatch_hint(wanted: Type, given: Type) -> str:
    """Say what often helps where two kinds meet.

    Args:
        wanted: the declared type.
        given: the type of the value.

    Returns:
        A clause; empty where nothing is known to help.
    """
    for names, words in zip(_leaf_types(wanted), _leaf_types(given), strict=False):
        strange = _stranger(words, names)
        if strange is not None:
            members = list(names.members) if isinstance(names, EnumType) else []
            near = nearest_hint(strange, members)
            return f"`{names}` has no `{strange}`" + (f"; {near}" if near else "")
    wanted, given = base_type(wanted), base_type(given)
    match wanted, given:
        case (IntType(), BoolType()) | (BoolType(), IntType()):
            return "bool is no int: write `1 if c else 0`"
        case SetType(), MapType() if not _is_empty_map(given):
            return "the keys of a map are `set(m)`"
        case SetType(), MapType():
            return "the empty set is `set()`"
        case (SetType(), ListType()) | (ListType(), SetType()):
            return "a set is written `{a, b}`, a list `[a, b]`"
        case _, TextType():
            return "a text is carried and printed, never computed with"
    return ""


def unknown_member(wanted: Type, given: Type) -> str:
    """Say which member an enumeration lacks.

    Args:
        wanted: the declared type.
        given: the type of the value.

    Returns:
        `Enumeration.member`, or `member` of the states; empty where none is lacking.
    """
    for names, words in zip(_leaf_types(wanted), _leaf_types(given), strict=False):
        strange = _stranger(words, names)
        if strange is not None:
            return _member_name(names, strange)
    return ""


def _member_name(names: Type, member: str) -> str:
    """Name a member; elsewhere a state is named without the enumeration of all states."""
    return member if str(names) == _ALL_STATES else f"{names}.{member}"


def _stranger(words: Type, names: Type) -> str | None:
    """Return the first of some words that an enumeration does not have."""
    if not (isinstance(words, WordsType) and isinstance(names, EnumType)):
        return None
    return min(words.members - set(names.members), default=None)


def _is_empty_map(type_: Type) -> bool:
    return isinstance(type_, MapType) and str(type_.key) == "nothing"
