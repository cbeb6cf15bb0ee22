"""Kafka's own unit tests of the task registries, as scenarios: calls, and what must come of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from statemachines.model.definitions.snapshots import Raised
from tests.catalogue.assigned_tasks import RELEASES, Registries, told

TESTS = "AssignedStreamsTasksTest"
MIGRATED, RUNTIME = "TaskMigratedException", "RuntimeException"
Calls = Callable[[Registries], None]
SCENARIOS: dict[tuple[str, str], tuple[str, str, Calls]] = {}
"""Kafka's test and the release in which the facts tell of it, to the first and last release in which it holds, and its calls."""


def scenario(name: str, of: str, since: str, until: str) -> Callable[[Calls], Calls]:
    """Register the calls of a unit test of Kafka."""

    def register(calls: Calls) -> Calls:
        SCENARIOS[name, of] = (since, until, calls)
        return calls

    return register


@scenario("shouldMoveInitializedTasksNeedingRestoreToRestoring", "2.3.1", "1.0.0", "2.5.1")
def needing_restore(registries: Registries) -> None:
    registries.given("created", "t1", "t2")
    registries.initialize({"t1": "needsRestore", "t2": "ready"})
    assert (registries["restoring"], registries["running"], registries["created"]) == (
        {"t1"},
        {"t2"},
        set(),
    )


@scenario("shouldMoveInitializedTasksThatDontNeedRestoringToRunning", "2.3.1", "1.0.0", "2.5.1")
def needing_none(registries: Registries) -> None:
    registries.given("created", "t2")
    registries.initialize({"t2": "ready"})
    assert registries["running"] == {"t2"}
    assert set(registries["runningByPartition"]) == {"in-2", "changelog-2"}


@scenario("shouldCloseTaskOnSuspendWhenRuntimeException", "2.3.1", "1.0.0", "2.3.1")
def failing_suspension(registries: Registries) -> None:
    registries.given("running", "t1")
    answer = registries.suspend(t1="threw")
    assert answer.error is None
    assert told(answer, "value") == RUNTIME
    assert (registries["closed"], registries["running"], registries["previousActiveTasks"]) == (
        {"t1"},
        set(),
        {"t1"},
    )


@scenario("shouldCommitRunningTasks", "2.3.1", "2.1.0", "2.5.1")
def committing(registries: Registries) -> None:
    registries.given("running", "t1")
    assert registries.commit(t1="ok").returned == 1
    assert registries["running"] == {"t1"}


@scenario("shouldCloseTaskOnProcessesIfTaskMigratedException", "2.3.1", "1.0.0", "2.3.1")
def migrated_while_processing(registries: Registries) -> None:
    registries.given("running", "t1")
    assert registries.work("process", t1="migrated").error == MIGRATED
    assert (registries["running"], registries["closed"]) == (set(), {"t1"})


@scenario("shouldAlwaysProcessProcessableTasks", "2.3.1", "1.0.0", "2.5.1")
def processing(registries: Registries) -> None:
    registries.given("running", "t1")
    assert registries.work("process", t1="one").returned == 1


@scenario(
    "shouldCloseTaskOnMaybePunctuateStreamTimeIfTaskMigratedException", "2.3.1", "1.0.0", "2.3.1"
)
def migrated_while_punctuating(registries: Registries) -> None:
    registries.given("running", "t1")
    assert registries.work("punctuate", t1="migrated").error == MIGRATED
    assert (registries["running"], registries["closed"]) == (set(), {"t1"})


@scenario("shouldCloseTaskOnSuspendWhenRuntimeException", "2.5.1", "2.4.0", "2.5.1")
def failing_suspension_forgets(registries: Registries) -> None:
    registries.given("running", "t1")
    answer = registries.suspend(t1="threw")
    assert told(answer, "value") == RUNTIME
    assert (registries["closed"], registries["running"], registries["suspended"]) == (
        {"t1"},
        set(),
        set(),
    )
    assert registries["prevActiveTasks"] == set()


@scenario(
    "shouldNotCloseTaskWithinResumeSuspendedIfTaskMigratedException", "2.5.1", "2.4.0", "2.5.1"
)
def migrated_while_resuming(registries: Registries) -> None:
    registries.given("suspended", "t1")
    assert registries.resume("t1", "migrated").error == MIGRATED
    assert (registries["closed"], registries["running"], registries["suspended"]) == (
        set(),
        {"t1"},
        set(),
    )


@scenario("shouldNotCloseTaskWithinProcessIfTaskMigratedException", "2.5.1", "2.4.0", "2.5.1")
def migrated_while_processing_stays(registries: Registries) -> None:
    registries.given("running", "t1")
    assert registries.work("process", t1="migrated").error == MIGRATED
    assert (registries["closed"], registries["running"]) == (set(), {"t1"})


