"""`x.state`, `before.x`, `m[k]`, `xs[0]`, `xs[a:b]`."""

from __future__ import annotations

import ast

from statemachines.model.expressions import Call, Expression, Field, InStates, Item, Kind, Literal, Name, Slice
from statemachines.model.suggestions import meant
from statemachines.model.types import (
    BOOL,
    IntType,
    ListType,
    MapType,
    OptionalType,
    RecordType,
    WrongType,
    base_of,
)
from statemachines.notation.expressions.agreement import join
from statemachines.notation.expressions.bounds import bounds, is_less
from statemachines.notation.expressions.mismatches import explain_misfit
from statemachines.notation.expressions.proving import is_in
from statemachines.notation.expressions.typing import Here, Typing, said


def read_attribute(typing: Typing, node: ast.expr, here: Here) -> Expression:
    """Type a record's field; `before.x` where a property looks back."""
    assert isinstance(node, ast.Attribute)
    if isinstance(node.value, ast.Name) and node.value.id == "before" and typing.scope.before and "before" not in here.locals:
        return _read_before(typing, node)
    record = typing.read(node.value, here)
    type_ = base_of(record.type)
    if isinstance(type_, WrongType):
        return record
    source = typing.written.source(node.value)
    if isinstance(type_, OptionalType):
        return typing.wrong("SM309", f"`{source}` may be None here", node.value, f"the fact `{source} is not None` is missing")
    if not isinstance(type_, RecordType):
        hint = "call it: `()`" if node.attr in ("keys", "values", "items", "get") else ""
        return typing.wrong("SM307", f"a value {said(type_)} has no `.{node.attr}`", node, hint)
    declared = type_.get(node.attr)
    if declared is None:
        names = [name for name, _ in type_.fields]
        hint = meant(node.attr, names) or f"its fields are {', '.join(names)}"
        return typing.wrong("SM307", f"`{type_}` has no field `{node.attr}`", node, hint)
    return Field(record, node.attr, type=declared)


def _read_before(typing: Typing, node: ast.Attribute) -> Expression:
    """Type what a variable, the state or a predicate was before the step."""
    if node.attr in typing.scope.predicates:
        return InStates(node.attr, typing.scope.predicates[node.attr], before=True, type=BOOL)
    type_ = typing.scope.before.get(node.attr)
    if type_ is None:
        hint = meant(node.attr, [*typing.scope.before, *typing.scope.predicates])
        return typing.wrong("SM303", f"`before` has no `{node.attr}`", node, hint or "it has the variables, `state` and the predicates")
    return Name(Kind.BEFORE, node.attr, type=type_)


def read_subscript(typing: Typing, node: ast.expr, here: Here) -> Expression:
    """Type `m[k]`, `xs[i]` and `xs[a:b]`; the first two only where a fact makes them safe."""
    assert isinstance(node, ast.Subscript)
    container = typing.read(node.value, here)
    type_ = base_of(container.type)
    if isinstance(node.slice, ast.Slice):
        return _read_slice(typing, node, node.slice, container, here)
    key = typing.read(node.slice, here)
    source = typing.written.source(node.value)
    match type_:
        case WrongType():
            return container
        case MapType():
            return _read_item_of_map(typing, node, container, key, here)
        case ListType():
            return _read_item_of_list(typing, node, container, key, here)
        case OptionalType():
            return typing.wrong("SM309", f"`{source}` may be None here", node.value, f"the fact `{source} is not None` is missing")
    return typing.wrong("SM304", f"`{source}` is {said(type_)}; maps and lists have items", node.value)


def _read_item_of_map(typing: Typing, node: ast.Subscript, container: Expression, key: Expression, here: Here) -> Expression:
    type_ = base_of(container.type)
    assert isinstance(type_, MapType)
    if join(key.type, type_.key) is None:
        return explain_misfit(typing, key, type_.key, node.slice)
    if not isinstance(key.type, WrongType) and not is_in(here.facts, key, container):
        wanted, source = typing.written.source(node.slice), typing.written.source(node.value)
        hint = f"the fact `{wanted} in {source}` is missing; or write `{source}.get({wanted}, …)`"
        return typing.wrong("SM309", f"`{source}` may have no `{wanted}` here", node.slice, hint)
    return Item(container, key, type=type_.value)


def _read_item_of_list(typing: Typing, node: ast.Subscript, container: Expression, key: Expression, here: Here) -> Expression:
    type_ = base_of(container.type)
    assert isinstance(type_, ListType)
    if isinstance(key.type, WrongType):
        return key
    if not isinstance(base_of(key.type), IntType):
        return typing.wrong("SM304", f"this is {said(key.type)}; a number is wanted", node.slice)
    length = Call("len", (container,), type=IntType(0, None))
    missing = _missing(typing, node, key, length, here)
    if missing:
        source = typing.written.source(node)
        return typing.wrong("SM309", f"`{source}` may not exist here", node, f"the fact {missing} is missing")
    return Item(container, key, type=type_.item)


def _missing(typing: Typing, node: ast.Subscript, key: Expression, length: Call, here: Here) -> str:
    """Return the fact that would make an item of a list safe; empty where it is."""
    source, wanted = typing.written.source(node.value), typing.written.source(node.slice)
    if isinstance(key, Literal) and isinstance(key.value, int):
        needed = key.value + 1 if key.value >= 0 else -key.value
        known = bounds(here.facts, length).low or 0
        return "" if known >= needed else f"`{source} != []`" if needed == 1 else f"`len({source}) >= {needed}`"
    low = bounds(here.facts, key).low
    if low is None or low < 0:
        return f"`{wanted} >= 0`"
    return "" if is_less(here.facts, key, length) else f"`{wanted} < len({source})`"


def _read_slice(typing: Typing, node: ast.Subscript, part: ast.Slice, container: Expression, here: Here) -> Expression:
    if part.step is not None:
        return typing.wrong("SM302", f"`{typing.written.source(node)}` is no part of the language", node, "a slice is `xs[a:b]`")
    if not isinstance(base_of(container.type), ListType | WrongType):
        return typing.wrong("SM304", f"this is {said(container.type)}; slices are of lists", node.value)
    ends = [None if end is None else typing.read(end, here) for end in (part.lower, part.upper)]
    for end, typed in zip((part.lower, part.upper), ends, strict=True):
        if typed is not None and end is not None and not isinstance(base_of(typed.type), IntType | WrongType):
            return typing.wrong("SM304", f"this is {said(typed.type)}; a number is wanted", end)
    return Slice(container, ends[0], ends[1], type=container.type)
