"""A conversation about a machine or a system: where it is, what may happen, why the rest may not,
and what became of what was asked.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from random import Random
from typing import Protocol

from attrs import define, field, frozen

from statemachines.model.definitions.snapshots import NamedValues, Value
from statemachines.report.exploration.scope_texts import natural_number
from statemachines.semantics.messages.argument_errors import ArgumentsError
from statemachines.semantics.messages.value_text import format_literal

HELP = (
    "  N           take the event with this number",
    (
        "  event(a=1)  take an event with arguments, as Python writes them; of a system"
        " part.event(…), part[key].event(…)"
    ),
    "  why         why the other events are not possible; why EVENT of one of them",
    "  random      take one of the events by chance",
    "  back        undo the last step",
    "  restart     begin again",
    "  quit        end; so does the end of the input",
)
_HINT = "      a number, an event, why, random, back, restart, help, quit"
MOST_NAMED = 10
"""Events that are not possible and are named unasked."""


@frozen
class SessionChoice:
    """What may be taken."""

    label: str
    outcome: str
    action: object
    """What the tried thing needs to take it."""


class SessionModel(Protocol):
    """What is tried out."""

    def initial_snapshots(self) -> list[object]:
        """Return where it may begin."""
        ...

    def snapshot_line(self, now: object) -> str:
        """Write where it is.

        Args:
            now: where it is.

        Returns:
            One line.
        """
        ...

    def choices(self, now: object) -> tuple[list[SessionChoice], list[tuple[str, str]]]:
        """Return what may be taken, and of every other event why not.

        Args:
            now: where it is.

        Returns:
            Choices in order; names of events with their reasons.
        """
        ...

    def broken_properties(self, now: object) -> list[str]:
        """Return the names of the rules under `always` that do not hold.

        Args:
            now: where it is.

        Returns:
            Names, in the author's order.
        """
        ...

    def take(self, now: object, choice: object) -> tuple[object, str]:
        """Return where a choice leads, and what became of it.

        Args:
            now: where it is.
            choice: one of `choices`.

        Returns:
            The snapshot after, and one line.
        """
        ...

    def request(
        self, now: object, name: str, key: Value, arguments: NamedValues
    ) -> tuple[object, str]:
        """Return where an event leads, and what became of it.

        Args:
            now: where it is.
            name: of the event, in a system with its part.
            key: which one, of a part that there is several times; else None.
            arguments: by name.

        Returns:
            The snapshot after, and one line.
        """
        ...


@define
class InteractiveSession:
    """A conversation: one line in, some lines out."""

    model: SessionModel
    random: Random
    path: list[object] = field(factory=list)
    ended: bool = False

    def __attrs_post_init__(self) -> None:
        self.path = [self.model.initial_snapshots()[0]]

    def opening_lines(self) -> Iterator[str]:
        """Yield what is shown first."""
        yield from self.state_lines()
        yield _HINT

    def answer_lines(self, line: str) -> Iterator[str]:
        """Yield what is shown for a line.

        Args:
            line: without its line feed.

        Yields:
            Lines to print.
        """
        answer = line.strip()
        match answer:
            case "":
                yield from self.state_lines()
            case "quit" | "exit" | "q":
                self.ended = True
            case "help" | "?":
                yield from HELP
            case "why" | "why?":
                yield from self.reason_lines()
            case _ if answer.startswith(("why ", "why? ")):
                yield from self.reason_lines(answer.partition(" ")[2].strip())
            case "back" if len(self.path) > 1:
                self.path.pop()
                yield from self.state_lines()
            case "back":
                yield "  nothing was done yet"
            case "restart":
                del self.path[1:]
                yield from self.state_lines()
            case _:
                yield from self.take_lines(answer)

    def state_lines(self) -> Iterator[str]:
        """Yield where it is and what may happen."""
        choices, others = self.model.choices(self.path[-1])
        yield f"{len(self.path) - 1}  {self.model.snapshot_line(self.path[-1])}"
        width = max((len(choice.label) for choice in choices), default=0)
        yield from (
            f"  {number:>2}  {choice.label:{width}}   {choice.outcome}"
            for number, choice in enumerate(choices, 1)
        )
        if not choices:
            yield "  nothing may happen here"
        yield from (
            f"      does not hold: {name}" for name in self.model.broken_properties(self.path[-1])
        )
        if others:
            more = f" and {len(others) - MOST_NAMED} others" if len(others) > MOST_NAMED else ""
            yield (
                f"      not possible: {', '.join(name for name, _ in others[:MOST_NAMED])}{more}  "
                " (why?)"
            )

    def reason_lines(self, event: str = "") -> Iterator[str]:
        """Yield why the other events are not possible, or one of them.

        Args:
            event: its name; empty: all of them.

        Yields:
            Lines to print.
        """
        choices, others = self.model.choices(self.path[-1])
        wanted, named = (
            event.partition("(")[0].replace('"', "'"),
            [choice.label.partition("(")[0] for choice in choices],
        )
        refused = [
            (name, reason) for name, reason in others if not wanted or _is_event(name, wanted)
        ]
        width = max((len(name) for name, _ in refused), default=0)
        yield from (f"  {name:{width}}   {reason}" for name, reason in refused)
        if not refused and not wanted:
            yield "  every event is possible here"
        elif not refused:
            yield (
                f"  `{wanted}` is possible here"
                if any(_is_event(name, wanted) for name in named)
                else f"  there is no event `{wanted}`"
            )

    def take_lines(self, request: str) -> Iterator[str]:
        """Take what was asked for, and yield what became of it.

        Args:
            request: a number, or an event with its arguments.

        Yields:
            Lines to print.

        Raises:
            ArgumentsError: it is neither.
        """
        now, called = self.path[-1], ""
        choices, others = self.model.choices(now)
        try:
            if request == "random":
                if not choices:
                    raise ArgumentsError("nothing may happen here; `back` undoes a step")
                after, message = self.model.take(now, self.random.choice(choices).action)
            elif (number := natural_number(request)) is not None:
                if not 1 <= number <= len(choices):
                    raise ArgumentsError(
                        f"there is no number {request}; they go from 1 to {len(choices)}"
                    )
                after, message = self.model.take(now, choices[number - 1].action)
            else:
                name, key, arguments = _parse_call(request)
                after, message = self.model.request(now, name, key, arguments)
                called = _qualified_event(name, key)
        except ArgumentsError as mistake:
            yield f"  {mistake}"
            return
        why = next((reason for name, reason in others if name == called), "")
        yield f"      {message}" + (
            f": {why.partition('; it would')[0]}" if why and after == now else ""
        )
        if after != now:
            self.path.append(after)
        yield from self.state_lines()


def _is_event(name: str, wanted: str) -> bool:
    """Tell whether an event is meant: by its whole name, or by that of any part's event."""
    return name.removeprefix("delivered: ") == wanted or name.rpartition(".")[2] == wanted


