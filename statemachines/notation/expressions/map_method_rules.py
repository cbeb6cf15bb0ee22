"""The methods of maps, and `Task.allows(a, b)`."""

from __future__ import annotations

import ast

from statemachines.model.language.expression_nodes import (
    Expression,
    Literal,
    MapGet,
    MapView,
)
from statemachines.model.language.value_types import (
    BagType,
    ErrorType,
    MapType,
    OptionalType,
    PairsType,
    SetType,
    Type,
    base_type,
)
from statemachines.notation.expressions.call_arguments import error_literal, has_argument_count
from statemachines.notation.expressions.definition_rules import read_allows
from statemachines.notation.expressions.expression_typer import (
    ExpressionTyper,
    TypingContext,
    type_phrase,
)
from statemachines.notation.expressions.type_mismatches import report_misfit
from statemachines.notation.typing.type_agreement import joined_type


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
        hint = "maps have get, keys, values and items; nothing else has methods"
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
