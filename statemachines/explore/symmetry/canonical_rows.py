"""One row of each class of rows that differ in nothing but which interchangeable name is which.

Sound because nothing in the notation tells one opaque name from another: they are compared for
being equal, and nothing else. Properties over one moment or one step are the same for all rows of
such a class; what must follow one day (`leads to`) is not looked at so.

A name's *signature* in a row is what each column holds, seen from that name: it is marked, and all
others are alike. It is kept as one number, the sum of what is hashed of each column, so columns
that change places may do so. Renaming a row renames its signatures with it; so names may be put in
the order of their signatures first, and only those that tie change places, also two that tie by
chance. Where names of a tie may change places without changing the row, one order is enough.
"""

from __future__ import annotations

import hashlib
import itertools
import math
from collections.abc import Hashable, Iterable, Iterator
from functools import lru_cache
from operator import getitem

from attrs import define, field, frozen

from statemachines.explore.models.model_protocol import Model
from statemachines.explore.models.row_columns import Row
from statemachines.explore.rows.row_search import CanonicalRow
from statemachines.explore.symmetry.changed_names import Renaming, renamed_value, value_signature
from statemachines.explore.symmetry.model_names import COPY, ModelNames
from statemachines.model.definitions.snapshots import Value
from statemachines.semantics.messages.argument_errors import ArgumentsError

_MOST_PERMUTATIONS = 50_000
"""Permutations that are gone through for one row."""
_HASHED_BYTES = 6
"""Of what is hashed of a column: the sum of many is still a small integer."""
_REMEMBERED_ROWS = 1 << 16
"""Rows whose class is remembered."""
Names = tuple[Value, ...]
"""Those of one type, in an order."""


def build_canonical_row(model: Model) -> CanonicalRow:
    """Return the function that picks one row of each class: of all that renaming, or changing
    places of copies, makes of it.

    Args:
        model: what is explored.

    Returns:
        A function from a row to a row.

    Raises:
        ArgumentsError: there are more than 50,000 ways of renaming, or parts with some of the names
            only.

    Complexity: a look-up a column and way of renaming that signatures leave open, mostly one or
        two; steps lead to the same rows again and again, so the last 65,536 are remembered.

    Source: C. N. Ip and D. L. Dill, Better Verification through Symmetry, 1996.
    """
    names = model.names
    named = [(kind, ids) for kind, ids in names.named if len(ids) > 1]
    many = math.prod(math.factorial(len(ids)) for _, ids in named)
    copies_alone = all(kind == COPY.name for kind, _ in named)  # these are only put in order
    if many > _MOST_PERMUTATIONS and not copies_alone:
        raise ArgumentsError(
            f"{many:,} ways of renaming {', '.join(kind for kind, _ in named)} are too many;"
            " explore fewer of them"
        )
    signatures = _NameSignatures(names, named)
    for index, (_, ids) in enumerate(named):  # whether each can take the place of every other
        for other in ids[1:]:
            signatures.swapped(index, ids[0], other)
    return lru_cache(_REMEMBERED_ROWS)(signatures.canonical_row)


