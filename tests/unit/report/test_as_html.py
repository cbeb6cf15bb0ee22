"""The HTML report: one file, readable without scripts, and nothing that a log says is obeyed.

Covers: statemachines.report.html.current_state, statemachines.report.html.findings,
statemachines.report.html.instance_timelines, statemachines.report.html.row_verdicts,
statemachines.report.html.incident_sections, statemachines.report.html.incident_bars,
statemachines.report.html.page_styles.
"""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser

from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from statemachines.model.evidence.reports import EpisodeOutcome, Report
from statemachines.report.html.document import PART_TITLES, to_html
from statemachines.report.html.page_styles import PageStyles
from tests.unit.report.handmade import EMPTY, FULL, finding

VOID = {"meta", "input", "br", "link", "img"}


class Page(HTMLParser):
    """Reads a page as a browser would: elements that close, text, and what would be loaded."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.texts: list[str] = []
        self.tags: list[str] = []
        self.loaded: list[str] = []
        self.identities: set[str] = set()
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        self.tags.append(tag)
        self.identities |= {told["id"] or ""} if "id" in told else set()
        self.loaded += [told[name] or "" for name in ("src", "srcset", "data") if name in told]
        self.loaded += (
            [told["href"] or ""]
            if "href" in told and not (told["href"] or "").startswith("#")
            else []
        )
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def page(report: Report) -> Page:
    """A report as a browser reads it."""
    read = Page("".join(to_html(report)))
    assert read.open == []
    return read


def test_the_answers_of_the_text_report_are_there() -> None:
    """Whoever opens the page wants the same answers first."""
    told = " ".join(page(FULL).texts)
    for answer in (
        "VIOLATED",
        "order 7 is not paid",
        "SHIPPED",
        "shop.log:57",
        "legal from there",
        "PAID, CANCELLED",
        "shop/Order.yaml:31",
    ):
        assert answer in told
    assert told.index("order 7 is not paid") < told.index("What every instance did")


def test_nothing_is_loaded_from_anywhere() -> None:
    """A report is opened on a machine without a network, years later."""
    html = "".join(to_html(FULL))
    assert page(FULL).loaded == []
    assert not re.search(r"url\(|@import|https?://(?!www\.w3\.org/)", html)


def test_the_navigation_leads_to_parts_that_are_there() -> None:
    """And names those only."""
    html = "".join(to_html(FULL))
    links = set(re.findall(r'href="#([\w-]+)"', html))
    assert links <= page(FULL).identities
    assert links <= set(PART_TITLES)
    assert "forbidden" in links
    assert "forbidden" not in re.findall(r'href="#([\w-]+)"', "".join(to_html(EMPTY)))


def test_a_log_line_that_holds_a_script_is_text() -> None:
    """A log line may hold anything that a stranger sent."""
    bad = "<script>alert(1)</script><img src=x onerror=alert(2)>"
    hostile = evolve(
        finding(), text=bad, message=bad, process=bad, instance=(("order", bad),), source=bad
    )
    report = evolve(
        FULL,
        findings=(hostile,),
        timeline=[evolve(step, process=bad, source=bad) for step in FULL.timeline],
    )
    read = page(report)
    assert read.tags.count("script") == 1
    assert "img" not in read.tags
    assert any(bad in text for text in read.texts)


@given(st.text(max_size=30))
def test_the_page_is_whole_whatever_a_log_says(hostile: str) -> None:
    """Every element closes, in every report."""
    row = evolve(
        finding(), text=hostile, message=hostile, process=hostile, instance=(("order", hostile),)
    )
    page(evolve(FULL, findings=(row,), errors=(hostile,)))


def test_a_report_of_nothing_is_a_page_too() -> None:
    """The verdict and nothing else."""
    assert "HOLDS" in " ".join(page(EMPTY).texts)


def test_what_may_be_one_long_word_breaks_on_a_narrow_screen() -> None:
    """A logger's name has no blank; a page that is wider than the telephone hides the ends of all its lines."""
    rules = dict(re.findall(r"^([a-z0-9]+) \{ (.*?) \}", "".join(to_html(FULL)), re.MULTILINE))
    assert all("overflow-wrap: anywhere" in rules[element] for element in ("li", "pre", "h3"))


def test_incidents_stand_over_the_axis_of_time() -> None:
    """When it was, beside what everything else did then: a row a subject, its line on a click."""
    written = "".join(to_html(FULL))
    (happened,) = re.findall(r"<h3>What happened .*?</section>", written, re.DOTALL)
    assert happened.count("<li") == len({(one.kind, one.subject) for one in FULL.incidents})
    for one in FULL.incidents:
        assert one.title in happened
        assert one.cause is None or f"{one.cause.quote.place.line}</td>" in happened
    assert 'class="incident bad ' in happened


def test_what_is_under_way_or_may_be_over_is_not_shown_as_what_is_wrong() -> None:
    """Red is what somebody has to do something about: the page and the text say the same."""
    told = [evolve(one, outcome=EpisodeOutcome.OPEN, until=None) for one in FULL.incidents]
    young = [evolve(one, is_long=False) for one in told]
    doubted = [evolve(one, outcome=EpisodeOutcome.MAY_BE_OVER) for one in told]
    for incidents in (young, doubted):
        written = "".join(to_html(evolve(FULL, incidents=tuple(incidents))))
        assert 'class="incident bad ' not in written
        assert '<article class="bad" id="wrong-' not in written
    assert "<h2>Perhaps wrong now" in written
    assert "<h2>Wrong now" not in written


def test_a_log_without_times_has_no_such_rows() -> None:
    """Numbers of steps are no moments."""
    steps = [evolve(step, at=None) for step in FULL.timeline]
    untimed = evolve(FULL, timeline=steps, now=(), findings=(), begins=None)
    assert "What happened" not in "".join(to_html(untimed))


def test_a_browser_is_told_to_obey_the_page_alone() -> None:
    """Its script and styles by their hashes: what else stands in it does nothing."""
    written = "".join(to_html(FULL))
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', written)
    elements = re.findall(r"<(style|script)>(.*?)</\1>", written, re.DOTALL)
    assert len(elements) >= 3
    for name, text in elements:
        digest = b64encode(sha256(text.encode()).digest()).decode()
        (allowed,) = re.findall(rf"{name}-src ([^;]*)", policy)
        assert f"'sha256-{digest}'" in allowed
    assert "unsafe" not in policy
    assert policy.startswith("default-src 'none'")
    assert ' style="' not in written


def test_a_look_that_was_an_attribute_is_a_class_that_wins() -> None:
    """A picture's own rules come after those of the page."""
    styles = PageStyles()
    drawn = '<g class="arrow" style="stroke-width: 3"><path d="M0" style="stroke-width: 3;"/></g>'
    moved = styles.without_attributes(drawn)
    (first, second) = re.findall(r"s\d+", moved)
    assert f'<g class="{first} arrow">' in moved
    assert f'<path d="M0" class="{second}"/>' in moved
    assert f".{first}{{stroke-width: 3 !important}}" in styles.sheet()
