"""A program under test, as the machine sees it: made, called, and looked at."""

from __future__ import annotations

import asyncio
import dataclasses
import enum
import inspect
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence, Set
from functools import partial
from typing import Any, TypeVar

import attrs
from attrs import field, frozen

from statemachines.embed.instances import Instance
from statemachines.model.definitions.snapshots import Value
from statemachines.model.language.frozen_values import FrozenMap
from statemachines.model.language.value_types import Type
from statemachines.semantics.evaluation.value_acceptance import accept_value
from statemachines.semantics.messages.argument_errors import ArgumentsError
from statemachines.testing.threads.drawn_turns import call_alone

T = TypeVar("T")
MISSING = object()
"""What a subject shows that has no such attribute."""

SubjectCall = Callable[[Any, str, Mapping[str, Value]], Any]
"""How an event reaches a subject: called with the subject, the event and its arguments."""


@frozen
class CallOutcome:
    """What became of a call: a value, or an exception."""

    value: Value = None
    error: Exception | None = None

    def __str__(self) -> str:
        return (
            f"returned {self.value!r}" if self.error is None else f"raised {error_text(self.error)}"
        )


def error_text(error: Exception) -> str:
    """Write an exception as Python does: its class, and what it says if it says anything.

    Args:
        error: as the subject raised it.

    Returns:
        A clause.

    >>> error_text(KeyError("tea")), error_text(ValueError())
    ("KeyError: 'tea'", 'ValueError')
    """
    return type(error).__name__ + (f": {error}" if str(error) else "")


@frozen(eq=False)
class UnreadableView:
    """What a subject shows where looking at it raised an exception."""

    error: Exception

    def __str__(self) -> str:
        return f"cannot be looked at: {type(self.error).__name__}: {self.error}"


_LOCK_STALLS = 200
"""How long a lock is awaited where other threads may free it, in hundredths of a second."""


@frozen
class SubjectConventions:
    """How a subject says what the machine says."""

    refusals: tuple[type[Exception], ...]
    errors: Mapping[str, type[Exception]] = field(factory=dict)
    """A declared error's name to the subject's class, where the class is called differently."""
    observe: Mapping[str, str | Callable[[Any], Value]] = field(factory=dict)
    """A variable (or `state`) to the subject's attribute, or to a function of the subject."""
    call: SubjectCall | None = None
    """An adapter; None: the subject has a method an event."""
    end: Callable[[Any], Any] | None = None
    """Called with a subject whose life is over."""
    shares_results: bool = False
    """Whether lists, sets and maps that it returns may be the ones that it goes on using."""

    def is_error(self, error: Exception, name: str) -> bool:
        """Tell whether an exception is the declared error: by the given class, or by the name of
        its class or one it inherits from.

        Args:
            error: what the subject raised.
            name: of the error that the spec declares.

        Returns:
            Whether it is that error.
        """
        given = self.errors.get(name)
        return (
            isinstance(error, given)
            if given is not None
            else name in {ancestor.__name__ for ancestor in type(error).__mro__}
        )


