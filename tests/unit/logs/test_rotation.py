"""Which files are one log, and in which order.

Covers: statemachines.logs.storage.rotated_files.
"""

from __future__ import annotations

import random

import pytest

from statemachines.logs import rotation_key

STYLES = [
    ["app.log.3.gz", "app.log.2", "app.log.1", "app.log"],
    ["app.log.11", "app.log.10", "app.log.9", "app.log"],
    [
        "server.log.2026-11-21-09",
        "server.log.2026-11-21-21",
        "server.log.2026-11-22-00",
        "server.log",
    ],
    ["app.log-20261120.gz", "app.log-20261121", "app.log"],
    ["app.log-20261121-1500", "app.log-20261121-1600.zst", "app.log"],
    [
        "app.log.2026-11-20.0.gz",
        "app.log.2026-11-20.1.gz",
        "app.log.2026-11-20.10.gz",
        "app.log.2026-11-21.0",
        "app.log",
    ],
    ["app.log.2026-11-20.bz2", "app.log.2026-11-21", "app.log"],
    ["logs/app.2026-11-20.1", "logs/app.2026-11-20.2", "logs/app"],
]


@pytest.mark.parametrize("names", STYLES, ids=[names[0] for names in STYLES])
def test_rotated_files_are_one_log_oldest_first(names: list[str]) -> None:
    """Numbers count away from now, dates towards it."""
    shuffled = random.Random(1).sample(names, len(names))
    assert sorted(shuffled, key=lambda name: rotation_key(name)[1]) == names
    assert {rotation_key(name)[0] for name in names} == {names[-1]}


@pytest.mark.parametrize(
    "name",
    [
        "app.log",
        "app1.log",
        "broker-1.log",
        "app-2026.txt",
        "v1.2.3.log",
        "2026-11-21.log",
        "12345",
    ],
)
def test_a_number_in_a_name_is_no_rotation(name: str) -> None:
    """Brokers are numbered too."""
    assert rotation_key(name)[0] == name


def test_compression_is_no_part_of_a_logs_name() -> None:
    """The last file may be compressed too."""
    assert rotation_key("app.log.gz") == rotation_key("app.log")
