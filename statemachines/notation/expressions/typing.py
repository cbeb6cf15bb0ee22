"""Python's syntax tree to typed nodes: an allow-list, one rule a construct; whatever has no rule is no part of the language."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Iterator, Mapping

import attrs
from attrs import define, field, frozen

from statemachines.model.diagnostics import Diagnostic
from statemachines.model.expressions import Clause, Expression, Literal, Local
from statemachines.model.places import Span
from statemachines.model.types import WRONG, BoolType, IntType, OptionalType, Type, WrongType, base_of
from statemachines.notation.expressions.bounds import bounds
from statemachines.notation.expressions.facts import Facts
from statemachines.notation.expressions.proving import is_some
from statemachines.notation.expressions.reader import Written
from statemachines.notation.expressions.scope import Scope

Rule = Callable[["Typing", "ast.expr", "Here"], Expression]


@frozen
class Here:
    """Where in an expression a part of it stands: what is known there, and the generators' variables."""

    facts: Facts
    locals: Mapping[str, Local] = field(factory=dict)

    def knowing(self, condition: Expression, *, truth: bool = True) -> Here:
        """Return the place where a condition is known."""
        return attrs.evolve(self, facts=self.facts.knowing(condition, truth=truth))

    def inside(self, clause: Clause) -> Here:
        """Return the place inside a generator."""
        names = {target.name: target for target in clause.targets}
        return Here(self.facts.inside(clause), {**self.locals, **names})


@define
class Typing:
    """Types one expression and collects what is wrong with it."""

    written: Written
    scope: Scope
    rules: Mapping[type, Rule]
    found: list[Diagnostic] = field(factory=list)
    numbers: Iterator[int] = field(factory=itertools.count)

    def read(self, node: ast.expr, here: Here) -> Expression:
        """Type a part of the expression, as narrow as the facts tell."""
        typed = self.wide(node, here)
        if isinstance(typed.type, OptionalType) and is_some(here.facts, typed):
            typed = attrs.evolve(typed, type=typed.type.item)
        if isinstance(base_of(typed.type), IntType):
            return attrs.evolve(typed, type=bounds(here.facts, typed))
        return typed

    def wide(self, node: ast.expr, here: Here) -> Expression:
        """Type a part of the expression without looking whether it may be None."""
        rule = self.rules.get(type(node))
        if rule is None:
            return self.wrong("SM302", f"`{self.written.source(node)}` is no part of the language", node, self._instead(node))
        return attrs.evolve(rule(self, node, here), span=self.written.of(node))

    def _instead(self, node: ast.expr) -> str:
        """Say what to write for what Python has and the language has not."""
        return {
            ast.Lambda: "a definition (`define:`) is a function with a name",
            ast.JoinedStr: "`texts:` are templates for people",
            ast.NamedExpr: "`let:` names values",
            ast.GeneratorExp: "a generator stands inside `any`, `all`, `sum`, `min`, `max`, `set` or `next` only",
            ast.Tuple: "a list is written `[a, b]`, a record by its name",
        }.get(type(node), "")

    def condition(self, node: ast.expr, here: Here) -> Expression:
        """Type what must be True or False."""
        typed = self.read(node, here)
        if not isinstance(base_of(typed.type), BoolType | WrongType):
            source = self.written.source(node)
            return self.wrong("SM305", f"`{source}` is {said(typed.type)}; here stands True or False", node, _as_truth(typed.type, source))
        return typed

    def wrong(self, code: str, message: str, node: ast.AST | Span, hint: str = "") -> Expression:
        """Report something, and go on with a part that fits everything."""
        span = node if isinstance(node, Span) else self.written.of(node)
        self.found.append(Diagnostic(code, message, span, hint))
        return Literal(None, type=WRONG, span=span)

    def number(self) -> int:
        """Return a number for the next generator's variable."""
        return next(self.numbers)


def said(type_: Type) -> str:
    """Write a type for a message."""
    if isinstance(type_, OptionalType):
        return f"of type `{type_}`, which may be None" if str(type_) != "None" else "None"
    return f"of type `{type_}`"


def _as_truth(type_: Type, source: str) -> str:
    """Say how a condition about a value is written."""
    endings = {"SetType": "!= set()", "ListType": "!= []", "MapType": "!= {}", "IntType": "!= 0", "OptionalType": "is not None"}
    ending = endings.get(type(base_of(type_)).__name__)
    return f"write `{source} {ending}`" if ending else ""
