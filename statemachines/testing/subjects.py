"""A program under test, as the machine sees it: made, called, and looked at."""

from __future__ import annotations

import asyncio
import dataclasses
import enum
import inspect
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence, Set
from typing import Any, TypeVar

import attrs
from attrs import field, frozen

from statemachines.embed.instances import Instance
from statemachines.model.snapshots import Value
from statemachines.model.types import Type
from statemachines.model.values import FrozenMap
from statemachines.semantics.mistakes import ArgumentsError
from statemachines.semantics.values import accept

T = TypeVar("T")
MISSING = object()
"""What a subject shows that has no such attribute."""

Call = Callable[[Any, str, Mapping[str, Value]], Any]
"""How an event reaches a subject: called with the subject, the event and its arguments."""


@frozen
class Outcome:
    """What became of a call: a value, or an exception."""

    value: Value = None
    error: Exception | None = None

    def __str__(self) -> str:
        return f"returned {self.value!r}" if self.error is None else f"raised {type(self.error).__name__}: {self.error}"


@frozen(eq=False)
class Unseen:
    """What a subject shows where looking at it raised an exception."""

    error: Exception

    def __str__(self) -> str:
        return f"cannot be looked at: {type(self.error).__name__}: {self.error}"


@frozen
class Manners:
    """How a subject says what the machine says."""

    refusals: tuple[type[Exception], ...]
    errors: Mapping[str, type[Exception]] = field(factory=dict)
    """A declared error's name to the subject's class, where the class is called differently."""
    observe: Mapping[str, str | Callable[[Any], Value]] = field(factory=dict)
    """A variable (or `state`) to the subject's attribute, or to a function of the subject."""
    call: Call | None = None
    """An adapter; None: the subject has a method an event."""
    end: Callable[[Any], Any] | None = None
    """Called with a subject whose life is over."""
    shares_results: bool = False
    """Whether lists, sets and maps that it returns may be the ones that it goes on using."""

    def is_error(self, error: Exception, name: str) -> bool:
        """Tell whether an exception is the declared error: by the given class, or by the name of its class or one it inherits from."""
        given = self.errors.get(name)
        return isinstance(error, given) if given is not None else name in {each.__name__ for each in type(error).__mro__}


