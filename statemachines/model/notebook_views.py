"""What a notebook shows of a value: a layer above says so, for values know nothing of pictures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

NotebookView = Callable[[Any], dict[str, str]]
"""Returns by media type what stands for a value."""
_VIEWS: dict[type, NotebookView] = {}


def register_notebook_view(kind: type, view: NotebookView) -> None:
    """Let values of a class, and of those below it, be shown so from here on.

    Args:
        kind: the class.
        view: what is asked for a value of it.
    """
    _VIEWS[kind] = view


def notebook_view(value: object) -> dict[str, str]:
    """Return what stands for a value, by media type: its text alone where nothing is registered.

    Args:
        value: of any class.

    Returns:
        `text/plain`, and what else its view gives.
    """
    for kind in type(value).__mro__:
        if kind in _VIEWS:
            return _VIEWS[kind](value)
    return {"text/plain": repr(value)}
