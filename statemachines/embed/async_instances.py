"""Instances for asyncio: actions and listeners may be coroutines."""

from __future__ import annotations

from asyncio import Lock, Task, current_task
from collections.abc import Callable
from functools import partial
from inspect import isawaitable
from typing import Any, Self

from statemachines.embed.acting_instances import ActingInstance
from statemachines.embed.acting_steps import ActingSteps, Call, Listeners, OccurrenceT
from statemachines.embed.hooks import Hooks, Occurrence
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.definitions.snapshots import Snapshot, Value
from statemachines.semantics.machine.machine_tables import TablesHolder


class AwaitedSteps(ActingSteps[OccurrenceT]):
    """Steps that are awaited; tasks wait for each other, in their order."""

    __slots__ = ()
    _lock: Any
    _owner: Task[Any] | None

    def _new_lock(self) -> None:
        self._lock = Lock()
        self._owner = None  # type: ignore[misc]  # a slot of the class that it is mixed with

    def copy(self) -> Self:
        """Return another instance that is where this one is, with the same actions and a lock of
        its own.
        """
        twin = super().copy()
        twin._new_lock()
        return twin

    async def _perform_awaited(self, event: str, begin: Callable[[], OccurrenceT]) -> OccurrenceT:
        """Do one step when no other task is in one."""
        if self._owner is not None and self._owner is current_task():
            raise self._busy(event)
        async with self._lock:
            self._owner = current_task()  # type: ignore[misc]  # a slot of the class that it is mixed with
            try:
                occurrence = await self._run_step(begin)
            finally:
                self._owner = None  # type: ignore[misc]  # a slot of the class that it is mixed with
        listeners: Listeners = self._hooks
        for listener in listeners.after:
            await _await_call(partial(listener, occurrence))
        return occurrence

    async def _run_step(self, begin: Callable[[], OccurrenceT]) -> OccurrenceT:
        occurrence = begin()
        listeners: Listeners = self._hooks
        for listener in listeners.before:
            await _await_call(partial(listener, occurrence))
        course = self._actions_in_order(occurrence)
        try:
            for call in course:
                await _await_call(call)
        finally:
            course.close()
        return occurrence


async def _await_call(call: Call) -> None:
    result = call()
    if isawaitable(result):
        await result


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
