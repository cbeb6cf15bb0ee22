"""What lines of a log tell of a machine: its events, their arguments and its variables, by the names that the machine has."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import frozen

from statemachines.model.diagnostics import Diagnostic
from statemachines.model.machines import Spec
from statemachines.model.suggestions import did_you_mean
from statemachines.notation.nodes import Mapping, Node, Scalar, items_of
from statemachines.notation.work import Work


@frozen
class Named:
    """The names that lines may tell."""

    events: dict[str, frozenset[str]]
    """To the names of what each takes, in any release."""
    takes: bool
    """Whether any event takes something; in a table of moves `args` are for the reader only."""
    variables: frozenset[str] | None
    """None where the machine's data could not be read."""


def named_of(machine: Work | Spec) -> Named:
    """Return the names of a machine."""
    arrows = machine.transitions if isinstance(machine, Spec) else tuple(arrow.transition for arrow in machine.arrows)
    events: dict[str, frozenset[str]] = dict.fromkeys((arrow.event for arrow in arrows), frozenset())
    for event in machine.events:
        taken = {argument.name for argument in event.signature.arguments} if event.signature else set[str]()
        events[event.name] = events.get(event.name, frozenset()) | taken
    read = machine.versions or not (isinstance(machine, Work) and machine.root.get("variables"))
    return Named(
        events,
        any(events.values()),
        frozenset(variable.name for _, data in machine.versions for variable in data.variables) if read else None,
    )


def untellable(node: Mapping, named: Named) -> Iterator[Diagnostic]:
    """Report what lines tell and the machine does not have."""
    for line in items_of(node.get("lines")):
        if isinstance(line, Mapping):
            yield from _of_line(line, named)


def _of_line(line: Mapping, named: Named) -> Iterator[Diagnostic]:
    event = line.get("event")
    if isinstance(event, Scalar):
        if event.text not in named.events:
            yield Diagnostic("SM216", f"unknown event `{event.text}`", event.span, did_you_mean(event.text, named.events))
        elif named.takes:
            yield from _arguments(line.get("args"), event.text, named.events[event.text])
    known = named.variables
    for name in _names(line.get("set")):
        if known is not None and name.text not in known:
            yield Diagnostic("SM320", f"`{name.text}` is no variable", name.span, did_you_mean(name.text, sorted(known)))


def _arguments(node: Node | None, event: str, known: frozenset[str]) -> Iterator[Diagnostic]:
    for name in _names(node):
        if name.text not in known:
            hint = did_you_mean(name.text, sorted(known)) if known else f"`{event}` takes nothing"
            yield Diagnostic("SM522", f"`{event}` takes no `{name.text}`", name.span, hint)


def _names(node: Node | None) -> tuple[Scalar, ...]:
    return tuple(name for name, _ in node.entries) if isinstance(node, Mapping) else ()
