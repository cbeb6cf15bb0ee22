"""Kafka's own unit tests of groups and transactions as calls of the specs: a test's name, where it holds, what is given, called, expected.

Rows in plain words are of what Kafka's code does and no unit test of it asks.
`given` is the state, and values of variables; empty where an instance is new, and `new` where it begins in one state only. A call is an event with its arguments. Expected is the state after the last call, with what
that gave back (`= VALUE`) or threw (`! ERROR`), or that it was refused or ignored; after `with`, values of variables then; after `?`, predicates that hold there, with
`not` where they do not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from attrs import frozen

from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.definitions.snapshots import Answer, Ignored, Refused, Snapshot
from statemachines.semantics.machine.initial_snapshots import initial_snapshots
from statemachines.semantics.machine.step import step
from statemachines.semantics.messages.argument_errors import ArgumentsError
from tests.catalogue.broker_scenarios import TEXTS as BROKER_TEXTS

GROUP, PRODUCER, COORDINATOR, CONTROLLER = (
    "kafka/ConsumerGroup",
    "kafka/TransactionManager",
    "kafka/TransactionCoordinator",
    "kafka/Controller",
)
ERRORS = {"IS": "IllegalStateException", "K": "KafkaException", "R": "RuntimeException"}


@frozen
class Scenario:
    """One unit test in one release."""

    machine: str
    test: str
    release: str
    given: str
    calls: tuple[str, ...]
    expected: str


def outcome(machine: MachineDefinition, one: Scenario) -> str:
    """Say what becomes of a scenario, in the words of its `expected`."""
    now, said = _given(machine, one.given), ""
    for call in one.calls:
        event, *words = call.split()
        arguments = {name: _value(text) for name, _, text in (w.partition("=") for w in words)}
        try:
            answer = step(machine, now, event, **arguments)
        except ArgumentsError:
            return f"{now.state} may not be asked: {call}"
        now = answer.after
        said = _said(answer)
    values = _told_values(now, one.expected.partition(" with ")[2].partition(" ? ")[0])
    asked = one.expected.partition(" ? ")[2].split(", ") if " ? " in one.expected else []
    holds = {each.name for each in machine.predicates if now.state in each.states}
    told = ", ".join(
        name if name in holds else f"not {name}"
        for name in (word.removeprefix("not ") for word in asked)
    )
    return (
        f"{now.state}{said}"
        + (f" with {values}" if values else "")
        + (f" ? {told}" if told else "")
    )


def _told_values(now: Snapshot, expected: str) -> str:
    """Return the values of the variables that a row names: in its words where they are as it says."""
    words = (word.partition("=") for word in expected.split())
    return " ".join(
        f"{name}={text if now.variables[name] == _value(text) else now.variables[name]}"
        for name, _, text in words
    )


def _given(machine: MachineDefinition, text: str) -> Snapshot:
    """Return what a row gives: a state, and values of variables and parameters; the others are as where instances begin."""
    words = text.split()
    given = {name: _value(value) for name, _, value in (word.partition("=") for word in words[1:])}
    fixed = {one.name: given.pop(one.name) for one in machine.data.parameters}
    begins = initial_snapshots(machine, **fixed)
    state = words[0] if words else begins[0].state
    if state == "new":
        state = " or ".join(dict.fromkeys(one.state for one in begins))
    return begins[0].replace(state, **given)


def _said(answer: Answer) -> str:
    if isinstance(answer, Ignored | Refused):
        return " ignored" if isinstance(answer, Ignored) else " refused"
    if answer.error:
        return f" ! {answer.error}"
    told = answer.returned is not None and not isinstance(
        answer.returned, Mapping
    )  # records of what it did: test_controller_election
    return f" = {answer.returned}" if told else ""


def _value(text: str) -> Any:
    if text.startswith("{"):
        parts = list(filter(None, text.strip("{}").split(",")))
        fields = {name: _value(value) for name, _, value in (part.partition(":") for part in parts)}
        return fields if ":" in text else frozenset(map(_value, parts))
    if text == "None":
        return None
    if text.startswith("-"):
        return -_value(text[1:])
    return int(text) if text.isdigit() else text == "True" if text in ("True", "False") else text


def scenarios() -> Iterator[Scenario]:
    """Every scenario in each release of its row."""
    for machine, text in (TEXTS | BROKER_TEXTS).items():
        for line in text.strip().splitlines():
            test, releases, given, calls, expected = (part.strip() for part in line.split("|"))
            for short, long in ERRORS.items():
                expected = expected.replace(f"! {short}.", f"! {long}")
            for release in releases.split():
                yield Scenario(
                    machine,
                    test,
                    release,
                    given,
                    tuple(part.strip() for part in calls.split(";") if part.strip()),
                    expected,
                )


TEXTS = {
    GROUP: """
