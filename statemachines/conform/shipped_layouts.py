"""The shipped layouts, kept read: their files are YAML, which takes as long as a small log."""

from __future__ import annotations

import contextlib
import hashlib
from functools import cache
from pathlib import Path

from statemachines.logs import Layouts, default_layouts, layout_folder
from statemachines.notation.sources.kept_values import (
    cache_folder,
    read_kept,
    sources_key,
    write_kept,
)


@cache
def shipped_layouts() -> Layouts:
    """Return what `default_layouts` returns, from the user's cache where it has it."""
    return kept_layouts(cache_folder()) if layout_folder().is_dir() else default_layouts()


def kept_layouts(folder: Path) -> Layouts:
    """Return the shipped layouts from a cache, and keep them there where it has none or others."""
    key = _layouts_key()
    place = hashlib.sha256(str(layout_folder()).encode()).hexdigest()[:16]
    file = folder / f"layouts-{place}.pickle"
    found: Layouts | None = read_kept(file, key)
    if found is None:
        found = default_layouts()
        with contextlib.suppress(OSError):
            write_kept(file, key, found)
    return found


def _layouts_key() -> bytes:
    """Hash all that the layouts depend on: their files, and the code that reads them."""
    whole = hashlib.sha256(sources_key("logs", "model"))
    for path in sorted(layout_folder().glob("*.yaml")):
        data = path.read_bytes()
        whole.update(f"{path.name} {len(data)}\n".encode() + data)
    return whole.digest()
