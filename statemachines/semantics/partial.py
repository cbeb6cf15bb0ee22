"""Conditions over values of which only some are known: true, false, or not to be told."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from statemachines.model import expressions as e
from statemachines.model.snapshots import Snapshot, Value
from statemachines.semantics.compile import Compiler, Evaluate

DOUBTFUL = (LookupError, ArithmeticError, TypeError, ValueError)
"""What a condition may do that is looked at although the one before it, which makes it safe, is not known."""


class Untold(Exception):
    """A value is needed that is not known."""


class Partial(dict[str, Value]):
    """Known values; asking for another one says so."""

    def __missing__(self, name: str) -> Value:
        raise Untold(name)


Ask = Callable[[str, Partial, "Snapshot | None"], "bool | None"]
"""Called with a state, what is known of the variables, and the snapshot before; None: it cannot be told."""
NOTHING = Partial()


def asked(compiler: Compiler, node: e.Expression) -> Ask:
    """Compile a condition so that it is decided wherever what is known decides it (Kleene's three values).

    Args:
        compiler: of the data that the condition is over.
        node: the condition; parameters are not known.
    """
    match node:
        case e.Boolean(operator="and"):
            return _all([asked(compiler, operand) for operand in node.operands])
        case e.Boolean():
            return _not(_all([_not(asked(compiler, operand)) for operand in node.operands]))
        case e.Not():
            return _not(asked(compiler, node.operand))
        case e.Implies():
            return _not(_all([asked(compiler, node.condition), _not(asked(compiler, node.consequence))]))
        case e.Conditional():
            return _either(asked(compiler, node.test), asked(compiler, node.yes), asked(compiler, node.no))
    return _leaf(compiler.expression(node))


def _leaf(evaluate: Evaluate) -> Ask:
    def ask(state: str, known: Partial, before: Snapshot | None) -> bool | None:
        try:
            return bool(evaluate(state, known, NOTHING, None, before))
        except (Untold, *DOUBTFUL):
            return None

    return ask


def _not(one: Ask) -> Ask:
    def ask(state: str, known: Partial, before: Snapshot | None) -> bool | None:
        answer = one(state, known, before)
        return None if answer is None else not answer

    return ask


def _all(parts: Sequence[Ask]) -> Ask:
    def ask(state: str, known: Partial, before: Snapshot | None) -> bool | None:
        unknown = False
        for part in parts:
            answer = part(state, known, before)
            if answer is False:
                return False
            unknown = unknown or answer is None
        return None if unknown else True

    return ask


def _either(test: Ask, yes: Ask, no: Ask) -> Ask:
    def ask(state: str, known: Partial, before: Snapshot | None) -> bool | None:
        answer = test(state, known, before)
        if answer is not None:
            return (yes if answer else no)(state, known, before)
        first, second = yes(state, known, before), no(state, known, before)
        return first if first == second else None

    return ask