@define(eq=False, slots=False)
class _NameSignatures:
    """Puts names in the order of their signatures."""

    names: ModelNames
    named: list[tuple[str, Names]]
    known_signatures: dict[tuple[int, int], tuple[int, ...]] = field(factory=dict)
    """By column and number: how it looks to each name of each type, hashed."""
    known_renamings: dict[tuple[Names, ...], _RowRenaming] = field(factory=dict)
    """By the names of each type in the order in which they take the places of its names."""

    def canonical_row(self, row: Row) -> Row:
        """Return one row of all that renaming makes of this one, the same for each of them."""
        every = iter(self._row_signatures(row))
        orders = [
            list(self._possible_orders(row, index, [next(every) for _ in ids]))
            for index, (_, ids) in enumerate(self.named)
        ]
        return min(self._renaming(chosen).renamed(row) for chosen in itertools.product(*orders))

    def _row_signatures(self, row: Row) -> Iterable[int]:
        """Return how a row looks to each name."""
        known = self.known_signatures
        looks = [known.get(place) or self._column_signatures(*place) for place in enumerate(row)]
        return map(sum, zip(*looks, strict=True))

    def _column_signatures(self, index: int, number: int) -> tuple[int, ...]:
        names, owner = self.names, self.names.owners[index]
        value = names.columns[index].values[number]
        looks = (
            (
                owner.content,
                value_signature(owner.type, owner.key, kind, name),
                names.signature(index, value, kind, name),
            )
            for kind, ids in self.named
            for name in ids
        )
        signatures = self.known_signatures[index, number] = tuple(map(_hashed, looks))
        return signatures

    def _possible_orders(self, row: Row, index: int, signatures: list[int]) -> Iterator[Names]:
        """Yield the orders of a type's names that their signatures leave open."""
        ids = self.named[index][1]
        ordered = sorted(range(len(ids)), key=signatures.__getitem__)
        ties = [
            [ids[index] for index in tie]
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
        return all(self.swapped(index, tie[0], other).renamed(row) == row for other in tie[1:])

    def swapped(self, index: int, one: Value, other: Value) -> _RowRenaming:
        """Return what lets two names of a type change places.

        Raises:
            ArgumentsError: there is nothing of a part for one of them.
        """
        swap = {one: other, other: one}
        return self._renaming(
            tuple(
                tuple(swap.get(name, name) for name in ids) if at == index else ids
                for at, (_, ids) in enumerate(self.named)
            )
        )

    def _renaming(self, orders: tuple[Names, ...]) -> _RowRenaming:
        renaming = self.known_renamings.get(orders)
        if renaming is None:
            changed = {
                (kind, old): new
                for (kind, ids), order in zip(self.named, orders, strict=True)
                for new, old in zip(ids, order, strict=True)
            }
            renaming = self.known_renamings[orders] = _row_renaming(self.names, changed)
        return renaming


def _hashed(content: Hashable) -> int:
    """Return a number that is the same in every process: a search that goes on picks the same
    rows.
    """
    digest = hashlib.blake2b(repr(content).encode(), digest_size=_HASHED_BYTES).digest()
    return int.from_bytes(digest, "big")


@frozen(eq=False)
class _RowRenaming:
    """One way of renaming, remembered by the numbers of the values."""

    names: ModelNames
    changed: Renaming
    sources: tuple[int, ...]
    """For each column, the one whose value comes there."""
    known_ids: list[dict[int, int]]
    """For each column, what becomes of the numbers that come there."""

    def renamed(self, row: Row) -> Row:
        """Return a row with other names in it."""
        moved = [row[index] for index in self.sources]
        try:
            return tuple(map(getitem, self.known_ids, moved))
        except KeyError:
            self._rename_columns(moved)
            return tuple(map(getitem, self.known_ids, moved))

    def _rename_columns(self, moved: list[int]) -> None:
        """Rename what the columns hold."""
        for index, (known, number) in enumerate(zip(self.known_ids, moved, strict=True)):
            if number not in known:
                value = self.names.columns[self.sources[index]].values[number]
                renamed = self.names.renamed(index, value, self.changed)
                known[number] = self.names.columns[index].value_id(renamed)


def _row_renaming(names: ModelNames, changed: Renaming) -> _RowRenaming:
    """Return what gives rows other names.

    Raises:
        ArgumentsError: there is nothing of a part for some of the names that take its places.
    """
    columns = {(owner.content, owner.key): at for at, owner in enumerate(names.owners)}
    sources = [0] * len(names.owners)
    for index, owner in enumerate(names.owners):
        place = columns.get((owner.content, renamed_value(owner.type, owner.key, changed)))
        if place is None:
            raise ArgumentsError(
                f"there is one of {owner.content} for some names of {owner.type} only; explore it"
                " without symmetry"
            )
        sources[place] = index
    moves = [
        (id(names.columns[source]), id(column))
        for source, column in zip(sources, names.columns, strict=True)
    ]
    known: dict[tuple[int, int], dict[int, int]] = {move: {} for move in moves}
    return _RowRenaming(names, changed, tuple(sources), [known[move] for move in moves])
