"""What a report calls a process that its lines name."""

from __future__ import annotations

from pathlib import Path

import pytest

import statemachines as sm

FAMILY = """
notation: 1
family: house
releases: ["1"]
log: {process: PROCESS, patterns: {building: '[A-Z]+'}, lines: [{text: "the building {building} is open", says: process begins, logger: H, level: INFO}]}
"""
DOOR = """
notation: 1
machine: Door
family: house
states: {SHUT: {initial: true}, OPEN: }
transitions: [{from: SHUT, to: OPEN}]
log: {lines: [{text: "the door went from {from} to {to}", says: step, logger: D, level: INFO}]}
"""


@pytest.mark.parametrize(
    ("process", "name"), [("building", "building A"), ("{building: house}", "house A")]
)
def test_a_process_is_called_as_the_family_says(tmp_path: Path, process: str, name: str) -> None:
    """The field names it; what people call it need not be the field."""
    (tmp_path / "house.yaml").write_text(FAMILY.replace("PROCESS", process), "utf-8")
    (tmp_path / "Door.yaml").write_text(DOOR, "utf-8")
    lines = "INFO the building A is open (H)\nINFO the door went from SHUT to OPEN (D)\n"
    (tmp_path / "a.log").write_text(
        "".join(f"[2026-01-01 10:00:00,000] {line}\n" for line in lines.splitlines()), "utf-8"
    )
    report = sm.check([tmp_path / "a.log"], specs=[tmp_path / "Door.yaml"], engine="local")
    assert [row.process for row in report.now] == [name]
