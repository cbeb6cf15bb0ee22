"""A text to a typed expression, or to everything that is wrong with it."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from statemachines.model.diagnosis.diagnostics import Diagnostic
from statemachines.model.language.expression_nodes import Expression
from statemachines.model.language.value_types import BagType, BoolType, ErrorType, PairsType, Type
from statemachines.notation.expressions.access_rules import read_attribute, read_subscript
from statemachines.notation.expressions.call_rules import read_call
from statemachines.notation.expressions.comprehension_rules import (
    read_list_comprehension,
    read_map_comprehension,
    read_set_comprehension,
)
from statemachines.notation.expressions.expression_parser import SourceText, parse_expression
from statemachines.notation.expressions.expression_typer import (
    ExpressionTyper,
    TypingContext,
    TypingRule,
)
from statemachines.notation.expressions.name_rules import (
    read_constant,
    read_list,
    read_map,
    read_name,
    read_set,
)
from statemachines.notation.expressions.operator_rules import (
    read_binary,
    read_boolean,
    read_comparison,
    read_conditional,
    read_unary,
)
from statemachines.notation.expressions.type_mismatches import report_misfit
from statemachines.notation.proofs.facts import Facts
from statemachines.notation.typing.type_agreement import is_same_kind

_TYPING_RULES: Mapping[type, TypingRule] = {
    ast.Constant: read_constant,
    ast.Name: read_name,
    ast.Set: read_set,
    ast.List: read_list,
    ast.Dict: read_map,
    ast.BoolOp: read_boolean,
    ast.UnaryOp: read_unary,
    ast.Compare: read_comparison,
    ast.BinOp: read_binary,
    ast.IfExp: read_conditional,
    ast.SetComp: read_set_comprehension,
    ast.ListComp: read_list_comprehension,
    ast.DictComp: read_map_comprehension,
    ast.Call: read_call,
    ast.Attribute: read_attribute,
    ast.Subscript: read_subscript,
}
"""Everything that an expression may hold, generators aside, which stand in calls only."""


def read_expression(
    written: SourceText, facts: Facts, declared: Type | None = None
) -> tuple[Expression | None, tuple[Diagnostic, ...]]:
    """Read and type an expression.

    Args:
        written: its text and place.
        facts: what is known where it stands, and in `facts.scope` what its names mean.
        declared: the type that it must be of; None where any will do. Its bounds and sets are not
            checked here, see `obligations`.

    Returns:
        The expression, None where anything is wrong with it, and what is wrong.
    """
    typed, diagnostics = read_with_holes(written, facts, declared)
    wrong = diagnostics or (typed is not None and isinstance(typed.type, ErrorType))
    return (None if wrong else typed), diagnostics


def read_with_holes(
    written: SourceText, facts: Facts, declared: Type | None = None
) -> tuple[Expression | None, tuple[Diagnostic, ...]]:
    """Read and type an expression, of which parts may be wrong: what the other parts tell is known
    all the same, and whatever rests on it is not reported once more.

    Args:
        written: its text and place.
        facts: what is known where it stands.
        declared: the type that it must be of; None where any will do.

    Returns:
        The expression, with parts of no type where something is wrong; None where it cannot be
        parsed. And what is wrong.
    """
    tree = parse_expression(written)
    if isinstance(tree, Diagnostic):
        return None, (tree,)
    typing = ExpressionTyper(written, facts.scope, _TYPING_RULES)
    here = TypingContext(facts)
    typed = (
        typing.read_condition(tree, here)
        if isinstance(declared, BoolType)
        else typing.read_narrow(tree, here)
    )
    if isinstance(typed.type, BagType | PairsType):
        typing.report_error(
            "SM304",
            "the values and the items of a map can be walked through, but not kept",
            tree,
            "make a set or a map of them",
        )
    elif declared is not None and not typing.diagnostics and not is_same_kind(typed.type, declared):
        report_misfit(typing, typed, declared, tree)
    certain = tuple(wrong for wrong in typing.diagnostics if not _rests_on_facts(wrong))
    return typed, certain if certain or facts.unread else tuple(typing.diagnostics)


def _rests_on_facts(wrong: Diagnostic) -> bool:
    """Tell whether more facts might make it right: what may be None, lie outside, or not exist."""
    return wrong.code in ("SM309", "SM318") or (wrong.code == "SM304" and "?" in wrong.message)
