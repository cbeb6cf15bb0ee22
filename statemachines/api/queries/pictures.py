"""Pictures of machines and of logs, by the name of their form."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING

from attrs import evolve, frozen

from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.definitions.system_definitions import SystemDefinition
from statemachines.model.diagnosis.suggestions import did_you_mean
from statemachines.model.evidence.reports import Report

if TYPE_CHECKING:
    from statemachines.draw.graphs.graph import Graph

DRAWING_FORMS = ("svg", "png", "dot", "mermaid", "plantuml", "markdown", "scxml", "json", "tla")
GRAPH_FORMS = ("svg", "png", "dot", "mermaid", "plantuml")
"""Forms that show more than the machine itself."""


class CannotDraw(ValueError):
    """What was asked for cannot be drawn: a part is not installed, or the form has no word for it;
    the message says which.
    """


@frozen
class PictureOverlay:
    """What is laid over a machine's picture."""

    since: MachineDefinition | None = None
    """An older release: what came and what went since is marked."""
    trace: tuple[str, ...] = ()
    """States that an instance went through, in order."""
    report: Report | None = None
    """What logs showed: how often each step was taken, how long each state was held."""


_NO_OVERLAY = PictureOverlay()


def machine_picture(
    machine: MachineDefinition, form: str, *, releases: str = "", over: PictureOverlay = _NO_OVERLAY
) -> bytes:
    """Draw a machine.

    Args:
        machine: in one release.
        form: one of `FORMS`.
        releases: what stands below the title, such as a range that all have this picture.
        over: what else the picture shows; only `PICTURES` can.

    Returns:
        The file's content; UTF-8 with a line feed at the end for the forms that are text.

    Raises:
        CannotDraw: the form needs something that is not there, or cannot show what it is asked to,
            or a step of the trace has no arrow.
        ArgumentsError: the trace names a state that the machine does not have.
    """
    from statemachines.draw import MissingPart
    from statemachines.interop.export_limits import CannotExport

    if form not in DRAWING_FORMS:
        raise CannotDraw(f"there is no form `{form}`; {did_you_mean(form, DRAWING_FORMS)}")
    if form not in GRAPH_FORMS and over != _NO_OVERLAY:
        raise CannotDraw(f"{form} shows the machine alone; {', '.join(GRAPH_FORMS)} can show more")
    try:
        if form not in GRAPH_FORMS:
            return _text_bytes(_machine_writers()[form](machine))
        graph = _graph_with_overlay(machine, releases or machine.release, over)
        return _png_bytes(graph) if form == "png" else _text_bytes(_graph_writers()[form](graph))
    except (MissingPart, CannotExport) as problem:
        raise CannotDraw(str(problem)) from None


def system_picture(
    system: SystemDefinition,
    form: str,
    *,
    releases: str = "",
    since: SystemDefinition | None = None,
) -> bytes:
    """Draw a system: its parts, the links between them, its rules.

    Args:
        system: in one release.
        form: one of `PICTURES`, or `markdown`.
        releases: what stands below the title.
        since: the system in an older release: what came and what went since is marked.

    Returns:
        The whole file; text forms are UTF-8.

    Raises:
        CannotDraw: the form has no word for a system, or needs something that is not there.
    """
    from statemachines.draw import MissingPart, system_graph, system_markdown, with_changes

    if form not in (*GRAPH_FORMS, "markdown"):
        raise CannotDraw(
            f"{form} has no word for a system; {', '.join(GRAPH_FORMS)} and markdown have"
        )
    if form == "markdown":
        if since is not None:
            raise CannotDraw(
                f"markdown shows the system alone; {', '.join(GRAPH_FORMS)} can show changes"
            )
        return _text_bytes(system_markdown(system))
    graph = system_graph(system, releases=releases)
    if since is not None:
        graph = evolve(with_changes(system_graph(since), graph), description=graph.description)
    try:
        return _png_bytes(graph) if form == "png" else _text_bytes(_graph_writers()[form](graph))
    except MissingPart as problem:
        raise CannotDraw(str(problem)) from None


