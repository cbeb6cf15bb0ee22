"""What expressions walk through, in TLA+: comprehensions, `any`, `all` and sums."""

from __future__ import annotations

from typing import TYPE_CHECKING

from statemachines.embed.exports import CannotExport
from statemachines.embed.tla_names import atom
from statemachines.model.expressions import Call, Clause, Comprehension, Expression, View
from statemachines.model.types import ListType, base_of

if TYPE_CHECKING:
    from statemachines.embed.tla_expressions import TlaWriter


def only_one(clauses: tuple[Clause, ...]) -> tuple[Clause, ...]:
    """Return the clauses of a map comprehension, which has one.

    Raises:
        CannotExport: it has several.
    """
    if len(clauses) > 1:
        raise CannotExport("a map comprehension with several `for` is not written in TLA+")
    return clauses


def bound_set(writer: TlaWriter, clause: Clause) -> tuple[str, str]:
    """Return the set that a clause walks through and the name that is bound to each element, order and number aside."""
    iterable = clause.iterable
    if isinstance(iterable, View) and iterable.method == "items":
        map_ = writer.part(iterable.map)
        bound = writer.bind(clause.targets[0])
        writer.bind(clause.targets[1], f"{map_}[{bound}]")
        return f"DOMAIN {map_}", bound
    domain = atom(writer.as_set(iterable))
    return domain, writer.bind(clause.targets[0])


def indexed(writer: TlaWriter, clause: Clause) -> tuple[str, str]:
    """Return the set of places that a clause walks through, each element as often as it is there, and the name of a place."""
    iterable = clause.iterable
    if isinstance(iterable, View) and iterable.method == "values":
        map_ = writer.part(iterable.map)
        bound = writer.fresh("k")
        writer.bind(clause.targets[0], f"{map_}[{bound}]")
        return f"DOMAIN {map_}", bound
    if isinstance(base_of(iterable.type), ListType) and not (isinstance(iterable, Call) and iterable.function == "range"):
        list_ = atom(writer.as_list(iterable))
        bound = writer.fresh("i")
        writer.bind(clause.targets[0], f"{list_}[{bound}]")
        return f"DOMAIN {list_}", bound
    return bound_set(writer, clause)


def conditions_of(writer: TlaWriter, clause: Clause) -> str:
    """Return what a clause asks of each element; empty where it asks nothing."""
    return " /\\ ".join(map(writer.part if len(clause.conditions) > 1 else writer.write, clause.conditions))


def kept_of(writer: TlaWriter, domain: str, bound: str, clause: Clause) -> str:
    """Return the elements of which a clause's conditions hold."""
    if not clause.conditions:
        return domain
    return f"{{{bound} \\in {domain} : {conditions_of(writer, clause)}}}"


def set_of(writer: TlaWriter, element: Expression, clauses: tuple[Clause, ...]) -> str:
    """Return the set of what clauses yield."""
    clause, *more = clauses
    domain, bound = bound_set(writer, clause)
    kept = kept_of(writer, domain, bound, clause)
    if more:
        return f"UNION {{{set_of(writer, element, tuple(more))} : {bound} \\in {kept}}}"
    written = writer.write(element)
    return kept if written == bound else f"{{{written} : {bound} \\in {kept}}}"


def list_of(writer: TlaWriter, element: Expression, clauses: tuple[Clause, ...]) -> str:
    """Return what clauses over lists yield, in its order.

    Raises:
        CannotExport: one walks through a set, which has no order.
    """
    clause, *more = clauses
    if not isinstance(base_of(clause.iterable.type), ListType):
        raise CannotExport("a list that is made of a set has no order that TLA+ could keep")
    walked = atom(writer.as_list(clause.iterable))
    if clause.conditions:
        bound = writer.bind(clause.targets[0])
        walked = f"SelectSeq({walked}, LAMBDA {bound} : {conditions_of(writer, clause)})"
    if not more and element == clause.targets[0]:
        return walked
    kept, place = writer.fresh("list"), writer.fresh("i")
    writer.bind(clause.targets[0], f"{kept}[{place}]")
    inner = list_of(writer, element, tuple(more)) if more else writer.write(element)
    made = f"[{place} \\in DOMAIN {kept} |-> {inner}]"
    return f"LET {kept} == {walked} IN {f'Joined({made})' if more else made}"


def quantified(writer: TlaWriter, sign: str, joint: str, node: Comprehension) -> str:
    """Write `any` and `all` of a generator.

    Args:
        writer: of expressions.
        sign: the quantifier.
        joint: what stands between the conditions of a `for` and the rest: `any` asks for both, `all` for the rest where they hold.
        node: the generator.
    """
    opened = ""
    for place, clause in enumerate(node.clauses):
        domain, bound = bound_set(writer, clause)
        asked = conditions_of(writer, clause)
        opened += f"{sign} {bound} \\in {domain} : " + (f"{atom(asked)} {joint} " if asked else "")
        opened += "(" if place + 1 < len(node.clauses) else ""
    return opened + writer.part(node.element) + ")" * (len(node.clauses) - 1)


def sum_of(writer: TlaWriter, element: Expression | None, clauses: tuple[Clause, ...]) -> str:
    """Return the sum of what clauses yield, each as often as it is yielded; without an element: how often."""
    clause, *more = clauses
    places, bound = indexed(writer, clause)
    kept = kept_of(writer, places, bound, clause)
    if more:
        return f"Sum([{bound} \\in {kept} |-> {sum_of(writer, element, tuple(more))}])"
    return f"Sum([{bound} \\in {kept} |-> {'1' if element is None else writer.write(element)}])"
