"""What is asked of a model beside what its spec claims."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from attrs import evolve

from statemachines.explore.models.model_protocol import Model
from statemachines.explore.results.property_results import PropertyResult
from statemachines.explore.scopes import (
    id_types,
    is_bounded,
    is_complete,
    scope_text,
    unstated_bounds,
)
from statemachines.explore.verdicts.reach_coverage import coverage_result
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.definitions.snapshots import NamedValues
from statemachines.model.evidence.verdicts import Verdict
from statemachines.semantics.system.event_cascade import EventCascade
from statemachines.semantics.system.system_tables import SystemTables

LINKS_TITLE = "every link sends"


def explored_scope(model: Model) -> str:
    """Say what is explored, as `--scope` takes it: sizes of types, those of parts too, ranges,
    given parameters; then the copies of a machine.
    """
    own = model.tables.behaviour
    sizes = {type_.name: len(model.extent.id_values(type_)) for type_ in id_types(own.machine)}
    for kind in model.kinds:
        for type_ in id_types(kind.tables.machine):
            sizes.setdefault(type_.name, len(kind.extent.id_values(type_)))
    text = scope_text(own, model.extent, sizes, model.scope, _initial_parameters(model))
    several = model.layout is None and len(model.blocks) > 1
    return ", ".join(filter(None, [text, f"{len(model.blocks)} copies" if several else ""]))


def _initial_parameters(model: Model) -> Iterable[NamedValues]:
    """Return the parameters of every beginning, of a machine those of one copy."""
    if model.layout is not None:
        column = model.layout.parameters_place
        numbers = {row[column] for row in model.initial_rows}
        return [model.layout.column_value(column, number) for number in numbers]
    columns = model.columns[1 : 1 + len(model.data.parameters)]
    rows = {row[1 : 1 + len(columns)] for row in model.initial_rows} if columns else ()
    return [
        {column.name: column.values[number] for column, number in zip(columns, row, strict=True)}
        for row in rows
    ]


def assumed_bounds(model: Model) -> Iterator[str]:
    """Yield the bounds that nobody named, and those that drawing values hit."""
    own, scope = model.data.scope, model.scope
    named = evolve(
        scope,
        sizes={**dict(own.sizes), **scope.sizes},
        integers=scope.integers or own.integers,
        longest=own.longest_list if scope.longest is None else scope.longest,
    )
    yield from unstated_bounds(model.tables.behaviour, named)
    types = [type_.name for type_ in id_types(model.tables.behaviour.machine)]
    for kind in model.kinds:
        keys = [name for name in types if kind.name and name in str(kind.key_type or "")]
        yield from (
            f"{name} has 2 values, as no scope names it" for name in keys if name not in named.sizes
        )
        yield from unstated_bounds(kind.tables.behaviour, named)
    yield from model.truncations
    for kind in model.kinds:
        for memo in kind.memos:
            event = f"{kind.name}.{memo.event}" if kind.name else memo.event
            yield from memo.enumeration.bounds(event)


def own_result(model: Model, unseen: bool) -> PropertyResult[Any]:
    """Return what is said of every machine, or of every system; `unseen`: whether something kept
    the search from seeing everything.
    """
    if isinstance(model.tables, SystemTables) and model.linked is not None:
        fired = model.linked.fired_links | _fired_at_the_beginning(model.tables, model)
        return _links_result(model.tables, fired, unseen)
    assert isinstance(model.definition, MachineDefinition)
    return coverage_result(model, unseen, is_complete(model.definition, model.scope))


def _fired_at_the_beginning(tables: SystemTables, model: Model) -> frozenset[int]:
    """Return the links that send something in some beginning."""
    left = {link.index for link in tables.system.links if link.begins}
    fired = set[int]()
    for row in model.initial_rows if left else ():
        if left <= fired:
            break
        cascade = EventCascade.from_snapshot(tables, model.whole_snapshot(row))
        cascade.begin()
        fired |= cascade.fired_links
    return frozenset(fired)


def _links_result(tables: SystemTables, fired: frozenset[int], unseen: bool) -> PropertyResult[Any]:
    """Say which links never send anything: a guard that never holds, or a state that is never
    entered.
    """
    links = [
        link
        for link in tables.system.links
        if (link.send is not None or link.create is not None) and link.index not in fired
    ]
    if not links:
        return PropertyResult(LINKS_TITLE, Verdict.HOLDS)
    named = ", ".join(
        f"link {link.index + 1}" + (f" (line {link.span.line})" if link.span is not None else "")
        for link in links
    )
    machines = [tables.behaviour.machine, *(table.machine for table in tables.tables.values())]
    several = any(part.each is not None for part in tables.parts.values())
    sure = not unseen and not several and all(map(is_bounded, machines))
    return PropertyResult(
        LINKS_TITLE,
        Verdict.VIOLATED if sure else Verdict.INCONCLUSIVE,
        f"{'not yet' if unseen else 'never'}: {named}",
    )
