"""A program that shall be a system: how its parts are called, and what they show."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Hashable, Iterator, Mapping
from functools import partial
from random import Random
from typing import Any

from attrs import frozen

from statemachines.model.definitions.snapshots import Refused, Snapshot, Value
from statemachines.model.definitions.system_definitions import (
    PendingEvent,
    SystemAnswer,
    SystemSnapshot,
)
from statemachines.model.language.value_types import IdType
from statemachines.semantics.messages.argument_errors import ArgumentsError
from statemachines.semantics.messages.value_text import format_literal
from statemachines.testing.runs.conformance import call_difference, view_difference
from statemachines.testing.runs.subject_contact import (
    CallOutcome,
    SubjectContact,
    SubjectConventions,
    is_same_value,
)
from statemachines.testing.systems.system_attempts import (
    SystemAttempt,
    SystemAttempts,
    is_refused,
)
from statemachines.testing.threads.call_histories import ThreadCall
from statemachines.testing.threads.threaded_subjects import rejected_awaitable

PartLookup = Callable[[Any, str, Value], Any]
"""Given the subject, the name of a part and its key: the object that stands for it, or None."""
SystemCall = Callable[[Any, str, Value, str, Mapping[str, Value]], Any]
"""Given the subject, a part, its key, the event and its arguments: makes the call."""
Delivery = Callable[[Any, PendingEvent], Any]
"""Given the subject and where an event waits: hands it over."""


@frozen
class SystemConventions:
    """How a subject says what the system says."""

    parts: Mapping[str, SubjectConventions]
    """Name of a part to how one of it says what its machine says."""
    shared: Mapping[str, str | Callable[[Any], Value]]
    """A shared variable to the subject's attribute, or to a function of the subject."""
    part: PartLookup
    call: SystemCall | None = None
    deliver: Delivery | None = None
    end: Callable[[Any], Any] | None = None


