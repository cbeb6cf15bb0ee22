"""What starting costs: `python benchmarks/starting.py [--runs 8]`, in CPU seconds.

Prints a row for each of some commands, each in a process of its own, the least of some runs: Python
alone, what a user's program imports, `--version`, `--help`, and `check` of a log of 200 lines by
the whole catalogue, which an earlier check has left in the cache; beside them pyarrow, as a measure
of what one library costs.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

LINES = 200
VERBS = "-m", "statemachines"


def small_log(file: Path) -> None:
    """Write some lines of a program's start and some records of it."""
    settings = [f"\tsetting.{index} = {index % 3 or 'null'}" for index in range(LINES // 2)]
    records = [
        f"[2026-11-21 15:46:{index // 2 % 60:02},566] INFO [Controller id=1] Looked at {index}"
        " (shop.controller.Controller)"
        for index in range(LINES // 2)
    ]
    file.write_text("\n".join([records[0], *settings, *records[1:]]) + "\n", encoding="utf-8")


def cpu_seconds(command: tuple[str, ...]) -> float:
    """Run Python once, and return its CPU seconds, of the user and the system."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *command], capture_output=True, check=False, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(folder: Path, runs: int) -> None:
    """Measure in turns, and print the least of each."""
    log = folder / "small.log"
    small_log(log)
    commands = {
        "python -c pass": ("-c", "pass"),
        "import pyarrow": ("-c", "import pyarrow"),
        "import statemachines": ("-c", "import statemachines"),
        "statemachines --version": (*VERBS, "--version"),
        "statemachines --help": (*VERBS, "--help"),
        f"statemachines check, {LINES} lines": (*VERBS, "check", str(log)),
    }
    for command in commands.values():
        cpu_seconds(command)
    least = {
        name: min(seconds)
        for name, *seconds in zip(
            commands,
            *([cpu_seconds(command) for command in commands.values()] for _ in range(runs)),
            strict=True,
        )
    }
    for name, seconds in least.items():
        print(f"{name:32}{seconds:8.3f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=8)
    with tempfile.TemporaryDirectory() as place:
        main(Path(place), parser.parse_args().runs)
