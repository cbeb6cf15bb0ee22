"""What tells interchangeable names apart, so that few ways of renaming have to be gone through.

A name's *signature* in a row is what each column holds, seen from that name: it is marked, and all
others are alike. Renaming a row renames its signatures with it; so names may be put in the order of
their signatures first, and only those that tie change places. Where names of a tie may change
places without changing the row, one order is enough.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterator

from attrs import define, field

from statemachines.explore.models.row_columns import Column, Row
from statemachines.model.definitions.snapshots import Value
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

RenameRows = Callable[[tuple[tuple[Value, ...], ...]], Callable[[Row], Row]]
"""Takes, for each `id` type, the names in the order in which they take the places of its names;
gives what renames rows so.
"""


def value_signature(type_: Type | None, value: Value, kind: str, name: Value) -> Hashable:
    """Return a value with one name of an `id` type marked and no other name told."""
    match type_, value:
        case IdType(), _:
            return 1 if type_.name == kind and value == name else 0
        case ElementType(), _:
            return value_signature(type_.base, value, kind, name)
        case OptionalType(), _ if value is not None:
            return ("some", value_signature(type_.item, value, kind, name))
        case SetType(), frozenset():
            return tuple(
                sorted((value_signature(type_.item, item, kind, name) for item in value), key=repr)
            )
        case ListType(), tuple():
            return tuple(value_signature(type_.item, item, kind, name) for item in value)
        case MapType(), dict():
            pairs = (
                (
                    value_signature(type_.key, key, kind, name),
                    value_signature(type_.value, item, kind, name),
                )
                for key, item in value.items()
            )
            return tuple(sorted(pairs, key=repr))
        case RecordType(), tuple():
            return tuple(
                value_signature(inner, item, kind, name)
                for (_, inner), item in zip(type_.fields, value, strict=True)
            )
    return repr(value)


@define(eq=False)
class NameSignatures:
    """Puts names in the order of their signatures."""

    columns: tuple[Column, ...]
    named: list[tuple[str, tuple[Value, ...]]]
    rename_rows: RenameRows
    known_signatures: list[dict[int, tuple[str, ...]]] = field(factory=list)
    """By column and number: how it looks to each name of each type."""

    def __attrs_post_init__(self) -> None:
        self.known_signatures = [{} for _ in self.columns]

    def canonical_row(self, row: Row) -> Row:
        """Return one row of all that renaming makes of this one, the same for each of them."""
        looks = [self._column_signatures(index, number) for index, number in enumerate(row)]
        seen = iter(zip(*looks, strict=True))
        orders = [
            list(self._possible_orders(row, index, [next(seen) for _ in ids]))
            for index, (_, ids) in enumerate(self.named)
        ]
        return min(self.rename_rows(chosen)(row) for chosen in itertools.product(*orders))

    def _column_signatures(self, index: int, number: int) -> tuple[str, ...]:
        found = self.known_signatures[index].get(number)
        if found is None:
            column = self.columns[index]
            value = column.values[number]
            observed = (
                repr(value_signature(column.type, value, kind, name))
                for kind, ids in self.named
                for name in ids
            )
            found = self.known_signatures[index][number] = tuple(observed)
        return found

    def _possible_orders(
        self, row: Row, index: int, signatures: list[tuple[str, ...]]
    ) -> Iterator[tuple[Value, ...]]:
        """Yield the orders of a type's names that their signatures leave open."""
        ids = self.named[index][1]
        ordered = sorted(range(len(ids)), key=signatures.__getitem__)
        ties = [
            [ids[each] for each in tie]
            for _, tie in itertools.groupby(ordered, key=signatures.__getitem__)
        ]
        open_ = [
            (
                [tuple(tie)]
                if self._are_interchangeable(row, index, tie)
                else list(itertools.permutations(tie))
            )
            for tie in ties
        ]
        for chosen in itertools.product(*open_):
            yield tuple(itertools.chain(*chosen))

    def _are_interchangeable(self, row: Row, index: int, tie: list[Value]) -> bool:
        """Tell whether all names of a tie may change places without changing the row."""
        return all(
            self.rename_rows(self._swapped(index, tie[0], other))(row) == row for other in tie[1:]
        )

    def _swapped(self, index: int, one: Value, other: Value) -> tuple[tuple[Value, ...], ...]:
        swap = {one: other, other: one}
        return tuple(
            tuple(swap.get(name, name) for name in ids) if at == index else ids
            for at, (_, ids) in enumerate(self.named)
        )
