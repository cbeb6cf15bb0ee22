"""Groups, transactions and the controller: Kafka's own unit tests hold for the specs, and every property has a mutant that breaks it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

import statemachines as sm
from statemachines.explore.exploration import explore
from statemachines.explore.results.property_results import Exploration
from statemachines.model.definitions.data_definitions import PropertyKind
from statemachines.model.evidence.verdicts import Verdict
from statemachines.notation import machine_of
from tests.catalogue.group_scenarios import (
    CONTROLLER,
    COORDINATOR,
    GROUP,
    PRODUCER,
    Scenario,
    outcome,
    scenarios,
)
from tests.catalogue.planting import planted
from tests.shipped import shipped, shipped_machine, shipped_spec

MACHINES = (GROUP, PRODUCER, COORDINATOR, CONTROLLER)
ELSEWHERE = {
    "handleDataChange", "handleDataDeleted", "onBecomingLeaderFails", "processControllerChange", "processExpire", "processReelect",
}  # fmt: skip
"""Operations of the controller that `test_controller_election` calls."""
ALL = tuple(scenarios())
TESTS = tuple(dict.fromkeys((one.machine, one.test) for one in ALL))


@pytest.mark.parametrize(
    ("machine", "test"), TESTS, ids=[f"{machine.split('/')[1]}-{test}" for machine, test in TESTS]
)
def test_the_unit_tests_of_kafka_hold_for_the_spec(machine: str, test: str) -> None:
    """In each release of its rows: an old one, one of the middle, a new one, and where something changed."""
    for one in ALL:
        if (one.machine, one.test) == (machine, test):
            assert (one.release, outcome(shipped_machine(machine, one.release), one)) == (
                one.release,
                one.expected,
            )


def test_every_operation_is_called_by_a_scenario() -> None:
    """One that none calls would be judged by nothing."""
    for name in MACHINES:
        called = {call.split()[0] for one in ALL if one.machine == name for call in one.calls}
        spec = shipped_spec(name)
        offered = {
            each.name
            for release in spec.family.names(spec.releases)
            for each in machine_of(spec, release).events
        }
        assert {event for event in offered if not event.startswith("to_")} - called <= {
            "created",
            *ELSEWHERE,
        }


def test_a_scenario_notices_what_is_wrong() -> None:
    """The words of an outcome tell the state, the result, the error and the predicates apart."""
    machine = shipped_machine(GROUP, "2.5.1")
    given = Scenario(
        GROUP,
        "",
        "2.5.1",
        "Stable",
        ("handleHeartbeat",),
        "Stable = NONE ? canRebalance, not canRebalance",
    )
    assert outcome(machine, given) == "Stable = NONE ? canRebalance, canRebalance"
    wrong = Scenario(GROUP, "", "2.5.1", "Dead", ("to_Stable",), "")
    assert outcome(machine, wrong) == "Dead ! IllegalStateException"


MUTANTS: Sequence[tuple[str, str, str, str, str]] = [
    (GROUP, "membersAgreeFirst", "4.3.1", "{from: CompletingRebalance, to: Stable, by: [SyncGroup]", "{from: [CompletingRebalance, PreparingRebalance], to: Stable, by: [SyncGroup]"),
    (GROUP, "joinsFirst", "4.3.1", '{from: PreparingRebalance, to: CompletingRebalance, in: "1.1.0.."}', '{from: [PreparingRebalance, Stable], to: CompletingRebalance, in: "1.1.0.."}'),
    (GROUP, "leavesByRebalance", "4.3.1", "{from: PreparingRebalance, to: Empty", "{from: [PreparingRebalance, Stable], to: Empty"),
    (GROUP, "emptyIsJoined", "4.3.1", "{event: created, from: Dead, to: Empty, silent: true", "{event: created, from: Empty, to: Stable, silent: true"),
    (GROUP, "deadIsMadeAnew", "4.3.1", "{event: created, from: Dead, to: Empty", "{event: created, from: Dead, to: Stable"),
    (GROUP, "joined", "4.3.1", "event: initNextGeneration\n    from: PreparingRebalance", "event: initNextGeneration\n    from: Stable"),
    (PRODUCER, "fatalIsForEver", "4.3.1", "{event: beginAbort, from: [IN_TRANSACTION, ABORTABLE_ERROR]", "{event: beginAbort, from: [IN_TRANSACTION, ABORTABLE_ERROR, FATAL_ERROR]"),
    (PRODUCER, "errorsAreNotCommitted", "4.3.1", "{event: beginCommit, from: IN_TRANSACTION", "{event: beginCommit, from: [IN_TRANSACTION, ABORTABLE_ERROR]"),
    (PRODUCER, "abortGoesOn", "4.3.1", "event: transitionToAbortableError\n    from: [IN_TRANSACTION, COMMITTING_TRANSACTION, ABORTABLE_ERROR]", "event: transitionToAbortableError\n    from: [IN_TRANSACTION, COMMITTING_TRANSACTION, ABORTABLE_ERROR, ABORTING_TRANSACTION]"),
    (PRODUCER, "commitIsNotUndone", "4.3.1", "{event: beginAbort, from: [IN_TRANSACTION, ABORTABLE_ERROR]", "{event: beginAbort, from: [IN_TRANSACTION, ABORTABLE_ERROR, COMMITTING_TRANSACTION]"),
    (PRODUCER, "endsWhatWasBegun", "2.5.1", "{event: beginCommit, from: IN_TRANSACTION", "{event: beginCommit, from: [IN_TRANSACTION, READY]"),
    (PRODUCER, "abortsWhatWasBegun", "2.5.1", "{event: beginAbort, from: [IN_TRANSACTION, ABORTABLE_ERROR]", "{event: beginAbort, from: [IN_TRANSACTION, ABORTABLE_ERROR, READY]"),
    (PRODUCER, "beginsWhenReady", "4.3.1", "{event: beginTransaction, from: READY", "{event: beginTransaction, from: [READY, UNINITIALIZED]"),
    (PRODUCER, "openIsEnded", "4.3.1", "from: [INITIALIZING, COMMITTING_TRANSACTION, ABORTING_TRANSACTION]\n    to: READY", "from: [INITIALIZING, IN_TRANSACTION, COMMITTING_TRANSACTION, ABORTING_TRANSACTION]\n    to: READY"),
    (PRODUCER, "readyHasId", "4.3.1", "from: [INITIALIZING, COMMITTING_TRANSACTION, ABORTING_TRANSACTION]\n    to: READY", "from: [INITIALIZING, UNINITIALIZED, COMMITTING_TRANSACTION, ABORTING_TRANSACTION]\n    to: READY"),
    (PRODUCER, "raisesAfterItsEnd", "2.5.1", "{event: initializeTransactions, from: UNINITIALIZED", "{event: initializeTransactions, from: [UNINITIALIZED, READY]"),
    (PRODUCER, "preparedIsDecided", "4.3.1", "event: transitionToAbortableError\n    from: [IN_TRANSACTION, COMMITTING_TRANSACTION, ABORTABLE_ERROR]", "event: transitionToAbortableError\n    from: [IN_TRANSACTION, COMMITTING_TRANSACTION, ABORTABLE_ERROR, PREPARED_TRANSACTION]"),
    (PRODUCER, "initialised", "4.3.1", "from: [INITIALIZING, COMMITTING_TRANSACTION, ABORTING_TRANSACTION]\n    to: READY", "from: [COMMITTING_TRANSACTION, ABORTING_TRANSACTION]\n    to: READY"),
    (PRODUCER, "ended", "4.3.1", "from: [INITIALIZING, COMMITTING_TRANSACTION, ABORTING_TRANSACTION]\n    to: READY", "from: [INITIALIZING, ABORTING_TRANSACTION]\n    to: READY"),
    (COORDINATOR, "committedStaysDecided", "4.3.1", "{from: PrepareAbort, to: CompleteAbort", "{from: [PrepareAbort, PrepareCommit], to: CompleteAbort"),
    (COORDINATOR, "abortedStaysDecided", "3.9.2", "{from: PrepareCommit, to: CompleteCommit", "{from: [PrepareAbort, PrepareCommit], to: CompleteCommit"),
    (COORDINATOR, "completeWasDecided", "4.3.1", "{from: PrepareAbort, to: CompleteAbort", "{from: [PrepareAbort, Ongoing], to: CompleteAbort"),
    (COORDINATOR, "openIsDecided", "4.3.1", "event: handleInitProducerId\n    from: Ongoing\n    to: PrepareAbort", "event: handleInitProducerId\n    from: Ongoing\n    to: Empty"),
    (COORDINATOR, "commitsWhatWasBegun", "4.3.1", "{from: Ongoing, to: PrepareCommit", "{from: [Ongoing, Empty], to: PrepareCommit"),
    (COORDINATOR, "abortsWhatWasBegun", "3.9.2", "{event: abortTimedOutTransactions, from: Ongoing", "{event: abortTimedOutTransactions, from: [Ongoing, Empty]"),
    (COORDINATOR, "onlyTheUnusedExpires", "4.3.1", "to: Dead\n    taken: false", "to: Dead"),
    (COORDINATOR, "commitEnds", "4.3.1", "{from: PrepareCommit, to: CompleteCommit", "{from: Ongoing, to: CompleteCommit"),
    (COORDINATOR, "abortEnds", "4.3.1", "{from: PrepareAbort, to: CompleteAbort", "{from: Ongoing, to: CompleteAbort"),
    (COORDINATOR, "doesNotHang", "4.3.1", "{event: abortTimedOutTransactions, from: Ongoing, to: PrepareAbort}", "{event: abortTimedOutTransactions, from: Ongoing, to: Ongoing}"),
    (CONTROLLER, "racesOnlyAlive", "3.9.2", "{event: elect, from: Resigned, to: Elected}", "{event: elect, from: [Resigned, Gone], to: Elected}"),
    (CONTROLLER, "onlyControllersAreMissed", "3.9.2", "{from: Elected, to: Gone", "{from: [Elected, Resigned], to: Gone"),
    (CONTROLLER, "resigns", "3.9.2", '{from: Elected, to: Resigned, by: [onControllerResignation], in: "0.9.0.0.."}', '{from: Elected, to: Elected, by: [onControllerResignation], in: "0.9.0.0.."}'),
    (CONTROLLER, "comesBack", "3.9.2", "{from: Gone, to: Resigned, silent: true", "{from: Gone, to: Gone, silent: true"),
]  # fmt: skip
"""A machine; a property; the release that shows it; a text of the spec, and what stands there in the mutant."""


@pytest.mark.parametrize(
    ("name", "claim", "release", "text", "instead"),
    MUTANTS,
    ids=[f"{row[0].split('/')[1]}-{row[1]}" for row in MUTANTS],
)
def test_a_mistake_in_the_spec_breaks_the_property(
    name: str, claim: str, release: str, text: str, instead: str, tmp_path: Path
) -> None:
    """A property that no mistake breaks says nothing; as it stands, it holds."""
    file = tmp_path / f"{name.split('/')[-1]}.yaml"
    file.write_text(planted(name, text, instead), "utf-8")
    assert verdicts(explore(sm.load(file).at(release).value), claim) == [Verdict.VIOLATED]
    assert verdicts(as_it_stands(name, release), claim) == [Verdict.HOLDS]


def verdicts(found: Exploration, claim: str) -> list[Verdict]:
    """Return what exploring says of a property."""
    return [one.verdict for one in found.examined if one.name.endswith(f" {claim}")]


@cache
def as_it_stands(name: str, release: str) -> Exploration:
    """Explore a machine of the catalogue, once."""
    return explore(shipped(name).at(release).value)


@pytest.mark.parametrize("name", MACHINES)
def test_every_property_has_a_mutant(name: str) -> None:
    """One that is added needs one too."""
    spec = shipped(name)
    claims = {
        PropertyKind.ALWAYS,
        PropertyKind.EACH_STEP,
        PropertyKind.LEADS_TO,
        PropertyKind.SOMETIMES,
    }
    claimed = {
        one.name
        for release in spec.releases
        for one in spec.at(release).value.data.properties
        if one.kind in claims
    }
    assert claimed == {row[1] for row in MUTANTS if row[0] == name}
