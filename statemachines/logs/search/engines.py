"""The engines that search a text for many literals at once, all with the same answer; long texts go
through a sieve first.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, lru_cache
from importlib.util import find_spec
from typing import Any, Literal, Protocol

from statemachines.logs.search.buffers import is_fast
from statemachines.logs.search.literal_sets import (
    literal_variants,
    minimal_literals,
    variants_regex,
)
from statemachines.logs.search.literal_sieve import SHORTEST_SIEVED, LiteralSieve
from statemachines.logs.search.needles_alone import Asides, TooManyFound
from statemachines.model.arrays import is_numpy_installed, is_numpy_loaded

SIEVED_FROM = 64 << 20
"""Bytes that are searched without arrays, unless they are loaded anyhow: loading takes as long."""
_SETS = 4
"""Sets of literals that are kept prepared: who checks again and again has the same ones."""
_LEAST_TEXT = 1 << 18
"""Bytes of a text that is worth a sieve (256 KiB)."""
_LEAST_LITERALS, _MOST_SHORT = 100, 20
"""Fewer literals are quickly searched otherwise; each that is short costs a search of its own."""
_SHORTEST = 4
_LEAST_SERVED = 4
_FIRST_PAUSE, _LONGEST_PAUSE = 32, 512
"""Texts that are searched otherwise after one with too much in it."""


class SievedSearch:
    """Searches texts that come one after the other, by a sieve made for the first of them.

    Where it finds too much one is made for all of them, and where that finds too much as well, the
    next texts are searched the other way, twice as many each time. What is found is the same.
    """

    def __init__(
        self,
        literals: Sequence[bytes],
        otherwise: Callable[[bytes], list[int]],
        most_bytes: int,
        asides: Asides | None = None,
    ) -> None:
        """Prepare the search, which costs nothing before there is much to search.

        Args:
            literals: as they are in text; JSON may write them otherwise.
            otherwise: searches a text the other way.
            most_bytes: of a line that are looked at.
            asides: what it is noted of whether a text holds it, where that costs nothing.
        """
        self._literals, self._otherwise, self._most_bytes = literals, otherwise, most_bytes
        self._asides = asides or Asides()
        self._sieve: LiteralSieve | None = None
        self._bytes = 0
        self._served = 0
        """Texts since the sieve was made."""
        self._pause, self._next_pause = 0, _FIRST_PAUSE

    def __call__(self, data: bytes) -> list[int]:
        """Return where the lines begin that hold a literal, in order."""
        if not self._is_worth_it(data):
            return self._otherwise(data)
        for sieve in self._sieves(data):
            try:
                return sieve.line_starts(data, self._most_bytes)
            except TooManyFound:
                continue
        self._pause = self._next_pause
        self._next_pause = min(2 * self._next_pause, _LONGEST_PAUSE)
        return self._otherwise(data)

    def _sieves(self, data: bytes) -> Iterator[LiteralSieve]:
        """Yield the sieve that there is, and where that finds too much, one made for a text; but
        not after few texts, for making it takes as long as searching some.
        """
        self._served += 1
        if self._sieve is not None:
            yield self._sieve
            if self._served < _LEAST_SERVED:
                return
        self._sieve, self._served = LiteralSieve(self._texts, data, self._sieve, self._asides), 0
        yield self._sieve

    def _is_worth_it(self, data: bytes) -> bool:
        self._bytes += len(data)
        if len(data) < _LEAST_TEXT or (self._bytes < SIEVED_FROM and not is_numpy_loaded()):
            return False
        self._pause = max(0, self._pause - 1)
        return not self._pause and self._may_be_sieved

    @cached_property
    def _texts(self) -> tuple[bytes, ...]:
        return written_literals(tuple(self._literals))

    @cached_property
    def _may_be_sieved(self) -> bool:
        """Whether the literals are such that a sieve is worth trying, and the libraries there."""
        short = sum(len(text) < SHORTEST_SIEVED for text in self._texts)
        return (
            len(self._texts) - short >= _LEAST_LITERALS
            and short <= _MOST_SHORT
            and min(map(len, self._texts)) >= _SHORTEST
            and is_fast()
            and is_numpy_installed()
        )


@lru_cache(_SETS)
def written_literals(literals: tuple[bytes, ...]) -> tuple[bytes, ...]:
    """Return the ways in which literals may be written, none of which contains another.

    Args:
        literals: as specs write them.

    Returns:
        All of their variants, in order of their bytes.
    """
    return minimal_literals(text for literal in literals for text in literal_variants(literal))


Engine = Literal["auto", "re2", "arrow", "find", "sieve"]
LiteralSearch = Callable[[bytes], list[int]]
"""From a text to the offsets of the lines that hold a literal, in order."""
LINE_LIMIT = 1 << 16
"""Only this many first bytes of a line are looked at (64 KiB)."""
FIRST_BYTES = 1 << 18
"""Bytes that are searched with Python alone: to load and to prepare more takes as long."""
_LEAST_COUNTED = 1 << 12
"""A text counts as so many bytes at least (4 KiB)."""


class _LateSearch:
    """Searches plainly what comes first, for a small log has no more; then as an engine does."""

    def __init__(self, literals: Sequence[bytes], make: Callable[[], LiteralSearch]) -> None:
        self._plain, self._make, self._bytes = _find_search(literals), make, 0

    def __call__(self, data: bytes) -> list[int]:
        self._bytes += max(len(data), _LEAST_COUNTED)
        return self._plain(data) if self._bytes <= FIRST_BYTES else self._later(data)

    @cached_property
    def _later(self) -> LiteralSearch:
        return self._make()


def make_engine(
    literals: Sequence[bytes], engine: Engine, asides: Asides | None = None
) -> tuple[str, LiteralSearch]:
    """The engine's name, and the search for some literals in all the ways in which they may be
    written; with `auto`, in long texts by a sieve where that is faster.

    Args:
        literals: as specs write them.
        engine: a name, or `auto` for the fastest that is installed.
        asides: what it is noted of whether a text holds it, where that costs nothing.

    Returns:
        The name of the engine that was taken, and a function from a text to the places of its lines
        that hold a literal.

    Raises:
        ImportError: for an engine whose library is missing.
    """
    makers = {"re2": _re2_search, "arrow": _arrow_search, "find": _find_search}
    if engine != "auto":
        return engine, {**makers, "sieve": _sieve_search}[engine](minimal_literals(literals))
    libraries = {"re2": "re2", "arrow": "pyarrow"}
    name = next((name for name, library in libraries.items() if find_spec(library)), "find")
    late = _LateSearch(literals, lambda: makers[name](minimal_literals(literals)))
    return name, SievedSearch(literals, late, LINE_LIMIT, asides)


class SearchPattern(Protocol):
    """A compiled regular expression over bytes."""

    def search(self, data: bytes, /) -> object:
        """Something true where it is found.

        Args:
            data: the bytes that are searched.

        Returns:
            A match, or something false.
        """


def compile_fast_pattern(source: bytes, *, long: bool = True) -> SearchPattern:
    """Compile an expression with google-re2, which is several times faster on long texts, or
    without it with Python's own.

    Args:
        source: of a regular expression over bytes.
        long: whether long texts are searched, for which a library is loaded.

    Returns:
        What `search` is asked of.
    """
    if not long:
        return re.compile(source)
    try:
        import re2
    except ImportError:
        return re.compile(source)
    compiled: SearchPattern = re2.compile(source, _byte_options())
    return compiled


def _byte_options() -> Any:
    import re2

    options = re2.Options()
    options.max_mem = 1 << 26
    options.never_capture = True
    options.encoding = re2.Options.Encoding.LATIN1
    return options


def _re2_search(literals: Sequence[bytes]) -> LiteralSearch:
    span_from = _span_search(_any_of(tuple(literals)))

    def lines(data: bytes) -> list[int]:
        starts: list[int] = []
        at = 0
        while (span := span_from(data, at)) is not None:
            start = data.rfind(b"\n", 0, span[0]) + 1
            if span[1] - start <= LINE_LIMIT:
                starts.append(start)
            at = data.find(b"\n", span[1]) + 1
            if not at:
                break
        return starts

    return lines


@lru_cache(_SETS)
def _any_of(literals: tuple[bytes, ...]) -> Any:
    """Return a compiled pattern that finds any of some literals."""
    import re2

    return re2.compile("|".join(map(variants_regex, literals)).encode(), _byte_options())


def _span_search(pattern: Any) -> Callable[[bytes, int], tuple[int, int] | None]:
    """Return what finds where a pattern is next, asking the library below its objects of matches,
    which cost three times the search where most lines hit.
    """
    import re2

    try:
        match, anchor = pattern._regexp.Match, re2._re2.RE2.Anchor.UNANCHORED
    except AttributeError:
        return lambda data, at: hit.span() if (hit := pattern.search(data, at)) else None

    def span_from(data: bytes, at: int) -> tuple[int, int] | None:
        span: tuple[int, int] = match(anchor, data, at, len(data))[0]
        return span if span[0] >= 0 else None

    return span_from


def _arrow_search(literals: Sequence[bytes]) -> LiteralSearch:
    import pyarrow as pa
    import pyarrow.compute as pc

    pattern = "|".join(map(variants_regex, literals))

    def lines(data: bytes) -> list[int]:
        rows = pc.split_pattern(pa.array([data], pa.large_binary()), b"\n").values
        lengths = pc.binary_length(rows)
        if pc.max(lengths).as_py() > LINE_LIMIT:
            rows = pc.binary_slice(rows, 0, LINE_LIMIT)
        ends = pc.cumulative_sum(pc.add(lengths, 1))
        hits = pc.indices_nonzero(pc.match_substring_regex(rows, pattern))
        starts = pc.subtract(pc.subtract(ends.take(hits), lengths.take(hits)), 1)
        places: list[int] = starts.to_pylist()
        return places

    return lines


def _sieve_search(literals: Sequence[bytes]) -> LiteralSearch:
    """A sieve made anew for every text; nothing else where it would find too much."""
    texts, search = written_literals(tuple(literals)), _find_search(literals)

    def lines(data: bytes) -> list[int]:
        try:
            return LiteralSieve(texts, data).line_starts(data, LINE_LIMIT)
        except TooManyFound:
            return search(data)

    return lines


def _find_search(literals: Sequence[bytes]) -> LiteralSearch:
    needles = _Needles(literals)

    def lines(data: bytes) -> list[int]:
        starts: set[int] = set()
        for needle in needles.likely_in(data):
            at = data.find(needle)
            while at >= 0:
                start = data.rfind(b"\n", 0, at) + 1
                if at + len(needle) - start <= LINE_LIMIT:
                    starts.add(start)
                feed = data.find(b"\n", at)
                at = data.find(needle, feed + 1) if feed >= 0 else -1
        return sorted(starts)

    return lines


class _Needles:
    """Texts to look for, most of which are not there: as their first and last four bytes tell."""

    _SIZE, _PIECE = 4, 1 << 16

    def __init__(self, literals: Sequence[bytes]) -> None:
        self._literals = literals

    def likely_in(self, data: bytes) -> Iterator[bytes]:
        """Yield the texts that may stand somewhere, all that do among them."""
        present = self._present_parts(data)
        for first in present & self._by_first.keys():
            yield from (text for text, last in self._by_first[first] if last in present)
        yield from self._short

    @cached_property
    def _texts(self) -> list[bytes]:
        """All ways to write the literals. What stands for one in short may be found where that is
        not: not wanted where the literal holds another, which finds its lines.
        """
        texts: list[bytes] = []
        for literal in self._literals:
            variants = literal_variants(literal)
            if literal in variants or not self._holds_another(literal):
                texts += variants
        return texts

    def _holds_another(self, literal: bytes) -> bool:
        return any(other in literal for other in self._literals if other != literal)

    @cached_property
    def _short(self) -> list[bytes]:
        return [text for text in self._texts if len(text) < self._SIZE]

    @cached_property
    def _by_first(self) -> dict[int, list[tuple[bytes, int]]]:
        """Texts with their last four bytes, by their first, as numbers."""
        texts: dict[int, list[tuple[bytes, int]]] = {}
        for text in self._texts:
            if len(text) >= self._SIZE:
                first, last = text[: self._SIZE], text[-self._SIZE :]
                texts.setdefault(int.from_bytes(first, sys.byteorder), []).append(
                    (text, int.from_bytes(last, sys.byteorder))
                )
        return texts

    @cached_property
    def _parts(self) -> frozenset[int]:
        lasts = {last for texts in self._by_first.values() for _, last in texts}
        return frozenset({*self._by_first, *lasts})

    def _present_parts(self, data: bytes) -> set[int]:
        """Of the parts of all texts those that stand in these bytes: all fours, as numbers."""
        present: set[int] = set()
        whole = memoryview(data)
        for start in range(0, len(data), self._PIECE):
            piece = whole[start : start + self._PIECE + self._SIZE - 1]
            for shift in range(self._SIZE):
                fours = piece[shift : shift + (len(piece) - shift) // self._SIZE * self._SIZE]
                present |= self._parts.intersection(fours.cast("I") if fours else ())
        return present
