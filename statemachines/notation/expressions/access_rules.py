"""`x.state`, `before.x`, `m[k]`, `xs[0]`, `xs[a:b]`."""

from __future__ import annotations

import ast

from statemachines.model.diagnosis.suggestions import nearest_hint
from statemachines.model.language.expression_nodes import (
    Call,
    Expression,
    FieldAccess,
    InStates,
    ItemAccess,
    Literal,
    Name,
    NameKind,
    Slice,
)
from statemachines.model.language.value_types import (
    BOOL,
    EnumType,
    ErrorType,
    IdType,
    IntType,
    ListType,
    MapType,
    OptionalType,
    RecordType,
    base_type,
)
from statemachines.notation.expressions.expression_parser import SourceText, parse_expression
from statemachines.notation.expressions.expression_typer import (
    ExpressionTyper,
    TypingContext,
    type_phrase,
)
from statemachines.notation.expressions.other_languages import method_hint
from statemachines.notation.expressions.type_mismatches import report_misfit
from statemachines.notation.proofs.membership import is_proved_in
from statemachines.notation.proofs.number_bounds import (
    is_proved_in_range,
    is_proved_less,
    number_bounds,
)
from statemachines.notation.typing.type_agreement import joined_type

_OWNERS = frozenset(
    {"self", "this", "event", "ctx", "context", "data", "payload", "msg", "model", "params", "args"}
)
"""What other languages put before the names of values."""


def read_attribute(typing: ExpressionTyper, node: ast.expr, here: TypingContext) -> Expression:
    """Type a record's field; `before.x` where a property looks back.

    Args:
        typing: takes what is wrong, and types parts.
        node: the part of the syntax tree.
        here: names and facts that are known there.

    Returns:
        The typed node; what stands for an error where it is wrong.
    """
    assert isinstance(node, ast.Attribute)
    if (
        isinstance(node.value, ast.Name)
        and node.value.id == "before"
        and typing.scope.before
        and "before" not in here.locals
    ):
        return _read_before(typing, node)
    if isinstance(node.value, ast.Name) and (hint := _owner_hint(typing, node, here)):
        message = f"`{node.value.id}` is not declared"
        return typing.report_error("SM303", message, node.value, hint, undeclared=node.value.id)
    record = typing.read_narrow(node.value, here)
    type_ = base_type(record.type)
    if isinstance(type_, ErrorType):
        return record
    source = typing.source.node_text(node.value)
    if isinstance(type_, OptionalType):
        return typing.report_error(
            "SM309",
            f"`{source}` may be None here",
            node.value,
            f"the fact `{source} is not None` is missing",
        )
    if not isinstance(type_, RecordType):
        hint = method_hint(type_, source, node.attr)
        hint = "call it: `()`" if node.attr in ("keys", "values", "items", "get") else hint
        return typing.report_error(
            "SM307", f"a value {type_phrase(type_)} has no `.{node.attr}`", node, hint
        )
    declared = type_.get(node.attr)
    if declared is None:
        names = [name for name, _ in type_.fields]
        states = type_.get("state")
        is_state = isinstance(states, EnumType) and node.attr in states.members
        hint = f"write `{source}.state == '{node.attr}'`" if is_state else ""
        hint = hint or nearest_hint(node.attr, names) or f"its fields are {', '.join(names)}"
        return typing.report_error("SM307", f"`{type_}` has no field `{node.attr}`", node, hint)
    return FieldAccess(record, node.attr, type=declared)


def _read_before(typing: ExpressionTyper, node: ast.Attribute) -> Expression:
    """Type what a variable, the state or a predicate was before the step."""
    if node.attr in typing.scope.predicates:
        return InStates(node.attr, typing.scope.predicates[node.attr], before=True, type=BOOL)
    type_ = typing.scope.before.get(node.attr)
    if type_ is None:
        hint = nearest_hint(node.attr, [*typing.scope.before, *typing.scope.predicates])
        return typing.report_error(
            "SM303",
            f"`before` has no `{node.attr}`",
            node,
            hint or "it has the variables, `state` and the predicates",
            undeclared=node.attr,
        )
    return Name(NameKind.BEFORE, node.attr, type=type_)


def read_subscript(typing: ExpressionTyper, node: ast.expr, here: TypingContext) -> Expression:
    """Type `m[k]`, `xs[i]` and `xs[a:b]`; the first two only where a fact makes them safe.

    Args:
        typing: takes what is wrong, and types parts.
        node: the part of the syntax tree.
        here: names and facts that are known there.

    Returns:
        The typed node; what stands for an error where it is wrong.
    """
    assert isinstance(node, ast.Subscript)
    default = _declared_default(typing, node.value, here)
    if default is not None and not isinstance(node.slice, ast.Slice):
        return typing.read_declared(_get_or_default(node, default), here)
    container = typing.read_narrow(node.value, here)
    type_ = base_type(container.type)
    if isinstance(node.slice, ast.Slice):
        return _read_slice(typing, node, node.slice, container, here)
    key = typing.read_narrow(node.slice, here)
    source = typing.source.node_text(node.value)
    match type_:
        case ErrorType():
            return container
        case MapType():
            return _read_map_item(typing, node, container, key, here)
        case ListType():
            return _read_list_item(typing, node, container, key, here)
        case OptionalType():
            return typing.report_error(
                "SM309",
                f"`{source}` may be None here",
                node.value,
                f"the fact `{source} is not None` is missing",
            )
    return typing.report_error(
        "SM304", f"`{source}` is {type_phrase(type_)}; maps and lists have items", node.value
    )


