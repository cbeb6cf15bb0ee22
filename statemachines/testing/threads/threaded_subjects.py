"""A subject that several threads call, and the machine that says what each call may do."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Hashable, Iterator
from random import Random
from typing import Any, Protocol, TypeVar

from attrs import frozen

from statemachines.model.definitions.snapshots import Refused, Snapshot
from statemachines.semantics.machine.initial_snapshots import initial_snapshots
from statemachines.testing.runs.attempts import (
    Attempt,
    AttemptFinder,
    NamedValues,
    sample_subject_parameters,
)
from statemachines.testing.runs.conformance import call_difference, view_difference
from statemachines.testing.runs.subject_contact import SubjectContact, SubjectConventions
from statemachines.testing.threads.call_histories import ThreadCall

SnapshotT = TypeVar("SnapshotT", bound=Hashable)
MOST_DRAWN = 4
"""How often an event is drawn that something takes, before one that nothing takes is tried."""


class ThreadedSubject(Protocol[SnapshotT]):
    """What threads call, and what may come of it."""

    @property
    def title(self) -> str:
        """How the machine or the system is called."""
        ...

    def start(self, random: Random) -> Any:
        """Draw how a subject begins.

        Args:
            random: what is drawn from.

        Returns:
            What `make` and `begins` take.
        """
        ...

    def make(self, start: Any) -> Any:
        """Make a subject that begins so.

        Args:
            start: how it begins, as `start` drew it.

        Returns:
            The subject.
        """
        ...

    def begins(self, start: Any) -> tuple[SnapshotT, ...]:
        """Return the snapshots in which it may begin.

        Args:
            start: how it begins, as `start` drew it.

        Returns:
            At least one snapshot.
        """
        ...

    def sample(self, subject: Any, now: SnapshotT, random: Random) -> tuple[Any, SnapshotT] | None:
        """Draw a call, with the snapshot that it leads to when nobody else calls; None: nothing
        can be called.

        Args:
            subject: the program under test.
            now: the snapshot in which the machine or the system is.
            random: what is drawn from.

        Returns:
            The call and the snapshot after it, or None.
        """
        ...

    def answered(self, now: SnapshotT, attempt: Any) -> tuple[Hashable, SnapshotT]:
        """Return what the machine or the system answers to a call, and where it is then.

        Args:
            now: the snapshot in which it is.
            attempt: the event with its arguments.

        Returns:
            What can be compared, and the snapshot after the call.
        """
        ...

    def would_wait(self, now: SnapshotT, attempt: Any) -> bool:
        """Tell whether a call has to wait for others: it is one that waits until it is allowed.

        Args:
            now: the snapshot in which the machine or the system is.
            attempt: the event with its arguments.

        Returns:
            Whether it is one of those, and is not allowed in the snapshot.
        """
        ...

    def call(self, subject: Any, attempt: Any) -> Any:
        """Make a call.

        Args:
            subject: the program under test.
            attempt: the event with its arguments.

        Returns:
            What the subject returned; what it raises is raised.
        """
        ...

    async def call_awaited(self, subject: Any, attempt: Any) -> Any:
        """Make a call, and await what it gives where that must be awaited.

        Args:
            subject: the program under test.
            attempt: the event with its arguments.

        Returns:
            What the subject returned.
        """
        ...

    def explained(self, now: SnapshotT, call: ThreadCall) -> Iterator[SnapshotT]:
        """Yield where a call leads that ended as it did.

        Args:
            now: the snapshot in which the machine or the system is.
            call: what was called, by which thread, and how it ended.

        Yields:
            Snapshots; none where the call cannot have ended so.
        """
        ...

    def is_shown(self, subject: Any, now: SnapshotT) -> bool:
        """Tell whether the subject shows this snapshot.

        Args:
            subject: the program under test.
            now: the snapshot in which the machine or the system is.

        Returns:
            Whether nothing that it shows differs.
        """
        ...

    def end(self, subject: Any) -> None:
        """Let go of a subject.

        Args:
            subject: the program under test.
        """
        ...


class CallsAreAwaited(TypeError):
    """A subject whose calls are to be awaited: tasks of one thread run by turns by themselves."""


@frozen(eq=False)
class MachineSubject:
    """A subject that shall be a machine."""

    finder: AttemptFinder
    make_subject: Callable[..., Any]
    conventions: SubjectConventions
    waits: frozenset[str] = frozenset()
    """Events whose calls wait until the machine allows them."""
    runner: asyncio.Runner | None = None
    """What awaits what the subject gives; None: nothing may have to be awaited."""

    def _contact(self) -> SubjectContact:
        return SubjectContact(self.conventions, runner=self.runner)

    @property
    def title(self) -> str:
        """How the machine is called."""
        return self.finder.tables.title

    def start(self, random: Random) -> NamedValues:
        """Draw the parameters of a subject.

        Args:
            random: what is drawn from.

        Returns:
            The parameters by name.
        """
        return sample_subject_parameters(self.finder, random, wide=random.random() < 0.5)

    def make(self, start: NamedValues) -> Any:
        """Make a subject with these parameters.

        Args:
            start: how it begins, as `start` drew it.

        Returns:
            The subject.
        """
        if self.runner is not None:
            return self._contact().make(self.make_subject, start)
        return rejected_awaitable(self.make_subject(**start))

    def begins(self, start: NamedValues) -> tuple[Snapshot, ...]:
        """Return the beginnings of the machine.

        Args:
            start: how it begins, as `start` drew it.

        Returns:
            The initial snapshots with these parameters.
        """
        return tuple(initial_snapshots(self.finder.tables, **start))

    def sample(
        self, subject: Any, now: Snapshot, random: Random
    ) -> tuple[Attempt, Snapshot] | None:
        """Draw a call; most are taken where nobody else calls.

        Args:
            subject: the program under test.
            now: the snapshot in which the machine or the system is.
            random: what is drawn from.

        Returns:
            The attempt and the snapshot after it, or None where nothing fits.
        """
        contact, sample = self._contact(), None
        events = [event for event in self.finder.tables.events if contact.has_event(subject, event)]
        for _ in range(MOST_DRAWN if events else 0):
            event = random.choice(events)
            finder = self.finder.sometimes_beyond(event, random)
            sampled = finder.sample_step(now, event, random)
            if sampled is not None:
                sample = sampled[0], sampled[1].answer.after
                if not isinstance(sampled[1].answer, Refused):
                    break
        return sample

    def answered(self, now: Snapshot, attempt: Attempt) -> tuple[Hashable, Snapshot]:
        """Return what the machine answers, of several choices the first.

        Args:
            now: the snapshot in which it is.
            attempt: the event with its arguments.

        Returns:
            The kind of answer with what it returns, and the snapshot after it.
        """
        first = self.finder.first_step(now, attempt)
        if first is None:
            return Refused.__name__, now
        answer = first.answer
        return (type(answer).__name__, answer.returned), answer.after

    def would_wait(self, now: Snapshot, attempt: Attempt) -> bool:
        """Tell whether a call has to wait for others.

        Args:
            now: the snapshot in which the machine is.
            attempt: the event with its arguments.

        Returns:
            Whether it is of an event that waits, and is not allowed in the snapshot.
        """
        if attempt.event not in self.waits:
            return False
        first = self.finder.first_step(now, attempt)
        return first is None or isinstance(first.answer, Refused)

    def call(self, subject: Any, attempt: Attempt) -> Any:
        """Make a call: the method of the event's name, or what `call` says.

        Args:
            subject: the program under test.
            attempt: the event with its arguments.

        Returns:
            What the subject returned.

        Raises:
            CallsAreAwaited: the subject gave something to be awaited.
            Exception: whatever the subject raised.
        """
        contact = self._contact()
        return rejected_awaitable(contact.given_by(subject, attempt.event, attempt.arguments, {}))

    async def call_awaited(self, subject: Any, attempt: Attempt) -> Any:
        """Make a call, and await what it gives where that must be awaited.

        Args:
            subject: the program under test.
            attempt: the event with its arguments.

        Returns:
            What the subject returned.
        """
        contact = self._contact()
        given = contact.given_by(subject, attempt.event, attempt.arguments, {})
        return await given if inspect.isawaitable(given) else given

    def explained(self, now: Snapshot, call: ThreadCall) -> Iterator[Snapshot]:
        """Yield where the machine may go with this outcome.

        Args:
            now: the snapshot in which the machine or the system is.
            call: what was called, by which thread, and how it ended.

        Yields:
            Snapshots; none where the call cannot have ended so.
        """
        possible = self.finder.possible_steps(now, call.attempt)
        if not possible and call.may_change_nothing(self.conventions.refusals):
            yield now
        for possible_step in possible:
            if call.outcome is None or not call_difference(
                self.finder.tables, possible_step.answer, call.outcome, self.conventions
            ):
                yield possible_step.answer.after

    def is_shown(self, subject: Any, now: Snapshot) -> bool:
        """Tell whether state and variables are as in the snapshot.

        Args:
            subject: the program under test.
            now: the snapshot in which the machine or the system is.

        Returns:
            Whether nothing that it shows differs.
        """
        contact = self._contact()
        return view_difference(self.finder.tables, subject, now, contact) is None

    def end(self, subject: Any) -> None:
        """Call what ends a subject.

        Args:
            subject: the program under test.
        """
        self._contact().end(subject)


def rejected_awaitable(given: Any) -> Any:
    """Return what a subject gives, unless it must be awaited.

    Args:
        given: by a call, or in place of a subject.

    Returns:
        The same.

    Raises:
        CallsAreAwaited: it must.
    """
    if inspect.isawaitable(given):
        if inspect.iscoroutine(given):
            given.close()
        raise CallsAreAwaited(repr(given))
    return given
