"""Keeps the collector of garbage away for a while.

It goes through values that have no cycles again and again while they gather (a third of the time of
a dense log, or of reading a catalogue), and it runs other people's callbacks at any moment.
"""

from __future__ import annotations

import atexit
import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """Collect nothing."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


class _SetAside:
    """Who set the objects of this process aside. `gc` tells it by counting them all, which costs
    30 ms a million: it is asked once where somebody else did.
    """

    by_us = False
    by_others = False


@contextmanager
def only_new_collected() -> Iterator[None]:
    """Collect what is made from here on only; what is there stays unlooked at until the end. Where
    somebody else has set objects aside, nothing is changed.
    """
    if not (_SetAside.by_us or _SetAside.by_others):
        _SetAside.by_others = gc.get_freeze_count() > 0
    if _SetAside.by_us or _SetAside.by_others:
        yield
        return
    gc.freeze()
    _SetAside.by_us = True
    try:
        yield
    finally:
        _SetAside.by_us = False
        gc.unfreeze()


_NEW_OBJECTS = 100_000
"""How many objects are made before it is worth looking which of them are garbage: a small check
makes fewer that stay, and a large one frees most of what it makes without the collector.
"""


@contextmanager
def rarely_collected() -> Iterator[None]:
    """Collect a hundred times more rarely than Python does by itself, and not at all when the
    process ends: for a process that is ours.

    Importing and loading make a hundred thousand objects that all stay, and looking through them
    again and again is two fifths of the time of a small check.
    """
    before = gc.get_threshold()
    atexit.register(gc.freeze)
    gc.set_threshold(_NEW_OBJECTS, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
