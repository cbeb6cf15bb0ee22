"""A system that lives in a program: what is sent to a part fires the others as the links say."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping
from functools import partial
from typing import Any, Self

from statemachines.embed.acting_steps import ActingSteps, Call, LockedSteps
from statemachines.embed.errors import Declared, NotAllowed, declared, not_allowed
from statemachines.embed.instances import legal_events
from statemachines.embed.systems.part_handles import PartHandle, PartHandles, part_title
from statemachines.embed.systems.system_hooks import SystemHooks, SystemOccurrence
from statemachines.embed.systems.system_json import system_to_json
from statemachines.model.definitions.machine_definitions import Transition
from statemachines.model.definitions.snapshots import Advanced, Refused, Value
from statemachines.model.definitions.system_definitions import (
    PendingEvent,
    SystemAnswer,
    SystemDefinition,
    SystemSnapshot,
)
from statemachines.model.notebook_views import notebook_view
from statemachines.semantics.messages.argument_errors import ArgumentsError, unknown_word
from statemachines.semantics.system.channels import place_of, possible_fates
from statemachines.semantics.system.system_snapshots import wholly_checked_snapshot
from statemachines.semantics.system.system_step import deliver_event, step_system
from statemachines.semantics.system.system_tables import SystemTables, system_tables


class SystemInstance(ActingSteps[SystemOccurrence]):
    """One instance of a system; what `step` of the system answers is what it does.

    An event is sent by `send("gate.shut")` or by its part, `yard.gate.shut()`; a part that there is
    once for each key is a map of such parts, `yard.workers["ann"].take(weight=2)`. Shared variables
    are read as attributes. What links send later stands in `waiting` until it is delivered.

    Nothing is half done: where an action raises, the system is as it was before the event, with all
    parts, and the exception goes on to the sender.

    Limits: not safe for several threads at once.
    """

    __slots__ = ("__weakref__", "_acting", "_hooks", "_snapshot", "_tables")

    def __init__(
        self, hooks: SystemHooks, system: SystemDefinition, begin: SystemSnapshot, /
    ) -> None:
        """Go on from a snapshot of the system.

        Raises:
            ArgumentsError: it is no snapshot of this system.
        """
        self._hooks, self._acting = hooks, False
        self._tables = system_tables(system)
        self._snapshot = wholly_checked_snapshot(self._tables, begin)

    def send(self, event: str, /, *, key: Value = None, **arguments: Value) -> Any:
        """Let an event of a part happen, with all that it sends.

        Args:
            event: `part.event`.
            key: which one, of a part that there is several times.
            arguments: of the event, by name.

        Returns:
            What the operation of the part returns; None where it returns nothing, and where the
            part swallows the event.

        Raises:
            NotAllowed: the part does not allow it, or a link forbids it, and nothing has changed.
                What a link sends and its receiver refuses raises nothing and undoes nothing.
            Busy: it is called by an action of the step before.
            ArgumentsError: there is no such part, key or event, or the arguments do not fit.
        """
        return self._result(self._perform(partial(self._new_occurrence, event, key, arguments)))

    def deliver(self, waiting: PendingEvent, /) -> SystemAnswer:
        """Deliver an event that waits; a refusal of its receiver raises nothing.

        Args:
            waiting: one of `waiting`.

        Returns:
            What became of it: the step of its receiver, and those of all that was sent.

        Raises:
            Busy: it is called by an action of the step before.
            ArgumentsError: no such event waits.
        """
        return self._perform(partial(self._new_delivery, waiting)).answer

    def may(self, event: str, /, *, key: Value = None, **arguments: Value) -> bool:
        """Tell whether a transition would take the event and no link forbids it; nothing happens.

        Args:
            event: `part.event`.
            key: which one, of a part that there is several times.
            arguments: of the event, by name.

        Returns:
            False also where the event would be ignored, or would raise.

        Raises:
            ArgumentsError: there is no such part, key or event, or the arguments do not fit.
        """
        answer = step_system(self._tables.system, self.snapshot, event, key=key, **arguments)
        return isinstance(answer.steps[0].answer, Advanced)

    def part(self, name: str, key: Value = None) -> PartHandle:
        """Return one of a part.

        Args:
            name: of the part.
            key: which one, of a part that there is several times.

        Returns:
            A handle that shows what the part is at any time.

        Raises:
            ArgumentsError: the system has no such part.
        """
        if name not in self._tables.parts:
            raise unknown_word("part", name, self._tables.parts, self._tables.title)
        return PartHandle(self, name, key)

    @property
    def snapshot(self) -> SystemSnapshot:
        """The whole as a value: what `step` of the system takes, and another instance may go on
        from.
        """
        return self._snapshot

    @property
    def variables(self) -> Mapping[str, Value]:
        """The values of the shared variables."""
        return self.snapshot.variables

    @property
    def parameters(self) -> Mapping[str, Value]:
        """The parameters' values."""
        return self.snapshot.parameters

    @property
    def waiting(self) -> tuple[PendingEvent, ...]:
        """What may become of what waits: `deliver` takes one. What waits in a channel may also be
        lost or repeated, as its `fate` says.
        """
        return tuple(possible_fates(self._tables, self.snapshot.waiting))

    @property
    def legal(self) -> tuple[tuple[str, Value], ...]:
        """The events that a transition of a part has where it is, as `part.event` with the part's
        key; guards and links are not asked.
        """
        return tuple(
            (f"{handle.name}.{event}", handle.key)
            for handle in self._handles()
            for event in handle.legal
        )

    @property
    def tables(self) -> SystemTables:
        """The tables of its system."""
        return self._tables

    @property
    def system(self) -> str:
        """The name of its system."""
        return self._tables.system.name

    @property
    def release(self) -> str:
        """The release of its system; empty for a system without a family."""
        return self._tables.system.release

    def to_json(self) -> str:
        """Write the snapshot with the system and release that it belongs to; `system.from_json`
        reads it.

        Raises:
            TypeError: a value is of a class that JSON does not have.
        """
        return system_to_json(self._tables, self.snapshot)

    def copy(self) -> Self:
        """Return another instance that is where this one is, with the same actions."""
        twin = type(self).__new__(type(self))
        twin._hooks, twin._acting = self._hooks, False
        twin._tables, twin._snapshot = self._tables, self._snapshot
        return twin

    def __copy__(self) -> Self:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self.copy()

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self._hooks, self._tables.system, self.snapshot)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """Show what notebooks show of it."""
        return notebook_view(self)

    def __repr__(self) -> str:
        return f"<{self._tables.title}: {', '.join(map(repr, self._handles()))}>"

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *self._tables.parts, *self._snapshot.variables]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name in self._tables.parts:
            return self._part_or_parts(name)
        if name in self._snapshot.variables:
            return self.variables[name]
        words = (*self._tables.parts, *self._snapshot.variables)
        unknown = unknown_word("part or variable", name, words, self._tables.title)
        raise AttributeError(str(unknown), name=name, obj=self)

    def _part_or_parts(self, name: str) -> PartHandle | PartHandles | None:
        """Return a part, all of a part that has keys, or None where it is absent."""
        if self._tables.parts[name].each is not None:
            return PartHandles(self, name)
        return None if self.snapshot.parts[name] is None else PartHandle(self, name)

    def _handles(self) -> tuple[PartHandle, ...]:
        """Return every part that is there."""
        handles = list[PartHandle]()
        for name in self._tables.parts:
            held = self._part_or_parts(name)
            handles += held.values() if isinstance(held, PartHandles) else [held] if held else []
        return tuple(handles)

    def _new_occurrence(
        self, event: str, key: Value, arguments: Mapping[str, Value]
    ) -> SystemOccurrence:
        if self._acting:
            raise self._busy(event)
        before = self.snapshot
        answer = step_system(self._tables.system, before, event, key=key, **arguments)
        return SystemOccurrence(self, event, key, arguments, before, answer)

    def _new_delivery(self, waiting: PendingEvent) -> SystemOccurrence:
        if self._acting:
            raise self._busy(str(waiting))
        before = self.snapshot
        answer = deliver_event(self._tables.system, before, waiting)
        link = self._tables.link_of[waiting.link]
        assert link.send is not None
        return SystemOccurrence(
            self,
            f"{link.send.part}.{link.send.event}",
            waiting.receiver,
            before.waiting[place_of(waiting)],
            before,
            answer,
            waiting,
        )

    def _actions_in_order(self, occurrence: SystemOccurrence) -> Generator[Call, None, None]:
        try:
            yield from self._hooks.calls_before_move(occurrence)
            self._snapshot = occurrence.answer.after
            yield from self._hooks.calls_after_move(occurrence)
        except BaseException:
            self._snapshot = occurrence.before
            raise

    def _result(self, occurrence: SystemOccurrence) -> Value:
        first = occurrence.answer.steps[0].answer
        return self._returned(first, lambda _: system_refusal(self._tables, occurrence))


