"""Calls that make a record, or change one: `Card(rank=1)`, `replace(card, rank=1)`."""

from __future__ import annotations

import ast

from statemachines.model.diagnosis.suggestions import nearest_hint
from statemachines.model.language.expression_nodes import (
    Expression,
    RecordDisplay,
    RecordUpdate,
)
from statemachines.model.language.value_types import ErrorType, IntType, RecordType, Type, base_type
from statemachines.notation.expressions.expression_typer import (
    ExpressionTyper,
    TypingContext,
    type_phrase,
)
from statemachines.notation.expressions.type_mismatches import report_misfit
from statemachines.notation.proofs.type_obligations import is_proved_of_type, unconstrained_type
from statemachines.notation.typing.type_agreement import is_same_kind


def read_replace(typing: ExpressionTyper, node: ast.Call, here: TypingContext) -> Expression:
    """Type `replace(x, state='RUNNING')`.

    Args:
        typing: takes what is wrong, and types parts.
        node: the call.
        here: names and facts that are known there.

    Returns:
        A node of the record's type.
    """
    if len(node.args) != 1 or not node.keywords:
        return typing.report_error(
            "SM308", "`replace` is written `replace(record, field=value)`", node
        )
    record = typing.read_narrow(node.args[0], here)
    type_ = base_type(record.type)
    if not isinstance(type_, RecordType):
        message = f"this is {type_phrase(type_)}; `replace` changes records"
        return (
            record
            if isinstance(type_, ErrorType)
            else typing.report_error("SM304", message, node.args[0])
        )
    declared = typing.scope.types.get(type_.name, type_)
    changes, types = [], dict(type_.fields)
    for keyword in node.keywords:
        changed = _read_field_value(typing, keyword.value, keyword.arg or "", declared, here)
        if changed is None:
            return _unknown_field_error(typing, keyword, keyword.arg or "", type_)
        types[keyword.arg or ""] = changed[1]
        changes.append((keyword.arg or "", changed[0]))
    return RecordUpdate(record, tuple(changes), type=RecordType(type_.name, tuple(types.items())))


def _read_field_value(
    typing: ExpressionTyper, node: ast.expr, name: str, record: Type, here: TypingContext
) -> tuple[Expression, Type] | None:
    """Type a field's value; return it with what is known of it."""
    declared = record.get(name) if isinstance(record, RecordType) else None
    if declared is None:
        return None
    value = typing.read_narrow(node, here)
    if not is_same_kind(value.type, declared):
        value = report_misfit(typing, value, declared, node)
    known = (
        declared
        if is_proved_of_type(here.facts, value, declared)
        else value.type
        if isinstance(value.type, IntType)
        else unconstrained_type(declared)
    )
    return value, known


def _unknown_field_error(
    typing: ExpressionTyper, node: ast.AST, name: str, record: RecordType
) -> Expression:
    names = [field for field, _ in record.fields]
    hint = nearest_hint(name, names) or f"its fields are {', '.join(names)}"
    return typing.report_error("SM307", f"`{record.name}` has no field `{name}`", node, hint)


def read_record(
    typing: ExpressionTyper, node: ast.Call, name: str, here: TypingContext
) -> Expression:
    """Type `Info('active', state='RUNNING')`.

    Args:
        typing: takes what is wrong, and types parts.
        node: the call.
        name: of the record's type.
        here: names and facts that are known there.

    Returns:
        A node of the record's type.
    """
    declared = typing.scope.types[name]
    assert isinstance(declared, RecordType)
    names = [field for field, _ in declared.fields]
    given = [
        *zip(names, node.args, strict=False),
        *((keyword.arg or "", keyword.value) for keyword in node.keywords),
    ]
    missing = [field for field in names if field not in dict(given)]
    twice = len(given) != len(dict(given)) or len(node.args) > len(names)
    if missing or twice:
        what = (
            f"lacks {', '.join(f'`{field}`' for field in missing)}"
            if missing
            else "has a field twice"
        )
        return typing.report_error(
            "SM308",
            f"`{typing.source.node_text(node)}` {what}",
            node,
            f"write `{name}({', '.join(names)})`",
        )
    values, types = {}, {}
    for field, part in given:
        value = _read_field_value(typing, part, field, declared, here)
        if value is None:
            return _unknown_field_error(typing, part, field, declared)
        values[field], types[field] = value
    return RecordDisplay(
        tuple(values[field] for field in names),
        type=RecordType(name, tuple((field, types[field]) for field in names)),
    )
