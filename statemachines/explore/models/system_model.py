"""A system within a scope, as a model: its parts, what is shared and what waits."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping

from attrs import evolve

from statemachines.explore.models.linked_steps import LinkedSteps
from statemachines.explore.models.map_columns import map_keys
from statemachines.explore.models.model_protocol import Model
from statemachines.explore.models.part_blocks import PartKind, build_part_kind
from statemachines.explore.models.part_moves import build_part_moves, linked_events
from statemachines.explore.models.row_columns import Row
from statemachines.explore.models.system_columns import build_system_columns
from statemachines.explore.resources.limits import Limits, SearchEnding, collect_until_limits
from statemachines.explore.scopes import (
    ExplorationScope,
    first_beginnings,
    id_types,
    parameter_assignments,
)
from statemachines.explore.scopes import scope_extent as extent_within
from statemachines.model.definitions.data_definitions import ScopeDefinition as Named
from statemachines.model.definitions.snapshots import Value
from statemachines.model.definitions.system_definitions import SystemDefinition, SystemSnapshot
from statemachines.model.language.value_types import IdType, base_type
from statemachines.semantics.machine.value_enumeration import (
    DomainSizes,
    default_domain_sizes,
    sorted_values,
)
from statemachines.semantics.messages.argument_errors import ArgumentsError
from statemachines.semantics.system.system_initial_snapshots import initial_system_snapshots
from statemachines.semantics.system.system_states import PartKey
from statemachines.semantics.system.system_tables import SystemTables, system_tables

MOST_INITIAL_SNAPSHOTS = 200_000
"""Beginnings that are gone through."""
_KEPT_WHEN_STOPPED = 1_000
"""Those that are kept where time was over before all were found."""


def build_system_model(
    system: SystemDefinition, scope: ExplorationScope, limits: Limits | None = None
) -> Model:
    """Return a system's model.

    Args:
        system: in one release.
        scope: what is said beside the system's own.
        limits: where looking for beginnings ends early, which an interrupt does then too; the model
            says so.

    Returns:
        A model that any engine searches.

    Raises:
        ArgumentsError: the scope does not fit the system, or nothing begins.
    """
    tables, cut = system_tables(system), list[str]()
    extent, ending = system_extent(tables, scope), SearchEnding(cut)
    begins = _find_initial_snapshots(tables, extent, scope, limits, ending)
    part_keys = _part_columns(tables, extent, begins)
    kinds = {
        name: _part_kind(tables, name, own, len(part_keys))
        for name, own in part_extents(tables, extent, scope).items()
    }
    columns = build_system_columns(tables, {part: kinds[part[0]] for part in part_keys}, extent)
    moves = {name: build_part_moves(tables, kind) for name, kind in kinds.items()}
    model = Model(
        tables,
        scope,
        extent,
        tuple(kinds.values()),
        tuple(columns.blocks.values()),
        columns.columns,
        columns,
        LinkedSteps(columns, moves),
        ending=ending,
    )
    model.initial_rows = _initial_rows(model, begins, limits)
    model.truncations = tuple(cut)
    columns.begin_with(model.initial_rows)
    return model


def _part_kind(tables: SystemTables, name: str, extent: DomainSizes, parts: int) -> PartKind:
    """Return a part's machine as columns; `parts`: how many parts share a row."""
    machine, part = tables.tables[name], tables.parts[name]
    kind = build_part_kind(
        machine,
        extent,
        name=name,
        keys=map_keys(machine, extent, parts),
        linked=linked_events(tables, name),
        key_type=part.each,
        fair_events=tables.system.data.fair_events,
    )
    if part.optional or part.is_created or part.ends or part.each is not None:
        kind.columns[0].value_id(None)  # that it is not there
    return kind


def _find_initial_snapshots(
    tables: SystemTables,
    extent: DomainSizes,
    scope: ExplorationScope,
    limits: Limits | None,
    ending: SearchEnding,
) -> list[SystemSnapshot]:
    """Find the snapshots in which a system begins; `ending` is told what ends this early.

    Raises:
        ArgumentsError: there is none.
    """

    def every(spend: Callable[[], None]) -> Iterator[SystemSnapshot]:
        snapshots = _initial_snapshots(tables, extent, scope, ending.bounds, spend)
        return first_beginnings(snapshots, MOST_INITIAL_SNAPSHOTS, ending.bounds)

    initial_snapshots = collect_until_limits(every, limits, ending)
    if not initial_snapshots and not ending.ended_early:
        raise ArgumentsError(
            f"nothing begins: no parts of {tables.title} fit together, or no parameters do"
        )
    return initial_snapshots


