"""What samples mean."""

from __future__ import annotations

from datetime import UTC, datetime

from statemachines.logs import Timestamp


def moment(at: str | None) -> Timestamp | None:
    """The moment that a sample's `at` means."""
    if at is None:
        return None
    if at[2] == ":":
        time = datetime.fromisoformat(f"1970-01-01T{at}").replace(tzinfo=UTC)
        return Timestamp(round(time.timestamp() * 1000), dated=False)
    time = datetime.fromisoformat(at)
    return Timestamp(
        round((time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp() * 1000),
        zoned=time.tzinfo is not None,
    )
