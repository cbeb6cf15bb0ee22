"""What the names in an expression stand for."""

from __future__ import annotations

from collections.abc import Mapping

import attrs
from attrs import field, frozen

from statemachines.model.data import Definition
from statemachines.model.expressions import Apply, Expression, Kind, Name
from statemachines.model.places import Span
from statemachines.model.types import EnumType, Type
from statemachines.notation.expressions.terms import inputs_of, renewed, substitute


@frozen
class Declared:
    """A name that has a value."""

    kind: Kind
    name: str
    type: Type
    span: Span | None = field(default=None, eq=False)
    meaning: Expression | None = None
    """What a `let` stands for."""


@frozen
class Neighbour:
    """Another machine's states, as `use:` brings them in."""

    name: str
    states: EnumType
    pairs: frozenset[tuple[str, str]]
    """From and to of every transition."""


@frozen
class Scope:
    """All names that an expression may use."""

    names: Mapping[str, Declared] = field(factory=dict)
    definitions: Mapping[str, Definition] = field(factory=dict)
    types: Mapping[str, Type] = field(factory=dict)
    predicates: Mapping[str, tuple[str, ...]] = field(factory=dict)
    neighbours: Mapping[str, Neighbour] = field(factory=dict)
    before: Mapping[str, Type] = field(factory=dict)
    """What `before.x` may name; empty outside of `each step`."""
    state: EnumType | None = None

    def declaring(self, *declared: Declared) -> Scope:
        """Return the scope with more names."""
        return attrs.evolve(self, names={**self.names, **{one.name: one for one in declared}})

    def all_names(self) -> list[str]:
        """Return every name that may stand in an expression, for "did you mean"."""
        return [*self.names, *self.definitions, *self.types, *self.predicates, *(["state"] if self.state else [])]

    def meaning_of(self, node: Expression) -> Expression | None:
        """Return what a `let` name or a definition's use stands for; None for everything else."""
        if isinstance(node, Name) and node.kind is Kind.LET:
            declared = self.names.get(node.name)
            return renewed(declared.meaning) if declared and declared.meaning else None
        if isinstance(node, Apply):
            definition = self.definitions[node.definition]
            return substitute(renewed(definition.body), inputs_of(node, definition.inputs))
        return None
