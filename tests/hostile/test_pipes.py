"""A pipe that nobody writes to, in the place of any file that a command reads.

Covers: statemachines.model.opened_files.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from statemachines.cli import main

LAMP = """
notation: 1
machine: Lamp
states: {OFF: {initial: true}, ON: }
transitions: [{from: OFF, to: ON}, {from: ON, to: OFF}]
"""


@pytest.mark.parametrize(
    "words",
    [
        ["lint", "PIPE.yaml"],
        ["ask", "PIPE.yaml", "OFF", "ON"],
        ["check", "a.log", "--spec", "PIPE.yaml"],
        ["init", "new.yaml", "--from", "PIPE.json"],
    ],
)
def test_a_pipe_that_nobody_writes_to_is_named(
    words: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Whoever put it there: no command waits for ever."""
    monkeypatch.chdir(tmp_path)
    os.mkfifo("PIPE.yaml")
    os.mkfifo("PIPE.json")
    Path("a.log").write_text("")
    assert main(words) == 2
    said = capsys.readouterr()
    assert "nobody has written to it" in said.out + said.err


def test_a_spec_may_come_from_a_pipe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As a shell gives what a program prints."""
    monkeypatch.chdir(tmp_path)
    os.mkfifo("PIPE.yaml")
    writer = threading.Thread(target=Path("PIPE.yaml").write_text, args=(LAMP,))
    writer.start()
    code = main(["lint", "PIPE.yaml"])
    writer.join()
    assert (code, capsys.readouterr().out) == (0, "no problems in 1 spec\n")
