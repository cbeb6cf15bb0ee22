"""What every instance did: a row of bars on one axis of time, its steps behind a click."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from attrs import define, field

from statemachines.draw.timelines.row_gathering import stream_rows, time_frame
from statemachines.draw.timelines.state_shades import StateShades
from statemachines.draw.timelines.thinning import SEVERAL_STATES, merged_flags, thinned_bars
from statemachines.draw.timelines.time_axis import axis_time as axis_clock
from statemachines.draw.timelines.time_axis import ticks
from statemachines.draw.timelines.timeline_rows import (
    FindingFlag,
    RowWithSteps,
    StateBar,
    TimeFrame,
    TimelineRow,
)
from statemachines.model.evidence.durations import format_duration
from statemachines.model.evidence.reports import Place, Report, TimelineStep
from statemachines.model.evidence.verdicts import Verdict
from statemachines.report.html.elements import Markup, escaped_text, section, table, tag
from statemachines.report.html.incident_bars import incident_rows, place_class
from statemachines.report.html.page_context import MOST_STEPS, PageContext
from statemachines.report.html.page_styles import PageStyles
from statemachines.report.html.row_verdicts import RowVerdicts
from statemachines.report.sections.display_names import ReportClock, place_name
from statemachines.report.sections.plain_texts import cut_end
from statemachines.report.sections.subject_names import SubjectNames

_MOST_SOUND = 5_000
"""Instances in the page; beyond, only those that something is wrong with."""
MOST_INSTANCES = 10_000
"""Instances in the page, whatever is wrong with them."""
_ALL_STEPS = 10_000
"""Steps of all instances together."""
_LONGEST_LINE = 300
"""Letters of the line of a step."""
_FINEST_PART = 2_000
"""Bars that are shorter than this part of the whole are put together."""
_CROWDED = 2_000
"""Instances from which on rows are drawn coarser, and bars have no hints of their own: the steps
below them have the times.
"""
SHOWN_AT_ONCE = 200
"""Rows of a machine that are shown without a click."""
_MOST_TICKS = 6
"""Moments on the axis."""
_BUTTONS = (
    *(
        ("in", "+", "Zoom in"),
        ("out", "−", "Zoom out"),
        ("left", "←", "Earlier"),
        ("right", "→", "Later"),
    ),
    ("whole", "whole", "The whole time"),
)
VERDICT_SIGNS = {
    Verdict.VIOLATED: ("bad", "✗"),
    Verdict.INCONCLUSIVE: ("doubt", "?"),
    Verdict.HOLDS: ("fine", "!"),
}


@define
class _TimelinePage:
    """What one page shows, and what it has no room for."""

    frame: TimeFrame
    clock: ReportClock
    shades: StateShades
    trouble: RowVerdicts
    styles: PageStyles
    names: SubjectNames
    lines: Mapping[Place, str]
    instances: int = 0
    left_out: int = 0
    steps: int = 0
    without_steps: int = 0
    crowded: bool = False
    used: dict[str, dict[str, str]] = field(factory=dict)
    """By machine: states and their looks, for its legend."""


def timeline_section(
    report: Report, clock: ReportClock, around: PageContext, styles: PageStyles
) -> Markup:
    """Show what happened, and what every instance did, over time.

    All rows are there without any script; scripts add a search, filters and a zoom. What a page has
    no room for is counted and said.

    Args:
        report: with its timeline.
        clock: writes moments.
        around: has the machines, for the order of their states.
        styles: of the page, for where bars stand.

    Returns:
        A section of the page, or nothing.
    """
    end = clock.end.ms if clock.end else None
    frame = time_frame(report.timeline, report.findings, report.now, end)
    crowded = sum(row.instances for row in report.machines) > _CROWDED
    page = _TimelinePage(
        frame,
        clock,
        StateShades(around.machines),
        RowVerdicts(report),
        styles,
        SubjectNames(report),
        around.step_lines,
        crowded=crowded,
    )
    rows = stream_rows(report.timeline, frame, report.findings, report.now)
    lists = [
        _machine_section(name, mine, page)
        for name, mine in groupby(rows, key=lambda item: item.row.machine)
    ]
    if not lists:
        return Markup()
    times = {
        "data-first": str(frame.first),
        "data-last": str(frame.last),
        "data-timed": "1" if frame.timed else "",
    }
    attributes = "".join(f' {name}="{value}"' for name, value in times.items())
    more = tag("button", "show more", type="button", id="more", hidden="")
    happened = incident_rows(report, clock, frame, styles)
    inside = f"{_axis(frame, styles)}{happened}{''.join(lists)}{more}"
    whole = Markup(f'<div id="strips"{attributes}>{inside}</div>')
    return section(
        "What every instance did", "timeline", [_toolbar(report), whole], note=_note_text(page)
    )


def _note_text(page: _TimelinePage) -> str:
    sentences = [
        "A dashed border: no line told it. Signs: ✗ violated, ? cannot be told, ! tried in vain or"
        " refused."
    ]
    if page.left_out:
        sentences.append(
            f"{page.left_out:,} more instances are not in this page (of those that nothing is wrong"
            f" with, {_MOST_SOUND:,} are)."
        )
    if page.without_steps:
        sentences.append(
            f"Of {page.without_steps:,} instances the bars are here, and not all steps."
        )
    return " ".join(
        [*sentences, *(["The JSON and CSV reports have all."] if len(sentences) > 1 else [])]
    )


def _toolbar(report: Report) -> Markup:
    names = [
        tag("option", "all machines", value=""),
        *(tag("option", row.machine) for row in report.machines if row.instances),
    ]
    buttons = [
        tag("button", sign, type="button", data_zoom=name, title=label, aria_label=label)
        for name, sign, label in _BUTTONS
    ]
    parts = [
        tag(
            "label",
            "Search ",
            tag(
                "input", type="search", id="search", placeholder="name, state, process, file:line …"
            ),
        ),
        tag("select", *names, id="machine", aria_label="machine"),
        tag("label", tag("input", type="checkbox", id="wrong"), " something is wrong"),
        tag("span", *buttons),
        tag("output", id="shown", aria_live="polite"),
    ]
    hint = (
        "Drag over the axis to zoom in. Keys: / search, + − 0 zoom, ← → earlier and later, ↑ ↓ from"
        " row to row, Enter its steps."
    )
    return tag(
        "div",
        *parts,
        tag("p", hint, class_="note"),
        id="tools",
        role="toolbar",
        aria_label="timeline",
    )


def _axis(frame: TimeFrame, styles: PageStyles) -> Markup:
    marks = (
        ticks(frame.first, frame.last, _MOST_TICKS)
        if frame.timed
        else ((frame.first, "first step"), (frame.last, "last"))
    )
    inside = (
        tag("span", label, class_=place_class(moment, None, frame, styles))
        for moment, label in marks
    )
    return tag("div", tag("div", *inside, class_="strip", id="axis"), class_="row axis")


def _machine_section(name: str, rows: Iterable[RowWithSteps], page: _TimelinePage) -> Markup:
    items = [item for row in rows if (item := _row_item(row, page))]
    legend = (
        tag("span", tag("i", class_=css_class), state)
        for state, css_class in page.used.get(name, {}).items()
    )
    head = tag("h3", f"{name} ", tag("span", f"{len(items):,}", class_="note"))
    whole = _ordered_list(items[:SHOWN_AT_ONCE]) + (
        _hidden_rows(items[SHOWN_AT_ONCE:]) if len(items) > SHOWN_AT_ONCE else ""
    )
    shown = tag("p", *legend, class_="legend")
    return Markup(f'<section data-machine="{escaped_text(name)}">{head}{shown}{whole}</section>')


def _ordered_list(items: Sequence[str]) -> str:
    return f"<ol>{''.join(items)}</ol>"


def _hidden_rows(items: Sequence[str]) -> str:
    """Put rows behind a click, which a browser lays out only then: thousands at once are slow; a
    script opens them and hides most.
    """
    return (
        f'<details class="rest"><summary>{len(items):,}'
        f" more</summary>{_ordered_list(items)}</details>"
    )


def _row_item(item: RowWithSteps, page: _TimelinePage) -> str:
    looks = page.trouble.row_classes(item.row, page.frame)
    if page.instances >= (MOST_INSTANCES if looks else _MOST_SOUND):
        page.left_out += 1
        return ""
    page.instances += 1
    row, (machine, key, process) = item.row, item.row.instance
    used = page.used.setdefault(machine, {})
    for bar in row.bars:
        used.setdefault(bar.state, page.shades.shade(machine, bar.state))
    drawn_bars = "".join(
        _bar_element(bar, used.get(bar.state, "many"), page) for bar in _coarse_bars(row, page)
    )
    flags = "".join(_flag_element(flag, page) for flag in _merged_flags(row, page))
    name = (
        f'<span class="name">{escaped_text(page.names.name_below(machine, key, process))}'
        f" <small>{escaped_text(process)}</small></span>"
    )
    last = (
        "<span"
        f' class="last">{escaped_text(row.bars[-1].state if row.bars else "ended unseen")}</span>'
    )
    summary = f'<span class="row">{name}<span class="strip">{drawn_bars}{flags}</span>{last}</span>'
    steps = _step_table(item.steps, page)
    inside = (
        f"<details><summary>{summary}</summary>{steps}</details>"
        if steps
        else f'<div class="bare">{summary}</div>'
    )
    return f'<li class="{looks}">{inside}</li>' if looks else f"<li>{inside}</li>"


def _coarse_bars(row: TimelineRow, page: _TimelinePage) -> list[StateBar]:
    """Return the bars of a row, the shortest ones together, so that there are not too many."""
    least, most = (page.frame.last - page.frame.first) / _FINEST_PART, 20 if page.crowded else 60
    bars = list(thinned_bars(row.bars, least))
    while len(bars) > most:
        least *= 2
        bars = list(thinned_bars(row.bars, least))
    return bars


def _merged_flags(row: TimelineRow, page: _TimelinePage) -> tuple[FindingFlag, ...]:
    return merged_flags(
        row.flags, (page.frame.last - page.frame.first) / (5 if page.crowded else 100)
    )


def _bar_element(bar: StateBar, css_class: str, page: _TimelinePage) -> str:
    marks = f"{css_class}{'' if bar.known else ' unknown'}{'' if bar.observed else ' untold'}"
    hint = "" if page.crowded else f' title="{escaped_text(_bar_hint(bar, page.frame))}"'
    where = place_class(bar.first, bar.last, page.frame, page.styles)
    return f'<i class="{marks} {where}"{hint}>{escaped_text(bar.state)}</i>'


def _bar_hint(bar: StateBar, frame: TimeFrame) -> str:
    held = (
        f", {axis_clock(bar.first, 1)}, {format_duration(bar.last - bar.first)}"
        if frame.timed
        else ""
    )
    return f"{bar.note if bar.state == SEVERAL_STATES else bar.state}{held}"


def _flag_element(flag: FindingFlag, page: _TimelinePage) -> str:
    css_class, sign = VERDICT_SIGNS[flag.verdict]
    hint = (
        f' title="{escaped_text(f"{flag.kind}: {flag.note}")}"'
        if page.instances <= _CROWDED
        else ""
    )
    where = place_class(flag.at, None, page.frame, page.styles)
    return f'<b class="{css_class} {where}"{hint}>{sign}</b>'


def _told_by(place: Place | None, page: _TimelinePage) -> Markup:
    """Show where the line of a step stands, and the line where the file is still there."""
    text = page.lines.get(place, "") if place else ""
    line = [tag("code", cut_end(text, _LONGEST_LINE), class_="told")] if text else []
    return Markup("".join((tag("span", place_name(place)), *line)))


def _step_rows(step: TimelineStep, page: _TimelinePage) -> Iterator[list[str]]:
    """Yield the row of a step; above it one for what it left, where only a line names that."""
    if step.source_since is not None:
        yield [page.clock.moment(step.source_since), "", step.source or "", "named", ""]
    moment, source, target = page.clock.moment(step.at), step.source or "", step.target or ""
    yield [moment, source, target, step.how, _told_by(step.place, page)]


def _step_table(steps: tuple[TimelineStep, ...], page: _TimelinePage) -> Markup:
    room = min(MOST_STEPS, _ALL_STEPS - page.steps)
    shown = steps[: max(room, 0)]
    page.steps += len(shown)
    if len(shown) < len(steps):
        page.without_steps += 1
    if not shown:
        return Markup()
    rows = (row for step in shown for row in _step_rows(step, page))
    rest = (
        [tag("p", f"{len(steps) - len(shown):,} more steps", class_="note")]
        if len(shown) < len(steps)
        else []
    )
    return Markup("".join((table(("at", "from", "to", "known", "line"), rows), *rest)))
