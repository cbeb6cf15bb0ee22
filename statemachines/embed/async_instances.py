"""Instances for asyncio: actions and listeners may be coroutines."""

from __future__ import annotations

from functools import partial

from statemachines.embed.acting_instances import ActingInstance
from statemachines.embed.awaited_steps import AwaitedSteps
from statemachines.embed.hooks import Hooks, Occurrence
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.definitions.snapshots import Snapshot, Value
from statemachines.semantics.machine.machine_tables import TablesHolder


class AsyncInstance(AwaitedSteps[Occurrence], ActingInstance):
    """An instance whose `send` is awaited; tasks that send at the same time wait for each other, in
    their order.

    A task that is cancelled in the middle of a step leaves the snapshot as it was. Everything else
    is as for `ActingInstance`.
    """

    __slots__ = ("_lock", "_owner")

    def __init__(
        self,
        hooks: Hooks,
        machine: MachineDefinition | TablesHolder,
        begin: str | Snapshot | None = None,
        /,
        **parameters: Value,
    ) -> None:
        super().__init__(hooks, machine, begin, **parameters)
        self._new_lock()

    async def send(self, event: str, /, **arguments: Value) -> Value:
        """Let an event happen when no other task is in a step, with all that is bound to it.

        Args:
            event: one of the machine's events.
            arguments: of the event, by name.

        Returns:
            What `Instance.send` returns.

        Raises:
            Busy: it is called by an action of the step before.
            NotAllowed, ArgumentsError: as `Instance.send`.
        """
        begin = partial(self._new_occurrence, event, arguments)
        return self._result(await self._perform_awaited(event, begin))
