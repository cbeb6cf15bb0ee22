"""Exploring systems, as rows that a person reads."""

from __future__ import annotations

from collections.abc import Iterable

from statemachines.explore.options import ExplorationOptions
from statemachines.explore.results.property_results import PropertyResult
from statemachines.explore.results.system_results import SystemTrace
from statemachines.explore.system_exploration import explore_system
from statemachines.model.definitions.system_definitions import SystemDefinition
from statemachines.report.exploration.exploration_report import (
    ExplorationReport,
    PropertyReport,
    TraceRow,
    abstract_start_text,
    with_abstract_side,
)
from statemachines.report.exploration.last_steps import last_step
from statemachines.report.exploration.scope_texts import scope_from_texts
from statemachines.report.exploration.system_run_texts import (
    system_snapshot_text,
    system_trace_rows,
)
from statemachines.report.exploration.system_trace_programs import system_program
from statemachines.semantics.system.system_tables import system_tables


def system_exploration_report(
    system: SystemDefinition, texts: Iterable[str], how: ExplorationOptions, expression: str
) -> ExplorationReport:
    """Explore a system; see `explore.explored`.

    Args:
        system: in one release.
        texts: such as `Task=3,int=0..3`; see `scope_from_texts`.
        how: symmetry, limits.
        expression: Python that gives the system.

    Returns:
        What was found, in words.

    Raises:
        ArgumentsError: the scope does not fit the system.
    """
    exploration = explore_system(
        system, scope_from_texts(system_tables(system).behaviour.machine, texts), how
    )
    title = f"{system.name} {system.release}".strip()
    return ExplorationReport(
        exploration,
        title,
        tuple(
            system_property_report(system, result, expression) for result in exploration.examined
        ),
    )


def system_property_report(
    system: SystemDefinition, result: PropertyResult[SystemTrace], expression: str
) -> PropertyReport:
    """Return what exploring says of one property of a system, for a person.

    Args:
        system: in one release.
        result: what exploring says.
        expression: Python that gives the system, for programs.

    Returns:
        Title, verdict, message, and the steps of its trace.
    """
    doc, trace = result.property.doc if result.property else "", result.trace
    if trace is None:
        return PropertyReport(result.verdict, result.name, result.said, doc, "", (), None, "")
    rows = (
        TraceRow(row.number, row.event, row.outcome)
        for row in system_trace_rows(trace.begin, trace.steps)
    )
    program = system_program(system, trace, expression)
    return PropertyReport(
        result.verdict,
        result.name,
        result.said,
        doc,
        system_snapshot_text(trace.begin),
        with_abstract_side(result, rows),
        trace.loop_start,
        program,
        abstract_start_text(result),
        last_step(result, system),
    )
