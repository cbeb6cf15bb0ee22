"""Instances for asyncio: actions and listeners may be coroutines."""

from __future__ import annotations

from asyncio import Lock, Task, current_task
from inspect import isawaitable
from typing import Any, Self

from statemachines.embed.acting import ActingInstance, Busy
from statemachines.embed.hooks import Action, Hooks, Occurrence
from statemachines.model.machines import Machine
from statemachines.model.snapshots import Snapshot, Value
from statemachines.semantics.tables import Holder


class AsyncInstance(ActingInstance):
    """An instance whose `send` is awaited; tasks that send at the same time wait for each other, in their order.

    A task that is cancelled in the middle of a step leaves the snapshot as it was. Everything else is as for `ActingInstance`.
    """

    __slots__ = ("_lock", "_owner")

    def __init__(self, hooks: Hooks, machine: Machine | Holder, begin: str | Snapshot | None = None, /, **parameters: Value) -> None:
        super().__init__(hooks, machine, begin, **parameters)
        self._lock = Lock()
        self._owner: Task[Any] | None = None

    async def send(self, event: str, /, **arguments: Value) -> Value:
        """Let an event happen; see `ActingInstance.send`."""
        if self._owner is not None and self._owner is current_task():
            raise Busy(f"`{event}` was sent by an action while {self!r} is in the middle of a step; send it from a listener (`after`)")
        async with self._lock:
            self._owner = current_task()
            try:
                occurrence = await self._happen(event, arguments)
            finally:
                self._owner = None
        for listener in self._hooks.after:
            await _done(listener, occurrence)
        return self._outcome(occurrence)

    async def _happen(self, event: str, arguments: dict[str, Value]) -> Occurrence:
        occurrence = self._arrival(event, arguments)
        for listener in self._hooks.before:
            await _done(listener, occurrence)
        course = self._course(occurrence)
        try:
            for action in course:
                await _done(action, occurrence)
        finally:
            course.close()
        return occurrence

    def copy(self) -> Self:
        """Return another instance that is where this one is, with the same actions and a lock of its own."""
        twin = super().copy()
        twin._lock, twin._owner = Lock(), None
        return twin

    __copy__ = copy


async def _done(action: Action, occurrence: Occurrence) -> None:
    result = action(occurrence)
    if isawaitable(result):
        await result
