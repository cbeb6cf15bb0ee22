"""Typed expressions in ECMAScript: what SCXML's datamodel has."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import singledispatch

from attrs import define, field

from statemachines.interop.ecmascript.ecmascript_values import literal
from statemachines.interop.export_limits import CannotExport
from statemachines.model.definitions.data_definitions import Let
from statemachines.model.language import expression_nodes as e
from statemachines.model.language.value_types import (
    BoolType,
    EnumType,
    IntType,
    ListType,
    MapType,
    RecordType,
    SetType,
    TextType,
    Type,
    WordsType,
    base_type,
)
from statemachines.semantics.messages.expression_text import format_expression


@define
class EcmascriptWriter:
    """Writes expressions."""

    names: Mapping[tuple[e.NameKind, str], str]
    state_readers: Collection[str] = ()
    """Definitions that look at the state: it is passed on to them."""
    lets: Mapping[str, Let] = field(factory=dict)
    """Named values within an operation: written where they are used."""

    def write(self, node: e.Expression) -> str:
        """Return an expression; all but names, numbers and calls in parentheses.

        Args:
            node: the expression.

        Returns:
            An expression of ECMAScript.
        """
        return _expression_text(node, self)

    def write_all(self, nodes: tuple[e.Expression, ...]) -> str:
        """Return expressions with commas between them.

        Args:
            nodes: the expressions, in order.

        Returns:
            Expressions of ECMAScript.
        """
        return ", ".join(map(self.write, nodes))

    def iterable(self, node: e.Expression) -> str:
        """Return what an expression has, as an array.

        Args:
            node: the expression.

        Returns:
            An expression of ECMAScript that gives an array.
        """
        if isinstance(node, e.MapView):
            map_ = self.write(node.map)
            return {"keys": f"sm_.keys({map_})", "values": f"sm_.values({map_})", "items": map_}[
                node.method
            ]
        return (
            f"sm_.keys({self.write(node)})"
            if isinstance(base_type(node.type), MapType)
            else self.write(node)
        )


@singledispatch
def _expression_text(node: e.Expression, writer: EcmascriptWriter) -> str:
    raise NotImplementedError(type(node).__name__)


@_expression_text.register
def _name(node: e.Name, writer: EcmascriptWriter) -> str:
    if node.kind is e.NameKind.LET:
        return writer.write(writer.lets[node.name].value)
    return writer.names[node.kind, node.name.rpartition(".")[2]]


@_expression_text.register
def _local(node: e.Local, writer: EcmascriptWriter) -> str:
    return f"{node.name}_{node.id}"


@_expression_text.register
def _in_states(node: e.InStates, writer: EcmascriptWriter) -> str:
    return f"sm_.has({literal(frozenset(node.states))}, {writer.names[e.NameKind.STATE, 'state']})"


@_expression_text.register
def _enabled(node: e.Enabled, _: EcmascriptWriter) -> str:
    raise CannotExport(f"`{format_expression(node)}`: only properties ask what is enabled")


@_expression_text.register
def _boolean(node: e.BooleanOperation, writer: EcmascriptWriter) -> str:
    written = {"and": " && ", "or": " || "}[node.operator]
    return f"({written.join(map(writer.write, node.operands))})"


@_expression_text.register
def _implies(node: e.Implies, writer: EcmascriptWriter) -> str:
    return f"(!{writer.write(node.condition)} || {writer.write(node.consequence)})"


_PRIMITIVES = (BoolType, IntType, EnumType, TextType, WordsType)


def _is_primitive(*types: Type) -> bool:
    return all(isinstance(base_type(type_), _PRIMITIVES) for type_ in types)


@_expression_text.register
def _compare(node: e.Comparison, writer: EcmascriptWriter) -> str:
    left = writer.write(node.left)
    if node.operator in ("in", "not in"):
        return (
            f"{'' if node.operator == 'in' else '!'}sm_.has({writer.iterable(node.right)}, {left})"
        )
    right = writer.write(node.right)
    if node.operator in ("==", "!="):
        if _is_primitive(node.left.type, node.right.type):
            return f"({left} {node.operator}= {right})"
        return f"{'' if node.operator == '==' else '!'}sm_.eq({left}, {right})"
    if not isinstance(base_type(node.left.type), SetType) and not isinstance(
        base_type(node.right.type), SetType
    ):
        return f"({left} {node.operator} {right})"
    small, large = (left, right) if node.operator in ("<", "<=") else (right, left)
    within = f"sm_.within({small}, {large})"
    return within if node.operator in ("<=", ">=") else f"({within} && !sm_.eq({left}, {right}))"


_NUMBER_OPERATORS = {"+": "+", "-": "-", "*": "*", "//": "sm_.div", "%": "sm_.mod"}


@_expression_text.register
def _binary(node: e.BinaryOperation, writer: EcmascriptWriter) -> str:
    left, right, type_ = writer.write(node.left), writer.write(node.right), base_type(node.type)
    if isinstance(type_, MapType):
        return f"sm_.map({left}.concat({right}))"
    if isinstance(type_, ListType):
        return f"{left}.concat({right})"
    if node.operator == "^":
        return f"sm_.union(sm_.minus({left}, {right}), sm_.minus({right}, {left}))"
    if isinstance(type_, SetType):
        return f"sm_.{ {'|': 'union', '&': 'both', '-': 'minus'}[node.operator] }({left}, {right})"
    written = _NUMBER_OPERATORS[node.operator]
    return f"({left} {written} {right})" if written in "+-*" else f"{written}({left}, {right})"


@_expression_text.register
def _conditional(node: e.Conditional, writer: EcmascriptWriter) -> str:
    return f"({writer.write(node.test)} ? {writer.write(node.yes)} : {writer.write(node.no)})"


@_expression_text.register
def _set_display(node: e.SetDisplay, writer: EcmascriptWriter) -> str:
    items = f"[{writer.write_all(node.items)}]"
    return f"sm_.set({items})" if len(node.items) > 1 else items


@_expression_text.register
def _map_display(node: e.MapDisplay, writer: EcmascriptWriter) -> str:
    pairs = ", ".join(f"[{writer.write(key)}, {writer.write(value)}]" for key, value in node.pairs)
    return f"sm_.map([{pairs}])" if len(node.pairs) > 1 else f"[{pairs}]"


@_expression_text.register
def _comprehension(node: e.Comprehension, writer: EcmascriptWriter) -> str:
    element = writer.write(node.element)
    if node.kind == "map":
        assert node.value is not None
        pair = f"[{element}, {writer.write(node.value)}]"
        return f"sm_.map({_nested_loops(writer, pair, node.clauses)})"
    made = _nested_loops(writer, element, node.clauses)
    return f"sm_.set({made})" if node.kind == "set" else made


def _nested_loops(writer: EcmascriptWriter, element: str, clauses: tuple[e.Clause, ...]) -> str:
    clause, *more = clauses
    names = [writer.write(target) for target in clause.targets]
    inner = _nested_loops(writer, element, tuple(more)) if more else f"[{element}]"
    if clause.conditions:
        inner = f"({' && '.join(map(writer.write, clause.conditions))}) ? {inner} : []"
    taken = "" if len(names) == 1 else f"var {names[0]} = pair_[0], {names[1]} = pair_[1]; "
    walked = writer.iterable(clause.iterable)
    return (
        f"sm_.flat({walked}, function ({names[0] if len(names) == 1 else 'pair_'}) {{ {taken}return"
        f" {inner}; }})"
    )


@_expression_text.register
def _call(node: e.Call, writer: EcmascriptWriter) -> str:
    if node.function == "range":
        low, high = (
            ("0", writer.write(node.arguments[0]))
            if len(node.arguments) == 1
            else map(writer.write, node.arguments[:2])
        )
        return f"sm_.range({low}, {high})"
    if node.function in ("min", "max"):
        several = (
            f"[{writer.write_all(node.arguments)}]"
            if len(node.arguments) > 1
            else writer.iterable(node.arguments[0])
        )
        otherwise = f", {writer.write(node.default)}" if node.default is not None else ""
        return f"sm_.{'least' if node.function == 'min' else 'most'}({several}{otherwise})"
    if not node.arguments:
        return "[]"
    walked = writer.iterable(node.arguments[0])
    match node.function:
        case "len":
            return f"{walked}.length"
        case "any" | "all":
            return (
                f"{walked}.{'some' if node.function == 'any' else 'every'}(function (x) {{ return"
                " x; })"
            )
        case "next":
            otherwise = "null" if node.default is None else writer.write(node.default)
            return f"sm_.first({walked}, {otherwise})"
    return f"sm_.{node.function}({walked})"


@_expression_text.register
def _get(node: e.MapGet, writer: EcmascriptWriter) -> str:
    otherwise = "null" if node.default is None else writer.write(node.default)
    return f"sm_.get({writer.write(node.map)}, {writer.write(node.key)}, {otherwise})"


@_expression_text.register
def _item(node: e.ItemAccess, writer: EcmascriptWriter) -> str:
    kind = "get" if isinstance(base_type(node.container.type), MapType) else "at"
    return f"sm_.{kind}({writer.write(node.container)}, {writer.write(node.key)})"


@_expression_text.register
def _slice(node: e.Slice, writer: EcmascriptWriter) -> str:
    low = "0" if node.low is None else writer.write(node.low)
    high = "" if node.high is None else f", {writer.write(node.high)}"
    return f"{writer.write(node.items)}.slice({low}{high})"


@_expression_text.register
def _make(node: e.RecordDisplay, writer: EcmascriptWriter) -> str:
    type_ = base_type(node.type)
    assert isinstance(type_, RecordType)
    return (
        "{"
        + ", ".join(
            f'"{name}": {writer.write(value)}'
            for (name, _), value in zip(type_.fields, node.values, strict=True)
        )
        + "}"
    )


@_expression_text.register
def _replace(node: e.RecordUpdate, writer: EcmascriptWriter) -> str:
    changes = ", ".join(f'"{name}": {writer.write(value)}' for name, value in node.changes)
    return f"sm_.but({writer.write(node.record)}, {{{changes}}})"


@_expression_text.register
def _apply(node: e.DefinitionCall, writer: EcmascriptWriter) -> str:
    passed = (
        [writer.names[e.NameKind.STATE, "state"]] if node.definition in writer.state_readers else []
    )
    arguments = ", ".join([*passed, *map(writer.write, node.arguments)])
    return f"{writer.names[e.NameKind.OUTSIDE, node.definition]}({arguments})"


@_expression_text.register
def _allows(node: e.AllowsCall, writer: EcmascriptWriter) -> str:
    return (
        f"sm_.has({literal(frozenset(node.pairs))}, [{writer.write(node.source)},"
        f" {writer.write(node.target)}])"
    )


@_expression_text.register
def _literal(node: e.Literal, writer: EcmascriptWriter) -> str:
    return (
        literal(node.value)
        if not isinstance(node.value, int) or node.value >= 0
        else f"({node.value})"
    )


@_expression_text.register
def _not(node: e.Not, writer: EcmascriptWriter) -> str:
    return f"!{writer.write(node.operand)}"


@_expression_text.register
def _is_none(node: e.IsNone, writer: EcmascriptWriter) -> str:
    return f"({writer.write(node.operand)} === null)"


@_expression_text.register
def _negative(node: e.Negative, writer: EcmascriptWriter) -> str:
    return f"(-{writer.write(node.operand)})"


@_expression_text.register
def _list_display(node: e.ListDisplay, writer: EcmascriptWriter) -> str:
    return f"[{writer.write_all(node.items)}]"


@_expression_text.register
def _view(node: e.MapView, writer: EcmascriptWriter) -> str:
    return writer.iterable(node)


@_expression_text.register
def _field(node: e.FieldAccess, writer: EcmascriptWriter) -> str:
    return f"{writer.write(node.record)}.{node.name}"
