"""Steps with all that is bound to them: listeners, actions, the move; and what keeps several
threads from being in the middle of one.

An instance of a machine and one of a system differ in what a step is; how it is done is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from threading import RLock
from typing import TYPE_CHECKING, Any, Generic, Protocol, Self, TypeVar

from statemachines.embed.errors import Declared, NotAllowed
from statemachines.embed.instances import operation_result
from statemachines.model.definitions.snapshots import Answer, Raised, Refused, Value

OccurrenceT = TypeVar("OccurrenceT")
Call = Callable[[], Any]
"""An action, with what it is told."""


class Busy(RuntimeError):
    """An action sent an event to the instance in whose step it is called; a listener may, the step
    is done when it is told.
    """


class Listeners(Protocol):
    """What is told of every event."""

    @property
    def before(self) -> tuple[Callable[[Any], Any], ...]:
        """Those that are told before anything happens."""
        ...

    @property
    def after(self) -> tuple[Callable[[Any], Any], ...]:
        """Those that are told when all is done."""
        ...


class ActingSteps(Generic[OccurrenceT]):
    """An instance whose steps call what is bound to it; one step at a time, each whole."""

    __slots__ = ()
    _hooks: Any
    _acting: bool
    if TYPE_CHECKING:

        def copy(self) -> Self:
            """Return another one that is where this one is; what it is mixed with has it."""
            ...

    def _actions_in_order(self, occurrence: OccurrenceT) -> Generator[Call, None, None]:
        """Yield the actions in their order, moving in between; closed before its end, it moves
        back.
        """
        raise NotImplementedError

    def _perform(self, begin: Callable[[], OccurrenceT]) -> OccurrenceT:
        """Do one step: `begin` asks what becomes of the event."""
        occurrence = begin()
        listeners: Listeners = self._hooks
        for listener in listeners.before:
            listener(occurrence)
        self._acting = True  # type: ignore[misc]  # a slot of the class that it is mixed with
        course = self._actions_in_order(occurrence)
        try:
            for call in course:
                call()
        finally:
            course.close()
            self._acting = False  # type: ignore[misc]  # a slot of the class that it is mixed with
        for listener in listeners.after:
            listener(occurrence)
        return occurrence

    def _returned(
        self, answer: Answer, refusal: Callable[[Refused | Raised], NotAllowed | Declared]
    ) -> Value:
        """Return what an operation gives to its caller; raise what a refusal makes of its answer,
        as the class that the program has for it.
        """
        if not isinstance(answer, Refused | Raised):
            return operation_result(answer)
        error = refusal(answer)
        given = self._hooks.errors.get(answer.error or "")
        raise error if given is None else given(str(error)) from error

    def _busy(self, event: str) -> Busy:
        """Return the error for an event that an action sends to the instance in whose step it is
        called.
        """
        return Busy(
            f"`{event}` was sent by an action while {self!r} is in the middle of a step; send it"
            " from a listener (`after`)"
        )


class LockedSteps(ActingSteps[OccurrenceT]):
    """Steps of several threads: one is over before the next one begins."""

    __slots__ = ()
    _lock: Any

    def _new_lock(self) -> None:
        self._lock = RLock()

    def copy(self) -> Self:
        """Return another instance that is where this one is, with the same actions and a lock of
        its own.
        """
        with self._lock:
            twin = super().copy()
        twin._new_lock()
        return twin

    def _perform(self, begin: Callable[[], OccurrenceT]) -> OccurrenceT:
        with self._lock:
            return super()._perform(begin)

    @contextmanager
    def alone(self) -> Iterator[Self]:
        """Keep other threads out while several questions and events belong together.

        Such as `with arm.alone(): arm.may("push") and arm.push()`.
        """
        with self._lock:
            yield self
