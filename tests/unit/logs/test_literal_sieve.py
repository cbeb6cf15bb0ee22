"""A sieve finds the lines that a plain search finds, whatever it was made for.

Covers: statemachines.logs.search.buffers, statemachines.logs.search.literal_sieve,
statemachines.logs.search.literal_sets, statemachines.logs.search.engines,
statemachines.logs.search.needles_alone.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from statemachines.logs.search import engines, literal_sieve, needles_alone
from statemachines.logs.search.buffers import (
    count_feeds,
    find_any_byte,
    find_bytes,
    lines_holding,
)
from statemachines.logs.search.engines import LINE_LIMIT, SievedSearch, make_engine
from statemachines.logs.search.literal_sets import minimal_literals
from statemachines.logs.search.literal_sieve import LiteralSieve
from statemachines.logs.search.needles_alone import Asides, NeedlesAlone, TooManyFound
from statemachines.logs.search.scanner import line_starts

pytest.importorskip("numpy")

LITERALS = minimal_literals(
    [
        b"WARN",
        b"errors",
        b"x turned",
        b"opened",
        b" opened by ",
        b"turned red",
        b"turned off by nobody",
        b"State transition from ",
        "Tür auf, Tür zu".encode(),
        b"\x00\x00\x00\x00\x00\x00\x00",
        b"aaaaaaab",
    ]
)
FILLERS = (
    b"turne",
    b"a",
    b"aaaaaaa",
    b" ",
    b"WAR",
    b"\x00",
    b"opene",
    b"State transition",
    b"\xff",
)
pieces = st.sampled_from([*LITERALS, *FILLERS, b"\n", b"\n", b"\r\n"])
texts = st.lists(pieces, max_size=80).map(b"".join)


@pytest.fixture(autouse=True)
def nothing_is_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a sieve answer however much it finds."""
    monkeypatch.setattr(literal_sieve, "_LEAST_APART", 0)
    monkeypatch.setattr(literal_sieve, "_LEAST_COMPARED_APART", 0)
    monkeypatch.setattr(literal_sieve, "_LEAST_BYTES_APART", 0)
    monkeypatch.setattr(needles_alone, "_LEAST_LOOKED_AT_APART", 0)


def plainly_found(data: bytes, literals: Sequence[bytes], most_bytes: int) -> list[int]:
    """What the plainest search finds: line by line."""
    at, found = 0, []
    for line in data.split(b"\n"):
        if any(literal in line[:most_bytes] for literal in literals):
            found.append(at)
        at += len(line) + 1
    return found


@settings(deadline=None)
@given(
    texts,
    texts,
    st.lists(st.sampled_from(LITERALS), min_size=1, unique=True),
    st.sampled_from([LINE_LIMIT, 20, 9]),
)
@example(b"x turned", b"", [b"x turned"], LINE_LIMIT)
@example(b"\nx turned", b"x turned", [b"x turned"], 7)
@example(b"x turnex turned\nab x turned\nturned redx turned red", b"", list(LITERALS), 15)
def test_a_sieve_finds_what_is_found_line_by_line(
    data: bytes, sample: bytes, literals: list[bytes], most_bytes: int
) -> None:
    """A law: whatever text it was made for, and wherever lines are cut."""
    sieve = LiteralSieve(literals, sample)
    assert sieve.line_starts(data, most_bytes) == plainly_found(data, literals, most_bytes)


@settings(deadline=None)
@given(
    texts,
    texts,
    st.lists(st.sampled_from(LITERALS), min_size=1, unique=True),
    st.sampled_from([LINE_LIMIT, 20, 9]),
    st.sampled_from([1, 8192]),
    st.integers(0, 3),
)
@example(b"x WARN\nWA", b"", [b"WARN", b"opened"], LINE_LIMIT, 1, 0)
@example(b"x WARN\nWA", b"", [b"WARN", b"opened"], LINE_LIMIT, 8192, 1)
def test_needles_are_found_by_a_byte_as_by_themselves(
    data: bytes, sample: bytes, needles: list[bytes], most_bytes: int, apart: int, known: int
) -> None:
    """A law: also where that byte is rarer, or more common, than in the sample, and where some
    lines are found otherwise.
    """
    starts, of_sample = (list(line_starts(text)) for text in (data, sample))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(needles_alone, "_LEAST_APART_HERE", apart)
        alone = NeedlesAlone(needles, sample, of_sample[:known])
        found, _ = alone.lines(data, most_bytes, starts[:known])
    assert found == {*plainly_found(data, needles, most_bytes), *starts[:known]}


