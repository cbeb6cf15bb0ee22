"""Reports of the captured logs beside the checkout, each made once."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from statemachines.conform import check
from statemachines.model.evidence.reports import Finding, Report, TimelineStep

CAPTURED = Path(__file__).parent.parent.parent.parent / "shared" / "logs" / "captured"


@cache
def report(name: str, *files: str) -> Report:
    """Judge a capture, or some files of it, without its truth."""
    folder = CAPTURED / name
    paths = [folder / file for file in files] or sorted(
        p for p in folder.rglob("*") if p.is_file() and p.name != "truth.json"
    )
    return check(paths, engine="local")


@cache
def truth(name: str) -> dict[str, Any]:
    """Return what truly happened, as it was recorded outside of the log."""
    found: dict[str, Any] = json.loads((CAPTURED / name / "truth.json").read_text("utf-8"))
    return found


def at(report: Report, file: str, line: int) -> list[Finding]:
    """Return the findings at a line of a file."""
    return [
        f
        for f in report.findings
        if f.place and f.place.file.endswith("/" + file) and f.place.line == line
    ]


def told(report: Report, machine: str, **key: object) -> list[TimelineStep]:
    """Return the told steps of the instances of a machine whose keys have some values."""
    wanted = set(key.items())
    return [
        s
        for s in report.timeline
        if s.how == "told" and s.machine.endswith("/" + machine) and wanted <= set(s.instance)
    ]


def moves(steps: Sequence[TimelineStep]) -> list[str]:
    """Write steps as `FROM -> TO`."""
    return [f"{step.source} -> {step.target}" for step in steps]
