"""`x with {field: value}`: a record with other fields, or a map whose records of some keys have."""

from __future__ import annotations

import ast

from statemachines.model.language.expression_nodes import Expression
from statemachines.model.language.value_types import (
    EnumType,
    ErrorType,
    MapType,
    OptionalType,
    RecordType,
    SetType,
    Type,
    base_type,
)
from statemachines.notation.expressions.expression_typer import (
    ExpressionTyper,
    TypingContext,
    type_phrase,
)


def read_update(typing: ExpressionTyper, node: ast.BinOp, here: TypingContext) -> Expression:
    """Type `x with {state: RUNNING}` as `replace(x, state='RUNNING')`.

    With `m[s]`, where `s` is a set of keys, it is the map `m` in which the records of these keys
    have other fields. A bare name that means nothing else is a member of the field's enumeration.

    Args:
        typing: takes what is wrong, and types parts.
        node: the two sides of `with`.
        here: names and facts that are known there.

    Returns:
        A node of the record's or of the map's type.
    """
    changes = node.right
    if not _is_written_with(typing, node) or not isinstance(changes, ast.Dict):
        source = typing.source.node_text(node)
        hint = "write `x with {field: value}`"
        return typing.report_error("SM302", f"`{source}` is not part of the language", node, hint)
    if not changes.keys or not all(isinstance(key, ast.Name) for key in changes.keys):
        return typing.report_error(
            "SM308", "a field is given by its name", changes, "write `x with {field: value}`"
        )
    if isinstance(node.left, ast.Subscript) and not isinstance(node.left.slice, ast.Slice):
        container = typing.read_narrow(node.left.value, here)
        keys = typing.read_narrow(node.left.slice, here)
        for part in (container, keys):
            if isinstance(part.type, ErrorType):
                return part
        kind = base_type(container.type)
        if isinstance(kind, MapType) and isinstance(base_type(keys.type), SetType):
            if not isinstance(base_type(kind.value), RecordType):
                return _no_record_error(typing, node, kind.value)
            return _read_map_update(typing, node, node.left, kind, here)
    record = typing.read_narrow(node.left, here)
    if isinstance(record.type, ErrorType):
        return record
    if not isinstance(base_type(record.type), RecordType):
        return _no_record_error(typing, node, record.type)
    return typing.read_declared(_replaced(typing, node.left, changes, record.type, here), here)


def _no_record_error(typing: ExpressionTyper, node: ast.BinOp, type_: Type) -> Expression:
    """Report that what `with` should change has no fields, and how keys of a map are changed."""
    changed, written = typing.source.node_text(node.left), typing.source.node_text(node.right)
    hint = ""
    if isinstance(base_type(type_), MapType):
        hint = f"keys of a map are changed by `{changed} | {written}`"
    elif isinstance(node.left, ast.Subscript):
        map_ = typing.source.node_text(node.left.value)
        keys = typing.source.node_text(node.left.slice)
        hint = f"values of keys are changed by `{map_} | {{k: … for k in {keys}}}`"
    message = f"this is {type_phrase(type_)}; `with` changes fields of a record"
    return typing.report_error("SM304", message, node.left, hint)


def _is_written_with(typing: ExpressionTyper, node: ast.BinOp) -> bool:
    """Tell whether the operator is the word, and not the sign that stands for it in the tree."""
    _, start = typing.source.node_offsets(node.left)
    end, _ = typing.source.node_offsets(node.right)
    return "with" in typing.source.text[start:end]


def _read_map_update(
    typing: ExpressionTyper,
    node: ast.BinOp,
    left: ast.Subscript,
    kind: MapType,
    here: TypingContext,
) -> Expression:
    """Type the map in which the records of some keys are changed."""
    key, item = (_free_name(typing, name, here) for name in ("key", "item"))
    assert isinstance(node.right, ast.Dict)
    changed = _replaced(typing, ast.Name(item), node.right, kind.value, here)
    chosen = ast.IfExp(
        ast.Compare(ast.Name(key), [ast.In()], [left.slice]), changed, ast.Name(item)
    )
    pairs = ast.Call(ast.Attribute(left.value, "items"), [], [])
    target = ast.Tuple([ast.Name(key), ast.Name(item)])
    whole = ast.DictComp(ast.Name(key), chosen, [ast.comprehension(target, pairs, [], 0)])
    return typing.read_declared(_placed(whole, node), here)


def _replaced(
    typing: ExpressionTyper, record: ast.expr, changes: ast.Dict, type_: Type, here: TypingContext
) -> ast.expr:
    """Write a change of a record as a call."""
    known = base_type(type_)
    known = typing.scope.types.get(known.name, known) if isinstance(known, RecordType) else known
    keywords = []
    for name, value in zip(changes.keys, changes.values, strict=True):
        assert isinstance(name, ast.Name)
        declared = known.get(name.id) if isinstance(known, RecordType) else None
        meant = _meant_member(typing, value, declared, here)
        keywords.append(ast.copy_location(ast.keyword(name.id, meant), name))
    return _placed(ast.Call(ast.Name("replace"), [record], keywords), changes)


def _meant_member(
    typing: ExpressionTyper, value: ast.expr, declared: Type | None, here: TypingContext
) -> ast.expr:
    """Return a bare name as the member of an enumeration that it is, if it means nothing else."""
    kind = None if declared is None else base_type(declared)
    kind = base_type(kind.item) if isinstance(kind, OptionalType) else kind
    if not isinstance(value, ast.Name) or not isinstance(kind, EnumType):
        return value
    if value.id in here.locals or value.id in typing.scope.all_names():
        return value
    return ast.copy_location(ast.Constant(value.id), value) if value.id in kind.members else value


def _free_name(typing: ExpressionTyper, wanted: str, here: TypingContext) -> str:
    """Return a name that nothing has."""
    taken, name = {*here.locals, *typing.scope.all_names()}, wanted
    while name in taken:
        name += "_"
    return name


def _placed(made: ast.expr, like: ast.expr) -> ast.expr:
    """Give a made tree the place of what it stands for, where it has none."""
    for part in ast.walk(made):
        if not hasattr(part, "col_offset") and isinstance(part, ast.expr | ast.keyword):
            ast.copy_location(part, like)
    return made
