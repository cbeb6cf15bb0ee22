"""Typed expressions to Python source: every name is one of ours, every literal is written anew; nothing of a user's text is run."""

from __future__ import annotations

from collections.abc import Mapping
from functools import singledispatch

from attrs import define, field

from statemachines.model import expressions as e
from statemachines.model.types import RecordType, base_of
from statemachines.model.values import FrozenMap, record_class

PREFIXES = {
    e.Kind.VARIABLE: "v_",
    e.Kind.PARAMETER: "p_",
    e.Kind.ARGUMENT: "a_",
    e.Kind.LET: "l_",
    e.Kind.STATE: "s_",
    e.Kind.BEFORE: "b_",
    e.Kind.INPUT: "i_",
    e.Kind.OUTSIDE: "o_",
}


class TooMany(ValueError):
    """An expression walks more numbers than anyone waits for; the message says how many."""


def walked(*ends: int) -> range:
    """Return the numbers that an expression walks.

    Raises:
        TooMany: there are more than a million.
    """
    numbers = range(*ends)
    if ends[-1] - (ends[0] if len(ends) > 1 else 0) > e.MOST_WALKED:
        raise TooMany(f"an expression walks {ends[-1] - (ends[0] if len(ends) > 1 else 0):,} numbers; the most is {e.MOST_WALKED:,}")
    return numbers


def identifier(kind: e.Kind, name: str) -> str:
    """Return the Python name of a declared name; two kinds never share one.

    >>> identifier(e.Kind.VARIABLE, "count"), identifier(e.Kind.INPUT, "twice.n")
    ('v_count', 'i_n')
    """
    return PREFIXES[kind] + name.rsplit(".", 1)[-1]


@define
class Writer:
    """Writes expressions and keeps the constants that they need."""

    free: Mapping[str, tuple[str, ...]] = field(factory=dict)
    """Definition to the identifiers that its body uses beside its inputs: they are passed on."""
    renamed: Mapping[str, str] = field(factory=dict)
    """Identifiers that are called otherwise where an expression is written."""
    constants: dict[str, object] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        self.constants.setdefault("FrozenMap", FrozenMap)
        self.constants.setdefault("range", walked)

    def constant(self, prefix: str, value: object) -> str:
        """Keep a value and return the name it is known by."""
        for name, kept in self.constants.items():
            if name.startswith(prefix) and kept == value:
                return name
        name = f"{prefix}{len(self.constants)}"
        self.constants[name] = value
        return name

    def write(self, node: e.Expression) -> str:
        """Return an expression as Python source, in parentheses where it needs them."""
        return _written(node, self)

    def name(self, name: str) -> str:
        """Return an identifier as it is called here."""
        return self.renamed.get(name, name)

    def several(self, nodes: tuple[e.Expression, ...]) -> str:
        """Return expressions with commas, a last one included."""
        return "".join(f"{self.write(node)}, " for node in nodes)


@singledispatch
def _written(node: e.Expression, writer: Writer) -> str:
    raise NotImplementedError(type(node).__name__)


@_written.register
def _literal(node: e.Literal, writer: Writer) -> str:
    if isinstance(node.value, frozenset):
        return writer.constant("c_", node.value)
    return f"({node.value})" if isinstance(node.value, int) and node.value < 0 else repr(node.value)


@_written.register
def _name(node: e.Name, writer: Writer) -> str:
    return writer.name(identifier(node.kind, node.name))


@_written.register
def _local(node: e.Local, writer: Writer) -> str:
    return f"t{node.number}_{node.name}"


@_written.register
def _in_states(node: e.InStates, writer: Writer) -> str:
    state = writer.name(identifier(e.Kind.BEFORE if node.before else e.Kind.STATE, "state"))
    return f"({state} in {writer.constant('c_', frozenset(node.states))})"


@_written.register
def _boolean(node: e.Boolean, writer: Writer) -> str:
    return "(" + f" {node.operator} ".join(writer.write(operand) for operand in node.operands) + ")"


@_written.register
def _not(node: e.Not, writer: Writer) -> str:
    return f"(not {writer.write(node.operand)})"


@_written.register
def _implies(node: e.Implies, writer: Writer) -> str:
    return f"(not {writer.write(node.condition)} or {writer.write(node.consequence)})"


@_written.register
def _compare(node: e.Compare, writer: Writer) -> str:
    right = _walked(writer, node.right) if "in" in node.operator else writer.write(node.right)
    return f"({writer.write(node.left)} {node.operator} {right})"


@_written.register
def _is_none(node: e.IsNone, writer: Writer) -> str:
    return f"({writer.write(node.operand)} is None)"


@_written.register
def _binary(node: e.Binary, writer: Writer) -> str:
    return f"({writer.write(node.left)} {node.operator} {writer.write(node.right)})"


