"""What every generated system has: text that does not depend on the spec."""

from __future__ import annotations

from statemachines.embed.code_generation.system_code.runtime_values import RUNTIME_VALUES

IMPORTS = (
    "from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping",
    "from copy import copy",
    "from typing import Any, ClassVar, Final, NamedTuple",
)
"""Lines that import what the text needs."""

RUNTIME_NAMES = {
    "Any",
    "ArgumentsError",
    "Callable",
    "ClassVar",
    "Collection",
    "Final",
    "Hashable",
    "Iterable",
    "Iterator",
    "Mapping",
    "NamedTuple",
    "NotAllowed",
    "RELEASE",
    "State",
    "SYSTEM",
    "Waiting",
    "copy",
    "enum",
}
"""Names that the text uses; it has others, all of which begin with an underscore."""

SYSTEM_METHODS = ("deliver", "legal", "may", "send", "waiting")
"""What a system has beside its parts, their events and its variables."""

RUNTIME = (
    RUNTIME_VALUES
    + '''class _System:
    """What every system does with an event: a step of its part, and all that comes of it."""

    _parts: ClassVar[Mapping[str, _Part]]
    _errors: ClassVar[tuple[type[Exception], ...]]
    _waiting: dict[tuple[Hashable, ...], tuple[_Sent, ...]]

    def send(self, event: str, key: Hashable = None, /, **arguments: Any) -> Any:
        """Let an event of a part happen, such as `gate.shut`, with all that it sends.

        Where it is not allowed, or raises in an action of the caller, all is as it was.
        """
        part, name = self._named(event, key)
        before = dict(self.__dict__)
        try:
            result, error = self._step(part, key, name, arguments, outside=True)
            self._end_parts()
        except _Undone as undone:
            self.__dict__ = before
            result, error = None, self._refusal(part, key, name, str(undone))
        except BaseException:
            self.__dict__ = before
            raise
        if isinstance(error, NotAllowed):
            error.part = part if key is None else f"{part}[{key!r}]"
        if error is not None:
            raise error
        return result

    def deliver(self, waiting: Waiting) -> bool:
        """Let something become of an event that waits: one of `waiting`.

        Return False where its receiver refuses it, which raises nothing, and where there is no room
        for what comes of it, or its channel keeps what is refused: then it still waits as before.
        """
        if waiting not in self.waiting:
            raise ArgumentsError(f"nothing waits so: {waiting}")
        before, queue = dict(self.__dict__), waiting.queue
        sent = self._waiting[queue]
        if waiting.fate != "repeated":
            left = sent[: waiting.position] + sent[waiting.position + 1 :]
            self._waiting = {**self._waiting, queue: left}
        try:
            keeps = "it waits on" if sent[waiting.position].route.keeps_refused else ""
            done = waiting.fate == "lost" or self._arrive(*waiting[:4], keeps)
            self._end_parts()
        except _Undone:
            self.__dict__ = before
            return False
        return done

    def may(self, event: str, key: Hashable = None, /, **arguments: Any) -> bool:
        """Tell whether a transition would take the event and nothing forbids it."""
        part, name = self._named(event, key)
        if not self._parts[part].events[name].may(self._part(part, key), **arguments):
            return False
        try:
            copy(self).send(event, key, **arguments)
        except self._errors:
            return False
        return True

    @property
    def waiting(self) -> list[Waiting]:
        """What may become of what waits."""
        return [
            Waiting(
                one.route.part, queue[-1], one.route.event, one.arguments, queue, position, fate
            )
            for queue, sent in self._waiting.items()
            for position, one in enumerate(sent)
            for fate in self._fates(one.route, position)
        ]

    @property
    def legal(self) -> list[tuple[str, Hashable]]:
        """The events that transitions have where parts are; guards and links are not asked."""
        return [
            (f"{name}.{event}", key)
            for name in self._parts
            for key in self._keys(name)
            for event in self._part(name, key).legal
        ]

    @staticmethod
    def _fates(route: _Route, position: int) -> Iterator[str]:
        if position == 0 or "reorder" in route.may:
            yield "delivered"
            if "repeat" in route.may:
                yield "repeated"
        if "lose" in route.may:
            yield "lost"

    def _named(self, event: str, key: Hashable) -> tuple[str, str]:
        part, _, name = event.partition(".")
        if part not in self._parts or name not in self._parts[part].events:
            raise ArgumentsError(f"{SYSTEM} has no event `{event}`")
        if key not in self._keys(part):
            raise ArgumentsError(f"there is no `{part}` with the key {key!r}")
        return part, name

    def _keys(self, part: str) -> tuple[Hashable, ...]:
        held = getattr(self, self._parts[part].attribute)
        if self._parts[part].keyed:
            return tuple(held)
        return () if held is None else (None,)

    def _part(self, part: str, key: Hashable) -> Any:
        held = getattr(self, self._parts[part].attribute)
        return held[key] if self._parts[part].keyed else held

    def _put(self, part: str, key: Hashable, one: Any) -> None:
        about = self._parts[part]
        if about.keyed:
            one = {**getattr(self, about.attribute), key: one}
        setattr(self, about.attribute, one)

    def _refusal(self, part: str, key: Hashable, event: str, why: str) -> NotAllowed:
        one = self._part(part, key)
        error = NotAllowed(getattr(one, "state", ""), event, one.legal)
        error.why = why
        return error

    def _step(
        self,
        part: str,
        key: Hashable,
        event: str,
        arguments: Mapping[str, Any],
        *,
        outside: bool = False,
    ) -> tuple[Any, Exception | None]:
        """Let a part take a step, and its links fire; return its result, or the error it raised."""
        about, before = self._parts[part], self._part(part, key)
        after, how = copy(before), about.events[event]
        result: Any = None
        error: Exception | None = None
        taken = how.may(before, **arguments)
        try:
            result = how.act(after, **arguments)
        except self._errors as raised:
            error = raised
        if error is None and not taken:
            taken = getattr(before, "state", "") in how.forced
        if outside and how.channel:
            why = f"it comes through the channel `{how.channel}` alone"
            return None, self._refusal(part, key, event, why)
        step = _Step(key, event, arguments, before, after, taken, result)
        for forbids in about.forbids:
            if why := forbids(self, step):
                return None, self._refusal(part, key, event, why)
        self._put(part, key, after)
        self._share(about, before, after)
        for link in about.links:
            link(self, step)
        return result, error

    def _share(self, about: _Part, before: Any, after: Any) -> None:
        """Give what a part wrote to all that have the same variable."""
        for variable, members in about.same:
            value = getattr(after, variable)
            if value != getattr(before, variable):
                for part, called in members:
                    for key in self._keys(part):
                        one = copy(self._part(part, key))
                        setattr(one, called, value)
                        self._put(part, key, one)

    def _begin_same(self, members: tuple[tuple[str, str], ...]) -> None:
        """Let variables that are one begin as the first part has them that is there."""
        values = [
            getattr(self._part(part, key), called)
            for part, called in members
            for key in self._keys(part)
        ]
        for part, called in members:
            for key in self._keys(part):
                one = copy(self._part(part, key))
                setattr(one, called, values[0])
                self._put(part, key, one)

    def _begin_link(self, part: str, link: Callable[[_Step], None]) -> None:
        """Let wait what a link sends at the beginning."""
        try:
            for key in self._keys(part):
                one = self._part(part, key)
                link(_Step(key, "", {}, one, one, False, None))
        except _Undone as undone:
            raise ArgumentsError(f"{SYSTEM} does not begin so: {undone}") from None

    def _arrive(
        self, part: str, key: Hashable, event: str, given: Mapping[str, Any], needed: str = ""
    ) -> bool:
        """Let the receiver of a link take its step; False, and nothing, where it refuses it.

        Where that is `needed`, it says why all that led here does not happen then.
        """
        if key not in self._keys(part):
            if needed:
                raise _Undone(needed)
            return False
        try:
            _, error = self._step(part, key, event, given)
        except ArgumentsError as misfit:
            error = misfit
        if needed and isinstance(error, (NotAllowed, ArgumentsError)):
            raise _Undone(needed)
        return error is None

    def _later(
        self, route: _Route, sender: Hashable, receiver: Hashable, arguments: Mapping[str, Any]
    ) -> None:
        """Let an event wait, if its channel can hold it."""
        sender, part = (None, "") if route.shared else (sender, route.sender)
        queue = (route.name, part, sender, route.part, receiver)
        sent = self._waiting.get(queue, ()) if route.holds else ()
        if route.holds and len(sent) >= route.holds:
            if route.full == "drop new":
                return
            if route.full == "refuse":
                raise _Undone(f"the channel `{route.name}` is full (it holds {route.holds})")
            sent = sent[1:]
        self._waiting = {**self._waiting, queue: (*sent, _Sent(route, arguments))}

    def _create(self, part: str, key: Hashable, one: Any) -> None:
        """Let one more of a part be there."""
        attribute = self._parts[part].attribute
        held = getattr(self, attribute)
        if key in held:
            raise _Undone(f"there is `{part}[{key!r}]` already")
        held = {**held, key: one}
        setattr(self, attribute, {each: held[each] for each in sorted(held, key=_order)})

    def _end_parts(self) -> None:
        """Let go of parts that have come to where they end, and of what waits for them."""
        for name, about in self._parts.items():
            held = getattr(self, about.attribute) if about.ends else {}
            ended = {key for key, one in held.items() if one.state in about.ends}
            if ended:
                left = {key: one for key, one in held.items() if key not in ended}
                setattr(self, about.attribute, left)
                self._waiting = {
                    queue: sent
                    for queue, sent in self._waiting.items()
                    if queue[3] != name or queue[4] not in ended
                }
'''
)
"""Errors, what waits, and the class that each system's own class is made from."""
