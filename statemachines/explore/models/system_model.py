"""A system within a scope: where it begins, and what every event of its parts does.

What a part does by itself is asked once for each of its snapshots; what its links make of that is
asked once for what they look at, and then looked up (`decision_forests`).
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from typing import Any

from attrs import define, field, frozen

from statemachines.explore.models.decision_forests import DecisionForest, LookRecorder
from statemachines.explore.models.model_protocol import Model
from statemachines.explore.models.part_moves import PartMoves, SystemDecision, SystemMove
from statemachines.explore.models.row_columns import Row, ValueColumn
from statemachines.explore.models.scopes import ExplorationScope
from statemachines.explore.models.successors import (
    NO_SUCCESSORS,
    EventSuccessors,
    FairEvent,
    Successor,
)
from statemachines.explore.models.system_columns import SystemColumns
from statemachines.explore.models.system_sources import recorded_state
from statemachines.explore.properties.bound_values import EachName, bindings
from statemachines.explore.properties.system_conditions import EnabledEvents, SystemCondition
from statemachines.explore.resources.limits import SearchEnding
from statemachines.explore.results.system_results import SystemTrace, SystemTraceStep
from statemachines.explore.symmetry.model_names import ModelNames
from statemachines.explore.symmetry.system_names import system_names
from statemachines.model.definitions.data_definitions import Fairness
from statemachines.model.definitions.snapshots import NamedValues, Raised, Refused
from statemachines.model.definitions.system_definitions import (
    PendingEvent,
    SystemDefinition,
    SystemSnapshot,
)
from statemachines.model.language.expression_nodes import Expression
from statemachines.model.language.frozen_values import FrozenMap
from statemachines.semantics.arguments.enumeration import check_nothing
from statemachines.semantics.machine.step import unchecked_step
from statemachines.semantics.machine.value_enumeration import DomainSizes
from statemachines.semantics.system.channels import place_of, possible_fates
from statemachines.semantics.system.event_cascade import EventCascade
from statemachines.semantics.system.system_step import apply_part_step, deliver_event
from statemachines.semantics.system.system_tables import SystemTables

MOST_COMPARED_ROWS = 1000
"""Initial rows that are compared where a search is taken up again."""


@frozen(eq=False)
class ColumnEvent:
    """All that one part does by itself, or all that is delivered."""

    model: SystemModel
    column: int
    offset: int = 0

    def successors(self, row: Row) -> EventSuccessors:
        """Return what it does in a row."""
        return self.successors_but(row, ())

    def successors_but(self, row: Row, skipped: Container[str]) -> EventSuccessors:
        """Return the same where the part has events that are not possible now; these are not
        asked.
        """
        questions, disabled = self.model.questions(self.column, row[self.column])
        if not (questions or disabled):
            return NO_SUCCESSORS
        answer, successors = self.model.forest.answer, list[Successor]()
        faults = list[tuple[NamedValues, str]]()
        for question in questions:
            if skipped and self.model.moves[question].event in skipped:
                continue
            decision = answer(question, row)
            if decision.successor is None:
                disabled += decision.weight
            else:
                successors.append(decision.successor)
            for message in decision.faults:
                faults.append((self.model.moves[question].arguments, message))
        return EventSuccessors(tuple(successors), disabled, tuple(faults))

    def own_event(self, taken: Successor) -> str:
        """Return the event of a step that the part takes by itself; nothing of a delivery."""
        return "" if taken.pending is not None else taken.label.partition(".")[2]

    def fair_event(self, taken: Successor, fair: Fairness) -> FairEvent | None:
        """Return what a step is of an event that is not put off for ever; None: nothing."""
        if taken.label != fair.event:
            return None
        if fair.argument is None:
            return ()
        return (taken.key if fair.argument == "key" else taken.arguments.get(fair.argument),)


@define(eq=False)
class SystemModel(Model):
    """All that is explored of a system."""

    extent: DomainSizes
    extents: dict[str, DomainSizes]
    """Part to the extent within which its arguments are drawn."""
    layout: SystemColumns
    part_moves: dict[str, PartMoves]
    scope: ExplorationScope
    initial_rows: tuple[Row, ...] = ()
    truncations: tuple[str, ...] = ()
    """Beginnings that were left out, and why: there are too many, or it took too long to find them.
    """
    ending: SearchEnding = field(factory=SearchEnding)
    """Whether a limit was hit, or somebody ended it, before all beginnings were found."""
    events: tuple[ColumnEvent, ...] = field(init=False)
    """Of the parts in their order, then what waits."""
    forest: DecisionForest[SystemDecision] = field(init=False)
    moves: dict[int, SystemMove] = field(factory=dict)
    """By question of the forest."""
    known_questions: dict[tuple[int, int], tuple[range, int]] = field(factory=dict)
    """A column and the number of its value, to the questions to be asked, and how many events with
    arguments nothing takes.
    """

    links_fired_before: frozenset[int] = frozenset()
    """Those that sent something in a search that stopped and is taken up here."""

    def __attrs_post_init__(self) -> None:
        self.forest = DecisionForest(self._decide, self.layout.view)
        places = [*self.layout.part_places.values(), *self.layout.queue_places.values()]
        self.events = tuple(ColumnEvent(self, place) for place in places)

    @property
    def tables(self) -> SystemTables:
        """The system, ready to be asked."""
        return self.layout.tables

    @property
    def system(self) -> SystemDefinition:
        """The system."""
        return self.tables.system

    @property
    def columns(self) -> tuple[ValueColumn, ...]:
        """The columns of a row."""
        return self.layout.columns

    @property
    def fixed_columns(self) -> frozenset[int]:
        """The columns that have all their values at the beginning."""
        return frozenset([self.layout.parameters_place])

    @property
    def fired_links(self) -> frozenset[int]:
        """The links that sent something somewhere."""
        leaves = self.forest.leaves
        return self.links_fired_before.union(*(leaf.fired_links for leaf in leaves))

    def set_limit_check(self, spend: Callable[[], None] = check_nothing) -> None:
        """Call this now and then while arguments are drawn; see `Model`."""
        for moves in self.part_moves.values():
            moves.set_limit_check(spend)

    def clear_memos(self) -> None:
        """Let go of what can be asked again, where no memory is left."""
        for moves in self.part_moves.values():
            moves.known.clear()

    def row(self, snapshot: SystemSnapshot) -> Row:
        """Return the numbers of a snapshot.

        Args:
            snapshot: of the whole.

        Returns:
            A number a column.
        """
        return self.layout.row(snapshot)

    def snapshot(self, row: Row) -> SystemSnapshot:
        """Return the snapshot of a row.

        Args:
            row: of the whole.

        Returns:
            The snapshot that it stands for.
        """
        return self.layout.snapshot(row)

    def questions(self, column: int, number: int) -> tuple[range, int]:
        """Return what is to be asked of rows that have a value in a column, and how many events
        with arguments nothing takes there.

        Args:
            column: its index.
            number: the value there.

        Returns:
            Indices of events, and a count.
        """
        questions = self.known_questions.get((column, number))
        if questions is None:
            moves, disabled = self._moves_at(column, number)
            begin = len(self.forest.roots)
            for move in moves:
                self.moves[self.forest.add_question()] = move
            questions = range(begin, len(self.forest.roots)), disabled
            self.known_questions[column, number] = questions
        return questions

    def _moves_at(self, column: int, number: int) -> tuple[list[SystemMove], int]:
        held = self.layout.column_value(column, number)
        if column > self.layout.parameters_place:
            fates = possible_fates(self.tables, held)
            return [self._delivery(column, fate, held[place_of(fate)]) for fate in fates], 0
        if held is None:
            return [], 0
        part = self.layout.part_keys[column]
        taken, disabled = self.part_moves[part[0]].moves(held)
        # what comes through a channel alone is no step from outside, whatever the system holds
        own = [move for move in taken if (part[0], move.event) not in self.tables.arrivals]
        disabled += sum(move.weight for move in taken) - sum(move.weight for move in own)
        return [
            SystemMove(column, part, move.event, move.arguments, move.answer, weight=move.weight)
            for move in own
        ], disabled

    def _delivery(
        self, column: int, pending_event: PendingEvent, named_values: NamedValues
    ) -> SystemMove:
        link = self.tables.link_of[pending_event.link]
        assert link.send is not None
        receiver = link.send.part, pending_event.receiver
        return SystemMove(column, receiver, link.send.event, named_values, pending=pending_event)

    def _decide(self, question: int, recorder: LookRecorder) -> SystemDecision:
        """Ask what a system makes of a move; see `DecisionForest.ask`."""
        move = self.moves[question]
        cascade = self._cascade(move, recorder)
        if cascade is None:
            return SystemDecision(None, move.weight)
        return SystemDecision(
            self._successor(move, recorder, cascade),
            move.weight,
            frozenset(cascade.fired_links),
            tuple(cascade.spec_errors),
        )

    def _cascade(self, move: SystemMove, recorder: LookRecorder) -> EventCascade | None:
        """Return all that comes of a move; None where something forbids it."""
        recorder.known.add(move.column)
        cascade = EventCascade(self.tables, recorded_state(self.layout, recorder))
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
        changes = tuple(
            (column, number)
            for column, number in self._written(cascade)
            if column not in recorder.known or number != recorder.row[column]
        )
        return Successor(
            move.arguments,
            changes,
            any(isinstance(step.answer, Raised) for step in cascade.steps),
            any(self.columns[column].out_of_range[number] for column, number in changes),
            weight=move.weight,
            label=f"{move.part[0]}.{move.event}" if cascade.steps else "",
            key=move.part[1],
            pending=move.pending,
        )

    def _written(self, cascade: EventCascade) -> Iterator[tuple[int, int]]:
        """Yield the columns that were written, with the numbers of what was written."""
        state, layout = cascade.state, self.layout
        for part, held in state.changed_parts.items():
            place = layout.part_places[part]
            number = self.columns[place].value_id(held)  # where one ends was come to as well
            has_ended = part in state.ended_parts
            yield place, self.columns[place].value_id(None) if has_ended else number
        for name, value in state.changed_variables.items():
            place = layout.variable_places[name]
            yield place, self.columns[place].value_id(value)
        for queue, waiting in state.changed_queues.items():
            place = layout.queue_places[queue]
            yield place, self.columns[place].value_id(FrozenMap(waiting))

    def fault_at(self, row: Row) -> tuple[ColumnEvent, Successor]:
        """Return the first step from a row in which the spec is wrong; see `Model`."""
        for event in self.events:
            questions, _ = self.questions(event.column, row[event.column])
            for decision in (self.forest.answer(question, row) for question in questions):
                if decision.faults and decision.successor is not None:
                    return event, decision.successor
        raise AssertionError("a search told of a fault that is not there")

    def may_stop(self, row: Row) -> bool:
        """Tell whether it is legal that nothing changes any more; see `Model`."""
        return self.tables.may_stop(self.snapshot(row))

    @property
    def names(self) -> ModelNames:
        """Its interchangeable names."""
        return system_names(self.layout, self.extent, self.extents)

    def conditions(
        self, node: Expression, each: Sequence[EachName] = (), number: Callable[[Any], int] = bool
    ) -> list[SystemCondition]:
        """Return what is claimed of a system, as conditions over rows; see `Model`."""
        every = bindings(each, self.tables.behaviour, self.extent)
        enabled = EnabledEvents(self.layout, self.moves, self.questions, self._cascade)
        return [
            SystemCondition(self.layout, node, bound, number, enabled.is_enabled) for bound in every
        ]

    def rows_of(self, trace: SystemTrace) -> Iterator[Row]:
        """Yield the rows of a run, the first one included; see `Model`."""
        yield from map(self.row, trace.snapshots)

    def trace(
        self,
        begin: Row,
        taken: Iterable[tuple[ColumnEvent, Successor]],
        loop_start: int | None = None,
    ) -> SystemTrace:
        """Return a run: each step is asked of the system again; see `Model`."""
        now = first = self.snapshot(begin)
        steps = list[SystemTraceStep]()
        for _, successor in taken:
            steps.append(self.trace_step(now, successor))
            now = steps[-1].answer.after
        return SystemTrace(first, tuple(steps), loop_start)

    def trace_step(self, now: SystemSnapshot, taken: Successor) -> SystemTraceStep:
        """Ask what becomes of a step in a snapshot.

        Args:
            now: the snapshot.
            taken: the step.

        Returns:
            The step with the snapshot after it.
        """
        if taken.pending is not None:
            answer = deliver_event(self.system, now, taken.pending)
        else:
            part, _, event = taken.label.partition(".")
            held = now.parts[part]
            snapshot = held[taken.key] if isinstance(held, Mapping) else held
            assert snapshot is not None
            own = unchecked_step(self.tables.tables[part], snapshot, event, taken.arguments)
            answer = apply_part_step(self.tables, now, part, taken.key, event, taken.arguments, own)
        pending = taken.pending
        event = taken.label if pending is None else self.tables.delivered_event(pending)
        return SystemTraceStep(event, taken.key, taken.arguments, answer, taken.pending)

    def identity(self) -> tuple[object, ...]:
        """Return what tells this apart from what else may be explored."""
        system = self.system
        machines = [
            (
                name,
                machine.states,
                machine.transitions,
                machine.otherwise,
                machine.events,
                machine.data,
            )
            for name, machine in system.machines
        ]
        content = system.parts, system.links, system.data, system.same, system.channels, machines
        begins = [self.snapshot(row) for row in self.initial_rows[:MOST_COMPARED_ROWS]]
        return system.name, system.release, content, self.extent, self.extents, begins

    def encode(self) -> dict[str, Any]:
        """Return what the numbers of the columns stand for and what was left out, as plain data."""
        cut = [
            [name, event]
            for name, moves in self.part_moves.items()
            for event, enumeration in moves.enumerations.items()
            if enumeration.is_truncated
        ]
        return {"columns": self.layout.encode(), "cut": cut, "fired": sorted(self.fired_links)}

    def restore(self, stored: dict[str, Any]) -> bool:
        """Take the numbers of a search that was kept; see `Model`."""
        for name, event in stored["cut"]:
            self.part_moves[name].enumerations[event].is_truncated = True
        self.links_fired_before = frozenset(stored["fired"])
        return self.layout.restore(stored["columns"])
