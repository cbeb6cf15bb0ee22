"""Memory that is not used any more, given back to the system."""

from __future__ import annotations

import ctypes
from contextlib import suppress


def return_unused_memory() -> None:
    """Give back what lies unused between what is used: arrays of many sizes come and go while rows
    are gone through, and as much as they took may stay with the process. It takes milliseconds;
    where the C library has no such thing, nothing is done.

    Source: malloc_trim(3) of glibc.
    """
    with suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)
