"""The shipped layouts and wrappers, kept read: their files are YAML, which takes as long as a small
log; and what the wrappers leave of a line.
"""

from __future__ import annotations

import contextlib
import hashlib
import pickle
import pkgutil
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from attrs import evolve

from statemachines.logs.layouts.layout_files import load_layout_text
from statemachines.logs.layouts.text_layouts import Layouts
from statemachines.logs.layouts.wrappers import (
    UnwrappedLine,
    Wrapper,
    read_wrappers,
    without_colours,
)
from statemachines.model.kept_values import cache_folder, read_kept, sources_key, write_kept

ARCHIVED = "read_layouts.pickle"
"""A file beside this one, in archives of the package that their makers keep layouts in."""


class ShippedLayouts(NamedTuple):
    """How lines are laid out, and what stands around them."""

    layouts: Layouts
    wrappers: tuple[Wrapper, ...]


def default_layouts() -> Layouts:
    """The layouts that are shipped."""
    return shipped_layouts().layouts


def default_wrappers() -> tuple[Wrapper, ...]:
    """The wrappers that are shipped, in the order in which they are tried."""
    return shipped_layouts().wrappers


@cache
def shipped_layouts() -> ShippedLayouts:
    """All that is shipped, from the user's cache where it has that."""
    folder = layout_folder()
    if not folder.is_dir():
        return archived_layouts()
    return kept_layouts(folder, cache_folder())


def archived_layouts() -> ShippedLayouts:
    """Return what is shipped where the package is run from an archive: as `ARCHIVED` has them, else
    read from their files.
    """
    try:
        data = pkgutil.get_data(__package__, ARCHIVED)
    except OSError:
        data = None
    shipped: ShippedLayouts = pickle.loads(data) if data else read_layouts()
    return shipped


def layout_folder() -> Path:
    """Return the folder in which the files of the shipped layouts lie."""
    return Path(__file__).parent


def read_layouts() -> ShippedLayouts:
    """Read what is shipped from its files."""
    from importlib import resources

    folder = resources.files("statemachines.logs") / "layouts"
    loaded = [
        load_layout_text((folder / name).read_text(encoding="utf-8"), name)
        for name in ("text.yaml", "json.yaml")
    ]
    return ShippedLayouts(loaded[0].followed_by(loaded[1]), read_wrappers())


def kept_layouts(folder: Path, cache: Path) -> ShippedLayouts:
    """Return what is shipped from a cache, and keep them there where it has none or others.

    Args:
        folder: in which the files of layouts lie.
        cache: the folder of the cache.

    Returns:
        Layouts and wrappers in the order of their files.
    """
    key = _layouts_key(folder)
    place = hashlib.sha256(str(Path(__file__).parent).encode()).hexdigest()[:16]
    file = cache / f"layouts-{place}.pickle"
    shipped: ShippedLayouts | None = read_kept(file, key)
    if shipped is None:
        shipped = read_layouts()
        with contextlib.suppress(OSError):
            write_kept(file, key, shipped)
    return shipped


def _layouts_key(folder: Path) -> bytes:
    """Hash all that the layouts depend on: their files, and the code that reads them."""
    whole = hashlib.sha256(sources_key("logs", "model"))
    for path in sorted(folder.glob("*.yaml")):
        data = path.read_bytes()
        whole.update(f"{path.name} {len(data)}\n".encode() + data)
    return whole.digest()


_BARE_LINE = re.compile(r"\[?\d\d(?:\d\d-\d\d-\d\d (?!\S+ [+-]\d{4} \S+: \{|\S+\t[\[{\d])|:\d\d:)")
"""No wrapper begins like this, and most programs' own lines do."""
_MOST_NESTED = 4
"""How many wrappers may stand around one another (syslog around docker around compose)."""


def unwrap(text: str) -> UnwrappedLine:
    """Take off every wrapper of a line, from outside to inside, and its colours.

    Args:
        text: a line as it stands in the file.

    Returns:
        What the program wrote, and what was around it: process, time, stream.
    """
    peeled = UnwrappedLine(without_colours(text))
    if _BARE_LINE.match(peeled.inner):
        return peeled
    for _ in range(_MOST_NESTED):
        inner = _unwrap_once(peeled)
        if inner is None:
            break
        peeled = evolve(inner, inner=without_colours(inner.inner))
    return peeled


def _unwrap_once(outer: UnwrappedLine) -> UnwrappedLine | None:
    first = outer.inner[:1]
    for wrapper in default_wrappers() if first else ():
        if first in wrapper.first_characters and (unwrapped := wrapper.unwrap(outer)) is not None:
            return unwrapped
    return None
