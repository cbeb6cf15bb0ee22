"""What a member of a classic group complains of is read in every release that says it so.

The first releases are those whose `kafka-clients` jar has the message.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import statemachines as sm

LOGGER = "org.apache.kafka.clients.consumer.internals.ConsumerCoordinator"
COMPLAINTS = (
    ("WARN", "The following subscribed topics are not assigned to any members: [orders] ", "1.0.0"),
    ("ERROR", "Offset commit with offsets {orders-0=7} failed", "1.0.0"),
    ("ERROR", "JoinGroup failed due to fatal error: its protocols are others", "2.7.0"),
)


def unjudged(folder: Path, level: str, message: str, release: str) -> list[str]:
    """Return why lines are not judged of a log of a release."""
    log = folder / "app.log"
    log.write_text(
        f"[2026-11-22 20:00:00,100] INFO Kafka version: {release} (org.apache.kafka.common.utils.AppInfoParser)\n"
        f"[2026-11-22 20:00:01,000] {level} [Consumer clientId=c-1, groupId=billing] {message} ({LOGGER})\n",
        "utf-8",
    )
    return [row.why for row in sm.check([log]).unjudged if row.why.startswith("not a line of")]


@pytest.mark.parametrize(("level", "message", "first"), COMPLAINTS)
def test_it_is_read_from_its_first_release_on(
    tmp_path: Path, level: str, message: str, first: str
) -> None:
    """Else a log of then that has no banner would be taken for one of a later release."""
    assert unjudged(tmp_path, level, message, first) == []


def test_before_that_it_was_said_otherwise(tmp_path: Path) -> None:
    """Up to 2.6 a member that cannot join says `Attempt to join group failed`."""
    level, message, _ = COMPLAINTS[2]
    assert unjudged(tmp_path, level, message, "2.6.3") == ["not a line of 2.6.3"]
