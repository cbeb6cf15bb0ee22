"""Expressions as people wrote them, for messages and docstrings."""

from __future__ import annotations

import ast

from attrs import define

from statemachines.model.expressions import Apply, Expression, InStates, ListDisplay, Literal, Local, MapDisplay, Name, SetDisplay
from statemachines.model.machines import Transition
from statemachines.semantics.source import Writer
from statemachines.semantics.texts import exact


def worded(node: Expression) -> str:
    """Return an expression as text.

    >>> from statemachines.model.expressions import Compare, Kind
    >>> from statemachines.model.types import BOOL, INT
    >>> count = Name(Kind.VARIABLE, "count", type=INT)
    >>> worded(Compare("<", count, Literal(3, type=INT), type=BOOL))
    'count < 3'
    """
    return ast.unparse(ast.parse(_Words().write(node), mode="eval"))


def false_conditions(candidates: tuple[Transition, ...]) -> str:
    """Say which conditions kept transitions from taking an event; empty where there is none."""
    said = dict[str, None]()
    for arrow in candidates:
        case = arrow.case
        condition = None if case is None else case.guard or case.when
        if condition is not None:
            said[f"`{worded(condition)}`"] = None
    return f"{' and '.join(said)} {'is' if len(said) == 1 else 'are'} false" if said else ""


@define
class _Words(Writer):
    """Writes names as they are declared, and values as expressions have them."""

    def write(self, node: Expression) -> str:
        match node:
            case Name():
                return f"before.{node.name}" if node.kind == "before" else node.name.rpartition(".")[2]
            case Local() | InStates():
                return node.name
            case Literal():
                return exact(node.value)
            case Apply():
                return f"{node.definition}({self.several(node.arguments)})" if node.arguments else node.definition
            case SetDisplay():
                return f"{{{self.several(node.items)}}}" if node.items else "set()"
            case ListDisplay():
                return f"[{self.several(node.items)}]"
            case MapDisplay():
                return "{" + ", ".join(f"{self.write(key)}: {self.write(value)}" for key, value in node.pairs) + "}"
        return Writer.write(self, node)

    def constant(self, prefix: str, value: object) -> str:
        return getattr(value, "__name__", "") if prefix == "r_" else exact(value)
