"""Uses of definitions, of what another machine allows, and of what is enabled."""

from __future__ import annotations

import ast

from statemachines.model.diagnosis.suggestions import did_you_mean
from statemachines.model.language.expression_nodes import (
    ENABLED,
    AllowsCall,
    DefinitionCall,
    Enabled,
    Expression,
    Name,
    NameKind,
)
from statemachines.model.language.value_types import BOOL, ErrorType, Type
from statemachines.notation.expressions.expression_typer import (
    ExpressionTyper,
    TypingContext,
    error_literal,
    has_argument_count,
)
from statemachines.notation.expressions.type_mismatches import report_misfit
from statemachines.notation.proofs.type_obligations import is_proved_of_type
from statemachines.notation.typing.substitution import substitute_type
from statemachines.notation.typing.type_agreement import is_same_kind

_ENABLED_FORM = f"{ENABLED}(event, argument=value)"


def read_apply(
    typing: ExpressionTyper, node: ast.Call, name: str, here: TypingContext
) -> Expression:
    """Type the use of a definition; what its inputs' types ask must be shown here.

    Args:
        typing: takes what is wrong, and types parts.
        node: the call.
        name: of the definition.
        here: names and facts that are known there.

    Returns:
        A node of the type that the definition gives.
    """
    definition = typing.scope.definitions[name]
    names = [given.split(".")[-1] for given, _ in definition.inputs]
    form = f"{name}({', '.join(names)})"
    parts = {
        **dict(zip(names, node.args, strict=False)),
        **{keyword.arg or "": keyword.value for keyword in node.keywords},
    }
    if set(parts) != set(names) or len(node.args) + len(node.keywords) != len(names):
        return typing.report_error(
            "SM308",
            f"`{typing.source.node_text(node)}` does not have the arguments of `{form}`",
            node,
            f"write `{form}`",
        )
    values: dict[Expression, Expression] = {}
    for given, type_ in definition.inputs:
        part = parts[given.split(".")[-1]]
        values[Name(NameKind.INPUT, given, type=type_)] = _read_input(
            typing, part, type_, values, here
        )
    return DefinitionCall(name, tuple(values.values()), type=definition.body.type)


def _read_input(
    typing: ExpressionTyper,
    node: ast.expr,
    type_: Type,
    earlier: dict[Expression, Expression],
    here: TypingContext,
) -> Expression:
    value = typing.read_narrow(node, here)
    declared = substitute_type(type_, earlier)
    if not is_same_kind(value.type, declared):
        return report_misfit(typing, value, declared, node)
    if not isinstance(value.type, ErrorType) and not is_proved_of_type(here.facts, value, declared):
        source = typing.source.node_text(node)
        return typing.report_error(
            "SM318",
            f"`{source}` is not shown to be of type `{declared}` here",
            node,
            "a fact that says so is missing",
        )
    return value


def read_allows(
    typing: ExpressionTyper, node: ast.Call, machine: str, here: TypingContext
) -> Expression:
    """Type `Task.allows(a, b)`.

    Args:
        typing: takes what is wrong, and types parts.
        node: the call.
        machine: as the spec calls it.
        here: names and facts that are known there.

    Returns:
        A node of type bool.
    """
    if not has_argument_count(typing, node, 2, 2, f"{machine}.allows(a, b)"):
        return error_literal(node)
    neighbour = typing.scope.used_machines[machine]
    source, target = (typing.read_narrow(part, here) for part in node.args)
    for part, typed in zip(node.args, (source, target), strict=True):
        if not is_same_kind(typed.type, neighbour.states):
            return report_misfit(typing, typed, neighbour.states, part)
    return AllowsCall(neighbour.name, neighbour.allowed_moves, source, target, type=BOOL)


def read_enabled(typing: ExpressionTyper, node: ast.Call, here: TypingContext) -> Expression:
    """Type the question whether something takes an event; arguments that are not named may have
    any value.

    Args:
        typing: takes what is wrong, and types parts.
        node: the call.
        here: names and facts that are known there.

    Returns:
        A node of type bool.
    """
    events = typing.scope.events
    if not events:
        hint = "a guard says itself when its event is taken"
        return typing.report_error(
            "SM303", f"`{ENABLED}` is allowed in properties only", node, hint
        )
    if len(node.args) != 1:
        return typing.report_error(
            "SM308", f"`{ENABLED}` asks about one event: `{_ENABLED_FORM}`", node
        )
    event = typing.source.node_text(node.args[0])
    if event not in events:
        hint = did_you_mean(event, events)
        message = f"unknown event `{event}`"
        return typing.report_error("SM403", message, node.args[0], hint, undeclared=event)
    known, given = dict(events[event]), list[tuple[str, Expression]]()
    for keyword in node.keywords:
        name = keyword.arg or ""
        if name not in known:
            hint = did_you_mean(name, known)
            message = f"`{event}` has no argument `{name}`"
            return typing.report_error("SM403", message, keyword.value, hint, undeclared=name)
        given.append((name, _read_argument(typing, keyword.value, known[name], here)))
    return Enabled(event, tuple(given), type=BOOL)


def _read_argument(
    typing: ExpressionTyper, node: ast.expr, declared: Type, here: TypingContext
) -> Expression:
    value = typing.read_narrow(node, here)
    if isinstance(value.type, ErrorType) or is_same_kind(value.type, declared):
        return value
    return report_misfit(typing, value, declared, node)
