"""Which instances of a log belong to one instance of a system, whatever the order of its parts in the file.

Covers: statemachines.conform.systems.system_instances.
"""

from __future__ import annotations

from attrs import evolve

from statemachines.conform.interchange.instance_steps import ListedSteps
from statemachines.conform.systems.observed_steps import ObservedInstances
from statemachines.conform.systems.system_account import is_judgeable
from statemachines.conform.systems.system_instances import group_instances
from statemachines.model.evidence.reports import InstanceKey, Instant, Place, TimelineStep
from statemachines.notation import system_of
from tests.shipped import shipped_system

SYSTEM = system_of(shipped_system("kafka/StreamsApplication"), "3.9.1")


def rows(machine: str, *names: str) -> dict[tuple[str, InstanceKey], list[TimelineStep]]:
    """A step of each instance of a machine."""
    keys: list[InstanceKey] = [(("name", name),) for name in names]
    return {
        (machine, key): [
            TimelineStep(machine, key, "a.log", 1, Instant(1), "A", "B", "told", Place("a.log", 1))
        ]
        for key in keys
    }


def test_the_one_that_there_is_exactly_once_comes_first_wherever_its_file_names_it() -> None:
    """Restarts are told by it: a part in its place would be taken for the whole."""
    told = rows("kafka/StreamThread", "app-1-t1", "app-2-t1") | rows(
        "kafka/KafkaStreams", "app-1", "app-2"
    )
    for parts in (SYSTEM.parts, SYSTEM.parts[::-1]):
        groups = group_instances(
            evolve(SYSTEM, parts=parts),
            ObservedInstances({who: [ListedSteps(steps)] for who, steps in told.items()}),
        )
        assert [[life.part for life in lives] for lives in groups] == [["client", "threads"]] * 2
        assert [lives[1].key for lives in groups] == ["app-1-t1", "app-2-t1"]


def test_two_parts_of_one_machine_cannot_be_told_apart() -> None:
    """A log names machines, not parts."""
    assert is_judgeable(SYSTEM.parts)
    threads = next(part for part in SYSTEM.parts if part.name == "threads")
    assert not is_judgeable((*SYSTEM.parts, evolve(threads, name="others")))