@scenario("shouldClearZombieRestoringTasks", "2.5.1", "2.4.0", "2.5.1")
def restoring_zombies(registries: Registries) -> None:
    zombies(registries.given("restoring", "t1"))


@scenario("shouldClearZombieRunningTasks", "2.5.1", "2.4.0", "2.5.1")
def running_zombies(registries: Registries) -> None:
    zombies(registries.given("running", "t1"))


@scenario("shouldClearZombieSuspendedTasks", "2.5.1", "2.4.0", "2.5.1")
def suspended_zombies(registries: Registries) -> None:
    registries.given("running", "t1")
    assert told(registries.suspend("t1"), "revokedTaskChangelogs") == {"changelog-1"}
    zombies(registries)


def zombies(registries: Registries) -> None:
    """Close everything as zombies."""
    answer = registries.call("closeAllTasksAsZombies", closeThrows=set())
    assert answer.returned == {"value": None, "closedAsZombie": frozenset({"t1"})}
    assert all(
        registries[name] == set()
        for name in (
            "created",
            "restoring",
            "running",
            "suspended",
            "restoredPartitions",
            "prevActiveTasks",
        )
    )
    assert registries["runningByPartition"] == registries["restoringByPartition"] == {}


# What the same class tests beside the scenarios of the facts


@scenario("shouldTransitionFullyRestoredTasksToRunning", "", "1.0.0", "2.5.1")
def restored(registries: Registries) -> None:
    registries.given("restoring", "t1", "t2")
    registries.call(
        "updateRestored",
        restored={"changelog-1"},
        topology={"t1": "ok", "t2": "ok"},
        reached={"t1"},
    )
    assert (
        registries["running"],
        registries["restoring"],
        registries["restoredPartitions"] - {"changelog-1"},
    ) == ({"t1"}, {"t2"}, set())
    registries.call(
        "updateRestored", restored={"changelog-2"}, topology={"t2": "ok"}, reached={"t2"}
    )
    assert (registries["running"], registries["restoring"], registries["restoredPartitions"]) == (
        {"t1", "t2"},
        set(),
        set(),
    )
    assert (registries["restoringByPartition"] == {}) == (registries.release >= "2.4")


@scenario("shouldNotRestoreByAnEmptyCall", "", "1.0.0", "2.5.1")
def an_empty_call_completes_nothing(registries: Registries) -> None:
    registries.given("restoring", "t3")
    registries.call("updateRestored", restored=set(), topology={"t3": "ok"}, reached=set())
    assert registries["restoring"] == {"t3"}
    registries.call(
        "updateRestored", restored={"changelog-1"}, topology={"t3": "ok"}, reached={"t3"}
    )
    assert registries["running"] == {"t3"}


@scenario("shouldSuspendRunningTasks", "", "1.0.0", "2.5.1")
def suspending(registries: Registries) -> None:
    registries.given("running", "t1")
    answer = registries.suspend("t1")
    assert told(answer, "value") is None
    memory = "previousActiveTasks" if registries.release < "2.4" else "prevActiveTasks"
    assert (
        registries["suspended"],
        registries["running"],
        registries[memory],
        registries["runningByPartition"],
    ) == (
        {"t1"},
        set(),
        {"t1"},
        {},
    )


@scenario("shouldCloseUnInitializedTasksOnSuspend", "", "1.0.0", "2.5.1")
def created_ones_are_closed(registries: Registries) -> None:
    registries.given("created", "t1").suspend("t1")
    assert (registries["created"], registries["closed"], registries["suspended"]) == (
        set(),
        {"t1"},
        set(),
    )


@scenario("shouldNotSuspendSuspendedTasks", "", "1.0.0", "2.5.1")
def a_second_suspension(registries: Registries) -> None:
    registries.given("suspended", "t1").suspend("t1")
    memory = "previousActiveTasks" if registries.release < "2.4" else "prevActiveTasks"
    assert (registries["suspended"], registries[memory]) == ({"t1"}, set())


@scenario("shouldCloseTaskOnSuspendIfTaskMigratedException", "", "1.0.0", "2.5.1")
def migrated_while_suspending(registries: Registries) -> None:
    registries.given("running", "t1", "t2")
    answer = registries.suspend("t2", t1="migrated")
    assert told(answer, "value") is None
    assert told(answer, "closedAsZombie") == {"t1"}
    memory = "previousActiveTasks" if registries.release < "2.4" else "prevActiveTasks"
    assert (registries["suspended"], registries[memory], registries["closed"]) == (
        {"t2"},
        {"t2"},
        {"t1"},
    )


