"""All values of a type at one moment, in one order: what beginnings, explorers and generators draw
from.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping

from attrs import field, frozen

from statemachines.model.definitions.snapshots import Value
from statemachines.model.language.frozen_values import FrozenMap, record_class
from statemachines.model.language.value_types import (
    BoolType,
    ElementType,
    EnumType,
    IdType,
    IntType,
    ListType,
    MapType,
    OptionalType,
    RecordType,
    SetType,
    TextType,
    Type,
)
from statemachines.semantics.evaluation.behaviour import Behaviour

Values = Mapping[str, Value]


@frozen
class DomainSizes:
    """How many values types have that have no end of them."""

    sizes: Mapping[str, int]
    """How many values an `id` type has; their names are `Task1`, `Task2`, …"""
    integers: tuple[int, int] = (0, 3)
    """Of integers that have no bounds."""
    longest_list: int = 2
    """Of lists."""
    given: Mapping[str, tuple[Value, ...]] = field(factory=dict)
    """The values of `id` types that have others than these names."""

    def id_values(self, type_: IdType) -> tuple[Value, ...]:
        """Return the values of an `id` type.

        Args:
            type_: its name says how many there are.

        Returns:
            The values, in one order.
        """
        return self.given.get(type_.name) or tuple(
            f"{type_.name}{number}" for number in range(1, self.sizes.get(type_.name, 2) + 1)
        )


def default_domain_sizes(behaviour: Behaviour) -> DomainSizes:
    """Return the extent that a spec's `scope` names; two of what it does not name.

    Args:
        behaviour: of the machine.

    Returns:
        How many values each type has.
    """
    scope = behaviour.machine.data.scope
    return DomainSizes(
        dict(scope.sizes),
        scope.integers or (0, 3),
        2 if scope.longest_list is None else scope.longest_list,
    )


@frozen
class ValueContext:
    """A snapshot's values, and the arguments that are chosen already."""

    behaviour: Behaviour
    domain_sizes: DomainSizes
    state: str
    variables: Values
    parameters: Values
    arguments: Values

    def elements(self, type_: ElementType) -> tuple[Value, ...]:
        """Return the elements of the set that stands for a type, in one order.

        Args:
            type_: names the set, a variable or a parameter.

        Returns:
            The elements that the set has at this moment.
        """
        members = self.behaviour.evaluator(type_.set_expression)(
            self.state, self.variables, self.parameters, self.arguments
        )
        return tuple(members) if isinstance(members, tuple) else sorted_values(members)


def sorted_values(values: Iterable[Value]) -> tuple[Value, ...]:
    """Return values in an order that does not depend on how a set keeps them.

    Args:
        values: of any kinds.

    Returns:
        The same values.
    """
    return tuple(sorted(values, key=sort_key))


def sort_key(value: Value) -> tuple[str, object]:
    """Return what values of mixed kinds are sorted by: numbers as numbers.

    Args:
        value: of any kind.

    Returns:
        The kind of the value, and what orders values of that kind.
    """
    if isinstance(value, int):
        return "0", (value,)
    if isinstance(value, frozenset):
        return "set", (len(value), str(sorted(map(repr, value))))
    return type(value).__name__, (
        repr(sorted(value.items(), key=repr)) if isinstance(value, dict) else repr(value),
    )


def enumerate_values(type_: Type, moment: ValueContext) -> Iterator[Value]:
    """Yield every value of a type at a moment, small ones first.

    Limits: a set of n elements has 2 ** n subsets, a map of n keys m ** n values; they are made one
    by one.

    Args:
        type_: any type; one without bounds has those of the moment's scope.
        moment: the snapshot that sets are looked up in, and how many values types have.

    Yields:
        The values.
    """
    match type_:
        case ElementType():
            yield from moment.elements(type_)
        case BoolType():
            yield from (False, True)
        case IntType():
            yield from integer_range(type_, moment.domain_sizes)
        case EnumType():
            yield from type_.members
        case IdType():
            yield from moment.domain_sizes.id_values(type_)
        case TextType():
            yield "text"
        case OptionalType():
            yield None
            yield from enumerate_values(type_.item, moment)
        case _:
            yield from _compound_values(type_, moment)


def integer_range(type_: IntType, extent: DomainSizes) -> range:
    """Return the whole numbers of a type; the extent's where it has no bounds.

    Args:
        type_: may have bounds.
        extent: how many values types have.

    Returns:
        The numbers, in order.
    """
    low, high = extent.integers
    first = (
        type_.low
        if type_.low is not None
        else min(low, type_.high)
        if type_.high is not None
        else low
    )
    last = type_.high if type_.high is not None else max(high, first)
    return range(first, last + 1)


def _compound_values(type_: Type, moment: ValueContext) -> Iterator[Value]:
    """Yield sets, lists, maps and records."""
    match type_:
        case SetType():
            items = tuple(enumerate_values(type_.item, moment))
            for size in range(len(items) + 1):
                yield from map(frozenset, itertools.combinations(items, size))
        case ListType():
            items = tuple(enumerate_values(type_.item, moment))
            for size in range(moment.domain_sizes.longest_list + 1):
                yield from itertools.product(items, repeat=size)
        case MapType():
            yield from _map_values(type_, moment)
        case RecordType():
            made = record_class(type_.name, tuple(name for name, _ in type_.fields))
            for values in itertools.product(
                *(tuple(enumerate_values(field, moment)) for _, field in type_.fields)
            ):
                yield made(*values)


def _map_values(type_: MapType, moment: ValueContext) -> Iterator[Value]:
    keys, values = (
        tuple(enumerate_values(type_.key, moment)),
        tuple(enumerate_values(type_.value, moment)),
    )
    sizes = [len(keys)] if type_.total else range(len(keys) + 1)
    for size in sizes:
        for chosen in itertools.combinations(keys, size):
            for given in itertools.product(values, repeat=size):
                yield FrozenMap(zip(chosen, given, strict=True))
