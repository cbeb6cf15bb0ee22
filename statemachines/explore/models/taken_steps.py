"""Steps as `step` answers them, of a machine alone and of a system."""

from __future__ import annotations

from collections.abc import Mapping

from statemachines.explore.results.run_traces import TraceStep
from statemachines.model.definitions.snapshots import NamedValues, Value
from statemachines.model.definitions.system_definitions import PendingEvent, SystemSnapshot
from statemachines.semantics.machine.step import unchecked_step
from statemachines.semantics.system.channels import place_of
from statemachines.semantics.system.system_step import apply_part_step, deliver_event
from statemachines.semantics.system.system_tables import SystemTables


def part_step(
    tables: SystemTables,
    now: SystemSnapshot,
    part: tuple[str, Value],
    event: str,
    arguments: NamedValues,
) -> TraceStep:
    """Return what becomes of an event that a part takes by itself; `part`: its name and key."""
    (name, key), held = part, now.parts[part[0]]
    snapshot = held[key] if isinstance(held, Mapping) else held
    assert snapshot is not None
    own = unchecked_step(tables.tables[name], snapshot, event, arguments)
    answer = apply_part_step(tables, now, name, key, event, arguments, own)
    return TraceStep(f"{name}.{event}", arguments, answer, key=key)


def delivery(tables: SystemTables, now: SystemSnapshot, pending: PendingEvent) -> TraceStep:
    """Return what becomes of an event that waits."""
    answer = deliver_event(tables.system, now, pending)
    event, given = tables.delivered_event(pending), now.waiting[place_of(pending)]
    return TraceStep(event, given, answer, key=pending.receiver, delivered_from=pending)