def _qualified_event(name: str, key: Value) -> str:
    """Return an event as it is shown: `part['key'].event`."""
    part, dot, event = name.rpartition(".")
    return name if key is None else f"{part}[{format_literal(key)}]{dot}{event}"


def _parse_call(text: str) -> tuple[str, Value, NamedValues]:
    """Read `event`, `event(a=1)`, `part.event(…)` or `part['key'].event(…)`: name, key, arguments.

    Raises:
        ArgumentsError: it is none of these.
    """
    try:
        tree = ast.parse(text, mode="eval").body
        call = tree if isinstance(tree, ast.Call) else ast.Call(tree, [], [])
        if call.args:
            raise ValueError
        arguments = {
            keyword.arg: ast.literal_eval(keyword.value)
            for keyword in call.keywords
            if keyword.arg is not None
        }
        name, key = _qualified_name(call.func)
    except (SyntaxError, ValueError):
        written = (
            "`part.event`, `part['key'].event(count=1)`"
            if "." in text
            else "`event`, `event(count=1)`"
        )
        raise ArgumentsError(
            f"`{text}` is no event; write {written}, a number, or `help`"
        ) from None
    return name, key, arguments


def _qualified_name(node: ast.expr) -> tuple[str, Value]:
    match node:
        case ast.Name(id=name):
            return name, None
        case ast.Attribute(value=ast.Name(id=part), attr=event):
            return f"{part}.{event}", None
        case ast.Attribute(value=ast.Subscript(value=ast.Name(id=part), slice=key), attr=event):
            key_value: Value = ast.literal_eval(key)
            return f"{part}.{event}", key_value
    raise ValueError
