"""What expressions walk through, in TLA+: comprehensions, `any`, `all` and sums."""

from __future__ import annotations

from typing import Protocol

from statemachines.interop.export_limits import CannotExport
from statemachines.interop.tla.tla_names import parenthesised
from statemachines.model.language.expression_nodes import (
    Call,
    Clause,
    Comprehension,
    Expression,
    Local,
    MapView,
)
from statemachines.model.language.value_types import ListType, base_type


class InnerWriter(Protocol):
    """Writes the expressions within, and names what they walk through."""

    def write(self, node: Expression) -> str:
        """Return an expression.

        Args:
            node: the expression.

        Returns:
            An expression of TLA+.
        """

    def write_operand(self, node: Expression) -> str:
        """Return an expression that any operator may stand beside.

        Args:
            node: the expression.

        Returns:
            An expression of TLA+, in parentheses where it needs them.
        """

    def as_set(self, node: Expression) -> str:
        """Return what an expression has, as a set.

        Args:
            node: the expression.

        Returns:
            An expression of TLA+ that gives a set.
        """

    def as_list(self, node: Expression) -> str:
        """Return what an expression has, as a sequence.

        Args:
            node: the expression.

        Returns:
            An expression of TLA+ that gives a sequence.
        """

    def fresh_name(self, stem: str) -> str:
        """Return a name that nothing has yet.

        Args:
            stem: what the name begins with.

        Returns:
            The name.
        """

    def bind_local(self, target: Local, text: str | None = None) -> str:
        """Give a generator's variable a name, or a text that stands for it.

        Args:
            target: the variable.
            text: what stands for it; None: a fresh name.

        Returns:
            The name or the text.
        """


def single_clause(clauses: tuple[Clause, ...]) -> tuple[Clause, ...]:
    """Return the clauses of a map comprehension, which has one.

    Args:
        clauses: each `for` with its conditions, in order.

    Returns:
        The clauses, as they were given.

    Raises:
        CannotExport: it has several.
    """
    if len(clauses) > 1:
        raise CannotExport("a map comprehension with several `for` is not written in TLA+")
    return clauses


def bound_set(writer: InnerWriter, clause: Clause) -> tuple[str, str]:
    """Return the set that a clause walks through and the name that is bound to each element, order
    and number aside.

    Args:
        writer: of expressions, which knows the names in use.
        clause: one `for` with its conditions.

    Returns:
        An expression of TLA+ and a name.
    """
    iterable = clause.iterable
    if isinstance(iterable, MapView) and iterable.method == "items":
        map_ = writer.write_operand(iterable.map)
        bound = writer.bind_local(clause.targets[0])
        writer.bind_local(clause.targets[1], f"{map_}[{bound}]")
        return f"DOMAIN {map_}", bound
    domain = parenthesised(writer.as_set(iterable))
    return domain, writer.bind_local(clause.targets[0])


def _bound_indices(writer: InnerWriter, clause: Clause) -> tuple[str, str]:
    """Return the set of places that a clause walks through, each element as often as it is there,
    and the name of a place.
    """
    iterable = clause.iterable
    if isinstance(iterable, MapView) and iterable.method == "values":
        map_ = writer.write_operand(iterable.map)
        bound = writer.fresh_name("k")
        writer.bind_local(clause.targets[0], f"{map_}[{bound}]")
        return f"DOMAIN {map_}", bound
    if isinstance(base_type(iterable.type), ListType) and not (
        isinstance(iterable, Call) and iterable.function == "range"
    ):
        list_ = parenthesised(writer.as_list(iterable))
        bound = writer.fresh_name("i")
        writer.bind_local(clause.targets[0], f"{list_}[{bound}]")
        return f"DOMAIN {list_}", bound
    return bound_set(writer, clause)


def _clause_conditions(writer: InnerWriter, clause: Clause) -> str:
    """Return what a clause asks of each element; empty where it asks nothing."""
    return " /\\ ".join(
        map(writer.write_operand if len(clause.conditions) > 1 else writer.write, clause.conditions)
    )


