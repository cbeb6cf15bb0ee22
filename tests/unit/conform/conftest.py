"""What tests of judging share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.doors import House


@pytest.fixture
def house(tmp_path: Path) -> House:
    """Return a spec of a house with doors, and a folder for its logs."""
    return House(tmp_path)
