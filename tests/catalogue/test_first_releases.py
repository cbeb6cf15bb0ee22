"""Warnings that were found in the logs of late releases, and that earlier ones write as well: their
ranges begin where the sources have the words first.
"""

from __future__ import annotations

import pytest

from tests.catalogue.readings import readings

C = "[Consumer clientId=c-1, groupId=billing] "
OFFSETS = "{orders-0=OffsetAndMetadata{offset=7, leaderEpoch=null, metadata=''}}"
FIRST = [
    (
        "AbstractCoordinator",
        "0.11.0.3",
        "1.0.0",
        f"{C}Asynchronous auto-commit of offsets {OFFSETS} failed: gone",
    ),
    (
        "AbstractCoordinator",
        "0.11.0.3",
        "1.0.0",
        f"{C}Synchronous auto-commit of offsets {OFFSETS} failed: gone",
    ),
    (
        "KafkaProcess",
        "3.3.2",
        "3.4.0",
        "[SharedServer id=101] Got exception while starting SharedServer",
    ),
    (
        "Partition",
        "3.4.1",
        "3.5.0",
        "[QuorumController id=1] Rejecting AlterPartition request from node 2 for rf3-1 because the current leader is 1.",
    ),
    (
        "Partition",
        "3.5.0",
        "3.4.1",
        "[Controller 1] Rejecting AlterPartition request from node 2 for rf3-1 because the current leader is 1.",
    ),
    (
        "MembershipManager",
        None,
        "3.7.0",
        f"{C}The onPartitionsAssigned method completed with an error (gone); signaling to continue to the next phase of rebalance",
    ),
]
"""Machine, a release without the line, the next one that has it, the line."""


@pytest.mark.parametrize(("machine", "without", "first", "line"), FIRST)
def test_a_warning_is_read_from_the_release_that_has_it_first(
    machine: str, without: str | None, first: str, line: str
) -> None:
    """A range that begins late takes a client of 1.0 for one of 3.8, or calls its line none of its."""
    assert readings(line, first, (f"kafka/{machine}",))
    if without is not None:
        assert not readings(line, without, (f"kafka/{machine}",))
