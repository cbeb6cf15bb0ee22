"""What `mine` finds of life cycles that are known.

Covers: statemachines.mining.mined_specs, statemachines.mining.checked_drafts.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import statemachines as sm
from benchmarks.mined import lines
from tests.mined import mined_against_spec

LOGS = Path(__file__).parents[3] / "examples" / "logs"


@pytest.mark.parametrize(
    ("machine", "folders", "shown"),
    [
        ("kafka/StreamThread", ["stream_rebalance", "thread_death"], 10),
        ("kafka/KafkaStreams", ["stream_rebalance", "thread_death"], 6),
        ("kafka/PartitionStateMachine", ["dead_brokers"], 3),
    ],
)
def test_a_draft_has_all_steps_that_real_logs_show_and_no_wrong_one(
    machine: str, folders: list[str], shown: int
) -> None:
    """The spec that people wrote is the judge; the miner never sees it."""
    found = mined_against_spec(machine, [LOGS / folder for folder in folders])
    assert len(found.transitions.shown) == shown
    assert found.transitions.found >= found.transitions.shown
    assert found.states.found == found.states.shown
    assert found.transitions.wrong == frozenset()


def test_what_a_draft_misses_is_printed() -> None:
    """States that a program writes with their data, `FollowerState(epoch=3)`, are not found."""
    found = mined_against_spec("kafka/QuorumState", [LOGS / "kraft_dead_brokers"])
    assert found.transitions.shown - found.transitions.found
    table = "\n".join(lines("kafka/QuorumState", found))
    assert "missed Candidate -> Leader" in table


def test_a_named_file_that_is_no_log_is_an_error(tmp_path: Path) -> None:
    """A draft would be said to hold over logs of which some were not read."""
    archive = tmp_path / "more.zip"
    archive.write_bytes(b"PK\x03\x04 and what it holds")
    result = sm.mine([LOGS / "thread_death", archive])
    assert [error.partition(": ")[0] for error in result.errors] == [str(archive)]
    assert sm.mine([tmp_path]).errors == ()