def test_one_rare_byte_finds_several_needles() -> None:
    sample = b"INFO order opened\n" * 20_000
    needles = NeedlesAlone([b"WARN", b"ERROR", b"SEVERE", b"opened"], sample)
    assert {byte: sorted(rests) for byte, rests in needles._by_byte.items()} == {
        b"R": [b"ERROR", b"SEVERE", b"WARN"]
    }
    assert list(needles._whole) == [b"opened"]
    assert needles.lines(b"WARN of it\nR\nis opened", LINE_LIMIT)[0] == {0, 13}


ASIDES = b"\x00\\", (b" stdout P ", b'","stream":"std')


@settings(deadline=None)
@given(
    st.lists(st.sampled_from([*LITERALS, *FILLERS, *ASIDES[1], b" ", b"\\", b"\n"])).map(b"".join),
    texts,
    st.sampled_from([LINE_LIMIT, 9]),
    st.integers(0, 3000),
)
@example(b"x turned red stdout P ", b"", LINE_LIMIT, 3000)
@example(b"opened\n\\", b"", LINE_LIMIT, 3000)
def test_what_is_noted_by_the_way_is_so(
    data: bytes, sample: bytes, most_bytes: int, spread: int
) -> None:
    """A law: a text of which it is noted that it holds none of some texts holds none, and the lines
    that are found are the same.
    """
    asides = Asides(*ASIDES)
    sieve = LiteralSieve(LITERALS, b"-" * 100_000 + sample, asides=asides)
    spread_out = data + b"\n" + b"nothing\n" * spread
    for text in (data, spread_out):
        plain = plainly_found(text, LITERALS, most_bytes)
        assert sieve.line_starts(text, most_bytes) == plain
        if asides.missing_in is text:
            assert not any(sign in text for sign in (b"\x00", b"\\", *ASIDES[1]))


def test_a_text_without_rare_signs_is_known_to_have_none() -> None:
    """So nobody looks for them once more; who asks of another text is told nothing."""
    asides = Asides(*ASIDES)
    sieve = LiteralSieve(LITERALS, b"INFO order opened\n" * 10_000, asides=asides)
    text = b"INFO order\n" * 4000 + b"State transition from A\n" + b"INFO order\n" * 4000
    assert sieve.line_starts(text, LINE_LIMIT) == [44_000]
    assert asides.missing_in is text
    for sign in (b"\\", *ASIDES[1]):
        assert sieve.line_starts(text + sign, LINE_LIMIT) == [44_000]
        assert asides.missing_in is None


def test_a_literal_is_found_at_every_place() -> None:
    """However the text is divided into fours, at its beginning and at its end."""
    for literal in LITERALS:
        sieve = LiteralSieve(LITERALS, b"nothing of it")
        for before in range(9):
            for after in range(9):
                data = b"-" * before + literal + b"-" * after
                assert sieve.line_starts(data, LINE_LIMIT) == [0], (literal, before, after)


