"""Finding bytes first: every engine finds the same lines, and nothing hides a literal.

Covers: statemachines.logs.search.engines, statemachines.logs.search.literal_sets,
statemachines.logs.search.scanner.
"""

from __future__ import annotations

import json
import mmap
import tempfile
from collections.abc import Iterable

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from statemachines.logs import Scanner
from statemachines.logs.search import scanner as scanner_module
from statemachines.logs.search.engines import LINE_LIMIT, Engine
from statemachines.logs.search.literal_sets import literal_variants
from statemachines.logs.search.scanner import line_starts, minimal_literals

ENGINES: tuple[Engine, ...] = ("re2", "arrow", "find", "sieve", "auto")
LITERALS = [
    b"State transition from ",
    b"turned",
    b'asked for "open"',
    b"a/b",
    b"x=1 & y<2",
    "Tür".encode(),
    "Haustür ab".encode(),
    b"ab",
    b"aab",
    b"\x00",
    b".*",
    b"\\d",
]
WORDS = [
    *LITERALS,
    b"Haust",
    b"a",
    b"b",
    b" ",
    b"\n",
    b"\n",
    b"\n",
    b"\r\n",
    b"\xff\xfe",
    b'\\"',
    b"\\u003d",
    b"\x1b[32m",
    b"\x1b[0m",
    b"\\u001b[1m",
    b"x",
    b"=",
    b"1",
]


def engine_or_skip(engine: Engine, literals: Iterable[bytes]) -> Scanner:
    """A scanner, where its library is installed."""
    try:
        return Scanner(literals, engine)
    except ImportError:
        pytest.skip(f"{engine} is not installed")


texts = st.lists(st.sampled_from(WORDS), max_size=60).map(b"".join)


@settings(deadline=None)
@given(texts, st.lists(st.sampled_from(LITERALS), min_size=1, unique=True))
@example(b"x\x1b[1mturned", [b"turned"])
@example(b"tur\x1b[1mned", [b"turned"])
@example(b"", [b"ab"])
@example(b"\n\nab\n\nab", [b"ab"])
@example(b"Haust", [b"ab", "Haustür ab".encode()])
@example(b"Haust", ["Haustür ab".encode()])
def test_every_engine_finds_the_same_lines(text: bytes, literals: list[bytes]) -> None:
    """A law: what is installed changes the speed, never the report."""
    found = {
        engine: list(engine_or_skip(engine, literals).hits(text, 0, len(text)))
        for engine in ENGINES
    }
    assert list(found.values()) == [found["find"]] * len(found)


@given(
    texts,
    st.lists(st.sampled_from(LITERALS), min_size=1, unique=True),
    st.integers(0, 300),
    st.integers(0, 300),
)
def test_a_piece_owns_the_lines_that_begin_in_it(
    text: bytes, literals: list[bytes], one: int, other: int
) -> None:
    """So that pieces find each line once."""
    low, high = sorted((one % (len(text) + 1), other % (len(text) + 1)))
    whole = list(Scanner(literals).hits(text, 0, len(text)))
    parts = [
        list(Scanner(literals).hits(text, start, end))
        for start, end in ((0, low), (low, high), (high, len(text)))
    ]
    assert [at for part in parts for at in part] == whole
    assert parts[1] == [at for at in whole if low <= at < high]


@given(texts, st.sampled_from([b"turned", b"ab", b"State transition from "]))
def test_lines_that_hold_the_literal_are_found_and_offsets_are_line_starts(
    text: bytes, literal: bytes
) -> None:
    """Against the plainest judge: split and `in`."""
    found = set(Scanner([literal]).hits(text, 0, len(text)))
    starts = list(line_starts(text))
    expected = {start for start in starts if literal in text[start:].split(b"\n", 1)[0]}
    assert expected <= found <= set(starts)


@given(st.sampled_from(LITERALS), st.booleans())
def test_json_hides_no_literal(literal: bytes, ascii_only: bool) -> None:
    """An encoder escapes quotes, bars and letters beyond ASCII; one inside another escapes twice."""
    told = f"before {literal.decode()} after"
    once = json.dumps({"message": told}, ensure_ascii=ascii_only)
    for text in (
        once,
        once.replace("/", "\\/")
        .replace("=", "\\u003d")
        .replace("<", "\\u003C")
        .replace("&", "\\u0026"),
    ):
        assert list(Scanner([literal]).hits(text.encode(), 0, len(text.encode()))) == (
            [0] if literal != b"\x00" else []
        )
    if literal not in (b"\x00", b"\\d"):
        twice = json.dumps({"log": once}).encode()
        assert list(Scanner([literal]).hits(twice, 0, len(twice))) == [0]


def test_a_literal_that_contains_another_is_dropped() -> None:
    """The shorter one finds its lines too."""
    assert minimal_literals([b"aab", b"ab", b"xy", b"abc", b"xy"]) == (b"ab", b"xy")
    assert Scanner([b"aab", b"ab"]).literals == (b"ab",)


@pytest.mark.parametrize("literal", [b"", b"a\nb"])
def test_a_literal_is_a_part_of_a_line(literal: bytes) -> None:
    """Anything else would find nothing, in silence."""
    with pytest.raises(ValueError, match="a part of one line"):
        Scanner([literal])


def test_no_literals_find_nothing() -> None:
    """A machine without log lines."""
    assert list(Scanner([]).hits(b"abc\n", 0, 4)) == []


@pytest.mark.parametrize("engine", ENGINES)
def test_only_the_beginning_of_a_very_long_line_is_searched(engine: Engine) -> None:
    """A line of megabytes costs no more than 64 KiB, and hides nothing of the next line."""
    near, far = b"x" * (LINE_LIMIT - 6) + b"turned", b"x" * (LINE_LIMIT - 5) + b"turned"
    text = b"\n".join(
        [far, near, b"y" * (3 << 20) + b"turned", b"turned", b"turned" + b"z" * (2 << 20)]
    )
    starts = list(line_starts(text))
    assert list(engine_or_skip(engine, [b"turned"]).hits(text, 0, len(text))) == [
        starts[1],
        starts[3],
        starts[4],
    ]


@given(st.data())
def test_chunks_change_nothing(data: st.DataObject) -> None:
    """A chunk ends where a line ends, however small it is."""
    text = data.draw(texts)
    expected = list(Scanner([b"ab", b"turned"]).hits(text, 0, len(text)))
    before = scanner_module.BLOCK_BYTES
    scanner_module.BLOCK_BYTES = data.draw(st.integers(1, 40))
    try:
        assert list(Scanner([b"ab", b"turned"]).hits(text, 0, len(text))) == expected
    finally:
        scanner_module.BLOCK_BYTES = before


def test_mapped_files_and_views_are_searched_like_bytes() -> None:
    """The local engine maps files, Spark has bytes and views."""
    text = b"one\nturned\ntwo turned\n"
    with tempfile.TemporaryFile() as file:
        file.write(text)
        file.flush()
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
            assert list(Scanner([b"turned"]).hits(mapped, 0, len(text))) == [4, 11]
    assert list(Scanner([b"turned"]).hits(memoryview(text), 0, len(text))) == [4, 11]


def test_a_literal_with_too_many_spellings_is_cut_to_a_plain_part() -> None:
    """More lines, never fewer."""
    assert literal_variants(b"====='''''begins here") == (b"begins here",)
    assert b"plain" in literal_variants(b"plain")
    assert "é".encode() in literal_variants("é".encode())
    assert b"\\u00e9" in literal_variants("é".encode())
