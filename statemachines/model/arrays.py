"""Arrays of numbers: numpy, where it is installed. It is loaded on first use, for that takes longer
than what is small takes without it.
"""

from __future__ import annotations

import sys
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any


def is_numpy_installed() -> bool:
    """Say whether there are arrays; everything works without them, slower where there is much."""
    return find_spec("numpy") is not None


def is_numpy_loaded() -> bool:
    """Say whether arrays cost nothing any more, for something has used them."""
    return "numpy" in sys.modules


@cache
def load_numpy() -> Any:
    """Return numpy.

    Raises:
        ImportError: it is not installed.
    """
    return import_module("numpy")
