"""Calls: which rule reads which."""

from __future__ import annotations

import ast

from statemachines.model.diagnosis.suggestions import nearest_hint
from statemachines.model.language.expression_nodes import ENABLED, Expression, Implies
from statemachines.model.language.value_types import BOOL, ErrorType, RecordType
from statemachines.notation.expressions.call_arguments import (
    CallRule,
    error_literal,
    has_argument_count,
)
from statemachines.notation.expressions.definition_rules import read_apply, read_enabled
from statemachines.notation.expressions.expression_typer import ExpressionTyper, TypingContext
from statemachines.notation.expressions.iteration_rules import (
    read_extreme,
    read_len,
    read_next,
    read_quantifier,
    read_range,
    read_set,
    read_sum,
)
from statemachines.notation.expressions.map_method_rules import read_method
from statemachines.notation.expressions.record_rules import read_record, read_replace


def read_call(typing: ExpressionTyper, node: ast.expr, here: TypingContext) -> Expression:
    """Type a call of one of the language's functions, a record, a definition or a map's method.

    Args:
        typing: takes what is wrong, and types parts.
        node: the call.
        here: names and facts that are known there.

    Returns:
        The typed node; what stands for an error where it is wrong.
    """
    assert isinstance(node, ast.Call)
    if any(isinstance(part, ast.Starred) for part in node.args) or any(
        keyword.arg is None for keyword in node.keywords
    ):
        return typing.report_error("SM302", "`*` in a call is no part of the language", node)
    if isinstance(node.func, ast.Attribute):
        return read_method(typing, node, node.func, here)
    if not isinstance(node.func, ast.Name):
        return typing.report_error(
            "SM302", f"`{typing.source.node_text(node.func)}` is no function", node.func
        )
    name = node.func.id
    if name in typing.scope.definitions:
        return read_apply(typing, node, name, here)
    if isinstance(typing.scope.types.get(name), RecordType):
        return read_record(typing, node, name, here)
    if name == ENABLED:
        return read_enabled(typing, node, here)
    if name in CALL_RULES:
        return CALL_RULES[name](typing, node, here)
    declared = typing.scope.names.get(name)
    if declared is not None and isinstance(declared.type, ErrorType):
        return error_literal(node)
    known = [
        *CALL_RULES,
        *typing.scope.definitions,
        *(n for n, type_ in typing.scope.types.items() if isinstance(type_, RecordType)),
    ]
    hint = nearest_hint(name, known) or f"functions are {', '.join(CALL_RULES)}"
    return typing.report_error("SM303", f"`{name}` is no function", node.func, hint)


def _read_implies(typing: ExpressionTyper, node: ast.Call, here: TypingContext) -> Expression:
    if not has_argument_count(typing, node, 2, 2, "implies(a, b)"):
        return error_literal(node)
    condition = typing.read_condition(node.args[0], here)
    return Implies(
        condition, typing.read_condition(node.args[1], here.assuming(condition)), type=BOOL
    )


CALL_RULES: dict[str, CallRule] = {
    "len": read_len,
    "any": read_quantifier,
    "all": read_quantifier,
    "sum": read_sum,
    "min": read_extreme,
    "max": read_extreme,
    "set": read_set,
    "range": read_range,
    "next": read_next,
    "implies": _read_implies,
    "replace": read_replace,
}


__all__ = ["CALL_RULES", "read_call"]