testCanRebalanceWhenStable | 0.10.0.1 0.10.2.2 2.5.1 3.9.1 4.3.1 | Stable | | Stable ? canRebalance
testCanRebalanceWhenAwaitingSync | 0.10.0.1 0.10.2.2 | AwaitingSync | | AwaitingSync ? canRebalance
testCanRebalanceWhenCompletingRebalance | 2.5.1 3.9.1 4.3.1 | CompletingRebalance | | CompletingRebalance ? canRebalance
testCannotRebalanceWhenPreparingRebalance | 0.10.0.1 0.10.2.2 2.5.1 3.9.1 4.3.1 | PreparingRebalance | | PreparingRebalance ? not canRebalance
testCannotRebalanceWhenDead | 0.10.0.1 0.10.2.2 2.5.1 3.9.1 4.3.1 | | to_PreparingRebalance; to_Dead | Dead ? not canRebalance
testStableToPreparingRebalanceTransition | 0.10.0.1 0.10.2.2 2.5.1 3.9.1 4.3.1 | Stable | to_PreparingRebalance | PreparingRebalance
testStableToDeadTransition | 0.10.2.2 2.5.1 3.9.1 4.3.1 | Stable | to_Dead | Dead
testAwaitingSyncToPreparingRebalanceTransition | 0.10.2.2 | | to_PreparingRebalance; to_AwaitingSync; to_PreparingRebalance | PreparingRebalance
testAwaitingRebalanceToPreparingRebalanceTransition | 2.5.1 3.9.1 4.3.1 | | to_PreparingRebalance; to_CompletingRebalance; to_PreparingRebalance | PreparingRebalance
testPreparingRebalanceToDeadTransition | 0.10.2.2 2.5.1 3.9.1 4.3.1 | | to_PreparingRebalance; to_Dead | Dead
testPreparingRebalanceToEmptyTransition | 0.10.2.2 2.5.1 3.9.1 4.3.1 | | to_PreparingRebalance; to_Empty | Empty
testEmptyToDeadTransition | 0.10.2.2 2.5.1 3.9.1 4.3.1 | | to_Dead | Dead
testAwaitingSyncToStableTransition | 0.10.2.2 | | to_PreparingRebalance; to_AwaitingSync; to_Stable | Stable
testAwaitingRebalanceToStableTransition | 2.5.1 3.9.1 4.3.1 | | to_PreparingRebalance; to_CompletingRebalance; to_Stable | Stable
testEmptyToStableIllegalTransition | 2.5.1 3.9.1 4.3.1 | | to_Stable | Empty ! IS.
testStableToStableIllegalTransition | 2.5.1 3.9.1 4.3.1 | | to_PreparingRebalance; to_CompletingRebalance; to_Stable; to_Stable | Stable ! IS.
testStableToAwaitingSyncIllegalTransition | 0.10.2.2 | Stable | to_AwaitingSync | Stable ! IS.
testEmptyToAwaitingRebalanceIllegalTransition | 2.5.1 3.9.1 4.3.1 | | to_CompletingRebalance | Empty ! IS.
testPreparingRebalanceToPreparingRebalanceIllegalTransition | 0.10.2.2 2.5.1 3.9.1 4.3.1 | | to_PreparingRebalance; to_PreparingRebalance | PreparingRebalance ! IS.
testPreparingRebalanceToStableIllegalTransition | 0.10.2.2 2.5.1 3.9.1 4.3.1 | | to_PreparingRebalance; to_Stable | PreparingRebalance ! IS.
testAwaitingSyncToAwaitingSyncIllegalTransition | 0.10.2.2 | | to_PreparingRebalance; to_AwaitingSync; to_AwaitingSync | AwaitingSync ! IS.
testAwaitingRebalanceToAwaitingRebalanceIllegalTransition | 2.5.1 3.9.1 4.3.1 | | to_PreparingRebalance; to_CompletingRebalance; to_CompletingRebalance | CompletingRebalance ! IS.
testDeadToDeadIllegalTransition | 0.10.2.2 2.5.1 3.9.1 4.3.1 | | to_PreparingRebalance; to_Dead; to_Dead | Dead
testDeadToDeadIllegalTransition | 0.10.0.1 | Dead | to_Dead | Dead ! IS.
testDeadToStableIllegalTransition | 0.10.0.1 0.10.2.2 2.5.1 3.9.1 4.3.1 | Dead | to_Stable | Dead ! IS.
testDeadToPreparingRebalanceIllegalTransition | 0.10.0.1 0.10.2.2 2.5.1 3.9.1 4.3.1 | Dead | to_PreparingRebalance | Dead ! IS.
testDeadToAwaitingSyncIllegalTransition | 0.10.0.1 0.10.2.2 | Dead | to_AwaitingSync | Dead ! IS.
testDeadToAwaitingRebalanceIllegalTransition | 2.5.1 3.9.1 4.3.1 | Dead | to_CompletingRebalance | Dead ! IS.
testSupportsProtocols | 0.10.2.2 2.5.1 3.9.1 4.3.1 | | supportsProtocols offered=True common=False | Empty = True
testSupportsProtocols | 0.10.2.2 2.5.1 3.9.1 4.3.1 | | supportsProtocols offered=False common=False | Empty = False
testSupportsProtocols | 0.10.0.1 0.10.2.2 2.5.1 3.9.1 4.3.1 | Stable | supportsProtocols offered=True common=False | Stable = False
testSupportsProtocols | 0.10.0.1 0.10.2.2 2.5.1 3.9.1 4.3.1 | PreparingRebalance | supportsProtocols offered=True common=True | PreparingRebalance = True
testSupportsProtocols | 2.5.1 3.9.1 4.3.1 | CompletingRebalance | supportsProtocols offered=True common=False | CompletingRebalance = False
testInitNextGeneration | 0.10.0.1 0.10.2.2 | PreparingRebalance | initNextGeneration hasMembers=True | AwaitingSync
testInitNextGeneration | 2.5.1 3.9.1 4.3.1 | | to_PreparingRebalance; initNextGeneration hasMembers=True | CompletingRebalance
testInitNextGenerationEmptyGroup | 0.10.2.2 2.5.1 3.9.1 4.3.1 | | to_PreparingRebalance; initNextGeneration hasMembers=False | Empty
testJoinGroupFromUnchangedLeaderShouldRebalance | 0.10.2.2 2.5.1 3.9.1 4.3.1 | Stable | maybePrepareRebalance | PreparingRebalance
testNewMemberJoinExpiration | 2.5.1 3.9.1 4.3.1 | PreparingRebalance | maybePrepareRebalance | PreparingRebalance ignored
testRebalanceTimesOutWhenSyncRequestIsNotReceived | 3.9.1 4.3.1 | CompletingRebalance | maybePrepareRebalance | PreparingRebalance
testJoinGroupUnknownConsumerNewGroup | 0.10.2.2 2.5.1 3.9.1 4.3.1 | | prepareRebalance | PreparingRebalance
testJoinGroupUnknownConsumerNewGroup | 0.10.1.0 0.10.2.2 2.5.1 3.9.1 4.3.1 | | maybePrepareRebalance | PreparingRebalance
testLeaderFailureInSyncGroup | 1.1.0 2.5.1 4.3.1 | CompletingRebalance | prepareRebalance | PreparingRebalance
testPreparingRebalanceToPreparingRebalanceIllegalTransition | 2.5.1 3.9.1 4.3.1 | PreparingRebalance | prepareRebalance | PreparingRebalance ! IS.
a new group has no other name | 2.5.1 4.3.1 | Empty | created | Empty ! IS.
a new group has no other name | 2.5.1 4.3.1 | PreparingRebalance | created | PreparingRebalance ! IS.
a new group has no other name | 2.5.1 4.3.1 | Dead | created | Empty
since its first release | 1.1.0 | PreparingRebalance | initNextGeneration hasMembers=True | CompletingRebalance
since its first release | 0.10.1.0 | PreparingRebalance | initNextGeneration hasMembers=False | Empty
since its first release | 0.10.1.0 | Empty | handleHeartbeat | Empty = UNKNOWN_MEMBER_ID
since its first release | 1.1.0 | CompletingRebalance | handleSyncGroup leader=False stored=True | CompletingRebalance
since its first release | 1.1.0 | CompletingRebalance | handleLeaveGroup | PreparingRebalance = NONE
since its first release | 0.10.1.0 | Empty | handleLeaveGroup | Empty = UNKNOWN_MEMBER_ID
since its first release | 2.4.0 | CompletingRebalance | handleCommitOffsets member=True | CompletingRebalance = REBALANCE_IN_PROGRESS
since its first release | 0.10.1.0 | Empty | handleCommitOffsets member=False | Empty = NONE
since its first release | 0.10.1.0 | Empty | supportsProtocols offered=True common=False | Empty = True
since its first release | 1.1.0 | CompletingRebalance | supportsProtocols offered=True common=True | CompletingRebalance = True
since its first release | 0.10.1.0 | Empty | prepareRebalance | PreparingRebalance
since its first release | 1.1.0 | CompletingRebalance | maybePrepareRebalance | PreparingRebalance
testheartbeatDeadGroup | 2.5.1 3.9.1 4.3.1 | Dead | handleHeartbeat | Dead = COORDINATOR_NOT_AVAILABLE
testHeartbeatUnknownGroup | 0.10.2.2 1.1.1 | Dead | handleHeartbeat | Dead = UNKNOWN_MEMBER_ID
testheartbeatEmptyGroup | 2.5.1 3.9.1 4.3.1 | | handleHeartbeat | Empty = UNKNOWN_MEMBER_ID
testHeartbeatRebalanceInProgress | 0.10.2.2 1.0.2 | AwaitingSync | handleHeartbeat | AwaitingSync = REBALANCE_IN_PROGRESS
testHeartbeatRebalanceInProgress | 2.5.1 2.6.0 | CompletingRebalance | handleHeartbeat | CompletingRebalance = REBALANCE_IN_PROGRESS
testHeartbeatRebalanceInProgress | 2.6.1 3.9.1 4.3.1 | CompletingRebalance | handleHeartbeat | CompletingRebalance = NONE
testHeartbeatDuringRebalanceCausesRebalanceInProgress | 0.10.2.2 2.5.1 3.9.1 4.3.1 | Stable | prepareRebalance; handleHeartbeat | PreparingRebalance = REBALANCE_IN_PROGRESS
testValidHeartbeat | 0.10.0.1 0.10.2.2 2.5.1 3.9.1 4.3.1 | Stable | handleHeartbeat | Stable = NONE
testSyncGroupEmptyAssignment | 0.10.2.2 | PreparingRebalance | initNextGeneration hasMembers=True; handleSyncGroup leader=True stored=True | Stable
testSyncGroupEmptyAssignment | 2.5.1 3.9.1 4.3.1 | PreparingRebalance | initNextGeneration hasMembers=True; handleSyncGroup leader=True stored=True | Stable
testSyncGroupLeaderAfterFollower | 2.5.1 3.9.1 4.3.1 | CompletingRebalance | handleSyncGroup leader=False stored=False | CompletingRebalance
testSyncGroupLeaderAfterFollower | 1.1.0 2.5.1 3.9.1 4.3.1 | CompletingRebalance | handleSyncGroup leader=False stored=True; handleSyncGroup leader=True stored=True | Stable
testSyncGroupFollowerAfterLeader | 0.10.2.2 2.5.1 3.9.1 4.3.1 | Stable | handleSyncGroup leader=False stored=True | Stable = NONE
testLeaderFailureInSyncGroup | 1.1.0 2.5.1 3.9.1 4.3.1 | CompletingRebalance | handleSyncGroup leader=True stored=False | PreparingRebalance
testSyncDeadGroup | 2.5.1 3.9.1 4.3.1 | Dead | handleSyncGroup leader=True stored=True | Dead = COORDINATOR_NOT_AVAILABLE
testSyncGroupFromUnknownGroup | 0.10.2.2 | Dead | handleSyncGroup leader=True stored=True | Dead = UNKNOWN_MEMBER_ID
staticMemberRejoinWithLeaderIdAndUnexpectedEmptyGroup | 0.10.1.0 2.5.1 4.3.1 | | handleSyncGroup leader=True stored=True | Empty = UNKNOWN_MEMBER_ID
testJoinGroupFromUnchangedFollowerDoesNotRebalance | 0.10.2.2 2.5.1 3.9.1 4.3.1 | PreparingRebalance | handleSyncGroup leader=False stored=True | PreparingRebalance = REBALANCE_IN_PROGRESS
testCommitOffsetInAwaitingSync | 0.10.2.2 1.0.2 | AwaitingSync | handleCommitOffsets member=True | AwaitingSync = REBALANCE_IN_PROGRESS
testCommitOffsetInCompletingRebalance | 1.1.0 2.5.1 3.9.1 4.3.1 | CompletingRebalance | handleCommitOffsets member=True | CompletingRebalance = REBALANCE_IN_PROGRESS
testCommitOffsetInCompletingRebalanceFromUnknownMemberId | 2.5.1 3.9.1 4.3.1 | CompletingRebalance | handleCommitOffsets member=False | CompletingRebalance = UNKNOWN_MEMBER_ID
testCommitOffsetInCompletingRebalanceFromUnknownMemberId | 1.1.0 2.3.1 | CompletingRebalance | handleCommitOffsets member=False | CompletingRebalance = REBALANCE_IN_PROGRESS
testCommitOffsetWithDefaultGeneration | 0.10.2.2 2.5.1 3.9.1 4.3.1 | | handleCommitOffsets member=False | Empty = NONE
testCommitOffsetsAfterGroupIsEmpty | 0.10.2.2 2.5.1 3.9.1 4.3.1 | PreparingRebalance | initNextGeneration hasMembers=False; handleCommitOffsets member=True | Empty = UNKNOWN_MEMBER_ID
testCommitMaintainsSession | 0.10.2.2 2.5.1 3.9.1 4.3.1 | Stable | handleCommitOffsets member=True | Stable = NONE
testCommitMaintainsSession | 0.10.2.2 2.5.1 3.9.1 4.3.1 | PreparingRebalance | handleCommitOffsets member=True | PreparingRebalance = NONE
testCommitOffsetFromUnknownGroup | 2.5.1 3.9.1 4.3.1 | Stable | handleCommitOffsets member=False | Stable = UNKNOWN_MEMBER_ID
testOffsetCommitDeadGroup | 2.5.1 3.9.1 4.3.1 | Dead | handleCommitOffsets member=True | Dead = COORDINATOR_NOT_AVAILABLE
testValidLeaveGroup | 0.10.2.2 2.5.1 3.9.1 4.3.1 | Stable | handleLeaveGroup | PreparingRebalance = NONE
testNewMemberFailureAfterJoinGroupCompletion | 2.5.1 3.9.1 4.3.1 | CompletingRebalance | handleLeaveGroup | PreparingRebalance = NONE
testPendingMembersLeavesGroup | 2.5.1 3.9.1 4.3.1 | PreparingRebalance | handleLeaveGroup | PreparingRebalance = NONE
testSingleLeaveDeadGroup | 2.5.1 3.9.1 4.3.1 | Dead | handleLeaveGroup | Dead = COORDINATOR_NOT_AVAILABLE
testLeaveGroupUnknownConsumerExistingGroup | 0.10.2.2 2.5.1 3.9.1 4.3.1 | | handleLeaveGroup | Empty = UNKNOWN_MEMBER_ID
testDeleteNonEmptyGroup | 1.1.0 2.5.1 3.9.1 4.3.1 | Stable | handleDeleteGroups | Stable = NON_EMPTY_GROUP
testDeleteNonEmptyGroup | 1.1.0 2.5.1 3.9.1 4.3.1 | PreparingRebalance | handleDeleteGroups | PreparingRebalance = NON_EMPTY_GROUP
testDeleteNonEmptyGroup | 1.1.0 2.5.1 3.9.1 4.3.1 | CompletingRebalance | handleDeleteGroups | CompletingRebalance = NON_EMPTY_GROUP
testDeleteEmptyGroup | 1.1.0 2.5.1 3.9.1 4.3.1 | | handleDeleteGroups | Dead = NONE
testDeleteGroupWithInvalidGroupId | 1.1.0 2.5.1 3.9.1 4.3.1 | Dead | handleDeleteGroups | Dead = GROUP_ID_NOT_FOUND
""",
    PRODUCER: """
