"""What may happen in a snapshot, and why the rest may not: what a person who tries a machine out wants to see."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from attrs import frozen

from statemachines.explore.drawing import Values
from statemachines.explore.draws import draws_of
from statemachines.model.machines import Transition
from statemachines.model.snapshots import Advanced, Answer, Forced, Raised, Snapshot
from statemachines.semantics.choices import Extent
from statemachines.semantics.step import decided
from statemachines.semantics.tables import Tables

TRIED = 2_000
"""Arguments of one event that are tried."""


@frozen
class Enabled:
    """An event that a transition takes, with the first arguments for each thing that comes of it."""

    event: str
    choices: tuple[tuple[Values, Answer], ...]
    more: bool = False
    """Whether there are arguments that were not tried."""


@frozen
class Disabled:
    """An event that no transition takes now."""

    event: str
    answer: Answer | None
    """To its first arguments; None where there are no arguments for it now."""
    passed_over: tuple[Transition, ...] = ()
    """The transitions that might have taken it."""


def enabled(tables: Tables, extent: Extent, snapshot: Snapshot) -> Iterator[Enabled | Disabled]:
    """Yield what is to be said of each event, in the author's order.

    Args:
        tables: of the machine.
        extent: how many values types have.
        snapshot: where it is.

    Limits: of each event the first 2,000 arguments are tried.
    """
    for event in tables.events:
        drawn = list(itertools.islice(draws_of(tables.behaviour, extent, event).of(snapshot), TRIED + 1))
        found: dict[object, tuple[Values, Answer]] = {}
        first: Answer | None = None
        for arguments in drawn[:TRIED]:
            answer = decided(tables, snapshot, event, arguments)
            first = first or answer
            if takes(answer):
                found.setdefault((type(answer), answer.error, answer.after), (arguments, answer))
        if found:
            yield Enabled(event, tuple(found.values()), len(drawn) > TRIED)
        else:
            yield Disabled(event, first, first.candidates if first is not None else ())


def takes(answer: Answer) -> bool:
    """Tell whether a transition took an event, or it was done all the same."""
    return isinstance(answer, Advanced | Forced) or (isinstance(answer, Raised) and isinstance(answer.decided_by, Transition))
