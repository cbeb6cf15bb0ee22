"""What readings of logs depend on: told by every part of it, and alike in every process.

Covers: statemachines.conform.engines.state.reading_keys.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from statemachines.conform.check_options import CheckOptions
from statemachines.conform.checking import make_request
from statemachines.conform.engines.state.reading_keys import judging_key, reading_keys

PRINT_KEYS = """
from statemachines.conform.check_options import CheckOptions
from statemachines.conform.checking import make_request
from statemachines.conform.engines.state.reading_keys import judging_key, reading_keys
request = make_request(CheckOptions(levels=[("kafka", "INFO")]))
print(reading_keys(request.plan, request.layouts), judging_key(request.plan))
"""
LONG = "a time that is written in many words " * 8
LAYOUT = """
layouts:
- name: ours
  pattern: "%d{{yyyy-MM-dd '{words}' HH:mm:ss}} %p %m%n"
  samples:
  - text: "2026-01-01 {words} 00:00:00 INFO a message"
    at: "2026-01-01T00:00:00"
    level: INFO
    message: a message
"""


def keys_with(folder: Path, words: str) -> Mapping[str, str]:
    folder.mkdir()
    (layout := folder / "ours.yaml").write_text(LAYOUT.format(words=words))
    request = make_request(CheckOptions(layouts=[str(layout)]))
    return reading_keys(request.plan, request.layouts)


def test_they_are_the_same_in_every_process() -> None:
    """Whatever order sets have there."""
    told = {
        subprocess.run(
            [sys.executable, "-c", PRINT_KEYS],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in "12"
    }
    assert len(told) == 1
    assert "version of statemachines" in told.pop()


def test_a_layout_is_told_by_all_of_its_pattern(tmp_path: Path) -> None:
    """However long what stands before the difference is."""
    first, same, other = (
        keys_with(tmp_path / name, words)
        for name, words in (("a", LONG), ("b", LONG), ("c", f"{LONG}more"))
    )
    assert first == same
    assert {name for name in first if first[name] != other[name]} == {"layouts"}


def test_each_option_of_judging_counts() -> None:
    """But for those that say how lines are read."""
    plans = [
        make_request(CheckOptions(**given)).plan
        for given in ({}, {"tolerance": 5}, {"levels": [("kafka", "INFO")]}, {"release": "3.9"})
    ]
    assert len(set(map(judging_key, plans))) == len(plans)
