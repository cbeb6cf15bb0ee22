"""What machines and systems say of themselves in the same words."""

from __future__ import annotations

from collections.abc import Mapping

from statemachines.model.definitions.data_definitions import Parameter, Variable
from statemachines.model.definitions.machine_definitions import MachineDefinition, SpecDefinition
from statemachines.model.definitions.system_definitions import (
    SystemDefinition,
    SystemSpecDefinition,
)
from statemachines.model.language.value_types import Type


class Described:
    """A machine or a system in one release, with its name and its data."""

    __slots__ = ()

    value: MachineDefinition | SystemDefinition

    @property
    def name(self) -> str:
        """The catalogue name."""
        return self.value.name

    @property
    def release(self) -> str:
        """Empty where there is no family."""
        return self.value.release

    @property
    def doc(self) -> str:
        """What the spec says of it."""
        return self.value.doc

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """What is fixed for an instance; each has a `name`, a `type` and a `doc`."""
        return self.value.data.parameters

    @property
    def variables(self) -> tuple[Variable, ...]:
        """What steps change; of a system, what its parts share. Each has a `name`, a `type` and a
        `doc`.
        """
        return self.value.data.variables

    @property
    def types(self) -> Mapping[str, Type]:
        """The declared types by name; an enumeration has its `members`, a record its `fields`."""
        return dict(self.value.data.types)


class Released:
    """A machine or a system as one file says it, in all its releases."""

    __slots__ = ()

    value: SpecDefinition | SystemSpecDefinition

    @property
    def name(self) -> str:
        """The catalogue name."""
        return self.value.name

    @property
    def doc(self) -> str:
        """What the spec says of it."""
        return self.value.doc

    @property
    def releases(self) -> tuple[str, ...]:
        """The releases in which it exists, oldest first; a single one without a name where there
        is no family.
        """
        return tuple(self.value.family.names(self.value.releases))
