"""A cluster that is not there is noticed at once, and said.

Covers: statemachines.conform.engines.spark.cluster.sessions.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from statemachines.conform.engines.spark.cluster.sessions import SessionFailed, check_server_answers


@pytest.fixture
def listening() -> Iterator[str]:
    """A port of this machine where something answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"127.0.0.1:{server.getsockname()[1]}"


@pytest.fixture
def silent() -> str:
    """A port of this machine where nothing answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return f"127.0.0.1:{server.getsockname()[1]}"


@pytest.mark.parametrize("scheme", ["sc", "spark"])
def test_nobody_waits_for_what_is_not_there(scheme: str, silent: str) -> None:
    """Left alone, Spark tries again for ten minutes without a word."""
    with pytest.raises(SessionFailed, match="nothing answers at"):
        check_server_answers(f"{scheme}://{silent}")


def test_one_of_several_masters_is_enough(listening: str, silent: str) -> None:
    """A standby is often down."""
    check_server_answers(f"spark://{silent},{listening}")
    check_server_answers(f"sc://{listening}/;user_id=me")


@pytest.mark.parametrize("url", [None, "local[2]", "yarn", "k8s://https://127.0.0.1:1"])
def test_what_names_no_host_and_port_of_ours_is_left_to_spark(url: str | None) -> None:
    """Only what is known is knocked at."""
    check_server_answers(url)
