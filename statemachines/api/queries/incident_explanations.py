"""What the catalogue says of a kind of incident: what it means, which lines report it, what
next.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

from attrs import frozen

from statemachines.model.definitions.incident_definitions import (
    CUT_SHORT,
    Harm,
    IncidentDefinition,
    IncidentPage,
)
from statemachines.model.definitions.log_definitions import LineDefinition, LineKind
from statemachines.model.definitions.machine_definitions import SpecDefinition
from statemachines.model.evidence.durations import format_duration


@frozen
class EvidenceLines:
    """The lines of a machine that tell of an incident."""

    machine: str
    releases: str
    """As the notation writes ranges."""
    titles: tuple[str, ...]
    """What reports call it, with `{fields}`."""
    templates: tuple[str, ...]
    loggers: tuple[str, ...]


@frozen
class IncidentExplanation:
    """All that specs say of a kind of incident."""

    kind: str
    harm: Harm
    page: IncidentPage
    follows: tuple[str, ...]
    """Kinds that bring it about."""
    leads_to: tuple[str, ...]
    """Kinds that it brings about."""
    lines: tuple[EvidenceLines, ...]


def incident_kinds(specs: Sequence[str] | None = None) -> tuple[str, ...]:
    """Return the kinds of incidents that have a page, in alphabetical order.

    Args:
        specs: names of the catalogue, patterns or files; None: the whole catalogue.

    Returns:
        Names such as `door-damaged`, each once.
    """
    kinds = (kind for _, kind in _kinds(specs) if kind.page.means)
    return tuple(sorted({kind.kind for kind in kinds}))


def explain_incident(kind: str, specs: Sequence[str] | None = None) -> IncidentExplanation | None:
    """Return what specs say of a kind of incident; None where they have none of this name.

    Args:
        kind: its name, such as `door-damaged`.
        specs: names of the catalogue, patterns or files; None: the whole catalogue.

    Returns:
        Its page, its harm, what it leads to and the lines that tell it.
    """
    everything = list(_kinds(specs))
    mine = [(spec, incident) for spec, incident in everything if incident.kind == kind]
    if not mine:
        return None
    pages = [incident.page for _, incident in mine if incident.page.means]
    follows = (followed.kind for _, incident in mine for followed in incident.follows)
    leads_to = (
        incident.kind
        for _, incident in everything
        if any(other.kind == kind for other in incident.follows)
    )
    return IncidentExplanation(
        kind,
        min((incident.harm for _, incident in mine), key=lambda harm: harm.rank),
        pages[0] if pages else IncidentPage(),
        tuple(dict.fromkeys(follows)),
        tuple(dict.fromkeys(leads_to)),
        tuple(_evidence_lines(spec, incident) for spec, incident in mine),
    )


def _kinds(specs: Sequence[str] | None) -> Iterator[tuple[SpecDefinition, IncidentDefinition]]:
    from statemachines.notation import cached_catalogue, load_catalogue

    for spec in load_catalogue(specs) if specs else cached_catalogue():
        for kind in spec.log.incidents if spec.log else ():
            yield spec, kind


def _evidence_lines(spec: SpecDefinition, kind: IncidentDefinition) -> EvidenceLines:
    assert spec.log is not None
    episodes = [episode for episode in spec.log.episodes if episode.name in kind.of]
    lines, _ = _telling_lines(spec, kind)
    titles = (_title(kind),) if kind.title else tuple(episode.title for episode in episodes)
    return EvidenceLines(
        spec.name,
        spec.family.ranges(spec.releases),
        tuple(dict.fromkeys(titles)),
        tuple(dict.fromkeys(template.text for line in lines for template in line.templates)),
        tuple(dict.fromkeys(logger for line in lines for logger in line.loggers)),
    )


def told_incidents(
    specs: Iterable[SpecDefinition], machine: str, line: LineDefinition, fields: Mapping[str, str]
) -> Iterator[IncidentDefinition]:
    """Yield the kinds of incidents of a machine that a line tells of.

    Args:
        specs: of the catalogue.
        machine: the name of the one that reads the line.
        line: its entry.
        fields: what the line holds.

    Yields:
        Kinds, one of each machine and release that has it.
    """
    for spec in specs:
        for kind in spec.log.incidents if spec.log and spec.name == machine else ():
            lines, states = _telling_lines(spec, kind)
            is_named = line.target or "to" not in line.fields
            if line in lines and (is_named or fields.get("to") in states):
                yield kind


def _telling_lines(
    spec: SpecDefinition, kind: IncidentDefinition
) -> tuple[list[LineDefinition], Set[str]]:
    """Return the lines of a machine that may tell of an incident, and the states in which it is."""
    assert spec.log is not None
    episodes = [episode for episode in spec.log.episodes if episode.name in kind.of]
    states = {state for episode in episodes for state in episode.states}
    causes = {counter for episode in episodes for counter in episode.because}
    moves = {move.event for move in spec.transitions if move.target in states}
    moves -= {move.event for move in spec.transitions if move.target not in states}
    kinds = {LineKind.BEGIN} if CUT_SHORT in kind.of else set[LineKind]()
    if any(state.final and state.name in states for state in spec.states):
        kinds.add(LineKind.END)
    lines = [
        line
        for line in spec.log.lines
        if kinds & {*line.kinds} or line.event in moves or _tells(line, {*kind.of, *causes}, states)
    ]
    return lines, states


def _title(kind: IncidentDefinition) -> str:
    """Return what reports call it, and how often it has to happen."""
    if not kind.least_times:
        return kind.title
    apart = format_duration(kind.repeats_ms)
    return f"{kind.title} (at least {kind.least_times} times, {apart} apart at most)"


def _tells(line: LineDefinition, marks: set[str], states: set[str]) -> bool:
    """Tell whether a line has one of some marks, or leads to one of some states."""
    named = (line.state, line.state_of_others)
    fixed = {*line.target, *(state for state in named if state)}
    captured = "to" in line.fields and not line.target
    return line.counter in marks or bool(states & fixed) or (captured and bool(states))
