"""A search that one process keeps goes on in another, whose sets have another order.

Covers: statemachines.explore.checkpoints.value_fingerprints.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from statemachines.explore.checkpoints.value_fingerprints import fingerprint_values
from statemachines.model.language.frozen_values import FrozenMap

ROOT = Path(__file__).parents[3]
PUBLISHED = "tests/published/models/"
SEARCHES = {
    "a map made of a set": ("examples/TwoPhaseCommit", "RM=4", (300, 900)),
    "a system": (f"{PUBLISHED}CommitSystem.yaml", "RM=4", (300, 900)),
    "promises": (f"{PUBLISHED}FairCommit.yaml", "", (10, 20)),
}


@pytest.mark.parametrize("kind", SEARCHES)
def test_a_search_goes_on_where_sets_have_another_order(kind: str, tmp_path: Path) -> None:
    """Each process hashes texts anew: what is kept must not depend on that, nor what is said at the end."""
    name, scope, ceilings = SEARCHES[kind]
    options = [name, *(["--scope", scope] if scope else []), "--traces", "all"]
    kept = ["--resume", str(tmp_path / "search")]
    for seed, most in enumerate(ceilings):
        code, told = _explored([*options, *kept, "--most-states", str(most)], seed)
        assert code == 3, told
    assert _explored([*options, *kept], 7) == _explored(options, 8)
    assert not list(tmp_path.iterdir())


def test_the_order_of_a_map_is_no_part_of_its_mark() -> None:
    """As it is no part of what is compared; what it holds is."""
    first, second = FrozenMap({"a": 1, "b": 2}), FrozenMap({"b": 2, "a": 1})
    assert first == second
    assert fingerprint_values(first) == fingerprint_values(second)
    assert fingerprint_values(first) != fingerprint_values(FrozenMap({"a": 2, "b": 1}))


def _explored(options: list[str], seed: int) -> tuple[int, str]:
    """Explore in a process of its own; return its exit code and what it printed, without how long it took."""
    environment = {**os.environ, "PYTHONHASHSEED": str(seed), "COLUMNS": "100"}
    command = [sys.executable, "-m", "statemachines.cli", "explore", *options]
    ended = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=False)
    return ended.returncode, re.sub(r"\d[\d.,]* s\b", "", ended.stdout.decode())
