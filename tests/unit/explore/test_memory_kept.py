"""A memory limit is kept by what the kernel counts, whatever is looked for, and however it ends.

Covers: statemachines.explore.resources.memory, statemachines.explore.resources.limits,
statemachines.explore.verdicts.searched_graphs.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

PUBLISHED = Path(__file__).parents[2] / "published/models"
TOLD = """
notation: 1
machine: Told
types: {RM: 0..6}
variables:
  prepared: {type: "map[RM, bool]", initial: "{r: False for r in RM}"}
  told: {type: "map[RM, bool]", initial: "{r: False for r in RM}"}
  gone: {type: "map[RM, bool]", initial: "{r: False for r in RM}"}
states: {OPEN: {initial: true}, SHUT: }
events: {prepare: {args: {r: RM}}, tell: {args: {r: RM}}, leave: {args: {r: RM}}, shut: }
transitions:
  - {from: OPEN, event: prepare, effect: {prepared: "prepared | {r: True}"}}
  - {from: OPEN, event: tell, guard: "prepared[r]", effect: {told: "told | {r: True}"}}
  - {from: OPEN, event: leave, effect: {gone: "gone | {r: not gone[r]}"}}
  - {from: OPEN, to: SHUT, event: shut, guard: "all(told[r] for r in RM)"}
leads to:
  shuts: {when: "state == 'OPEN'", then: "state == 'SHUT'", assuming: [shut]}
"""
MODELS = {
    "with a refinement": ["examples/TwoPhaseCommit", "--scope", "RM=7"],
    "with a promise": ["Told.yaml"],
    "a system": [str(PUBLISHED / "CommitSystem.yaml"), "--scope", "RM=6"],
    "a system with links": ["kafka/StreamsApplication", "--scope", "Thread=4"],
}
RUN = """
import sys
from pathlib import Path
from statemachines.cli import main

code = main(["explore", *sys.argv[1:], "--traces", "none"])
peak = next(line for line in Path("/proc/self/status").read_text().splitlines() if "VmHWM" in line)
print("peak", int(peak.split()[1]) / 1024, "code", code)
"""


def explored(folder: Path, *arguments: str) -> tuple[float, int, str]:
    """The most that the process took, in MiB, its code, and what it said."""
    (folder / "Told.yaml").write_text(TOLD, "utf-8")
    command = [sys.executable, "-c", RUN, *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=folder)
    found = re.search(r"peak ([\d.]+) code (\d)", done.stdout)
    assert found is not None
    return float(found[1]), int(found[2]), done.stdout


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the kernel must tell the peak")
@pytest.mark.parametrize("limit", [90, 100, 115, 130])
@pytest.mark.parametrize("model", MODELS)
def test_a_memory_limit_is_kept(model: str, limit: int, tmp_path: Path) -> None:
    """It is not passed, and what was not seen for its sake is not said to hold."""
    peak, code, said = explored(tmp_path, *MODELS[model], "--memory", str(limit))
    assert peak <= limit
    is_cut = f"the ceiling of {limit} MiB of memory" in said
    assert code in ((1, 3) if is_cut else (0, 1))  # what is broken is broken, cut or not
    assert not (is_cut and said.lstrip().startswith("HOLDS"))


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the kernel must tell the peak")
def test_how_much_would_do_is_said_where_it_is_too_little_to_begin(tmp_path: Path) -> None:
    """With that much it begins, and keeps it; the first of all runs reads the catalogue."""
    explored(tmp_path, *MODELS["with a refinement"], "--memory", "20")
    _, code, said = explored(tmp_path, *MODELS["with a refinement"], "--memory", "20")
    least = re.search(r"the ceiling of 20 MiB of memory; it takes (\d+) to begin", said)
    assert code == 3
    assert least is not None
    peak, _, begun = explored(tmp_path, *MODELS["with a refinement"], "--memory", least[1])
    assert peak <= int(least[1])
    states = re.search(r"([\d,]+) states", begun)
    assert states is not None, begun
    assert int(states[1].replace(",", "")) > 1
