"""The neutral picture of a machine: boxes, arrows and what is special about them, as data.

Renderers decide nothing else.
"""

from __future__ import annotations

import enum

from attrs import field, frozen


class Tone(enum.StrEnum):
    """The quiet colour of a thing."""

    COURSE = "course"
    """The normal course."""
    OUT = "out"
    """The way out: shutting down, dead, failed for good."""


class ChangeMark(enum.StrEnum):
    """What became of a thing between two releases."""

    SAME = "same"
    ADDED = "added"
    REMOVED = "removed"


class LogEvidence(enum.StrEnum):
    """What a log tells of an arrow."""

    NO_LOG = "untold"
    """No log is laid over the picture."""
    TAKEN = "taken"
    NEVER = "never"
    FORBIDDEN = "forbidden"
    """Taken although the machine has no such arrow."""


@frozen
class Node:
    """A state as a box."""

    name: str
    label: str = ""
    """What stands in the box; the name where empty."""
    lines: tuple[str, ...] = ()
    """Small lines below the label."""
    initial: bool = False
    final: bool = False
    tone: Tone = Tone.COURSE
    change: ChangeMark = ChangeMark.SAME
    highlighted: bool = False
    """Part of a highlighted trace."""
    evidence: LogEvidence = LogEvidence.NO_LOG
    note: str = ""
    """Shown when a pointer rests on it."""

    @property
    def text(self) -> str:
        """The label, or the name without one."""
        return self.label or self.name


@frozen
class Edge:
    """All arrows of one kind between the same two states, as one."""

    source: str
    target: str
    labels: tuple[str, ...] = ()
    """One line each."""
    tone: Tone = Tone.COURSE
    silent: bool = False
    """It may pass without leaving a line in a log."""
    taken: bool = True
    """False: it stands in the system's own table, its code never takes it."""
    change: ChangeMark = ChangeMark.SAME
    highlighted: bool = False
    evidence: LogEvidence = LogEvidence.NO_LOG
    width: float = 1.0
    """Thickness in points, 1 to 5."""
    note: str = ""
    is_requirement: bool = False
    """In a system: steps there are allowed only if something holds of the other part."""

    @property
    def is_loop(self) -> bool:
        """Whether it returns to the state that it left."""
        return self.source == self.target


@frozen
class NodeGroup:
    """States that belong together, as a light box."""

    name: str
    nodes: tuple[str, ...]


@frozen
class Graph:
    """A picture before anyone draws it; every tuple is in the author's order."""

    name: str
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    groups: tuple[NodeGroup, ...] = ()
    title: str = ""
    caption: str = ""
    """Stands beside the title, such as the releases."""
    description: str = ""
    """The picture in words, for those who cannot see it."""
    index: dict[str, Node] = field(init=False, eq=False, repr=False)
    """Nodes by name."""

    @index.default
    def _by_name(self) -> dict[str, Node]:
        return {node.name: node for node in self.nodes}

    def edges_between(self, source: str, target: str) -> tuple[Edge, ...]:
        """Return the arrows from one state to another.

        Args:
            source: the name of a node.
            target: the name of a node.

        Returns:
            In the order of the picture; none where there is no such arrow.
        """
        return tuple(edge for edge in self.edges if (edge.source, edge.target) == (source, target))
