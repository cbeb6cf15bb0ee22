"""Calls that walk a collection: `len`, `any`, `all`, `sum`, `set`, `next`, `min` and so on."""

from __future__ import annotations

import ast

from statemachines.model.language.expression_nodes import (
    LONGEST_RANGE,
    Call,
    Comprehension,
    Expression,
    SetDisplay,
)
from statemachines.model.language.value_types import (
    BOOL,
    INT,
    NEVER,
    BoolType,
    ErrorType,
    IntType,
    ListType,
    OptionalType,
    PairsType,
    SetType,
    Type,
    base_type,
)
from statemachines.notation.expressions.comprehension_rules import read_generator, require_order
from statemachines.notation.expressions.expression_typer import (
    ExpressionTyper,
    TypingContext,
    error_literal,
    has_argument_count,
    type_phrase,
)
from statemachines.notation.expressions.type_mismatches import report_unlike_pair
from statemachines.notation.proofs.number_bounds import number_bounds
from statemachines.notation.typing.type_agreement import element_type, joined_type


def _read_iterable(typing: ExpressionTyper, node: ast.expr, here: TypingContext) -> Expression:
    """Type what is walked once: a generator, a set, a list, a map, `m.values()`."""
    if isinstance(node, ast.GeneratorExp):
        return read_generator(typing, node, here)
    typed = typing.read_narrow(node, here)
    if element_type(typed.type) is None:
        return typing.report_error(
            "SM304", f"this is {type_phrase(typed.type)}; a set, a list or a map is needed", node
        )
    return typed


def read_len(typing: ExpressionTyper, node: ast.Call, here: TypingContext) -> Expression:
    """Type `len(xs)`.

    Args:
        typing: takes what is wrong, and types parts.
        node: the call.
        here: names and facts that are known there.

    Returns:
        A node of a whole number's type.
    """
    if not has_argument_count(typing, node, 1, 1, "len(x)"):
        return error_literal(node)
    argument = typing.read_narrow(node.args[0], here)
    if element_type(argument.type) is None and not isinstance(argument.type, PairsType):
        return typing.report_error(
            "SM304",
            f"this is {type_phrase(argument.type)}; `len` counts sets, lists and maps",
            node.args[0],
        )
    return Call("len", (argument,), type=IntType(0, None))


def read_quantifier(typing: ExpressionTyper, node: ast.Call, here: TypingContext) -> Expression:
    """Type `any(… for x in xs)` and `all(… for x in xs)`.

    Args:
        typing: takes what is wrong, and types parts.
        node: the call.
        here: names and facts that are known there.

    Returns:
        A node of type bool.
    """
    function = typing.source.node_text(node.func)
    if not has_argument_count(typing, node, 1, 1, f"{function}(… for x in s)"):
        return error_literal(node)
    walked = _read_iterable(typing, node.args[0], here)
    item = element_type(walked.type)
    if item is not None and not isinstance(base_type(item), BoolType | ErrorType):
        span = (
            walked.element.span
            if isinstance(walked, Comprehension) and walked.element.span
            else node.args[0]
        )
        return typing.report_error(
            "SM305", f"this is {type_phrase(item)}; `{function}` asks for True or False", span
        )
    return Call(function, (walked,), type=BOOL)


def read_sum(typing: ExpressionTyper, node: ast.Call, here: TypingContext) -> Expression:
    """Type `sum(… for x in xs)`.

    Args:
        typing: takes what is wrong, and types parts.
        node: the call.
        here: names and facts that are known there.

    Returns:
        A node of a whole number's type.
    """
    if not has_argument_count(typing, node, 1, 1, "sum(… for x in s)"):
        return error_literal(node)
    walked = _read_iterable(typing, node.args[0], here)
    if isinstance(element_type(walked.type), ErrorType):
        return error_literal(node)
    return _non_number_error(typing, node, walked) or Call("sum", (walked,), type=INT)


def _first_mistake(parts: tuple[Expression, ...]) -> Expression | None:
    """Return the first part in which something is wrong."""
    return next((part for part in parts if isinstance(part.type, ErrorType)), None)


def _non_number_error(
    typing: ExpressionTyper, node: ast.Call, walked: Expression
) -> Expression | None:
    item = element_type(walked.type)
    if item is None or isinstance(base_type(item), IntType | ErrorType) or item == NEVER:
        return None
    span = (
        walked.element.span
        if isinstance(walked, Comprehension) and walked.element.span
        else node.args[0]
    )
    hint = (
        "bool is no int: write `1 if c else 0`, or `len({… if c})`"
        if isinstance(base_type(item), BoolType)
        else ""
    )
    return typing.report_error(
        "SM304", f"this is {type_phrase(item)}; numbers are needed", span, hint
    )


def read_extreme(typing: ExpressionTyper, node: ast.Call, here: TypingContext) -> Expression:
    """Type `min(a, b)`, `min(s)` of what is not empty, `min(s, default=0)`.

    Args:
        typing: takes what is wrong, and types parts.
        node: the call.
        here: names and facts that are known there.

    Returns:
        A node of a whole number's type.
    """
    function = typing.source.node_text(node.func)
    if len(node.args) > 1 and not node.keywords:
        several = tuple(typing.read_narrow(part, here) for part in node.args)
        for part, typed in zip(node.args, several, strict=True):
            if not isinstance(base_type(typed.type), IntType | ErrorType):
                return typing.report_error(
                    "SM304", f"this is {type_phrase(typed.type)}; a number is needed", part
                )
        return _first_mistake(several) or Call(function, several, type=INT)
    if len(node.args) != 1 or [keyword.arg for keyword in node.keywords] not in ([], ["default"]):
        return typing.report_error(
            "SM308",
            f"`{function}` is written `{function}(a, b)` or `{function}(s, default=0)`",
            node,
        )
    walked = _read_iterable(typing, node.args[0], here)
    default = typing.read_narrow(node.keywords[0].value, here) if node.keywords else None
    return _read_extreme_of_iterable(typing, node, function, walked, default, here)


