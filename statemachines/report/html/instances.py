"""What every instance did: a row of bars each, on one axis of time, and its steps behind a click."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from attrs import define, field

from statemachines.draw.axis import clock as axis_clock
from statemachines.draw.axis import ticks
from statemachines.draw.gathering import frame_of, rows_in_order
from statemachines.draw.rows import Bar, Drawn, Flag, Frame, Row
from statemachines.draw.shades import Shades
from statemachines.draw.thinning import MANY, heaped, thinned
from statemachines.model.durations import duration
from statemachines.model.reports import Report, Step
from statemachines.model.verdicts import Verdict
from statemachines.report.html.around import Around
from statemachines.report.html.tags import Markup, section, table, tag, text
from statemachines.report.html.trouble import Trouble
from statemachines.report.text.names import WHOLE, Clock, place_name, subject_name

LISTED = 5_000
"""Instances in the page; beyond, only those that something is wrong with."""
MOST = 10_000
"""Instances in the page, whatever is wrong with them."""
STEPS = 100
"""Steps of an instance."""
ALL_STEPS = 10_000
"""Steps of all instances together."""
FINEST = 2_000
"""Bars that are shorter than this part of the whole are put together."""
CROWDED = 2_000
"""Instances from which on rows are drawn coarser, and bars have no hints of their own: the steps below them have the times."""
AT_ONCE = 200
"""Rows of a machine that are shown without a click."""
MARKS = 6
"""Moments on the axis."""
BUTTONS = (
    *(("in", "+", "Zoom in"), ("out", "−", "Zoom out"), ("left", "←", "Earlier"), ("right", "→", "Later")),
    ("whole", "whole", "The whole time"),
)
SIGNS = {Verdict.VIOLATED: ("bad", "✗"), Verdict.INCONCLUSIVE: ("doubt", "?"), Verdict.HOLDS: ("fine", "!")}


@define
class _Page:
    """What one page shows, and what it has no room for."""

    frame: Frame
    clock: Clock
    shades: Shades
    trouble: Trouble
    instances: int = 0
    left_out: int = 0
    steps: int = 0
    without_steps: int = 0
    crowded: bool = False
    used: dict[str, dict[str, str]] = field(factory=dict)
    """By machine: states and their looks, for its legend."""


def timelines(report: Report, clock: Clock, around: Around) -> Markup:
    """Show what every instance did over time.

    All rows are there without any script; scripts add a search, filters and a zoom. What a page has no room for is counted and said.

    Args:
        report: with its timeline.
        clock: writes moments.
        around: has the machines, for the order of their states.
    """
    end = clock.end.ms if clock.end else None
    frame = frame_of(report.timeline, report.findings, report.now, end)
    crowded = sum(row.instances for row in report.machines) > CROWDED
    page = _Page(frame, clock, Shades(around.machines), Trouble(report), crowded=crowded)
    rows = rows_in_order(report.timeline, frame, report.findings, report.now)
    lists = [_machine(name, mine, page) for name, mine in groupby(rows, key=lambda drawn: drawn.row.machine)]
    if not lists:
        return Markup()
    times = {"data-first": str(frame.first), "data-last": str(frame.last), "data-timed": "1" if frame.timed else ""}
    told = "".join(f' {name}="{value}"' for name, value in times.items())
    more = tag("button", "show more", type="button", id="more", hidden="")
    whole = Markup(f'<div id="strips"{told}>{_axis(frame)}{"".join(lists)}{more}</div>')
    return section("What every instance did", "timeline", [_tools(report), whole], note=_said(page))


def _said(page: _Page) -> str:
    said = ["A dashed border: no line told it. Signs: ✗ violated, ? cannot be told, ! tried in vain or refused."]
    if page.left_out:
        said.append(f"{page.left_out:,} more instances are not in this page (of those that nothing is wrong with, {LISTED:,} are).")
    if page.without_steps:
        said.append(f"Of {page.without_steps:,} instances the bars are here, and not all steps.")
    return " ".join([*said, *(["The JSON and CSV reports have all."] if len(said) > 1 else [])])


def _tools(report: Report) -> Markup:
    names = [tag("option", "all machines", value=""), *(tag("option", row.machine) for row in report.machines if row.instances)]
    buttons = [tag("button", sign, type="button", data_zoom=name, title=said, aria_label=said) for name, sign, said in BUTTONS]
    parts = [
        tag("label", "Search ", tag("input", type="search", id="search", placeholder="name, state, process, file:line …")),
        tag("select", *names, id="machine", aria_label="machine"),
        tag("label", tag("input", type="checkbox", id="wrong"), " something is wrong"),
        tag("span", *buttons),
        tag("output", id="shown", aria_live="polite"),
    ]
    hint = "Drag over the axis to zoom in. Keys: / search, + − 0 zoom, ← → earlier and later, ↑ ↓ from row to row, Enter its steps."
    return tag("div", *parts, tag("p", hint, class_="note"), id="tools", role="toolbar", aria_label="timeline")


def _axis(frame: Frame) -> Markup:
    marks = ticks(frame.first, frame.last, MARKS) if frame.timed else ((frame.first, "first step"), (frame.last, "last"))
    inside = (tag("span", said, style=f"--l:{_part(moment, frame)}") for moment, said in marks)
    return tag("div", tag("div", *inside, class_="strip", id="axis"), class_="row axis")


def _machine(name: str, rows: Iterable[Drawn], page: _Page) -> Markup:
    items = [item for drawn in rows if (item := _row(drawn, page))]
    legend = (tag("span", tag("i", class_=look), state) for state, look in page.used.get(name, {}).items())
    head = tag("h3", f"{name} ", tag("span", f"{len(items):,}", class_="note"))
    whole = _listed(items[:AT_ONCE]) + (_rest(items[AT_ONCE:]) if len(items) > AT_ONCE else "")
    return Markup(f'<section data-machine="{text(name)}">{head}{tag("p", *legend, class_="legend")}{whole}</section>')


def _listed(items: Sequence[str]) -> str:
    return f"<ol>{''.join(items)}</ol>"


def _rest(items: Sequence[str]) -> str:
    """Put rows behind a click, which a browser lays out only then: thousands at once are slow; a script opens them and hides most."""
    return f'<details class="rest"><summary>{len(items):,} more</summary>{_listed(items)}</details>'


def _row(drawn: Drawn, page: _Page) -> str:
    looks = page.trouble.of(drawn.row, page.frame)
    if page.instances >= (MOST if looks else LISTED):
        page.left_out += 1
        return ""
    page.instances += 1
    row, (machine, key, process) = drawn.row, drawn.row.who
    used = page.used.setdefault(machine, {})
    for bar in row.bars:
        used.setdefault(bar.state, page.shades.of(machine, bar.state))
    drawn_bars = "".join(_bar(bar, used.get(bar.state, "many"), page) for bar in _coarse(row, page))
    flags = "".join(_flag(flag, page) for flag in _heaps(row, page))
    name = f'<span class="name">{text(subject_name(key, WHOLE))} <small>{text(process)}</small></span>'
    last = f'<span class="last">{text(row.bars[-1].state if row.bars else "ended unseen")}</span>'
    summary = f'<span class="row">{name}<span class="strip">{drawn_bars}{flags}</span>{last}</span>'
    steps = _steps(drawn.steps, page)
    inside = f"<details><summary>{summary}</summary>{steps}</details>" if steps else f'<div class="bare">{summary}</div>'
    return f'<li class="{looks}">{inside}</li>' if looks else f"<li>{inside}</li>"


def _coarse(row: Row, page: _Page) -> list[Bar]:
    """Return the bars of a row, the shortest ones together, so that there are not too many."""
    least, most = (page.frame.last - page.frame.first) / FINEST, 20 if page.crowded else 60
    bars = list(thinned(row.bars, least))
    while len(bars) > most:
        least *= 2
        bars = list(thinned(row.bars, least))
    return bars


def _heaps(row: Row, page: _Page) -> tuple[Flag, ...]:
    return heaped(row.flags, (page.frame.last - page.frame.first) / (5 if page.crowded else 100))


def _bar(bar: Bar, look: str, page: _Page) -> str:
    marks = f"{look}{'' if bar.known else ' unknown'}{'' if bar.told else ' untold'}"
    hint = "" if page.crowded else f' title="{text(_hint(bar, page.frame))}"'
    return f'<i class="{marks}" style="--l:{_part(bar.first, page.frame)};--r:{_part(bar.last, page.frame)}"{hint}>{text(bar.state)}</i>'


def _hint(bar: Bar, frame: Frame) -> str:
    held = f", {axis_clock(bar.first, 1)}, {duration(bar.last - bar.first)}" if frame.timed else ""
    return f"{bar.note if bar.state == MANY else bar.state}{held}"


def _flag(flag: Flag, page: _Page) -> str:
    look, sign = SIGNS[flag.verdict]
    hint = f' title="{text(f"{flag.kind}: {flag.note}")}"' if page.instances <= CROWDED else ""
    return f'<b class="{look}" style="--l:{_part(flag.at, page.frame)}"{hint}>{sign}</b>'


def _part(moment: int, frame: Frame) -> str:
    """Return where a moment is, in hundredths of the whole."""
    return f"{100 * (moment - frame.first) / (frame.last - frame.first):.3f}".rstrip("0").rstrip(".")


def _steps(steps: tuple[Step, ...], page: _Page) -> Markup:
    room = min(STEPS, ALL_STEPS - page.steps)
    shown = steps[: max(room, 0)]
    page.steps += len(shown)
    if len(shown) < len(steps):
        page.without_steps += 1
    if not shown:
        return Markup()
    told = ([page.clock.moment(s.at), s.source or "", s.target or "", s.how, place_name(s.place)] for s in shown)
    rest = [tag("p", f"{len(steps) - len(shown):,} more steps", class_="note")] if len(shown) < len(steps) else []
    return Markup("".join((table(("at", "from", "to", "known", "line"), told), *rest)))
