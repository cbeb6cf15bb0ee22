"""Conditions over values of which only some are known: true, false, or unknown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from statemachines.model.definitions.snapshots import Snapshot, Value
from statemachines.model.language import expression_nodes as e
from statemachines.semantics.evaluation.compiler import Compiler, Evaluator

EVALUATION_ERRORS = (LookupError, ArithmeticError, AttributeError, TypeError, ValueError)
"""What a condition may do that is looked at although the one before it, which makes it safe, is not
known.
"""


class UnknownValue(Exception):
    """A value is needed that is not known."""


class PartialValuation(dict[str, Value]):
    """Known values; asking for another one says so."""

    def __missing__(self, name: str) -> Value:
        raise UnknownValue(name)


NO_VALUES = PartialValuation()


class PartialContext(NamedTuple):
    """What is known where a condition is asked."""

    state: str
    variables: PartialValuation
    before: Snapshot | None = None
    arguments: PartialValuation = NO_VALUES


PartialCondition = Callable[[PartialContext], "bool | None"]
"""None: it cannot be told."""


def compile_partial_condition(compiler: Compiler, node: e.Expression) -> PartialCondition:
    """Compile a condition so that it is decided wherever what is known decides it (Kleene's three
    values).

    Args:
        compiler: of the data that the condition is over.
        node: the condition; parameters are not known.

    Returns:
        A function of what is known: True, False, or None where that does not decide it.

    Source: S. C. Kleene, Introduction to Metamathematics, 1952, section 64 (three truth values).
    """
    match node:
        case e.BooleanOperation(operator="and"):
            return _conjunction(
                [compile_partial_condition(compiler, operand) for operand in node.operands]
            )
        case e.BooleanOperation():
            return _negation(
                _conjunction(
                    [
                        _negation(compile_partial_condition(compiler, operand))
                        for operand in node.operands
                    ]
                )
            )
        case e.Not():
            return _negation(compile_partial_condition(compiler, node.operand))
        case e.Implies():
            return _negation(
                _conjunction(
                    [
                        compile_partial_condition(compiler, node.condition),
                        _negation(compile_partial_condition(compiler, node.consequence)),
                    ]
                )
            )
        case e.Conditional():
            return _conditional(
                compile_partial_condition(compiler, node.test),
                compile_partial_condition(compiler, node.yes),
                compile_partial_condition(compiler, node.no),
            )
    return _atomic_condition(compiler.compile_expression(node))


def _atomic_condition(evaluate: Evaluator) -> PartialCondition:
    def ask(known: PartialContext) -> bool | None:
        try:
            return bool(
                evaluate(known.state, known.variables, NO_VALUES, known.arguments, known.before)
            )
        except (UnknownValue, *EVALUATION_ERRORS):
            return None

    return ask


def _negation(partial_condition: PartialCondition) -> PartialCondition:
    def ask(known: PartialContext) -> bool | None:
        answer = partial_condition(known)
        return None if answer is None else not answer

    return ask


def _conjunction(parts: Sequence[PartialCondition]) -> PartialCondition:
    def ask(known: PartialContext) -> bool | None:
        unknown = False
        for part in parts:
            answer = part(known)
            if answer is False:
                return False
            unknown = unknown or answer is None
        return None if unknown else True

    return ask


def _conditional(
    test: PartialCondition, yes: PartialCondition, no: PartialCondition
) -> PartialCondition:
    def ask(known: PartialContext) -> bool | None:
        answer = test(known)
        if answer is not None:
            return (yes if answer else no)(known)
        first, second = yes(known), no(known)
        return first if first == second else None

    return ask