@_written.register
def _negative(node: e.Negative, writer: Writer) -> str:
    return f"(-{writer.write(node.operand)})"


@_written.register
def _conditional(node: e.Conditional, writer: Writer) -> str:
    return f"({writer.write(node.yes)} if {writer.write(node.test)} else {writer.write(node.no)})"


@_written.register
def _set(node: e.SetDisplay, writer: Writer) -> str:
    return f"frozenset(({writer.several(node.items)}))" if node.items else writer.constant("c_", frozenset())


@_written.register
def _list(node: e.ListDisplay, writer: Writer) -> str:
    return f"({writer.several(node.items)})"


@_written.register
def _map(node: e.MapDisplay, writer: Writer) -> str:
    pairs = ", ".join(f"{writer.write(key)}: {writer.write(value)}" for key, value in node.pairs)
    return f"FrozenMap({{{pairs}}})" if pairs else writer.constant("m_", FrozenMap())


@_written.register
def _comprehension(node: e.Comprehension, writer: Writer) -> str:
    clauses = "".join(_clause(writer, clause) for clause in node.clauses)
    element = writer.write(node.element)
    match node.kind:
        case "set":
            return f"frozenset([{element}{clauses}])"
        case "list":
            return f"tuple([{element}{clauses}])"
        case "map":
            assert node.value is not None
            return f"FrozenMap({{{element}: {writer.write(node.value)}{clauses}}})"
    return f"({element}{clauses})"


def _clause(writer: Writer, clause: e.Clause) -> str:
    targets = ", ".join(writer.write(target) for target in clause.targets)
    conditions = "".join(f" if {writer.write(condition)}" for condition in clause.conditions)
    return f" for {targets} in {_walked(writer, clause.iterable)}{conditions}"


def _walked(writer: Writer, node: e.Expression) -> str:
    """Write what is only walked or looked into: no copy is made of it."""
    if isinstance(node, e.Call) and node.function == "range":
        return f"range({writer.several(node.arguments)})"
    if isinstance(node, e.View) and node.method == "keys":
        return writer.write(node.map)
    return writer.write(node)


@_written.register
def _call(node: e.Call, writer: Writer) -> str:
    match node.function:
        case "set":
            return f"frozenset({_walked(writer, node.arguments[0])})"
        case "range":
            return f"tuple({_walked(writer, node)})"
        case "next":
            return f"next({writer.write(node.arguments[0])}, None)"
    default = f"default={writer.write(node.otherwise)}" if node.otherwise is not None else ""
    if len(node.arguments) == 1:
        return f"{node.function}({_walked(writer, node.arguments[0])}{', ' if default else ''}{default})"
    return f"{node.function}({writer.several(node.arguments)}{default})"


@_written.register
def _view(node: e.View, writer: Writer) -> str:
    return f"frozenset({writer.write(node.map)})" if node.method == "keys" else f"{writer.write(node.map)}.{node.method}()"


@_written.register
def _get(node: e.Get, writer: Writer) -> str:
    default = f", {writer.write(node.otherwise)}" if node.otherwise is not None else ""
    return f"{writer.write(node.map)}.get({writer.write(node.key)}{default})"


@_written.register
def _item(node: e.Item, writer: Writer) -> str:
    return f"{writer.write(node.container)}[{writer.write(node.key)}]"


@_written.register
def _slice(node: e.Slice, writer: Writer) -> str:
    low, high = ("" if end is None else writer.write(end) for end in (node.low, node.high))
    return f"{writer.write(node.items)}[{low}:{high}]"


@_written.register
def _make(node: e.Make, writer: Writer) -> str:
    type_ = base_of(node.type)
    assert isinstance(type_, RecordType)
    made = writer.constant("r_", record_class(type_.name, tuple(name for name, _ in type_.fields)))
    return f"{made}({writer.several(node.values)})"


@_written.register
def _field(node: e.Field, writer: Writer) -> str:
    return f"{writer.write(node.record)}.{node.name}"


@_written.register
def _replace(node: e.Replace, writer: Writer) -> str:
    changes = ", ".join(f"{name}={writer.write(value)}" for name, value in node.changes)
    return f"{writer.write(node.record)}._replace({changes})"


@_written.register
def _apply(node: e.Apply, writer: Writer) -> str:
    passed = "".join(f"{writer.name(name)}, " for name in writer.free[node.definition])
    return f"d_{node.definition}({writer.several(node.arguments)}{passed})"


@_written.register
def _allows(node: e.Allows, writer: Writer) -> str:
    return f"(({writer.write(node.source)}, {writer.write(node.target)}) in {writer.constant('c_', node.pairs)})"