class SubjectContact:
    """The line to the subjects of one test; what they give to be awaited is awaited, all on one
    loop.
    """

    def __init__(
        self,
        conventions: SubjectConventions,
        shown: Sequence[str] = (),
        runner: asyncio.Runner | None = None,
    ) -> None:
        self.conventions = conventions
        self.observed_names = tuple(shown)
        """What is looked at as soon as a call is over, before anything else has its turn on the
        loop.
        """
        self.was_awaited = False
        """Whether the last call, or the making of a subject, gave something to be awaited."""
        self.last_error: Exception | None = None
        """What looking at a subject raised last."""
        self._views: dict[str, Value] = {}
        self._runner = runner

    def make(self, make_subject: Callable[..., Any], parameters: Mapping[str, Value]) -> Any:
        """Make a subject.

        Args:
            make_subject: makes a subject from the parameters; may be a coroutine function.
            parameters: by name, as keywords.

        Returns:
            The subject, awaited where it had to be.
        """
        self._views, given = {}, make_subject(**parameters)
        self.was_awaited = inspect.isawaitable(given)
        return self._completed(given)

    def call(
        self, subject: Any, event: str, arguments: Mapping[str, Value], chosen: Mapping[str, Value]
    ) -> CallOutcome:
        """Let an event reach the subject; what it raises is an outcome.

        Args:
            subject: the one that is called.
            event: its name.
            arguments: what the caller decides.
            chosen: what the system decides: only an instance of the machine itself is told.

        Returns:
            The value or the exception, whatever it is.
        """
        self._views, self.was_awaited = {}, False
        try:
            given = _without_waiting(partial(self.given_by, subject, event, arguments, chosen))
        except Exception as error:
            # whatever the subject raises is its behaviour, and is compared with the machine's
            return CallOutcome(error=error)
        if not inspect.isawaitable(given):
            return CallOutcome(given)
        self.was_awaited = True
        return self._run_coroutine(self._await_call(subject, given))

    async def _await_call(self, subject: Any, given: Awaitable[Any]) -> CallOutcome:
        """Await a call, and look at the subject at once: what it does later comes too late."""
        try:
            outcome = CallOutcome(await given)
        except Exception as error:  # as above
            outcome = CallOutcome(error=error)
        observed = dict[str, Value]()
        for name in self.observed_names:
            try:
                view = self._read_view(subject, name)
                observed[name] = as_value(await view if inspect.isawaitable(view) else view)
            except Exception as error:  # as above
                observed[name] = self._unreadable(error)
        self._views = observed
        return outcome

    def given_by(
        self, subject: Any, event: str, arguments: Mapping[str, Value], chosen: Mapping[str, Value]
    ) -> Any:
        """Return what a call gives, to be awaited or not.

        Args:
            subject: the one that is called.
            event: its name.
            arguments: what the caller decides.
            chosen: what the system decides.

        Returns:
            What the subject returned; what it raises is raised.
        """
        if self.conventions.call is not None:
            return self.conventions.call(subject, event, arguments)
        if isinstance(subject, Instance):
            return subject.send(event, **arguments, **chosen)
        return getattr(subject, event)(**arguments)

    def has_event(self, subject: Any, event: str) -> bool:
        """Tell whether the subject has a method for an event.

        Args:
            subject: the program under test.
            event: the name of the event.

        Returns:
            Whether it can be called with this event.
        """
        return (
            self.conventions.call is not None
            or isinstance(subject, Instance)
            or callable(getattr(subject, event, None))
        )

    def view(self, subject: Any, name: str) -> Value:
        """Return what the subject shows under a name, as a value of the machine; MISSING where it
        shows nothing.

        Args:
            subject: the program under test.
            name: of a variable, a named result, or `state`.

        Returns:
            The value, `MISSING`, or an `UnreadableView` where looking raised an exception.
        """
        if name in self._views:
            return self._views[name]
        try:
            shown = _without_waiting(partial(self._read_view, subject, name))
            return as_value(self._completed(shown))
        except Exception as error:
            # as with calls: a property that raises is wrong, and the test goes on to say so
            return self._unreadable(error)

    def _unreadable(self, error: Exception) -> UnreadableView:
        self.last_error = error
        return UnreadableView(error)

    def forget_views(self) -> None:
        """Look again at what was seen when the last call was over."""
        self._views = {}

    def _read_view(self, subject: Any, name: str) -> Any:
        """Return what the subject shows, which may have to be awaited."""
        reader = self.conventions.observe.get(name, name)
        if callable(reader):
            return reader(subject)
        if isinstance(subject, Instance) and reader != "state":
            return subject.variables.get(reader, MISSING)
        shown = getattr(subject, reader, MISSING)
        return shown() if callable(shown) else shown

    def end(self, subject: Any) -> Exception | None:
        """Let go of a subject whose life is over; return what that raised.

        Args:
            subject: the program under test.

        Returns:
            The exception, or None.
        """
        if self.conventions.end is not None:
            try:
                self._completed(self.conventions.end(subject))
            except Exception as error:  # as above
                return error
        return None

    def close(self) -> None:
        """Close the loop, where anything was awaited."""
        if self._runner is not None:
            self._runner.close()
            self._runner = None

    def _completed(self, given: Any) -> Any:
        return self._run_coroutine(_await_value(given)) if inspect.isawaitable(given) else given

    def _run_coroutine(self, given: Coroutine[Any, Any, T]) -> T:
        if self._runner is None:
            self._runner = asyncio.Runner()
        return self._runner.run(given)


