"""Rules that hold of everything, and so say nothing: what they ask for never comes up, or their
types alone make them true.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping

from attrs import evolve

from statemachines.explore.models.model_protocol import Model
from statemachines.explore.properties.row_conditions import PartClaim
from statemachines.model.definitions.data_definitions import Property, PropertyKind
from statemachines.model.definitions.snapshots import Snapshot, Value
from statemachines.model.language import expression_nodes as e
from statemachines.model.language.frozen_values import FrozenMap
from statemachines.model.language.value_types import (
    BOOL,
    BoolType,
    EnumType,
    IntType,
    OptionalType,
    Type,
)
from statemachines.semantics.messages.expression_text import format_expression

MOST_VALUES = 20_000
"""Values of all names of a rule together that are gone through."""
VacuityCheck = tuple[Property, Property, str]
"""A rule, one that holds where a left side of it never is true, and that left side in words."""


def vacuity_checks(claims: tuple[Property, ...]) -> Iterator[VacuityCheck]:
    """Yield what would show that rules are vacuous: each, where it holds of everything, as `always`
    or `each step` does.

    Source: I. Beer and others, Efficient Detection of Vacuity in Temporal Model Checking, 2001.
    """
    for claimed in claims:
        if claimed.kind in (PropertyKind.LEADS_TO, PropertyKind.UNTIL) and claimed.when:
            yield (
                claimed,
                _never_true_property(claimed, PropertyKind.ALWAYS, _negation(claimed.when)),
                format_expression(claimed.when),
            )
        elif (
            claimed.kind in (PropertyKind.ALWAYS, PropertyKind.EACH_STEP)
            and claimed.holds is not None
        ):
            for never, left in _never_true_conditions(claimed.holds):
                yield (
                    claimed,
                    _never_true_property(claimed, claimed.kind, never),
                    format_expression(left),
                )


def _never_true_property(claimed: Property, claim: PropertyKind, never: e.Expression) -> Property:
    return Property(
        claim, claimed.name, never, each=claimed.each, until_raised=claimed.until_raised
    )


def _never_true_conditions(node: e.Expression) -> Iterator[tuple[e.Expression, e.Expression]]:
    """Yield, for each implication that a condition asks for, what holds where its left side is
    never true, and this left side.
    """
    match node:
        case e.Implies():
            inner = list(_never_true_conditions(node.consequence))
            yield from ((evolve(node, consequence=never), left) for never, left in inner)
            if not inner:
                yield _negation(node.condition), node.condition
        case e.Conditional(no=e.Literal(value=True)):
            yield _negation(node.test), node.test
        case e.Conditional(yes=e.Literal(value=True)):
            yield node.test, _negation(node.test)
        case e.BooleanOperation(operator="and"):
            for operand in node.operands:
                yield from _never_true_conditions(operand)
        case e.BooleanOperation(operator="or"):
            lefts = tuple(operand for operand in node.operands if isinstance(operand, e.Not))
            if lefts and len(lefts) < len(node.operands):
                never: e.Expression = lefts[0] if len(lefts) == 1 else evolve(node, operands=lefts)
                yield never, _negation(never)
        case e.Call(function="all", arguments=(e.Comprehension(kind="generator") as each,)):
            inner = list(_never_true_conditions(each.element)) or [
                (e.FALSE, evolve(node, function="any", arguments=(evolve(each, element=e.TRUE),)))
            ]
            for never, left in inner:
                yield evolve(node, arguments=(evolve(each, element=never),)), left


def _negation(node: e.Expression) -> e.Expression:
    return node.operand if isinstance(node, e.Not) else e.Not(node, type=BOOL)


def holds_by_types(model: Model, claimed: Property) -> bool:
    """Tell whether no values of the types of what a rule looks at break it, whatever the machine
    does.

    Limits: it is told of machines, of numbers with bounds, truth values, members and states only,
    and of few values together.
    """
    if claimed.kind not in (PropertyKind.ALWAYS, PropertyKind.EACH_STEP) or claimed.holds is None:
        return False
    if claimed.needs_scope or model.layout is not None:
        return False
    condition = PartClaim(model.kinds[0], claimed.holds, {}, bool)
    domains = [
        _column_domain(model, index) for index in (*condition.reads, *condition.reads_before)
    ]
    if not all(domains) or math.prod(map(len, domains)) > MOST_VALUES:
        return False
    many = len(condition.reads)
    for values in itertools.product(*domains):
        now = _column_snapshot(model, dict(zip(condition.reads, values[:many], strict=True)))
        old = (
            _column_snapshot(model, dict(zip(condition.reads_before, values[many:], strict=True)))
            if condition.reads_before
            else None
        )
        if not condition.evaluate(now.state, now.variables, now.parameters, None, old):
            return False
    return True


def _column_domain(model: Model, index: int) -> tuple[Value, ...]:
    """Return all values of a column; nothing where they are not told."""
    if index == 0:
        return model.machine_tables.states
    column = model.blocks[0].kind.columns[index]
    return () if column.type is None or column.is_item else _type_values(column.type)


def _type_values(type_: Type) -> tuple[Value, ...]:
    match type_:
        case BoolType():
            return False, True
        case IntType(low=int() as low, high=int() as high) if high - low < MOST_VALUES:
            return tuple(range(low, high + 1))
        case EnumType():
            return type_.members
        case OptionalType():
            inner = _type_values(type_.item)
            return (None, *inner) if inner else ()
    return ()


def _column_snapshot(model: Model, values: Mapping[int, Value]) -> Snapshot:
    """Return a snapshot with the values of some columns; what is not among them is left out."""
    first = 1 + len(model.data.parameters)
    named = {index: (model.columns[index].name, value) for index, value in values.items() if index}
    parameters = FrozenMap(pair for index, pair in named.items() if index < first)
    variables = FrozenMap(pair for index, pair in named.items() if index >= first)
    return Snapshot(str(values.get(0, model.machine_tables.states[0])), variables, parameters)


def vacuous_message(left: str) -> str:
    """Say that a rule asks for nothing."""
    return f"vacuous: never true is {left}"


def never_waits_message(claimed: Property) -> str:
    """Say that no run tests a promise: what it waits for is there already."""
    assert claimed.when is not None
    assert claimed.holds is not None
    then = format_expression(claimed.holds)
    if claimed.when == e.TRUE:
        return f"vacuous: no run waits, as always {then}"
    return f"vacuous: no run waits, as wherever {format_expression(claimed.when)}, {then}"


BY_TYPES_MESSAGE = "vacuous: its types alone make it true"