def graph_picture(graph: Graph, form: str) -> bytes:
    """Draw any graph.

    Args:
        graph: what is drawn.
        form: one of `PICTURES`.

    Returns:
        The whole file; text forms are UTF-8.

    Raises:
        CannotDraw: the form is no picture, or needs something that is not there.
    """
    from statemachines.draw import MissingPart

    if form not in GRAPH_FORMS:
        raise CannotDraw(f"{form} is no picture; {', '.join(GRAPH_FORMS)} are")
    try:
        return _png_bytes(graph) if form == "png" else _text_bytes(_graph_writers()[form](graph))
    except MissingPart as problem:
        raise CannotDraw(str(problem)) from None


def timeline_picture(report: Report, machines: tuple[MachineDefinition, ...] = ()) -> bytes:
    """Draw what the instances of a report did over time, as SVG.

    Args:
        report: what a check of logs found.
        machines: those that the report tells of, for the order of their states and the colour of
            the way out.

    Returns:
        An SVG document, UTF-8.
    """
    from statemachines.draw import timeline_svg
    from statemachines.report.sections.display_names import report_clock
    from statemachines.report.sections.subject_names import SubjectNames

    end, names = report_clock(report).end, SubjectNames(report)
    picture = timeline_svg(
        report.timeline,
        findings=report.findings,
        machines=machines,
        now=report.now,
        until=end.ms if end else None,
        names=lambda who: names.name_within(*who) if who[0] in report.called else "",
    )
    return _text_bytes(picture)


def notebook_views(machine: MachineDefinition, text: str) -> dict[str, str]:
    """Return what a notebook shows of a machine, by media type.

    Args:
        machine: in one release.
        text: what stands for it where only text is shown.

    Returns:
        `text/plain` and a picture; Markdown in its place where nothing is installed that draws.
    """
    try:
        return {"text/plain": text, "image/svg+xml": machine_picture(machine, "svg").decode()}
    except CannotDraw:
        return {"text/plain": text, "text/markdown": machine_picture(machine, "markdown").decode()}


def _graph_with_overlay(machine: MachineDefinition, caption: str, over: PictureOverlay) -> Graph:
    from statemachines.draw import step_counts, to_graph, with_changes, with_counts, with_trace

    graph = to_graph(machine, releases=caption)
    if over.since is not None:
        graph = with_changes(to_graph(over.since), graph)
    if over.report is not None:
        counts = step_counts(over.report.timeline, over.report.now).get(machine.name)
        if counts is None:
            raise CannotDraw(f"the logs tell of no step of {machine.name}")
        graph = with_counts(graph, counts)
    if over.trace:
        pairs = _trace_pairs(machine, graph, over.trace)
        graph = with_trace(graph, pairs, begins=over.trace[0])
    return graph


def _trace_pairs(
    machine: MachineDefinition, graph: Graph, states: tuple[str, ...]
) -> list[tuple[str, str]]:
    from statemachines.semantics.machine.machine_tables import machine_tables

    tables = machine_tables(machine)
    for state in states:
        tables.index_of_state(state)
    pairs = list(pairwise(states))
    for source, target in pairs:
        if not graph.edges_between(source, target):
            nexts = dict.fromkeys(edge.target for edge in graph.edges if edge.source == source)
            leads = f"leads to {', '.join(nexts)}" if nexts else "leads nowhere"
            raise CannotDraw(f"no arrow leads from {source} to {target}; {source} {leads}")
    return pairs


def _png_bytes(graph: Graph) -> bytes:
    from statemachines.draw import to_png

    return to_png(graph)


def _graph_writers() -> dict[str, Callable[[Graph], str]]:
    from statemachines.draw import to_dot, to_mermaid, to_plantuml, to_svg

    return {"svg": to_svg, "dot": to_dot, "mermaid": to_mermaid, "plantuml": to_plantuml}


def _machine_writers() -> dict[str, Callable[[MachineDefinition], str]]:
    from statemachines.draw import to_markdown
    from statemachines.interop.scxml.scxml_writer import to_json, to_scxml
    from statemachines.interop.tla.tla_export import to_tla

    return {"markdown": to_markdown, "scxml": to_scxml, "json": to_json, "tla": to_tla}


def _text_bytes(text: str) -> bytes:
    return (text.rstrip("\n") + "\n").encode()
