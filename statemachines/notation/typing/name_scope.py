"""What the names in an expression stand for."""

from __future__ import annotations

from collections.abc import Mapping

import attrs
from attrs import field, frozen

from statemachines.model.definitions.data_definitions import Definition
from statemachines.model.diagnosis.diagnostics import Span
from statemachines.model.language.expression_nodes import (
    DefinitionCall,
    Expression,
    Local,
    Name,
    NameKind,
)
from statemachines.model.language.value_types import EnumType, Type
from statemachines.notation.typing.substitution import (
    input_substitution,
    locals_of,
    substitute,
    with_fresh_locals,
)


@frozen
class DeclaredName:
    """A name that has a value."""

    kind: NameKind
    name: str
    type: Type
    span: Span | None = field(default=None, eq=False)
    meaning: Expression | None = None
    """What a `let` stands for."""
    default: str | None = field(default=None, eq=False)
    """Of a map: the text of what a key without a value has."""


@frozen
class UsedMachine:
    """Another machine's states, as `use:` brings them in."""

    name: str
    states: EnumType
    allowed_moves: frozenset[tuple[str, str]]
    """From and to of every transition."""


@frozen
class NameScope:
    """All names that an expression may use."""

    names: Mapping[str, DeclaredName] = field(factory=dict)
    definitions: Mapping[str, Definition] = field(factory=dict)
    types: Mapping[str, Type] = field(factory=dict)
    predicates: Mapping[str, tuple[str, ...]] = field(factory=dict)
    used_machines: Mapping[str, UsedMachine] = field(factory=dict)
    before: Mapping[str, Type] = field(factory=dict)
    """What `before.x` may name; empty outside of `each step`."""
    state: EnumType | None = None
    events: Mapping[str, tuple[tuple[str, Type], ...]] = field(factory=dict)
    """What `enabled` may name, with the types of the arguments; empty outside of properties."""
    _locals: dict[int, tuple[Expression, frozenset[Local]]] = field(
        factory=dict, eq=False, repr=False
    )
    """The identity of what a name stands for to itself and its variables, which are asked for in
    each proof; scopes with more names share it.
    """

    def with_names(self, *declared: DeclaredName) -> NameScope:
        """Return the scope with more names.

        Args:
            *declared: names with their kinds and types.

        Returns:
            A larger scope.
        """
        return attrs.evolve(self, names={**self.names, **{name.name: name for name in declared}})

    def all_names(self) -> list[str]:
        """Return every name that may stand in an expression, for "did you mean"."""
        return [
            *self.names,
            *self.definitions,
            *self.types,
            *self.predicates,
            *(["state"] if self.state else []),
        ]

    def meaning_of(self, node: Expression) -> Expression | None:
        """Return what a `let` name or a definition's use stands for; None for everything else.

        Args:
            node: a typed expression.

        Returns:
            The expression that it stands for.
        """
        if isinstance(node, Name) and node.kind is NameKind.LET:
            declared = self.names.get(node.name)
            return (
                self._with_fresh_locals(declared.meaning) if declared and declared.meaning else None
            )
        if isinstance(node, DefinitionCall):
            definition = self.definitions[node.definition]
            body = self._with_fresh_locals(definition.body)
            inputs = definition.inputs
            return substitute(body, input_substitution(node, inputs)) if inputs else body
        return None

    def _with_fresh_locals(self, meaning: Expression) -> Expression:
        if id(meaning) not in self._locals:
            self._locals[id(meaning)] = meaning, locals_of(meaning)
        return with_fresh_locals(*self._locals[id(meaning)])