testFailIfNotReadyForSendNoProducerId | 0.11.0.3 2.5.1 3.1.0 | | failIfNotReadyForSend | UNINITIALIZED ! IS.
testFailIfNotReadyForSendNoOngoingTransaction | 0.11.0.3 2.5.1 3.1.0 | READY | failIfNotReadyForSend | READY ! IS.
testFailIfNotReadyForSendAfterAbortableError | 0.11.0.3 2.5.1 3.1.0 | READY | beginTransaction; transitionToAbortableError; failIfNotReadyForSend | ABORTABLE_ERROR ! K.
testFailIfNotReadyForSendAfterFatalError | 0.11.0.3 2.5.1 3.1.0 | READY | transitionToFatalError; failIfNotReadyForSend | FATAL_ERROR ! K.
testBasicTransaction | 0.11.0.3 2.5.1 3.1.0 | IN_TRANSACTION | failIfNotReadyForSend; maybeAddPartitionToTransaction; sendOffsetsToTransaction; beginCommit; to_READY | READY ? isReady, not hasOngoingTransaction
testBasicTransaction | 3.1.1 3.9.1 4.3.1 | IN_TRANSACTION | maybeAddPartition; sendOffsetsToTransaction; beginCommit; to_READY | READY ? isReady, not hasOngoingTransaction
testFailIfNotReadyForSendNoProducerId | 3.9.1 4.3.1 | | maybeAddPartition | UNINITIALIZED ! IS.
testNotReadyForSendBeforeInitTransactions | 3.1.1 3.9.1 4.3.1 | | maybeAddPartition | UNINITIALIZED ! IS.
testNotReadyForSendBeforeBeginTransaction | 3.1.1 3.9.1 4.3.1 | | initializeTransactions; to_READY; maybeAddPartition | READY ! IS.
testNotReadyForSendAfterAbortableError | 3.1.1 3.9.1 4.3.1 | READY | beginTransaction; transitionToAbortableError; maybeAddPartition | ABORTABLE_ERROR ! K.
testNotReadyForSendAfterFatalError | 3.1.1 3.9.1 4.3.1 | READY | transitionToFatalError; maybeAddPartition | FATAL_ERROR ! K.
testMaybeAddPartitionToTransactionBeforeInitTransactions | 0.11.0.3 | | maybeAddPartitionToTransaction | UNINITIALIZED ! IS.
testMaybeAddPartitionToTransactionBeforeBeginTransaction | 0.11.0.3 2.3.1 | READY | maybeAddPartitionToTransaction | READY ! IS.
testMaybeAddPartitionToTransactionBeforeBeginTransaction | 2.5.1 3.1.0 | READY | failIfNotReadyForSend | READY ! IS.
testMaybeAddPartitionToTransactionAfterAbortableError | 0.11.0.3 2.3.1 | ABORTABLE_ERROR | maybeAddPartitionToTransaction | ABORTABLE_ERROR ! K.
testMaybeAddPartitionToTransactionAfterFatalError | 0.11.0.3 2.3.1 | FATAL_ERROR | maybeAddPartitionToTransaction | FATAL_ERROR ! K.
testHasOngoingTransactionSuccessfulAbort | 0.11.0.3 2.5.1 3.9.1 4.3.1 | READY | beginTransaction | IN_TRANSACTION ? hasOngoingTransaction
testHasOngoingTransactionSuccessfulAbort | 0.11.0.3 2.5.1 3.9.1 4.3.1 | READY | beginTransaction; beginAbort | ABORTING_TRANSACTION ? hasOngoingTransaction, isCompleting, isAborting
testHasOngoingTransactionSuccessfulAbort | 0.11.0.3 2.5.1 3.9.1 4.3.1 | READY | beginTransaction; beginAbort; to_READY | READY ? not hasOngoingTransaction
testHasOngoingTransactionSuccessfulCommit | 0.11.0.3 2.5.1 3.9.1 4.3.1 | READY | beginTransaction; beginCommit | COMMITTING_TRANSACTION ? hasOngoingTransaction, isCompleting, not isAborting
testHasOngoingTransactionAbortableError | 0.11.0.3 2.5.1 3.9.1 4.3.1 | IN_TRANSACTION | transitionToAbortableError | ABORTABLE_ERROR ? hasOngoingTransaction, hasError, hasAbortableError
testHasOngoingTransactionAbortableError | 0.11.0.3 2.5.1 3.9.1 4.3.1 | ABORTABLE_ERROR | beginAbort | ABORTING_TRANSACTION ? hasOngoingTransaction, not hasError
testHasOngoingTransactionFatalError | 0.11.0.3 2.5.1 3.9.1 4.3.1 | IN_TRANSACTION | transitionToFatalError | FATAL_ERROR ? not hasOngoingTransaction, hasFatalError
testInitializeTransactionsTwiceRaisesError | 2.5.1 3.1.0 | | initializeTransactions; to_READY; initializeTransactions | READY ! K.
testInitializeTransactionsTwiceRaisesError | 3.1.1 3.9.1 4.3.1 | | initializeTransactions; to_READY; initializeTransactions | READY ! IS.
testRetryInitTransactionsAfterTimeout | 2.3.0 2.5.1 3.9.1 4.3.1 | | initializeTransactions; initializeTransactions | INITIALIZING
testRetryInitTransactionsAfterTimeout | 0.11.0.3 2.2.2 | | initializeTransactions; initializeTransactions | INITIALIZING ! K.
testRetryInitTransactionsAfterTimeout | 3.9.1 4.3.1 | | initializeTransactions; beginTransaction | INITIALIZING ! IS.
testRetryInitTransactionsAfterTimeout | 3.6.0 3.9.1 4.3.1 | | initializeTransactions | INITIALIZING ? isInitializing, not isReady
testRetryCommitTransaction | 2.3.0 2.5.1 3.9.1 4.3.1 | IN_TRANSACTION | beginCommit; beginCommit | COMMITTING_TRANSACTION
testRetryCommitTransaction | 0.11.0.3 2.2.2 | IN_TRANSACTION | beginCommit; beginCommit | COMMITTING_TRANSACTION ! K.
testRetryAbortTransaction | 2.3.0 2.5.1 3.9.1 4.3.1 | IN_TRANSACTION | beginAbort; beginAbort | ABORTING_TRANSACTION
testRetryAbortTransaction | 0.11.0.3 2.2.2 | IN_TRANSACTION | beginAbort; beginAbort | ABORTING_TRANSACTION ! K.
testRetryAbortTransactionAfterCommitTimeout | 2.5.1 | IN_TRANSACTION | beginCommit; beginAbort | COMMITTING_TRANSACTION ! K.
testRetryAbortTransactionAfterCommitTimeout | 3.9.1 4.3.1 | IN_TRANSACTION | beginCommit; beginAbort | COMMITTING_TRANSACTION ! IS.
testRetryCommitTransactionAfterAbortTimeout | 2.5.1 | IN_TRANSACTION | beginAbort; beginCommit | ABORTING_TRANSACTION ! K.
testRetryCommitTransactionAfterAbortTimeout | 3.9.1 4.3.1 | IN_TRANSACTION | beginAbort; beginCommit | ABORTING_TRANSACTION ! IS.
testRetryCommitTransactionAfterTimeout | 3.9.1 4.3.1 | IN_TRANSACTION | beginCommit; beginTransaction | COMMITTING_TRANSACTION ! IS.
testDisallowCommitOnProduceFailure | 0.11.0.3 2.5.1 3.9.1 4.3.1 | IN_TRANSACTION | transitionToAbortableError; beginCommit | ABORTABLE_ERROR ! K.
testDisallowCommitOnProduceFailure | 0.11.0.3 2.5.1 3.9.1 4.3.1 | IN_TRANSACTION | transitionToAbortableError; beginAbort; to_READY | READY
testAllowAbortOnProduceFailure | 0.11.0.3 2.5.1 3.9.1 4.3.1 | IN_TRANSACTION | transitionToAbortableError; beginAbort | ABORTING_TRANSACTION
testAbortableErrorWhileAbortInProgress | 0.11.0.3 2.5.1 3.9.1 4.3.1 | IN_TRANSACTION | beginAbort; transitionToAbortableError | ABORTING_TRANSACTION ignored ? not hasError
testTransitionToAbortableErrorOnBatchExpiry | 0.11.0.3 2.5.1 3.9.1 4.3.1 | READY | beginTransaction; transitionToAbortableError; transitionToAbortableError | ABORTABLE_ERROR
testTransitionToFatalErrorWhenRetriedBatchIsExpired | 2.5.1 3.9.1 4.3.1 | COMMITTING_TRANSACTION | transitionToFatalError | FATAL_ERROR
testDropCommitOnBatchExpiry | 0.11.0.3 2.5.1 3.9.1 4.3.1 | IN_TRANSACTION | beginCommit; transitionToAbortableError | ABORTABLE_ERROR
testProducerFencedException | 0.11.0.3 2.5.1 3.9.1 4.3.1 | IN_TRANSACTION | transitionToFatalError; beginCommit | FATAL_ERROR ! K.
testProducerFencedException | 0.11.0.3 2.5.1 3.9.1 4.3.1 | IN_TRANSACTION | transitionToFatalError; beginAbort | FATAL_ERROR ! K.
testProducerFencedException | 0.11.0.3 2.5.1 3.9.1 4.3.1 | READY | transitionToFatalError; beginTransaction | FATAL_ERROR ! K.
testProducerFencedInAddOffSetsToTxn | 0.11.0.3 2.5.1 3.9.1 4.3.1 | READY | transitionToFatalError; sendOffsetsToTransaction | FATAL_ERROR ! K.
testUnsupportedInitTransactions | 0.11.0.3 2.5.1 3.9.1 4.3.1 | | initializeTransactions; transitionToFatalError | FATAL_ERROR ? hasFatalError, hasError
testUnsupportedFindCoordinator | 0.11.0.3 2.5.1 3.9.1 4.3.1 | | transitionToFatalError | FATAL_ERROR
testTransactionalIdAuthorizationFailureInInitProducerId | 3.5.2 | | initializeTransactions; transitionToAbortableError | INITIALIZING ! IS.
testTransactionAbortableExceptionInInitProducerId | 3.6.0 3.9.1 4.3.1 | | initializeTransactions; transitionToAbortableError | ABORTABLE_ERROR
testTransactionAbortableExceptionInInitProducerId | 3.6.0 3.9.1 4.3.1 | ABORTABLE_ERROR | transitionToUninitialized | UNINITIALIZED
testProducerIdReset | 3.6.0 3.9.1 4.3.1 | READY | transitionToUninitialized | UNINITIALIZED
testBumpTransactionalEpochOnAbortableError | 2.5.1 3.9.1 4.3.1 | ABORTABLE_ERROR | beginAbort; to_INITIALIZING; to_READY | READY
nothing failed | 0.11.0.3 2.5.1 3.9.1 4.3.1 | UNINITIALIZED | maybeFailWithError | UNINITIALIZED
nothing failed | 0.11.0.3 2.5.1 3.9.1 4.3.1 | INITIALIZING | maybeFailWithError | INITIALIZING
nothing failed | 0.11.0.3 2.5.1 3.9.1 4.3.1 | READY | maybeFailWithError | READY
nothing failed | 0.11.0.3 2.5.1 3.9.1 4.3.1 | IN_TRANSACTION | maybeFailWithError | IN_TRANSACTION
nothing failed | 0.11.0.3 2.5.1 3.9.1 4.3.1 | COMMITTING_TRANSACTION | maybeFailWithError | COMMITTING_TRANSACTION
testAbortTransactionAndReuseSequenceNumberOnError | 3.9.1 4.3.1 | READY | beginTransaction; maybeAddPartition; transitionToAbortableError; beginAbort; to_READY; beginTransaction | IN_TRANSACTION
nothing failed | 4.1.0 4.3.1 | PREPARED_TRANSACTION | maybeFailWithError | PREPARED_TRANSACTION
testMaybeAddPartitionToTransaction | 3.1.1 3.9.1 4.3.1 | IN_TRANSACTION | maybeAddPartition | IN_TRANSACTION
testSendOffsetsWithGroupMetadata | 0.11.0.3 2.5.1 3.9.1 4.3.1 | IN_TRANSACTION | sendOffsetsToTransaction | IN_TRANSACTION
testProducerFencedException | 0.11.0.3 2.5.1 3.9.1 4.3.1 | ABORTING_TRANSACTION | transitionToFatalError | FATAL_ERROR
testProducerFencedException | 0.11.0.3 2.5.1 3.9.1 4.3.1 | ABORTABLE_ERROR | transitionToFatalError | FATAL_ERROR
testProducerFencedException | 0.11.0.3 2.5.1 3.9.1 4.3.1 | FATAL_ERROR | transitionToFatalError | FATAL_ERROR
testProducerFencedException | 4.1.0 4.3.1 | PREPARED_TRANSACTION | transitionToFatalError | FATAL_ERROR
testInitializeTransactionsTwiceRaisesError | 3.9.1 4.3.1 | COMMITTING_TRANSACTION | initializeTransactions | COMMITTING_TRANSACTION ! IS.
testInitializeTransactionsTwiceRaisesError | 3.9.1 4.3.1 | ABORTING_TRANSACTION | initializeTransactions | ABORTING_TRANSACTION ! IS.
testForegroundInvalidStateTransitionIsRecoverable | 3.9.1 4.3.1 | IN_TRANSACTION | beginTransaction | IN_TRANSACTION ! IS.
two-phase commit | 4.1.0 4.3.1 | INITIALIZING | prepareTransaction | INITIALIZING ! IS.
two-phase commit | 4.1.0 4.3.1 | PREPARED_TRANSACTION | prepareTransaction | PREPARED_TRANSACTION ! IS.
an id that there is not cannot be given up | 3.9.1 4.3.1 | UNINITIALIZED | transitionToUninitialized | UNINITIALIZED ! IS.
testBackgroundInvalidStateTransitionIsFatal | 3.9.1 4.3.1 | UNINITIALIZED | transitionToAbortableError | UNINITIALIZED ! IS.
testForegroundInvalidStateTransitionIsRecoverable | 3.9.1 4.3.1 | UNINITIALIZED | beginTransaction; initializeTransactions; to_READY; beginAbort; beginTransaction | IN_TRANSACTION
testForegroundInvalidStateTransitionIsRecoverable | 3.9.1 4.3.1 | READY | beginCommit | READY ! IS.
testSendOffsetsWithGroupMetadata | 0.11.0.3 2.5.1 3.1.0 | READY | sendOffsetsToTransaction | READY ! K.
testSendOffsetsWithGroupMetadata | 3.1.1 3.9.1 4.3.1 | READY | sendOffsetsToTransaction | READY ! IS.
two-phase commit | 4.1.0 4.3.1 | READY | beginTransaction; prepareTransaction | PREPARED_TRANSACTION ? isPrepared, not hasOngoingTransaction
two-phase commit | 4.1.0 4.3.1 | READY | beginTransaction; prepareTransaction; beginCommit | COMMITTING_TRANSACTION
two-phase commit | 4.1.0 4.3.1 | READY | beginTransaction; prepareTransaction; beginAbort | ABORTING_TRANSACTION
two-phase commit | 4.1.0 4.3.1 | READY | beginTransaction; prepareTransaction; maybeFailWithError; maybeAddPartition | PREPARED_TRANSACTION ! IS.
two-phase commit | 4.1.0 4.3.1 | READY | prepareTransaction | READY ! IS.
two-phase commit | 4.1.0 4.3.1 | ABORTABLE_ERROR | prepareTransaction | ABORTABLE_ERROR ! K.
two-phase commit | 4.1.0 4.3.1 | FATAL_ERROR | initializeTransactions | FATAL_ERROR ! K.
testFindCoordinatorAllowedInAbortableErrorState | 0.11.0.3 2.5.1 3.9.1 4.3.1 | ABORTABLE_ERROR | maybeFailWithError | ABORTABLE_ERROR ! K.
testFindCoordinatorAllowedInAbortableErrorState | 0.11.0.3 2.5.1 3.9.1 4.3.1 | ABORTING_TRANSACTION | maybeFailWithError | ABORTING_TRANSACTION
""",
    COORDINATOR: """
