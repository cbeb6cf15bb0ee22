"""A system with a program's actions hung on it, ready to be brought to life."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from attrs import field, frozen

from statemachines.embed.hooks import refuse_coroutines
from statemachines.embed.systems.embedded_systems import SafeSystem, SystemInstance
from statemachines.embed.systems.system_hooks import SystemHooks, refuse_coroutine_listeners
from statemachines.model.definitions.system_definitions import SystemDefinition, SystemSnapshot
from statemachines.semantics.system.system_initial_snapshots import (
    SystemBeginning,
    initial_system_snapshot,
)

if TYPE_CHECKING:
    from statemachines.embed.systems.async_systems import AsyncSystem


@frozen
class SystemBinding:
    """A system and what is bound to it.

    Each method takes what `system.instance` takes and brings one to life.
    """

    system: SystemDefinition = field(repr=lambda system: system.name)
    hooks: SystemHooks

    def instance(
        self, begin: SystemSnapshot | None = None, /, **beginning: Unpack[SystemBeginning]
    ) -> SystemInstance:
        """Bring one to life, for one thread.

        Args:
            begin: a snapshot to go on from; nothing else is said then.
            beginning: how it begins otherwise, by name: `keys`, `states`, `absent`, `parameters`.

        Returns:
            An instance whose steps call what is bound.

        Raises:
            BindingError: an action is asynchronous.
            ArgumentsError: no system begins so.
        """
        self._refuse_coroutines()
        first = self._first(begin, beginning)
        return SystemInstance(self.hooks, self.system, first)

    def threadsafe(
        self, begin: SystemSnapshot | None = None, /, **beginning: Unpack[SystemBeginning]
    ) -> SafeSystem:
        """Bring one to life that several threads may send to.

        Args:
            begin: a snapshot to go on from; nothing else is said then.
            beginning: how it begins otherwise, by name: `keys`, `states`, `absent`, `parameters`.

        Returns:
            An instance in which one event is over, with all that it sends, before the next one.

        Raises:
            BindingError: an action is asynchronous.
            ArgumentsError: no system begins so.
        """
        self._refuse_coroutines()
        first = self._first(begin, beginning)
        return SafeSystem(self.hooks, self.system, first)

    def asynchronous(
        self, begin: SystemSnapshot | None = None, /, **beginning: Unpack[SystemBeginning]
    ) -> AsyncSystem:
        """Bring one to life whose `send` is awaited, and whose actions may be coroutines.

        Args:
            begin: a snapshot to go on from; nothing else is said then.
            beginning: how it begins otherwise, by name: `keys`, `states`, `absent`, `parameters`.

        Returns:
            An instance in which one event is over, with all that it sends, before the next one.

        Raises:
            ArgumentsError: no system begins so.
        """
        from statemachines.embed.systems.async_systems import AsyncSystem

        first = self._first(begin, beginning)
        return AsyncSystem(self.hooks, self.system, first)

    def _refuse_coroutines(self) -> None:
        for hooks in self.hooks.parts.values():
            refuse_coroutines(hooks)
        refuse_coroutine_listeners(self.hooks)

    def _first(self, begin: SystemSnapshot | None, beginning: SystemBeginning) -> SystemSnapshot:
        """Return the snapshot to go on from, or the one in which a system begins."""
        return begin if begin is not None else initial_system_snapshot(self.system, **beginning)
