"""What all tests share."""

from __future__ import annotations

from pathlib import Path

import pytest

SHARED = Path(__file__).parent.parent.parent / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The captures and facts beside the checkout; a test that needs them is skipped where they are not."""
    if not SHARED.is_dir():
        pytest.skip("needs ../shared (captured logs, facts) beside the checkout")
    return SHARED
