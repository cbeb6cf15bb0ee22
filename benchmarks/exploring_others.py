"""What exploring costs beside Stateright 0.31, both measured in one run: CPU seconds and memory.

Usage: python benchmarks/exploring_others.py [MANAGERS [MEMORY]]

Two-phase commit with so many resource managers (8; with 9 it has 10,340,352 states), as
examples/TwoPhaseCommit.yaml has it and as benchmarks/stateright/src/main.rs has it. The Rust
program is built in a temporary folder; cargo fetches Stateright. MEMORY (such as 512MB) is given to
our side as `--memory`.

Stateright looks at four of the properties; ours looks at all that the spec claims, the refinement
too, and its seconds include starting Python and reading the spec. The bytes a state are those of
the whole process.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

SOURCE = Path(__file__).parent / "stateright"


def build_stateright(folder: Path) -> Path:
    """Build the Rust program in a folder; return where it lies."""
    shutil.copytree(SOURCE, folder / "stateright")
    subprocess.run(
        ["cargo", "build", "--release", "--quiet"], cwd=folder / "stateright", check=True
    )
    return folder / "stateright/target/release/two-phase-commit"


def measured(command: Sequence[str]) -> tuple[str, float, int]:
    """Run a command; return what it prints, its CPU seconds, and its bytes of memory at most."""
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(command, stdout=output)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        return output.read(), used.ru_utime + used.ru_stime, used.ru_maxrss * 1024


def counts(text: str) -> tuple[int, int]:
    """Return states and steps from what a program prints: its first two large numbers."""
    found = [int(one.replace(",", "")) for one in re.findall(r"(?<![\w=])\d[\d,]{3,}", text)]
    return found[0], found[1]


def row(name: str, output: str, seconds: float, memory: int) -> float:
    """Print a line of the result; return steps a CPU second."""
    states, steps = counts(output)
    print(
        f"{name:16} {states:>11,} states {steps:>12,} steps {seconds:8.2f} s"
        f" {steps / seconds / 1e6:6.2f} M/s {memory / 1e6:7,.0f} MB,"
        f" {memory / states:.0f} bytes a state"
    )
    return steps / seconds


def main(managers: str = "8", memory: str = "") -> None:
    """Measure and print."""
    ours = [sys.executable, "-m", "statemachines", "explore", "examples/TwoPhaseCommit"]
    ours += ["--scope", f"RM={managers}", "--traces", "none", "--most-states", "100000000"]
    ours += ["--memory", memory] if memory else []
    with tempfile.TemporaryDirectory() as folder:
        theirs = row("Stateright 0.31", *measured([str(build_stateright(Path(folder))), managers]))
    mine = row("statemachines", *measured(ours))
    print(f"{mine / theirs:.2f} times as many steps a CPU second as Stateright")


if __name__ == "__main__":
    main(*sys.argv[1:])
