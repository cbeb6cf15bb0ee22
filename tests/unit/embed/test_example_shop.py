"""The shop of `examples/shop` does what its README says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from statemachines.cli import main

pytest.importorskip("sqlalchemy")
FOLDER = Path(__file__).parents[3] / "examples" / "shop"


def test_its_commands_succeed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of the README, in their order; what it writes goes elsewhere."""
    monkeypatch.chdir(tmp_path)
    for name in ("Order.yaml", "shop.py"):
        (tmp_path / name).write_text((FOLDER / name).read_text())
    commands = re.findall(r"^\$ (.+?)(?: +#.*)?$", (FOLDER / "README.md").read_text(), re.MULTILINE)
    assert len(commands) == 5
    for command in commands[:4]:
        words = command.split()
        if words[0] == "python":
            subprocess.run([sys.executable, *words[1:]], check=True, capture_output=True)
        else:
            assert main(words[1:]) == 0, command


def test_its_tests_pass() -> None:
    """In a process of their own, as a person runs them."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-c",
        "/dev/null",
        "-p",
        "no:cacheprovider",
        ".",
    ]
    done = subprocess.run(command, cwd=FOLDER, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "5 passed" in done.stdout