@frozen(eq=False)
class SystemSubject:
    """A subject that shall be a system."""

    attempts: SystemAttempts
    make_subject: Callable[[SystemSnapshot], Any]
    conventions: SystemConventions
    waits: frozenset[str] = frozenset()
    """`part.event` of calls that wait until the system allows them."""
    runner: asyncio.Runner | None = None
    """What awaits what the subject gives; None: nothing may have to be awaited."""

    @property
    def title(self) -> str:
        """How the system is called."""
        return self.attempts.tables.title

    def start(self, random: Random) -> SystemSnapshot:
        """Draw a beginning.

        Args:
            random: what is drawn from.

        Returns:
            A snapshot in which the system may begin.
        """
        return self.attempts.start(random)

    def make(self, start: SystemSnapshot) -> Any:
        """Make a subject that begins so.

        Args:
            start: the snapshot in which it begins.

        Returns:
            The subject.
        """
        return self._completed(self.make_subject(start))

    def begins(self, start: SystemSnapshot) -> tuple[SystemSnapshot, ...]:
        """Return the beginning.

        Args:
            start: the snapshot in which it begins.

        Returns:
            This one snapshot.
        """
        return (start,)

    def sample(
        self, subject: Any, now: SystemSnapshot, random: Random
    ) -> tuple[SystemAttempt, SystemSnapshot] | None:
        """Draw a call; most are taken where nobody else calls.

        Args:
            subject: the program under test.
            now: the snapshot in which the system is.
            random: what is drawn from.

        Returns:
            The attempt and the snapshot after it, or None where nothing can be tried.
        """
        sampled = self.attempts.sample(now, random, partial(self.can_call, subject))
        return None if sampled is None else (sampled[0], sampled[1].after)

    def answered(
        self, now: SystemSnapshot, attempt: SystemAttempt
    ) -> tuple[Hashable, SystemSnapshot]:
        """Return what the system answers.

        Args:
            now: the snapshot in which it is.
            attempt: the event with its arguments.

        Returns:
            The kind of each part's answer with what it returns, and the snapshot after it.
        """
        try:
            answer = self.attempts.answer(now, attempt)
        except ArgumentsError:
            return Refused.__name__, now
        steps = tuple((type(step.answer).__name__, step.answer.returned) for step in answer.steps)
        return steps, answer.after

    def can_call(self, subject: Any, name: str, key: Value, event: str) -> bool:
        """Tell whether an event can be tried: one that no transition of the machine has, or that
        comes through a channel alone, only where the subject has a method of its name.

        Args:
            subject: the program under test.
            name: of the part.
            key: of the part among several of its name; None where there is one.
            event: the name of the event.

        Returns:
            Whether the subject can be asked for it.
        """
        machine = self.attempts.tables.tables[name]
        is_inside = (name, event) in self.attempts.tables.arrivals
        has_transition = any(known == event for _, known in machine.candidates)
        if self.conventions.call is not None or (has_transition and not is_inside):
            return True
        return callable(getattr(self.conventions.part(subject, name, key), event, None))

    def can_deliver(self, subject: Any) -> bool:
        """Tell whether what waits can be handed over.

        Args:
            subject: the program under test.

        Returns:
            Whether `deliver` was given, or the subject has a method of this name.
        """
        return self.conventions.deliver is not None or hasattr(subject, "deliver")

    def call(self, subject: Any, attempt: SystemAttempt) -> Any:
        """Make a call.

        Args:
            subject: the program under test.
            attempt: the event with its arguments.

        Returns:
            What the subject returned, awaited where it had to be.

        Raises:
            CallsAreAwaited: it must be awaited, and nothing awaits it here.
            Exception: whatever the subject raised.
        """
        return self._completed(self._given_by(subject, attempt))

    async def call_awaited(self, subject: Any, attempt: SystemAttempt) -> Any:
        """Make a call, and await what it gives where that must be awaited.

        Args:
            subject: the program under test.
            attempt: the event with its arguments.

        Returns:
            What the subject returned.
        """
        given = self._given_by(subject, attempt)
        return await given if inspect.isawaitable(given) else given

    def would_wait(self, now: SystemSnapshot, attempt: SystemAttempt) -> bool:
        """Tell whether a call has to wait for others.

        Args:
            now: the snapshot in which the system is.
            attempt: the event with its arguments.

        Returns:
            Whether it is of an event that waits, and is not allowed in the snapshot.
        """
        if f"{attempt.part}.{attempt.event}" not in self.waits:
            return False
        try:
            return is_refused(self.attempts.answer(now, attempt))
        except ArgumentsError:
            return True

    def _completed(self, given: Any) -> Any:
        if self.runner is None:
            return rejected_awaitable(given)
        return self.runner.run(_awaited(given)) if inspect.isawaitable(given) else given

    def _given_by(self, subject: Any, attempt: SystemAttempt) -> Any:
        pending = attempt.delivered_from
        if pending is not None:
            deliver = self.conventions.deliver
            return subject.deliver(pending) if deliver is None else deliver(subject, pending)
        if self.conventions.call is not None:
            return self.conventions.call(
                subject, attempt.part, attempt.key, attempt.event, attempt.arguments
            )
        part = self.conventions.part(subject, attempt.part, attempt.key)
        return getattr(part, attempt.event)(**attempt.arguments)

    def explained(self, now: SystemSnapshot, call: ThreadCall) -> Iterator[SystemSnapshot]:
        """Yield where the system goes, if it may with this outcome.

        Args:
            now: the snapshot in which the system is.
            call: what was called, by which thread, and how it ended.

        Yields:
            The snapshot after the call, or nothing.
        """
        try:
            answer = self.attempts.answer(now, call.attempt)
        except ArgumentsError:
            if call.may_change_nothing(self.conventions.parts[call.attempt.part].refusals):
                yield now
            return
        if call.outcome is None or self.call_difference(answer, call.outcome, call.attempt) is None:
            yield answer.after

    def call_difference(
        self, answer: SystemAnswer, outcome: CallOutcome, attempt: SystemAttempt
    ) -> str | None:
        """Say what is wrong with the outcome of a call; None: nothing. What a receiver refuses of
        what is delivered to it is no error of the delivery.

        Args:
            answer: what the system says to it.
            outcome: what the call returned or raised.
            attempt: the event with its arguments.

        Returns:
            One sentence for people, or None.
        """
        if attempt.delivered_from is not None or not answer.steps:
            return (
                None if outcome.error is None else f"must be delivered, but the subject {outcome}"
            )
        first = answer.steps[0]
        tables = self.attempts.tables.tables[first.part]
        return call_difference(tables, first.answer, outcome, self.conventions.parts[first.part])

    def is_shown(self, subject: Any, now: SystemSnapshot) -> bool:
        """Tell whether all parts and shared variables are as in the snapshot.

        Args:
            subject: the program under test.
            now: the snapshot in which the system is.

        Returns:
            Whether nothing that it shows differs.
        """
        return self.view_difference(subject, now) is None

    def view_difference(self, subject: Any, now: SystemSnapshot) -> str | None:
        """Say what the subject shows that is not as in the snapshot; None where all is.

        Args:
            subject: the program under test.
            now: the snapshot in which the system is.

        Returns:
            One sentence for people, or None.
        """
        for name, key, held in self._parts_of(now):
            wrong = self._part_difference(subject, name, key, held)
            if wrong is not None:
                return f"`{name}`{'' if key is None else f' of {key!r}'}: {wrong}"
        return self._shared_difference(subject, now)

    def _parts_of(self, now: SystemSnapshot) -> Iterator[tuple[str, Value, Snapshot | None]]:
        """Yield all parts; of one that is created, those as well that there might be."""
        for name, held in now.parts.items():
            if not isinstance(held, Mapping):
                yield name, None, held
                continue
            type_ = self.attempts.tables.parts[name].each
            keys = list(held)
            if self.attempts.tables.parts[name].is_created and isinstance(type_, IdType):
                keys += self.attempts.extent.id_values(type_)
            for key in dict.fromkeys(keys):
                yield name, key, held.get(key)

    def _part_difference(
        self, subject: Any, name: str, key: Value, held: Snapshot | None
    ) -> str | None:
        part = self.conventions.part(subject, name, key)
        if held is None:
            return None if part is None else "the subject has one, and there is none"
        if part is None:
            return "the subject has none"
        contact = SubjectContact(self.conventions.parts[name], runner=self.runner)
        return view_difference(self.attempts.tables.tables[name], part, held, contact)

    def _shared_difference(self, subject: Any, now: SystemSnapshot) -> str | None:
        conventions = SubjectConventions((), observe=self.conventions.shared)
        contact = SubjectContact(conventions, runner=self.runner)
        for variable in self.attempts.tables.system.data.variables:
            value = now.variables[variable.name]
            if variable.observable:
                shown = contact.view(subject, variable.name)
                if not is_same_value(variable.type, shown, value):
                    return f"`{variable.name}` must be {format_literal(value)}, and is {shown!r}"
        return None

    def end(self, subject: Any) -> None:
        """Let go of a subject.

        Args:
            subject: the program under test.
        """
        if self.conventions.end is not None:
            self._completed(self.conventions.end(subject))


async def _awaited(given: Awaitable[Any]) -> Any:
    return await given


def attribute_of_part(subject: Any, name: str, key: Value) -> Any:
    """Return the object that stands for a part: an attribute, or what that has for the key; None
    where it has nothing.

    Args:
        subject: the program under test.
        name: of the part.
        key: of the part among several of its name; None where there is one.

    Returns:
        The object, or None.
    """
    held: Any = getattr(subject, name, None)
    if key is None:
        return held
    try:
        return held[key]
    except KeyError:
        return None
