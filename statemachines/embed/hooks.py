"""What a program hangs on a machine: actions found by their names, and listeners.

They decide nothing.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from attrs import field, frozen

from statemachines.embed.bound_errors import BindingError, checked_errors, checked_listeners
from statemachines.model.definitions.snapshots import Answer, Snapshot, Value
from statemachines.model.diagnosis.suggestions import did_you_mean
from statemachines.semantics.machine.machine_tables import MachineTables

_ACTION_NAMES = "before_EVENT, on_exit_STATE, on_EVENT, on_enter_STATE, after_EVENT"
Action = Callable[["Occurrence"], Any]
"""Called with what happens; what it returns is not looked at (an asynchronous one is awaited)."""


@frozen
class Occurrence:
    """One arrival of an event at an instance, as actions and listeners are told of it."""

    instance: Any
    event: str
    arguments: Mapping[str, Value]
    before: Snapshot
    answer: Answer
    """What the machine says: `answer.after` is the snapshot after it."""

    @property
    def source(self) -> str:
        """The state before it."""
        return self.before.state

    @property
    def target(self) -> str:
        """The state after it."""
        return self.answer.after.state


NO_ACTIONS: Mapping[str, Action] = MappingProxyType({})
"""What is bound where nothing is said."""


@frozen
class Hooks:
    """All that is called when an event arrives, and in which order.

    `before` listeners; then, if something happens: `before_EVENT`, `before`; where the state
    changes `on_exit_STATE`, `on_exit`; `on_EVENT`; the instance is in its new state; where it
    changes `on_enter_STATE`, `on_enter`; `after_EVENT`, `after`; at last the `after` listeners.
    Listeners are told of refused and swallowed events too; actions are not called for them.
    """

    actions: Any
    """The object (or mapping) that has the actions."""
    names: frozenset[str]
    """Those of its names that are actions."""
    before: tuple[Action, ...] = ()
    """Listeners."""
    after: tuple[Action, ...] = ()
    errors: Mapping[str, type[Exception]] = field(factory=dict)
    """A declared error's name to the class that is raised for it."""

    def actions_before_move(self, occurrence: Occurrence) -> Iterator[Action]:
        """Yield the actions that are called while the instance is where it was.

        Args:
            occurrence: the event with its arguments and the answer to it.

        Yields:
            Actions in the order in which they are called.
        """
        names = [f"before_{occurrence.event}", "before"]
        if occurrence.source != occurrence.target:
            names += [f"on_exit_{occurrence.source}", "on_exit"]
        yield from self._named_actions([*names, f"on_{occurrence.event}"])

    def actions_after_move(self, occurrence: Occurrence) -> Iterator[Action]:
        """Yield the actions that are called when the instance is where it goes.

        Args:
            occurrence: the event with its arguments and the answer to it.

        Yields:
            Actions in the order in which they are called.
        """
        names = (
            [f"on_enter_{occurrence.target}", "on_enter"]
            if occurrence.source != occurrence.target
            else []
        )
        yield from self._named_actions([*names, f"after_{occurrence.event}", "after"])

    def named_callbacks(self) -> Iterator[tuple[str, Action]]:
        """Yield every action and listener with a name for messages."""
        yield from ((name, next(self._named_actions([name]))) for name in sorted(self.names))
        yield from (("a listener", listener) for listener in (*self.before, *self.after))

    def _named_actions(self, names: list[str]) -> Iterator[Action]:
        for name in names:
            if name in self.names:
                yield (
                    self.actions[name]
                    if isinstance(self.actions, Mapping)
                    else getattr(self.actions, name)
                )


def find_hooks(
    tables: MachineTables,
    actions: Any,
    before: Iterable[Action],
    after: Iterable[Action],
    errors: Mapping[str, type[Exception]] | None,
) -> Hooks:
    """Find the actions of an object by their names.

    Args:
        tables: those of the machine.
        actions: an object whose methods are named for events and states, such as `on_EVENT`; None:
            there are none.
        before: listeners that are called before every step.
        after: listeners that are called after every step.
        errors: the spec's errors by name, to exceptions of the program.

    Returns:
        What is called, by state and event.

    Raises:
        BindingError: an action is named for a state or event that the machine does not have, an
            error is none of its own, something cannot be called, or an object was given that has
            no action.
    """
    return Hooks(
        dict(actions) if isinstance(actions, Mapping) else actions,
        _action_names(tables, actions),
        checked_listeners("before", before),
        checked_listeners("after", after),
        checked_errors(tables.title, [tables.machine], errors),
    )


def refuse_coroutines(hooks: Hooks) -> None:
    """Raise BindingError where an action or listener would have to be awaited and nobody does.

    Args:
        hooks: what is called.

    Raises:
        BindingError: one of them is a coroutine function.
    """
    for name, action in hooks.named_callbacks():
        if inspect.iscoroutinefunction(action):
            raise BindingError(
                f"{name} is asynchronous; bring the machine to life with `asynchronous()`"
            )


def _action_names(tables: MachineTables, actions: Any) -> frozenset[str]:
    if isinstance(actions, Mapping):
        for name, action in actions.items():
            if not callable(action):
                raise BindingError(f"action `{name}`: {action!r} cannot be called")
        return _known_actions(tables, tuple(actions), every=True)
    own = tuple(
        name for name in getattr(actions, "__dict__", ()) if callable(getattr(actions, name))
    )
    action_names = _action_names_of_class(tables, actions.__class__) | _known_actions(tables, own)
    if not action_names:
        raise BindingError(
            f"{actions!r} has no action, so nothing of it would be called; actions are methods"
            f" (or keys of a mapping) called {_ACTION_NAMES}"
        )
    return action_names


@lru_cache(maxsize=256)
def _action_names_of_class(tables: MachineTables, kind: Hashable) -> frozenset[str]:
    return _known_actions(
        tables, tuple(name for name in dir(kind) if callable(getattr(kind, name, None)))
    )


def _known_actions(
    tables: MachineTables, names: tuple[str, ...], *, every: bool = False
) -> frozenset[str]:
    """Return the names that are actions; of a mapping every one must be."""
    return frozenset(name for name in names if _is_action(tables, name, every))


def _is_action(tables: MachineTables, name: str, every: bool) -> bool:
    if name in ("before", "after", "on_exit", "on_enter"):
        return True
    for prefix, kind, known in (
        ("on_exit_", "state", tables.state_index),
        ("on_enter_", "state", tables.state_index),
        ("before_", "event", tables.event_index),
        ("after_", "event", tables.event_index),
        ("on_", "event", tables.event_index),
    ):
        if name.startswith(prefix):
            word = name.removeprefix(prefix)
            if word not in known:
                raise BindingError(
                    f"action `{name}`: {tables.title} has no {kind} `{word}`;"
                    f" {did_you_mean(word, known)}"
                )
            return True
    if every:
        raise BindingError(f"`{name}` is no action; they are called {_ACTION_NAMES}")
    return False
