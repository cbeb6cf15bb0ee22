"""Instances that time moves too: a clock is handed in, and nothing waits unless it is asked to."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from threading import Condition, RLock
from typing import TYPE_CHECKING

from attrs import evolve

from statemachines.embed.errors import NotAllowed
from statemachines.embed.instances import Instance
from statemachines.model.definitions.snapshots import Advanced, Snapshot, Value
from statemachines.semantics.machine.step import step
from statemachines.semantics.machine.time_steps import Stay, restarting_events

if TYPE_CHECKING:
    from statemachines.embed.async_instances import AsyncInstance

Clock = Callable[[], float]
"""Seconds that only grow: `time.monotonic`, or `time.time` where a stay outlives the program."""


class _TimedStay:
    """The stay of an instance in its state, by a clock."""

    def __init__(self, instance: Instance, clock: Clock, since: float | None) -> None:
        self._instance, self._clock = instance, clock
        self._stay = Stay(instance.state, clock() if since is None else since)

    @property
    def state(self) -> str:
        """Where the instance is; steps that are due and were not taken yet do not count."""
        return self._instance.state

    @property
    def snapshot(self) -> Snapshot:
        """State, variables and parameters as a value."""
        return self._instance.snapshot

    @property
    def instance(self) -> Instance:
        """The instance; of what is sent to it directly, time learns at the next call here."""
        return self._instance

    @property
    def since(self) -> float:
        """When it came into its state, in the clock's seconds: kept with a snapshot, and handed in
        again, a deadline outlives the program.
        """
        return self._stay.since

    @property
    def due(self) -> float | None:
        """When time takes the next step, in the clock's seconds; None: time moves it no further."""
        due = self._stay.next_step(self._instance.tables.machine)
        return due[0] if due else None

    @property
    def remaining(self) -> float | None:
        """Seconds until then, 0 where it is due; None: time moves it no further."""
        return None if (due := self.due) is None else max(due - self._clock(), 0.0)

    def _due_step(self) -> tuple[float, str] | None:
        """Return the step that is due, and count it as taken."""
        self._note_state(self._clock())
        due = self._stay.next_step(self._instance.tables.machine)
        if due is None or due[0] > self._clock():
            return None
        self._stay = evolve(self._stay, taken=self._stay.taken + 1)
        return due

    def _restarts(self, event: str, arguments: Mapping[str, Value]) -> bool:
        """Tell whether an event would enter the state anew; asked before it happens."""
        tables, state = self._instance.tables, self._instance.state
        if (state, event) not in restarting_events(tables.machine):
            return False
        answer = step(tables, self._instance.snapshot, event, **arguments)
        return isinstance(answer, Advanced) and answer.decided_by.restarts

    def _note_state(self, at: float, *, restarts: bool = False) -> None:
        """Begin a new stay where the state has changed, or was entered anew."""
        if restarts or self._instance.state != self._stay.state:
            self._stay = Stay(self._instance.state, at)


