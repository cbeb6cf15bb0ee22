"""Typed expressions in ECMAScript: what SCXML's datamodel has. Values are such that equal ones have equal JSON.

Sets are sorted arrays, maps sorted arrays of pairs, records objects whose fields are in the order of their declaration, None is null.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from typing import Any

from attrs import define, field

from statemachines.model.data import Let
from statemachines.model.expressions import (
    Allows,
    Apply,
    Binary,
    Boolean,
    Call,
    Clause,
    Compare,
    Comprehension,
    Conditional,
    Expression,
    Field,
    Get,
    Implies,
    InStates,
    IsNone,
    Item,
    Kind,
    ListDisplay,
    Literal,
    Local,
    Make,
    MapDisplay,
    Name,
    Negative,
    Not,
    Replace,
    SetDisplay,
    Slice,
    View,
)
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

OPERATIONS = """\
var sm_ = {
  key: function (x) { return JSON.stringify(x); },
  eq: function (a, b) { return JSON.stringify(a) === JSON.stringify(b); },
  sorted: function (xs) { return xs.slice().sort(function (a, b) {
    var k = sm_.key(a), l = sm_.key(b); return k === l ? 0 : k < l ? -1 : 1; }); },
  set: function (xs) { var known = {}; xs.forEach(function (x) { known[sm_.key(x)] = x; });
    return sm_.sorted(Object.keys(known).map(function (k) { return known[k]; })); },
  map: function (ps) { var known = {}; ps.forEach(function (p) { known[sm_.key(p[0])] = p; });
    return sm_.sorted(Object.keys(known).map(function (k) { return known[k]; })); },
  has: function (xs, x) { return xs.some(function (one) { return sm_.eq(one, x); }); },
  within: function (a, b) { return a.every(function (x) { return sm_.has(b, x); }); },
  union: function (a, b) { return sm_.set(a.concat(b)); },
  both: function (a, b) { return a.filter(function (x) { return sm_.has(b, x); }); },
  minus: function (a, b) { return a.filter(function (x) { return !sm_.has(b, x); }); },
  keys: function (m) { return m.map(function (p) { return p[0]; }); },
  values: function (m) { return m.map(function (p) { return p[1]; }); },
  get: function (m, k, d) { var found = m.filter(function (p) { return sm_.eq(p[0], k); }); return found.length ? found[0][1] : d; },
  at: function (xs, i) { return xs[i < 0 ? xs.length + i : i]; },
  flat: function (xs, f) { return Array.prototype.concat.apply([], xs.map(f)); },
  sum: function (xs) { return xs.reduce(function (a, b) { return a + b; }, 0); },
  least: function (xs, d) { return xs.length ? Math.min.apply(null, xs) : d; },
  most: function (xs, d) { return xs.length ? Math.max.apply(null, xs) : d; },
  range: function (a, b) { var xs = []; for (var i = a; i < b; i += 1) { xs.push(i); } return xs; },
  first: function (xs) { return xs.length ? xs[0] : null; },
  but: function (r, c) { var made = {}; Object.keys(r).forEach(function (k) { made[k] = k in c ? c[k] : r[k]; }); return made; },
  div: function (a, b) { return Math.floor(a / b); },
  mod: function (a, b) { return ((a % b) + b) % b; }
};"""
"""What the expressions call; kept in a `<script>` of the document."""


def literal(value: object) -> str:
    """Return a value of the notation in ECMAScript.

    >>> literal(frozenset({"tea", "coffee"})), literal(None), literal(True)
    ('["coffee","tea"]', 'null', 'true')
    """
    return json.dumps(_plain(value), ensure_ascii=False, separators=(",", ":"))


def _plain(value: object) -> Any:
    match value:
        case frozenset():
            return sorted(map(_plain, value), key=_key)
        case dict():
            return sorted(([_plain(key), _plain(one)] for key, one in value.items()), key=_key)
        case tuple():
            names = getattr(value, "_fields", None)
            return list(map(_plain, value)) if names is None else dict(zip(names, map(_plain, value), strict=True))
    return value


def _key(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@define
class ScriptWriter:
    """Writes expressions."""

    names: Mapping[tuple[Kind, str], str]
    watching: Collection[str] = ()
    """Definitions that look at the state: it is passed on to them."""
    lets: Mapping[str, Let] = field(factory=dict)
    """Named values within an operation: written where they are used."""

    def write(self, node: Expression) -> str:
        """Return an expression; all but names, numbers and calls in parentheses."""
        return _WRITERS[type(node)](self, node)

    def several(self, nodes: tuple[Expression, ...]) -> str:
        """Return expressions with commas between them."""
        return ", ".join(map(self.write, nodes))

    def walked(self, node: Expression) -> str:
        """Return what an expression has, as an array."""
        if isinstance(node, View):
            map_ = self.write(node.map)
            return {"keys": f"sm_.keys({map_})", "values": f"sm_.values({map_})", "items": map_}[node.method]
        return f"sm_.keys({self.write(node)})" if isinstance(base_of(node.type), MapType) else self.write(node)


def _name(writer: ScriptWriter, node: Name) -> str:
    if node.kind is Kind.LET:
        return writer.write(writer.lets[node.name].value)
    return writer.names[node.kind, node.name.rpartition(".")[2]]


def _local(writer: ScriptWriter, node: Local) -> str:
    return f"{node.name}_{node.number}"


def _in_states(writer: ScriptWriter, node: InStates) -> str:
    return f"sm_.has({literal(frozenset(node.states))}, {writer.names[Kind.STATE, 'state']})"


def _boolean(writer: ScriptWriter, node: Boolean) -> str:
    return f"({(' && ' if node.operator == 'and' else ' || ').join(map(writer.write, node.operands))})"


def _implies(writer: ScriptWriter, node: Implies) -> str:
    return f"(!{writer.write(node.condition)} || {writer.write(node.consequence)})"


PRIMITIVE = (BoolType, IntType, EnumType, TextType, WordsType)


def _is_primitive(*types: Type) -> bool:
    return all(isinstance(base_of(type_), PRIMITIVE) for type_ in types)


def _compare(writer: ScriptWriter, node: Compare) -> str:
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


def _binary(writer: ScriptWriter, node: Binary) -> str:
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


def _conditional(writer: ScriptWriter, node: Conditional) -> str:
    return f"({writer.write(node.test)} ? {writer.write(node.yes)} : {writer.write(node.no)})"


def _set(writer: ScriptWriter, node: SetDisplay) -> str:
    items = f"[{writer.several(node.items)}]"
    return f"sm_.set({items})" if len(node.items) > 1 else items


def _map(writer: ScriptWriter, node: MapDisplay) -> str:
    pairs = ", ".join(f"[{writer.write(key)}, {writer.write(value)}]" for key, value in node.pairs)
    return f"sm_.map([{pairs}])" if len(node.pairs) > 1 else f"[{pairs}]"


def _comprehension(writer: ScriptWriter, node: Comprehension) -> str:
    element = writer.write(node.element)
    if node.kind == "map":
        assert node.value is not None
        return f"sm_.map({_walk(writer, f'[{element}, {writer.write(node.value)}]', node.clauses)})"
    made = _walk(writer, element, node.clauses)
    return f"sm_.set({made})" if node.kind == "set" else made


def _walk(writer: ScriptWriter, element: str, clauses: tuple[Clause, ...]) -> str:
    clause, *more = clauses
    names = [writer.write(target) for target in clause.targets]
    inner = _walk(writer, element, tuple(more)) if more else f"[{element}]"
    if clause.conditions:
        inner = f"({' && '.join(map(writer.write, clause.conditions))}) ? {inner} : []"
    taken = "" if len(names) == 1 else f"var {names[0]} = pair_[0], {names[1]} = pair_[1]; "
    walked = writer.walked(clause.iterable)
    return f"sm_.flat({walked}, function ({names[0] if len(names) == 1 else 'pair_'}) {{ {taken}return {inner}; }})"


def _call(writer: ScriptWriter, node: Call) -> str:
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


def _get(writer: ScriptWriter, node: Get) -> str:
    otherwise = "null" if node.otherwise is None else writer.write(node.otherwise)
    return f"sm_.get({writer.write(node.map)}, {writer.write(node.key)}, {otherwise})"


def _item(writer: ScriptWriter, node: Item) -> str:
    kind = "get" if isinstance(base_of(node.container.type), MapType) else "at"
    return f"sm_.{kind}({writer.write(node.container)}, {writer.write(node.key)})"


def _slice(writer: ScriptWriter, node: Slice) -> str:
    low = "0" if node.low is None else writer.write(node.low)
    return f"{writer.write(node.items)}.slice({low}{'' if node.high is None else f', {writer.write(node.high)}'})"


def _make(writer: ScriptWriter, node: Make) -> str:
    type_ = base_of(node.type)
    assert isinstance(type_, RecordType)
    return "{" + ", ".join(f'"{name}": {writer.write(value)}' for (name, _), value in zip(type_.fields, node.values, strict=True)) + "}"


def _replace(writer: ScriptWriter, node: Replace) -> str:
    changes = ", ".join(f'"{name}": {writer.write(value)}' for name, value in node.changes)
    return f"sm_.but({writer.write(node.record)}, {{{changes}}})"


def _apply(writer: ScriptWriter, node: Apply) -> str:
    passed = [writer.names[Kind.STATE, "state"]] if node.definition in writer.watching else []
    return f"{writer.names[Kind.OUTSIDE, node.definition]}({', '.join([*passed, *map(writer.write, node.arguments)])})"


def _allows(writer: ScriptWriter, node: Allows) -> str:
    return f"sm_.has({literal(frozenset(node.pairs))}, [{writer.write(node.source)}, {writer.write(node.target)}])"


_WRITERS: dict[type[Expression], Callable[[ScriptWriter, Any], str]] = {
    Literal: lambda _, node: literal(node.value) if not isinstance(node.value, int) or node.value >= 0 else f"({node.value})",
    Name: _name,
    Local: _local,
    InStates: _in_states,
    Boolean: _boolean,
    Not: lambda writer, node: f"!{writer.write(node.operand)}",
    Implies: _implies,
    Compare: _compare,
    IsNone: lambda writer, node: f"({writer.write(node.operand)} === null)",
    Binary: _binary,
    Negative: lambda writer, node: f"(-{writer.write(node.operand)})",
    Conditional: _conditional,
    SetDisplay: _set,
    ListDisplay: lambda writer, node: f"[{writer.several(node.items)}]",
    MapDisplay: _map,
    Comprehension: _comprehension,
    Call: _call,
    View: lambda writer, node: writer.walked(node),
    Get: _get,
    Item: _item,
    Slice: _slice,
    Make: _make,
    Field: lambda writer, node: f"{writer.write(node.record)}.{node.name}",
    Replace: _replace,
    Apply: _apply,
    Allows: _allows,
}
