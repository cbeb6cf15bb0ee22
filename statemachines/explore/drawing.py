"""Random parameters and arguments: drawn from their types at a moment, filtered by `where`."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from random import Random

import attrs

from statemachines.model.data import Argument
from statemachines.model.snapshots import Snapshot, Value
from statemachines.model.types import (
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
from statemachines.model.values import FrozenMap, make_record
from statemachines.semantics.behaviour import Behaviour
from statemachines.semantics.choices import Extent, Moment, numbers_of, values_of
from statemachines.semantics.mistakes import ArgumentsError

Values = Mapping[str, Value]
TRIES = 100
"""How often arguments are drawn before all of them are gone through."""
MOST_TRIED = 5_000
"""How many that fit are chosen from then."""
MOST_GONE_THROUGH = 200_000
"""How many are gone through to find them."""
MOST_VALUES = 100_000
"""Values of a type from which one is drawn; of whole numbers all count."""


class NothingToDraw(Exception):
    """A type has no value at this moment."""


def draw_value(type_: Type, moment: Moment, random: Random) -> Value:
    """Draw a value of a type.

    Raises:
        NothingToDraw: it has none now, such as an element of an empty set.
    """
    match type_:
        case ElementType():
            return _choice(moment.elements(type_), random)
        case OptionalType():
            return None if random.random() < 0.3 else draw_value(type_.item, moment, random)
        case SetType():
            return frozenset(_some(_first(type_.item, moment), random))
        case ListType():
            length = random.randint(0, moment.extent.longest)
            return tuple(draw_value(type_.item, moment, random) for _ in range(length))
        case MapType():
            keys = _first(type_.key, moment)
            chosen = keys if type_.total else _some(keys, random)
            return FrozenMap({key: draw_value(type_.value, moment, random) for key in chosen})
        case RecordType():
            names = tuple(name for name, _ in type_.fields)
            return make_record(type_.name, names, [draw_value(field, moment, random) for _, field in type_.fields])
        case IntType():
            return random.choice(numbers_of(type_, moment.extent))
    return _choice(_first(type_, moment), random)


def _first(type_: Type, moment: Moment) -> tuple[Value, ...]:
    """Return the values of a type, the first 100,000 of them."""
    return tuple(itertools.islice(values_of(type_, moment), MOST_VALUES))


def _choice(values: tuple[Value, ...], random: Random) -> Value:
    if not values:
        raise NothingToDraw
    return random.choice(values)


def _some(values: tuple[Value, ...], random: Random) -> list[Value]:
    """Draw a subset: all, none or one of them are as likely as any other number."""
    return random.sample(values, random.randint(0, len(values)))


def draw_arguments(behaviour: Behaviour, extent: Extent, snapshot: Snapshot, event: str, random: Random) -> Values | None:
    """Draw an event's arguments; None where there are none that fit.

    Limits: where `where` leaves very few, the first 200,000 in order are gone through; what lies beyond is not found.
    """
    arguments, where = behaviour.signature(event).arguments, behaviour.where(event)
    if not arguments:
        return {} if where is None or where(snapshot.state, snapshot.variables, snapshot.parameters, {}) else None
    for _ in range(TRIES if where is not None else 1):
        try:
            drawn = _draw_all(behaviour, extent, snapshot, event, random)
        except NothingToDraw:
            return None
        if where is None or where(snapshot.state, snapshot.variables, snapshot.parameters, drawn):
            return drawn
    every = all_arguments(behaviour, extent, snapshot, event, most=MOST_GONE_THROUGH)
    found = list(itertools.islice(every, MOST_TRIED))
    return random.choice(found) if found else None


def _draw_all(behaviour: Behaviour, extent: Extent, snapshot: Snapshot, event: str, random: Random) -> Values:
    drawn = dict[str, Value]()
    for argument in behaviour.signature(event).arguments:
        drawn[argument.name] = draw_value(argument.type, _moment(behaviour, extent, snapshot, drawn), random)
    return drawn


def _moment(behaviour: Behaviour, extent: Extent, snapshot: Snapshot, arguments: Values) -> Moment:
    return Moment(behaviour, extent, snapshot.state, snapshot.variables, snapshot.parameters, arguments)


def all_arguments(behaviour: Behaviour, extent: Extent, snapshot: Snapshot, event: str, *, most: int | None = None) -> Iterator[Values]:
    """Yield all arguments of an event at a moment, those against `where` left out.

    Args:
        behaviour: of the machine.
        extent: how many values types have.
        snapshot: the moment.
        event: whose arguments.
        most: how many are looked at, those left out counted; None: all.

    Limits: as many as the product of what the types have; they are made one by one.
    """
    where = behaviour.where(event)
    for one in itertools.islice(_assignments(behaviour, extent, snapshot, behaviour.signature(event).arguments, {}), most):
        if where is None or where(snapshot.state, snapshot.variables, snapshot.parameters, one):
            yield one


def _assignments(
    behaviour: Behaviour, extent: Extent, snapshot: Snapshot, arguments: tuple[Argument, ...], known: Values
) -> Iterator[Values]:
    """Yield all values of the first argument with all of those after it, which may depend on it."""
    if not arguments:
        yield known
        return
    for value in values_of(arguments[0].type, _moment(behaviour, extent, snapshot, known)):
        yield from _assignments(behaviour, extent, snapshot, arguments[1:], {**known, arguments[0].name: value})


def draw_parameters(behaviour: Behaviour, extent: Extent, random: Random, given: Values) -> Values:
    """Draw an instance's parameters: those that are given, else those of the spec's `scope`, else any of their types.

    Raises:
        ArgumentsError: none were found that fit, or a given one does not.
    """
    scoped = dict(behaviour.machine.data.scope.parameters)
    outside = {name: frozenset(extent.ids(type_)) for name, type_ in behaviour.machine.data.types if isinstance(type_, IdType)}
    wrong = ArgumentsError("no parameters were found that fit")
    for _ in range(TRIES):
        drawn = dict(given)
        for parameter in behaviour.machine.data.parameters:
            moment = Moment(behaviour, extent, "", {}, drawn, {})
            if parameter.name in drawn:
                continue
            if parameter.name in scoped:
                drawn[parameter.name] = behaviour.evaluate(scoped[parameter.name])("", {}, drawn, None, None, outside)
            else:
                drawn[parameter.name] = draw_value(parameter.type, moment, random)
        try:
            return behaviour.parameters(drawn)
        except ArgumentsError as error:
            wrong = error
    raise wrong


def wider(extent: Extent, sizes: Mapping[str, int], integers: tuple[int, int] | None = None, longest: int | None = None) -> Extent:
    """Return an extent with other numbers of values for some `id` types, with another range of integers and longer lists where given."""
    longest = extent.longest if longest is None else longest
    return attrs.evolve(extent, sizes={**extent.sizes, **sizes}, integers=integers or extent.integers, longest=longest)