shouldInitPidWithEpochZeroForNewTransactionalId | 0.11.0.3 2.5.1 3.9.1 4.3.1 | Empty | handleInitProducerId | Empty = NONE
shouldIncrementEpochAndUpdateMetadataOnHandleInitPidWhenExistingCompleteTransaction | 0.11.0.3 2.5.1 3.9.1 4.3.1 | CompleteAbort | handleInitProducerId | Empty = NONE
shouldIncrementEpochAndUpdateMetadataOnHandleInitPidWhenExistingCompleteCommitTransaction | 0.11.0.3 2.5.1 3.9.1 4.3.1 | CompleteCommit | handleInitProducerId | Empty = NONE
shouldWaitForCommitToCompleteOnHandleInitPidAndExistingTransactionInPrepareCommitState | 0.11.0.3 2.5.1 3.9.1 4.3.1 | PrepareCommit | handleInitProducerId | PrepareCommit = CONCURRENT_TRANSACTIONS
shouldWaitForCommitToCompleteOnHandleInitPidAndExistingTransactionInPrepareAbortState | 0.11.0.3 2.5.1 3.9.1 4.3.1 | PrepareAbort | handleInitProducerId | PrepareAbort = CONCURRENT_TRANSACTIONS
shouldAbortTransactionOnHandleInitPidWhenExistingTransactionInOngoingState | 0.11.0.3 2.5.1 3.9.1 4.3.1 | Ongoing | handleInitProducerId | PrepareAbort = CONCURRENT_TRANSACTIONS
shouldRespondWithConcurrentTransactionsOnAddPartitionsWhenStateIsPrepareCommit | 0.11.0.3 2.5.1 3.9.1 4.3.1 | PrepareCommit | handleAddPartitionsToTransaction known=False | PrepareCommit = CONCURRENT_TRANSACTIONS
shouldRespondWithConcurrentTransactionOnAddPartitionsWhenStateIsPrepareAbort | 0.11.0.3 2.5.1 3.9.1 4.3.1 | PrepareAbort | handleAddPartitionsToTransaction known=False | PrepareAbort = CONCURRENT_TRANSACTIONS
shouldRespondWithSuccessOnAddPartitionsWhenStateIsOngoing | 0.11.0.3 2.5.1 3.9.1 4.3.1 | Ongoing | handleAddPartitionsToTransaction known=False | Ongoing = NONE
shouldRespondWithErrorsNoneOnAddPartitionWhenNoErrorsAndPartitionsTheSame | 0.11.0.3 2.5.1 3.9.1 4.3.1 | Ongoing | handleAddPartitionsToTransaction known=True | Ongoing = NONE
shouldAppendNewMetadataToLogOnAddPartitionsWhenPartitionsAdded | 0.11.0.3 2.5.1 3.9.1 4.3.1 | Empty | handleAddPartitionsToTransaction known=False | Ongoing = NONE
shouldRespondWithSuccessOnAddPartitionsWhenStateIsCompleteCommit | 0.11.0.3 2.5.1 3.9.1 4.3.1 | CompleteCommit | handleAddPartitionsToTransaction known=False | Ongoing = NONE
shouldRespondWithSuccessOnAddPartitionsWhenStateIsCompleteAbort | 0.11.0.3 2.5.1 3.9.1 4.3.1 | CompleteAbort | handleAddPartitionsToTransaction known=False | Ongoing = NONE
shouldReturnOkOnEndTxnWhenStatusIsCompleteCommitAndResultIsCommit | 0.11.0.3 2.5.1 3.9.2 | CompleteCommit | handleEndTransaction txnMarkerResult=COMMIT | CompleteCommit = NONE
shouldReturnOkOnEndTxnWhenStatusIsCompleteAbortAndResultIsAbort | 0.11.0.3 2.5.1 3.9.2 | CompleteAbort | handleEndTransaction txnMarkerResult=ABORT | CompleteAbort = NONE
shouldReturnInvalidTxnRequestOnEndTxnRequestWhenStatusIsCompleteAbortAndResultIsNotAbort | 0.11.0.3 2.5.1 3.9.2 | CompleteAbort | handleEndTransaction txnMarkerResult=COMMIT | CompleteAbort = INVALID_TXN_STATE
shouldReturnInvalidTxnRequestOnEndTxnRequestWhenStatusIsCompleteCommitAndResultIsNotCommit | 0.11.0.3 2.5.1 3.9.2 | CompleteCommit | handleEndTransaction txnMarkerResult=ABORT | CompleteCommit = INVALID_TXN_STATE
shouldReturnConcurrentTxnRequestOnEndTxnRequestWhenStatusIsPrepareCommit | 0.11.0.3 2.5.1 3.9.2 | PrepareCommit | handleEndTransaction txnMarkerResult=COMMIT | PrepareCommit = CONCURRENT_TRANSACTIONS
shouldReturnInvalidTxnRequestOnEndTxnRequestWhenStatusIsPrepareAbort | 0.11.0.3 2.5.1 3.9.2 | PrepareAbort | handleEndTransaction txnMarkerResult=COMMIT | PrepareAbort = INVALID_TXN_STATE
shouldAppendPrepareCommitToLogOnEndTxnWhenStatusIsOngoingAndResultIsCommit | 0.11.0.3 2.5.1 3.9.2 | Ongoing | handleEndTransaction txnMarkerResult=COMMIT; to_CompleteCommit | CompleteCommit
shouldAppendPrepareAbortToLogOnEndTxnWhenStatusIsOngoingAndResultIsAbort | 0.11.0.3 2.5.1 3.9.2 | Ongoing | handleEndTransaction txnMarkerResult=ABORT; to_CompleteAbort | CompleteAbort
nothing is open, up to 3.9.2 | 0.11.0.3 2.5.1 3.9.2 | Empty | handleEndTransaction txnMarkerResult=ABORT | Empty = INVALID_TXN_STATE
shouldAbortExpiredTransactionsInOngoingStateAndBumpEpoch | 0.11.0.3 2.5.1 3.9.1 4.3.1 | Ongoing | abortTimedOutTransactions | PrepareAbort
shouldNotAbortExpiredTransactionsThatHaveAPendingStateTransition | 0.11.0.3 2.5.1 3.9.1 4.3.1 | PrepareCommit | abortTimedOutTransactions | PrepareCommit ignored
shouldNotAbortExpiredTransactionsThatHaveAPendingStateTransition | 0.11.0.3 2.5.1 3.9.1 4.3.1 | PrepareAbort | abortTimedOutTransactions | PrepareAbort ignored
shouldNotAbortExpiredTransactionsThatHaveAPendingStateTransition | 0.11.0.3 2.5.1 3.9.1 4.3.1 | Empty | abortTimedOutTransactions | Empty ignored
shouldNotAbortExpiredTransactionsThatHaveAPendingStateTransition | 0.11.0.3 2.5.1 3.9.1 4.3.1 | CompleteCommit | abortTimedOutTransactions | CompleteCommit ignored
shouldNotAbortExpiredTransactionsThatHaveAPendingStateTransition | 0.11.0.3 2.5.1 3.9.1 4.3.1 | CompleteAbort | abortTimedOutTransactions | CompleteAbort ignored
testEndTxnWhenStatusIsCompleteCommitAndResultIsCommitInV1 | 4.0.0 4.3.1 | CompleteCommit | handleEndTransaction txnMarkerResult=COMMIT clientTransactionVersion=TV_0 isRetry=False | CompleteCommit = NONE
testEndTxnWhenStatusIsCompleteCommitAndResultIsCommitInV2 | 4.0.0 4.3.1 | CompleteCommit | handleEndTransaction txnMarkerResult=COMMIT clientTransactionVersion=TV_2 isRetry=True | CompleteCommit = NONE
testEndTxnWhenStatusIsCompleteCommitAndResultIsCommitInV2 | 4.0.0 4.3.1 | CompleteCommit | handleEndTransaction txnMarkerResult=COMMIT clientTransactionVersion=TV_2 isRetry=False | CompleteCommit = INVALID_TXN_STATE
testEndTxnRequestWhenStatusIsCompleteCommitAndResultIsAbortInV1 | 4.0.0 4.3.1 | CompleteCommit | handleEndTransaction txnMarkerResult=ABORT clientTransactionVersion=TV_1 isRetry=False | CompleteCommit = INVALID_TXN_STATE
testEndTxnRequestWhenStatusIsCompleteCommitAndResultIsAbortInV2 | 4.0.0 4.3.1 | CompleteCommit | handleEndTransaction txnMarkerResult=ABORT clientTransactionVersion=TV_2 isRetry=False | PrepareAbort = NONE
testEndTxnRequestWhenStatusIsCompleteCommitAndResultIsAbortInV2 | 4.0.0 4.3.1 | CompleteCommit | handleEndTransaction txnMarkerResult=ABORT clientTransactionVersion=TV_2 isRetry=True | CompleteCommit = INVALID_TXN_STATE
testEndTxnWhenStatusIsCompleteAbortAndResultIsAbortInV1 | 4.0.0 4.3.1 | CompleteAbort | handleEndTransaction txnMarkerResult=ABORT clientTransactionVersion=TV_0 isRetry=False | CompleteAbort = NONE
shouldReturnOkOnEndTxnWhenStatusIsCompleteAbortAndResultIsAbortInV2 | 4.0.0 4.3.1 | CompleteAbort | handleEndTransaction txnMarkerResult=ABORT clientTransactionVersion=TV_2 isRetry=False | PrepareAbort = NONE
shouldReturnOkOnEndTxnWhenStatusIsCompleteAbortAndResultIsAbortInV2 | 4.0.0 4.3.1 | CompleteAbort | handleEndTransaction txnMarkerResult=ABORT clientTransactionVersion=TV_2 isRetry=True | CompleteAbort = NONE
shouldReturnInvalidTxnRequestOnEndTxnRequestWhenStatusIsCompleteAbortAndResultIsNotAbort | 4.0.0 4.3.1 | CompleteAbort | handleEndTransaction txnMarkerResult=COMMIT clientTransactionVersion=TV_2 isRetry=False | CompleteAbort = INVALID_TXN_STATE
shouldReturnConcurrentTxnRequestOnEndTxnRequestWhenStatusIsPrepareCommit | 4.0.0 4.3.1 | PrepareCommit | handleEndTransaction txnMarkerResult=COMMIT clientTransactionVersion=TV_2 isRetry=False | PrepareCommit = CONCURRENT_TRANSACTIONS
shouldReturnInvalidTxnRequestOnEndTxnRequestWhenStatusIsPrepareAbort | 4.0.0 4.3.1 | PrepareAbort | handleEndTransaction txnMarkerResult=COMMIT clientTransactionVersion=TV_2 isRetry=False | PrepareAbort = INVALID_TXN_STATE
TestEndTxnRequestWhenEmptyTransactionStateForAbortInV1 | 4.0.0 4.3.1 | Empty | handleEndTransaction txnMarkerResult=ABORT clientTransactionVersion=TV_1 isRetry=False | Empty = INVALID_TXN_STATE
TestEndTxnRequestWhenEmptyTransactionStateForAbortInV2 | 4.0.0 4.3.1 | Empty | handleEndTransaction txnMarkerResult=ABORT clientTransactionVersion=TV_2 isRetry=False | PrepareAbort = NONE
TestEndTxnRequestWhenEmptyTransactionStateForCommitInV2 | 4.0.0 4.3.1 | Empty | handleEndTransaction txnMarkerResult=COMMIT clientTransactionVersion=TV_2 isRetry=False | Empty = INVALID_TXN_STATE
shouldAppendPrepareCommitToLogOnEndTxnWhenStatusIsOngoingAndResultIsCommit | 4.0.0 4.3.1 | Ongoing | handleEndTransaction txnMarkerResult=COMMIT clientTransactionVersion=TV_2 isRetry=False | PrepareCommit = NONE
shouldAppendPrepareAbortToLogOnEndTxnWhenStatusIsOngoingAndResultIsAbort | 4.0.0 4.3.1 | Ongoing | handleEndTransaction txnMarkerResult=ABORT clientTransactionVersion=TV_2 isRetry=False | PrepareAbort = NONE
""",
    CONTROLLER: """
