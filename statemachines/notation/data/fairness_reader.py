"""What `assuming` says: which events are not put off for ever, each by itself or several as one."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping

import attrs
from attrs import frozen

from statemachines.model.definitions.data_definitions import Fairness
from statemachines.model.diagnosis.diagnostics import Diagnostic
from statemachines.model.diagnosis.suggestions import did_you_mean
from statemachines.model.language.value_types import Type
from statemachines.notation.data.data_reader import DataReader
from statemachines.notation.document.yaml_nodes import (
    YamlMapping,
    YamlNode,
    YamlScalar,
    YamlSequence,
    node_items,
)
from statemachines.notation.proofs.facts import Facts

EventArguments = dict[str, tuple[tuple[str, Type], ...]]
"""Event to the names and types of its arguments."""
ANY_STEP = "any step"
"""In `assuming`: all events, fair as one."""


@frozen
class _NamedEvents:
    """What an entry of `assuming` names: an event, or several that are fair as one."""

    events: tuple[Fairness, ...]
    is_group: bool = False


def read_assumptions(reader: DataReader, node: YamlNode | None, facts: Facts) -> Iterator[Fairness]:
    """Read which events are fair: a list of weakly fair ones, or lists `weakly` and `strongly`.

    Args:
        reader: the scope and the release, and where mistakes go.
        node: the value of `assuming`; None where it is missing.
        facts: what is known where it stands.

    Yields:
        An event, with which of its arguments, and whether weakly or strongly fair.
    """
    if isinstance(node, YamlMapping):
        for key, items in node.entries:
            for assumption in read_assumptions(reader, items, facts):
                yield attrs.evolve(assumption, strong=key.text == "strongly")
        return
    numbers = itertools.count()
    for item in node_items(node):
        if isinstance(item, YamlSequence):
            yield from _read_group(reader, item, facts, next(numbers))
        else:
            for named in _read_fairness(reader, item, facts):
                group = next(numbers) if named.is_group else None
                yield from (attrs.evolve(fair, group=group) for fair in named.events)


def _read_group(
    reader: DataReader, node: YamlSequence, facts: Facts, number: int
) -> Iterator[Fairness]:
    """Read events that are fair as one."""
    events = [
        fair
        for item in node.items
        for named in _read_fairness(reader, item, facts)
        for fair in named.events
    ]
    if len({fair.argument is None for fair in events}) > 1:
        reader.diagnostics.append(
            Diagnostic(
                "SM403",
                "of events that are fair as one, some are so for each argument and some are not",
                node.span,
                "name an argument of each of them, or of none",
            )
        )
    for fair in events:
        yield attrs.evolve(fair, group=number)


def _read_fairness(reader: DataReader, node: YamlNode, facts: Facts) -> Iterator[_NamedEvents]:
    """Read an event, a part or `any step`; or one of these `{…: each argument}`."""
    pairs = node.entries if isinstance(node, YamlMapping) else [(node, None)]
    for name, quantifier in pairs:
        if not isinstance(name, YamlScalar):
            continue
        each = (
            quantifier.text.removeprefix("each ").strip()
            if isinstance(quantifier, YamlScalar)
            else None
        )
        if (events := _events_named(name.text, facts.scope.events)) is None:
            hint = did_you_mean(name.text, [*facts.scope.events, ANY_STEP])
            message = f"unknown event `{name.text}`"
            reader.diagnostics.append(
                Diagnostic("SM403", message, name.span, hint, undeclared=name.text)
            )
            continue
        fair = [
            event
            for event, known in events.items()
            if each is None or each in (argument for argument, _ in known)
        ]
        if not fair:
            known = [argument for arguments in events.values() for argument, _ in arguments]
            message = f"`{name.text}` has no argument `{each}`"
            hint = did_you_mean(each or "", list(dict.fromkeys(known)))
            reader.diagnostics.append(
                Diagnostic("SM403", message, name.span, hint, undeclared=each or "")
            )
        yield _NamedEvents(
            tuple(Fairness(event, each) for event in fair or events), name.text not in events
        )


def _events_named(
    name: str, events: Mapping[str, tuple[tuple[str, Type], ...]]
) -> EventArguments | None:
    """Return what a name stands for: an event, all of a part, or all; None where it is none."""
    if name in events:
        return {name: events[name]}
    named = {
        event: arguments
        for event, arguments in events.items()
        if name == ANY_STEP or event.startswith(f"{name}.")
    }
    return named or None
