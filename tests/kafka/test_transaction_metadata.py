"""What Kafka's own TransactionMetadata does in each state, with a step pending and without one, is what the spec says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import statemachines as sm
from statemachines.model.language.frozen_values import FrozenMap
from tests.kafka.jars import releases
from tests.kafka.judged import spec

if TYPE_CHECKING:
    from tests.kafka.jvm import Jvm

pytestmark = pytest.mark.kafka
NAME, STATES = (
    "kafka.coordinator.transaction.TransactionMetadata",
    "kafka.coordinator.transaction.TransactionState",
)
TOLD = [release for release in spec("TransactionMetadata").releases if release in releases()]
ASKED = ("prepareComplete", "prepareDead", "prepareFenceProducerEpoch", "completeTransitionTo")
"""Methods that a state and what is pending decide alone."""
EPOCH, LAST = 1, 32767


@pytest.mark.parametrize("release", TOLD)
def test_each_method_throws_where_the_spec_raises(jvm: Jvm, release: str) -> None:
    """A write that comes back while nothing is pending is a mistake of the program, and no refusal."""
    from tests.kafka.holders import outcomes

    found = outcomes(jvm.release(release), NAME, STATES, ASKED)
    assert found == {key: said(release, *key) for key in found}
    assert found["completeTransitionTo", "Ongoing", False] == "IllegalStateException"


def said(release: str, event: str, state: str, pending: bool) -> str:
    """Return what the spec says of a method in a state, with the step pending to which it is or with none."""
    machine = spec("TransactionMetadata").at(release)
    made = machine.start(shortMaxValue=LAST)
    types = {one.name: one.type for one in machine.value.data.variables}
    held: dict[str, Any] = {"txnState": state, "producerId": 1, "producerEpoch": EPOCH}
    if pending:
        held["pendingState"] = pending_of(types["pendingState"], state)
    answer = sm.step(
        machine,
        sm.Snapshot(made.state, FrozenMap({**made.variables, **held}), made.parameters),
        event,
    )
    return answer.error or "done"


def pending_of(kind: Any, state: str) -> Any:
    """Return a step to the same state, which the class takes for any that is pending."""
    from statemachines.semantics.evaluation.value_acceptance import accept_value

    told = {
        "txnState": state,
        "producerId": 1,
        "producerEpoch": EPOCH,
        "lastProducerEpoch": -1,
        "topicPartitions": set(),
    }
    return accept_value(kind, told)
