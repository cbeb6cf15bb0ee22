"""Each machine that was seen: its diagram with the log laid over it, and the same as a table."""

from __future__ import annotations

from collections.abc import Iterator

from statemachines.draw import (
    Counts,
    MissingPart,
    step_counts,
    system_graph,
    to_graph,
    to_svg,
    with_counts,
)
from statemachines.draw.graphs.data_box import is_nameless
from statemachines.model.counts import count_text
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.definitions.system_definitions import SystemDefinition
from statemachines.model.evidence.durations import format_duration
from statemachines.model.evidence.reports import MachineSummary, Report
from statemachines.model.evidence.verdicts import Verdict
from statemachines.report.html.elements import Markup, section, table, tag
from statemachines.report.html.page_context import PageContext
from statemachines.report.html.page_styles import PageStyles

_DIAGRAM_NOTE = (
    "The thicker an arrow, the more often it was taken; the number says how often. Dashed grey:"
    " possible, never seen in these logs. No arrow: impossible. Red with ✗: done although it is"
    " impossible."
)


def machines_section(report: Report, around: PageContext, styles: PageStyles) -> Markup:
    """Show what was seen of each machine: never seen is told from impossible.

    Args:
        report: what a check found.
        around: the machines and the lines of logs that a page shows beside the report.
        styles: takes the styles of the page, and gives their classes.

    Returns:
        A section of the page, or nothing.
    """
    counts = step_counts(report.timeline, report.now)
    known: dict[str, MachineDefinition | SystemDefinition] = {
        machine.name: machine for machine in around.machines
    }
    known |= {system.name: system for system in around.systems}
    details = (
        _machine_details(
            row, known.get(row.machine), counts.get(row.machine, Counts({})), around, styles
        )
        for row in report.machines
        if row.instances
    )
    return section(
        "The machines, with the log laid over them", "machines", details, note=_DIAGRAM_NOTE
    )


def _machine_details(
    row: MachineSummary,
    machine: MachineDefinition | SystemDefinition | None,
    counts: Counts,
    around: PageContext,
    styles: PageStyles,
) -> Markup:
    caption = (
        f"{row.machine}: {row.verdict.name}, {count_text(row.instances, 'instance')},"
        f" {count_text(row.steps, 'step')}"
    )
    never = f", {len(row.never_seen):,} possible ones never seen" if row.never_seen else ""
    inside = [
        *_diagram(machine, counts, around, styles),
        *([] if isinstance(machine, SystemDefinition) else [_step_table(row, machine, counts)]),
    ]
    opened = "" if row.steps or row.verdict is not Verdict.HOLDS else None
    return tag("details", tag("summary", f"{caption}{never}"), *inside, open=opened)


def _diagram(
    machine: MachineDefinition | SystemDefinition | None,
    counts: Counts,
    around: PageContext,
    styles: PageStyles,
) -> Iterator[Markup]:
    if machine is None or (isinstance(machine, MachineDefinition) and is_nameless(machine)):
        return
    caption = around.captions.get(machine.name, "")
    try:
        if isinstance(machine, SystemDefinition):
            picture = to_svg(system_graph(machine, releases=caption))
        else:
            picture = to_svg(with_counts(to_graph(machine, releases=caption), counts))
    except MissingPart as missing:
        yield tag("p", f"No diagram: {missing}", class_="note")
    else:
        yield tag("figure", styles.without_attributes(picture), class_="wide", tabindex="0")


def _step_table(row: MachineSummary, machine: MachineDefinition | None, counts: Counts) -> Markup:
    """List every step that was taken, and every one that might have been."""
    legal = {(move.source, move.target) for move in machine.moves} if machine else None
    taken = sorted(counts.taken.items(), key=lambda entry: -entry[1])
    rows = [
        [
            _step_text(*pair),
            f"{number:,}",
            "impossible" if legal is not None and pair not in legal else "",
        ]
        for pair, number in taken
    ]
    rows += [[step.replace(" -> ", " → "), "0", "possible, never seen"] for step in row.never_seen]
    held = [[state, format_duration(ms)] for state, ms in counts.held_ms.items()]
    both = (table(("step", "times", ""), rows), table(("state", "held, all together"), held))
    return tag("details", tag("summary", "as a table"), *both) if rows else Markup()


def _step_text(source: str, target: str) -> str:
    return f"{source} → {target}"
