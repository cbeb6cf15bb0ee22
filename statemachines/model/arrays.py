"""Arrays of numbers: numpy, where it is installed. It is loaded on first use, for that takes longer
than what is small takes without it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
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


_THREADS_VARIABLE = "OPENBLAS_NUM_THREADS"
"""Says how many threads the linear algebra of numpy starts when it is loaded."""


class _Loading:
    """How arrays are loaded in this process."""

    without_threads = False


@contextmanager
def loaded_without_threads() -> Iterator[None]:
    """Load arrays without the threads of their linear algebra, which nothing here uses: for a
    process that is ours, and so goes on being one of which copies can be made.
    """
    before, _Loading.without_threads = _Loading.without_threads, True
    try:
        yield
    finally:
        _Loading.without_threads = before


def is_loaded_without_threads() -> bool:
    """Say whether loading arrays starts no threads, or they are loaded already."""
    return _Loading.without_threads or is_numpy_loaded()


@cache
def load_numpy() -> Any:
    """Return numpy.

    Raises:
        ImportError: it is not installed.
    """
    if not _Loading.without_threads or _THREADS_VARIABLE in os.environ:
        return import_module("numpy")
    os.environ[_THREADS_VARIABLE] = "1"
    try:
        return import_module("numpy")
    finally:
        del os.environ[_THREADS_VARIABLE]
