"""A plugin for pytest that hands tests a mutant in place of a spec: `pytest -p
statemachines.mutate.plugin --mutant 'Order@2.0#12'`.
"""

from __future__ import annotations

from typing import Any

from statemachines.model.definitions.machine_definitions import SpecDefinition
from statemachines.mutate.operators.machine_mutants import mutant_spec
from statemachines.notation import load_spec, machine_of
from statemachines.notation.sources.file_cache import substitute_spec, was_loaded

NEVER_LOADED = 10
"""Exit code of a run whose tests passed without loading the spec."""
_REQUESTED: list[SpecDefinition] = []


def pytest_addoption(parser: Any) -> None:
    """Add our option.

    Args:
        parser: pytest's, to which it is added.
    """
    parser.addoption(
        "--mutant",
        metavar="SPEC[@RELEASE]#N",
        help="hand out mutant N of a spec, as `statemachines mutate` numbers it; 0: none",
    )


def pytest_configure(config: Any) -> None:
    """Put the mutant in place before any test is collected.

    Args:
        config: pytest's.
    """
    option = config.getoption("--mutant")
    if option:
        _REQUESTED[:] = [requested_spec(option)]
        substitute_spec(_REQUESTED[0])


def pytest_sessionfinish(session: Any, exitstatus: int) -> None:
    """Say so where the tests have not loaded the spec at all.

    Args:
        session: pytest's, at its end.
        exitstatus: of the run.
    """
    if _REQUESTED and exitstatus == 0 and not was_loaded(_REQUESTED[0]):
        session.exitstatus = NEVER_LOADED


def requested_spec(option: str) -> SpecDefinition:
    """Return the spec of a mutant.

    Args:
        option: such as `shop/Order#3`, `Order@2.0#3`, `specs/Order.yaml#0`.

    Returns:
        The changed spec.

    Raises:
        SpecError: there is no such spec, or it has errors.
        ValueError: there is no such release or mutant.
    """
    named, _, number = option.rpartition("#")
    name, at, release = named.rpartition("@")
    name = name if at else named
    if not name or not number.isdigit():
        raise ValueError(f"`{option}` names no mutant; write SPEC#3 or SPEC@RELEASE#3")
    spec = load_spec(name)
    return mutant_spec(spec, machine_of(spec, (release if at else "") or None), int(number))
