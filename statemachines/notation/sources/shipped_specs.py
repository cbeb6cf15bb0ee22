"""Where the shipped specs lie."""

from __future__ import annotations

from pathlib import Path


def specs_folder() -> Path:
    """Return the folder of the shipped specs: within the installed package, else beside it in a
    checkout.
    """
    package = Path(__file__).resolve().parent.parent.parent
    inside = package / "specs"
    return inside if inside.is_dir() else package.parent / "specs"
