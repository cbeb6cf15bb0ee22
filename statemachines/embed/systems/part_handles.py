"""The parts of an embedded system, as a program holds them: it asks and sends by them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Protocol

from attrs import frozen

from statemachines.embed.instances import event_call, legal_events
from statemachines.model.definitions.snapshots import Snapshot, Value
from statemachines.model.definitions.system_definitions import SystemSnapshot
from statemachines.semantics.machine.machine_tables import MachineTables
from statemachines.semantics.messages.argument_errors import ArgumentsError, unknown_word
from statemachines.semantics.system.system_snapshots import missing_part_message
from statemachines.semantics.system.system_tables import SystemTables


class SystemHolder(Protocol):
    """An embedded system."""

    @property
    def tables(self) -> SystemTables:
        """The tables of its system."""
        ...

    @property
    def snapshot(self) -> SystemSnapshot:
        """The system as it is now."""
        ...

    def send(self, event: str, /, *, key: Value = None, **arguments: Value) -> Any:
        """Let an event happen.

        Args:
            event: as `part.event`.
            key: which of several parts.
            **arguments: of the event, by name.

        Returns:
            What the part's operation gives back.
        """
        ...

    def may(self, event: str, /, *, key: Value = None, **arguments: Value) -> bool:
        """Tell whether an event would be taken.

        Args:
            event: as `part.event`.
            key: which of several parts.
            **arguments: of the event, by name.

        Returns:
            Whether it would be allowed now; nothing is changed.
        """
        ...


@frozen(repr=False)
class PartHandle:
    """One part of an embedded system: it shows what the part is now, and what is sent to it is
    sent to the system.

    Events are called as methods and variables read as attributes, as of an instance of a machine.
    """

    system: SystemHolder
    name: str
    key: Value = None
    """Which one, of a part that there is several times."""

    @property
    def snapshot(self) -> Snapshot:
        """State, variables and parameters of the part now.

        Raises:
            ArgumentsError: it is not there.
        """
        held = self.system.snapshot.parts[self.name]
        snapshot = held.get(self.key) if isinstance(held, Mapping) else held
        if snapshot is None:
            part = self.system.tables.parts[self.name]
            raise ArgumentsError(missing_part_message(part, self.key, held))
        return snapshot

    @property
    def state(self) -> str:
        """Where it is."""
        return self.snapshot.state

    @property
    def variables(self) -> Mapping[str, Value]:
        """The variables' values."""
        return self.snapshot.variables

    @property
    def parameters(self) -> Mapping[str, Value]:
        """The parameters' values."""
        return self.snapshot.parameters

    @property
    def machine_tables(self) -> MachineTables:
        """The tables of its machine."""
        return self.system.tables.tables[self.name]

    @property
    def legal(self) -> tuple[str, ...]:
        """The events that a transition from here has, in the author's order; guards and links are
        not asked.
        """
        return legal_events(self.machine_tables, self.state)

    @property
    def final(self) -> bool:
        """Whether it is in a final state."""
        tables = self.machine_tables
        return bool(tables.final >> tables.state_index[self.state] & 1)

    def send(self, event: str, /, **arguments: Value) -> Any:
        """Let an event of this part happen; see `SystemInstance.send`.

        Args:
            event: one of the machine's events.
            arguments: of the event, by name.

        Returns:
            What the operation returns.

        Raises:
            NotAllowed: the part or a link does not allow it, and nothing has changed.
            ArgumentsError: the machine has no such event, or the arguments do not fit.
        """
        return self.system.send(f"{self.name}.{event}", key=self.key, **arguments)

    def may(self, event: str, /, **arguments: Value) -> bool:
        """Tell whether a transition would take the event, and no link forbids it.

        Args:
            event: one of the machine's events.
            arguments: of the event, by name.

        Returns:
            False also where the event would be ignored, or would raise.

        Raises:
            ArgumentsError: the machine has no such event, or the arguments do not fit.
        """
        return self.system.may(f"{self.name}.{event}", key=self.key, **arguments)

    def holds(self, predicate: str) -> bool:
        """Tell whether the part is in one of a predicate's states.

        Args:
            predicate: one of the machine's predicates.

        Returns:
            Whether it holds now.

        Raises:
            ArgumentsError: the machine has no such predicate.
        """
        return self.machine_tables.holds(predicate, self.state)

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *self.machine_tables.events, *self.variables]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name in self.variables:
            return self.variables[name]
        tables = self.machine_tables
        if name in tables.event_index:
            return event_call(self.send, tables, name)
        words = (*tables.events, *self.variables)
        raise AttributeError(
            str(unknown_word("event or variable", name, words, tables.title)), name=name, obj=self
        )

    def __repr__(self) -> str:
        return f"<{part_title(self.name, self.key)} in {self.state or 'its only state'}>"


@frozen(repr=False)
class PartHandles(Mapping[Value, PartHandle]):
    """All of a part that there is once for each key."""

    system: SystemHolder
    name: str

    def __getitem__(self, key: Value) -> PartHandle:
        if key not in self._held:
            raise KeyError(key)
        return PartHandle(self.system, self.name, key)

    def __iter__(self) -> Iterator[Value]:
        return iter(self._held)

    def __len__(self) -> int:
        return len(self._held)

    @property
    def _held(self) -> Mapping[Value, Snapshot]:
        held = self.system.snapshot.parts[self.name]
        assert isinstance(held, Mapping)
        return held

    def __repr__(self) -> str:
        return f"<{self.name}: {', '.join(map(repr, self))}>"


def part_title(name: str, key: Value) -> str:
    """Return how one of a part is written.

    Args:
        name: of the part.
        key: which of several; None where there is one.

    Returns:
        Python, as a program would write it.

    >>> part_title("belt", None), part_title("workers", "ann")
    ('belt', "workers['ann']")
    """
    return name if key is None else f"{name}[{key!r}]"
