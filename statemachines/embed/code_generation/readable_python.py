"""Typed expressions as readable Python over `self`: what generated classes are made of."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Mapping

from attrs import define, field

from statemachines.model.language.expression_nodes import (
    Comprehension,
    DefinitionCall,
    Expression,
    InStates,
    IsNone,
    Literal,
    Local,
    MapDisplay,
    NameKind,
    Not,
    RecordUpdate,
)
from statemachines.model.language.value_types import (
    BoolType,
    ElementType,
    EnumType,
    IdType,
    IntType,
    ListType,
    MapType,
    OptionalType,
    RecordType,
    SetType,
    TextType,
    Type,
    WordsType,
)
from statemachines.semantics.evaluation.python_source import PythonWriter, identifier
from statemachines.semantics.evaluation.type_checks import type_check_source

_PLAIN = re.compile(r"'([^'\"\\]*)'")


@define
class ReadablePythonWriter(PythonWriter):
    """Writes expressions for the methods of one class."""

    attributes: Mapping[str, str] = field(factory=dict)
    """Identifier of a variable, parameter or the state to how a method reads it."""
    classes: Mapping[str, str] = field(factory=dict)
    """Type of the spec to its name in the module."""
    members: Mapping[str, str] = field(factory=dict)
    """State to its constant."""
    set_constants: dict[str, str] = field(factory=dict)
    """Set of values, as written, to the constant that it is."""

    def text(self, node: Expression) -> str:
        """Return an expression without needless parentheses, in double quotes.

        Args:
            node: the expression.

        Returns:
            Python, on one line.
        """
        return _tidy_expression(self.expression_source(node))

    def check(self, type_: Type, value: str) -> str:
        """Return the condition that a value of the right Python class is of a type; empty where
        nothing needs to be looked at.

        Args:
            type_: of the values.
            value: Python that gives the value.

        Returns:
            Python, on one line; or the empty text.
        """
        type_check = type_check_source(self, type_, value)
        members = f"{value} in {type_.members!r}" if isinstance(type_, EnumType) else ""
        if not type_check and not members:
            return ""
        numbers, counted = dict[str, str](), itertools.count(1)
        for name in re.findall(r" for (e\d+) in ", type_check):
            numbers.setdefault(name, f"each{next(counted)}")
        return _tidy_expression(
            re.sub(r"\be\d+\b", lambda match: numbers.get(match[0], match[0]), type_check)
            or members
        )

    def expression_source(self, node: Expression) -> str:
        match node:
            case Local():
                return node.name
            case InStates():
                names = "".join(f"{self.members[state]}, " for state in node.states)
                return (
                    f"({self.renamed_identifier(identifier(NameKind.STATE, 'state'))} in ({names}))"
                )
            case DefinitionCall():
                return f"self._{node.definition}({self.expression_list(node.arguments)})"
            case MapDisplay():
                return (
                    "{"
                    + ", ".join(
                        f"{self.expression_source(key)}: {self.expression_source(value)}"
                        for key, value in node.pairs
                    )
                    + "}"
                )
            case Comprehension(kind="map"):
                return (
                    PythonWriter.expression_source(self, node)
                    .removeprefix("FrozenMap(")
                    .removesuffix(")")
                )
            case Not(operand=IsNone(operand=inside)):
                return f"({self.expression_source(inside)} is not None)"
            case RecordUpdate():
                changes = ", ".join(
                    f"{name}={self.expression_source(value)}" for name, value in node.changes
                )
                return f"replace({self.expression_source(node.record)}, {changes})"
            case Literal(value=frozenset()) if isinstance(node.value, frozenset):
                return self.constant_name("c_", node.value)
        return PythonWriter.expression_source(self, node)

    def renamed_identifier(self, name: str) -> str:
        known = self.renames.get(name) or self.attributes.get(name)
        return known if known is not None else name[2:]

    def constant_name(self, prefix: str, value: object) -> str:
        if prefix == "r_":
            return self.classes[getattr(value, "__name__", "")]
        if isinstance(value, frozenset) and value:
            written = _tidy_expression(f"frozenset({{{', '.join(sorted(map(repr, value)))}}})")
            return self.set_constants.setdefault(written, f"_SET_{len(self.set_constants) + 1}")
        return "{}" if prefix == "m_" else "frozenset()"

    def type(self, type_: Type) -> str:
        """Return the annotation of a type's values.

        Args:
            type_: of the values.

        Returns:
            Python, such as `frozenset[str]`.
        """
        match type_:
            case ElementType():
                return self.type(type_.base)
            case BoolType() | IntType() | TextType() | WordsType():
                return {BoolType: "bool", IntType: "int"}.get(type(type_), "str")
            case EnumType() | IdType() | RecordType():
                return self.classes[type_.name]
            case SetType():
                return f"frozenset[{self.type(type_.item)}]"
            case ListType():
                return f"tuple[{self.type(type_.item)}, ...]"
            case MapType():
                return f"dict[{self.type(type_.key)}, {self.type(type_.value)}]"
            case OptionalType():
                inner = self.type(type_.item)
                return "None" if inner == "object" else f"{inner} | None"
        return "object"


def _tidy_expression(source: str) -> str:
    """Return an expression without needless parentheses, in double quotes.

    >>> _tidy_expression("((a + 1) in ('x', ))")
    'a + 1 in ("x",)'
    >>> _tidy_expression("sum((n for n in s)) == next((n for n in s), None)")
    'sum(n for n in s) == next((n for n in s), None)'
    """
    return _PLAIN.sub(r'"\1"', _lone_generators(ast.unparse(ast.parse(source, mode="eval"))))


def _lone_generators(source: str) -> str:
    """Take the second parentheses off a generator that is a call's only argument."""
    for match in re.finditer(r"\w\(\(", source):
        opened = match.end() - 1
        for closed in (
            index
            for index, sign in enumerate(source)
            if index > opened and source[index : index + 2] == "))"
        ):
            bare = f"{source[:opened]}{source[opened + 1 : closed]}{source[closed + 1 :]}"
            if _is_same_expression(bare, source):
                return _lone_generators(bare)
    return source


