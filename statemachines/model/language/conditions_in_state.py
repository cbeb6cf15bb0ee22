"""Conditions where the state is known: what of a `when` or a guard the state alone decides."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from attrs import evolve, field, frozen

from statemachines.model.language.expression_nodes import (
    FALSE,
    TRUE,
    BooleanOperation,
    Comparison,
    Conditional,
    DefinitionCall,
    Expression,
    Implies,
    InStates,
    ListDisplay,
    Literal,
    Name,
    NameKind,
    Not,
    SetDisplay,
)

NamedValues = Mapping[str, Expression]
"""Expressions by the names that stand for them: bodies of definitions, values of `let`."""


@frozen
class StateConditions:
    """What conditions come to in one state.

    A clause that the state decides goes; where it decides the whole, nothing else is asked, also no
    clause before it that could fail.
    """

    state: str
    definitions: NamedValues = field(factory=dict)
    lets: NamedValues = field(factory=dict)

    def reduce(self, condition: Expression) -> Expression:
        """Return what is left of a condition in the state: `TRUE` and `FALSE` where the state
        decides it.

        Args:
            condition: of type Bool, over the state before the step.

        Returns:
            A condition that is true in this state just where the given one is.
        """
        match condition:
            case BooleanOperation():
                return self._reduce_operation(condition)
            case Not():
                inner = self.reduce(condition.operand)
                return _opposite(inner) or evolve(condition, operand=inner)
            case Implies():
                return self._reduce_implication(condition)
            case Conditional():
                test = self.reduce(condition.test)
                if test in (TRUE, FALSE):
                    return self.reduce(condition.yes if test == TRUE else condition.no)
                return evolve(
                    condition,
                    test=test,
                    yes=self.reduce(condition.yes),
                    no=self.reduce(condition.no),
                )
            case _:
                decided = self._decide(condition)
                return condition if decided is None else (TRUE if decided else FALSE)

    def _reduce_operation(self, condition: BooleanOperation) -> Expression:
        ends, neutral = (FALSE, TRUE) if condition.operator == "and" else (TRUE, FALSE)
        operands = [self.reduce(operand) for operand in condition.operands]
        literals = [operand for operand in operands if isinstance(operand, Literal)]
        if ends in literals:
            return ends
        left = tuple(
            [each for each in operands if not isinstance(each, Literal) or each != neutral]
        )
        if len(left) < 2:
            return left[0] if left else neutral
        return condition if left == condition.operands else evolve(condition, operands=left)

    def _reduce_implication(self, condition: Implies) -> Expression:
        premise, then = self.reduce(condition.condition), self.reduce(condition.consequence)
        if premise == FALSE or then == TRUE:
            return TRUE
        if premise == TRUE:
            return then
        return evolve(condition, condition=premise, consequence=then)

    def _decide(self, node: Expression) -> bool | None:
        """Tell whether a clause holds; None: the state does not decide it."""
        match node:
            case InStates(before=False):
                return self.state in node.states
            case Comparison():
                return self._decide_comparison(node)
            case DefinitionCall():
                return self._decide_named(self.definitions, node.definition)
            case Name(kind=NameKind.LET):
                return self._decide_named(self.lets, node.name)
        return None

    def _decide_named(self, values: NamedValues, name: str) -> bool | None:
        value = values.get(name)
        reduced = None if value is None else self.reduce(value)
        return reduced == TRUE if reduced in (TRUE, FALSE) else None

    def _decide_comparison(self, node: Comparison) -> bool | None:
        compare = _COMPARISONS.get(node.operator)
        left, right = node.left, node.right
        if node.operator in ("==", "!=") and _is_state(right):
            left, right = right, left
        members = _members(right)
        if compare is None or members is None or not _is_state(left):
            return None
        return compare(self.state, members)


_COMPARISONS: dict[str, Callable[[str, Sequence[object]], bool]] = {
    "==": lambda state, members: state in members,
    "!=": lambda state, members: state not in members,
    "in": lambda state, members: state in members,
    "not in": lambda state, members: state not in members,
}


def _opposite(node: Expression) -> Expression | None:
    """Return the other of two truths; None for what is not decided."""
    return {TRUE: FALSE, FALSE: TRUE}.get(node) if isinstance(node, Literal) else None


def _is_state(node: Expression) -> bool:
    return isinstance(node, Name) and node.kind is NameKind.STATE and node.name == "state"


def _members(node: Expression) -> tuple[object, ...] | None:
    """Return the states that an operand writes out, one or several; None for anything else."""
    match node:
        case Literal(value=str()):
            return (node.value,)
        case Literal(value=frozenset() as members):
            return tuple(members)
        case SetDisplay() | ListDisplay():
            parts = [_members(item) for item in node.items]
            return (
                None if None in parts else tuple(member for part in parts for member in part or ())
            )
    return None