def kept_elements(writer: InnerWriter, domain: str, bound: str, clause: Clause) -> str:
    """Return the elements of which a clause's conditions hold.

    Args:
        writer: of expressions, which knows the names in use.
        domain: the set, in TLA+.
        bound: the name of an element.
        clause: one `for` with its conditions.

    Returns:
        An expression of TLA+; the domain itself where there are no conditions.
    """
    if not clause.conditions:
        return domain
    return f"{{{bound} \\in {domain} : {_clause_conditions(writer, clause)}}}"


def set_text(writer: InnerWriter, element: Expression, clauses: tuple[Clause, ...]) -> str:
    """Return the set of what clauses yield.

    Args:
        writer: of expressions, which knows the names in use.
        element: what each turn yields.
        clauses: each `for` with its conditions, in order.

    Returns:
        An expression of TLA+.
    """
    clause, *more = clauses
    domain, bound = bound_set(writer, clause)
    elements = kept_elements(writer, domain, bound, clause)
    if more:
        return f"UNION {{{set_text(writer, element, tuple(more))} : {bound} \\in {elements}}}"
    written = writer.write(element)
    return elements if written == bound else f"{{{written} : {bound} \\in {elements}}}"


def list_text(writer: InnerWriter, element: Expression, clauses: tuple[Clause, ...]) -> str:
    """Return what clauses over lists yield, in its order.

    Args:
        writer: of expressions, which knows the names in use.
        element: what each turn yields.
        clauses: each `for` with its conditions, in order.

    Returns:
        An expression of TLA+.

    Raises:
        CannotExport: one walks through a set, which has no order.
    """
    clause, *more = clauses
    if not isinstance(base_type(clause.iterable.type), ListType):
        raise CannotExport("a list that is made of a set has no order that TLA+ could keep")
    walked = parenthesised(writer.as_list(clause.iterable))
    if clause.conditions:
        bound = writer.bind_local(clause.targets[0])
        walked = f"SelectSeq({walked}, LAMBDA {bound} : {_clause_conditions(writer, clause)})"
    if not more and element == clause.targets[0]:
        return walked
    selection, index = writer.fresh_name("list"), writer.fresh_name("i")
    writer.bind_local(clause.targets[0], f"{selection}[{index}]")
    inner = list_text(writer, element, tuple(more)) if more else writer.write(element)
    made = f"[{index} \\in DOMAIN {selection} |-> {inner}]"
    return f"LET {selection} == {walked} IN {f'Joined({made})' if more else made}"


def quantified(writer: InnerWriter, sign: str, joint: str, node: Comprehension) -> str:
    """Write `any` and `all` of a generator.

    Args:
        writer: of expressions.
        sign: the quantifier.
        joint: what stands between the conditions of a `for` and the rest: `any` asks for both,
            `all` for the rest where they hold.
        node: the generator.

    Returns:
        An expression of TLA+.
    """
    opened = ""
    for index, clause in enumerate(node.clauses):
        domain, bound = bound_set(writer, clause)
        conditions = _clause_conditions(writer, clause)
        opened += f"{sign} {bound} \\in {domain} : " + (
            f"{parenthesised(conditions)} {joint} " if conditions else ""
        )
        opened += "(" if index + 1 < len(node.clauses) else ""
    return opened + writer.write_operand(node.element) + ")" * (len(node.clauses) - 1)


def sum_text(writer: InnerWriter, element: Expression | None, clauses: tuple[Clause, ...]) -> str:
    """Return the sum of what clauses yield, each as often as it is yielded; without an element: how
    often.

    Args:
        writer: of expressions, which knows the names in use.
        element: what each turn yields; None: each turn counts one.
        clauses: each `for` with its conditions, in order.

    Returns:
        An expression of TLA+.
    """
    clause, *more = clauses
    indices, bound = _bound_indices(writer, clause)
    elements = kept_elements(writer, indices, bound, clause)
    if more:
        return f"Sum([{bound} \\in {elements} |-> {sum_text(writer, element, tuple(more))}])"
    return f"Sum([{bound} \\in {elements} |-> {'1' if element is None else writer.write(element)}])"
