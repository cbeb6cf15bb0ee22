"""What reads the data part of a spec in one class of releases: the scope so far, and what was found
wrong.
"""

from __future__ import annotations

import ast
from functools import lru_cache

import attrs
from attrs import define, field

from statemachines.model.definitions.release_sets import ReleaseFamily, ReleaseSet
from statemachines.model.diagnosis.diagnostics import Diagnostic
from statemachines.model.language.expression_nodes import Expression, NameKind
from statemachines.model.language.value_types import BOOL, ERROR_TYPE, ErrorType, MapType, Type
from statemachines.notation.data.namespaces import Namespace
from statemachines.notation.data.type_reader import read_type, split_default
from statemachines.notation.document.yaml_nodes import YamlMapping, YamlNode, YamlScalar, node_text
from statemachines.notation.expressions.expression_parser import (
    SourceText,
    parse_expression,
    walk_tree,
)
from statemachines.notation.expressions.expression_reader import read_expression, read_with_holes
from statemachines.notation.proofs.facts import Facts
from statemachines.notation.releases.release_selection import scalar_in_release, source_text
from statemachines.notation.typing.name_scope import DeclaredName, NameScope


@define
class DataReader:
    """Reads types and expressions in one release."""

    family: ReleaseFamily
    bit: ReleaseSet
    """One release of the class."""
    diagnostics: list[Diagnostic]
    facts: Facts = field(factory=lambda: Facts(NameScope()))
    """The scope so far, and what is known everywhere in it."""
    namespace: Namespace = field(init=False)

    @namespace.default
    def _new_namespace(self) -> Namespace:
        return Namespace(self.diagnostics)

    @property
    def scope(self) -> NameScope:
        """The names so far."""
        return self.facts.scope

    def declare(self, declared: DeclaredName) -> None:
        """Add a name to the scope.

        Args:
            declared: with its kind and its type.
        """
        self.facts = attrs.evolve(self.facts, scope=self.scope.with_names(declared))

    def set_scope(self, scope: NameScope) -> None:
        """Go on in another scope.

        Args:
            scope: in place of that of now.
        """
        self.facts = attrs.evolve(self.facts, scope=scope)

    def scalar_in_release(self, node: YamlNode | None) -> YamlScalar | None:
        """Return the text of an expression or type in this release.

        Args:
            node: as the spec has it; None where it is missing.

        Returns:
            The text with its place; None where nothing is said in this release.
        """
        return scalar_in_release(node, self.family, self.bit)

    def read_type(self, node: YamlNode | None, facts: Facts | None = None) -> Type | None:
        """Read a type; None where it is missing or wrong.

        Args:
            node: as the spec has it; None where it is missing.
            facts: what is known where it stands.

        Returns:
            The type; what is wrong is reported.
        """
        return self.read_type_and_default(node, facts)[0]

    def read_type_and_default(
        self, node: YamlNode | None, facts: Facts | None = None
    ) -> tuple[Type | None, str | None]:
        """Read a type, and what a key without a value has in a map; None where it is missing.

        Args:
            node: as the spec has it; None where it is missing.
            facts: what is known where it stands.

        Returns:
            The type, and the text of the default (None without one).
        """
        scalar = self.scalar_in_release(node)
        return (None, None) if scalar is None else self.read_type_text(source_text(scalar), facts)

    def read_type_text(
        self, written: SourceText, facts: Facts | None = None
    ) -> tuple[Type | None, str | None]:
        """Read the text of a type, and of the default of a map.

        Args:
            written: the text with its place.
            facts: what is known where it stands.

        Returns:
            The type, and the text of the default (None without one).
        """
        kind, default = split_default(written)
        read, diagnostics = read_type(kind, facts or self.facts)
        self.diagnostics.extend(diagnostics)
        if default is None or not isinstance(read, MapType):
            return read, None
        value, diagnostics = read_expression(default, facts or self.facts, read.value)
        self.diagnostics.extend(diagnostics)
        return read, None if value is None else default.text

    def read_expression(
        self, node: YamlNode | None, facts: Facts | None = None, declared: Type | None = None
    ) -> Expression | None:
        """Read an expression; None where it is missing or wrong.

        Args:
            node: as the spec has it; None where it is missing.
            facts: what is known where it stands.
            declared: the type that its value must have; None: any.

        Returns:
            The typed expression.
        """
        scalar = self.scalar_in_release(node)
        if scalar is None:
            return None
        read, diagnostics = read_expression(source_text(scalar), facts or self.facts, declared)
        self.diagnostics.extend(diagnostics)
        return read

    def read_condition(
        self, node: YamlNode | None, facts: Facts | None = None
    ) -> Expression | None:
        """Read what is True or False; None where it is missing or wrong.

        Args:
            node: as the spec has it; None where it is missing.
            facts: what is known where it stands.

        Returns:
            The typed expression.
        """
        return self.read_expression(node, facts, BOOL)

    def read_assumption(
        self, node: YamlNode | None, facts: Facts
    ) -> tuple[Expression | None, Facts]:
        """Read what is True or False, and what is known where it holds: where a part of it is
        wrong, what its other parts tell.

        Args:
            node: as the spec has it; None where it is missing.
            facts: what is known where it stands.

        Returns:
            The typed expression, None where it is missing or wrong, and the facts behind it.
        """
        scalar = self.scalar_in_release(node)
        if scalar is None:
            return None, facts
        read, diagnostics = read_with_holes(source_text(scalar), facts, BOOL)
        self.diagnostics.extend(diagnostics)
        known = facts if read is None else facts.assuming(read)
        if diagnostics or read is None or isinstance(read.type, ErrorType):
            return None, attrs.evolve(known, unread=True)
        return read, known


def doc_text(node: YamlNode | None) -> str:
    """Return the documentation that stands on something.

    Args:
        node: as the spec has it; None where it is missing.

    Returns:
        One line; empty where there is none.
    """
    return node_text(node.get("doc")) if isinstance(node, YamlMapping) else ""


def text_at_key(node: YamlNode | None, key: str) -> str:
    """Return the text of a key; empty where it is missing.

    Args:
        node: as the spec has it; None where it is missing.
        key: of a mapping.

    Returns:
        The text of its scalar.
    """
    return node_text(node.get(key)) if isinstance(node, YamlMapping) else ""


def used_name_texts(reader: DataReader, node: YamlNode | None) -> list[str]:
    """Return the names that an expression's text uses; none where it cannot be read.

    Args:
        reader: the scope and the release, and where mistakes go.
        node: as the spec has it; None where it is missing.

    Returns:
        Names in the order of the text.
    """
    scalar = reader.scalar_in_release(node)
    return [] if scalar is None else list(_names_in(source_text(scalar)))


@lru_cache(maxsize=4096)
def _names_in(written: SourceText) -> tuple[str, ...]:
    """Return the names in a text; it is asked anew for each class of releases."""
    tree = parse_expression(written)
    if not isinstance(tree, ast.expr):
        return ()
    return tuple([part.id for part in walk_tree(tree) if isinstance(part, ast.Name)])


def declared_value(
    kind: NameKind, name: YamlScalar, type_: Type | None, default: str | None
) -> DeclaredName:
    """Return what a name of a parameter, a variable or an argument stands for.

    Args:
        kind: which of them it is.
        name: as the spec writes it.
        type_: of its values; None where the type is wrong, which was reported.
        default: of a map, the text of what a key without a value has.

    Returns:
        The name with its kind and type.
    """
    known = ERROR_TYPE if type_ is None else type_
    return DeclaredName(kind, name.text, known, name.span, default=default)
