"""Every property of a task and of a thread's inside is broken by some mistake in its spec: a text that is edited, and a walk that notices."""

from __future__ import annotations

from pathlib import Path

import pytest

import statemachines as sm
from statemachines.explore.exploration import explore
from statemachines.model.definitions.data_definitions import PropertyKind
from statemachines.model.evidence.verdicts import Verdict
from tests.catalogue.planting import planted
from tests.shipped import shipped

TASK, LOOP = "kafka/Task", "kafka/StreamThreadLoop"
MUTANTS = [
    (TASK, "standbyNeverAsks", "3.5.2", "guard: \"kind == 'active'\"\n    effect: {commitRequested", "effect: {commitRequested"),
    (TASK, "pendingOnlyWithTransactions", "3.5.2", "hasPendingTxCommit or (pendingUncommittedData and eosEnabled)", "hasPendingTxCommit or pendingUncommittedData"),
    (TASK, "pendingIsNeeded", "3.5.2", 'commitRequested: "False"\n          hasPendingTxCommit: "False"\n        returns: {checkpoint: writes}', 'commitRequested: "False"\n        returns: {checkpoint: writes}'),
    (TASK, "closedOnlyWhenSuspended", "3.5.2", "  - event: closeDirty\n    from: SUSPENDED\n", "  - event: closeDirty\n    from: [RUNNING, SUSPENDED]\n"),
    (TASK, "runsOnlyOnceRestored", "3.5.2", "  - event: completeRestoration\n    from: RESTORING\n", "  - event: completeRestoration\n    from: [CREATED, RESTORING]\n"),
    (TASK, "createdOnlyOnceRevived", "3.5.2", "event: revive\n    from: CLOSED", "event: revive\n    from: [CLOSED, SUSPENDED]"),
    (TASK, "restoresOnlyFromTheStart", "3.5.2", "  - event: resume\n    from: SUSPENDED\n", "  - event: resume\n    from: [RUNNING, SUSPENDED]\n"),
    (LOOP, "atLeastOne", "2.3.1", "numIterations // 2 if numIterations > 1 else numIterations", "numIterations // 2"),
    (LOOP, "limitedOrNot", "2.0.1", "max(1, commitTime * totalProcessed // processLatency)", "commitTime * totalProcessed // processLatency"),
    (LOOP, "deadStaysDead", "2.3.1", "{when: \"state == 'DEAD'\", returns: {taskManagerShutdown", "{when: \"state == 'DEAD'\", to: PENDING_SHUTDOWN, returns: {taskManagerShutdown"),
]  # fmt: skip
"""A machine; a property; the release that shows it; a text of the spec, and what stands there in the mutant."""


def spoiled(name: str, text: str, instead: str, folder: Path) -> sm.Spec:
    """Return a spec of the catalogue with one text changed."""
    file = folder / f"{name.split('/')[-1]}.yaml"
    file.write_text(planted(name, text, instead), "utf-8")
    return sm.load(file)


def broken(machine: sm.Machine, name: str) -> bool:
    """Say whether some walk breaks a property."""
    walks = (machine.simulate(seed=seed, steps=200) for seed in range(30))
    return any(
        one.property.name == name and one.verdict is Verdict.VIOLATED
        for walk in walks
        for one in walk.noticed
    )


@pytest.mark.parametrize(
    ("machine", "name", "release", "text", "instead"), MUTANTS, ids=[row[1] for row in MUTANTS]
)
def test_a_mistake_in_the_spec_breaks_the_property(
    machine: str, name: str, release: str, text: str, instead: str, tmp_path: Path
) -> None:
    """A property that no mistake breaks says nothing; as it stands, no walk breaks it."""
    assert broken(spoiled(machine, text, instead, tmp_path).at(release), name)
    assert not broken(shipped(machine).at(release), name)


def test_exploring_notices_too(tmp_path: Path) -> None:
    """Whatever a walk may miss: every mutant of a task."""
    for machine, name, release, text, instead in MUTANTS:
        if machine == TASK:
            found = explore(spoiled(machine, text, instead, tmp_path).at(release).value)
            assert [one.verdict for one in found.examined if one.name.endswith(f" {name}")] == [
                Verdict.VIOLATED
            ]


@pytest.mark.parametrize("machine", [TASK, LOOP])
def test_every_property_has_a_mutant(machine: str) -> None:
    """One that is added needs one too; a witness (`sometimes`) is broken by exploring alone."""
    spec = shipped(machine)
    claims = {PropertyKind.ALWAYS, PropertyKind.EACH_STEP, PropertyKind.LEADS_TO}
    claimed = {
        one.name
        for release in spec.releases
        for one in spec.at(release).value.data.properties
        if one.kind in claims
    }
    assert claimed == {name for of, name, *_ in MUTANTS if of == machine}
