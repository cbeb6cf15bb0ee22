"""The interchangeable names of what is explored, and where they stand in its rows."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

from attrs import field, frozen

from statemachines.explore.models.part_blocks import PartBlock
from statemachines.explore.models.row_columns import Column, ValueColumn
from statemachines.explore.scopes import id_types
from statemachines.explore.symmetry.changed_names import Renaming, renamed_value, value_signature
from statemachines.model.definitions.snapshots import Value
from statemachines.model.language.value_types import IdType, Type

COPY = IdType("a copy")
"""Copies of one machine change places as names do; no type of a spec has a space in its name."""


@frozen
class ColumnOwner:
    """What a column of a row holds, and whose."""

    content: Hashable
    """Columns with the same content change places when their owners do."""
    type: Type | None = None
    """Of the owner; None: nobody's."""
    key: Value = None
    """The owner."""


def _as_it_is(index: int, value: Any) -> Any:
    """Return a value."""
    del index
    return value


Change = Callable[[Type | None, Value], Any]
"""What is made of each value of a type: one with other names, or what one name sees of it."""


@frozen(eq=False)
class ModelNames:
    """The names of a model, and its rows seen by them."""

    named: Sequence[tuple[str, tuple[Value, ...]]]
    """The names of each `id` type."""
    owners: Sequence[ColumnOwner]
    """Whose each column of a row is."""
    columns: Sequence[ValueColumn]
    """The columns of a row: of all copies."""
    changed: Callable[[int, Any, Change], Any]
    """Makes something of what a column holds, value by value."""
    joined: Callable[[int, Any], Any] = _as_it_is
    """Makes a value of a column of what was changed in one."""

    def renamed(self, index: int, value: Any, names: Renaming) -> Any:
        """Return a value of a column with other names in it.

        Args:
            index: of the column.
            value: as a snapshot has it.
            names: which name stands for which.

        Returns:
            A value of the same column.
        """
        changed = self.changed(
            index, value, lambda type_, inner: renamed_value(type_, inner, names)
        )
        return self.joined(index, changed)

    def signature(self, index: int, value: Any, kind: str, name: Value) -> Hashable:
        """Return a value of a column as one name sees it.

        Args:
            index: of the column.
            value: as a snapshot has it.
            kind: the `id` type whose names change places.
            name: one of its names.

        Returns:
            What is equal for values that differ in other names only.
        """
        signature = self.changed(
            index, value, lambda type_, inner: value_signature(type_, inner, kind, name)
        )
        return (
            tuple(sorted(map(repr, signature))) if isinstance(signature, list) else repr(signature)
        )


@frozen(eq=False)
class NamesBeside:
    """The names of what stands beside the parts of a row."""

    named: Mapping[str, tuple[Value, ...]] = field(factory=dict)
    """The names of each `id` type."""
    owners: tuple[ColumnOwner, ...] = ()
    """Whose each column after those of the parts is."""
    changed: Callable[[int, Any, Change], Any] | None = None
    joined: Callable[[int, Any], Any] = _as_it_is


def model_names(
    blocks: Sequence[PartBlock],
    columns: Sequence[ValueColumn],
    beside: NamesBeside | None = None,
) -> ModelNames:
    """Return the names of a model: those of its parts, its copies, and what stands beside them.

    Args:
        blocks: the parts of a row.
        columns: of a row.
        beside: of what follows them there; None: nothing does.

    Returns:
        The names, and where they stand.
    """
    beside = beside or NamesBeside()
    named = {
        type_.name: block.kind.extent.id_values(type_)
        for block in blocks
        for type_ in id_types(block.kind.tables.machine)
    }
    copies = tuple(block.key for block in blocks if block.kind.key_type is COPY)
    owners = (
        ColumnOwner((block.kind.name, place), block.kind.key_type, block.key)
        for block in blocks
        for place in range(block.kind.width)
    )

    def changed(index: int, value: Any, change: Change) -> Any:
        column = columns[index]
        if isinstance(column, Column) or beside.changed is None:
            return change(getattr(column, "type", None), value)
        return beside.changed(index, value, change)

    return ModelNames(
        tuple((named | dict(beside.named) | ({COPY.name: copies} if copies else {})).items()),
        (*owners, *beside.owners),
        columns,
        changed,
        beside.joined,
    )
