"""Interchangeable names: rows that differ in nothing but which name is which stand for each other.

Sound because nothing in the notation tells one opaque name from another: they are compared for being equal, and nothing else. Properties
over one moment or one step are the same for all rows of such a class; what must follow one day (`leads to`) is not looked at so.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from operator import getitem

from attrs import define, field

from statemachines.explore.columns import Column, Row
from statemachines.explore.scopes import id_types
from statemachines.explore.search import Canonical
from statemachines.explore.signatures import Signatures
from statemachines.explore.world import World
from statemachines.model.snapshots import Value
from statemachines.model.types import (
    ElementType,
    IdType,
    ListType,
    MapType,
    OptionalType,
    RecordType,
    SetType,
    Type,
)
from statemachines.model.values import FrozenMap, make_record
from statemachines.semantics.mistakes import ArgumentsError

MOST = 50_000
"""Permutations that are gone through for one row."""
LATELY = 1 << 16
"""Rows whose class is remembered."""
Names = Mapping[tuple[str, Value], Value]
"""(type, name) to the name that takes its place."""


def permuted(type_: Type | None, value: Value, names: Names) -> Value:
    """Return a value with other names in it."""
    match type_, value:
        case IdType(), _:
            return names.get((type_.name, value), value)
        case ElementType(), _:
            return permuted(type_.base, value, names)
        case OptionalType(), _ if value is not None:
            return permuted(type_.item, value, names)
        case SetType(), frozenset():
            return frozenset(permuted(type_.item, item, names) for item in value)
        case ListType(), tuple():
            return tuple(permuted(type_.item, item, names) for item in value)
        case MapType(), dict():
            return FrozenMap({permuted(type_.key, key, names): permuted(type_.value, item, names) for key, item in value.items()})
        case RecordType(), tuple():
            fields = tuple(name for name, _ in type_.fields)
            return make_record(type_.name, fields, [permuted(f, item, names) for (_, f), item in zip(type_.fields, value, strict=True)])
    return value


@define(eq=False)
class Permutation:
    """One way of renaming, remembered by the numbers of the values."""

    columns: tuple[Column, ...]
    names: Names
    known: list[dict[int, int]] = field(factory=list)

    def __attrs_post_init__(self) -> None:
        self.known = [{} for _ in self.columns]

    def of(self, row: Row) -> Row:
        """Return a row with other names in it."""
        try:
            return tuple(map(getitem, self.known, row))
        except KeyError:
            self._learn(row)
            return tuple(map(getitem, self.known, row))

    def _learn(self, row: Row) -> None:
        """Rename what the columns hold."""
        for column, known, number in zip(self.columns, self.known, row, strict=True):
            if number not in known:
                known[number] = column.number(permuted(column.type, column.values[number], self.names))


def canonical_of(world: World) -> Canonical:
    """Return the function that picks one row of each class: of all that renaming, or changing places of copies, makes of it.

    Raises:
        ArgumentsError: there are more than 50,000 ways of renaming, or copies whose names would have to be renamed together.

    Complexity: a look-up a column and way of renaming that signatures leave open, mostly one or two; steps lead to the same rows again and
        again, so the last 65,536 are remembered.
    """
    named = [(type_.name, world.extent.ids(type_)) for type_ in id_types(world.machine)]
    ways = math.prod(math.factorial(len(ids)) for _, ids in named)
    if ways > MOST:
        raise ArgumentsError(f"{ways:,} ways of renaming {', '.join(name for name, _ in named)} are too many; explore fewer of them")
    if world.copies > 1:
        return lru_cache(LATELY)(_sorted_copies(world, ways))

    @cache
    def rename(orders: tuple[tuple[Value, ...], ...]) -> Callable[[Row], Row]:
        both = zip(named, orders, strict=True)
        return Permutation(world.columns, {(name, old): new for (name, ids), order in both for new, old in zip(ids, order, strict=True)}).of

    return lru_cache(LATELY)(Signatures(world.columns, named, rename).canonical)


def _sorted_copies(world: World, ways: int) -> Canonical:
    """Return the function that puts copies in order; their names stay."""
    if ways > 1:
        raise ArgumentsError("copies of a machine with names of its own are explored without symmetry")
    width = world.width

    def ordered(row: Row) -> Row:
        parts = sorted(row[begin : begin + width] for begin in range(0, len(row), width))
        return tuple(itertools.chain(*parts))

    return ordered


def renamings(named: list[tuple[str, tuple[Value, ...]]]) -> list[Names]:
    """Return every way of renaming, the one that changes nothing first."""
    each = [[_renaming(name, ids, order) for order in itertools.permutations(ids)] for name, ids in named]
    return [{old: new for part in parts for old, new in part.items()} for parts in itertools.product(*each)]


def _renaming(name: str, ids: tuple[Value, ...], order: tuple[Value, ...]) -> Names:
    return {(name, old): new for old, new in zip(ids, order, strict=True)}
