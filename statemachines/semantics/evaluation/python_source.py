"""Typed expressions to Python source: every name is one of ours, every literal is written anew;
nothing of a user's text is run.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import singledispatch

from attrs import define, field

from statemachines.model.language import expression_nodes as e
from statemachines.model.language.frozen_values import FrozenMap, record_class
from statemachines.model.language.value_types import RecordType, base_type

_IDENTIFIER_PREFIXES = {
    e.NameKind.VARIABLE: "v_",
    e.NameKind.PARAMETER: "p_",
    e.NameKind.ARGUMENT: "a_",
    e.NameKind.LET: "l_",
    e.NameKind.STATE: "s_",
    e.NameKind.BEFORE: "b_",
    e.NameKind.INPUT: "i_",
    e.NameKind.OUTSIDE: "o_",
}


class _RangeTooLong(ValueError):
    """An expression walks more numbers than anyone waits for; the message says how many."""


def _bounded_range(*ends: int) -> range:
    """Return the numbers that an expression walks.

    Raises:
        ValueError: there are more than a million.
    """
    numbers = range(*ends)
    if ends[-1] - (ends[0] if len(ends) > 1 else 0) > e.LONGEST_RANGE:
        raise _RangeTooLong(
            f"an expression walks {ends[-1] - (ends[0] if len(ends) > 1 else 0):,} numbers; the"
            f" most is {e.LONGEST_RANGE:,}"
        )
    return numbers


def identifier(kind: e.NameKind, name: str) -> str:
    """Return the Python name of a declared name; two kinds never share one.

    Args:
        kind: of the name.
        name: as the spec declares it.

    Returns:
        A valid Python identifier.

    >>> identifier(e.NameKind.VARIABLE, "count"), identifier(e.NameKind.INPUT, "twice.n")
    ('v_count', 'i_n')
    """
    return _IDENTIFIER_PREFIXES[kind] + name.rsplit(".", 1)[-1]


@define
class PythonWriter:
    """Writes expressions and keeps the constants that they need."""

    captured_names: Mapping[str, tuple[str, ...]] = field(factory=dict)
    """Definition to the identifiers that its body uses beside its inputs: they are passed on."""
    renames: Mapping[str, str] = field(factory=dict)
    """Identifiers that are called otherwise where an expression is written."""
    constants: dict[str, object] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        self.constants.setdefault("FrozenMap", FrozenMap)
        self.constants.setdefault("range", _bounded_range)

    def constant_name(self, prefix: str, value: object) -> str:
        """Keep a value and return the name it is known by.

        Args:
            prefix: what the name begins with; it tells kinds of values apart.
            value: what the name stands for.

        Returns:
            Python for the value: here a name among `constants`.
        """
        for name, constant in self.constants.items():
            if name.startswith(prefix) and constant == value:
                return name
        name = f"{prefix}{len(self.constants)}"
        self.constants[name] = value
        return name

    def expression_source(self, node: e.Expression) -> str:
        """Return an expression as Python source, in parentheses where it needs them.

        Args:
            node: the expression.

        Returns:
            Python, on one line.
        """
        return _expression_source(node, self)

    def renamed_identifier(self, name: str) -> str:
        """Return an identifier as it is called here.

        Args:
            name: as `identifier` gives it.

        Returns:
            The name in the function that is written.
        """
        return self.renames.get(name, name)

    def expression_list(self, nodes: tuple[e.Expression, ...]) -> str:
        """Return expressions with commas, a last one included.

        Args:
            nodes: the expressions, in order.

        Returns:
            Python, to stand in a call or a tuple.
        """
        return "".join(f"{self.expression_source(node)}, " for node in nodes)


@singledispatch
def _expression_source(node: e.Expression, writer: PythonWriter) -> str:
    raise NotImplementedError(type(node).__name__)


@_expression_source.register
def _literal(node: e.Literal, writer: PythonWriter) -> str:
    if isinstance(node.value, frozenset):
        return writer.constant_name("c_", node.value)
    return f"({node.value})" if isinstance(node.value, int) and node.value < 0 else repr(node.value)


@_expression_source.register
def _name(node: e.Name, writer: PythonWriter) -> str:
    return writer.renamed_identifier(identifier(node.kind, node.name))


@_expression_source.register
def _local(node: e.Local, writer: PythonWriter) -> str:
    return f"t{node.id}_{node.name}"


@_expression_source.register
def _in_states(node: e.InStates, writer: PythonWriter) -> str:
    state = writer.renamed_identifier(
        identifier(e.NameKind.BEFORE if node.before else e.NameKind.STATE, "state")
    )
    return f"({state} in {writer.constant_name('c_', frozenset(node.states))})"


@_expression_source.register
def _enabled(node: e.Enabled, writer: PythonWriter) -> str:
    given = ", ".join(
        f"{name!r}: {writer.expression_source(value)}" for name, value in node.arguments
    )
    return f"O[{e.ENABLED!r}]({node.event!r}, {{{given}}})"


@_expression_source.register
def _boolean(node: e.BooleanOperation, writer: PythonWriter) -> str:
    return (
        "("
        + f" {node.operator} ".join(writer.expression_source(operand) for operand in node.operands)
        + ")"
    )


@_expression_source.register
def _not(node: e.Not, writer: PythonWriter) -> str:
    return f"(not {writer.expression_source(node.operand)})"


@_expression_source.register
def _implies(node: e.Implies, writer: PythonWriter) -> str:
    return (
        f"(not {writer.expression_source(node.condition)} or"
        f" {writer.expression_source(node.consequence)})"
    )


@_expression_source.register
def _compare(node: e.Comparison, writer: PythonWriter) -> str:
    right = (
        _iterable_source(writer, node.right)
        if "in" in node.operator
        else writer.expression_source(node.right)
    )
    return f"({writer.expression_source(node.left)} {node.operator} {right})"


@_expression_source.register
def _is_none(node: e.IsNone, writer: PythonWriter) -> str:
    return f"({writer.expression_source(node.operand)} is None)"


@_expression_source.register
def _binary(node: e.BinaryOperation, writer: PythonWriter) -> str:
    return (
        f"({writer.expression_source(node.left)} {node.operator}"
        f" {writer.expression_source(node.right)})"
    )


@_expression_source.register
def _negative(node: e.Negative, writer: PythonWriter) -> str:
    return f"(-{writer.expression_source(node.operand)})"


@_expression_source.register
def _conditional(node: e.Conditional, writer: PythonWriter) -> str:
    return (
        f"({writer.expression_source(node.yes)} if {writer.expression_source(node.test)} else"
        f" {writer.expression_source(node.no)})"
    )


@_expression_source.register
def _set(node: e.SetDisplay, writer: PythonWriter) -> str:
    return (
        f"frozenset(({writer.expression_list(node.items)}))"
        if node.items
        else writer.constant_name("c_", frozenset())
    )


@_expression_source.register
def _list(node: e.ListDisplay, writer: PythonWriter) -> str:
    return f"({writer.expression_list(node.items)})"


@_expression_source.register
def _map(node: e.MapDisplay, writer: PythonWriter) -> str:
    pairs = ", ".join(
        f"{writer.expression_source(key)}: {writer.expression_source(value)}"
        for key, value in node.pairs
    )
    return f"FrozenMap({{{pairs}}})" if pairs else writer.constant_name("m_", FrozenMap())


@_expression_source.register
def _comprehension(node: e.Comprehension, writer: PythonWriter) -> str:
    clauses = "".join(_clause(writer, clause) for clause in node.clauses)
    element = writer.expression_source(node.element)
    match node.kind:
        case "set":
            return f"frozenset([{element}{clauses}])"
        case "list":
            return f"tuple([{element}{clauses}])"
        case "map":
            assert node.value is not None
            return f"FrozenMap({{{element}: {writer.expression_source(node.value)}{clauses}}})"
    return f"({element}{clauses})"


def _clause(writer: PythonWriter, clause: e.Clause) -> str:
    targets = ", ".join(writer.expression_source(target) for target in clause.targets)
    conditions = "".join(
        f" if {writer.expression_source(condition)}" for condition in clause.conditions
    )
    return f" for {targets} in {_iterable_source(writer, clause.iterable)}{conditions}"


def _iterable_source(writer: PythonWriter, node: e.Expression) -> str:
    """Write what is only walked or looked into: no copy is made of it."""
    if isinstance(node, e.Call) and node.function == "range":
        return f"range({writer.expression_list(node.arguments)})"
    if isinstance(node, e.MapView) and node.method == "keys":
        return writer.expression_source(node.map)
    return writer.expression_source(node)


@_expression_source.register
def _call(node: e.Call, writer: PythonWriter) -> str:
    match node.function:
        case "set":
            return f"frozenset({_iterable_source(writer, node.arguments[0])})"
        case "range":
            return f"tuple({_iterable_source(writer, node)})"
        case "next":
            otherwise = "None" if node.default is None else writer.expression_source(node.default)
            return f"next({writer.expression_source(node.arguments[0])}, {otherwise})"
    default = (
        f"default={writer.expression_source(node.default)}" if node.default is not None else ""
    )
    if len(node.arguments) == 1:
        items = _iterable_source(writer, node.arguments[0])
        return f"{node.function}({items}{', ' if default else ''}{default})"
    return f"{node.function}({writer.expression_list(node.arguments)}{default})"


@_expression_source.register
def _view(node: e.MapView, writer: PythonWriter) -> str:
    return (
        f"frozenset({writer.expression_source(node.map)})"
        if node.method == "keys"
        else f"{writer.expression_source(node.map)}.{node.method}()"
    )


@_expression_source.register
def _get(node: e.MapGet, writer: PythonWriter) -> str:
    default = f", {writer.expression_source(node.default)}" if node.default is not None else ""
    return (
        f"{writer.expression_source(node.map)}.get({writer.expression_source(node.key)}{default})"
    )


@_expression_source.register
def _item(node: e.ItemAccess, writer: PythonWriter) -> str:
    return f"{writer.expression_source(node.container)}[{writer.expression_source(node.key)}]"


@_expression_source.register
def _slice(node: e.Slice, writer: PythonWriter) -> str:
    low, high = (
        "" if end is None else writer.expression_source(end) for end in (node.low, node.high)
    )
    return f"{writer.expression_source(node.items)}[{low}:{high}]"


@_expression_source.register
def _make(node: e.RecordDisplay, writer: PythonWriter) -> str:
    type_ = base_type(node.type)
    assert isinstance(type_, RecordType)
    made = writer.constant_name(
        "r_", record_class(type_.name, tuple(name for name, _ in type_.fields))
    )
    return f"{made}({writer.expression_list(node.values)})"


@_expression_source.register
def _field(node: e.FieldAccess, writer: PythonWriter) -> str:
    return f"{writer.expression_source(node.record)}.{node.name}"


@_expression_source.register
def _replace(node: e.RecordUpdate, writer: PythonWriter) -> str:
    changes = ", ".join(f"{name}={writer.expression_source(value)}" for name, value in node.changes)
    return f"{writer.expression_source(node.record)}._replace({changes})"


@_expression_source.register
def _apply(node: e.DefinitionCall, writer: PythonWriter) -> str:
    passed = "".join(
        f"{writer.renamed_identifier(name)}, " for name in writer.captured_names[node.definition]
    )
    return f"d_{node.definition}({writer.expression_list(node.arguments)}{passed})"


@_expression_source.register
def _allows(node: e.AllowsCall, writer: PythonWriter) -> str:
    return (
        f"(({writer.expression_source(node.source)}, {writer.expression_source(node.target)}) in"
        f" {writer.constant_name('c_', node.pairs)})"
    )
