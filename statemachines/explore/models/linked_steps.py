"""What a system makes of the events of its parts of which more may come, and of what waits: asked
once for what the links look at, and then looked up (`decision_forests`).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

from attrs import define, field, frozen

from statemachines.explore.models.decision_forests import DecisionForest, LookRecorder
from statemachines.explore.models.event_memos import column_picker
from statemachines.explore.models.part_blocks import PartBlock
from statemachines.explore.models.part_moves import PartMoves
from statemachines.explore.models.row_columns import Row
from statemachines.explore.models.successors import (
    NO_SUCCESSORS,
    EventSuccessors,
    FairEvent,
    Successor,
)
from statemachines.explore.models.system_columns import SystemColumns
from statemachines.explore.models.system_sources import recorded_state
from statemachines.model.definitions.data_definitions import Fairness
from statemachines.model.definitions.snapshots import Answer, NamedValues, Raised, Refused
from statemachines.model.definitions.system_definitions import PendingEvent
from statemachines.model.language.frozen_values import FrozenMap
from statemachines.semantics.machine.time_steps import begins_stay
from statemachines.semantics.system.channels import place_of, possible_fates
from statemachines.semantics.system.event_cascade import EventCascade
from statemachines.semantics.system.system_states import PartKey


@frozen(eq=False)
class SystemMove:
    """What a part takes by itself, or what is delivered: one question about rows."""

    columns: range
    """The columns that say that it may happen."""
    part: PartKey
    event: str
    arguments: NamedValues
    answer: Answer | None = None
    """What the part answers; None for a delivery."""
    pending: PendingEvent | None = None
    """Where what is delivered waits."""
    weight: int = 1
    """How many arguments come to the same."""
    reads: Row = ()
    """The columns of the part that may change with its own step."""

    @property
    def event_key(self) -> tuple[int, str]:
        """What tells the event: the first column of its source, and its name."""
        return self.columns.start, "" if self.pending is not None else self.event


@frozen(eq=False)
class SystemDecision:
    """What a system makes of a move, in every row that holds what was looked at."""

    move: SystemMove
    successor: Successor | None
    """None where a link forbids it."""
    fired_links: frozenset[int] = frozenset()
    faults: tuple[str, ...] = ()
    """What is wrong with the spec there."""


EventQuestions = tuple[range, int]
"""The questions to be asked of an event, and with how many arguments nothing takes it."""


@frozen(eq=False)
class MoveSource:
    """Where moves come from: some events of a part, or a queue in which something waits."""

    columns: range
    """Of the part or the queue."""
    block: PartBlock | None = None
    """None: it is a queue."""
    moves: PartMoves | None = None
    reads: Row = field(init=False)
    """What these of its columns hold says what may happen."""
    pick: Callable[[Row], Row] = field(init=False)
    """Picks these from a row."""
    known: dict[Row, tuple[EventQuestions, ...]] = field(factory=dict)
    """By what they hold: what is to be asked of each of its events."""

    @property
    def event_names(self) -> list[str]:
        """Its events in order; one without a name for all that waits."""
        return [""] if self.moves is None else [memo.event for memo in self.moves.events]

    @reads.default
    def _deciding_columns(self) -> Row:
        return (0,) if self.moves is None else self.moves.reads

    @pick.default
    def _picker(self) -> Callable[[Row], Row]:
        return column_picker(self.reads, self.columns.start)

    def numbers(self, row: Row) -> Row:
        """Return what a row has in its columns."""
        return row[self.columns.start : self.columns.stop]


@frozen(eq=False)
class LinkedEvent:
    """An event of a part, or all that waits in a queue."""

    steps: LinkedSteps
    source: MoveSource
    name: str = ""
    """Of the event; empty: what waits."""
    index: int = 0
    """Which of its source's."""
    offset: int = 0
    known: dict[tuple[object, ...], EventSuccessors] = field(factory=dict)
    """By what is decided of its questions, and how many arguments nothing takes."""

    @property
    def block(self) -> PartBlock | None:
        """The part that steps by itself; None where something is delivered."""
        return self.source.block

    def successors(self, row: Row) -> EventSuccessors:
        """Return what it does in a row."""
        source = self.source
        every = source.known.get(source.pick(row))
        if every is None:
            every = self.steps.questions(source, source.numbers(row))
        questions, disabled = every[self.index]
        if not (questions or disabled):
            return NO_SUCCESSORS
        answer = self.steps.forest.answer
        decisions = [answer(question, row) for question in questions]
        key = *decisions, disabled
        if key not in self.known:
            self.known[key] = _decided_successors(decisions, disabled)
        return self.known[key]

    def fair_event(self, taken: Successor, fair: Fairness) -> FairEvent | None:
        """Return what a step is of an event that is not put off for ever; None: nothing."""
        if taken.label != fair.event:
            return None
        if fair.argument is None:
            return ()
        return (taken.key if fair.argument == "key" else taken.arguments.get(fair.argument),)