def _read_extreme_of_iterable(
    typing: ExpressionTyper,
    node: ast.Call,
    function: str,
    walked: Expression,
    default: Expression | None,
    here: TypingContext,
) -> Expression:
    wrong = _non_number_error(typing, node, walked)
    if wrong is not None:
        return wrong
    item = element_type(walked.type) or INT
    if isinstance(item, ErrorType):
        return error_literal(node)
    if default is None:
        if not _is_non_empty(walked, here):
            source = typing.source.node_text(node.args[0])
            lacks = (
                "that it has an element"
                if isinstance(walked, Comprehension)
                else f"`len({source}) > 0`"
            )
            fact = f"the fact {lacks} is missing"
            return typing.report_error(
                "SM309",
                f"`{source}` may be empty here",
                node.args[0],
                f"{fact}; or give a `default=`",
            )
        return Call(function, (walked,), type=item)
    type_ = joined_type(item, default.type)
    return (
        report_unlike_pair(typing, node, walked, default)
        if type_ is None
        else Call(function, (walked,), default, type=type_)
    )


def _is_non_empty(walked: Expression, here: TypingContext) -> bool:
    low = number_bounds(here.facts, Call("len", (walked,), type=IntType(0, None))).low
    return low is not None and low > 0


def read_set(typing: ExpressionTyper, node: ast.Call, here: TypingContext) -> Expression:
    """Type `set()` and `set(xs)`.

    Args:
        typing: takes what is wrong, and types parts.
        node: the call.
        here: names and facts that are known there.

    Returns:
        A node of a set's type.
    """
    if not node.args and not node.keywords:
        return SetDisplay((), type=SetType(NEVER))
    if not has_argument_count(typing, node, 1, 1, "set(x)"):
        return error_literal(node)
    walked = _read_iterable(typing, node.args[0], here)
    return Call("set", (walked,), type=SetType(element_type(walked.type) or ErrorType()))


def read_range(typing: ExpressionTyper, node: ast.Call, here: TypingContext) -> Expression:
    """Type `range(b)` and `range(a, b)`, which generators walk.

    Args:
        typing: takes what is wrong, and types parts.
        node: the call.
        here: names and facts that are known there.

    Returns:
        A node of a list's type.
    """
    if not has_argument_count(typing, node, 1, 2, "range(low, high)"):
        return error_literal(node)
    ends = tuple(typing.read_narrow(part, here) for part in node.args)
    for part, typed in zip(node.args, ends, strict=True):
        if not isinstance(base_type(typed.type), IntType | ErrorType):
            return typing.report_error(
                "SM304", f"this is {type_phrase(typed.type)}; a number is needed", part
            )
    mistake = _first_mistake(ends)
    if mistake is not None:
        return mistake
    low = base_type(ends[0].type) if len(ends) == 2 else IntType(0, 0)
    high = base_type(ends[-1].type)
    fewest = _least_range_length(low, high)
    if fewest > LONGEST_RANGE:
        return typing.report_error(
            "SM317", f"this walks {fewest:,} numbers; the most is {LONGEST_RANGE:,}", node
        )
    last = high.high - 1 if isinstance(high, IntType) and high.high is not None else None
    return Call(
        "range", ends, type=ListType(IntType(low.low if isinstance(low, IntType) else None, last))
    )


def _least_range_length(low: Type, high: Type) -> int:
    """Return how many numbers a range surely has."""
    if (
        not isinstance(low, IntType)
        or not isinstance(high, IntType)
        or low.high is None
        or high.low is None
    ):
        return 0
    return high.low - low.high


def read_next(typing: ExpressionTyper, node: ast.Call, here: TypingContext) -> Expression:
    """Type `next((… for x in xs), y)`.

    Args:
        typing: takes what is wrong, and types parts.
        node: the call.
        here: names and facts that are known there.

    Returns:
        A node of the type of both; an optional one where `y` may be None.
    """
    form = "next((x for x in xs if c), None)"
    if not has_argument_count(typing, node, 2, 2, form):
        return error_literal(node)
    generator, default = node.args
    if not isinstance(generator, ast.GeneratorExp):
        return typing.report_error("SM308", f"`next` is written `{form}`", node)
    walked = read_generator(typing, generator, here)
    require_order(typing, walked.clauses, "`next`")
    item = walked.element.type
    if isinstance(default, ast.Constant) and default.value is None:
        return Call(
            "next", (walked,), type=item if isinstance(item, OptionalType) else OptionalType(item)
        )
    otherwise = typing.read_narrow(default, here)
    type_ = joined_type(item, otherwise.type)
    return (
        report_unlike_pair(typing, node, walked.element, otherwise)
        if type_ is None
        else Call("next", (walked,), otherwise, type=type_)
    )
