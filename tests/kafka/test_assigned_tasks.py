"""Kafka's own registries of tasks, with stubbed tasks in them, do what `kafka/AssignedTasks` does: every call, every exception."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from statemachines.testing import from_machine
from statemachines.testing.runs.paired_runs import PairedRun
from tests.kafka.judged import spec

if TYPE_CHECKING:
    from tests.kafka.jvm import Jvm
    from tests.kafka.shapes import Shape

pytestmark = pytest.mark.kafka
RELEASES = [
    "1.0.0",
    "1.0.1",
    "1.0.2",
    "1.1.0",
    "1.1.1",
    "2.0.0",
    "2.0.1",
    "2.1.0",
    "2.1.1",
    "2.2.0",
    "2.2.1",
    "2.2.2",
    "2.3.0",
    "2.3.1",
    "2.4.0",
    "2.4.1",
    "2.5.0",
    "2.5.1",
]
OFTEN = {
    "addNewTask": 5,
    "initializeNewTasks": 4,
    "updateRestored": 2,
    "suspend": 2,
    "suspendOrCloseTasks": 2,
    "maybeResumeSuspendedTask": 3,
}
SELDOM = ("clear", "close", "shutdown", "closeAllTasksAsZombies", "closeTask")
"""They empty everything."""
PATIENT = settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
PARTITIONS = ("p1", "p2", "p3", "p4")


@pytest.fixture(scope="module")
def shapes(jvm: Jvm) -> dict[tuple[str, str], Shape]:
    """The two kinds of registries, in each release that was asked for."""
    return {}


@st.composite
def lives(draw: st.DrawFn) -> dict[str, Any]:
    """Parameters of a life: two or three tasks with input partitions, changelogs, or what is both."""
    tasks = ("t1", "t2", "t3")[: draw(st.integers(2, 3))]
    owned = draw(st.lists(st.sampled_from(tasks), min_size=2, max_size=4))
    parts = frozenset(PARTITIONS[: len(owned)])
    return {
        "kind": draw(st.sampled_from(["stream", "stream", "standby"])),
        "tasks": frozenset(tasks),
        "taskOf": dict(zip(PARTITIONS, owned, strict=False)),
        "inputs": draw(st.frozensets(st.sampled_from(sorted(parts)))) | {"p1"},
        "changelogs": draw(st.frozensets(st.sampled_from(sorted(parts)))),
        "anyCaller": draw(st.sampled_from([False, False, True])),
        "hasStateStores": draw(st.frozensets(st.sampled_from(tasks))),
    }


def shape_of(jvm: Jvm, shapes: dict[tuple[str, str], Shape], release: str, kind: str) -> Shape:
    """Look at a release's registries once."""
    from tests.kafka.shapes import Shape
    from tests.kafka.stubs import Stubs

    if (release, kind) not in shapes:
        shapes[release, kind] = Shape.of(jvm.release(release), Stubs.of(jvm.release(release)), kind)
    return shapes[release, kind]


def side_by_side(jvm: Jvm, shapes: dict[tuple[str, str], Shape], release: str, told: str) -> Any:
    """Put Kafka's registries of a release beside the spec of one, usually the same."""
    from tests.kafka.registries import Registries

    return from_machine(
        spec("AssignedTasks").at(told),
        lambda **parameters: Registries(
            shape_of(jvm, shapes, release, parameters["kind"]), parameters
        ),
        call=lambda subject, event, arguments: subject.perform(event, arguments),
        planned=False,
        sizes={"Task": 2, "Partition": 3},
    )


def walk(test: Any, parameters: dict[str, Any], random: Any, steps: int) -> None:
    """Let random events happen to both; raises an AssertionError with the program where they differ."""
    run, tables = PairedRun(test.side), test.side.finder.tables
    known = {parameter.name for parameter in tables.machine.data.parameters}
    events = [
        event
        for event in tables.events
        for _ in range(OFTEN.get(event, 1))
        if event not in SELDOM or random.random() < 0.3
    ]
    run.begin({name: value for name, value in parameters.items() if name in known})
    for _ in range(steps):
        attempt = test.side.finder.sample_attempt(
            run.current_snapshot, random.choice(events), random
        )
        if attempt is not None:
            run.perform(attempt)
    run.close()


@pytest.mark.parametrize("release", RELEASES)
def test_the_registries_and_the_spec_do_the_same(
    jvm: Jvm, shapes: dict[tuple[str, str], Shape], release: str
) -> None:
    """After each call: what it returned or threw, and who is in which registry."""
    test = side_by_side(jvm, shapes, release, release)

    @PATIENT
    @given(lives(), st.randoms(use_true_random=False))
    def same(parameters: dict[str, Any], random: Any) -> None:
        walk(test, parameters, random, 40)

    same()


@pytest.mark.parametrize(("real", "told"), [("2.2.1", "2.1.1"), ("2.4.0", "2.3.1")])
def test_another_release_is_noticed(
    jvm: Jvm, shapes: dict[tuple[str, str], Shape], real: str, told: str
) -> None:
    """Planted: the spec of another release."""
    test = side_by_side(jvm, shapes, real, told)

    @settings(PATIENT, phases=[Phase.generate])
    @given(lives(), st.randoms(use_true_random=False))
    def same(parameters: dict[str, Any], random: Any) -> None:
        walk(test, parameters, random, 40)

    with pytest.raises(AssertionError, match=r"The program that shows it"):
        same()
