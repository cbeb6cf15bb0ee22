"""What the parts of a system do by themselves where links look at that: asked once for each of
their snapshots.
"""

from __future__ import annotations

from attrs import define, evolve, field, frozen

from statemachines.explore.models.event_memos import EventMemo
from statemachines.explore.models.part_blocks import PartKind
from statemachines.explore.models.row_columns import Row
from statemachines.model.definitions.machine_definitions import FallbackKind
from statemachines.model.definitions.snapshots import Answer, NamedValues, Snapshot
from statemachines.model.definitions.system_definitions import Link
from statemachines.model.language.expression_nodes import NameKind
from statemachines.model.language.frozen_values import FrozenMap
from statemachines.semantics.evaluation.compiler import used_names
from statemachines.semantics.machine.machine_tables import MachineTables
from statemachines.semantics.machine.step import (
    forced_target,
    matching_fallback,
    unchecked_step,
)
from statemachines.semantics.machine.time_steps import begins_stay
from statemachines.semantics.system.system_tables import SystemTables


@frozen(eq=False)
class PartMove:
    """An event that a part takes by itself; what its links make of it depends on the others."""

    event: str
    arguments: NamedValues
    answer: Answer
    weight: int = 1
    """How many arguments come to the same: these are the first."""


EventMoves = tuple[tuple[PartMove, ...], int]
"""What is taken of an event, and with how many arguments nothing takes it."""


@define(eq=False)
class PartMoves:
    """What parts of one kind do by themselves, of which more may come."""

    kind: PartKind
    shown_arguments: frozenset[str]
    """The events whose arguments, or what they return, somebody looks at."""
    known: dict[Row, tuple[EventMoves, ...]] = field(factory=dict)

    @property
    def events(self) -> tuple[EventMemo, ...]:
        """The events, in the author's order."""
        return tuple(memo for memo in self.kind.memos if memo.event in self.kind.linked)

    def moves(self, numbers: Row) -> tuple[EventMoves, ...]:
        """Return what comes of each event where a part is as numbers say."""
        moves = self.known.get(numbers)
        if moves is None:
            held = self.kind.snapshot(numbers)
            moves = self.known[numbers] = tuple(
                ((), 0) if held is None else self._compute(memo, numbers, held)
                for memo in self.events
            )
        return moves

    def _compute(self, memo: EventMemo, numbers: Row, held: Snapshot) -> EventMoves:
        """Ask once for all arguments that come to the same where the event's columns hold this."""
        known = memo.successors(tuple(numbers[column] for column in memo.reads))
        alike, shown = dict[object, list[NamedValues]](), memo.event in self.shown_arguments
        for outcome in known.successors:
            effect = outcome.changes, outcome.raised, outcome.begun, id(outcome.transition)
            own = FrozenMap(outcome.arguments) if shown else None
            alike.setdefault((effect, own), []).append(outcome.arguments)
        taken = dict[object, PartMove]()
        for arguments, *others in alike.values():
            answer = unchecked_step(self.kind.tables, held, memo.event, arguments)
            informed = (FrozenMap(arguments), answer.returned) if shown else ()
            begun = begins_stay(held.state, answer)
            key = type(answer), answer.error, answer.after, begun, *informed
            move = taken.get(key) or PartMove(memo.event, FrozenMap(arguments), answer, weight=0)
            taken[key] = evolve(move, weight=move.weight + 1 + len(others))
        return tuple(taken.values()), known.disabled


def build_part_moves(tables: SystemTables, kind: PartKind) -> PartMoves:
    """Return what the parts of a kind do."""
    shown = (event for event in kind.linked if _arguments_matter(tables, kind.name, event))
    return PartMoves(kind, frozenset(shown))


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


def linked_events(tables: SystemTables, name: str) -> frozenset[str]:
    """Return the events of a part of which more may come than what its machine does: a link speaks
    of them, or they write what others have as well, or end the part, or come through a channel.
    Of a part that may be absent these are all events.

    Args:
        tables: of the system.
        name: of the part.
    """
    machine, part = tables.tables[name], tables.parts[name]
    if part.optional or part.is_created:
        return frozenset(machine.events)
    return frozenset(event for event in machine.events if _is_linked(tables, name, event))


def _is_linked(tables: SystemTables, name: str, event: str) -> bool:
    machine, links = tables.tables[name], tables.links[name]
    shared = {variable for variable, _ in tables.same.get(name, ())}
    cases = (
        transition.case
        for transition in machine.machine.transitions
        if transition.event == event and transition.case is not None
    )
    if (
        (name, event) in tables.arrivals
        or any(link.event == event for link in links)
        or any(assigned.variable in shared for case in cases for assigned in case.effect)
    ):
        return True
    return any(
        target in tables.parts[name].ends
        or any(_speaks_of(link, event, source, target) for link in links)
        for source, target in _moves(machine, event)
    )


def _speaks_of(link: Link, event: str, source: str, target: str) -> bool:
    """Tell whether a link may speak of a step from one state to another."""
    if link.enters is not None:
        return target in link.enters and (target != source or event == f"to_{target}")
    return target != source and source in (link.leaves or ())


def _moves(machine: MachineTables, event: str) -> set[tuple[str, str]]:
    """Return the states between which an event may lead, forced or not."""
    moves = set[tuple[str, str]]()
    for state in machine.states:
        for transition in machine.candidates.get((state, event), ()):
            moves.add((state, transition.target))
        fallback = matching_fallback(machine, state, event)
        if fallback is not None and fallback.does is FallbackKind.FORCE:
            moves.add((state, forced_target(machine, state, event)))
    return moves