class TimedInstance(_TimedStay):
    """An instance whose `after` steps are taken by a clock, also with several threads.

    `send` first takes the steps that are due: an event that comes too late meets the state in which
    time has put the instance, whether anybody looked in between or not. One step may be due after
    the other; each begins when the one before was due. A transition whose `to` names its own state
    begins the time there again.

    Examples:
        >>> from statemachines.model.definitions.machine_definitions import (
        ...     MachineDefinition, State, Transition)
        >>> light = MachineDefinition("light", "", (State("ON", initial=True), State("OFF")),
        ...     (Transition("ON", "OFF", "to_OFF", after_ms=30_000),), ())
        >>> now = 100.0
        >>> timed = TimedInstance(Instance(light), clock=lambda: now)
        >>> timed.state, timed.remaining
        ('ON', 30.0)
        >>> now = 130.0
        >>> timed.advance(), timed.state
        (('to_OFF',), 'OFF')
    """

    def __init__(
        self, instance: Instance, *, clock: Clock = time.monotonic, since: float | None = None
    ) -> None:
        """Watch an instance.

        Args:
            instance: of any kind but the asynchronous one.
            clock: what time it is.
            since: when it came into its state; now, where nothing is said.
        """
        super().__init__(instance, clock, since)
        self._changed = Condition(RLock())
        self._closed = False

    def send(self, event: str, /, **arguments: Value) -> Value:
        """Take what is due, then let an event happen; see `Instance.send`.

        Args:
            event: one of the machine's events.
            arguments: of the event, by name.

        Returns:
            What `Instance.send` returns.

        Raises:
            NotAllowed, ArgumentsError: as `Instance.send`; what was due has happened all the same.
        """
        with self._changed:
            self.advance()
            restarts = self._restarts(event, arguments)
            try:
                returned = self._instance.send(event, **arguments)
                self._note_state(self._clock(), restarts=restarts)
                return returned
            finally:
                self._note_state(self._clock())
                self._changed.notify_all()

    def advance(self) -> tuple[str, ...]:
        """Take the steps that are due; return their events. A guard that refuses one refuses it for
        this stay.
        """
        events = list[str]()
        with self._changed:
            while (due := self._due_step()) is not None:
                at, event = due
                restarts = self._restarts(event, {})
                try:
                    self._instance.send(event)
                except NotAllowed:
                    continue
                events.append(event)
                self._note_state(at, restarts=restarts)
        return tuple(events)

    def run(self) -> None:
        """Take each step when it is due, until `close` is called or the instance is in a final
        state that time does not leave: what a thread of its own does.

        Limits: the waits are real ones; the clock says how long.
        """
        with self._changed:
            while not self._closed:
                self.advance()
                remaining = self.remaining
                if remaining is None and self._instance.final:
                    return
                self._changed.wait(remaining)

    def close(self) -> None:
        """Let `run` return."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()


class AsyncTimedInstance(_TimedStay):
    """The same of an instance whose `send` is awaited.

    Limits: as the instance itself, of one event loop.
    """

    def __init__(
        self, instance: AsyncInstance, *, clock: Clock = time.monotonic, since: float | None = None
    ) -> None:
        """Watch an instance; see `TimedInstance`."""
        from asyncio import Event, Lock

        super().__init__(instance, clock, since)
        self._async_instance, self._lock, self._changed = instance, Lock(), Event()

    async def send(self, event: str, /, **arguments: Value) -> Value:
        """Take what is due, then let an event happen; see `AsyncInstance.send`.

        Args:
            event: one of the machine's events.
            arguments: of the event, by name.

        Returns:
            What `Instance.send` returns.

        Raises:
            NotAllowed, ArgumentsError: as `Instance.send`; what was due has happened all the same.
        """
        async with self._lock:
            await self._take_due()
            restarts = self._restarts(event, arguments)
            try:
                returned = await self._async_instance.send(event, **arguments)
                self._note_state(self._clock(), restarts=restarts)
                return returned
            finally:
                self._note_state(self._clock())
                self._changed.set()

    async def advance(self) -> tuple[str, ...]:
        """Take the steps that are due; return their events."""
        async with self._lock:
            return await self._take_due()

    async def run(self) -> None:
        """Take each step when it is due, until the instance is in a final state that time does not
        leave, or the task is cancelled.
        """
        from asyncio import timeout

        while True:
            self._changed.clear()
            await self.advance()
            remaining = self.remaining
            if remaining is None and self._instance.final:
                return
            try:
                async with timeout(remaining):
                    await self._changed.wait()
            except TimeoutError:
                continue

    async def _take_due(self) -> tuple[str, ...]:
        events = list[str]()
        while (due := self._due_step()) is not None:
            at, event = due
            restarts = self._restarts(event, {})
            try:
                await self._async_instance.send(event)
            except NotAllowed:
                continue
            events.append(event)
            self._note_state(at, restarts=restarts)
        return tuple(events)
