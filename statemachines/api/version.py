"""The version of this package."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed

_DISTRIBUTION = "lifecycle-statemachines"


def version() -> str:
    """Return the installed version, or `unknown` where the package runs from a folder that was
    never installed.
    """
    try:
        return installed(_DISTRIBUTION)
    except PackageNotFoundError:
        return "unknown"
