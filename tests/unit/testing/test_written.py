"""`generate test` writes a pytest file that people read, and that runs as it is.

Covers: statemachines.testing.pytest_files.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from statemachines.cli import main
from statemachines.testing.pytest_files import pytest_source
from tests.data_machines import EXAMPLES, example
from tests.machines import ORDER, TURNSTILE
from tests.planted.worker import WORKER

SETTINGS = """
from hypothesis import settings
settings.register_profile("few", max_examples=3, stateful_step_count=5, database=None, deadline=None)
settings.load_profile("few")
"""


def test_it_reads_as_if_written_by_hand() -> None:
    """One life of a small machine."""
    text = pytest_source(TURNSTILE)
    assert (
        text[text.index("def test_life_1") :]
        == '''\
def test_life_1() -> None:
    """Planned: transitions, guards and refusals on one way."""
    subject = make_subject()
    subject.coin()
    assert subject.state == "OPEN"
    subject.coin()
    subject.push()
    assert subject.state == "LOCKED"


def test_life_2() -> None:
    """Planned: transitions, guards and refusals on one way."""
    subject = make_subject()
    with pytest.raises(REFUSALS):
        subject.push()
'''
    )


@pytest.mark.parametrize(
    "machine", [ORDER, WORKER, *map(example, EXAMPLES)], ids=lambda machine: machine.name
)
def test_every_one_is_a_program(machine: object) -> None:
    """Also where runs cannot be written out: the whole test stays."""
    text = pytest_source(machine)
    compile(text, "test_made.py", "exec")
    assert "from_machine(MACHINE, make_subject" in text
    assert pytest_source(machine) == text


def test_it_runs_as_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With the machine itself in place of the program; a file that is there is not overwritten."""
    (tmp_path / "conftest.py").write_text(SETTINGS)
    for name in ("BankAccount", "Orders", "BoundedCounter"):
        assert (
            main(
                [
                    "generate",
                    "test",
                    f"examples/{name}",
                    "-o",
                    str(tmp_path / f"test_{name.lower()}.py"),
                ]
            )
            == 0
        )
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "-W",
            "error",
            str(tmp_path),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert (
        main(["generate", "test", "examples/Orders", "-o", str(tmp_path / "test_orders.py")]) == 1
    )
    assert "exists already" in capsys.readouterr().err
