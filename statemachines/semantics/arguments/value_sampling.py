"""Random parameters and arguments: drawn from their types at a moment, filtered by `where`."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from random import Random

import attrs

from statemachines.model.definitions.snapshots import NamedValues, Snapshot, Value
from statemachines.model.language.frozen_values import FrozenMap, make_record
from statemachines.model.language.value_types import (
    ElementType,
    IdType,
    IntType,
    ListType,
    MapType,
    OptionalType,
    RecordType,
    SetType,
    Type,
)
from statemachines.semantics.arguments.enumeration import build_enumeration
from statemachines.semantics.evaluation.behaviour import Behaviour
from statemachines.semantics.machine.value_enumeration import (
    DomainSizes,
    ValueContext,
    enumerate_values,
    integer_range,
)
from statemachines.semantics.messages.argument_errors import ArgumentsError

MOST_SAMPLES = 100
"""How often arguments are drawn before all of them are gone through."""
MOST_FITTING = 5_000
"""How many that fit are chosen from then."""
MOST_ENUMERATED = 200_000
"""How many are gone through to find them."""
MOST_VALUES = 100_000
"""Values of a type from which one is drawn; of whole numbers all count."""


class NoValueToSample(Exception):
    """A type has no value at this moment."""


def sample_value(type_: Type, moment: ValueContext, random: Random) -> Value:
    """Draw a value of a type.

    Args:
        type_: of the value.
        moment: state and variables on which the type may depend.
        random: what draws.

    Returns:
        A value of the type.

    Raises:
        NoValueToSample: it has none now, such as an element of an empty set.
    """
    match type_:
        case ElementType():
            return _random_choice(moment.elements(type_), random)
        case OptionalType():
            return None if random.random() < 0.3 else sample_value(type_.item, moment, random)
        case SetType():
            return frozenset(_random_subset(_first_values(type_.item, moment), random))
        case ListType():
            length = random.randint(0, moment.domain_sizes.longest_list)
            return tuple(sample_value(type_.item, moment, random) for _ in range(length))
        case MapType():
            keys = _first_values(type_.key, moment)
            chosen = keys if type_.total else _random_subset(keys, random)
            return FrozenMap({key: sample_value(type_.value, moment, random) for key in chosen})
        case RecordType():
            names = tuple(name for name, _ in type_.fields)
            return make_record(
                type_.name,
                names,
                [sample_value(field, moment, random) for _, field in type_.fields],
            )
        case IntType():
            return random.choice(integer_range(type_, moment.domain_sizes))
    return _random_choice(_first_values(type_, moment), random)


def _first_values(type_: Type, moment: ValueContext) -> tuple[Value, ...]:
    """Return the values of a type, the first 100,000 of them."""
    return tuple(itertools.islice(enumerate_values(type_, moment), MOST_VALUES))


def _random_choice(values: tuple[Value, ...], random: Random) -> Value:
    if not values:
        raise NoValueToSample
    return random.choice(values)


def _random_subset(values: tuple[Value, ...], random: Random) -> list[Value]:
    """Draw a subset: all, none or one of them are as likely as any other number."""
    return random.sample(values, random.randint(0, len(values)))


def sample_arguments(
    behaviour: Behaviour, extent: DomainSizes, snapshot: Snapshot, event: str, random: Random
) -> NamedValues | None:
    """Draw an event's arguments; None where there are none that fit.

    Args:
        behaviour: of the machine.
        extent: how many values types have.
        snapshot: where it is.
        event: its name.
        random: what draws.

    Returns:
        Arguments by name.

    Limits: where `where` leaves very few, the first 200,000 in order are gone through; what lies
    beyond is not found.
    """
    arguments, where = behaviour.signature(event).arguments, behaviour.argument_condition(event)
    if not arguments:
        return (
            {}
            if where is None or where(snapshot.state, snapshot.variables, snapshot.parameters, {})
            else None
        )
    for _ in range(MOST_SAMPLES if where is not None else 1):
        sampled = dict[str, Value]()
        moment = ValueContext(
            behaviour, extent, snapshot.state, snapshot.variables, snapshot.parameters, sampled
        )
        try:
            for argument in arguments:
                sampled[argument.name] = sample_value(argument.type, moment, random)
        except NoValueToSample:
            return None
        if where is None or where(snapshot.state, snapshot.variables, snapshot.parameters, sampled):
            return sampled
    fitting = list(fitting_arguments(behaviour, extent, snapshot, event))
    return random.choice(fitting) if fitting else None


def fitting_arguments(
    behaviour: Behaviour, extent: DomainSizes, snapshot: Snapshot, event: str
) -> Iterator[NamedValues]:
    """Yield the first 5,000 arguments of an event that fit, of the first 200,000 in order.

    Args:
        behaviour: of the machine.
        extent: how many values types have.
        snapshot: where it is.
        event: its name.

    Yields:
        Arguments by name.
    """
    enumeration = build_enumeration(behaviour, extent, event, MOST_ENUMERATED)
    return itertools.islice(enumeration.arguments_at(snapshot), MOST_FITTING)


def sample_parameters(
    behaviour: Behaviour, extent: DomainSizes, random: Random, given: NamedValues
) -> NamedValues:
    """Draw an instance's parameters: those that are given, else those of the spec's `scope`, else
    any of their types.

    Args:
        behaviour: of the machine.
        extent: how many values types have.
        random: what draws.
        given: by name; the others are drawn.

    Returns:
        Parameters by name.

    Raises:
        ArgumentsError: none were found that fit, or a given one does not.
    """
    scoped = dict(behaviour.machine.data.scope.parameters)
    outside = {
        name: frozenset(extent.id_values(type_))
        for name, type_ in behaviour.machine.data.types
        if isinstance(type_, IdType)
    }
    wrong = ArgumentsError("no parameters were found that fit")
    for _ in range(MOST_SAMPLES):
        sampled = dict(given)
        for parameter in behaviour.machine.data.parameters:
            moment = ValueContext(behaviour, extent, "", {}, sampled, {})
            if parameter.name in sampled:
                continue
            if parameter.name in scoped:
                sampled[parameter.name] = behaviour.evaluator(scoped[parameter.name])(
                    "", {}, sampled, None, None, outside
                )
            else:
                sampled[parameter.name] = sample_value(parameter.type, moment, random)
        try:
            return behaviour.checked_parameters(sampled)
        except ArgumentsError as error:
            wrong = error
    raise wrong


def widened_extent(
    extent: DomainSizes,
    sizes: Mapping[str, int],
    integers: tuple[int, int] | None = None,
    longest: int | None = None,
) -> DomainSizes:
    """Return an extent with other numbers of values for some `id` types, with another range of
    integers and longer lists where given.

    Args:
        extent: how many values types have.
        sizes: number of values by type.
        integers: lowest and highest; None: as before.
        longest: list; None: as before.

    Returns:
        A new extent.
    """
    longest = extent.longest_list if longest is None else longest
    return attrs.evolve(
        extent,
        sizes={**extent.sizes, **sizes},
        integers=integers or extent.integers,
        longest_list=longest,
    )
