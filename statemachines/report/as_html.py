"""The HTML report: one file, no network, readable without any script."""

from __future__ import annotations

import json
from collections.abc import Iterator
from html import escape
from importlib.resources import files

from statemachines.model.reports import Report
from statemachines.report.html.around import Around
from statemachines.report.html.found import findings, sources, uncovered
from statemachines.report.html.instances import timelines
from statemachines.report.html.machines import machines
from statemachines.report.html.palette import palette
from statemachines.report.html.states import again, all_states, healed, over_and_done, unrecovered, wrong_now
from statemachines.report.html.tags import Markup, more, tag
from statemachines.report.text.headline import how_much, most_urgent
from statemachines.report.text.names import Clock, clock_of

POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
"""What a browser may load for the page: nothing but what is in it."""
NOTHING = Around()
PARTS = {
    "now": "wrong now",
    "forbidden": "forbidden",
    "doubt": "cannot be told",
    "states": "states",
    "ended": "ended",
    "unrecovered": "unrecovered",
    "healed": "healed",
    "again": "again and again",
    "behaved": "refused",
    "unjudged": "not judged",
    "machines": "machines",
    "timeline": "timeline",
    "sources": "sources",
}
"""Parts of the page by their identity, and how the navigation calls them."""


def to_html(report: Report, around: Around = NOTHING) -> Iterator[str]:
    """Write a report as one self-contained page.

    The answers of the text report in its order, each with its lines, the machines with the log laid over them; then what every instance
    did, with a search, filters and a zoom where the browser runs scripts. Nothing is loaded from anywhere, and what a log says is text,
    whatever it looks like. What a page has no room for is counted, never dropped in silence.

    Args:
        report: what a check found; its timeline is read three times.
        around: machines and lines that are shown beside it.
    """
    clock = clock_of(report)
    parts = {part: written for part, written in _parts(report, clock, around) if written}
    title = f"{report.verdict.name}: {how_much(report)}"
    yield '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    yield f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
    yield f"{tag('title', title)}\n<style>\n{palette()}{_file('page.css')}</style>\n</head>\n<body>\n"
    yield f"{_header(report, clock, parts)}\n<main>\n"
    yield from (f"{written}\n" for written in parts.values())
    yield f"</main>\n{_footer(report)}\n<script>\n{_file('page.js')}</script>\n</body>\n</html>\n"


def _parts(report: Report, clock: Clock, around: Around) -> Iterator[tuple[str, Markup]]:
    forbidden, doubt, behaved = findings(report, clock, around)
    yield "now", wrong_now(report, clock, around)
    yield "forbidden", forbidden
    yield "doubt", doubt
    yield "states", all_states(report, clock)
    yield "ended", over_and_done(report, clock)
    yield "unrecovered", unrecovered(report, clock)
    yield "healed", healed(report, clock)
    yield "again", again(report, clock)
    yield "behaved", behaved
    yield "unjudged", uncovered(report)
    yield "machines", machines(report, around)
    yield "timeline", timelines(report, clock, around)
    yield "sources", sources(report, clock)


def _header(report: Report, clock: Clock, parts: dict[str, Markup]) -> Markup:
    verdict = tag("span", report.verdict.name, class_=f"verdict {report.verdict.name}")
    told = [tag("h1", verdict, " ", how_much(report))]
    if urgent := most_urgent(report):
        told.append(tag("p", urgent, class_="urgent"))
    interrupted = "interrupted; this is what was known by then" if report.interrupted else ""
    told += [tag("p", text, class_="note") for text in (interrupted, clock.span()) if text]
    told.append(tag("nav", *(tag("a", PARTS[part], href=f"#{part}") for part in parts)))
    return tag("header", *told)


def _footer(report: Report) -> Markup:
    made_with = Markup(escape(json.dumps(dict(report.made_with), indent=2, default=str)))
    return tag("footer", more("made with", tag("pre", made_with)))


def _file(name: str) -> str:
    return files("statemachines.report.html").joinpath(name).read_text("utf-8")
