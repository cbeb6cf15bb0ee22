"""The HTML report: one file, no network, readable without any script."""

from __future__ import annotations

import json
from collections.abc import Iterator
from html import escape

from statemachines.draw.theme import DARK, LIGHT, Theme
from statemachines.model.evidence.reports import Report
from statemachines.report.html.current_state import (
    ended_section,
    repeated_section,
    states_section,
)
from statemachines.report.html.elements import Markup, expandable, tag
from statemachines.report.html.findings import finding_sections, sources_section, unjudged_section
from statemachines.report.html.incident_sections import (
    healed_section,
    ordinary_sections,
    unrecovered_section,
    usual_section,
    wrong_now_section,
)
from statemachines.report.html.instance_timelines import timeline_section
from statemachines.report.html.machine_diagrams import machines_section
from statemachines.report.html.page_context import PageContext
from statemachines.report.html.page_styles import PageStyles, content_policy
from statemachines.report.sections.display_names import ReportClock, report_clock
from statemachines.report.sections.log_notes import log_notes
from statemachines.report.sections.verdict_summary import (
    checked_amount,
    health_text,
    health_word,
    most_urgent_finding,
)


def palette() -> str:
    """Return the style sheet's variables for light, and for those who prefer dark; `--shade0` and
    so on, `--out`, `--edge`.
    """
    return (
        f":root {{ {_style_variables(LIGHT)} }}\n@media (prefers-color-scheme: dark) {{ :root {{"
        f" {_style_variables(DARK)} }} }}\n"
    )


def _style_variables(theme: Theme) -> str:
    shades = {f"shade{index}": shade for index, shade in enumerate(theme.shades)}
    colours = shades | {
        "out": theme.out,
        "out-edge": theme.out_edge,
        "edge": theme.course_edge,
        "grid": theme.group_edge,
    }
    return " ".join(f"--{name}: {colour};" for name, colour in colours.items())


_NO_CONTEXT = PageContext()
PART_TITLES = {
    "now": "wrong now",
    "usual": "under way",
    "forbidden": "forbidden",
    "doubt": "cannot be told",
    "states": "states",
    "ended": "ended",
    "unrecovered": "unrecovered",
    "healed": "healed",
    "ordinary-now": "goes on in order",
    "ordinary": "went on in order",
    "again": "again and again",
    "behaved": "refused",
    "unjudged": "not judged",
    "timeline": "timeline",
    "machines": "machines",
    "sources": "sources",
}
"""Parts of the page by their identity, and how the navigation calls them."""


def to_html(report: Report, around: PageContext = _NO_CONTEXT) -> Iterator[str]:
    """Write a report as one self-contained page.

    The answers of the text report in its order, each with its lines, the machines with the log laid
    over them; then what every instance did, with a search, filters and a zoom where the browser
    runs scripts. Nothing is loaded from anywhere, and what a log says is text, whatever it looks
    like. What a page has no room for is counted, never dropped in silence.

    Args:
        report: what a check found; its timeline is read three times.
        around: machines and lines that are shown beside it.

    Yields:
        Parts of one document, in order.
    """
    clock = report_clock(report)
    styles = PageStyles()
    written_parts = _page_parts(report, clock, around, styles)
    parts = {part: written for part, written in written_parts if written}
    sheets = [f"\n{palette()}{_asset_text('page.css')}", styles.sheet()]
    script = f"\n{_asset_text('page.js')}"
    pictures = parts.get("machines", "")
    policy = content_policy(sheets, script, pictures)
    title = f"{report.verdict.name}: {checked_amount(report)}"
    yield '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
    yield f"{tag('title', title)}\n"
    yield from (f"<style>{sheet}</style>\n" for sheet in sheets)
    yield "</head>\n<body>\n"
    yield f"{_page_header(report, clock, parts)}\n<main>\n"
    yield from (f"{written}\n" for written in parts.values())
    yield f"</main>\n{_page_footer(report)}\n"
    yield f"<script>{script}</script>\n</body>\n</html>\n"


def _page_parts(
    report: Report, clock: ReportClock, around: PageContext, styles: PageStyles
) -> Iterator[tuple[str, Markup]]:
    forbidden, doubt, behaved = finding_sections(report, clock, around)
    yield "now", wrong_now_section(report, clock, around)
    yield "unrecovered", unrecovered_section(report, clock)
    yield "healed", healed_section(report, clock)
    yield from ordinary_sections(report, clock)
    yield "ended", ended_section(report, clock)
    yield "forbidden", forbidden
    yield "doubt", doubt
    yield "usual", usual_section(report, clock)
    yield "again", repeated_section(report, clock)
    yield "behaved", behaved
    yield "states", states_section(report, clock)
    yield "unjudged", unjudged_section(report)
    yield "timeline", timeline_section(report, clock, around, styles)
    yield "machines", machines_section(report, around, styles)
    yield "sources", sources_section(report, clock)


def _page_header(report: Report, clock: ReportClock, parts: dict[str, Markup]) -> Markup:
    verdict = tag("span", report.verdict.name, class_=f"verdict {report.verdict.name}")
    health = tag("span", health_word(report), class_=f"health {health_word(report)}")
    lines = [
        tag("h1", health, " ", health_text(report, clock)),
        tag("p", verdict, " ", checked_amount(report)),
    ]
    if urgent := most_urgent_finding(report):
        lines.append(tag("p", urgent, class_="urgent"))
    interrupted = "interrupted; this is what was known by then" if report.interrupted else ""
    notes = interrupted, clock.span(), *log_notes(report)
    lines += [tag("p", text, class_="note") for text in notes if text]
    lines.append(tag("nav", *(tag("a", PART_TITLES[part], href=f"#{part}") for part in parts)))
    return tag("header", *lines)


def _page_footer(report: Report) -> Markup:
    made_with = Markup(escape(json.dumps(dict(report.made_with), indent=2, default=str)))
    return tag("footer", expandable("made with", tag("pre", made_with)))


def _asset_text(name: str) -> str:
    from importlib.resources import files  # takes as long to import as a small log to judge

    return files("statemachines.report.html").joinpath(name).read_text("utf-8")
