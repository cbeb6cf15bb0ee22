"""A system within a scope: its parts, what is shared and what waits; and what every event does."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

from attrs import define

from statemachines.explore.models.linked_steps import LinkedSteps
from statemachines.explore.models.model_protocol import Model, ModelEvent, machine_content
from statemachines.explore.models.part_blocks import part_event
from statemachines.explore.models.row_columns import Row
from statemachines.explore.models.successors import Successor
from statemachines.explore.models.system_columns import SystemColumns
from statemachines.explore.properties.bound_values import EachName, bindings
from statemachines.explore.properties.system_conditions import EnabledEvents, SystemCondition
from statemachines.explore.results.run_traces import TraceStep
from statemachines.explore.symmetry.model_names import ModelNames, model_names
from statemachines.explore.symmetry.system_names import names_beside
from statemachines.model.definitions.system_definitions import SystemDefinition, SystemSnapshot
from statemachines.model.language.expression_nodes import Expression
from statemachines.semantics.machine.step import unchecked_step
from statemachines.semantics.machine.value_enumeration import DomainSizes
from statemachines.semantics.system.system_step import apply_part_step, deliver_event
from statemachines.semantics.system.system_tables import SystemTables


@define(eq=False, slots=False)
class SystemModel(Model):
    """All that is explored of a system."""

    layout: SystemColumns
    linked_steps: LinkedSteps
    extents: dict[str, DomainSizes]
    """Part to the extent within which its arguments are drawn."""

    def __attrs_post_init__(self) -> None:
        linked = self.linked_steps.events
        of_parts = (
            linked.get((block.offset, memo.event)) or part_event(block, memo)
            for block in self.blocks
            for memo in block.kind.memos
        )
        delivered = (event for event in linked.values() if event.block is None)
        self.events = (*of_parts, *delivered)

    @property
    def tables(self) -> SystemTables:
        """The system, ready to be asked."""
        return self.layout.tables

    @property
    def definition(self) -> SystemDefinition:
        """The system."""
        return self.tables.system

    @property
    def system(self) -> SystemDefinition:
        """The system."""
        return self.tables.system

    @property
    def linked(self) -> LinkedSteps:
        """What links make of events."""
        return self.linked_steps

    @cached_property
    def fixed_columns(self) -> frozenset[int]:
        """The columns that have all their values at the beginning."""
        items = (
            index for index, column in enumerate(self.columns) if getattr(column, "is_item", False)
        )
        return frozenset([self.layout.parameters_place, *items])

    def clear_memos(self) -> None:
        """Let go of what can be asked again, where no memory is left."""
        super().clear_memos()
        for moves in self.linked_steps.part_moves.values():
            moves.known.clear()

    def whole_row(self, snapshot: SystemSnapshot) -> Row:
        """Return the numbers of a snapshot; see `Model`."""
        return self.layout.row(snapshot)

    def whole_snapshot(self, row: Row) -> SystemSnapshot:
        """Return the snapshot of a row; see `Model`."""
        return self.layout.snapshot(row)

    def may_stop(self, row: Row) -> bool:
        """Tell whether it is legal that nothing changes any more; see `Model`."""
        return self.tables.may_stop(self.whole_snapshot(row))

    @property
    def names(self) -> ModelNames:
        """Its interchangeable names."""
        return model_names(self.blocks, self.columns, names_beside(self.layout, self.extent))

    def conditions(
        self, node: Expression, each: Sequence[EachName] = (), number: Callable[[Any], int] = bool
    ) -> list[SystemCondition]:
        """Return what is claimed of a system, as conditions over rows; see `Model`."""
        every = bindings(each, self.tables.behaviour, self.extent)
        enabled = EnabledEvents(self.linked_steps)
        return [
            SystemCondition(self.layout, node, bound, number, enabled.is_enabled) for bound in every
        ]

    def trace_step(self, now: SystemSnapshot, event: ModelEvent, taken: Successor) -> TraceStep:
        """Ask what becomes of a step; see `Model`."""
        if taken.pending is not None:
            answer = deliver_event(self.system, now, taken.pending)
            called = self.tables.delivered_event(taken.pending)
            return TraceStep(
                called,
                taken.arguments,
                answer,
                key=taken.key,
                delivered_from=taken.pending,
            )
        assert event.block is not None
        part, key = event.block.kind.name, event.block.key
        held = now.parts[part]
        snapshot = held[key] if isinstance(held, Mapping) else held
        assert snapshot is not None
        own = unchecked_step(self.tables.tables[part], snapshot, event.name, taken.arguments)
        answer = apply_part_step(self.tables, now, part, key, event.name, taken.arguments, own)
        return TraceStep(f"{part}.{event.name}", taken.arguments, answer, key=key)

    def reached_states(self) -> set[tuple[str, str]]:
        """Return the parts and the states to which a run comes."""
        reached = set(self.linked_steps.entered_states)
        reached.update(
            (block.kind.name, held.state)
            for row in self.initial_rows
            for block in self.blocks
            if (held := block.snapshot(row)) is not None
        )
        for kind in self.kinds:
            names = kind.columns[0].values
            for memo in kind.free_memos:
                reached.update((kind.name, names[number]) for number in memo.asked_states)
                reached.update(
                    (kind.name, transition.target)
                    for transition in kind.tables.machine.transitions
                    if id(transition) in memo.taken_transitions
                )
        return reached

    @property
    def content(self) -> tuple[object, ...]:
        """What is explored, bare; see `Model`."""
        system = self.system
        machines = [(name, machine_content(machine)) for name, machine in system.machines]
        own = system.parts, system.links, system.data, system.same, system.channels, machines
        return own, self.extents

    def encode(self) -> dict[str, Any]:
        """Return what the numbers of the columns stand for and what was asked, as plain data."""
        linked = self.linked_steps
        noted = {"fired": sorted(linked.fired_links), "entered": sorted(linked.entered_states)}
        return super().encode() | noted

    def restore(self, stored: dict[str, Any]) -> bool:
        """Take the numbers of a search that was kept; see `Model`."""
        self.linked_steps.fired_before = frozenset(stored["fired"])
        self.linked_steps.entered_states.update((part, state) for part, state in stored["entered"])
        return super().restore(stored)
