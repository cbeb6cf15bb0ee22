"""`for each c in Client`: what is claimed for each value of a type, or for each of a set."""

from __future__ import annotations

import re

import attrs
from attrs import frozen

from statemachines.model.language.expression_nodes import (
    BooleanOperation,
    Expression,
    Implies,
    NameKind,
)
from statemachines.model.language.value_types import BOOL, ElementType, Type
from statemachines.notation.data.data_reader import DataReader
from statemachines.notation.expressions.expression_parser import SourceText
from statemachines.notation.expressions.expression_reader import read_expression
from statemachines.notation.proofs.facts import Facts
from statemachines.notation.typing.name_scope import DeclaredName


@frozen
class EachScope:
    """Where a claim stands: below `for each`, or not."""

    facts: Facts
    each: tuple[tuple[str, Type], ...] = ()
    guard: Expression | None = None
    """Of a value that is one of a set: that it is."""

    def of_one(self, when: Expression) -> Expression:
        """Return a condition that holds of a value that is one of its set only: what begins a
        promise, or is to be met.

        Args:
            when: the condition.

        Returns:
            The condition, and that the value is in the set where one is named.
        """
        if self.guard is None:
            return when
        return BooleanOperation("and", (self.guard, when), type=BOOL)

    def where_it_is_one(self, condition: Expression) -> Expression:
        """Return a condition that holds where the value is none of its set.

        Args:
            condition: the condition.

        Returns:
            The condition, or that the value is not in the set.
        """
        return condition if self.guard is None else Implies(self.guard, condition, type=BOOL)


def read_each(
    reader: DataReader, facts: Facts, written: SourceText, each: re.Match[str]
) -> EachScope | None:
    """Read a name and what it stands for; None where that is wrong.

    Args:
        reader: the scope and the release.
        facts: what is known where it stands.
        written: the text that has them.
        each: where they are in it: the name, and a type or a set.

    Returns:
        The scope with the name in it, and the set if one is named.
    """
    type_, _ = reader.read_type_text(written.part(each.start(2), each.end(2)))
    if type_ is None:
        return None
    bound = DeclaredName(NameKind.ARGUMENT, each[1], type_)
    facts = attrs.evolve(facts, scope=facts.scope.with_names(bound))
    guard = None
    if isinstance(type_, ElementType):
        inside = written.part(each.start(1), len(written.text))
        guard, diagnostics = read_expression(inside, facts, BOOL)
        reader.diagnostics.extend(diagnostics)
    return EachScope(facts, ((each[1], type_),), guard)
