"""Instances for asyncio: actions and listeners may be coroutines."""

from __future__ import annotations

from asyncio import Lock, Task, current_task
from inspect import isawaitable
from typing import Any, Self

from statemachines.embed.acting_instances import ActingInstance, Busy
from statemachines.embed.hooks import Action, Hooks, Occurrence
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.definitions.snapshots import Snapshot, Value
from statemachines.semantics.machine.machine_tables import TablesHolder


class AsyncInstance(ActingInstance):
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
        self._lock = Lock()
        self._owner: Task[Any] | None = None

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
        if self._owner is not None and self._owner is current_task():
            raise Busy(
                f"`{event}` was sent by an action while {self!r} is in the middle of a step; send"
                " it from a listener (`after`)"
            )
        async with self._lock:
            self._owner = current_task()
            try:
                occurrence = await self._run_step(event, arguments)
            finally:
                self._owner = None
        for listener in self._hooks.after:
            await _await_action(listener, occurrence)
        return self._result(occurrence)

    async def _run_step(self, event: str, arguments: dict[str, Value]) -> Occurrence:
        occurrence = self._new_occurrence(event, arguments)
        for listener in self._hooks.before:
            await _await_action(listener, occurrence)
        course = self._actions_in_order(occurrence)
        try:
            for action in course:
                await _await_action(action, occurrence)
        finally:
            course.close()
        return occurrence

    def copy(self) -> Self:
        """Return another instance that is where this one is, with the same actions and a lock of
        its own.
        """
        twin = super().copy()
        twin._lock, twin._owner = Lock(), None
        return twin

    __copy__ = copy


async def _await_action(action: Action, occurrence: Occurrence) -> None:
    result = action(occurrence)
    if isawaitable(result):
        await result
