"""What lines of a log report of a machine: its events, their arguments and its variables, by the
names that the machine has.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from attrs import frozen

from statemachines.model.definitions.machine_definitions import SpecDefinition
from statemachines.model.diagnosis.diagnostics import Diagnostic
from statemachines.model.diagnosis.suggestions import did_you_mean
from statemachines.notation.document.yaml_nodes import YamlMapping, YamlNode, YamlScalar, node_items
from statemachines.notation.passes.spec_builder import SpecBuilder


@frozen
class ObservableNames:
    """The names that lines may tell."""

    events: dict[str, frozenset[str]]
    """To the names of what each takes, in any release."""
    any_arguments: bool
    """Whether any event takes something; in a table of moves `args` are for the reader only."""
    variables: frozenset[str] | None
    """None where the machine's data could not be read."""


def machine_observables(machine: SpecBuilder | SpecDefinition) -> ObservableNames:
    """Return the names of a machine.

    Args:
        machine: while it is read, or whole.

    Returns:
        Its events, variables, arguments and results.
    """
    transitions = (
        machine.transitions
        if isinstance(machine, SpecDefinition)
        else tuple(parsed.transition for parsed in machine.transitions)
    )
    events: dict[str, frozenset[str]] = dict.fromkeys(
        (parsed.event for parsed in transitions), frozenset()
    )
    for event in machine.events:
        taken = (
            {argument.name for argument in event.signature.arguments}
            if event.signature
            else set[str]()
        )
        events[event.name] = events.get(event.name, frozenset()) | taken
    read = machine.versions or not (
        isinstance(machine, SpecBuilder) and machine.root.get("variables")
    )
    return ObservableNames(
        events,
        any(events.values()),
        (
            frozenset(variable.name for _, data in machine.versions for variable in data.variables)
            if read
            else None
        ),
    )


def unknown_observables(
    node: YamlMapping, named: ObservableNames, keys: Collection[str] = ()
) -> Iterator[Diagnostic]:
    """Report what lines tell and the machine does not have; `keys` are those of an instance.

    Args:
        node: an entry of `lines`.
        named: names that the machine has.
        keys: fields of an instance.

    Yields:
        A diagnostic a name.
    """
    for line in node_items(node.get("lines")):
        if isinstance(line, YamlMapping):
            yield from _unknown_in_line(line, named, keys)
    sole, known = node.get("sole"), named.variables
    by = sole.get("by") if isinstance(sole, YamlMapping) else None
    if isinstance(by, YamlScalar) and known is not None and by.text not in {*known, *keys}:
        hint = did_you_mean(by.text, sorted({*known, *keys}))
        yield _undeclared(by, "neither a variable nor a key", hint)


def _unknown_in_line(
    line: YamlMapping, named: ObservableNames, keys: Collection[str]
) -> Iterator[Diagnostic]:
    event = line.get("event")
    if isinstance(event, YamlScalar):
        if event.text not in named.events:
            yield Diagnostic(
                "SM216",
                f"unknown event `{event.text}`",
                event.span,
                did_you_mean(event.text, named.events),
            )
        elif named.any_arguments:
            yield from _unknown_arguments(line.get("args"), event.text, named.events[event.text])
    known = named.variables
    for name in _key_scalars(line.get("set")):
        if known is not None and name.text not in known:
            yield _undeclared(name, "not a variable", did_you_mean(name.text, sorted(known)))
    for name in _key_scalars(line.get("about")):
        if known is not None and name.text not in known and name.text not in keys:
            hint = did_you_mean(name.text, sorted({*known, *keys}))
            yield _undeclared(name, "neither a variable nor a key", hint)


def _undeclared(name: YamlScalar, why: str, hint: str) -> Diagnostic:
    return Diagnostic("SM320", f"`{name.text}` is {why}", name.span, hint, undeclared=name.text)


def _unknown_arguments(
    node: YamlNode | None, event: str, known: frozenset[str]
) -> Iterator[Diagnostic]:
    for name in _key_scalars(node):
        if name.text not in known:
            hint = did_you_mean(name.text, sorted(known)) if known else f"`{event}` takes nothing"
            yield Diagnostic("SM522", f"`{event}` takes no `{name.text}`", name.span, hint)


def _key_scalars(node: YamlNode | None) -> tuple[YamlScalar, ...]:
    return tuple(name for name, _ in node.entries) if isinstance(node, YamlMapping) else ()
