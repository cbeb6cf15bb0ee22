"""The checks that cost more than loading may: samples against all lines, reachability, entries that never count."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from statemachines.model.diagnostics import Diagnostic
from statemachines.model.machines import Spec
from statemachines.notation.catalogues import Families, read_spec
from statemachines.notation.linting.loggers import missing_loggers
from statemachines.notation.linting.reachability import dead_ends, unreachable_states
from statemachines.notation.linting.samples import cross_readings, family_samples, unread_samples
from statemachines.notation.linting.shadows import shadowed_entries

Check = Callable[[Spec], list[Diagnostic]]

CHECKS: tuple[Check, ...] = (
    unreachable_states,
    dead_ends,
    shadowed_entries,
    missing_loggers,
    unread_samples,
    cross_readings,
    family_samples,
)
"""Each reports all that it finds in one spec."""


def lint(specs: Iterable[Spec | str | Path] | Spec | str | Path, *, folder: Path | None = None) -> list[Diagnostic]:
    """Report everything that is wrong with some specs.

    Args:
        specs: machines, catalogue names or paths; of one that cannot be loaded, what prevents it is reported.
        folder: the specs folder of catalogue names; None for the shipped one.

    Returns:
        Errors and warnings, each once, in the order of the specs.
    """
    many = (specs,) if isinstance(specs, Spec | str | Path) else tuple(specs)
    families: Families = {}
    found: list[Diagnostic] = []
    for one in many:
        if isinstance(one, Spec):
            spec: Spec | None = one
        else:
            reading = read_spec(one, folder=folder, families=families)
            found += reading.diagnostics
            spec = reading.spec
        if spec is not None:
            found += [wrong for check in CHECKS for wrong in check(spec)]
    return list(dict.fromkeys(found))
