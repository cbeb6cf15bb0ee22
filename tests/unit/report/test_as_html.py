"""The HTML report: one file, readable without scripts, and nothing that a log says is obeyed.

Covers: statemachines.report.html.current_state, statemachines.report.html.findings,
statemachines.report.html.instance_timelines, statemachines.report.html.row_verdicts,
statemachines.report.html.incident_sections.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser

from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from statemachines.model.evidence.reports import Report
from statemachines.report.html.document import PART_TITLES, to_html
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