def _declared_default(
    typing: ExpressionTyper, node: ast.expr, here: TypingContext
) -> ast.expr | None:
    """Return what a key without a value has in a map that was declared with a default."""
    if not isinstance(node, ast.Name) or node.id in here.locals:
        return None
    declared = typing.scope.names.get(node.id)
    if declared is None or declared.default is None:
        return None
    tree = parse_expression(SourceText(declared.default, typing.source.span))
    return tree if isinstance(tree, ast.expr) else None


def _get_or_default(node: ast.Subscript, default: ast.expr) -> ast.expr:
    """Write `m[k]` as `m.get(k, default)`, in its place."""
    for part in ast.walk(default):
        if isinstance(part, ast.expr | ast.keyword):
            ast.copy_location(part, node.slice)
    function = ast.copy_location(ast.Attribute(node.value, "get"), node.value)
    return ast.copy_location(ast.Call(function, [node.slice, default], []), node)


def _read_map_item(
    typing: ExpressionTyper,
    node: ast.Subscript,
    container: Expression,
    key: Expression,
    here: TypingContext,
) -> Expression:
    type_ = base_type(container.type)
    assert isinstance(type_, MapType)
    if joined_type(key.type, type_.key) is None:
        return report_misfit(typing, key, type_.key, node.slice)
    is_there = (
        isinstance(key.type, ErrorType)
        or is_proved_in(here.facts, key, container)
        or is_proved_in_range(here.facts, key, container)
    )
    if not is_there:
        wanted, source = typing.source.node_text(node.slice), typing.source.node_text(node.value)
        fact = f"{wanted} in {source}"
        is_part = isinstance(type_.value, RecordType) and "state" in dict(type_.value.fields)
        instead = f"`{fact} and …`" if is_part else f"`{source}.get({wanted}, …)`"
        where = f"; a link that sends has `guard: {fact}`" if is_part else ""
        hint = f"the fact `{fact}` is missing; or write {instead}{where}"
        return typing.report_error(
            "SM309",
            f"`{source}` may have no `{wanted}` here",
            node.slice,
            hint,
            about=type_.key.name if isinstance(type_.key, IdType) else "",
        )
    return ItemAccess(container, key, type=type_.value)


def _read_list_item(
    typing: ExpressionTyper,
    node: ast.Subscript,
    container: Expression,
    key: Expression,
    here: TypingContext,
) -> Expression:
    type_ = base_type(container.type)
    assert isinstance(type_, ListType)
    if isinstance(key.type, ErrorType):
        return key
    if not isinstance(base_type(key.type), IntType):
        return typing.report_error(
            "SM304", f"this is {type_phrase(key.type)}; a number is needed", node.slice
        )
    length = Call("len", (container,), type=IntType(0, None))
    missing = _missing_fact(typing, node, key, length, here)
    if missing:
        source = typing.source.node_text(node)
        return typing.report_error(
            "SM309", f"`{source}` may not exist here", node, f"the fact {missing} is missing"
        )
    return ItemAccess(container, key, type=type_.item)


def _missing_fact(
    typing: ExpressionTyper, node: ast.Subscript, key: Expression, length: Call, here: TypingContext
) -> str:
    """Return the fact that would make an item of a list safe; empty where it is."""
    source, wanted = typing.source.node_text(node.value), typing.source.node_text(node.slice)
    if isinstance(key, Literal) and isinstance(key.value, int):
        needed = key.value + 1 if key.value >= 0 else -key.value
        known = number_bounds(here.facts, length).low or 0
        return (
            ""
            if known >= needed
            else f"`{source} != []`"
            if needed == 1
            else f"`len({source}) >= {needed}`"
        )
    low = number_bounds(here.facts, key).low
    if low is None or low < 0:
        return f"`{wanted} >= 0`"
    return "" if is_proved_less(here.facts, key, length) else f"`{wanted} < len({source})`"


def _read_slice(
    typing: ExpressionTyper,
    node: ast.Subscript,
    part: ast.Slice,
    container: Expression,
    here: TypingContext,
) -> Expression:
    if part.step is not None:
        return typing.report_error(
            "SM302",
            f"`{typing.source.node_text(node)}` is not part of the language",
            node,
            "a slice is `xs[a:b]`",
        )
    if not isinstance(base_type(container.type), ListType | ErrorType):
        return typing.report_error(
            "SM304", f"this is {type_phrase(container.type)}; slices are of lists", node.value
        )
    ends = [
        None if end is None else typing.read_narrow(end, here) for end in (part.lower, part.upper)
    ]
    for end, typed in zip((part.lower, part.upper), ends, strict=True):
        if (
            typed is not None
            and end is not None
            and not isinstance(base_type(typed.type), IntType | ErrorType)
        ):
            return typing.report_error(
                "SM304", f"this is {type_phrase(typed.type)}; a number is needed", end
            )
    return Slice(container, ends[0], ends[1], type=container.type)


def _owner_hint(typing: ExpressionTyper, node: ast.Attribute, here: TypingContext) -> str:
    """Say that a name stands alone which other languages look up in `self` or in the event, and
    where the step is known that `before` speaks of; nothing where the owner is a name.
    """
    assert isinstance(node.value, ast.Name)
    owner = node.value.id
    if owner in typing.scope.names or owner in here.locals or owner in typing.scope.definitions:
        return ""
    if owner == "before":
        return "`before` is known where a step is: in `each step`"
    known = node.attr in typing.scope.names or node.attr == "state"
    return f"write `{node.attr}` alone" if owner in _OWNERS and known else ""
