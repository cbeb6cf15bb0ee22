"""The table of a shipped machine in one release, read from its file by hand: YAML, names of releases in their order, and nothing of the package.

What a machine is asked for by its transitions alone is written so; others are not, and are not read.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import yaml

SPECS = Path(__file__).parents[1] / "specs"
PLAIN = {"from", "to", "event", "in", "doc", "source", "silent", "by", "taken", "guard", "effect", "returns", "after", "raises", "let"}  # fmt: skip


@cache
def document(path: str) -> dict[str, Any]:
    """A file; every scalar is a text."""
    loaded = yaml.load((SPECS / path).read_text("utf-8"), Loader=yaml.BaseLoader)
    assert isinstance(loaded, dict)
    return loaded


def is_in(ranges: str, release: str, family: dict[str, Any], own: dict[str, Any]) -> bool:
    """Whether a release is one of `2.8.0..3.1.0, 4.0.0..`, of an era, or of both of `era & 2.8.0..`."""
    if "&" in ranges:
        return all(is_in(part, release, family, own) for part in ranges.split("&"))
    releases = family["releases"]
    eras = {**family.get("eras", {}), **own.get("eras", {})}
    for part in ranges.split(","):
        text = part.strip()
        if text in eras:
            era = eras[text]
            if is_in(era["is"] if isinstance(era, dict) else era, release, family, own):
                return True
            continue
        first, dots, last = text.partition("..")
        low = releases.index(first) if first else 0
        high = releases.index(last) if last else len(releases) - 1 if dots else low
        if low <= releases.index(release) <= high:
            return True
    return False


def texts(value: Any) -> list[str]:
    """One text or several."""
    return [value] if isinstance(value, str) else list(value)


def written_moves(name: str, release: str) -> frozenset[tuple[str, str]] | None:
    """From and to of the transitions that a machine has in a release; None where the file says some in another way."""
    own = document(f"{name}.yaml")
    family = document(f"{own['family']}/{own['family']}.yaml")

    def exists(entry: Any) -> bool:
        ranges = entry.get("in") if isinstance(entry, dict) else None
        return ranges is None or is_in(ranges, release, family, own)

    states = [
        state
        for state, about in own["states"].items()
        if any(map(exists, about if isinstance(about, list) else [about]))
    ]
    moves = set[tuple[str, str]]()
    for entry in own["transitions"]:
        if set(entry) - PLAIN:
            return None
        if not exists(entry):
            continue
        sources = texts(entry.get("from", "*"))
        for source in states if sources == ["*"] else sources:
            for target in texts(entry.get("to", [])):
                if {source, target} <= set(states):
                    moves.add((source, target))
    return frozenset(moves)
