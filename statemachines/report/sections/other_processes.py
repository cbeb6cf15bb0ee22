"""What other processes say of the same matter: the other end of what is wrong here, where the line
that reports it names it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from statemachines.model.evidence.incidents import Incident
from statemachines.model.evidence.reports import CurrentState, Report

_NAME = re.compile(r"[\w.-]+")
"""What is a name in a line: no part of a longer one counts."""
MOST_NAMESAKES = 3
"""A name that so many others have is no one's."""


def states_in_other_processes(
    report: Report, wrong: Sequence[Incident]
) -> dict[int, tuple[CurrentState, ...]]:
    """Return, for what is wrong, the states that other processes tell since then of what its own
    line names.

    A client that was killed seems to have something open for ever; whom it had asked knows better.
    Both are true, and both are shown.

    Args:
        report: what a check found.
        wrong: incidents that go on.

    Returns:
        By the `id` of an incident; only of other machines, and of subjects that one name tells.

    Complexity: linear in what is true now and in the lines to blame.
    """
    options = report.made_with.get("options")
    if isinstance(options, Mapping) and options.get("separate_folders"):
        return {}  # what has the same name in another folder is another one
    names = {id(row): _names_in(row) for row in wrong}
    named: dict[str, list[CurrentState]] = {name: [] for some in names.values() for name in some}
    for now in report.now if named else ():
        if len(now.subject) == 1 and isinstance(name := now.subject[0][1], str) and name in named:
            named[name].append(now)
    states = {}
    for incident in wrong:
        others = [
            now
            for name in names[id(incident)]
            for now in named[name]
            if _is_newer_elsewhere(now, incident)
        ]
        if 0 < len(others) <= MOST_NAMESAKES:
            states[id(incident)] = tuple(others)
    return states


def _names_in(incident: Incident) -> Sequence[str]:
    """Return what may be names in the line to blame, each once."""
    return tuple(dict.fromkeys(_NAME.findall(incident.cause.quote.text))) if incident.cause else ()


def _is_newer_elsewhere(now: CurrentState, incident: Incident) -> bool:
    """Tell whether a state is of another machine and process, and no older than the incident."""
    if now.machine == incident.machine or now.process == incident.process:
        return False
    began, since = (instant.ms if instant else None for instant in (incident.since, now.since))
    return began is not None and since is not None and since >= began
