"""Names that are markup: what a log, a file or a spec is called changes no element of a page, a picture or an XML report.

The law of each writer: with hostile names it has the very elements and attributes that it has with harmless ones, and the names can be read
back. A writer that forgets to escape dies: see the planted faults.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tests.hostile.test_fuzzed import MANY, ended, folder

PIECES = [
    "</script>",
    "<script>alert(1)</script>",
    "<b>",
    "<!--",
    "-->",
    "]]>",
    "<![CDATA[",
    '"',
    "'",
    '"onload="x',
    "'x='",
    "&",
    "&amp;",
    "&#0;",
    "&lt;",
    "<?xml",
    "</style>",
    "`",
    "\\",
    "|",
    "\x1bc",
    "\x07",
    "\x0b",
    "\x7f",
    "\x85",
    "\u202e",
    "\u2066",
    "\ufffe",
    "\uffff",
    "\U0001f9ed",
    "=1+1",
    "{}",
    "é",
]
NAMES = st.lists(st.sampled_from(PIECES), min_size=1, max_size=5).map("".join).filter(str.strip)
"""Not blanks alone, of which nothing is shown."""
LINES = (
    """\
2026-03-04 08:00:00,001 INFO seal {0} went from WET to DRY (zoo.Keeper)
2026-03-04 08:00:01,001 INFO seal {0} went from DRY to WET (zoo.Keeper)
"""
    + 9
    * "2026-03-04 08:00:02,001 INFO a file of bells alone would be taken for no text (zoo.Bell)\n"
)
DRAWN = """\
notation: 1
machine: M
doc: {0}
states: {{A: {{initial: true, doc: {0}}}, B: {{final: true, doc: {0}}}}}
transitions: [{{from: A, to: B, event: e, doc: {0}}}]
"""
Skeleton = list[tuple[str, ...]]


class Page(HTMLParser):
    """Elements of a page, and all its text."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: Skeleton = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, *(name for name, _ in attrs)))

    def handle_endtag(self, tag: str) -> None:
        self.elements.append((f"/{tag}",))

    def handle_comment(self, data: str) -> None:
        self.elements.append(("comment", data))

    def handle_decl(self, decl: str) -> None:
        self.elements.append(("declaration", decl))

    def unknown_decl(self, data: str) -> None:
        self.elements.append(("unknown", data))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def quoted(text: str) -> str:
    """Return a text as YAML quotes it."""
    return '"' + "".join(rf"\U{ord(each):08x}" for each in text) + '"'


def of_page(text: str) -> tuple[Skeleton, str]:
    """Return a page's elements and its text."""
    page = Page()
    page.feed(text)
    page.close()
    return page.elements, "".join(page.texts)


def of_xml(text: str) -> tuple[Skeleton, str]:
    """Return a document's elements, and its text with all attributes."""
    root = ElementTree.fromstring(text)
    told = [value for each in root.iter() for value in (*each.attrib.values(), each.text or "")]
    return [(each.tag, *each.attrib) for each in root.iter()], "\n".join(told)


def report(form: str, name: str) -> str:
    """Check a log of one instance, which is wrong; the log is a file of that name too."""
    file = re.sub(r"[/\x00]", "", name)[:40] + ".log"
    with folder() as place:
        (place / file).write_bytes(LINES.format(name).encode())
        spec = str(place / "Seal.yaml")
        words = ["--spec", spec, "--format", form, "--engine", "local", "--quiet"]
        code, out, _ = ended("check", str(place / file), *words)
        assert code == 1
        return out.replace(str(place), "")


def picture(name: str) -> str:
    """Draw a machine whose docs are this."""
    with folder() as place:
        (place / "M.yaml").write_text(DRAWN.format(quoted(name)), "utf-8")
        code, out, _ = ended("draw", str(place / "M.yaml"), "--format", "svg")
        assert code == 0
        return out


def timeline(name: str) -> str:
    """Draw what an instance did, as rows of time."""
    from statemachines import check
    from statemachines.draw import timeline_svg

    with folder() as place:
        (place / "a.log").write_bytes(LINES.format(name).encode())
        told = check(place / "a.log", specs=place / "Seal.yaml")
        return timeline_svg(told.timeline, findings=told.findings, now=told.now)


WRITERS: dict[str, tuple[Callable[[str], str], Callable[[str], tuple[Skeleton, str]]]] = {
    "html": (lambda name: report("html", name), of_page),
    "junit": (lambda name: report("junit", name), of_xml),
    "svg": (picture, of_xml),
    "timeline": (timeline, of_xml),
}
ESCAPES = {
    "html": "statemachines.report.html.elements.escape",
    "junit": "statemachines.report.junit_format.escape",
    "svg": "statemachines.draw.xml_markup.escape",
    "timeline": "statemachines.draw.xml_markup.escape",
}
"""What each writer escapes with."""


def assert_harmless(writer: str, name: str) -> None:
    """The law, for one name."""
    write, read = WRITERS[writer]
    elements, told = read(write(name))
    assert elements == read(write("x" * len(name)))[0]
    if writer != "svg":  # a picture says a doc as a hint, in one line
        runs = re.findall("[!-~]+", name)
        assert not runs or any(run in told for run in runs)
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", told)


@pytest.mark.parametrize("writer", WRITERS)
def test_a_hostile_name_is_text(writer: str) -> None:
    """A page that runs what a log says would run it in the browser of the person on call."""

    @settings(max_examples=max(MANY // 2, 20))
    @given(NAMES)
    def fuzz(name: str) -> None:
        assert_harmless(writer, name)

    fuzz()


def unescaped(text: str, *_: object, **__: object) -> str:
    """What a writer would do that forgot."""
    return text


@pytest.mark.parametrize("writer", WRITERS)
def test_a_writer_that_forgets_to_escape_is_seen(
    writer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The planted fault of each."""
    monkeypatch.setattr(ESCAPES[writer], unescaped)

    @settings(max_examples=60, phases=(Phase.generate,), derandomize=True, database=None)
    @given(NAMES)
    def fuzz(name: str) -> None:
        assert_harmless(writer, name)

    with pytest.raises((AssertionError, ElementTree.ParseError, ExceptionGroup)):
        fuzz()


def table_rows(text: str) -> Iterator[int]:
    """Yield how many cells each row of a Markdown table has."""
    for line in text.splitlines():
        if line.startswith("|"):
            yield len(re.findall(r"(?<!\\)\|", line))


@settings(max_examples=max(MANY // 2, 20))
@given(NAMES)
def test_a_hostile_doc_makes_no_cell_of_a_table(name: str) -> None:
    """Markdown's tables are read by their bars, and by lines."""
    with folder() as place:
        (place / "M.yaml").write_text(DRAWN.format(quoted(name)), "utf-8")
        code, out, _ = ended("draw", str(place / "M.yaml"), "--format", "markdown")
        assert code == 0
        plain = Path(place / "M.yaml")
        plain.write_text(DRAWN.format(quoted("x" * len(name))), "utf-8")
        assert list(table_rows(out)) == list(
            table_rows(ended("draw", str(plain), "--format", "markdown")[1])
        )
