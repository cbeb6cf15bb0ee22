"""Typed expressions in ECMAScript: what SCXML's datamodel has."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import singledispatch

from attrs import define, field

from statemachines.embed.ecmascript_values import literal
from statemachines.model import expressions as e
from statemachines.model.data import Let
from statemachines.model.types import (
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
    base_of,
)


@define
class ScriptWriter:
    """Writes expressions."""

    names: Mapping[tuple[e.Kind, str], str]
    watching: Collection[str] = ()
    """Definitions that look at the state: it is passed on to them."""
    lets: Mapping[str, Let] = field(factory=dict)
    """Named values within an operation: written where they are used."""

    def write(self, node: e.Expression) -> str:
        """Return an expression; all but names, numbers and calls in parentheses."""
        return _written(node, self)

    def several(self, nodes: tuple[e.Expression, ...]) -> str:
        """Return expressions with commas between them."""
        return ", ".join(map(self.write, nodes))

    def walked(self, node: e.Expression) -> str:
        """Return what an expression has, as an array."""
        if isinstance(node, e.View):
            map_ = self.write(node.map)
            return {"keys": f"sm_.keys({map_})", "values": f"sm_.values({map_})", "items": map_}[node.method]
        return f"sm_.keys({self.write(node)})" if isinstance(base_of(node.type), MapType) else self.write(node)


@singledispatch
def _written(node: e.Expression, writer: ScriptWriter) -> str:
    raise NotImplementedError(type(node).__name__)


@_written.register
def _name(node: e.Name, writer: ScriptWriter) -> str:
    if node.kind is e.Kind.LET:
        return writer.write(writer.lets[node.name].value)
    return writer.names[node.kind, node.name.rpartition(".")[2]]


@_written.register
def _local(node: e.Local, writer: ScriptWriter) -> str:
    return f"{node.name}_{node.number}"


@_written.register
def _in_states(node: e.InStates, writer: ScriptWriter) -> str:
    return f"sm_.has({literal(frozenset(node.states))}, {writer.names[e.Kind.STATE, 'state']})"


@_written.register
def _boolean(node: e.Boolean, writer: ScriptWriter) -> str:
    return f"({(' && ' if node.operator == 'and' else ' || ').join(map(writer.write, node.operands))})"


@_written.register
def _implies(node: e.Implies, writer: ScriptWriter) -> str:
    return f"(!{writer.write(node.condition)} || {writer.write(node.consequence)})"


PRIMITIVE = (BoolType, IntType, EnumType, TextType, WordsType)


def _is_primitive(*types: Type) -> bool:
    return all(isinstance(base_of(type_), PRIMITIVE) for type_ in types)


@_written.register
def _compare(node: e.Compare, writer: ScriptWriter) -> str:
    left = writer.write(node.left)
    if node.operator in ("in", "not in"):
        return f"{'' if node.operator == 'in' else '!'}sm_.has({writer.walked(node.right)}, {left})"
    right = writer.write(node.right)
    if node.operator in ("==", "!="):
        if _is_primitive(node.left.type, node.right.type):
            return f"({left} {node.operator}= {right})"
        return f"{'' if node.operator == '==' else '!'}sm_.eq({left}, {right})"
    if not isinstance(base_of(node.left.type), SetType) and not isinstance(base_of(node.right.type), SetType):
        return f"({left} {node.operator} {right})"
    small, large = (left, right) if node.operator in ("<", "<=") else (right, left)
    within = f"sm_.within({small}, {large})"
    return within if node.operator in ("<=", ">=") else f"({within} && !sm_.eq({left}, {right}))"


@_written.register
def _binary(node: e.Binary, writer: ScriptWriter) -> str:
    left, right, type_ = writer.write(node.left), writer.write(node.right), base_of(node.type)
    if isinstance(type_, MapType):
        return f"sm_.map({left}.concat({right}))"
    if isinstance(type_, ListType):
        return f"{left}.concat({right})"
    if node.operator == "^":
        return f"sm_.union(sm_.minus({left}, {right}), sm_.minus({right}, {left}))"
    if isinstance(type_, SetType):
        return f"sm_.{ {'|': 'union', '&': 'both', '-': 'minus'}[node.operator] }({left}, {right})"
    if node.operator in ("//", "%"):
        return f"sm_.{'div' if node.operator == '//' else 'mod'}({left}, {right})"
    return f"({left} {node.operator} {right})"


@_written.register
def _conditional(node: e.Conditional, writer: ScriptWriter) -> str:
    return f"({writer.write(node.test)} ? {writer.write(node.yes)} : {writer.write(node.no)})"


@_written.register
def _set(node: e.SetDisplay, writer: ScriptWriter) -> str:
    items = f"[{writer.several(node.items)}]"
    return f"sm_.set({items})" if len(node.items) > 1 else items


@_written.register
def _map(node: e.MapDisplay, writer: ScriptWriter) -> str:
    pairs = ", ".join(f"[{writer.write(key)}, {writer.write(value)}]" for key, value in node.pairs)
    return f"sm_.map([{pairs}])" if len(node.pairs) > 1 else f"[{pairs}]"


@_written.register
def _comprehension(node: e.Comprehension, writer: ScriptWriter) -> str:
    element = writer.write(node.element)
    if node.kind == "map":
        assert node.value is not None
        return f"sm_.map({_walk(writer, f'[{element}, {writer.write(node.value)}]', node.clauses)})"
    made = _walk(writer, element, node.clauses)
    return f"sm_.set({made})" if node.kind == "set" else made


def _walk(writer: ScriptWriter, element: str, clauses: tuple[e.Clause, ...]) -> str:
    clause, *more = clauses
    names = [writer.write(target) for target in clause.targets]
    inner = _walk(writer, element, tuple(more)) if more else f"[{element}]"
    if clause.conditions:
        inner = f"({' && '.join(map(writer.write, clause.conditions))}) ? {inner} : []"
    taken = "" if len(names) == 1 else f"var {names[0]} = pair_[0], {names[1]} = pair_[1]; "
    walked = writer.walked(clause.iterable)
    return f"sm_.flat({walked}, function ({names[0] if len(names) == 1 else 'pair_'}) {{ {taken}return {inner}; }})"


@_written.register
def _call(node: e.Call, writer: ScriptWriter) -> str:
    if node.function == "range":
        low, high = ("0", writer.write(node.arguments[0])) if len(node.arguments) == 1 else map(writer.write, node.arguments[:2])
        return f"sm_.range({low}, {high})"
    if node.function in ("min", "max"):
        several = f"[{writer.several(node.arguments)}]" if len(node.arguments) > 1 else writer.walked(node.arguments[0])
        otherwise = f", {writer.write(node.otherwise)}" if node.otherwise is not None else ""
        return f"sm_.{'least' if node.function == 'min' else 'most'}({several}{otherwise})"
    if not node.arguments:
        return "[]"
    walked = writer.walked(node.arguments[0])
    match node.function:
        case "len":
            return f"{walked}.length"
        case "any" | "all":
            return f"{walked}.{'some' if node.function == 'any' else 'every'}(function (x) {{ return x; }})"
        case "next":
            return f"sm_.first({walked})"
    return f"sm_.{node.function}({walked})"


@_written.register
def _get(node: e.Get, writer: ScriptWriter) -> str:
    otherwise = "null" if node.otherwise is None else writer.write(node.otherwise)
    return f"sm_.get({writer.write(node.map)}, {writer.write(node.key)}, {otherwise})"


@_written.register
def _item(node: e.Item, writer: ScriptWriter) -> str:
    kind = "get" if isinstance(base_of(node.container.type), MapType) else "at"
    return f"sm_.{kind}({writer.write(node.container)}, {writer.write(node.key)})"


@_written.register
def _slice(node: e.Slice, writer: ScriptWriter) -> str:
    low = "0" if node.low is None else writer.write(node.low)
    return f"{writer.write(node.items)}.slice({low}{'' if node.high is None else f', {writer.write(node.high)}'})"


@_written.register
def _make(node: e.Make, writer: ScriptWriter) -> str:
    type_ = base_of(node.type)
    assert isinstance(type_, RecordType)
    return "{" + ", ".join(f'"{name}": {writer.write(value)}' for (name, _), value in zip(type_.fields, node.values, strict=True)) + "}"


@_written.register
def _replace(node: e.Replace, writer: ScriptWriter) -> str:
    changes = ", ".join(f'"{name}": {writer.write(value)}' for name, value in node.changes)
    return f"sm_.but({writer.write(node.record)}, {{{changes}}})"


@_written.register
def _apply(node: e.Apply, writer: ScriptWriter) -> str:
    passed = [writer.names[e.Kind.STATE, "state"]] if node.definition in writer.watching else []
    return f"{writer.names[e.Kind.OUTSIDE, node.definition]}({', '.join([*passed, *map(writer.write, node.arguments)])})"


@_written.register
def _allows(node: e.Allows, writer: ScriptWriter) -> str:
    return f"sm_.has({literal(frozenset(node.pairs))}, [{writer.write(node.source)}, {writer.write(node.target)}])"


@_written.register
def _literal(node: e.Literal, writer: ScriptWriter) -> str:
    return literal(node.value) if not isinstance(node.value, int) or node.value >= 0 else f"({node.value})"


@_written.register
def _not(node: e.Not, writer: ScriptWriter) -> str:
    return f"!{writer.write(node.operand)}"


@_written.register
def _is_none(node: e.IsNone, writer: ScriptWriter) -> str:
    return f"({writer.write(node.operand)} === null)"


@_written.register
def _negative(node: e.Negative, writer: ScriptWriter) -> str:
    return f"(-{writer.write(node.operand)})"


@_written.register
def _list_display(node: e.ListDisplay, writer: ScriptWriter) -> str:
    return f"[{writer.several(node.items)}]"


@_written.register
def _view(node: e.View, writer: ScriptWriter) -> str:
    return writer.walked(node)


@_written.register
def _field(node: e.Field, writer: ScriptWriter) -> str:
    return f"{writer.write(node.record)}.{node.name}"
