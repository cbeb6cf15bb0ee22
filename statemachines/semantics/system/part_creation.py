"""How a part begins that a link creates."""

from __future__ import annotations

from collections.abc import Mapping

from statemachines.model.definitions.snapshots import Snapshot, Value
from statemachines.semantics.machine.initial_snapshots import initial_snapshots
from statemachines.semantics.system.system_tables import SystemTables


def created_snapshot(
    tables: SystemTables, name: str, key: Value, parameters: Mapping[str, Value]
) -> Snapshot:
    """Return where a part begins that is created: its machine has one beginning.

    Args:
        tables: of the system.
        name: of the part.
        key: under which it is created.
        parameters: of the system.

    Returns:
        A snapshot of the part's machine, which no link has seen yet.
    """
    evaluator = tables.behaviour.evaluator
    given = {
        parameter: evaluator(node)("", {}, parameters, {"key": key})
        for parameter, node in tables.parts[name].parameters
    }
    return initial_snapshots(tables.tables[name], **given)[0]
