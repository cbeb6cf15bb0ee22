"""Find bytes first: the lines of a file that hold one of a set of literals, by one pass over raw bytes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from mmap import mmap
from typing import Literal

from statemachines.logs.variants import variants

Buffer = bytes | bytearray | mmap
"""What a file's bytes are read from."""
Engine = Literal["auto", "re2", "arrow", "find"]
Search = Callable[[bytes, int], tuple[int, int] | None]
"""From a text and a place to the first literal at or after it, as (begin, end)."""

CHUNK = 1 << 20
LINE_LIMIT = 1 << 16
"""Only this many first bytes of a line are looked at (64 KiB)."""
_ESCAPES = re.compile(rb"\x1b|\\u001[bB]")
_COLOURS = re.compile(rb"(?:\x1b|\\u001[bB])\[[0-?]*[ -/]*[@-~]")


class Scanner:
    """A set of literals, searched all at once.

    A literal is also found where JSON wrote it with escapes (`\\"`, `\\u0027`) and where terminal colours stand inside it.
    """

    def __init__(self, literals: Iterable[bytes], engine: Engine = "auto") -> None:
        """Prepare the search.

        Args:
            literals: what to look for; those that contain another are dropped, for the shorter finds their lines too.
            engine: `re2` (google-re2), `arrow` (RE2 through pyarrow), `find` (nothing but Python); `auto` is the first there is.

        Raises:
            ValueError: for an empty literal or one with a line feed, which no line can hold.
            ImportError: for an engine whose library is missing.
        """
        self.literals = fewest(literals)
        self.engine, self._lines = _engine(fewest(variant for literal in self.literals for variant in variants(literal)), engine)

    def hits(self, buffer: Buffer | memoryview, start: int, end: int) -> Iterator[int]:
        """The offsets of the lines that hold a literal and begin in `[start, end)`, in order.

        A line counts where a literal lies in its first 64 KiB.
        """
        for base, _, found in self.chunks(bytes(buffer) if isinstance(buffer, memoryview) else buffer, start, end):
            for at in found:
                yield base + at

    def chunks(self, buffer: Buffer, start: int, end: int) -> Iterator[tuple[int, bytes, list[int]]]:
        """The same in chunks of whole lines: offset, bytes, and the offsets in them of the lines that hit.

        A chunk is about a megabyte; one that is a single longer line holds only the first 64 KiB of it, with a line feed
        after it where the line has one.
        """
        for base, data in chunks(buffer, line_start(buffer, start), line_start(buffer, end)):
            yield base, data, self._hits(data) if self.literals else []

    def _hits(self, data: bytes) -> list[int]:
        found = self._lines(data)
        return sorted({*found, *self._coloured(data, set(found))}) if _ESCAPES.search(data) else found

    def _coloured(self, data: bytes, known: set[int]) -> Iterator[int]:
        """The lines that hold a literal once their colours are taken off."""
        at = 0
        while (escape := _ESCAPES.search(data, at)) is not None:
            start = data.rfind(b"\n", 0, escape.start()) + 1
            feed = data.find(b"\n", escape.start())
            at = feed + 1 if feed >= 0 else len(data)
            if start not in known and self._lines(_COLOURS.sub(b"", data[start : min(at, start + LINE_LIMIT)])):
                yield start


def fewest(literals: Iterable[bytes]) -> tuple[bytes, ...]:
    """Drop every literal that contains another, and sort the others."""
    kept: list[bytes] = []
    for literal in sorted(set(literals), key=lambda text: (len(text), text)):
        if not literal or b"\n" in literal:
            raise ValueError(f"a literal is a part of one line, not {literal!r}")
        if not any(shorter in literal for shorter in kept):
            kept.append(literal)
    return tuple(sorted(kept))


def line_start(buffer: Buffer, offset: int) -> int:
    """The first offset at or after `offset` where a line begins; the length of the buffer where none does."""
    if offset <= 0:
        return 0
    feed = buffer.find(b"\n", offset - 1)
    return feed + 1 if feed >= 0 else len(buffer)


def chunks(buffer: Buffer, start: int, end: int) -> Iterator[tuple[int, bytes]]:
    """Cut `[start, end)`, which begins and ends where lines do, into chunks of whole lines."""
    while start < end:
        stop = min(start + CHUNK, end)
        if stop < end:
            stop = buffer.rfind(b"\n", start, stop) + 1
        if stop > start:
            yield start, bytes(buffer[start:stop])
            start = stop
            continue
        feed = buffer.find(b"\n", start, end)
        yield start, bytes(buffer[start : start + LINE_LIMIT]) + (b"\n" if feed >= 0 else b"")
        start = feed + 1 if feed >= 0 else end


def _engine(needles: tuple[bytes, ...], engine: Engine) -> tuple[str, Callable[[bytes], list[int]]]:
    makers = {"re2": _re2, "arrow": _arrow, "find": _find}
    if engine != "auto":
        return engine, makers[engine](needles)
    for name, maker in makers.items():
        try:
            return name, maker(needles)
        except ImportError:
            continue
    raise AssertionError("the last engine needs no library")


def _by_search(search: Search) -> Callable[[bytes], list[int]]:
    """One hit a line: after a hit the search goes on in the next line."""

    def lines(data: bytes) -> list[int]:
        found: list[int] = []
        at = 0
        while (span := search(data, at)) is not None:
            start = data.rfind(b"\n", 0, span[0]) + 1
            if span[1] - start <= LINE_LIMIT:
                found.append(start)
            feed = data.find(b"\n", span[1])
            if feed < 0:
                break
            at = feed + 1
        return found

    return lines


def _re2(needles: tuple[bytes, ...]) -> Callable[[bytes], list[int]]:
    import re2

    options = re2.Options()
    options.max_mem = 1 << 26
    options.never_capture = True
    options.encoding = re2.Options.Encoding.LATIN1
    pattern = re2.compile(b"|".join(re2.escape(needle) for needle in needles), options)

    def search(data: bytes, at: int) -> tuple[int, int] | None:
        found = pattern.search(data, at)
        return found.span() if found else None

    return _by_search(search)


def _arrow(needles: tuple[bytes, ...]) -> Callable[[bytes], list[int]]:
    import pyarrow as pa
    import pyarrow.compute as pc

    pattern = b"|".join(re.escape(needle) for needle in needles).decode("latin-1")
    utf8 = "|".join(_arrow_escape(needle) for needle in needles)
    del pattern

    def lines(data: bytes) -> list[int]:
        rows = pc.split_pattern(pa.array([data], pa.large_binary()), b"\n").values
        hits = pc.match_substring_regex(rows, utf8)
        offsets = [0, *pc.add(pc.cumulative_sum(pc.add(pc.binary_length(rows), 1)), 0).to_pylist()]
        return [offsets[i] for i in pc.indices_nonzero(hits).to_pylist()]

    return lines


def _arrow_escape(needle: bytes) -> str:
    return re.escape(needle.decode("utf-8"))


def _find(needles: tuple[bytes, ...]) -> Callable[[bytes], list[int]]:
    def lines(data: bytes) -> list[int]:
        found: set[int] = set()
        for needle in needles:
            at = data.find(needle)
            while at >= 0:
                start = data.rfind(b"\n", 0, at) + 1
                if at + len(needle) - start <= LINE_LIMIT:
                    found.add(start)
                feed = data.find(b"\n", at)
                at = data.find(needle, feed + 1) if feed >= 0 else -1
        return sorted(found)

    return lines
