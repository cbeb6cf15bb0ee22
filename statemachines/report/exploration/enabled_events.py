"""What may happen in a snapshot, and why the rest may not: what a person who tries a machine out
wants to see.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from attrs import frozen

from statemachines.model.definitions.machine_definitions import Transition
from statemachines.model.definitions.snapshots import Answer, NamedValues, Snapshot
from statemachines.semantics.arguments.enumeration import build_enumeration
from statemachines.semantics.machine.machine_tables import MachineTables
from statemachines.semantics.machine.step import unchecked_step, was_taken
from statemachines.semantics.machine.value_enumeration import DomainSizes

_MOST_ARGUMENTS_TRIED = 2_000
"""Arguments of one event that are tried."""


@frozen
class EnabledEvent:
    """An event that a transition takes, with the first arguments for each outcome."""

    event: str
    choices: tuple[tuple[NamedValues, Answer], ...]
    has_more: bool = False
    """Whether there are arguments that were not tried."""


@frozen
class DisabledEvent:
    """An event that no transition takes now."""

    event: str
    answer: Answer | None
    """To its first arguments; None where there are no arguments for it now."""
    candidates: tuple[Transition, ...] = ()
    """The transitions that might have taken it."""


def event_choices(
    tables: MachineTables, extent: DomainSizes, snapshot: Snapshot
) -> Iterator[EnabledEvent | DisabledEvent]:
    """Yield what is to be said of each event, in the author's order.

    Args:
        tables: of the machine.
        extent: how many values types have.
        snapshot: where it is.

    Limits: of each event the first 2,000 arguments are tried.

    Yields:
        An event with arguments that it may have, or with what would be refused.
    """
    for event in tables.events:
        tried = list(
            itertools.islice(
                build_enumeration(tables.behaviour, extent, event).arguments_at(snapshot),
                _MOST_ARGUMENTS_TRIED + 1,
            )
        )
        enabled: dict[object, tuple[NamedValues, Answer]] = {}
        first: Answer | None = None
        for arguments in tried[:_MOST_ARGUMENTS_TRIED]:
            answer = unchecked_step(tables, snapshot, event, arguments)
            first = first or answer
            if was_taken(answer):
                enabled.setdefault((type(answer), answer.error, answer.after), (arguments, answer))
        if enabled:
            yield EnabledEvent(event, tuple(enabled.values()), len(tried) > _MOST_ARGUMENTS_TRIED)
        else:
            yield DisabledEvent(event, first, first.candidates if first is not None else ())
