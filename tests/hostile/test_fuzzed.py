"""Fuzzers over specs, logs, layouts, imports and reports: whatever comes in, an answer comes out, in time and without a traceback.

`pytest tests/hostile --hypothesis-profile=hostile` looks for an hour instead of half a minute, and at other inputs each time.
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
import re
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st

from statemachines.cli import main
from statemachines.cli.root import program
from statemachines.logs import Scanner, scan
from tests.hostile.bounded import SEAL, STEP

LIMIT_S = 10
ENDS = {0, 1, 2, 3}
MANY = settings().max_examples if settings().max_examples > 1_000 else 40
"""Inputs a fuzzer: some seconds, or with `--hypothesis-profile=hostile` some minutes each."""


@contextlib.contextmanager
def folder() -> Iterator[Path]:
    """A folder with a spec of one step."""
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "Seal.yaml").write_text(SEAL)
        yield Path(name)


def ended(*words: str) -> tuple[int, str, str]:
    """Run the command line in this process; it must end in time, with a declared error, if any, and an exit code of the list."""
    out, said = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline=""), io.StringIO()
    begun = time.process_time()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(said):
        code = main(list(words))
        out.flush()
    assert time.process_time() - begun < LIMIT_S, words
    assert "Traceback" not in said.getvalue(), said.getvalue()[-2000:]
    assert code in ENDS
    written = out.buffer.getvalue()
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", said.getvalue())
    return code, written.decode(), said.getvalue()


WORDS = st.sampled_from(
    [
        "A",
        "B",
        "1A",
        "None",
        "*",
        "state",
        "e",
        "n",
        "0..3 = 0",
        "0..9 = 20",
        "n + 1",
        "n <",
        "1/0",
        "9" * 400,
        "'",
        '"',
        "{id}",
        "{",
        "(?:a+)+",
        "true",
        "",
        "-",
        "é",
        "\x1b",
        "in",
        "A -> B",
        "len(n)",
        "all(x for x in range(n))",
        "[",
        "2.0..",
        "raise X",
        "ignore",
        "int",
        "step",
    ]
)
SECTIONS = [
    "states",
    "transitions",
    "events",
    "variables",
    "otherwise",
    "always",
    "log",
    "types",
    "define",
    "predicates",
    "in",
    "family",
    "use",
]
KEYS = [
    *SECTIONS,
    "from",
    "to",
    "event",
    "guard",
    "effect",
    "initial",
    "final",
    "instance",
    "patterns",
    "lines",
    "text",
    "says",
    "logger",
    "A",
    "n",
]
NODES = st.recursive(
    WORDS | st.integers(-5, 5) | st.none(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4)
    ),
    max_leaves=20,
)


@settings(max_examples=MANY)
@given(st.dictionaries(st.sampled_from(SECTIONS), NODES, max_size=6))
def test_any_document_is_linted(sections: dict[str, object]) -> None:
    """Nonsense in the right places."""
    with folder() as place:
        document = {
            "notation": 1,
            "machine": "M",
            "states": {"A": {"initial": True}, "B": None},
            **sections,
        }
        (place / "M.yaml").write_text(json.dumps(document))
        code, _, _ = ended("lint", str(place / "M.yaml"))
        shown, _, _ = ended("show", str(place / "M.yaml"))
        assert (code == 0) == (shown == 0)


@settings(max_examples=MANY)
@given(st.integers(0, len(SEAL) - 1), st.text(max_size=3), st.integers(0, 5))
def test_any_edit_of_a_spec_is_linted(at: int, put: str, taken: int) -> None:
    """Right documents with a letter wrong."""
    with folder() as place:
        (place / "M.yaml").write_bytes(
            (SEAL[:at] + put + SEAL[at + taken :]).encode("utf-8", "surrogatepass")
        )
        ended("lint", str(place / "M.yaml"))


PIECES = st.sampled_from(
    [
        *map(
            str.encode,
            (
                STEP.format(1),
                STEP.format("=1+1"),
                STEP.format("\x1b[31mred"),
                STEP.format("\x07bell\u202e<b>") * 2,
                STEP.format("=1+1") * 2,
                "2026-99-99 99:99:99,999 INFO ",
                "\n",
                " " * 300,
                "\t",
            ),
        ),
        b"\xff\xfe",
        b"\x00",
        b"\x1f\x8b\x08",
        b"{",
        b'{"log":"',
        b"[" * 50,
        b"seal 7 went from WET to ",
        b"@SUM(1) ",
        b"\xe2\x80\xae",
        b"\r",
        b"(zoo.Keeper)",
    ]
) | st.binary(max_size=20)


OBEYED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""What a terminal or a browser does, and does not show."""


