"""Names, literals and displays."""

from __future__ import annotations

import ast

from statemachines.model.expressions import Apply, Expression, InStates, Kind, ListDisplay, Literal, MapDisplay, Name, SetDisplay
from statemachines.model.suggestions import meant
from statemachines.model.types import BOOL, NEVER, NONE, EnumType, IdType, IntType, ListType, MapType, SetType, Type, WordsType
from statemachines.notation.expressions.agreement import hull
from statemachines.notation.expressions.mismatches import explain_mixture
from statemachines.notation.expressions.typing import Here, Typing

_MANY = 256
"""Numbers up to which the name of a range is the set of its values."""
_OF_YAML = {"true": "True", "false": "False", "null": "None", "none": "None"}


def read_constant(typing: Typing, node: ast.expr, here: Here) -> Expression:
    """Type `True`, `12`, `'active'`, `None`."""
    assert isinstance(node, ast.Constant)
    value = node.value
    if value is None:
        return Literal(None, type=NONE)
    if isinstance(value, bool):
        return Literal(value, type=BOOL)
    if isinstance(value, int):
        return Literal(value, type=IntType(value, value))
    if isinstance(value, str):
        return Literal(value, type=WordsType(frozenset([value])))
    return typing.wrong("SM302", f"`{typing.written.source(node)}` is no value of the language", node, "numbers are whole")


def read_name(typing: Typing, node: ast.expr, here: Here) -> Expression:
    """Type a name: a generator's variable, a declared name, a predicate, a definition without arguments, an enumeration, a range."""
    assert isinstance(node, ast.Name)
    scope, name = typing.scope, node.id
    if name in here.locals:
        return here.locals[name]
    if name in scope.names:
        declared = scope.names[name]
        return Name(declared.kind, declared.name, type=declared.type)
    if name in scope.predicates:
        return InStates(name, scope.predicates[name], type=BOOL)
    if name == "state" and scope.state is not None:
        return Name(Kind.STATE, "state", type=scope.state)
    if name in scope.definitions:
        return _read_definition(typing, node)
    members = _members(scope.types.get(name))
    return _unknown(typing, node, here) if members is None else members


def _members(type_: Type | None) -> Literal | None:
    """Return the set of all values of an enumeration, or of a range that is not long."""
    match type_:
        case EnumType(members=members):
            return Literal(frozenset(members), type=SetType(type_))
        case IntType(low=int(low), high=int(high)) if high - low < _MANY:
            return Literal(frozenset(range(low, high + 1)), type=SetType(type_))
    return None


def _read_definition(typing: Typing, node: ast.Name) -> Expression:
    definition = typing.scope.definitions[node.id]
    if definition.inputs:
        wanted = ", ".join(name.split(".")[-1] for name, _ in definition.inputs)
        return typing.wrong("SM308", f"`{node.id}` needs its arguments", node, f"write `{node.id}({wanted})`")
    return Apply(node.id, (), type=definition.body.type)


def _unknown(typing: Typing, node: ast.Name, here: Here) -> Expression:
    name = node.id
    if name in _OF_YAML:
        return typing.wrong("SM303", f"`{name}` is no name", node, f"in expressions it is `{_OF_YAML[name]}`")
    for type_ in typing.scope.types.values():
        if isinstance(type_, EnumType) and name in type_.members:
            return typing.wrong("SM303", f"`{name}` is no name", node, f"the member of `{type_}` is quoted: `'{name}'`")
    if name in typing.scope.types:
        return _no_members(typing, node, typing.scope.types[name])
    hint = meant(name, [*typing.scope.all_names(), *here.locals])
    return typing.wrong("SM303", f"`{name}` is declared nowhere", node, hint)


def _no_members(typing: Typing, node: ast.Name, type_: Type) -> Expression:
    said = f"type `{node.id}` has no set of its values"
    if isinstance(type_, IntType):
        return typing.wrong("SM303", said, node, f"only ranges of up to {_MANY} numbers have one; `range(a, b)` gives longer ones")
    if isinstance(type_, IdType):
        return typing.wrong("SM303", said, node, f"take a parameter of type `set[{node.id}]`, and give it a `scope`")
    return typing.wrong("SM303", said, node, "take a parameter of type `set[…]`")


def read_set(typing: Typing, node: ast.expr, here: Here) -> Expression:
    """Type `{a, b}`."""
    assert isinstance(node, ast.Set)
    items = _read_all(typing, node.elts, here)
    type_ = hull(tuple(item.type for item in items))
    return explain_mixture(typing, node, items) if type_ is None else SetDisplay(items, type=SetType(type_))


def read_list(typing: Typing, node: ast.expr, here: Here) -> Expression:
    """Type `[a, b]`."""
    assert isinstance(node, ast.List)
    items = _read_all(typing, node.elts, here)
    type_ = hull(tuple(item.type for item in items))
    return explain_mixture(typing, node, items) if type_ is None else ListDisplay(items, type=ListType(type_))


def _read_all(typing: Typing, nodes: list[ast.expr], here: Here) -> tuple[Expression, ...]:
    return tuple(typing.read(node, here) for node in nodes)


def read_map(typing: Typing, node: ast.expr, here: Here) -> Expression:
    """Type `{k: v}` and `{}`."""
    assert isinstance(node, ast.Dict)
    if not node.keys:
        return MapDisplay((), type=MapType(NEVER, NEVER))
    if None in node.keys:
        return typing.wrong("SM302", "`**` is no part of the language", node, "`m | n` joins two maps")
    keys = _read_all(typing, [key for key in node.keys if key is not None], here)
    values = _read_all(typing, node.values, here)
    key, value = hull(tuple(one.type for one in keys)), hull(tuple(one.type for one in values))
    if key is None or value is None:
        return explain_mixture(typing, node, keys if key is None else values)
    return MapDisplay(tuple(zip(keys, values, strict=True)), type=MapType(key, value))
