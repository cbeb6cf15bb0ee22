"""The interchangeable names of what is explored, and where they stand in its rows."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Protocol

from attrs import frozen

from statemachines.explore.models.row_columns import Column, ValueColumn
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


class ModelNames(Protocol):
    """The names of a model, and its rows seen by them."""

    @property
    def named(self) -> Sequence[tuple[str, tuple[Value, ...]]]:
        """The names of each `id` type."""
        ...

    @property
    def owners(self) -> Sequence[ColumnOwner]:
        """Whose each column of a row is."""
        ...

    @property
    def columns(self) -> Sequence[ValueColumn]:
        """The columns of a row: of all copies."""
        ...

    def renamed(self, index: int, value: Any, names: Renaming) -> Any:
        """Return a value of a column with other names in it.

        Args:
            index: of the column.
            value: as a snapshot has it.
            names: which name stands for which.

        Returns:
            A value of the same column.
        """
        ...

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
        ...


@frozen(eq=False)
class MachineNames:
    """The names of a machine, and the copies of it."""

    named: tuple[tuple[str, tuple[Value, ...]], ...]
    owners: tuple[ColumnOwner, ...]
    columns: tuple[Column, ...]

    def renamed(self, index: int, value: Any, names: Renaming) -> Any:
        """Return a value of a column with other names in it.

        Args:
            index: of the column.
            value: as a snapshot has it.
            names: which name stands for which.

        Returns:
            A value of the same column.
        """
        return renamed_value(self.columns[index].type, value, names)

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
        return value_signature(self.columns[index].type, value, kind, name)


def machine_names(
    machine: MachineDefinition, extent: DomainSizes, columns: tuple[Column, ...], copies: int
) -> MachineNames:
    """Return the names of a machine, and of the copies of it that are explored.

    Args:
        machine: in one release.
        extent: how many values types have.
        columns: of a row of one copy.
        copies: how many there are.

    Returns:
        The names, and where they stand.
    """
    named = [(type_.name, extent.id_values(type_)) for type_ in id_types(machine)]
    if copies > 1:
        named.append((COPY.name, tuple(range(copies))))
    owners = (
        ColumnOwner(index, COPY if copies > 1 else None, copy)
        for copy in range(copies)
        for index in range(len(columns))
    )
    return MachineNames(tuple(named), tuple(owners), columns * copies)
