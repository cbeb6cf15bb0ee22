"""What the parts of a system do by themselves where links look at that: asked once for what the
event, its links and whoever else may speak of the part look at.
"""

from __future__ import annotations

from attrs import define, evolve, field, frozen

from statemachines.explore.models.event_memos import EventMemo
from statemachines.explore.models.part_blocks import PartKind
from statemachines.explore.models.row_columns import Row
from statemachines.model.definitions.machine_definitions import FallbackKind
from statemachines.model.definitions.snapshots import Answer, NamedValues, Snapshot
from statemachines.model.definitions.system_definitions import Link
from statemachines.model.language.expression_nodes import (
    Expression,
    FieldAccess,
    ItemAccess,
    Name,
    NameKind,
    type_sets,
    walk,
)
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
    """What some events of parts of one kind do by themselves, of which more may come."""

    kind: PartKind
    reads: Row
    """The columns of the part at which anything looks that comes of the events, or that it writes:
    where a part has the same there, the same comes of them.
    """
    events: tuple[EventMemo, ...]
    """In the author's order."""
    shown_arguments: frozenset[str]
    """The events whose arguments, or what they return, somebody looks at."""
    known: dict[Row, tuple[EventMoves, ...]] = field(factory=dict)

    def moves(self, numbers: Row) -> tuple[EventMoves, ...]:
        """Return what comes of each event where a part is as numbers say."""
        key = tuple(numbers[column] for column in self.reads)
        moves = self.known.get(key)
        if moves is None:
            held = self.kind.snapshot(numbers)
            moves = self.known[key] = tuple(
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


def build_part_moves(tables: SystemTables, kind: PartKind) -> tuple[PartMoves, ...]:
    """Return what the parts of a kind do: events that look at the same columns are together."""
    linked = [memo for memo in kind.memos if memo.event in kind.linked]
    shown = frozenset(
        memo.event for memo in linked if _arguments_matter(tables, kind.name, memo.event)
    )
    around, groups = _columns_around(tables, kind), dict[Row, list[EventMemo]]()
    for memo in linked:
        groups.setdefault(tuple(sorted(around.union(memo.reads))), []).append(memo)
    return tuple(PartMoves(kind, reads, tuple(memos), shown) for reads, memos in groups.items())


def _columns_around(tables: SystemTables, kind: PartKind) -> set[int]:
    """Return the columns of a part at which links may look, or to which what comes of an event may
    write: those of the events that are sent to it, of what it shares, and of the fields that links
    speak of; all where they speak of it as a whole, or where it comes and goes.
    """
    name, part = kind.name, tables.parts[kind.name]
    fields = _fields_spoken_of(tables, name)
    if fields is None or part.optional or part.is_created or part.ends:
        return set(range(kind.width))
    sends = (link.send for link in tables.system.links if link.send is not None)
    received = {send.event for send in sends if send.part == name}
    columns = {0}.union(*(memo.reads for memo in kind.memos if memo.event in received))
    named = fields | {variable for variable, _ in tables.same.get(name, ())}
    return columns.union(*(kind.places.get(field_name, (0,)) for field_name in named))


def _fields_spoken_of(tables: SystemTables, name: str) -> set[str] | None:
    """Return the fields of a part that links speak of, as `part.x` or `part[k].x`; None where they
    speak of it in another way.
    """
    data = tables.system.data
    nodes = [node for link in tables.system.links for node in _link_expressions(link)]
    nodes += [definition.body for definition in data.definitions]
    nodes += [node for variable in data.variables for node in type_sets(variable.type)]
    parts = [part for node in nodes for part in walk(node)]
    spoken_of = sum(isinstance(part, Name) and part.name == name for part in parts)
    accesses = [
        part.name
        for part in parts
        if isinstance(part, FieldAccess)
        for record in [part.record]
        for whole in [record.container if isinstance(record, ItemAccess) else record]
        if isinstance(whole, Name) and whole.name == name
    ]
    return set(accesses) if len(accesses) == spoken_of else None


def _arguments_matter(tables: SystemTables, name: str, event: str) -> bool:
    """Tell whether a link or a property looks at the arguments of an event, or what it returned."""
    if any(property_.asks_enabled for property_ in tables.system.data.properties):
        return True
    fair_events, links = tables.system.data.fair_events, tables.links[name]
    asking = (link for link in links if link.event in (None, event))
    nodes = [node for link in asking for node in _link_expressions(link)]
    return any(
        fair.event == f"{name}.{event}" and fair.argument is not None for fair in fair_events
    ) or any(name.kind is NameKind.ARGUMENT and name.name != "key" for name in used_names(nodes))


def _link_expressions(link: Link) -> list[Expression]:
    nodes = [node for node in (link.guard, link.only_if) if node is not None]
    nodes += [assignment.value for assignment in link.effect]
    nodes += [link.create.key] if link.create is not None else []
    if link.send is not None:
        nodes += [value for _, value in link.send.arguments]
        nodes += [link.send.key] if link.send.key is not None else []
    return nodes


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