a broker starts and is not the controller | 0.8.2.2 1.1.1 3.9.1 3.9.2 | | | Resigned ? not isActive
testControllerMoveOnTopicCreation | 0.8.2.2 1.1.1 3.9.1 3.9.2 | | elect | Elected ? isActive
testControllerMoveOnTopicCreation | 0.8.2.2 1.1.1 3.9.1 3.9.2 | | to_Elected | Elected ? isActive
testControllerMove | 0.8.2.2 1.1.1 3.9.1 3.9.2 | | elect; onControllerResignation | Resigned ? not isActive
testControllerMove | 0.8.2.2 1.1.1 3.9.1 3.9.2 | | onControllerResignation | Resigned ignored
a controller that runs for election again | 0.8.2.2 1.1.1 3.9.1 3.9.2 | Elected | elect | Elected ignored
testControllerDetectsBouncedBrokers | 0.8.2.2 1.1.1 3.9.1 3.9.2 | Elected | to_Gone; to_Resigned; elect | Elected
what is gone runs for nothing | 0.8.2.2 1.1.1 3.9.1 3.9.2 | Gone | elect | Gone refused
what is gone runs for nothing | 0.8.2.2 1.1.1 3.9.1 3.9.2 | Gone | to_Elected | Gone refused
what is gone runs for nothing | 0.8.2.2 1.1.1 3.9.1 3.9.2 | Gone | onControllerResignation | Gone refused
a broker that was not the controller is not missed | 0.8.2.2 1.1.1 3.9.1 3.9.2 | | to_Gone | Resigned refused
""",
}