class SafeSystem(LockedSteps[SystemOccurrence], SystemInstance):
    """An instance for several threads: one event at a time, with all that it sends; others wait.

    Limits: an action that waits for another thread which sends to the same instance waits for ever.
    """

    __slots__ = ("_lock",)

    def __init__(
        self, hooks: SystemHooks, system: SystemDefinition, begin: SystemSnapshot, /
    ) -> None:
        super().__init__(hooks, system, begin)
        self._new_lock()

    @property
    def snapshot(self) -> SystemSnapshot:
        """The whole before or after an event of another thread, never in the middle of one."""
        with self._lock:
            return self._snapshot


def system_refusal(tables: SystemTables, occurrence: SystemOccurrence) -> NotAllowed | Declared:
    """Build the error for an event that its part or a link did not allow, or whose transition
    raises. It names the part; what is legal is of the same part.

    Args:
        tables: those of the machine.
        occurrence: the event, with the answer to it.

    Returns:
        An exception, to be raised.
    """
    first = occurrence.answer.steps[0]
    answer, title = first.answer, part_title(first.part, first.key)
    event, state = f"{title}.{first.event}", first.before.state
    if isinstance(answer.decided_by, Transition):
        error = answer.error or ""
        where = state or "its only state"
        return declared(error)(f"{tables.title}: `{event}` in {where} raises {error}")
    legal = tuple(f"{title}.{other}" for other in _legal_beside(tables, occurrence))
    system = tables.system
    reason = answer.reason if isinstance(answer, Refused) else getattr(answer, "reason", "")
    if answer.error is None:
        return NotAllowed(system.name, system.release, state, event, legal, why=reason)
    return not_allowed(answer.error)(
        system.name, system.release, state, event, legal, f"raise {answer.error}", reason
    )


def _legal_beside(tables: SystemTables, occurrence: SystemOccurrence) -> tuple[str, ...]:
    """Return the other events that the part may take; of one that takes no arguments guards and
    links are asked.
    """
    first = occurrence.answer.steps[0]
    machine = tables.tables[first.part]
    others = [
        legal_event
        for legal_event in legal_events(machine, first.before.state)
        if legal_event != first.event
    ]
    return tuple(other for other in others if _may_be_taken(tables, occurrence, other))


def _may_be_taken(tables: SystemTables, occurrence: SystemOccurrence, event: str) -> bool:
    first = occurrence.answer.steps[0]
    if tables.tables[first.part].behaviour.signature(event).arguments:
        return True
    try:
        name = f"{first.part}.{event}"
        answer = step_system(tables.system, occurrence.before, name, key=first.key)
    except ArgumentsError:
        return False
    taken = answer.steps[0].answer
    return isinstance(taken, Advanced) or isinstance(taken.decided_by, Transition)