class Contact:
    """The line to the subjects of one test; what they give to be awaited is awaited, all on one loop."""

    def __init__(self, manners: Manners, shown: Sequence[str] = ()) -> None:
        self.manners = manners
        self.shown = tuple(shown)
        """What is looked at as soon as a call is over, before anything else has its turn on the loop."""
        self.was_awaited = False
        """Whether the last call, or the making of a subject, gave something to be awaited."""
        self.trouble: Exception | None = None
        """What looking at a subject raised last."""
        self._seen: dict[str, Value] = {}
        self._runner: asyncio.Runner | None = None

    def make(self, make_subject: Callable[..., Any], parameters: Mapping[str, Value]) -> Any:
        """Make a subject."""
        self._seen, given = {}, make_subject(**parameters)
        self.was_awaited = inspect.isawaitable(given)
        return self._done(given)

    def call(self, subject: Any, event: str, arguments: Mapping[str, Value], chosen: Mapping[str, Value]) -> Outcome:
        """Let an event reach the subject; what it raises is an outcome.

        Args:
            subject: the one that is called.
            event: its name.
            arguments: what the caller decides.
            chosen: what the system decides: only an instance of the machine itself is told.
        """
        self._seen, self.was_awaited = {}, False
        try:
            given = self._called(subject, event, arguments, chosen)
        except Exception as error:  # whatever the subject raises is its behaviour, and is compared with the machine's
            return Outcome(error=error)
        if not inspect.isawaitable(given):
            return Outcome(given)
        self.was_awaited = True
        return self._run(self._awaited(subject, given))

    async def _awaited(self, subject: Any, given: Awaitable[Any]) -> Outcome:
        """Await a call, and look at the subject at once: what it does afterwards it does too late."""
        try:
            outcome = Outcome(await given)
        except Exception as error:  # as above
            outcome = Outcome(error=error)
        seen = dict[str, Value]()
        for name in self.shown:
            try:
                found = self._shown(subject, name)
                seen[name] = as_value(await found if inspect.isawaitable(found) else found)
            except Exception as error:  # as above
                seen[name] = self._unseen(error)
        self._seen = seen
        return outcome

    def _called(self, subject: Any, event: str, arguments: Mapping[str, Value], chosen: Mapping[str, Value]) -> Any:
        if self.manners.call is not None:
            return self.manners.call(subject, event, arguments)
        if isinstance(subject, Instance):
            return subject.send(event, **arguments, **chosen)
        return getattr(subject, event)(**arguments)

    def understands(self, subject: Any, event: str) -> bool:
        """Tell whether the subject has a method for an event."""
        return self.manners.call is not None or isinstance(subject, Instance) or callable(getattr(subject, event, None))

    def look(self, subject: Any, name: str) -> Value:
        """Return what the subject shows under a name, as a value of the machine; MISSING where it shows nothing."""
        if name in self._seen:
            return self._seen[name]
        try:
            return as_value(self._done(self._shown(subject, name)))
        except Exception as error:  # as with calls: a property that raises is wrong, and the test goes on to say so
            return self._unseen(error)

    def _unseen(self, error: Exception) -> Unseen:
        self.trouble = error
        return Unseen(error)

    def forget(self) -> None:
        """Look again at what was seen when the last call was over."""
        self._seen = {}

    def _shown(self, subject: Any, name: str) -> Any:
        """Return what the subject shows, which may have to be awaited."""
        way = self.manners.observe.get(name, name)
        if callable(way):
            return way(subject)
        if isinstance(subject, Instance) and way != "state":
            return subject.variables.get(way, MISSING)
        shown = getattr(subject, way, MISSING)
        return shown() if callable(shown) else shown

    def end(self, subject: Any) -> Exception | None:
        """Let go of a subject whose life is over; return what that raised."""
        if self.manners.end is not None:
            try:
                self._done(self.manners.end(subject))
            except Exception as error:  # as above
                return error
        return None

    def close(self) -> None:
        """Close the loop, where anything was awaited."""
        if self._runner is not None:
            self._runner.close()
            self._runner = None

    def _done(self, given: Any) -> Any:
        return self._run(_awaited(given)) if inspect.isawaitable(given) else given

    def _run(self, given: Coroutine[Any, Any, T]) -> T:
        if self._runner is None:
            self._runner = asyncio.Runner()
        return self._runner.run(given)


async def _awaited(given: Awaitable[Any]) -> Any:
    return await given


def as_value(shown: Any) -> Value:
    """Return a value of the notation for what a program holds: lists are tuples, sets frozensets, maps hash, enumerations `str`.

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
            return getattr(shown, "_make", tuple)([as_value(each) for each in shown])  # a record stays one
        case _ if dataclasses.is_dataclass(shown):
            return FrozenMap({each.name: as_value(getattr(shown, each.name)) for each in dataclasses.fields(shown)})
        case _ if attrs.has(type(shown)):
            return FrozenMap({each.name: as_value(getattr(shown, each.name)) for each in attrs.fields(type(shown))})
        case _:
            return shown


def spoil(given: Any) -> str | None:
    """Change a list, set or map as its owner may; return the Python that does; None: it is none of them.

    >>> mine = [1, 2]
    >>> spoil(mine), mine
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


def is_same(type_: Type, shown: Value, expected: Value) -> bool:
    """Tell whether what a subject shows is a value of a type, however the subject holds it.

    >>> from statemachines.model.types import INT, SetType
    >>> is_same(SetType(INT), [2, 1], frozenset({1, 2})), is_same(INT, True, 1)
    (True, False)
    """
    if shown is MISSING or isinstance(shown, Unseen):
        return False
    try:
        return accept(type_, shown) == expected
    except ArgumentsError:
        return False
