"""Python's syntax tree to typed nodes: an allow-list, one rule a construct; whatever has no rule is
no part of the language.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Iterator, Mapping
from functools import partial

import attrs
from attrs import define, field, frozen

from statemachines.model.diagnosis.diagnostics import Diagnostic, Span
from statemachines.model.language.expression_nodes import (
    COMPONENT_NAMES,
    Clause,
    Expression,
    Literal,
    Local,
)
from statemachines.model.language.value_types import (
    ERROR_TYPE,
    BoolType,
    ElementType,
    ErrorType,
    IntType,
    OptionalType,
    Type,
    base_type,
)
from statemachines.notation.expressions.expression_parser import SourceText
from statemachines.notation.proofs.facts import Facts
from statemachines.notation.proofs.membership import is_proved_not_none
from statemachines.notation.proofs.number_bounds import number_bounds
from statemachines.notation.typing.name_scope import NameScope

TypingRule = Callable[["ExpressionTyper", "ast.expr", "TypingContext"], Expression]


@frozen
class TypingContext:
    """Where in an expression a part of it stands: what is known there, and the generators'
    variables.
    """

    facts: Facts
    locals: Mapping[str, Local] = field(factory=dict)

    def assuming(self, condition: Expression, *, truth: bool = True) -> TypingContext:
        """Return the place where a condition is known.

        Args:
            condition: that was asked before.
            truth: what it was.

        Returns:
            The context with those facts more.
        """
        return TypingContext(self.facts.assuming(condition, truth=truth), self.locals)

    def inside_clause(self, clause: Clause) -> TypingContext:
        """Return the place inside a generator.

        Args:
            clause: one `for … in … if …`.

        Returns:
            The context with its variables and what is known of them.
        """
        names = {target.name: target for target in clause.targets}
        return TypingContext(self.facts.inside_clause(clause), {**self.locals, **names})


@define
class ExpressionTyper:
    """Types one expression and collects what is wrong with it."""

    source: SourceText
    scope: NameScope
    rules: Mapping[type, TypingRule]
    diagnostics: list[Diagnostic] = field(factory=list)
    local_ids: Iterator[int] = field(factory=itertools.count)

    def read_narrow(self, node: ast.expr, here: TypingContext) -> Expression:
        """Type a part of the expression, as narrow as the facts tell.

        Args:
            node: the part of the syntax tree.
            here: names and facts that are known there.

        Returns:
            The typed node; without None in its type where a fact rules None out.
        """
        typed = self.read_declared(node, here)
        if isinstance(typed.type, OptionalType) and is_proved_not_none(here.facts, typed):
            typed = attrs.evolve(typed, type=typed.type.item)
        may_be_number = isinstance(typed.type, IntType | ElementType)
        if may_be_number and isinstance(base_type(typed.type), IntType):
            return _typed_again(typed, number_bounds(here.facts, typed), typed.span)
        return typed

    def read_declared(self, node: ast.expr, here: TypingContext) -> Expression:
        """Type a part of the expression without looking whether it may be None.

        Args:
            node: the part of the syntax tree.
            here: names and facts that are known there.

        Returns:
            The typed node, of the type that was declared.
        """
        rule = self.rules.get(type(node))
        if rule is None:
            return self.report_error(
                "SM302",
                f"`{self.source.node_text(node)}` is not part of the language",
                node,
                self._replacement_hint(node),
            )
        typed = rule(self, node, here)
        return _typed_again(typed, typed.type, self.source.node_span(node))

    def _replacement_hint(self, node: ast.expr) -> str:
        """Say what to write for what Python has and the language has not."""
        return {
            ast.Lambda: "a definition (`define:`) is a function with a name",
            ast.JoinedStr: "`texts:` are templates for people",
            ast.NamedExpr: "`let:` names values",
            ast.GeneratorExp: (
                "a generator stands inside `any`, `all`, `sum`, `min`, `max`, `set` or `next` only"
            ),
            ast.Tuple: "a list is written `[a, b]`, a record by its name",
        }.get(type(node), "")

    def read_condition(self, node: ast.expr, here: TypingContext) -> Expression:
        """Type what must be True or False.

        Args:
            node: the part of the syntax tree.
            here: names and facts that are known there.

        Returns:
            A node of type bool; what stands for an error where it is none.
        """
        return self.require_condition(self.read_narrow(node, here), node)

    def require_condition(self, typed: Expression, node: ast.expr) -> Expression:
        """Report what is neither True nor False.

        Args:
            typed: what must be one of them.
            node: the part of the syntax tree that it was read from.

        Returns:
            The same; what stands for an error where it is none.
        """
        if not isinstance(base_type(typed.type), BoolType | ErrorType):
            source = self.source.node_text(node)
            return self.report_error(
                "SM305",
                f"`{source}` is {type_phrase(typed.type)}; True or False is needed here",
                node,
                _truth_hint(typed.type, source),
            )
        return typed

    def report_error(
        self,
        code: str,
        message: str,
        node: ast.AST | Span,
        hint: str = "",
        *,
        about: str = "",
        undeclared: str = "",
    ) -> Expression:
        """Report something, and go on with a part that fits everything.

        Args:
            code: `SM` and a number.
            message: what is wrong.
            node: where it is.
            hint: what would be right; may be empty.
            about: the type that is at fault, if one is.
            undeclared: the name that nothing declares, if it is one.

        Returns:
            What stands for the part.
        """
        span = node if isinstance(node, Span) else self.source.node_span(node)
        self.diagnostics.append(
            Diagnostic(code, message, span, hint, about=about, undeclared=undeclared)
        )
        return Literal(None, type=ERROR_TYPE, span=span)

    def new_local_id(self) -> int:
        """Return a number for the next generator's variable."""
        return next(self.local_ids)


