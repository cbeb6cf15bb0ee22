"""The shipped layouts, kept read: their files are YAML, which takes as long as a small log."""

from __future__ import annotations

import contextlib
import hashlib
import pickle
import pkgutil
from functools import cache
from pathlib import Path

from statemachines.logs.layouts.layout_files import load_layout_text
from statemachines.logs.layouts.text_layouts import Layouts
from statemachines.model.kept_values import cache_folder, read_kept, sources_key, write_kept

ARCHIVED = "read_layouts.pickle"
"""A file beside this one, in archives of the package that their makers keep layouts in."""


@cache
def default_layouts() -> Layouts:
    """The layouts that are shipped, from the user's cache where it has them."""
    folder = layout_folder()
    if not folder.is_dir():
        return archived_layouts()
    return kept_layouts(folder, cache_folder())


def archived_layouts() -> Layouts:
    """Return the layouts where the package is run from an archive: as `ARCHIVED` has them, else
    read from their files.
    """
    try:
        data = pkgutil.get_data(__package__, ARCHIVED)
    except OSError:
        data = None
    layouts: Layouts = pickle.loads(data) if data else read_layouts()
    return layouts


def layout_folder() -> Path:
    """Return the folder in which the files of the shipped layouts lie."""
    return Path(__file__).parent


def read_layouts() -> Layouts:
    """Read the layouts that are shipped from their files."""
    from importlib import resources

    folder = resources.files("statemachines.logs") / "layouts"
    loaded = [
        load_layout_text((folder / name).read_text(encoding="utf-8"), name)
        for name in ("text.yaml", "json.yaml")
    ]
    return loaded[0].followed_by(loaded[1])


def kept_layouts(folder: Path, kept: Path) -> Layouts:
    """Return the shipped layouts from a cache, and keep them there where it has none or others.

    Args:
        folder: in which the files of layouts lie.
        kept: the folder of the cache.

    Returns:
        The layouts in the order of their files.
    """
    key = _layouts_key(folder)
    place = hashlib.sha256(str(Path(__file__).parent).encode()).hexdigest()[:16]
    file = kept / f"layouts-{place}.pickle"
    layouts: Layouts | None = read_kept(file, key)
    if layouts is None:
        layouts = read_layouts()
        with contextlib.suppress(OSError):
            write_kept(file, key, layouts)
    return layouts


def _layouts_key(folder: Path) -> bytes:
    """Hash all that the layouts depend on: their files, and the code that reads them."""
    whole = hashlib.sha256(sources_key("logs", "model"))
    for path in sorted(folder.glob("*.yaml")):
        data = path.read_bytes()
        whole.update(f"{path.name} {len(data)}\n".encode() + data)
    return whole.digest()
