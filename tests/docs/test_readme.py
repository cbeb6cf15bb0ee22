"""The report in the README is a real one."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


def test_the_report_in_the_readme_is_what_the_command_prints() -> None:
    """A report that was made up, or is from yesterday, would promise what the program does not do."""
    shown = re.search(r"```text\n(ILL.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
    command = [
        sys.executable,
        "-m",
        "statemachines.cli",
        "check",
        "examples/logs/kraft_dead_brokers",
    ]
    environment = {**os.environ, "COLUMNS": "120", "NO_COLOR": "1"}
    printed = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, check=True
    ).stdout.decode("utf-8")
    assert shown is not None
    assert shown[1].rstrip() == printed.rstrip()
