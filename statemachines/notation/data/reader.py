"""What reads the data part of a spec in one class of releases: the scope so far, and what was found wrong."""

from __future__ import annotations

import ast

import attrs
from attrs import define, field

from statemachines.model.diagnostics import Diagnostic
from statemachines.model.expressions import Expression
from statemachines.model.releases import Family, Releases
from statemachines.model.types import BOOL, Type
from statemachines.notation.data.names import Taken
from statemachines.notation.data.picking import scalar_of, written_of
from statemachines.notation.expressions.facts import Facts
from statemachines.notation.expressions.reader import parse
from statemachines.notation.expressions.reading import read_expression
from statemachines.notation.expressions.scope import Declared, Scope
from statemachines.notation.nodes import Mapping, Node, Scalar, text_of
from statemachines.notation.types import read_type


@define
class Reader:
    """Reads types and expressions in one release."""

    family: Family
    bit: Releases
    """One release of the class."""
    found: list[Diagnostic]
    facts: Facts = field(factory=lambda: Facts(Scope()))
    """The scope so far, and what is known everywhere in it."""
    taken: Taken = field(init=False)

    @taken.default
    def _taken(self) -> Taken:
        return Taken(self.found)

    @property
    def scope(self) -> Scope:
        """The names so far."""
        return self.facts.scope

    def declare(self, declared: Declared) -> None:
        """Add a name to the scope."""
        self.facts = attrs.evolve(self.facts, scope=self.scope.declaring(declared))

    def within(self, scope: Scope) -> None:
        """Go on in another scope."""
        self.facts = attrs.evolve(self.facts, scope=scope)

    def scalar(self, node: Node | None) -> Scalar | None:
        """Return the text of an expression or type in this release."""
        return scalar_of(node, self.family, self.bit)

    def type(self, node: Node | None, facts: Facts | None = None) -> Type | None:
        """Read a type; None where it is missing or wrong."""
        scalar = self.scalar(node)
        if scalar is None:
            return None
        read, found = read_type(written_of(scalar), facts or self.facts)
        self.found.extend(found)
        return read

    def expression(self, node: Node | None, facts: Facts | None = None, declared: Type | None = None) -> Expression | None:
        """Read an expression; None where it is missing or wrong."""
        scalar = self.scalar(node)
        if scalar is None:
            return None
        read, found = read_expression(written_of(scalar), facts or self.facts, declared)
        self.found.extend(found)
        return read

    def condition(self, node: Node | None, facts: Facts | None = None) -> Expression | None:
        """Read what is True or False; None where it is missing or wrong."""
        return self.expression(node, facts, BOOL)


def doc_of(node: Node | None) -> str:
    """Return the documentation that stands on something."""
    return text_of(node.get("doc")) if isinstance(node, Mapping) else ""


def text_key(node: Node | None, key: str) -> str:
    """Return the text of a key; empty where it is missing."""
    return text_of(node.get(key)) if isinstance(node, Mapping) else ""


def names_in(reader: Reader, node: Node | None) -> list[str]:
    """Return the names that an expression's text uses; none where it cannot be read."""
    scalar = reader.scalar(node)
    tree = parse(written_of(scalar)) if scalar is not None else None
    return [part.id for part in ast.walk(tree) if isinstance(part, ast.Name)] if isinstance(tree, ast.expr) else []
