"""How many processes read the files of a check."""

from __future__ import annotations

import os
from collections.abc import Sequence

from statemachines.conform.engines.inputs import Input

PARALLEL_BYTES = 512 << 20
"""Logs that are smaller are read sooner by one process than others have started."""


def process_count(jobs: int, inputs: Sequence[Input]) -> int:
    """Return how many processes shall read some files.

    Args:
        jobs: what was asked for; 0: as many as there are cores, if the files are large enough.
        inputs: the files.
    """
    if jobs:
        return jobs
    size = sum(entry.path.stat().st_size for entry in inputs)
    return _usable_cores() if size >= PARALLEL_BYTES else 1


def _usable_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
