"""Instances that call a program's actions, for one thread and for several."""

from __future__ import annotations

from collections.abc import Generator
from functools import partial
from typing import Self

from statemachines.embed.acting_steps import ActingSteps, Call, LockedSteps
from statemachines.embed.hooks import Hooks, Occurrence
from statemachines.embed.instances import Instance, not_allowed_error
from statemachines.model.definitions.machine_definitions import MachineDefinition, Transition
from statemachines.model.definitions.snapshots import Forced, Snapshot, Value
from statemachines.semantics.machine.machine_tables import TablesHolder
from statemachines.semantics.machine.step import step


class ActingInstance(ActingSteps[Occurrence], Instance):
    """An instance with actions and listeners; see `Hooks` for the order in which they are called.

    Nothing is half done: where an action raises, the snapshot is the one before the event, and the
    exception goes on to the sender. What other actions did until then is theirs to undo. Listeners
    are told when all is done: theirs undo nothing.
    """

    __slots__ = ("_acting", "_hooks")

    def __init__(
        self,
        hooks: Hooks,
        machine: MachineDefinition | TablesHolder,
        begin: str | Snapshot | None = None,
        /,
        **parameters: Value,
    ) -> None:
        super().__init__(machine, begin, **parameters)
        self._hooks = hooks
        self._acting = False

    def send(self, event: str, /, **arguments: Value) -> Value:
        """Let an event happen, with all that is bound to it.

        Args:
            event: one of the machine's events.
            arguments: of the event, by name.

        Returns:
            What `Instance.send` returns.

        Raises:
            Busy: it is called by an action of the step before.
            NotAllowed, ArgumentsError: as `Instance.send`.
        """
        return self._result(self._perform(partial(self._new_occurrence, event, arguments)))

    def copy(self) -> Self:
        """Return another instance that is where this one is, with the same actions."""
        twin = super().copy()
        twin._hooks, twin._acting = self._hooks, False
        return twin

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self._hooks, self._tables.machine, self.snapshot)

    def _new_occurrence(self, event: str, arguments: dict[str, Value]) -> Occurrence:
        if self._acting:
            raise self._busy(event)
        before = self.snapshot
        return Occurrence(
            self, event, arguments, before, step(self._tables, before, event, **arguments)
        )

    def _actions_in_order(self, occurrence: Occurrence) -> Generator[Call, None, None]:
        answer = occurrence.answer
        if not isinstance(answer.decided_by, Transition) and not isinstance(answer, Forced):
            return
        try:
            for action in self._hooks.actions_before_move(occurrence):
                yield partial(action, occurrence)
            self._set_snapshot(answer.after)
            for action in self._hooks.actions_after_move(occurrence):
                yield partial(action, occurrence)
        except BaseException:
            self._set_snapshot(occurrence.before)
            raise

    def _set_snapshot(self, snapshot: Snapshot) -> None:
        self._data, self._state = snapshot, snapshot.state

    def _result(self, occurrence: Occurrence) -> Value:
        tables, answer = self._tables, occurrence.answer
        return self._returned(
            answer, partial(not_allowed_error, tables, occurrence.source, occurrence.event)
        )


class SafeInstance(LockedSteps[Occurrence], ActingInstance):
    """An instance for several threads: one step at a time, each whole; others wait.

    Limits: an action that waits for another thread which sends to the same instance waits for ever.
    """

    __slots__ = ("_lock",)

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

    @property
    def state(self) -> str:
        """Where it is before or after a step of another thread."""
        with self._lock:
            return self._state

    @property
    def snapshot(self) -> Snapshot:
        """The snapshot before or after a step of another thread, never in the middle of one."""
        with self._lock:
            snapshot: Snapshot = Instance.snapshot.__get__(self)
            return snapshot
