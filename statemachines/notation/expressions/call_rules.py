"""Calls: which rule reads which."""

from __future__ import annotations

import ast

from statemachines.model.diagnosis.suggestions import nearest_hint
from statemachines.model.language.expression_nodes import (
    ENABLED,
    Expression,
    Implies,
    Literal,
    MapGet,
    MapView,
)
from statemachines.model.language.value_types import (
    BOOL,
    BagType,
    ErrorType,
    MapType,
    OptionalType,
    PairsType,
    RecordType,
    SetType,
    Type,
    base_type,
)
from statemachines.notation.expressions.definition_rules import (
    read_allows,
    read_apply,
    read_enabled,
)
from statemachines.notation.expressions.expression_typer import (
    CallRule,
    ExpressionTyper,
    TypingContext,
    error_literal,
    has_argument_count,
    type_phrase,
)
from statemachines.notation.expressions.iteration_rules import (
    read_extreme,
    read_len,
    read_next,
    read_quantifier,
    read_range,
    read_set,
    read_sum,
)
from statemachines.notation.expressions.other_languages import function_hint, method_hint
from statemachines.notation.expressions.record_rules import read_record, read_replace
from statemachines.notation.expressions.type_mismatches import report_misfit
from statemachines.notation.typing.type_agreement import joined_type


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
        return typing.report_error("SM302", "`*` in a call is not part of the language", node)
    if isinstance(node.func, ast.Attribute):
        return read_method(typing, node, node.func, here)
    if not isinstance(node.func, ast.Name):
        return typing.report_error(
            "SM302", f"`{typing.source.node_text(node.func)}` is not a function", node.func
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
    hint = function_hint(name) or nearest_hint(name, known)
    hint = hint or f"functions are {', '.join(CALL_RULES)}"
    message = f"`{name}` is not a function"
    return typing.report_error("SM303", message, node.func, hint, undeclared=name)


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


def read_method(
    typing: ExpressionTyper, node: ast.Call, function: ast.Attribute, here: TypingContext
) -> Expression:
    """Type `m.get(k, d)`, `m.keys()`, `m.values()`, `m.items()`, `Task.allows(a, b)`.

    Args:
        typing: takes what is wrong, and types parts.
        node: the call.
        function: the method, with what it is called of.
        here: names and facts that are known there.

    Returns:
        The typed node; what stands for an error where it is wrong.
    """
    if (
        isinstance(function.value, ast.Name)
        and function.value.id in typing.scope.used_machines
        and function.attr == "allows"
    ):
        return read_allows(typing, node, function.value.id, here)
    owner = typing.read_narrow(function.value, here)
    type_ = base_type(owner.type)
    if isinstance(type_, ErrorType):
        return owner
    if not isinstance(type_, MapType) or function.attr not in ("get", "keys", "values", "items"):
        item = typing.source.node_text(node.args[0]) if node.args else ""
        hint = method_hint(type_, typing.source.node_text(function.value), function.attr, item)
        hint = hint or "maps have get, keys, values and items; nothing else has methods"
        return typing.report_error(
            "SM307", f"a value {type_phrase(type_)} has no method `{function.attr}`", function, hint
        )
    if function.attr == "get":
        return _read_get(typing, node, owner, type_, here)
    if not has_argument_count(typing, node, 0, 0, f"m.{function.attr}()"):
        return error_literal(node)
    given: dict[str, Type] = {
        "keys": SetType(type_.key),
        "values": BagType(type_.value),
        "items": PairsType(type_.key, type_.value),
    }
    return MapView(function.attr, owner, type=given[function.attr])


def _read_get(
    typing: ExpressionTyper, node: ast.Call, owner: Expression, type_: MapType, here: TypingContext
) -> Expression:
    if not has_argument_count(typing, node, 1, 2, "m.get(k, d)"):
        return error_literal(node)
    key = typing.read_narrow(node.args[0], here)
    if joined_type(key.type, type_.key) is None:
        return report_misfit(typing, key, type_.key, node.args[0])
    if len(node.args) == 1:
        value = type_.value if isinstance(type_.value, OptionalType) else OptionalType(type_.value)
        return MapGet(owner, key, type=value)
    default = typing.read_narrow(node.args[1], here)
    if (
        isinstance(default, Literal)
        and default.value is None
        and not isinstance(default.type, ErrorType)
    ):
        return MapGet(
            owner,
            key,
            type=(
                type_.value if isinstance(type_.value, OptionalType) else OptionalType(type_.value)
            ),
        )
    joined = joined_type(type_.value, default.type)
    if joined is None:
        return report_misfit(typing, default, type_.value, node.args[1])
    return MapGet(owner, key, default, type=joined)
