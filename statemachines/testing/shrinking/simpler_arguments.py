"""Arguments that are simpler than others: what a failure is shown with, where it fails with them
too.
"""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve

from statemachines.model.definitions.snapshots import Value
from statemachines.model.language.frozen_values import FrozenMap, make_record
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
    Type,
)
from statemachines.semantics.machine.value_enumeration import DomainSizes, sort_key
from statemachines.testing.runs.attempts import Attempt, AttemptFinder


def simpler_attempts(trials: AttemptFinder, attempt: Attempt) -> Iterator[Attempt]:
    """Yield the event with one argument simpler, the simplest first; some may never fit.

    Args:
        trials: of the machine.
        attempt: the event with its arguments.

    Yields:
        Attempts of the same event.
    """
    for argument in trials.caller_arguments(attempt.event):
        value = attempt.arguments[argument.name]
        for other in simpler_values(argument.type, value, trials.extent):
            if other != value:
                yield evolve(
                    attempt,
                    arguments={**attempt.arguments, argument.name: other},
                    boundaries=frozenset(),
                )


def simpler_values(type_: Type, value: Value, extent: DomainSizes) -> Iterator[Value]:
    """Yield values that are simpler than one: nothing, smaller numbers, earlier names, fewer
    elements, simpler elements.

    Args:
        type_: of the value.
        value: the one to be simpler than.
        extent: how many values a type has.

    Yields:
        Values of the type, the simplest first.

    >>> from statemachines.model.language.value_types import INT, SetType
    >>> list(simpler_values(INT, 9, DomainSizes({})))
    [0, 4, 8]
    """
    match type_, value:
        case IntType(), int() if value is not True and value is not False:
            yield from _simpler_integers(type_, value)
        case OptionalType(), _ if value is not None:
            yield None
            yield from simpler_values(type_.item, value, extent)
        case SetType(), frozenset():
            items = sorted(value, key=sort_key)
            yield from (frozenset(fewer) for fewer in _fewer_items(tuple(items)))
            for item in items:
                yield from (
                    (value - {item}) | {other} for other in simpler_values(type_.item, item, extent)
                )
        case ListType(), tuple():
            yield from _fewer_items(value)
            for index, item in enumerate(value):
                yield from (
                    (*value[:index], other, *value[index + 1 :])
                    for other in simpler_values(type_.item, item, extent)
                )
        case MapType(), dict():
            for fewer in () if type_.total else _fewer_items(tuple(value)):
                yield FrozenMap({key: value[key] for key in fewer})
            for key, item in value.items():
                yield from (
                    FrozenMap({**value, key: other})
                    for other in simpler_values(type_.value, item, extent)
                )
        case RecordType(), tuple():
            names = tuple(name for name, _ in type_.fields)
            for index, (_, inner) in enumerate(type_.fields):
                for other in simpler_values(inner, value[index], extent):
                    yield make_record(
                        type_.name, names, [*value[:index], other, *value[index + 1 :]]
                    )
        case ElementType(), _:
            yield from simpler_values(type_.base, value, extent)
        case _:
            yield from _earlier_values(type_, value, extent)


def _simpler_integers(type_: IntType, value: int) -> Iterator[int]:
    """Yield the number nearest to nothing, one half way there, and the next one."""
    low = type_.low if type_.low is not None else value if value < 0 else 0
    nearest = max(low, min(0, value) if type_.high is None else min(0, type_.high))
    for other in (
        nearest,
        nearest + (value - nearest) // 2,
        value - 1 if value > nearest else value + 1,
    ):
        if abs(other - nearest) < abs(value - nearest):
            yield other


def _fewer_items(items: tuple[Value, ...]) -> Iterator[tuple[Value, ...]]:
    """Yield none of some elements, one half of them or the other, and all but one."""
    half = len(items) // 2
    if items:
        yield ()
    if half:
        yield items[:half]
        yield items[half:]
    if len(items) > 2:
        yield from (items[:index] + items[index + 1 :] for index in range(len(items)))


def _earlier_values(type_: Type, value: Value, extent: DomainSizes) -> Iterator[Value]:
    """Yield the values of a type that come before one: False, earlier members and names."""
    if isinstance(type_, BoolType):
        yield from (False,) if value is True else ()
        return
    every: tuple[Value, ...] = (
        extent.id_values(type_)
        if isinstance(type_, IdType)
        else type_.members
        if isinstance(type_, EnumType)
        else ()
    )
    if value in every:
        yield from every[: every.index(value)]
