"""A system with a program's actions hung on it, ready to be brought to life."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from attrs import frozen

from statemachines.embed.hooks import refuse_coroutines
from statemachines.embed.systems.embedded_systems import SafeSystem, SystemInstance
from statemachines.embed.systems.system_hooks import SystemHooks, refuse_coroutine_listeners
from statemachines.model.definitions.snapshots import Value
from statemachines.model.definitions.system_definitions import SystemDefinition, SystemSnapshot
from statemachines.semantics.system.system_initial_snapshots import (
    PartKeys,
    initial_system_snapshot,
)

if TYPE_CHECKING:
    from statemachines.embed.systems.async_systems import AsyncSystem


@frozen
class SystemBinding:
    """A system and what is bound to it.

    Each method takes what `system.instance` takes and brings one to life.
    """

    system: SystemDefinition
    hooks: SystemHooks

    def instance(
        self,
        begin: SystemSnapshot | None = None,
        /,
        *,
        keys: PartKeys | None = None,
        states: Mapping[str, object] | None = None,
        absent: Iterable[str] = (),
        parameters: Mapping[str, Value] | None = None,
    ) -> SystemInstance:
        """Bring one to life, for one thread.

        Args:
            begin: a snapshot to go on from; nothing else is said then.
            keys: of each part that there is once for each value of an `id` type, its keys.
            states: of a part, the state in which it begins.
            absent: optional parts that are not there.
            parameters: of the system, by name.

        Returns:
            An instance whose steps call what is bound.

        Raises:
            BindingError: an action is asynchronous.
            ArgumentsError: no system begins so.
        """
        self._refuse_coroutines()
        first = _initial_or_given(self.system, begin, keys, states, absent, parameters)
        return SystemInstance(self.hooks, self.system, first)

    def threadsafe(
        self,
        begin: SystemSnapshot | None = None,
        /,
        *,
        keys: PartKeys | None = None,
        states: Mapping[str, object] | None = None,
        absent: Iterable[str] = (),
        parameters: Mapping[str, Value] | None = None,
    ) -> SafeSystem:
        """Bring one to life that several threads may send to.

        Args:
            begin: a snapshot to go on from; nothing else is said then.
            keys: of each part that there is once for each value of an `id` type, its keys.
            states: of a part, the state in which it begins.
            absent: optional parts that are not there.
            parameters: of the system, by name.

        Returns:
            An instance in which one event is over, with all that it sends, before the next one.

        Raises:
            BindingError: an action is asynchronous.
            ArgumentsError: no system begins so.
        """
        self._refuse_coroutines()
        first = _initial_or_given(self.system, begin, keys, states, absent, parameters)
        return SafeSystem(self.hooks, self.system, first)

    def asynchronous(
        self,
        begin: SystemSnapshot | None = None,
        /,
        *,
        keys: PartKeys | None = None,
        states: Mapping[str, object] | None = None,
        absent: Iterable[str] = (),
        parameters: Mapping[str, Value] | None = None,
    ) -> AsyncSystem:
        """Bring one to life whose `send` is awaited, and whose actions may be coroutines.

        Args:
            begin: a snapshot to go on from; nothing else is said then.
            keys: of each part that there is once for each value of an `id` type, its keys.
            states: of a part, the state in which it begins.
            absent: optional parts that are not there.
            parameters: of the system, by name.

        Returns:
            An instance in which one event is over, with all that it sends, before the next one.

        Raises:
            ArgumentsError: no system begins so.
        """
        from statemachines.embed.systems.async_systems import AsyncSystem

        first = _initial_or_given(self.system, begin, keys, states, absent, parameters)
        return AsyncSystem(self.hooks, self.system, first)

    def _refuse_coroutines(self) -> None:
        for hooks in self.hooks.parts.values():
            refuse_coroutines(hooks)
        refuse_coroutine_listeners(self.hooks)


def _initial_or_given(
    system: SystemDefinition,
    begin: SystemSnapshot | None,
    keys: PartKeys | None,
    states: Mapping[str, object] | None,
    absent: Iterable[str],
    parameters: Mapping[str, Value] | None,
) -> SystemSnapshot:
    """Return the snapshot to go on from, or the one in which a system begins."""
    if begin is not None:
        return begin
    return initial_system_snapshot(
        system, keys=keys, states=states, absent=absent, parameters=parameters
    )