def texts_of(read: object) -> Iterator[str]:
    """Yield every text of a JSON document."""
    if isinstance(read, str):
        yield read
    for inner in (
        read.values() if isinstance(read, dict) else read if isinstance(read, list) else ()
    ):
        yield from texts_of(inner)


LOGS = st.lists(PIECES, max_size=30).map(b"".join)
FILES = st.sampled_from(["a.log", "=1+1.log", "@SUM(1).log", "-a\x07<b>.log"])
"""Processes are called like their files, and some columns hold nothing else."""
FORMS = st.sampled_from(["text", "json", "csv", "findings-csv", "sarif", "junit", "html"])


@settings(max_examples=MANY)
@given(LOGS, FILES, FORMS)
def test_any_log_is_judged_and_any_report_is_harmless(log: bytes, file: str, form: str) -> None:
    """What a log says is obeyed by no terminal, no spreadsheet, and read back by what reads such forms."""
    with folder() as place:
        (place / file).write_bytes(log)
        code, out, _ = ended(
            "check",
            str(place / file),
            "--spec",
            str(place / "Seal.yaml"),
            "--format",
            form,
            "--engine",
            "local",
            "--quiet",
        )
        assert not OBEYED.search(out)
        if form in ("json", "sarif"):
            read = json.loads(out)
            assert form == "json" or not [text for text in texts_of(read) if OBEYED.search(text)]
        if "csv" in form:
            cells = [cell for row in csv.reader(io.StringIO(out)) for cell in row]
            assert not [
                cell
                for cell in cells
                if re.match(r"\s*[=+@-]", cell) and not re.fullmatch(r"[+-]?[0-9]+", cell)
            ]
        assert code in ENDS


UNITS = st.text(st.sampled_from(" \t[](){}|:/.,-a1A\"'<>="), min_size=1, max_size=4)
HEADS = st.sampled_from(
    [
        "",
        "[2026-03-04 15:30:00,400] INFO ",
        "2026-03-04 15:30:00,400 [main] INFO a.B - ",
        "INFO ",
        "[",
        '{"a":"',
        "2026-03-04 15:30:00,400 ",
    ]
)


