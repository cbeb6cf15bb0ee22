"""What a page shows beside the report itself: machines for their diagrams, the lines around a line,
the lines of the specs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from attrs import field, frozen

from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.definitions.system_definitions import SystemDefinition
from statemachines.model.evidence.reports import Place, Report
from statemachines.report.sections.orderly_ends import open_episodes

MOST_SHOWN_IN_FULL = 500
"""Findings of a verdict, and episodes, that are shown in full; the lines around them are wanted."""
MOST_STEPS = 100
"""Steps of an instance."""
_MOST_STEP_LINES = 3_000
"""Lines of steps in a page; of the others it has the places."""
NumberedLines = tuple[tuple[int, str], ...]
"""Numbers and texts of lines that follow each other."""


@frozen
class PageContext:
    """Everything may be missing: a file that is gone leaves a page without its lines, never no
    page.
    """

    machines: tuple[MachineDefinition, ...] = ()
    """Those that were judged by, in the release that fits the logs."""
    systems: tuple[SystemDefinition, ...] = ()
    """Those whose rules were judged, in the same way."""
    captions: Mapping[str, str] = field(factory=dict)
    """What stands below a machine's or system's diagram, by its name."""
    log_lines: Mapping[Place, NumberedLines] = field(factory=dict)
    """The lines around a line of a log, it among them."""
    step_lines: Mapping[Place, str] = field(factory=dict)
    """The line that tells a step."""
    spec_lines: Mapping[Place, str] = field(factory=dict)
    """The text of a line of a spec."""


def wanted_step_lines(report: Report) -> tuple[Place, ...]:
    """Return the lines that tell the first steps of each instance, as far as a page has room.

    Args:
        report: what a check found.

    Returns:
        Files and lines, each once.
    """
    steps: Counter[tuple[object, ...]] = Counter()
    places = dict[Place, None]()
    for step in report.timeline:
        whose = step.machine, step.instance, step.process
        steps[whose] += 1
        if step.place is not None and steps[whose] <= MOST_STEPS:
            places[step.place] = None
        if len(places) >= _MOST_STEP_LINES:
            break
    return tuple(places)


def wanted_lines(report: Report) -> tuple[Place, ...]:
    """Return the lines of logs that a page shows with those around them: of findings that do not
    hold, and of what is wrong now.

    Args:
        report: what a check found.

    Returns:
        Files and lines, each once.
    """
    shown: dict[str, int] = {}
    places = [
        episode.blame.place
        for episode in open_episodes(report)[:MOST_SHOWN_IN_FULL]
        if episode.blame is not None
    ]
    for finding in report.findings:
        shown[finding.verdict.name] = shown.get(finding.verdict.name, 0) + 1
        if (
            finding.verdict > 0
            and finding.place is not None
            and shown[finding.verdict.name] <= MOST_SHOWN_IN_FULL
        ):
            places.append(finding.place)
    return tuple(dict.fromkeys(places))
