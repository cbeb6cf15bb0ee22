"""Texts that are searched one by one, for a sieve would find too much of them: several at once
where they have a byte in common that is rare, for one byte is found twice as soon as a text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice

from statemachines.logs.search.buffers import find_any_byte, lines_holding
from statemachines.model.arrays import load_numpy

_LEAST_APART = 100_000
"""The lines that hold a byte by which a needle is found, and no byte by which others are, are as
rare as this: to look at a line takes as long as to search so many bytes once more.
"""
_LEAST_APART_IN_SAMPLE = 12_000
"""Of a byte by which needles are found, the lines that hold it stand no closer in the sample."""
_MOST_IN_LINE = 8
"""A byte that rare lines hold stands in them so often at most, on average."""
_LEAST_APART_HERE = 8192
"""Where such a byte stands closer in a text, its needles are searched themselves there."""
_LEAST_LOOKED_AT_APART = 64
"""Where lines with needles stand closer than so many bytes, other ways are faster."""

_Needles = Mapping[bytes, Sequence[bytes]]
"""What is searched, with the texts that it may be, or all but the first byte of."""


class Asides:
    """What a search may tell by the way: that a text holds none of some rare bytes and texts."""

    def __init__(self, signs: bytes = b"", texts: Sequence[bytes] = ()) -> None:
        """Name them.

        Args:
            signs: the bytes.
            texts: the texts, each of seven bytes or more.
        """
        self.signs, self.texts = signs, texts
        self.missing_in: bytes | None = None
        """The text that was searched last, where it surely holds none of them."""


class TooManyFound(Exception):
    """A text holds so much of what is looked for that this way of searching is no gain."""


class _RareLines:
    """The lines of a sample that hold rare bytes."""

    def __init__(self, sample: bytes, sieved: Iterable[int]) -> None:
        np = load_numpy()
        self._sample, self._most = sample, len(sample) // _LEAST_APART_IN_SAMPLE
        self._counts = np.bincount(np.frombuffer(sample, np.uint8), minlength=256).tolist()
        self._holding = dict[bytes, set[int]]()
        self.looked_at = set(sieved)
        """Lines that are looked at anyhow, or need not be."""

    def holding(self, byte: bytes) -> set[int]:
        """Return the lines that hold a byte, one more at most than it may be found by."""
        if byte not in self._holding:
            lines = lines_holding(self._sample, byte)
            self._holding[byte] = set(islice(lines, self._most + 1))
        return self._holding[byte]

    def are_rare(self, signs: bytes) -> bool:
        """Say whether hardly any line holds one of some bytes."""
        times: int = sum(self._counts[sign] for sign in signs)
        return times <= self._most

    def best_byte(self, needles: _Needles) -> bytes | None:
        """Return the byte that most of some needles have, of those for which few more lines are
        looked at.
        """
        users: dict[int, int] = {}
        for rest in needles:
            for byte in set(rest):
                users[byte] = users.get(byte, 0) + 1
        rare = [
            (times, -more, byte)
            for byte, times in users.items()
            if (more := self._more_lines(byte)) is not None
            and more * _LEAST_APART <= len(self._sample) * times
        ]
        return bytes([max(rare)[2]]) if rare else None

    def _more_lines(self, byte: int) -> int | None:
        """Return how many more lines are looked at where a byte is looked for; None of one that
        stands in too many.
        """
        if self._counts[byte] > self._most * _MOST_IN_LINE:
            return None
        lines = self.holding(bytes([byte]))
        return len(lines - self.looked_at) if len(lines) <= self._most else None


class NeedlesAlone:
    """Some texts, and how to find the lines that hold one."""

    def __init__(
        self,
        texts: Sequence[bytes],
        sample: bytes,
        sieved: Iterable[int] = (),
        asides: bytes = b"",
    ) -> None:
        """Choose how they are searched.

        Args:
            texts: what is looked for.
            sample: a text like those that will be searched.
            sieved: where those of its lines begin that are found otherwise.
            asides: bytes that are looked for by the way, unless they stand in the sample often.
        """
        whole, rare = _by_rest(texts), _RareLines(sample, sieved)
        self._by_byte: dict[bytes, _Needles] = {}
        while (byte := rare.best_byte(whole)) is not None:
            self._by_byte[byte] = {rest: whole.pop(rest) for rest in list(whole) if byte in rest}
            rare.looked_at |= rare.holding(byte)
        self._whole = whole
        self._asides = asides if rare.are_rare(asides) else b""
        self._signs = b"".join(self._by_byte) + self._asides
        by_byte = chain.from_iterable(needles.values() for needles in self._by_byte.values())
        self._found_by_byte = tuple(chain.from_iterable(by_byte))

    def __len__(self) -> int:
        """How many searches it takes to find all."""
        return len(self._by_byte) + len(self._whole)

    def lines(
        self, data: bytes, most_bytes: int, sieved: Iterable[int] = ()
    ) -> tuple[set[int], bool]:
        """Return where the lines begin that hold a text in their first bytes, and whether the text
        may hold one of the bytes that are looked for by the way.

        Args:
            data: whole lines.
            most_bytes: of a line that are looked at.
            sieved: where those begin that are found otherwise; they need not be found again.

        Returns:
            0-based places in bytes, those that were found among them; and False where it surely
            holds none.

        Raises:
            TooManyFound: so many lines hold one that other ways are faster.
        """
        holding, looked_at = set(sieved), 0
        together = self._lines_with_signs(data, len(holding))
        for lines, texts in self._searches(data, len(holding), together):
            for line in lines:
                if line in holding:
                    continue
                looked_at += 1
                end = _line_end(data, line, most_bytes)
                if any(data.find(text, line, end) >= 0 for text in texts):
                    holding.add(line)
            if looked_at * _LEAST_LOOKED_AT_APART > len(data):
                raise TooManyFound
        return holding, together is None or self._holds_aside(data, together)

    def _lines_with_signs(self, data: bytes, sieved: int) -> Sequence[int] | None:
        """Return the lines that hold a byte that is looked for; None where they are too many.

        Args:
            data: the text.
            sieved: how many of its lines are found otherwise, which are looked at as well.
        """
        most = len(data) // _LEAST_APART_HERE
        if sieved > most:
            return None
        lines = list(islice(lines_holding(data, self._signs, find_any_byte), most + 1))
        return lines if len(lines) <= most else None

    def _holds_aside(self, data: bytes, lines: Iterable[int]) -> bool:
        """Say whether one of some lines, which alone may, holds a byte that is looked for by the
        way; True where it is not looked for.
        """
        ends = ((line, data.find(b"\n", line)) for line in lines)
        text = b"".join(data[line : end if end >= 0 else None] for line, end in ends)
        return not self._asides or find_any_byte(text, self._asides) >= 0

    def _searches(
        self, data: bytes, sieved: int, together: Sequence[int] | None
    ) -> Iterator[tuple[Iterable[int], Iterable[bytes]]]:
        """Yield lines of a text, and what makes one of them a line that counts.

        Args:
            data: the text.
            sieved: how many of its lines are found otherwise, which are looked at as well.
            together: the lines that hold a byte by which needles are found; None where that is not
                known.
        """
        most = len(data) // _LEAST_APART_HERE
        if sieved > most:
            for needles in self._by_byte.values():
                yield from _whole_searches(data, needles)
            yield from _whole_searches(data, self._whole)
            return
        if together is not None:
            yield together, self._found_by_byte
        else:
            yield from self._searches_by_byte(data, most)
        yield from _whole_searches(data, self._whole)

    def _searches_by_byte(
        self, data: bytes, most: int
    ) -> Iterator[tuple[Iterable[int], Iterable[bytes]]]:
        """Yield the same for each byte, where all together stand in too many lines."""
        for byte, needles in self._by_byte.items():
            lines = list(islice(lines_holding(data, byte), most + 1))
            if len(lines) <= most:
                yield lines, list(chain.from_iterable(needles.values()))
            else:
                yield from _whole_searches(data, needles)


def _whole_searches(
    data: bytes, needles: _Needles
) -> Iterator[tuple[Iterable[int], Iterable[bytes]]]:
    for rest, texts in needles.items():
        yield lines_holding(data, rest), texts


def _by_rest(texts: Sequence[bytes]) -> dict[bytes, Sequence[bytes]]:
    groups = dict[bytes, list[bytes]]()
    for text in texts:
        groups.setdefault(text[1:], []).append(text)
    return {group[0] if len(group) == 1 else rest: group for rest, group in groups.items()}


def _line_end(data: bytes, line: int, most_bytes: int) -> int:
    """Return where a line ends, or what is looked at of it."""
    end = data.find(b"\n", line, line + most_bytes)
    return end if end >= 0 else line + most_bytes