@settings(max_examples=4 * MANY)
@example("INFO ", "A", "a", False)
@given(HEADS, UNITS, UNITS, st.booleans())
def test_a_long_line_is_read_in_about_the_time_of_any_other(
    head: str, unit: str, other: str, behind: bool
) -> None:
    """No layout, no prefix and no wording goes back and forth over a line."""
    body, filling = (
        "seal 7 went from WET to DRY (zoo.Keeper)",
        unit * (15_000 // len(unit)) + other * (15_000 // len(other)),
    )
    line = (head + body + filling if behind else head + filling + body).encode() + b"\n"
    seconds = []
    while not seconds or (seconds[-1] >= 1 and len(seconds) < 3):  # the collector may be at work
        begun = time.process_time()
        assert len(list(scan(line, 0, len(line), Scanner([b"went from"])))) <= 1
        seconds.append(time.process_time() - begun)
    assert min(seconds) < 1


LAYOUTS = st.lists(
    st.sampled_from(
        [
            "%d",
            "%t",
            "%p",
            "%-5p",
            "%c",
            "%m",
            "%n",
            "[",
            "]",
            " ",
            "%X{a}",
            "%",
            "{",
            "(",
            "%highlight(",
            "é",
            "\\",
        ]
    ),
    max_size=8,
)


@settings(max_examples=MANY)
@given(LAYOUTS, NODES)
def test_any_layout_is_taken_or_refused(pieces: list[str], sample: object) -> None:
    """A layout file is a person's, and may be anything."""
    with folder() as place:
        (place / "a.log").write_text(STEP.format(1))
        row = {"name": "mine", "pattern": "".join(pieces), "samples": [sample] if sample else []}
        (place / "layout.yaml").write_text(json.dumps({"layouts": [row]}))
        ended(
            "check",
            str(place / "a.log"),
            "--spec",
            str(place / "Seal.yaml"),
            "--layout",
            str(place / "layout.yaml"),
            "--engine",
            "local",
        )


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=4)
    | st.sampled_from(["A", "B", "*", "\ud800"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "states",
                    "transitions",
                    "initial",
                    "on",
                    "type",
                    "target",
                    "trigger",
                    "source",
                    "dest",
                    "A",
                    "always",
                ]
            ),
            inner,
        )
    ),
    max_leaves=15,
)
DIAGRAMS = st.lists(
    st.sampled_from(
        [
            "stateDiagram-v2",
            "A --> B : e",
            "[*] --> A",
            "B --> [*]",
            "state A {",
            "}",
            'state "x" as Y',
            "note left of A",
            "A : text",
            "--",
            "\x1b",
        ]
    ),
    max_size=8,
).map("\n".join)
CHARTS = st.lists(
    st.sampled_from(
        [
            "<scxml>",
            "</scxml>",
            "<state id='A'>",
            "</state>",
            "<transition event='e' target='A'/>",
            "<parallel>",
            "</parallel>",
            "<!DOCTYPE a>",
            "&x;",
        ]
    ),
    max_size=8,
).map("".join)


IMPORTS = (
    JSON.map(lambda told: (".json", json.dumps(told)))
    | DIAGRAMS.map(lambda text: (".mmd", text))
    | CHARTS.map(lambda text: (".scxml", text))
)


@settings(max_examples=MANY)
@example((".mmd", "stateDiagram-v2\n\x1b"))
@example((".json", '{"transitions": [], "initial": []}'))
@given(IMPORTS)
def test_any_import_is_a_draft_or_a_sentence(told: tuple[str, str]) -> None:
    """And a draft is text that the reader of specs takes to be one."""
    ending, text = told
    with folder() as place:
        (place / f"in{ending}").write_text(text)
        code, _, said = ended("init", str(place / "New.yaml"), "--from", str(place / f"in{ending}"))
        assert code in (0, 2)
        assert said or code == 0
        if code == 0:
            assert "SM10" not in ended("lint", str(place / "New.yaml"))[1]


