"""Arrays of numbers: numpy, where it is installed. It is loaded on first use, for that takes longer
than what is small takes without it.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any


def is_numpy_installed() -> bool:
    """Say whether there are arrays; everything works without them, slower where there is much."""
    return find_spec("numpy") is not None


@cache
def load_numpy() -> Any:
    """Return numpy.

    Raises:
        ImportError: it is not installed.
    """
    return import_module("numpy")
