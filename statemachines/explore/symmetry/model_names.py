"""The interchangeable names of what is explored, and where they stand in its rows."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

from attrs import frozen

from statemachines.explore.models.part_blocks import PartBlock
from statemachines.explore.models.row_columns import ValueColumn
from statemachines.explore.models.scopes import id_types
from statemachines.explore.symmetry.changed_names import Renaming, renamed_value, value_signature
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.definitions.snapshots import Value
from statemachines.model.language.value_types import IdType, Type
from statemachines.semantics.machine.value_enumeration import DomainSizes

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


def machine_names(
    machine: MachineDefinition, extent: DomainSizes, blocks: Sequence[PartBlock]
) -> ModelNames:
    """Return the names of a machine, and of the copies of it that are explored.

    Args:
        machine: in one release.
        extent: how many values types have.
        blocks: the copies.

    Returns:
        The names, and where they stand.
    """
    named = [(type_.name, extent.id_values(type_)) for type_ in id_types(machine)]
    if len(blocks) > 1:
        named.append((COPY.name, tuple(block.key for block in blocks)))
    owned = [owner for block in blocks for owner in block_owners(block, COPY)]
    owners = owned if len(blocks) > 1 else [ColumnOwner(owner.content) for owner in owned]
    every = tuple(column for block in blocks for column in block.kind.columns)
    return ModelNames(
        tuple(named),
        tuple(owners),
        every,
        lambda index, value, change: change(every[index].type, value),
    )


def block_owners(block: PartBlock, type_: Type | None) -> list[ColumnOwner]:
    """Return whose the columns of a part are; `type_`: of its key."""
    name = block.kind.name
    return [ColumnOwner((name, place), type_, block.key) for place in range(block.kind.width)]
