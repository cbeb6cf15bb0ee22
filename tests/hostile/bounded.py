"""A program run as a user runs it, within bounds of time and memory."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from attrs import frozen

SEAL = """\
notation: 1
machine: Seal
states: {WET: {initial: true}, DRY: }
transitions: [{from: WET, to: DRY}]
log:
  instance: [id]
  patterns: {id: '[^ ]+'}
  lines:
    - {text: "seal {id} went from {from} to {to}", says: step, logger: zoo.Keeper, level: INFO}
"""
"""A spec of one step."""
STEP = "2026-03-04 08:00:00,001 INFO seal {} went from WET to DRY (zoo.Keeper)\n"
"""A line of it."""


@frozen
class Ended:
    """How the program ended."""

    code: int
    out: str
    said: str
    """On standard error."""


def run(
    folder: Path,
    *words: str,
    limit_s: float = 120,
    before: Callable[[], object] | None = None,
    **how: object,
) -> Ended:
    """Run the command line in a folder; a traceback and the end by a signal are never right.

    Args:
        folder: working and temporary folder.
        words: after the program's name.
        limit_s: it must have ended by then, also on a busy machine that compiles the catalogue first.
        before: run in the new process before the program.
    """
    paths = [str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")]
    done = subprocess.run(
        [sys.executable, "-m", "statemachines", *words],
        cwd=folder,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        timeout=limit_s,
        preexec_fn=before,
        env={
            **os.environ,
            "TMPDIR": str(folder),
            "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        },
        **{"stdout": subprocess.PIPE, **how},
    )
    assert "Traceback" not in done.stderr, done.stderr[-2000:]
    assert done.returncode in (0, 1, 2, 3, 130), done.returncode
    return Ended(done.returncode, done.stdout or "", done.stderr)
