"""What leads from one row to others."""

from __future__ import annotations

from collections.abc import Hashable

from attrs import field, frozen

from statemachines.explore.models.row_columns import Row
from statemachines.model.definitions.machine_definitions import Transition
from statemachines.model.definitions.snapshots import NamedValues, Value
from statemachines.model.definitions.system_definitions import PendingEvent

FairEvent = tuple[Hashable, ...]
"""A fair event: its place in `assuming`, its copy, and the value of the argument where each one is
fair by itself.
"""


@frozen(eq=False)
class Successor:
    """What one event with its arguments does: a step."""

    arguments: NamedValues
    changes: tuple[tuple[int, int], ...]
    """Columns that change and the numbers of their new values."""
    raised: bool
    leaves_range: bool
    """Whether an integer without bounds leaves the range that is explored."""
    transition: Transition | None = None
    """None where the step was forced, or is one of a system."""
    weight: int = 1
    """How many arguments come to the same: these are the first."""
    label: str = ""
    """What a system did, as `part.event`."""
    key: Value = None
    """Of a system: whose event it is, of a part that there is several times."""
    pending: PendingEvent | None = None
    """Of a system: where what is delivered waited."""
    begun: frozenset[int] = frozenset()
    """The columns of the states in which a stay begins, also where the state is the same; of a
    machine counted from the first column of the copy that steps.
    """

    def applied_to(self, row: Row, offset: int = 0) -> Row:
        """Return the row after it; `offset` is the first column of the machine that steps."""
        if not self.changes:
            return row
        after = list(row)
        for column, number in self.changes:
            after[offset + column] = number
        return tuple(after)


@frozen(eq=False)
class EventSuccessors:
    """All that an event does where its columns hold some values."""

    successors: tuple[Successor, ...]
    """In the order of the arguments."""
    disabled: int
    """Arguments with which nothing took the event and nothing changed."""
    faults: tuple[tuple[Successor, str], ...] = ()
    """Errors of the spec: a step in which one shows, and what is wrong."""
    distinct_successors: tuple[Successor, ...] = field(init=False)
    """The first of the outcomes that change the same: of a thousand arguments most do the same."""
    count: int = field(init=False)
    """Steps, with other arguments that come to the same."""
    not_raising_count: int = field(init=False)
    """Those of them that raise nothing."""

    def __attrs_post_init__(self) -> None:
        first = dict[object, Successor]()
        for outcome in self.successors:
            first.setdefault((outcome.changes, outcome.raised), outcome)
        object.__setattr__(self, "distinct_successors", tuple(first.values()))
        unraised = sum(successor.weight for successor in self.successors if not successor.raised)
        object.__setattr__(self, "count", sum(successor.weight for successor in self.successors))
        object.__setattr__(self, "not_raising_count", unraised)


NO_SUCCESSORS = EventSuccessors((), 0)
"""Of a part that does nothing, and of a queue in which nothing waits."""
