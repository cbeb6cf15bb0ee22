"""An embedded system takes the steps that exploring finds, and no others.

Covers: statemachines.embed.systems.embedded_systems, statemachines.explore.models.system_model,
statemachines.explore.models.part_moves.
"""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import HealthCheck, given, settings

from statemachines.api.system import System
from statemachines.embed.errors import Declared, NotAllowed
from statemachines.embed.systems.embedded_systems import SystemInstance
from statemachines.explore.models.system_model import build_system_model
from statemachines.explore.scopes import ExplorationScope
from statemachines.model.definitions.system_definitions import SystemDefinition, SystemSnapshot
from statemachines.semantics.system.system_tables import system_tables
from tests.effort import some_of
from tests.exploring_systems import ARGUMENTS, is_full, systems

FEW = settings(
    max_examples=some_of(10),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
MOST = 150
"""Snapshots of one system that are gone through."""


def embedded_steps(one: SystemInstance) -> Iterator[SystemSnapshot]:
    """Yield where each event and each delivery leads that is not refused."""
    for handle in one._handles():
        for event in handle.machine_tables.events:
            for arguments in ARGUMENTS.get(event, ({},)):
                twin = one.copy()
                try:
                    twin.part(handle.name, handle.key).send(event, **arguments)
                except NotAllowed:
                    assert twin.snapshot == one.snapshot
                    continue
                except Declared:
                    pass
                yield twin.snapshot
    for place in one.waiting:
        twin = one.copy()
        answer = twin.deliver(place)
        if not (answer.steps and twin.snapshot == one.snapshot and is_full(answer.steps[0].answer)):
            yield twin.snapshot


def ignores(system: SystemDefinition) -> bool:
    """Whether a part swallows events: an instance takes them and a search does not count them."""
    return any(
        one.does == "ignore"
        for tables in system_tables(system).tables.values()
        for one in tables.machine.otherwise
    )


@given(systems())
@FEW
def test_an_embedded_system_goes_where_exploring_goes(system: SystemDefinition) -> None:
    """From every snapshot that is reached, by every event with all arguments."""
    assert not ignores(system)
    model = build_system_model(system, ExplorationScope())
    seen = dict.fromkeys(model.initial_rows)
    for row in (queue := list(seen)):
        if not model.goes_on_from(row):
            continue
        rows = {after for _, _, after in model.steps(row)}
        one = System(system).instance(model.whole_snapshot(row))
        assert set(embedded_steps(one)) == set(map(model.whole_snapshot, rows))
        for after in rows:
            if after not in seen and len(seen) < MOST:
                seen[after] = None
                queue.append(after)
