"""A machine with a program's actions hung on it, ready to be brought to life."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import field, frozen

from statemachines.embed.acting_instances import ActingInstance, SafeInstance
from statemachines.embed.hooks import Hooks, refuse_coroutines
from statemachines.model.definitions.snapshots import Snapshot, Value
from statemachines.semantics.machine.machine_tables import MachineTables

if TYPE_CHECKING:
    from statemachines.embed.async_instances import AsyncInstance


@frozen
class Binding:
    """A machine and what is bound to it.

    Each method takes what `machine.instance` takes and brings one to life.
    """

    tables: MachineTables = field(repr=lambda tables: tables.title)
    hooks: Hooks

    def instance(
        self, begin: str | Snapshot | None = None, /, **parameters: Value
    ) -> ActingInstance:
        """Bring one to life, for one thread.

        Args:
            begin: a state in which instances begin, or a snapshot to go on from; the first of
                the machine's `starts` where nothing is said.
            parameters: of the instance, by name.

        Returns:
            An instance whose `send` calls what is bound.

        Raises:
            BindingError: an action is asynchronous.
            ArgumentsError: no instance begins there, or a parameter does not fit.
        """
        refuse_coroutines(self.hooks)
        return ActingInstance(self.hooks, self.tables, begin, **parameters)

    def threadsafe(
        self, begin: str | Snapshot | None = None, /, **parameters: Value
    ) -> SafeInstance:
        """Bring one to life that several threads may send to.

        Args:
            begin: a state in which instances begin, or a snapshot to go on from; the first of
                the machine's `starts` where nothing is said.
            parameters: of the instance, by name.

        Returns:
            An instance in which one step is over before the next one begins.

        Raises:
            BindingError: an action is asynchronous.
            ArgumentsError: no instance begins there, or a parameter does not fit.
        """
        refuse_coroutines(self.hooks)
        return SafeInstance(self.hooks, self.tables, begin, **parameters)

    def asynchronous(
        self, begin: str | Snapshot | None = None, /, **parameters: Value
    ) -> AsyncInstance:
        """Bring one to life whose `send` is awaited, and whose actions may be coroutines.

        Args:
            begin: a state in which instances begin, or a snapshot to go on from; the first of
                the machine's `starts` where nothing is said.
            parameters: of the instance, by name.

        Returns:
            An instance in which one step is over before the next one begins.

        Raises:
            ArgumentsError: no instance begins there, or a parameter does not fit.
        """
        from statemachines.embed.async_instances import AsyncInstance

        return AsyncInstance(self.hooks, self.tables, begin, **parameters)
