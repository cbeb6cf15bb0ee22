"""The checks that cost more than loading may: samples against all lines, reachability, entries that
never count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from statemachines.model.definitions.machine_definitions import SpecDefinition
from statemachines.model.diagnosis.diagnostics import Diagnostic
from statemachines.notation.linting.doubted_machines import unknown_doubted_machines
from statemachines.notation.linting.line_fields import (
    merged_instances,
    missing_loggers,
    misspelt_fields,
    unbraced_fields,
)
from statemachines.notation.linting.line_samples import (
    conflicting_samples,
    unread_family_samples,
    unread_samples,
)
from statemachines.notation.linting.precedence_puzzles import precedence_puzzles
from statemachines.notation.linting.state_reachability import (
    dead_ends,
    empty_machines,
    shadowed_fallbacks,
    unreachable_states,
)
from statemachines.notation.linting.times_never_due import times_never_due
from statemachines.notation.loading.spec_catalogue import read_spec
from statemachines.notation.passes.spec_builder import ParsedFamilies

Check = Callable[[SpecDefinition], list[Diagnostic]]

CHECKS: tuple[Check, ...] = (
    empty_machines,
    unreachable_states,
    dead_ends,
    shadowed_fallbacks,
    times_never_due,
    missing_loggers,
    merged_instances,
    unbraced_fields,
    misspelt_fields,
    unread_samples,
    conflicting_samples,
    unread_family_samples,
)
"""Each reports all that it finds in one spec."""


def lint(
    specs: Iterable[SpecDefinition | str | Path] | SpecDefinition | str | Path,
    *,
    folder: Path | None = None,
) -> list[Diagnostic]:
    """Report everything that is wrong with some specs.

    Args:
        specs: machines, catalogue names or paths; of one that cannot be loaded, what prevents it is
            reported.
        folder: the specs folder of catalogue names; None for the shipped one.

    Returns:
        Errors and warnings, each once, in the order of the specs.
    """
    many = (specs,) if isinstance(specs, SpecDefinition | str | Path) else tuple(specs)
    families: ParsedFamilies = {}
    diagnostics: list[Diagnostic] = []
    for named in many:
        if isinstance(named, SpecDefinition):
            spec: SpecDefinition | None = named
        else:
            reading = read_spec(named, folder=folder, families=families)
            diagnostics += reading.diagnostics
            spec = reading.spec
            if reading.builder is not None:
                diagnostics += precedence_puzzles(reading.builder.root, reading.builder.kind)
                if spec is not None and reading.builder.path is not None:
                    diagnostics += unknown_doubted_machines(spec, reading.builder.path)
        if spec is not None:
            diagnostics += [wrong for check in CHECKS for wrong in check(spec)]
    return list(dict.fromkeys(diagnostics))