def _is_same_expression(one: str, other: str) -> bool:
    try:
        return ast.dump(ast.parse(one, mode="eval")) == ast.dump(ast.parse(other, mode="eval"))
    except SyntaxError:
        return False


def negated_condition(source: str) -> str:
    """Return the opposite of a condition.

    Args:
        source: Python.

    Returns:
        Python, on one line.

    >>> negated_condition("a in b"), negated_condition("1 <= n <= 3")
    ('a not in b', 'not 1 <= n <= 3')
    """
    node = ast.parse(source, mode="eval").body
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return _tidy_expression(ast.unparse(node.operand))
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        opposites: dict[type[ast.cmpop], ast.cmpop] = {
            ast.In: ast.NotIn(),
            ast.NotIn: ast.In(),
            ast.Eq: ast.NotEq(),
            ast.NotEq: ast.Eq(),
        }
        if type(node.ops[0]) in opposites:
            return _tidy_expression(
                ast.unparse(
                    ast.Compare(node.left, [opposites[type(node.ops[0])]], node.comparators)
                )
            )
    return _tidy_expression(f"not ({source})")


def has_unhashable_maps(type_: Type, *, hashed: bool = False) -> bool:
    """Tell whether a type has maps as elements of sets or keys of maps: Python's dicts have no
    hash.

    Args:
        type_: of the values.
        hashed: whether the values are themselves elements of a set or keys of a map.

    Returns:
        Whether a plain dict would have to be hashed.
    """
    match type_:
        case MapType():
            inside = has_unhashable_maps(type_.key, hashed=True) or has_unhashable_maps(
                type_.value, hashed=hashed
            )
            return hashed or inside
        case SetType():
            return has_unhashable_maps(type_.item, hashed=True)
        case ListType() | OptionalType():
            return has_unhashable_maps(type_.item, hashed=hashed)
        case ElementType():
            return has_unhashable_maps(type_.base, hashed=hashed)
        case RecordType():
            return any(has_unhashable_maps(field_, hashed=hashed) for _, field_ in type_.fields)
    return False
