"""What a program hangs on a system: actions for each part, and listeners of the whole."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from attrs import field, frozen

from statemachines.embed.acting_steps import Call
from statemachines.embed.bound_errors import BindingError, checked_errors, checked_listeners
from statemachines.embed.hooks import Hooks, Occurrence, find_hooks
from statemachines.model.definitions.machine_definitions import Transition
from statemachines.model.definitions.snapshots import Answer, Forced, Value
from statemachines.model.definitions.system_definitions import (
    PartStep,
    PendingEvent,
    SystemAnswer,
    SystemSnapshot,
)
from statemachines.semantics.messages.argument_errors import unknown_word
from statemachines.semantics.system.system_tables import SystemTables


@frozen
class SystemOccurrence:
    """One arrival of an event at a system, as listeners are told of it."""

    instance: Any
    event: str
    """`part.event`; of a delivery too."""
    key: Value
    arguments: Mapping[str, Value]
    before: SystemSnapshot
    answer: SystemAnswer
    """`answer.steps` has every step that came of it, the event's own first."""
    delivered_from: PendingEvent | None = None
    """Where it waited; None for an event from outside."""


SystemListener = Callable[[SystemOccurrence], Any]


@frozen
class SystemHooks:
    """All that is called when an event arrives at a system, and in which order.

    `before` listeners; then for each step that came of the event, in their order, what is called
    while its part is where it was; then all parts move at once; then for each step what is called
    when its part is where it goes; at last the `after` listeners. `Hooks` has the names.
    """

    parts: Mapping[str, Hooks] = field(factory=dict)
    """Name of a part to its actions."""
    before: tuple[SystemListener, ...] = ()
    after: tuple[SystemListener, ...] = ()
    errors: Mapping[str, type[Exception]] = field(factory=dict)
    """A declared error's name to the class that is raised for it."""

    def calls_before_move(self, occurrence: SystemOccurrence) -> Iterator[Call]:
        """Yield what is called while the parts are where they were.

        Args:
            occurrence: the event, with every step that it led to.

        Yields:
            Calls in the order in which they are made.
        """
        for hooks, part_occurrence in self._part_occurrences(occurrence):
            for action in hooks.actions_before_move(part_occurrence):
                yield _bound(action, part_occurrence)

    def calls_after_move(self, occurrence: SystemOccurrence) -> Iterator[Call]:
        """Yield what is called when the parts are where they go.

        Args:
            occurrence: the event, with every step that it led to.

        Yields:
            Calls in the order in which they are made.
        """
        for hooks, part_occurrence in self._part_occurrences(occurrence):
            for action in hooks.actions_after_move(part_occurrence):
                yield _bound(action, part_occurrence)

    def _part_occurrences(self, occurrence: SystemOccurrence) -> Iterator[tuple[Hooks, Occurrence]]:
        """Yield what happened to parts that somebody has actions for."""
        for step in occurrence.answer.steps:
            hooks = self.parts.get(step.part)
            if hooks is not None and happened(step.answer):
                yield hooks, _part_occurrence(occurrence.instance, step)


def happened(answer: Answer) -> bool:
    """Tell whether a part took a step: refused and ignored events are none.

    Args:
        answer: of one part.

    Returns:
        Whether a transition took the event, or the state was forced.
    """
    return isinstance(answer.decided_by, Transition) or isinstance(answer, Forced)


def _part_occurrence(instance: Any, step: PartStep) -> Occurrence:
    return Occurrence(
        instance.part(step.part, step.key), step.event, step.arguments, step.before, step.answer
    )


def _bound(action: Callable[[Occurrence], Any], occurrence: Occurrence) -> Call:
    return lambda: action(occurrence)


def find_system_hooks(
    tables: SystemTables,
    actions: Mapping[str, Any],
    before: Iterable[SystemListener],
    after: Iterable[SystemListener],
    errors: Mapping[str, type[Exception]] | None,
) -> SystemHooks:
    """Find the actions of each part by their names.

    Args:
        tables: those of the machine.
        actions: an object for each part that has actions.
        before: listeners that are called before every step.
        after: listeners that are called after every step.
        errors: the spec's errors by name, to exceptions of the program.

    Returns:
        What is called, by part.

    Raises:
        BindingError: an action is named for a state or event that the part's machine does not have,
            an error is none of a part's, or something cannot be called.
        ArgumentsError: the system has no such part.
    """
    for name in actions:
        if name not in tables.parts:
            raise unknown_word("part", name, tables.parts, tables.title)
    hooks = {
        name: find_hooks(tables.tables[name], action, (), (), None)
        for name, action in actions.items()
    }
    return SystemHooks(
        hooks,
        checked_listeners("before", before),
        checked_listeners("after", after),
        checked_errors(tables.title, [part.machine for part in tables.tables.values()], errors),
    )


def refuse_coroutine_listeners(hooks: SystemHooks) -> None:
    """Raise BindingError where a listener would have to be awaited and nobody does.

    Args:
        hooks: what is called.

    Raises:
        BindingError: one of them is a coroutine function.
    """
    for listener in (*hooks.before, *hooks.after):
        if inspect.iscoroutinefunction(listener):
            raise BindingError(
                "a listener is asynchronous; bring the system to life with `asynchronous()`"
            )