def _without_waiting(read: Callable[[], T]) -> T:
    """Return what is read from a subject; a lock that nobody gives back is not waited for.

    Raises:
        ThreadsStuck: it waits for such a one.
        Exception: whatever the subject raises.
    """
    given = list[T]()
    call_alone(lambda: given.append(read()), _LOCK_STALLS)
    return given[0]


async def _await_value(given: Awaitable[Any]) -> Any:
    return await given


def as_value(shown: Any) -> Value:
    """Return a value of the notation for what a program holds: lists are tuples, sets frozensets,
    maps hash, enumerations `str`.

    Args:
        shown: what the program holds.

    Returns:
        The value; what is none of these is given back as it is.

    >>> as_value({"tea": [1, 2]}) == FrozenMap({"tea": (1, 2)})
    True
    """
    match shown:
        case enum.Enum():
            return shown.value if isinstance(shown.value, str) else shown.name
        case str() | type():
            return shown
        case Mapping():
            return FrozenMap({as_value(key): as_value(value) for key, value in shown.items()})
        case Set():
            return frozenset(map(as_value, shown))
        case list() | tuple():
            return getattr(shown, "_make", tuple)(
                [as_value(item) for item in shown]
            )  # a record stays one
        case _ if dataclasses.is_dataclass(shown):
            return FrozenMap(
                {
                    attribute.name: as_value(getattr(shown, attribute.name))
                    for attribute in dataclasses.fields(shown)
                }
            )
        case _ if attrs.has(type(shown)):
            return FrozenMap(
                {
                    attribute.name: as_value(getattr(shown, attribute.name))
                    for attribute in attrs.fields(type(shown))
                }
            )
        case _:
            return shown


def change_returned(given: Any) -> str | None:
    """Change a list, set or map as its owner may; return the Python that does; None: it is none of
    them.

    Args:
        given: what the subject returned; it is changed in place.

    Returns:
        Python to stand behind the call that returned it, or None.

    >>> mine = [1, 2]
    >>> change_returned(mine), mine
    ('.clear()', [])
    """
    match given:
        case list() | deque() if not given:
            given.append(None)
            return ".append(None)"
        case set() if not given:
            given.add(None)
            return ".add(None)"
        case FrozenMap():
            return None
        case dict() if not given:
            given[None] = None
            return "[None] = None"
        case list() | deque() | set() | dict():
            given.clear()
            return ".clear()"
    return None


def is_same_value(type_: Type, shown: Value, expected: Value) -> bool:
    """Tell whether what a subject shows is a value of a type, however the subject holds it.

    Args:
        type_: the type that the spec gives it.
        shown: what the subject holds.
        expected: the value that the machine holds.

    Returns:
        Whether the two are equal as values of the type.

    >>> from statemachines.model.language.value_types import INT, SetType
    >>> is_same_value(SetType(INT), [2, 1], frozenset({1, 2})), is_same_value(INT, True, 1)
    (True, False)
    """
    if shown is MISSING or isinstance(shown, UnreadableView):
        return False
    try:
        return accept_value(type_, shown) == expected
    except ArgumentsError:
        return False
