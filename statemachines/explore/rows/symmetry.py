"""Interchangeable names: rows that differ in nothing but which name is which stand for each other.

Sound because nothing in the notation tells one opaque name from another: they are compared for
being equal, and nothing else. Properties over one moment or one step are the same for all rows of
such a class; what must follow one day (`leads to`) is not looked at so.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from operator import getitem

from attrs import define, field

from statemachines.explore.models.machine_model import MachineModel
from statemachines.explore.models.row_columns import Column, Row
from statemachines.explore.models.scopes import id_types
from statemachines.explore.rows.name_signatures import NameSignatures
from statemachines.explore.rows.row_search import CanonicalRow
from statemachines.model.definitions.snapshots import Value
from statemachines.model.language.frozen_values import FrozenMap, make_record
from statemachines.model.language.value_types import (
    ElementType,
    IdType,
    ListType,
    MapType,
    OptionalType,
    RecordType,
    SetType,
    Type,
)
from statemachines.semantics.messages.argument_errors import ArgumentsError

MOST_PERMUTATIONS = 50_000
"""Permutations that are gone through for one row."""
REMEMBERED_ROWS = 1 << 16
"""Rows whose class is remembered."""
Renaming = Mapping[tuple[str, Value], Value]
"""(type, name) to the name that takes its place."""


def renamed_value(type_: Type | None, value: Value, names: Renaming) -> Value:
    """Return a value with other names in it."""
    match type_, value:
        case IdType(), _:
            return names.get((type_.name, value), value)
        case ElementType(), _:
            return renamed_value(type_.base, value, names)
        case OptionalType(), _ if value is not None:
            return renamed_value(type_.item, value, names)
        case SetType(), frozenset():
            return frozenset(renamed_value(type_.item, item, names) for item in value)
        case ListType(), tuple():
            return tuple(renamed_value(type_.item, item, names) for item in value)
        case MapType(), dict():
            return FrozenMap(
                {
                    renamed_value(type_.key, key, names): renamed_value(type_.value, item, names)
                    for key, item in value.items()
                }
            )
        case RecordType(), tuple():
            fields = tuple(name for name, _ in type_.fields)
            return make_record(
                type_.name,
                fields,
                [
                    renamed_value(f, item, names)
                    for (_, f), item in zip(type_.fields, value, strict=True)
                ],
            )
    return value


@define(eq=False)
class RowRenaming:
    """One way of renaming, remembered by the numbers of the values."""

    columns: tuple[Column, ...]
    names: Renaming
    known_ids: list[dict[int, int]] = field(factory=list)

    def __attrs_post_init__(self) -> None:
        self.known_ids = [{} for _ in self.columns]

    def renamed(self, row: Row) -> Row:
        """Return a row with other names in it."""
        try:
            return tuple(map(getitem, self.known_ids, row))
        except KeyError:
            self._rename_columns(row)
            return tuple(map(getitem, self.known_ids, row))

    def _rename_columns(self, row: Row) -> None:
        """Rename what the columns hold."""
        for column, known, number in zip(self.columns, self.known_ids, row, strict=True):
            if number not in known:
                known[number] = column.value_id(
                    renamed_value(column.type, column.values[number], self.names)
                )


def build_canonical_row(world: MachineModel) -> CanonicalRow:
    """Return the function that picks one row of each class: of all that renaming, or changing
    places of copies, makes of it.

    Raises:
        ArgumentsError: there are more than 50,000 ways of renaming, or copies whose names would
            have to be renamed together.

    Complexity: a look-up a column and way of renaming that signatures leave open, mostly one or
        two; steps lead to the same rows again and again, so the last 65,536 are remembered.
    """
    named = [(type_.name, world.extent.id_values(type_)) for type_ in id_types(world.machine)]
    arrangements = math.prod(math.factorial(len(ids)) for _, ids in named)
    if arrangements > MOST_PERMUTATIONS:
        raise ArgumentsError(
            f"{arrangements:,} ways of renaming {', '.join(name for name, _ in named)} are too"
            " many; explore fewer of them"
        )
    if world.copies > 1:
        return lru_cache(REMEMBERED_ROWS)(_sorted_copies(world, arrangements))

    @cache
    def rename(orders: tuple[tuple[Value, ...], ...]) -> Callable[[Row], Row]:
        both = zip(named, orders, strict=True)
        return RowRenaming(
            world.columns,
            {
                (name, old): new
                for (name, ids), order in both
                for new, old in zip(ids, order, strict=True)
            },
        ).renamed

    return lru_cache(REMEMBERED_ROWS)(NameSignatures(world.columns, named, rename).canonical_row)


def _sorted_copies(world: MachineModel, arrangements: int) -> CanonicalRow:
    """Return the function that puts copies in order; their names stay."""
    if arrangements > 1:
        raise ArgumentsError(
            "copies of a machine with names of its own are explored without symmetry"
        )
    width = world.width

    def ordered(row: Row) -> Row:
        parts = sorted(row[begin : begin + width] for begin in range(0, len(row), width))
        return tuple(itertools.chain(*parts))

    return ordered


def all_renamings(named: list[tuple[str, tuple[Value, ...]]]) -> list[Renaming]:
    """Return every way of renaming, the one that changes nothing first."""
    each = [
        [_type_renaming(name, ids, order) for order in itertools.permutations(ids)]
        for name, ids in named
    ]
    return [
        {old: new for part in parts for old, new in part.items()}
        for parts in itertools.product(*each)
    ]


def _type_renaming(name: str, ids: tuple[Value, ...], order: tuple[Value, ...]) -> Renaming:
    return {(name, old): new for old, new in zip(ids, order, strict=True)}
