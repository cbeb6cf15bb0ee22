"""Parts of a condition that are decided before all of its names have values: of what is drawn name
by name, most is against the condition early.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from attrs import frozen

from statemachines.model.definitions.snapshots import Value
from statemachines.model.language.expression_nodes import BooleanOperation, Expression, NameKind
from statemachines.semantics.evaluation.behaviour import Behaviour
from statemachines.semantics.evaluation.compiler import Evaluator

Values = Mapping[str, Value]
_LACKS_A_FACT = (LookupError, ArithmeticError, TypeError, ValueError, AttributeError)
"""What a part may raise that is safe only where an earlier part holds, not decided yet."""


@frozen(eq=False)
class EarlyClauses:
    """For each name, in the order in which they get values, the parts that it decides."""

    by_place: tuple[tuple[Evaluator, ...], ...]

    def allows(self, place: int, variables: Values, parameters: Values) -> bool:
        """Tell whether what is known may still fit the condition.

        Args:
            place: of the name that got its value last.
            variables: those that are known.
            parameters: those that are known.

        Returns:
            False where some part does not hold, whatever the others will be.
        """
        return all(_may_hold(clause, variables, parameters) for clause in self.by_place[place])


def early_clauses(
    behaviour: Behaviour, condition: Expression | None, kind: NameKind, names: Sequence[str]
) -> EarlyClauses:
    """Take a condition apart.

    Args:
        behaviour: of the machine.
        condition: what all values together must fit; None: nothing.
        kind: of the names; parameters are known before variables are.
        names: in the order in which they get values.

    Returns:
        The parts by name; one that looks at anything else is left to whoever has all values.
    """
    places: list[list[Evaluator]] = [[] for _ in names]
    for clause in _clauses(condition):
        used = behaviour.compiler.all_used_names([clause])
        mine = {name.name for name in used if name.kind is kind}
        others = {name.kind for name in used} - {kind, NameKind.PARAMETER}
        if mine and not others and mine <= set(names):
            places[max(map(names.index, mine))].append(behaviour.evaluator(clause))
    return EarlyClauses(tuple(map(tuple, places)))


def _clauses(condition: Expression | None) -> Iterator[Expression]:
    """Yield what must all hold."""
    if isinstance(condition, BooleanOperation) and condition.operator == "and":
        for operand in condition.operands:
            yield from _clauses(operand)
    elif condition is not None:
        yield condition


def _may_hold(clause: Evaluator, variables: Values, parameters: Values) -> bool:
    try:
        return bool(clause("", variables, parameters))
    except _LACKS_A_FACT:
        return True