@scenario("shouldResumeMatchingSuspendedTasks", "", "1.0.0", "2.5.1")
def resuming(registries: Registries) -> None:
    registries.given("suspended", "t1")
    assert registries.resume("t1").returned is True
    assert (registries["running"], registries["suspended"]) == ({"t1"}, set())
    assert registries.resume("t1").returned is False


@scenario("shouldNotResumeWithOtherPartitions", "", "1.0.0", "2.5.1")
def other_partitions(registries: Registries) -> None:
    registries.given("suspended", "t1")
    assert registries.resume("t1", partitions={"in-1", "in-2"}).returned is False
    stays = {"t1"} if registries.release < "2.4" else set()
    assert (registries["suspended"], registries["closed"]) == (stays, {"t1"} - stays)


@scenario("shouldCloseTaskOnResumeSuspendedIfTaskMigratedException", "", "1.0.2", "2.3.1")
def closed_while_resuming(registries: Registries) -> None:
    registries.given("suspended", "t1")
    assert registries.resume("t1", "migrated").error == MIGRATED
    assert (registries["running"], registries["suspended"], registries["closed"]) == (
        set(),
        set(),
        {"t1"},
    )


@scenario("shouldCloseTaskOnCommitIfTaskMigratedException", "", "1.0.0", "2.3.1")
def closed_while_committing(registries: Registries) -> None:
    registries.given("running", "t1")
    assert registries.commit(t1="migrated").error == MIGRATED
    assert (registries["running"], registries["closed"], set(registries["runningByPartition"])) == (
        set(),
        {"t1"},
        {"in-1", "changelog-1"},
    )
    assert registries.call("runningTaskFor", partition="in-1").returned == "t1"


@scenario("shouldNotCloseTaskWithinCommitIfTaskMigratedException", "", "2.4.0", "2.5.1")
def kept_while_committing(registries: Registries) -> None:
    registries.given("running", "t1")
    assert registries.commit(t1="migrated").error == MIGRATED
    assert (registries["running"], registries["closed"]) == ({"t1"}, set())


@scenario("shouldThrowExceptionOnCommitWhenNotCommitFailedOrProducerFenced", "", "1.0.0", "2.5.1")
def any_other_exception_of_a_commit(registries: Registries) -> None:
    registries.given("running", "t1")
    assert registries.commit(t1="threw").error == RUNTIME
    assert registries["running"] == {"t1"}


@scenario("shouldCommitRunningTasksIfNeeded", "", "2.1.0", "2.5.1")
def committing_as_asked(registries: Registries) -> None:
    registries.given("running", "t1", "t2")
    assert registries.commit("maybeCommitPerUserRequested", t1="ok").returned == 1


@scenario("shouldCloseTaskOnMaybeCommitIfTaskMigratedException", "", "2.1.0", "2.3.1")
def closed_while_committing_as_asked(registries: Registries) -> None:
    registries.given("running", "t1")
    assert registries.commit("maybeCommitPerUserRequested", t1="migrated").error == MIGRATED
    assert (registries["running"], registries["closed"]) == (set(), {"t1"})


@scenario("shouldReturnNumberOfPunctuations", "", "1.0.0", "2.5.1")
def punctuating(registries: Registries) -> None:
    registries.given("running", "t1")
    assert registries.work("punctuate", t1="two").returned == 2


@scenario("shouldCloseCleanlyWithSuspendedTaskAndEOS", "", "2.2.2", "2.2.2")
def closing_suspended_ones(registries: Registries) -> None:
    registries.given("suspended", "t1")
    answer = registries.call("close", clean=True, outcome={"t1": "ok"})
    assert told(answer, "closedSuspended") == {"t1"}


@scenario("shouldCloseUncleanAndThenRethrowOnShutdownIfRuntimeException", "", "2.4.0", "2.5.1")
def a_failing_shutdown_is_thrown(registries: Registries) -> None:
    registries.given("running", "t1", "t2")
    assert (
        registries.call("shutdown", clean=True, outcome={"t1": "threw", "t2": "ok"}).error
        == RUNTIME
    )
    assert (registries["running"], registries["closed"]) == (set(), {"t1", "t2"})


@scenario("shouldCloseWithoutExceptionOnShutdownIfTaskMigratedException", "", "2.4.0", "2.5.1")
def a_migrated_task_is_no_failure_of_a_shutdown(registries: Registries) -> None:
    registries.given("running", "t1")
    assert (
        registries.call("shutdown", clean=True, outcome={"t1": "migratedZombieCloseThrew"}).error
        is None
    )
    assert registries["running"] == set()


