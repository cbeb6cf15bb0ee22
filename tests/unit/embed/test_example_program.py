"""The example program of `examples/jobs` does what its README says."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from statemachines.cli import main
from statemachines.testing import from_machine
from tests.effort import some_of

FOLDER = Path(__file__).parents[3] / "examples" / "jobs"


def test_its_commands_succeed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of the README, in their order; what it writes goes elsewhere."""
    monkeypatch.chdir(tmp_path)
    for name in ("Job.yaml", "worker.py"):
        (tmp_path / name).write_text((FOLDER / name).read_text())
    commands = re.findall(r"^\$ (.+?)(?: +#.*)?$", (FOLDER / "README.md").read_text(), re.MULTILINE)
    assert len(commands) == 6
    for command in commands[:5]:
        words = command.split()
        if words[0] == "python":
            subprocess.run([sys.executable, *words[1:]], check=True, capture_output=True)
        else:
            assert main(words[1:]) == 0, command
    assert (tmp_path / "job.svg").read_text().rstrip().endswith("</svg>")


def test_its_tests_pass() -> None:
    """In a process of their own, as a person runs them; the long one is below."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-c",
        "/dev/null",
        "-p",
        "no:cacheprovider",
        "-k",
        "not TestJob",
        ".",
    ]
    done = subprocess.run(command, cwd=FOLDER, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "3 passed" in done.stdout


def test_its_class_follows_the_machine() -> None:
    """The one line of its tests that tests every event in every state."""
    found = importlib.util.spec_from_file_location("example_worker", FOLDER / "worker.py")
    assert found is not None
    assert found.loader is not None
    worker = importlib.util.module_from_spec(found)
    sys.modules[found.name] = worker
    found.loader.exec_module(worker)
    few = settings(
        max_examples=some_of(15),
        stateful_step_count=15,
        database=None,
        deadline=None,
        phases=[Phase.generate],
    )
    run_state_machine_as_test(from_machine(worker.MACHINE, worker.Job), settings=few)
