"""What the parts of a system do by themselves, asked once for each of their snapshots, and what the
system makes of that.
"""

from __future__ import annotations

from collections.abc import Callable

from attrs import define, evolve, field, frozen

from statemachines.explore.models.successors import Successor
from statemachines.model.definitions.snapshots import (
    Answer,
    NamedValues,
    Snapshot,
)
from statemachines.model.definitions.system_definitions import Link, PendingEvent
from statemachines.model.language.expression_nodes import NameKind
from statemachines.model.language.frozen_values import FrozenMap
from statemachines.semantics.arguments.enumeration import (
    ArgumentEnumeration,
    build_enumeration,
    check_nothing,
)
from statemachines.semantics.evaluation.compiler import used_names
from statemachines.semantics.machine.machine_tables import MachineTables
from statemachines.semantics.machine.step import unchecked_step, was_taken
from statemachines.semantics.machine.value_enumeration import DomainSizes
from statemachines.semantics.system.system_states import PartKey
from statemachines.semantics.system.system_tables import SystemTables


@frozen(eq=False)
class PartMove:
    """An event that a part takes by itself; what its links make of it depends on the others."""

    event: str
    arguments: NamedValues
    answer: Answer
    weight: int = 1
    """How many arguments come to the same: these are the first."""


@frozen(eq=False)
class SystemMove:
    """What a part takes by itself, or what is delivered: one question about rows."""

    column: int
    """The column that says that it may happen."""
    part: PartKey
    event: str
    arguments: NamedValues
    answer: Answer | None = None
    """What the part answers; None for a delivery."""
    pending: PendingEvent | None = None
    """Where what is delivered waits."""
    weight: int = 1


@frozen(eq=False)
class SystemDecision:
    """What a system makes of a move, in every row that holds what was looked at."""

    successor: Successor | None
    """None where a link forbids it."""
    weight: int = 1
    """How many arguments come to the same."""
    fired_links: frozenset[int] = frozenset()
    faults: tuple[str, ...] = ()
    """What is wrong with the spec there."""


@define(eq=False)
class PartMoves:
    """What one part does, whichever key it has."""

    name: str
    tables: MachineTables
    enumerations: dict[str, ArgumentEnumeration]
    """Event to how its arguments are drawn."""
    shown_arguments: frozenset[str]
    """The events whose arguments, or what they return, somebody looks at."""
    known: dict[Snapshot, tuple[tuple[PartMove, ...], int]] = field(factory=dict)
    check_limits: Callable[[], None] = check_nothing
    """Called now and then while something is asked."""

    def moves(self, held: Snapshot) -> tuple[tuple[PartMove, ...], int]:
        """Return what is taken in a snapshot, and how many events with arguments nothing takes."""
        moves = self.known.get(held)
        if moves is None:
            moves = self.known[held] = self._compute(held)
        return moves

    def _compute(self, held: Snapshot) -> tuple[tuple[PartMove, ...], int]:
        taken, disabled = dict[tuple[object, ...], PartMove](), 0
        for event in self.tables.events:
            for arguments in self.enumerations[event].arguments_at(held):
                self.check_limits()
                answer = unchecked_step(self.tables, held, event, arguments)
                if not was_taken(answer):
                    disabled += 1
                    continue
                informed = (
                    (FrozenMap(arguments), answer.returned) if event in self.shown_arguments else ()
                )
                key = (event, type(answer), answer.error, answer.after, *informed)
                known = taken.get(key)
                taken[key] = (
                    PartMove(event, FrozenMap(arguments), answer)
                    if known is None
                    else evolve(known, weight=known.weight + 1)
                )
        return tuple(taken.values()), disabled

    def set_limit_check(self, spend: Callable[[], None]) -> None:
        """Call this now and then while something is asked."""
        self.check_limits = spend
        for enumeration in self.enumerations.values():
            enumeration.check_limits = spend


def build_part_moves(tables: SystemTables, name: str, extent: DomainSizes) -> PartMoves:
    """Return what a part does."""
    machine = tables.tables[name]
    enumerations = {
        event: build_enumeration(machine.behaviour, extent, event) for event in machine.events
    }
    informed = frozenset(
        event for event in machine.events if _arguments_matter(tables, name, event)
    )
    return PartMoves(name, machine, enumerations, informed)


def _arguments_matter(tables: SystemTables, name: str, event: str) -> bool:
    """Tell whether a link or a property looks at the arguments of an event, or what it returned."""
    if any(property_.asks_enabled for property_ in tables.system.data.properties):
        return True
    return any(
        fair.event == f"{name}.{event}" and fair.argument is not None
        for fair in tables.system.data.fair_events
    ) or any(
        _link_reads_arguments(link) for link in tables.links[name] if link.event in (None, event)
    )


def _link_reads_arguments(link: Link) -> bool:
    nodes = [node for node in (link.guard, link.only_if) if node is not None]
    nodes += [assignment.value for assignment in link.effect]
    nodes += [link.create.key] if link.create is not None else []
    if link.send is not None:
        nodes += [value for _, value in link.send.arguments]
        nodes += [link.send.key] if link.send.key is not None else []
    return any(name.kind is NameKind.ARGUMENT and name.name != "key" for name in used_names(nodes))
