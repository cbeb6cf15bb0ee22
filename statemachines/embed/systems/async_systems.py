"""Systems for asyncio: actions and listeners may be coroutines."""

from __future__ import annotations

from functools import partial
from typing import Any

from statemachines.embed.async_instances import AwaitedSteps
from statemachines.embed.systems.embedded_systems import SystemInstance
from statemachines.embed.systems.system_hooks import SystemHooks, SystemOccurrence
from statemachines.model.definitions.snapshots import Value
from statemachines.model.definitions.system_definitions import (
    PendingEvent,
    SystemAnswer,
    SystemDefinition,
    SystemSnapshot,
)


class AsyncSystem(AwaitedSteps[SystemOccurrence], SystemInstance):
    """An instance whose `send` and `deliver` are awaited; tasks wait for each other, in their
    order.

    A task that is cancelled in the middle of a step leaves the system as it was.
    """

    __slots__ = ("_lock", "_owner")

    def __init__(
        self, hooks: SystemHooks, system: SystemDefinition, begin: SystemSnapshot, /
    ) -> None:
        super().__init__(hooks, system, begin)
        self._new_lock()

    async def send(self, event: str, /, *, key: Value = None, **arguments: Value) -> Any:
        """Let an event happen when no other task is in a step, with all that it sends.

        Args:
            event: `part.event`.
            key: which one, of a part that there is several times.
            arguments: of the event, by name.

        Returns:
            What `SystemInstance.send` returns.

        Raises:
            Busy: it is called by an action of the step before.
            NotAllowed, ArgumentsError: as `SystemInstance.send`.
        """
        begin = partial(self._new_occurrence, event, key, arguments)
        return self._result(await self._perform_awaited(event, begin))

    async def deliver(self, waiting: PendingEvent, /) -> SystemAnswer:  # type: ignore[override]  # as `send`, it is awaited
        """Deliver an event that waits when no other task is in a step.

        Args:
            waiting: one of `waiting`.

        Returns:
            What `SystemInstance.deliver` returns.

        Raises:
            Busy: it is called by an action of the step before.
            ArgumentsError: no such event waits.
        """
        begin = partial(self._new_delivery, waiting)
        return (await self._perform_awaited(str(waiting), begin)).answer
