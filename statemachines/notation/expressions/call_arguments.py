"""What all calls share: how many arguments they have, and what stands for one that is wrong."""

from __future__ import annotations

import ast
from collections.abc import Callable

from statemachines.model.language.expression_nodes import Expression, Literal
from statemachines.model.language.value_types import ErrorType
from statemachines.notation.expressions.expression_typer import ExpressionTyper, TypingContext

CallRule = Callable[[ExpressionTyper, ast.Call, TypingContext], Expression]


def has_argument_count(
    typing: ExpressionTyper, node: ast.Call, low: int, high: int, form: str
) -> bool:
    """Report a wrong number of arguments, or named ones where there are none.

    Args:
        typing: takes what is wrong, and types parts.
        node: the call.
        low: fewest arguments.
        high: most arguments.
        form: of the call, as a message shows it.

    Returns:
        True where the number is right.
    """
    if low <= len(node.args) <= high and not node.keywords:
        return True
    typing.report_error(
        "SM308",
        f"`{typing.source.node_text(node)}` has other arguments than `{form}`",
        node,
        f"write `{form}`",
    )
    return False


def error_literal(node: ast.Call) -> Literal:
    """Return what stands for a call that is wrong, which was told.

    Args:
        node: the call.

    Returns:
        A value that fits everything.
    """
    return Literal(None, type=ErrorType())
