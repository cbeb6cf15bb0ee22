"""Names, literals and displays."""

from __future__ import annotations

import ast

from statemachines.model.diagnosis.suggestions import did_you_mean, nearest_hint
from statemachines.model.language.expression_nodes import (
    DefinitionCall,
    Expression,
    InStates,
    ListDisplay,
    Literal,
    MapDisplay,
    Name,
    NameKind,
    SetDisplay,
)
from statemachines.model.language.value_types import (
    BOOL,
    NEVER,
    NONE,
    EnumType,
    IdType,
    IntType,
    ListType,
    MapType,
    SetType,
    Type,
    WordsType,
)
from statemachines.notation.expressions.expression_typer import ExpressionTyper, TypingContext
from statemachines.notation.expressions.type_mismatches import report_mixed_kinds
from statemachines.notation.typing.type_agreement import joined_types

_LONGEST_NAMED_RANGE = 256
"""Numbers up to which the name of a range is the set of its values."""
_FEW = 8
"""Names that are listed where none is near."""
_YAML_CONSTANTS = {"true": "True", "false": "False", "null": "None", "none": "None"}


def read_constant(typing: ExpressionTyper, node: ast.expr, here: TypingContext) -> Expression:
    """Type `True`, `12`, `'active'`, `None`.

    Args:
        typing: takes what is wrong, and types parts.
        node: the part of the syntax tree.
        here: names and facts that are known there.

    Returns:
        A literal.
    """
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
    return typing.report_error(
        "SM302",
        f"`{typing.source.node_text(node)}` is not a value of the language",
        node,
        "numbers are whole numbers",
    )


def read_name(typing: ExpressionTyper, node: ast.expr, here: TypingContext) -> Expression:
    """Type a name: a generator's variable, a declared name, a predicate, a definition without
    arguments, an enumeration, a range.

    Args:
        typing: takes what is wrong, and types parts.
        node: the part of the syntax tree.
        here: names and facts that are known there.

    Returns:
        The node that the name means; what stands for an error where it is unknown.
    """
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
        return Name(NameKind.STATE, "state", type=scope.state)
    if name in scope.definitions:
        return _read_definition(typing, node)
    members = _member_set(scope.types.get(name))
    return _unknown_name_error(typing, node, here) if members is None else members


def _member_set(type_: Type | None) -> Literal | None:
    """Return the set of all values of an enumeration, or of a range that is not long."""
    match type_:
        case EnumType(members=members):
            return Literal(frozenset(members), type=SetType(type_))
        case IntType(low=int(low), high=int(high)) if high - low < _LONGEST_NAMED_RANGE:
            return Literal(frozenset(range(low, high + 1)), type=SetType(type_))
    return None


def _read_definition(typing: ExpressionTyper, node: ast.Name) -> Expression:
    definition = typing.scope.definitions[node.id]
    if definition.inputs:
        wanted = ", ".join(name.split(".")[-1] for name, _ in definition.inputs)
        return typing.report_error(
            "SM308", f"`{node.id}` needs its arguments", node, f"write `{node.id}({wanted})`"
        )
    return DefinitionCall(node.id, (), type=definition.body.type)


def _unknown_name_error(typing: ExpressionTyper, node: ast.Name, here: TypingContext) -> Expression:
    name = node.id
    if name in _YAML_CONSTANTS:
        return typing.report_error(
            "SM303",
            f"`{name}` is not a name",
            node,
            f"in expressions it is `{_YAML_CONSTANTS[name]}`",
        )
    for type_ in typing.scope.types.values():
        if isinstance(type_, EnumType) and name in type_.members:
            return typing.report_error(
                "SM303",
                f"`{name}` is not a name",
                node,
                f"the member of `{type_}` is quoted: `'{name}'`",
            )
    if typing.scope.state and name in typing.scope.state.members:
        return typing.report_error(
            "SM303", f"`{name}` is not a name", node, f"a state is quoted: `'{name}'`"
        )
    if name in typing.scope.types:
        return _no_value_set_error(typing, node, typing.scope.types[name])
    known = [*typing.scope.all_names(), *here.locals]
    values = [*typing.scope.names, *here.locals]
    hint = nearest_hint(name, known) or (did_you_mean("", values) if len(values) <= _FEW else "")
    message = f"`{name}` is not declared"
    return typing.report_error("SM303", message, node, hint, undeclared=name)


def _no_value_set_error(typing: ExpressionTyper, node: ast.Name, type_: Type) -> Expression:
    message = f"type `{node.id}` has no set of its values"
    if isinstance(type_, IntType):
        return typing.report_error(
            "SM303",
            message,
            node,
            f"only ranges of up to {_LONGEST_NAMED_RANGE} numbers have one; `range(a, b)` gives"
            " longer ones",
        )
    if isinstance(type_, IdType):
        return typing.report_error(
            "SM303",
            message,
            node,
            f"its values are the program's: take a parameter of type `set[{node.id}]`, give it a"
            " `scope`, and let maps have its elements as keys",
            about=type_.name,
        )
    return typing.report_error("SM303", message, node, "take a parameter of type `set[…]`")


def read_set(typing: ExpressionTyper, node: ast.expr, here: TypingContext) -> Expression:
    """Type `{a, b}`.

    Args:
        typing: takes what is wrong, and types parts.
        node: the part of the syntax tree.
        here: names and facts that are known there.

    Returns:
        A node of a set's type, whose elements are of one kind.
    """
    assert isinstance(node, ast.Set)
    items = _read_all(typing, node.elts, here)
    type_ = joined_types(tuple(item.type for item in items))
    return (
        report_mixed_kinds(typing, node, items)
        if type_ is None
        else SetDisplay(items, type=SetType(type_))
    )


def read_list(typing: ExpressionTyper, node: ast.expr, here: TypingContext) -> Expression:
    """Type `[a, b]`.

    Args:
        typing: takes what is wrong, and types parts.
        node: the part of the syntax tree.
        here: names and facts that are known there.

    Returns:
        A node of a list's type, whose elements are of one kind.
    """
    assert isinstance(node, ast.List)
    items = _read_all(typing, node.elts, here)
    type_ = joined_types(tuple(item.type for item in items))
    return (
        report_mixed_kinds(typing, node, items)
        if type_ is None
        else ListDisplay(items, type=ListType(type_))
    )


def _read_all(
    typing: ExpressionTyper, nodes: list[ast.expr], here: TypingContext
) -> tuple[Expression, ...]:
    return tuple(typing.read_narrow(node, here) for node in nodes)


def read_map(typing: ExpressionTyper, node: ast.expr, here: TypingContext) -> Expression:
    """Type `{k: v}` and `{}`.

    Args:
        typing: takes what is wrong, and types parts.
        node: the part of the syntax tree.
        here: names and facts that are known there.

    Returns:
        A node of a map's type, whose keys and values are of one kind each.
    """
    assert isinstance(node, ast.Dict)
    if not node.keys:
        return MapDisplay((), type=MapType(NEVER, NEVER))
    if None in node.keys:
        return typing.report_error(
            "SM302", "`**` is not part of the language", node, "`m | n` joins two maps"
        )
    keys = _read_all(typing, [key for key in node.keys if key is not None], here)
    values = _read_all(typing, node.values, here)
    key, value = (
        joined_types(tuple(expression.type for expression in keys)),
        joined_types(tuple(expression.type for expression in values)),
    )
    if key is None or value is None:
        return report_mixed_kinds(typing, node, keys if key is None else values)
    return MapDisplay(tuple(zip(keys, values, strict=True)), type=MapType(key, value))
