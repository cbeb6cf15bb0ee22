"""What all tests share."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

SHARED = Path(__file__).parent.parent.parent / "shared"

settings.register_profile("steady", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("steady")
# The same examples in every run, so that a commit's result does not change, and no clock: a busy machine is no failure.
# `pytest --hypothesis-profile=default` looks for new examples.


@pytest.fixture(scope="session")
def shared() -> Path:
    """The captures and facts beside the checkout; a test that needs them is skipped where they are not."""
    if not SHARED.is_dir():
        pytest.skip("needs ../shared (captured logs, facts) beside the checkout")
    return SHARED


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With several processes (`-n auto --dist loadgroup`) a file's tests run in one, and so do all that share an engine."""
    if not config.pluginmanager.hasplugin("xdist"):
        return
    for item in items:
        file = item.path.relative_to(Path(__file__).parent)
        item.add_marker(pytest.mark.xdist_group(file.parts[0] if file.parts[0] in ("spark", "kafka") else str(file)))