def test_the_fuzzers_see_a_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    """A checker that was never seen to fail is untested."""
    monkeypatch.setattr(program, "main", lambda *_, **__: 1 // 0)
    with pytest.raises(AssertionError, match="ZeroDivisionError"):
        ended("list")


def test_the_fuzzers_see_what_is_slow() -> None:
    """A layout that goes back and forth, as they did once."""
    from attrs import evolve

    from statemachines.logs.layouts.shipped_layouts import default_layouts

    slow = default_layouts().text_layouts[0]
    head = r" *[ \t]+ *[ \t]+ *!(?P<message>.*)"
    reader = evolve(slow.pattern, lead="[", head_source=head, parts=())
    layouts = evolve(default_layouts(), text_layouts=(evolve(slow, pattern=reader),))
    for blanks in (20, 40, 60, 90, 130, 200, 300, 450, 700):
        line = (
            b"[2026-03-04 15:30:00,400"
            + b" " * blanks
            + b"seal 7 went from WET to DRY (zoo.Keeper)\n"
        )
        begun = time.process_time()
        list(scan(line, 0, len(line), Scanner([b"went from"]), layouts))
        if time.process_time() - begun > 0.3:
            return
    raise AssertionError("a layout that goes back and forth is not slow")


TEXTS = [
    [],
    ["--all"],
    ["--format", "markdown"],
    ["--format", "junit"],
    ["--format", "findings-csv"],
]


@pytest.mark.parametrize("words", TEXTS, ids=" ".join)
def test_what_is_listed_of_many_instances_is_obeyed_by_no_terminal(words: list[str]) -> None:
    """Those that are likewise wrong stand in a line of their own, and those beyond in another."""
    names = [
        "\x1b[31mred",
        "a\x00b",
        "a\x0bb",
        "a\x85b",
        "a\u2028b",
        "a\x9b31m",
        "a\u202eb",
        "\x07",
    ]
    episodes = '  episodes: {dry: {while: "state == \'DRY\'", title: "{id} is dry"}}\n'
    with folder() as place:
        (place / "Seal.yaml").write_text(SEAL + episodes)
        log = "".join(STEP.format(f"{name}{n}") for n, name in enumerate(names * 3))
        (place / "a.log").write_bytes(log.encode())
        told = ["--spec", str(place / "Seal.yaml"), "--engine", "local", "--quiet"]
        _, out, _ = ended("check", str(place / "a.log"), *told, *words)
    assert not OBEYED.search(out)
    assert " is dry" in out or words[-1:] in (["junit"], ["findings-csv"])


def unchanged(text: object, *_: object, **__: object) -> object:
    """What a writer would do that trusts what it is given."""
    return text


def broken(*_: object, **__: object) -> str:
    """What a writer of drafts would do that forgets a bracket."""
    return "notation: 1\nmachine: {"


def crash(*_: object, **__: object) -> None:
    """What a reader would do that never saw such a text."""
    raise KeyError("never seen")


FAULTS = [
    ("a log", test_any_log_is_judged_and_any_report_is_harmless, (LOGS, FILES, FORMS),
     "statemachines.conform.engines.file_reader.scan", crash),
    ("csv", test_any_log_is_judged_and_any_report_is_harmless, (LOGS, FILES, st.just("csv")),
     "statemachines.report.csv_format._csv_cell", str),
    ("junit", test_any_log_is_judged_and_any_report_is_harmless, (LOGS, FILES, st.just("junit")),
     "statemachines.report.junit_format.printable_text", unchanged),
    ("sarif", test_any_log_is_judged_and_any_report_is_harmless, (LOGS, FILES, st.just("sarif")),
     "statemachines.report.sarif_format.printable_text", unchanged),
    ("html", test_any_log_is_judged_and_any_report_is_harmless, (LOGS, FILES, st.just("html")),
     "statemachines.report.html.elements.printable_text", unchanged),
    ("a layout", test_any_layout_is_taken_or_refused, (LAYOUTS, NODES),
     "statemachines.logs.layouts.conversion_parts._parse_conversion", crash),
    ("a layout's sample", test_any_layout_is_taken_or_refused, (LAYOUTS, NODES),
     "statemachines.logs.layouts.layout_files._layouts_from_rows", crash),
    ("a draft", test_any_import_is_a_draft_or_a_sentence, (IMPORTS,),
     "statemachines.interop.drafting.drafts.to_notation", broken),
    ("a diagram", test_any_import_is_a_draft_or_a_sentence, (IMPORTS,),
     "statemachines.interop.mermaid.mermaid_reader._diagram_lines", crash),
    ("a chart", test_any_import_is_a_draft_or_a_sentence, (IMPORTS,),
     "statemachines.interop.scxml.scxml_reader._parse_chart", crash),
    ("a mapping", test_any_import_is_a_draft_or_a_sentence, (IMPORTS,),
     "statemachines.interop.json.mapping_reader._transitions_from_states", crash),
]  # fmt: skip
"""What is planted where, and the fuzzer that must see it, with what it draws from."""


@pytest.mark.parametrize(
    ("fuzzer", "drawn", "place", "fault"),
    [row[1:] for row in FAULTS],
    ids=[row[0] for row in FAULTS],
)
def test_every_fuzzer_sees_what_is_planted(
    fuzzer: Callable[..., None],
    drawn: tuple[st.SearchStrategy[object], ...],
    place: str,
    fault: Callable[..., object],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A fuzzer that never draws what breaks a writer or a reader says nothing of it."""
    monkeypatch.setattr(place, fault)
    inner = fuzzer.hypothesis.inner_test
    seek = settings(max_examples=100, phases=(Phase.generate,), derandomize=True, database=None)(
        given(*drawn)(inner)
    )
    with pytest.raises((AssertionError, ExceptionGroup)):
        seek()
