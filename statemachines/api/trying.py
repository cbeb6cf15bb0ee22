"""A conversation about a machine or a system: where it is, what may happen, why the rest may not, and what became of what was asked."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from random import Random
from typing import Protocol

from attrs import define, field, frozen

from statemachines.api.explore import natural
from statemachines.explore.drawing import Values
from statemachines.model.snapshots import Value
from statemachines.semantics.mistakes import ArgumentsError
from statemachines.semantics.texts import exact

HELP = (
    "  N           take the event with this number",
    "  event(a=1)  take an event with arguments, as Python writes them; of a system part.event(…), part[key].event(…)",
    "  why         why the other events are not possible; why EVENT of one of them",
    "  random      take one of the events by chance",
    "  back        undo the last step",
    "  restart     begin again",
    "  quit        end; so does the end of the input",
)
HINT = "      a number, an event, why, random, back, restart, help, quit"
NAMED = 10
"""Events that are not possible and are named unasked."""


@frozen
class Choice:
    """What may be taken."""

    said: str
    becomes: str
    take: object
    """What the tried thing needs to take it."""


class Tried(Protocol):
    """What is tried out."""

    def begins(self) -> list[object]:
        """Return where it may begin."""
        ...

    def said(self, now: object) -> str:
        """Write where it is."""
        ...

    def look(self, now: object) -> tuple[list[Choice], list[tuple[str, str]]]:
        """Return what may be taken, and of every other event why not."""
        ...

    def broken(self, now: object) -> list[str]:
        """Return the names of the rules under `always` that do not hold."""
        ...

    def take(self, now: object, choice: object) -> tuple[object, str]:
        """Return where a choice leads, and what became of it."""
        ...

    def ask(self, now: object, name: str, key: Value, arguments: Values) -> tuple[object, str]:
        """Return where an event leads, and what became of it."""
        ...


@define
class Session:
    """A conversation: one line in, some lines out."""

    tried: Tried
    random: Random
    way: list[object] = field(factory=list)
    over: bool = False

    def __attrs_post_init__(self) -> None:
        self.way = [self.tried.begins()[0]]

    def opening(self) -> Iterator[str]:
        """Yield what is shown first."""
        yield from self.shown()
        yield HINT

    def answer(self, line: str) -> Iterator[str]:
        """Yield what is shown for a line."""
        asked = line.strip()
        match asked:
            case "":
                yield from self.shown()
            case "quit" | "exit" | "q":
                self.over = True
            case "help" | "?":
                yield from HELP
            case "why" | "why?":
                yield from self.why()
            case _ if asked.startswith(("why ", "why? ")):
                yield from self.why(asked.partition(" ")[2].strip())
            case "back" if len(self.way) > 1:
                self.way.pop()
                yield from self.shown()
            case "back":
                yield "  nothing was done yet"
            case "restart":
                del self.way[1:]
                yield from self.shown()
            case _:
                yield from self.taken(asked)

    def shown(self) -> Iterator[str]:
        """Yield where it is and what may happen."""
        choices, others = self.tried.look(self.way[-1])
        yield f"{len(self.way) - 1}  {self.tried.said(self.way[-1])}"
        width = max((len(choice.said) for choice in choices), default=0)
        yield from (f"  {number:>2}  {choice.said:{width}}   {choice.becomes}" for number, choice in enumerate(choices, 1))
        if not choices:
            yield "  nothing may happen here"
        yield from (f"      does not hold: {name}" for name in self.tried.broken(self.way[-1]))
        if others:
            more = f" and {len(others) - NAMED} others" if len(others) > NAMED else ""
            yield f"      not possible: {', '.join(name for name, _ in others[:NAMED])}{more}   (why?)"

    def why(self, event: str = "") -> Iterator[str]:
        """Yield why the other events are not possible, or one of them."""
        choices, others = self.tried.look(self.way[-1])
        wanted, named = event.partition("(")[0].replace('"', "'"), [choice.said.partition("(")[0] for choice in choices]
        found = [(name, reason) for name, reason in others if not wanted or _is(name, wanted)]
        width = max((len(name) for name, _ in found), default=0)
        yield from (f"  {name:{width}}   {reason}" for name, reason in found)
        if not found and not wanted:
            yield "  every event is possible here"
        elif not found:
            yield f"  `{wanted}` is possible here" if any(_is(name, wanted) for name in named) else f"  there is no event `{wanted}`"

    def taken(self, asked: str) -> Iterator[str]:
        """Take what was asked for, and yield what became of it."""
        now, called = self.way[-1], ""
        choices, others = self.tried.look(now)
        try:
            if asked == "random":
                if not choices:
                    raise ArgumentsError("nothing may happen here; `back` undoes a step")
                after, said = self.tried.take(now, self.random.choice(choices).take)
            elif (number := natural(asked)) is not None:
                if not 1 <= number <= len(choices):
                    raise ArgumentsError(f"there is no number {asked}; they go from 1 to {len(choices)}")
                after, said = self.tried.take(now, choices[number - 1].take)
            else:
                name, key, arguments = read_call(asked)
                after, said = self.tried.ask(now, name, key, arguments)
                called = _called(name, key)
        except ArgumentsError as mistake:
            yield f"  {mistake}"
            return
        why = next((reason for name, reason in others if name == called), "")
        yield f"      {said}" + (f": {why.partition('; it would')[0]}" if why and after == now else "")
        if after != now:
            self.way.append(after)
        yield from self.shown()


def _is(name: str, wanted: str) -> bool:
    """Tell whether an event is meant: by its whole name, or by that of any part's event."""
    return name.removeprefix("delivered: ") == wanted or name.rpartition(".")[2] == wanted


def _called(name: str, key: Value) -> str:
    """Return an event as it is shown: `part['key'].event`."""
    part, dot, event = name.rpartition(".")
    return name if key is None else f"{part}[{exact(key)}]{dot}{event}"


def read_call(text: str) -> tuple[str, Value, Values]:
    """Read `event`, `event(a=1)`, `part.event(…)` or `part['key'].event(…)`: name, key, arguments.

    Raises:
        ArgumentsError: it is none of these.
    """
    try:
        tree = ast.parse(text, mode="eval").body
        call = tree if isinstance(tree, ast.Call) else ast.Call(tree, [], [])
        if call.args:
            raise ValueError
        arguments = {one.arg: ast.literal_eval(one.value) for one in call.keywords if one.arg is not None}
        name, key = _name(call.func)
    except (SyntaxError, ValueError):
        written = "`part.event`, `part['key'].event(count=1)`" if "." in text else "`event`, `event(count=1)`"
        raise ArgumentsError(f"`{text}` is no event; write {written}, a number, or `help`") from None
    return name, key, arguments


def _name(node: ast.expr) -> tuple[str, Value]:
    match node:
        case ast.Name(id=name):
            return name, None
        case ast.Attribute(value=ast.Name(id=part), attr=event):
            return f"{part}.{event}", None
        case ast.Attribute(value=ast.Subscript(value=ast.Name(id=part), slice=key), attr=event):
            found: Value = ast.literal_eval(key)
            return f"{part}.{event}", found
    raise ValueError
