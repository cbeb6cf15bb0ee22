"""A machine, or several interleaved copies of one, within a scope, as a model."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from attrs import evolve

from statemachines.explore.models.map_columns import NO_KEYS, MapKeys, map_keys
from statemachines.explore.models.model_protocol import Model
from statemachines.explore.models.part_blocks import PartKind, build_part_kind, place_blocks
from statemachines.explore.resources.limits import Limits, SearchEnding, collect_until_limits
from statemachines.explore.scopes import (
    ExplorationScope,
    iterate_initial_snapshots,
    no_initial_snapshot,
    scope_extent,
)
from statemachines.explore.symmetry.model_names import COPY
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.definitions.snapshots import Snapshot, Value
from statemachines.semantics.machine.machine_tables import MachineTables, machine_tables


def build_machine_model(
    machine: MachineDefinition,
    scope: ExplorationScope,
    copies: int = 1,
    limits: Limits | None = None,
) -> Model:
    """Return a machine's model.

    Raises:
        ArgumentsError: the scope does not fit the machine, or nothing may begin.
    """
    tables, cut = machine_tables(machine), list[str]()
    keys = map_keys(tables, scope_extent(tables.behaviour, scope), copies)
    model = model_without_rows(tables, scope, copies, keys=keys)
    model.ending = SearchEnding(cut)

    def every(spend: Callable[[], None]) -> Iterator[Snapshot]:
        return iterate_initial_snapshots(tables.behaviour, model.extent, scope, cut, spend)

    begins = collect_until_limits(every, limits, model.ending)
    if not begins and not model.ending.ended_early:
        raise no_initial_snapshot(tables.behaviour)
    model.truncations = tuple(cut)
    rows = dict.fromkeys(map(model.kinds[0].row, begins))
    for row in rows:
        for column, number in zip(model.columns, row, strict=False):
            # what an instance begins with was not reached by counting
            column.out_of_range[number] = False
    model.initial_rows = tuple(
        tuple(itertools.chain(*chosen)) for chosen in itertools.product(rows, repeat=copies)
    )
    return model


def model_without_rows(
    tables: MachineTables,
    scope: ExplorationScope,
    copies: int = 1,
    id_values: Mapping[str, tuple[Value, ...]] = MappingProxyType({}),
    keys: MapKeys = NO_KEYS,
) -> Model:
    """Return a machine within a scope, before it is asked where it begins.

    Raises:
        ArgumentsError: the scope does not fit the machine.
    """
    within = evolve(scope_extent(tables.behaviour, scope), given=id_values)
    fair_events = tables.machine.data.fair_events
    kind = build_part_kind(tables, within, keys=keys, fair_events=fair_events)
    return machine_model(kind, scope, copies)


def machine_model(kind: PartKind, scope: ExplorationScope, copies: int = 1) -> Model:
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
    return Model(kind.tables, scope, kind.extent, (kind,), blocks, kind.columns * copies)