def _decided_successors(decisions: list[SystemDecision], disabled: int) -> EventSuccessors:
    successors, faults = list[Successor](), list[tuple[Successor, str]]()
    for decision in decisions:
        taken = decision.successor
        if taken is None:
            disabled += decision.move.weight
            taken = Successor(decision.move.arguments, (), False, False)
        else:
            successors.append(taken)
        faults += ((taken, message) for message in decision.faults)
    return EventSuccessors(tuple(successors), disabled, tuple(faults))


@define(eq=False)
class LinkedSteps:
    """All that links may be asked about."""

    layout: SystemColumns
    part_moves: dict[str, tuple[PartMoves, ...]]
    sources: tuple[MoveSource, ...] = field(init=False)
    """The parts with such events, those that look at the same together, then the queues."""
    events: dict[tuple[int, str], LinkedEvent] = field(init=False)
    """By first column of their source, and name."""
    forest: DecisionForest[SystemDecision] = field(init=False)
    moves: dict[int, SystemMove] = field(factory=dict)
    """By question of the forest."""
    decided: dict[tuple[object, ...], SystemDecision] = field(factory=dict)
    """By what it comes to: most leaves of a question come to the same, which is kept once."""
    fired_before: frozenset[int] = frozenset()
    """The links that sent something in a search that stopped and is taken up here."""
    entered_states: set[tuple[str, str]] = field(factory=set)
    """Parts and the states to which a step led them."""

    def __attrs_post_init__(self) -> None:
        self.forest = DecisionForest(self._decide, self.layout.view)
        parts = (
            MoveSource(block.columns, block, moves)
            for (name, _), block in self.layout.blocks.items()
            for moves in self.part_moves[name]
        )
        queues = (range(place, place + 1) for place in self.layout.queue_places.values())
        self.sources = (*parts, *map(MoveSource, queues))
        self.events = {
            (source.columns.start, name): LinkedEvent(self, source, name, index)
            for source in self.sources
            for index, name in enumerate(source.event_names)
        }

    def clear(self) -> None:
        """Let go of what can be asked again."""
        for moves in itertools.chain.from_iterable(self.part_moves.values()):
            moves.known.clear()
        for event in self.events.values():
            event.known.clear()

    def encode(self) -> dict[str, Any]:
        """Return which links sent something, and which states were entered, as plain data."""
        return {"fired": sorted(self.fired_links), "entered": sorted(self.entered_states)}

    def restore(self, stored: dict[str, Any]) -> None:
        """Note what came about in a search that was kept."""
        self.fired_before = frozenset(stored["fired"])
        self.entered_states.update((part, state) for part, state in stored["entered"])

    @property
    def fired_links(self) -> frozenset[int]:
        """The links that sent something somewhere."""
        leaves = self.forest.leaves
        return self.fired_before.union(*(leaf.fired_links for leaf in leaves))

    def questions(self, source: MoveSource, numbers: Row) -> tuple[EventQuestions, ...]:
        """Return what is to be asked of rows of each event of a source, one after the other.

        Args:
            source: a part or a queue.
            numbers: what it holds.
        """
        key = tuple(numbers[column] for column in source.reads)
        if key not in source.known:
            every = self._moves_at(source, numbers)
            ends = [len(self.forest.roots)]
            for moves, _ in every:
                for move in moves:
                    self.moves[self.forest.add_question()] = move
                ends.append(len(self.forest.roots))
            source.known[key] = tuple(
                (range(*ends_of_event), disabled)
                for ends_of_event, (_, disabled) in zip(pairwise(ends), every, strict=True)
            )
        return source.known[key]

    def _moves_at(self, source: MoveSource, numbers: Row) -> list[tuple[list[SystemMove], int]]:
        """Return what may happen of each event of a source, and with how many arguments nothing
        takes it.
        """
        tables = self.layout.tables
        if source.block is None or source.moves is None:
            held = self.layout.column_value(source.columns.start, numbers[0])
            deliveries = list[SystemMove]()
            for fate in possible_fates(tables, held):
                link, given = tables.link_of[fate.link], held[place_of(fate)]
                assert link.send is not None
                receiver = link.send.part, fate.receiver
                move = SystemMove(source.columns, receiver, link.send.event, given, pending=fate)
                deliveries.append(move)
            return [(deliveries, 0)]
        part = source.block.kind.name, source.block.key
        every = list[tuple[list[SystemMove], int]]()
        for moves, disabled in source.moves.moves(numbers):
            own = [
                SystemMove(
                    source.columns,
                    part,
                    move.event,
                    move.arguments,
                    move.answer,
                    weight=move.weight,
                    reads=source.reads,
                )
                for move in moves
            ]
            # what comes through a channel alone is no step from outside, whatever the system holds
            if moves and (part[0], moves[0].event) in tables.arrivals:
                own, disabled = [], disabled + sum(move.weight for move in own)
            every.append((own, disabled))
        return every

    def _decide(self, question: int, recorder: LookRecorder) -> SystemDecision:
        """Ask what a system makes of a move; see `DecisionForest.ask`."""
        move = self.moves[question]
        cascade = self.outcome(move, recorder)
        if cascade is None:
            return self.decided.setdefault((question,), SystemDecision(move, None))
        taken = self._successor(move, recorder, cascade)
        fired, faults = frozenset(cascade.fired_links), tuple(cascade.spec_errors)
        effects = taken.changes, taken.raised, taken.leaves_range, taken.label, taken.begun
        decision = SystemDecision(move, taken, fired, faults)
        return self.decided.setdefault((question, *effects, fired, faults), decision)

    def outcome(self, move: SystemMove, recorder: LookRecorder) -> EventCascade | None:
        """Return all that comes of a move; None where something forbids it."""
        recorder.known.update(move.columns)
        tables = self.layout.tables
        cascade = EventCascade(tables, recorded_state(self.layout, recorder))
        if move.pending is not None:
            cascade.deliver(move.pending)
        else:
            assert move.answer is not None
            cascade.record_step(*move.part, move.event, move.arguments, move.answer, None)
            if isinstance(cascade.steps[0].answer, Refused):
                return None
        if cascade.refusal:
            return None
        cascade.end_parts()
        return cascade

    def _successor(
        self, move: SystemMove, recorder: LookRecorder, cascade: EventCascade
    ) -> Successor:
        columns = self.layout.columns
        changes = tuple(
            (column, number)
            for column, number in self._written(move, cascade)
            if column not in recorder.known or number != recorder.row[column]
        )
        return Successor(
            move.arguments,
            changes,
            any(isinstance(step.answer, Raised) for step in cascade.steps),
            any(columns[column].out_of_range[number] for column, number in changes),
            weight=move.weight,
            label=f"{move.part[0]}.{move.event}" if cascade.steps else "",
            key=move.part[1],
            pending=move.pending,
            begun=frozenset(
                self.layout.blocks[step.part, step.key].offset
                for step in cascade.steps
                if begins_stay(step.before.state, step.answer)
            ),
        )

    def _written(self, move: SystemMove, cascade: EventCascade) -> Iterator[tuple[int, int]]:
        """Yield the columns that were written, with the numbers of what was written."""
        state, layout = cascade.state, self.layout
        for part, held in state.changed_parts.items():
            block = layout.blocks[part]
            self.entered_states.add((part[0], held.state))  # one that ends was there as well
            numbers = block.kind.row(None if part in state.ended_parts else held)
            own = move.pending is None and part == move.part  # asked of others that hold the same
            columns = move.reads if own else range(block.kind.width)
            yield from ((block.offset + column, numbers[column]) for column in columns)
        for name, value in state.changed_variables.items():
            place = layout.variable_places[name]
            yield place, layout.columns[place].value_id(value)
        for queue, waiting in state.changed_queues.items():
            place = layout.queue_places[queue]
            yield place, layout.columns[place].value_id(FrozenMap(waiting))
