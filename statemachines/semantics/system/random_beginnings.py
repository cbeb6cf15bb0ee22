"""A beginning of a system, drawn at random."""

from __future__ import annotations

from random import Random

from statemachines.model.definitions.snapshots import NamedValues, Snapshot, Value
from statemachines.model.definitions.system_definitions import SystemPart, SystemSnapshot
from statemachines.model.language.value_types import IdType
from statemachines.semantics.arguments.value_sampling import sample_parameters
from statemachines.semantics.machine.value_enumeration import DomainSizes
from statemachines.semantics.messages.argument_errors import ArgumentsError
from statemachines.semantics.system.system_initial_snapshots import initial_system_snapshot
from statemachines.semantics.system.system_tables import SystemTables

_MOST_TRIES = 200
"""How many beginnings are drawn where `initially` says which ones are right."""


def random_initial_snapshot(
    tables: SystemTables, extent: DomainSizes, random: Random, given: NamedValues
) -> SystemSnapshot:
    """Draw a beginning: parameters, beginnings of the parts, which optional ones are there.

    Args:
        tables: of the system.
        extent: how many values types have.
        random: what draws.
        given: parameters by name; the others are drawn.

    Returns:
        A snapshot in which nothing waits but what links send at the beginning.

    Raises:
        ArgumentsError: none fits what is given.
    """
    keys = {
        part.name: extent.id_values(part.each)
        for part in tables.parts.values()
        if isinstance(part.each, IdType)
    }
    optional = [part.name for part in tables.parts.values() if part.optional]
    last = ArgumentsError(f"no beginning of {tables.title} was found")

    def choose(part: SystemPart, key: Value, snapshots: tuple[Snapshot, ...]) -> Snapshot:
        return random.choice(snapshots)

    for _ in range(_MOST_TRIES):
        sampled = sample_parameters(tables.behaviour, extent, random, given)
        absent = [name for name in optional if random.random() < 0.5]
        try:
            return initial_system_snapshot(
                tables.system, keys=keys, absent=absent, choose=choose, parameters=sampled
            )
        except ArgumentsError as wrong:
            last = wrong
    raise last