@scenario("shouldTryAgainUncleanInClose", "", "1.1.0", "2.3.1")
def a_clean_close_is_tried_again(registries: Registries) -> None:
    registries.given("running", "t1")
    assert registries.call("close", clean=True, outcome={"t1": "threw"}).error is None
    for clean, outcome in (
        (True, "threwTwice"),
        (False, "threw"),
        (True, "migratedZombieCloseThrew"),
    ):
        assert (
            Registries(registries.release)
            .given("running", "t1")
            .call("close", clean=clean, outcome={"t1": outcome})
            .error
            == RUNTIME
        )


def runs() -> list[tuple[str, str, str]]:
    """Return every scenario with each release in which it holds."""
    return [
        (*key, release)
        for key, (since, until, _) in SCENARIOS.items()
        for release in RELEASES
        if since <= release <= until
    ]


@pytest.mark.parametrize(("name", "of", "release"), runs())
def test_a_scenario_of_kafkas_unit_tests_comes_out_as_there(
    name: str, of: str, release: str
) -> None:
    """Nothing but the spec is asked."""
    SCENARIOS[name, of][2](Registries(release))


def test_every_scenario_of_the_facts_is_here(shared: Path) -> None:
    """All of those of this class, each in the release in which the facts tell of it; none is left out."""
    facts = json.loads((shared / "facts" / "kafka_streams_facts.json").read_text("utf-8"))
    there = {
        (one["test"], one["release"])
        for one in facts["unit_test_scenarios"]
        if one["class"] == TESTS
    }
    assert len(there) == 13
    assert there <= set(SCENARIOS)
    assert all(SCENARIOS[key][0] <= key[1] <= SCENARIOS[key][1] for key in there)


def test_a_topology_that_throws_leaves_a_task_in_two_registries() -> None:
    """transitionToRunning registers first; the task is in `running` and where it came from."""
    for release in RELEASES[1:]:
        registries = Registries(release).given("created", "t1")
        assert isinstance(registries.initialize({"t1": "topologyThrew"}), Raised)
        assert (registries["created"], registries["running"], registries["runningByPartition"]) == (
            {"t1"},
            {"t1"},
            {},
        )


def test_a_locked_directory_is_tried_again() -> None:
    """Nothing changes, and the next call takes the task on."""
    for release in RELEASES:
        registries = Registries(release, "standby").given("created", "t1")
        before = registries.now
        assert registries.initialize({"t1": "locked"}).after == before
        assert registries.initialize({"t1": "ready"}).error is None
        assert registries["running"] == {"t1"}


def test_a_resume_that_throws_loses_the_task() -> None:
    """It left `suspended`, is in no other registry, and nobody closes it: read in maybeResumeSuspendedTask, where only the topology is tried."""
    for release in ("1.0.2", "2.2.0", "2.3.1", "2.4.0", "2.5.1"):
        registries = Registries(release).given("suspended", "t1")
        assert registries.resume("t1", "resumeThrew").error == RUNTIME
        assert registries.call("allAssignedTaskIds").returned == frozenset()
        assert registries["closed"] == set()


def test_close_of_old_releases_forgets_the_restoring_tasks() -> None:
    """Up to 2.1.1 they are closed and still registered."""
    for release in RELEASES:
        registries = Registries(release).given("restoring", "t1")
        registries.call(
            "close" if release < "2.4" else "shutdown", clean=True, outcome={"t1": "ok"}
        )
        assert registries["closed"] == {"t1"}
        assert registries["restoring"] == ({"t1"} if release < "2.2" else set())


def test_commit_goes_on_after_a_zombie_in_old_releases_only() -> None:
    """1.x closes all of them and throws one exception at the end; 2.0 to 2.3.1 stop at the first."""
    for release in ("1.0.2", "1.1.1"):
        registries = Registries(release).given("running", "t1", "t2")
        assert registries.commit(t1="migrated", t2="migrated").error == MIGRATED
        assert registries["closed"] == {"t1", "t2"}
    registries = Registries("2.3.1").given("running", "t1", "t2")
    assert registries.commit(t1="migrated", t2="migrated").error == MIGRATED
    assert registries["closed"] == {"t1"}


def test_a_zombie_whose_close_throws_stays_in_running() -> None:
    """1.1.0 to 2.3.1: the exception leaves before the task is removed; 1.0 swallows it."""
    for release in ("1.1.1", "2.0.0", "2.3.1"):
        registries = Registries(release).given("running", "t1")
        assert registries.commit(t1="migratedZombieCloseThrew").error == RUNTIME
        assert (registries["running"], registries["closed"]) == ({"t1"}, {"t1"})
    registries = Registries("1.0.2").given("running", "t1")
    assert registries.commit(t1="migratedZombieCloseThrew").error == MIGRATED
    assert registries["running"] == set()
