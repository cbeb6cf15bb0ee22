"""Tests from a machine: a Hypothesis test that drives a program and the machine side by side."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from statemachines.testing.session_coverage import coverage_table
    from statemachines.testing.stateful import from_machine

__all__ = ["coverage_table", "from_machine"]

_HOMES = {"coverage_table": "session_coverage", "from_machine": "stateful"}


def __getattr__(name: str) -> object:
    """Import what is asked for when it is asked for: the pytest plugin is loaded in runs that have
    no use for Hypothesis.
    """
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
