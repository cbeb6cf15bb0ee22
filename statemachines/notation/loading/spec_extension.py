"""A file that adds lines to a machine of the catalogue."""

from __future__ import annotations

from attrs import evolve

from statemachines.model.definitions.machine_definitions import SpecDefinition
from statemachines.model.diagnosis.diagnostics import Diagnostic, Span
from statemachines.notation.document.yaml_nodes import YamlMapping
from statemachines.notation.log_passes.log_pass import read_lines_and_patterns
from statemachines.notation.log_passes.observable_names import (
    machine_observables,
    unknown_observables,
)
from statemachines.notation.passes.spec_builder import SpecBuilder


def extend_spec(work: SpecBuilder, base: SpecDefinition) -> tuple[SpecDefinition, list[Diagnostic]]:
    """Return a machine with an extension's lines behind its own, and what is wrong with them.

    Args:
        work: the extension, its shape checked.
        base: the machine that it names.

    Returns:
        The machine, and the diagnostics.
    """
    if base.log is None:
        return base, [
            Diagnostic(
                "SM605",
                f"`{base.name}` has no log to add lines to",
                extended_name_span(work),
                "extend a machine that has a log",
            )
        ]
    work.family, work.family_log, work.releases, work.states = (
        base.family,
        base.family_log,
        base.releases,
        base.states,
    )
    work.base_line_count = len(base.log.lines)
    diagnostics: list[Diagnostic] = []
    node = work.root.get("log")
    added, patterns = (
        read_lines_and_patterns(node, dict(base.log.patterns), work, diagnostics)
        if isinstance(node, YamlMapping)
        else ((), {})
    )
    diagnostics += (
        unknown_observables(node, machine_observables(base), base.log.instance)
        if isinstance(node, YamlMapping)
        else ()
    )
    log = evolve(base.log, lines=base.log.lines + added, patterns=tuple(patterns.items()))
    return evolve(base, log=log), diagnostics


def extended_name_span(work: SpecBuilder) -> Span:
    """Return where an extension names its machine.

    Args:
        work: the spec that is read; what is read is put into it.

    Returns:
        File, line and column.
    """
    node = work.root.get("extends")
    return node.span if node else work.root.span