@pytest.mark.parametrize("most", [20, 0])
def test_a_literal_of_common_words_is_found(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """Its pieces stand everywhere: it is searched by itself, unless there are too many such."""
    monkeypatch.setattr(literal_sieve, "_MOST_ALONE", most)
    literals = [before + b"Partition" for before in (b" ", b".", b"[")] + [b") with ", b"turned"]
    text = b"partition with partition\n" * 300
    sieve = LiteralSieve(literals, text)
    alone = {
        rest for rests in (*sieve._alone._by_byte.values(), sieve._alone._whole) for rest in rests
    }
    assert alone == ({b"turned", b"Partition", b") with "} if most else {b"turned"})
    data = text + b"a.Partition\nPartition\n (x) with y\n" + text + b"-Partition, turned"
    assert sieve.line_starts(data, LINE_LIMIT) == plainly_found(data, literals, LINE_LIMIT)


def test_blocks_that_are_searched_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A piece stands on the border of two parts."""
    monkeypatch.setattr(literal_sieve, "_WORDS_AT_ONCE", 4)
    sieve = LiteralSieve(LITERALS, b"")
    data = b"".join(b"-" * n + b"\n" + LITERALS[n % len(LITERALS)] + b"\n" for n in range(60))
    assert sieve.line_starts(data, LINE_LIMIT) == plainly_found(data, LITERALS, LINE_LIMIT)


def many_literals(chooser: random.Random, count: int) -> list[bytes]:
    """Literals of a catalogue, some of them short."""
    words = ["opened", "from", "closed", "partition", "state", "of", "replica", "by", "now"]
    texts = [f" {' '.join(chooser.choices(words, k=3))} id={n:03}" for n in range(count)]
    return [b"WARN", b"FATAL", *(text.encode() for text in texts)]


def log_blocks(chooser: random.Random, literals: Sequence[bytes]) -> list[bytes]:
    """Blocks of a log: some hold much, others little."""
    blocks = []
    for share in (0.001, 0.9, 0.001, 0.01, 0.9, 0.001, 0.001, 0.0, 0.001):
        lines = [
            chooser.choice(literals) if chooser.random() < share else b"partition opened by id=17"
            for _ in range(2000)
        ]
        blocks.append(b"\n".join(lines) + b"\n")
    return blocks


def test_sieves_and_pauses_find_what_another_search_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    """A law over blocks with much and with little: sieved or not, the same lines."""
    monkeypatch.setattr(literal_sieve, "_LEAST_BYTES_APART", 256)
    monkeypatch.setattr(engines, "SIEVED_FROM", 0)
    monkeypatch.setattr(engines, "_LEAST_TEXT", 1000)
    monkeypatch.setattr(engines, "_FIRST_PAUSE", 1)
    monkeypatch.setattr(engines, "is_fast", lambda: True)
    chooser = random.Random(19)
    literals = many_literals(chooser, 150)
    asked: list[bytes] = []
    find = make_engine(literals, "find")[1]

    def otherwise(data: bytes) -> list[int]:
        asked.append(data)
        return find(data)

    search, blocks = SievedSearch(literals, otherwise, LINE_LIMIT), log_blocks(chooser, literals)
    assert [search(block) for block in blocks] == [find(block) for block in blocks]
    assert blocks[0] not in asked, "a text with little is sieved"
    assert blocks[1] in asked, "a text with much is not"
    assert blocks[-1] not in asked, "after a pause, sieved again"


def test_a_sieve_waits_until_it_pays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loading arrays takes as long as searching some megabytes without them."""
    monkeypatch.setattr(engines, "SIEVED_FROM", 1 << 20)
    monkeypatch.setattr(engines, "is_fast", lambda: True)
    monkeypatch.setattr(engines, "is_numpy_loaded", lambda: False)
    asked: list[int] = []
    literals = many_literals(random.Random(3), 150)
    search = SievedSearch(literals, lambda data: asked.append(len(data)) or [], LINE_LIMIT)
    block = b"nothing\n" * (1 << 15)
    for _ in range(6):
        assert search(block) == []
    assert len(asked) == 3, "the fourth quarter of a megabyte is sieved"


def test_too_much_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another search is faster where every line hits."""
    monkeypatch.setattr(literal_sieve, "_LEAST_BYTES_APART", 256)
    with pytest.raises(TooManyFound):
        LiteralSieve(LITERALS, b"").line_starts(b"x turned red\n" * 100, LINE_LIMIT)


@given(texts, pieces, st.integers(0, 300))
def test_one_text_is_found_where_python_finds_it(data: bytes, text: bytes, start: int) -> None:
    """Short and long: from 4 KiB on a library searches, where there is one."""
    for many in (data, data * 100 + data):
        at = min(start, len(many))
        assert find_bytes(many, text, at) == many.find(text, at)
        found = [place for place in range(at, len(many)) if many[place] in text]
        assert find_any_byte(many, text, at) == next(iter(found), -1)
        assert count_feeds(many, at) == many.count(b"\n", at)
        assert count_feeds(many, at, len(many) - 1) == many.count(b"\n", at, max(0, len(many) - 1))
        if b"\n" not in text:
            assert list(lines_holding(many, text)) == plainly_found(many, [text], len(many))
