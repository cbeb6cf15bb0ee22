"""The shipped specs, compiled: what no test changes is read once a process, and not by each test that asks for it.

That the compiled catalogue is what the files say is a test of its own (`tests/unit/notation/test_catalogues.py`).
"""

from __future__ import annotations

from functools import cache

import statemachines as sm
from statemachines.model.definitions.machine_definitions import MachineDefinition, SpecDefinition
from statemachines.model.definitions.system_definitions import SystemSpecDefinition
from statemachines.notation import cached_specs_and_systems, machine_of
from statemachines.notation.loading.log_catalogue import SpecsAndSystems


@cache
def _catalogue() -> SpecsAndSystems:
    return cached_specs_and_systems()


def shipped_specs() -> tuple[SpecDefinition, ...]:
    """All machines, in the order of their names."""
    return _catalogue()[0]


@cache
def shipped_spec(name: str) -> SpecDefinition:
    """One machine by its whole name, such as `examples/Peterson`, in all its releases."""
    return next(spec for spec in shipped_specs() if spec.name == name)


@cache
def shipped_system(name: str) -> SystemSpecDefinition:
    """One system by its whole name, in all its releases."""
    return next(system for system in _catalogue()[1] if system.name == name)


@cache
def shipped_machine(name: str, release: str | None = None) -> MachineDefinition:
    """One machine in one release; in the newest where none is named."""
    return machine_of(shipped_spec(name), release)


@cache
def shipped(name: str) -> sm.Spec:
    """One machine as users hold it."""
    return sm.Spec(shipped_spec(name))
