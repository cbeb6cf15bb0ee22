"""A machine, or several interleaved copies of one, within a scope: where it begins and what every
event does.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from functools import cached_property
from types import MappingProxyType
from typing import Any

from attrs import define, evolve

from statemachines.explore.models.map_columns import NO_KEYS, MapKeys, map_keys
from statemachines.explore.models.model_protocol import Model, ModelEvent, machine_content
from statemachines.explore.models.part_blocks import (
    PartKind,
    build_part_kind,
    part_event,
    place_blocks,
)
from statemachines.explore.models.row_columns import Row
from statemachines.explore.models.successors import Successor
from statemachines.explore.properties.bound_values import EachName, bindings
from statemachines.explore.properties.row_conditions import (
    PartCondition,
    build_condition,
    part_condition,
)
from statemachines.explore.resources.limits import Budget, Limits
from statemachines.explore.results.run_traces import TraceStep
from statemachines.explore.scopes import (
    ExplorationScope,
    iterate_initial_snapshots,
    no_initial_snapshot,
    scope_extent,
)
from statemachines.explore.symmetry.model_names import COPY
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.definitions.snapshots import Snapshot, Value
from statemachines.model.language.expression_nodes import Expression
from statemachines.semantics.machine.machine_tables import MachineTables, machine_tables
from statemachines.semantics.machine.step import unchecked_step


@define(eq=False, slots=False)
class MachineModel(Model):
    """All that is explored of a machine: each part is a copy of it."""

    def __attrs_post_init__(self) -> None:
        self.events = tuple(
            part_event(block, memo) for block in self.blocks for memo in block.kind.memos
        )

    @property
    def tables(self) -> MachineTables:
        """The machine, ready to be asked."""
        return self.blocks[0].kind.tables

    @property
    def definition(self) -> MachineDefinition:
        """The machine."""
        return self.tables.machine

    @property
    def machine(self) -> MachineDefinition:
        """The machine."""
        return self.tables.machine

    @property
    def known_size(self) -> int:
        """How many states may be met, of a machine without data; else nothing is known."""
        return 0 if self.tables.has_data else len(self.tables.states) ** len(self.blocks)

    @property
    def claims_deadlock_freedom(self) -> bool:
        """Whether it must not come to an end, though nothing was said of that."""
        return not self.tables.has_data

    @cached_property
    def fixed_columns(self) -> frozenset[int]:
        """The columns that have all their values at the beginning: all but those of variables."""
        fixed = 1 + len(self.data.parameters)
        return frozenset(
            block.offset + place
            for block in self.blocks
            for place, column in enumerate(block.kind.columns)
            if place < fixed or column.is_item
        )

    def conditions(
        self, node: Expression, each: Sequence[EachName] = (), number: Callable[[Any], int] = bool
    ) -> list[PartCondition]:
        """Return what is claimed of one machine, for each copy of it; see `Model`."""
        columns = self.blocks[0].kind.columns
        conditions = (
            build_condition(self.tables, columns, node, bound, number, self.memos)
            for bound in bindings(each, self.tables.behaviour, self.extent)
        )
        return [
            part_condition(condition, block) for condition in conditions for block in self.blocks
        ]

    def may_stop(self, row: Row) -> bool:
        """Tell whether it is legal that no copy changes any more; see `Model`."""
        return all(
            self.tables.final >> row[block.offset] & 1
            or (self.final_conditions and self.final_conditions[copy].holds_in(row))
            for copy, block in enumerate(self.blocks)
        )

    @cached_property
    def final_conditions(self) -> list[PartCondition]:
        """What says beside the states that it is legal to stop; nothing: the states alone do."""
        node = self.data.final
        return [] if node is None else self.conditions(node)

    def trace_step(
        self, now: tuple[Snapshot, ...], event: ModelEvent, taken: Successor
    ) -> TraceStep:
        """Ask what becomes of a step; see `Model`."""
        copy: Any = None if event.block is None else event.block.key
        answer = unchecked_step(self.tables, now[copy], event.name, taken.arguments)
        return TraceStep(event.name, taken.arguments, answer, copy)

    @property
    def content(self) -> tuple[object, ...]:
        """What is explored, bare; see `Model`."""
        return machine_content(self.machine), len(self.blocks)

    def whole_row(self, snapshot: tuple[Snapshot, ...]) -> Row:
        """Return the row of the snapshots of all copies; see `Model`."""
        return tuple(itertools.chain.from_iterable(map(self.row, snapshot)))

    def whole_snapshot(self, row: Row) -> tuple[Snapshot, ...]:
        """Return the snapshots of all copies in a row; see `Model`."""
        return tuple(held for block in self.blocks if (held := block.snapshot(row)) is not None)

    def row(self, snapshot: Snapshot) -> Row:
        """Return the numbers of one copy's snapshot.

        Args:
            snapshot: of one copy.

        Returns:
            A number a column.
        """
        return self.blocks[0].kind.row(snapshot)


def build_machine_model(
    machine: MachineDefinition,
    scope: ExplorationScope,
    copies: int = 1,
    limits: Limits | None = None,
) -> MachineModel:
    """Return a machine's model.

    Raises:
        ArgumentsError: the scope does not fit the machine, or nothing may begin.
    """
    tables = machine_tables(machine)
    keys = map_keys(tables, scope_extent(tables.behaviour, scope), copies)
    model, cut = model_without_rows(tables, scope, copies, keys=keys), list[str]()
    rows = _initial_rows(model, cut, limits)
    model.truncations = tuple(cut)
    for row in rows:
        for column, number in zip(model.columns, row, strict=False):
            # what an instance begins with was not reached by counting
            column.out_of_range[number] = False
    model.initial_rows = tuple(
        tuple(itertools.chain(*chosen))
        for chosen in itertools.product(dict.fromkeys(rows), repeat=copies)
    )
    return model


def model_without_rows(
    tables: MachineTables,
    scope: ExplorationScope,
    copies: int = 1,
    id_values: Mapping[str, tuple[Value, ...]] = MappingProxyType({}),
    keys: MapKeys = NO_KEYS,
) -> MachineModel:
    """Return a machine within a scope, before it is asked where it begins.

    Raises:
        ArgumentsError: the scope does not fit the machine.
    """
    within = evolve(scope_extent(tables.behaviour, scope), given=id_values)
    fair = dict[str, tuple[str, ...]]()
    for declared in tables.machine.data.fair_events:
        if declared.argument is not None:
            fair[declared.event] = (*fair.get(declared.event, ()), declared.argument)
    kind = build_part_kind(tables, within, keys=keys, fair=fair)
    return machine_model(kind, scope, copies)


def machine_model(kind: PartKind, scope: ExplorationScope, copies: int = 1) -> MachineModel:
    """Return copies of a machine, before they are asked where they begin.

    Args:
        kind: the machine.
        scope: what is said beside its own.
        copies: how many there are.

    Returns:
        A model without initial rows.
    """
    kind.key_type = COPY if copies > 1 else None
    blocks = place_blocks((kind, copy) for copy in range(copies))
    return MachineModel(kind.extent, scope, blocks, kind.columns * copies)


def _initial_rows(model: MachineModel, cut: list[str], limits: Limits | None) -> list[Row]:
    """Return the rows in which one copy begins.

    Raises:
        ArgumentsError: there is none.
    """
    model.ending.bounds = cut
    budget, rows, behaviour = (
        Budget.for_initial_snapshots(limits, cut),
        list[Row](),
        model.tables.behaviour,
    )
    with nullcontext() if limits is None else model.ending.catch_ending():
        for snapshot in iterate_initial_snapshots(
            behaviour, model.extent, model.scope, cut, lambda: budget.check_when_due(0, 0, 0)
        ):
            rows.append(model.row(snapshot))
    if not rows and not model.ending.ended_early:
        raise no_initial_snapshot(behaviour)
    return rows
