"""Machines that a spec names, in the specs folder in which it lies itself."""

from __future__ import annotations

from pathlib import Path

from statemachines.notation.passes.spec_builder import SpecBuilder
from statemachines.notation.sources.file_cache import file_exists


def neighbouring_spec(work: SpecBuilder, named: str) -> Path | None:
    """Find the machine that an extension or a system names in its own specs folder; None: it is one
    of the catalogue.

    Args:
        work: the spec that is read; what is read is put into it.
        named: the machine, as the spec names it.

    Returns:
        The path of its file.
    """
    if work.path is None:
        return None
    folders = [folder for folder in work.path.absolute().parents if folder.name == "specs"]
    files = (folder / f"{named}.yaml" for folder in (*folders, work.path.parent))
    return next((file for file in files if file_exists(file)), None)
