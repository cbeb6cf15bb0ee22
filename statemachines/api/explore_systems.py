"""Exploring systems, as rows that a person reads."""

from __future__ import annotations

from collections.abc import Iterable

from statemachines.api.explore import Explored, Row, Shown, scope_of
from statemachines.api.system_traces import system_program
from statemachines.api.walking_systems import begin_said, system_rows
from statemachines.explore.exploring import How
from statemachines.explore.exploring_systems import explore_system
from statemachines.explore.system_results import SystemExamined
from statemachines.model.systems import System
from statemachines.semantics.systems import tables_of_system


def system_explored(system: System, texts: Iterable[str], how: How, expression: str) -> Explored:
    """Explore a system; see `explore.explored`.

    Raises:
        ArgumentsError: the scope does not fit the system.
    """
    found = explore_system(system, scope_of(tables_of_system(system).behaviour.machine, texts), how)
    title = f"{system.name} {system.release}".strip()
    return Explored(found, title, tuple(_shown(system, one, expression) for one in found.examined))


def _shown(system: System, one: SystemExamined, expression: str) -> Shown:
    doc, trace = one.property.doc if one.property else "", one.trace
    if trace is None:
        return Shown(one.verdict, one.name, one.said, doc, "", (), None, "")
    rows = tuple(Row(each.number, each.event, each.became) for each in system_rows(trace.begin, trace.steps))
    program = system_program(system, trace, expression)
    return Shown(one.verdict, one.name, one.said, doc, begin_said(trace.begin), rows, trace.back_to, program)