def _initial_rows(
    model: Model, begins: list[SystemSnapshot], limits: Limits | None
) -> tuple[Row, ...]:
    """Return the rows in which a system begins: some of them where that was ended early."""
    if model.ending.ended_early:
        return tuple(dict.fromkeys(model.whole_row(begin) for begin in begins[:_KEPT_WHEN_STOPPED]))

    def every(spend: Callable[[], None]) -> Iterator[Row]:
        for begin in begins:
            spend()
            yield model.whole_row(begin)

    return tuple(dict.fromkeys(collect_until_limits(every, limits, model.ending)))


def system_extent(tables: SystemTables, scope: ExplorationScope) -> DomainSizes:
    """Return how many values the types of a system itself have; the sizes of types that parts alone
    have are left out.

    Args:
        tables: of the system.
        scope: what is said beside the system's own.

    Returns:
        Type to number of values.

    Raises:
        ArgumentsError: the scope sizes a type that neither the system nor a part has.
    """
    parts = {type_.name for table in tables.tables.values() for type_ in id_types(table.machine)}
    parts -= {type_.name for type_ in id_types(tables.behaviour.machine)}
    own = {name: size for name, size in scope.sizes.items() if name not in parts}
    return extent_within(tables.behaviour, evolve(scope, sizes=own))


def _initial_snapshots(
    tables: SystemTables,
    extent: DomainSizes,
    scope: ExplorationScope,
    cut: list[str],
    spend: Callable[[], None],
) -> Iterator[SystemSnapshot]:
    keys = _id_type_keys(tables, extent)
    for parameters in parameter_assignments(tables.behaviour, extent, scope, cut, spend):
        for absent in _absent_parts(tables):
            yield from initial_system_snapshots(
                tables.system,
                keys=keys,
                absent=absent,
                parameters=parameters,
                extent=extent,
                spend=spend,
            )


def part_extents(
    tables: SystemTables, extent: DomainSizes, scope: ExplorationScope
) -> dict[str, DomainSizes]:
    """Return for each part how many values the types of its machine have.

    Args:
        tables: of the system.
        extent: of the system's own types.
        scope: what is said beside the system's own.

    Returns:
        Part to type to number of values.
    """
    named = tables.system.data.scope
    return {
        name: _part_extent(default_domain_sizes(table.behaviour), extent, scope, named)
        for name, table in tables.tables.items()
    }


def _part_extent(
    own: DomainSizes, system: DomainSizes, scope: ExplorationScope, named: Named
) -> DomainSizes:
    """Return the extent of a part: what the system or a person names (`scope`, `named`) beats what
    its machine does.
    """
    integers = system.integers if (scope.integers, named.integers) != (None, None) else own.integers
    longest = (
        system.longest_list
        if (scope.longest, named.longest_list) != (None, None)
        else own.longest_list
    )
    return evolve(
        own,
        sizes={**own.sizes, **system.sizes, **scope.sizes},
        integers=integers,
        longest_list=longest,
    )


def _part_columns(
    tables: SystemTables, extent: DomainSizes, snapshots: list[SystemSnapshot]
) -> tuple[PartKey, ...]:
    """Return the columns that some snapshots need: each part, once for each key that one of them
    has.
    """
    part_columns: dict[PartKey, None] = {}
    for name, part in tables.parts.items():
        if part.each is None:
            part_columns[name, None] = None
        elif isinstance(type_ := base_type(part.each), IdType):
            values = extent.id_values(type_)
            values = sorted_values(values) if part.is_created else values
            part_columns |= {(name, key): None for key in values}
        for snapshot in snapshots if part.each is not None else ():
            held = snapshot.parts[name]
            part_columns |= {
                (name, key): None for key in (held if isinstance(held, Mapping) else ())
            }
    return tuple(part_columns)


def _id_type_keys(tables: SystemTables, extent: DomainSizes) -> dict[str, tuple[Value, ...]]:
    """Return the keys of parts that there are once for each value of an `id` type."""
    parts = tables.parts.values()
    return {
        part.name: extent.id_values(part.each) for part in parts if isinstance(part.each, IdType)
    }


def _absent_parts(tables: SystemTables) -> Iterator[tuple[str, ...]]:
    """Yield which optional parts are not there: none, one, …"""
    optional = [part.name for part in tables.parts.values() if part.optional]
    for many in range(len(optional) + 1):
        yield from itertools.combinations(optional, many)
