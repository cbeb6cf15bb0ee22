"""Short questions to the shipped catalogue, for tests that are about one point."""

from __future__ import annotations

from statemachines.model.definitions.machine_definitions import (
    MachineDefinition,
    State,
    Transition,
    state_moves,
)
from statemachines.model.definitions.snapshots import Advanced, Forced, Ignored, Raised, Snapshot
from statemachines.notation import machine_of
from statemachines.semantics.machine.step import step
from tests.catalogue.readings import Reading, readings, spec_of

THREAD, CLIENT, GLOBAL, TASK = (
    "kafka/StreamThread",
    "kafka/KafkaStreams",
    "kafka/GlobalStreamThread",
    "kafka/Task",
)
PARTITION, REPLICA, CONTROLLER = (
    "kafka/PartitionStateMachine",
    "kafka/ReplicaStateMachine",
    "kafka/Controller",
)


def machine(name: str, release: str) -> MachineDefinition:
    """Return a machine in a release."""
    return machine_of(spec_of(name), release)


def state(name: str, release: str, wanted: str) -> State:
    """Return a state of a machine in a release."""
    return next(each for each in machine(name, release).states if each.name == wanted)


def arrows(name: str, release: str, source: str, target: str) -> list[Transition]:
    """Return the transitions between two states in a release."""
    return [
        arrow
        for arrow in machine(name, release).moves
        if (arrow.source, arrow.target) == (source, target)
    ]


def legal(name: str, source: str, target: str) -> str:
    """Return the releases in which something leads from one state to another, as the notation writes them."""
    spec = spec_of(name)
    mask = 0
    for arrow in state_moves(spec.transitions):
        mask |= arrow.releases if (arrow.source, arrow.target) == (source, target) else 0
    return spec.family.ranges(mask)


def answer(name: str, release: str, source: str, target: str) -> str:
    """Return what becomes of a request: `advance`, `ignore`, `force`, `refuse` or the exception's name."""
    given = step(machine(name, release), Snapshot(source), f"to_{target}")
    names = {Advanced: "advance", Ignored: "ignore", Forced: "force"}
    return given.error or "" if isinstance(given, Raised) else names.get(type(given), "refuse")


def reading(message: str, release: str) -> Reading | None:
    """Return the only entry of the catalogue that reads a message in a release; None where none does."""
    found = readings(message, release)
    assert len(found) <= 1, found
    return found[0] if found else None


def said(message: str, release: str) -> str:
    """Return what a message says in a release, such as `step`; empty where nothing reads it."""
    found = reading(message, release)
    return found.says if found else ""
