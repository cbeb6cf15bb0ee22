"""Tests from a machine: a Hypothesis test that drives a program and the machine side by
side; of a system too, and with several threads.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from statemachines.model.extras import install_command

if TYPE_CHECKING:
    from statemachines.testing.session_coverage import coverage_table
    from statemachines.testing.stateful import from_machine
    from statemachines.testing.systems.system_tests import from_system
    from statemachines.testing.threads.thread_checks import check_threads

__all__ = ["check_threads", "coverage_table", "from_machine", "from_system"]

_HOMES = {
    "check_threads": "threads.thread_checks",
    "coverage_table": "session_coverage",
    "from_machine": "stateful",
    "from_system": "systems.system_tests",
}


def __getattr__(name: str) -> object:
    """Import what is asked for when it is asked for: the pytest plugin is loaded in runs that have
    no use for Hypothesis.
    """
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        module = import_module(f"{__name__}.{_HOMES[name]}")
    except ModuleNotFoundError as missing:
        if missing.name not in ("hypothesis", "pytest"):
            raise
        message = f"`{name}` needs {missing.name}: {install_command('test')}"
        raise ModuleNotFoundError(message, name=missing.name) from None
    return getattr(module, name)
