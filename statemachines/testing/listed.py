"""The coverage of all tests that were made in this process, for whoever prints it."""

from __future__ import annotations

from typing import Any

LISTED: list[Any] = []
"""The `Coverage` of each test, in the order in which they were made."""


def coverage_table() -> str:
    """Return what the tests made by `from_machine` went through, as lines for people; empty where none has run."""
    return "\n".join(coverage.table() for coverage in LISTED if coverage.lives)
