"""What was seen as a graph of numbers: rows, the steps that change something, and what is fair.

A row and a step take a few bytes each, so that runs of millions of rows can be looked at.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator

from attrs import define, field

from statemachines.explore.models.successors import FairEvent
from statemachines.explore.visited.known_rows import LabelledEdges

FairEvents = frozenset[FairEvent]
_WIDER_LABELS = {1 << 8: "H", 1 << 16: "i"}
"""How many sets of fair events there are when their numbers need more bytes: two, or four."""


@define(eq=False)
class RunGraph:
    """Rows by their index, and edges by theirs: those of a row lie side by side, in the order of
    its steps.
    """

    strong_groups: frozenset[object] = frozenset()
    """First parts of the fair events that happen where they are possible again and again, and not
    only where they are possible without a break.
    """
    ends: array[int] = field(factory=lambda: array("I"))
    """By row: where its edges end."""
    targets: array[int] = field(factory=lambda: array("i"))
    """By edge: the row that it leads to."""
    labels: array[int] = field(factory=lambda: array("B"))
    """By edge: the number of the set of fair events that it is."""
    complete: bytearray = field(factory=bytearray)
    """By row: whether all of its steps were seen; else it has no edges."""
    label_events: list[FairEvents] = field(factory=list)
    """By number: a set of fair events."""
    label_numbers: dict[FairEvents, int] = field(factory=dict)
    raising_events: dict[int, FairEvents] = field(factory=dict)
    """By row: the fair events that raise there, where runs end with a step that does: not taking
    them is not fair.
    """
    known_enabled: dict[bytes, FairEvents] = field(factory=dict)
    """By the labels of a row's edges: the fair events that are possible there."""

    @property
    def size(self) -> int:
        """How many rows there are."""
        return len(self.ends)

    def add_row(self, steps: Iterable[tuple[int, FairEvents]] | None) -> None:
        """Add a row with its steps: where each leads, and the fair events that it is; None: not all
        were seen.
        """
        for target, events in steps or ():
            self.targets.append(target)
            self.labels.append(self.label(events))
        self.ends.append(len(self.targets))
        self.complete.append(steps is not None)

    def add_rows(self, edges: LabelledEdges) -> None:
        """Add rows with all of their edges."""
        ends = edges.counts.cumsum() + len(self.targets)
        self.targets.frombytes(edges.targets.astype("int32").tobytes())
        self.labels.frombytes(edges.labels.astype(self.labels.typecode).tobytes())
        self.ends.frombytes(ends.astype("uint32").tobytes())
        self.complete.extend(edges.complete.astype("uint8").tobytes())

    def label(self, events: FairEvents) -> int:
        """Return the number of a set of fair events."""
        number = self.label_numbers.get(events)
        if number is None:
            number = self.label_numbers[events] = len(self.label_events)
            self.label_events.append(events)
            if number in _WIDER_LABELS:
                self.labels = array(_WIDER_LABELS[number], self.labels)
        return number

    def edges(self, row: int) -> range:
        """Return the edges of a row; none where not all of its steps were seen."""
        return range(self.ends[row - 1] if row else 0, self.ends[row])

    def steps(self, rows: Iterable[int]) -> Iterator[tuple[int, int, FairEvents]]:
        """Yield the steps from rows in order: the place of the row that each leaves, the row that
        it leads to, and the fair events that it is.
        """
        for place, row in enumerate(rows):
            for edge in self.edges(row):
                yield place, self.targets[edge], self.label_events[self.labels[edge]]

    def enabled_events(self, row: int) -> FairEvents:
        """Return the fair events that are possible in a row."""
        begin = self.ends[row - 1] if row else 0
        labels = self.labels[begin : self.ends[row]]
        events = self.known_enabled.get(key := labels.tobytes())
        if events is None:
            every = (self.label_events[label] for label in labels)
            events = self.known_enabled[key] = frozenset[FairEvent]().union(*every)
        return events | self.raising_events[row] if row in self.raising_events else events

    def is_strong(self, event: FairEvent) -> bool:
        """Tell whether a fair event happens where it is possible again and again, and not only
        where it is possible without a break.
        """
        return event[0] in self.strong_groups