def _typed_again(node: Expression, type_: Type, span: Span | None) -> Expression:
    """Return an expression with another type and place: what `attrs.evolve` gives, in fewer calls,
    for this is done to each part of each expression.
    """
    kind = type(node)
    return kind(*map(partial(getattr, node), COMPONENT_NAMES[kind]), type=type_, span=span)


def type_phrase(type_: Type) -> str:
    """Write a type for a message.

    Args:
        type_: of a value.

    Returns:
        Words such as ``of type `int` ``.
    """
    if isinstance(type_, OptionalType):
        return f"of type `{type_}`, which may be None" if str(type_) != "None" else "None"
    return f"of type `{type_}`"


def _truth_hint(type_: Type, source: str) -> str:
    """Say how a condition about a value is written."""
    endings = {
        "SetType": "!= set()",
        "ListType": "!= []",
        "MapType": "!= {}",
        "IntType": "!= 0",
        "OptionalType": "is not None",
    }
    ending = endings.get(type(base_type(type_)).__name__)
    return f"write `{source} {ending}`" if ending else ""


CallRule = Callable[[ExpressionTyper, ast.Call, TypingContext], Expression]


def has_argument_count(
    typing: ExpressionTyper, node: ast.Call, low: int, high: int, form: str
) -> bool:
    """Report a wrong number of arguments, or named ones where there are none.

    Args:
        typing: takes what is wrong, and types parts.
        node: the call.
        low: fewest arguments.
        high: most arguments.
        form: of the call, as a message shows it.

    Returns:
        True where the number is right.
    """
    if low <= len(node.args) <= high and not node.keywords:
        return True
    typing.report_error(
        "SM308",
        f"`{typing.source.node_text(node)}` does not have the arguments of `{form}`",
        node,
        f"write `{form}`",
    )
    return False


def error_literal(node: ast.Call) -> Literal:
    """Return what stands for a call that is wrong, which was told.

    Args:
        node: the call.

    Returns:
        A value that fits everything.
    """
    return Literal(None, type=ErrorType())
