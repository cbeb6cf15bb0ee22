"""A sieve for many literals at once, on arrays: a text is looked at four bytes at a time.

Wherever a literal stands, some of its bytes are four that begin where the text is divided into
fours, by one of four ways. So of each literal and each way four bytes are chosen, those that are
rarest in a sample of the text; where the text has four bytes of that hash, the four before and
after them are compared, and at last the whole literal.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from statemachines.logs.search.needles_alone import Asides, NeedlesAlone, TooManyFound
from statemachines.model.arrays import load_numpy
from statemachines.model.values import frozen

SHORTEST_SIEVED = 7
"""A shorter literal may stand where no four bytes of it begin at a multiple of four."""
_FOUR = 4
_BUCKETS = 1 << 16
_SPREAD, _SHIFT = 0x9E3779B1, 16
"""A hash is the upper half of a product with the golden ratio."""
_WORDS_AT_ONCE = 1 << 16
_LEAST_APART = 10
"""Where pieces stand closer than so many fours on average, comparing costs more than it saves."""
_LEAST_COMPARED_APART = 20
"""The same of literals that must be compared, of which several may have one piece."""
_LEAST_BYTES_APART = 64
"""The same of what is nearly sure to be a literal, in bytes."""
_MOST_ALONE = 20
"""So many needles at most are searched one by one."""
_LEAST_ALONE_APART = 128
"""A literal whose rarest pieces stand closer than so many bytes is sooner searched by itself."""


@frozen(eq=False)
class _Pieces:
    """Four bytes a literal and way, ordered by their hashes; each column is an array."""

    first: Any
    count: Any
    """By the hash, where its pieces begin, and how many there are."""
    common_mask: Any
    """By the hash, which bytes before it are known of all its pieces."""
    may_precede: Any
    """By the hash of a piece and that of these bytes together, whether there is such a piece."""
    before: Any
    before_mask: Any
    after: Any
    after_mask: Any
    """What stands there and on both sides, as numbers of four bytes; masks leave out what is not of
    the literal.
    """
    literals: Any
    offsets: Any
    """Whose they are, and where in it they stand."""
    heads: Any
    tails: Any
    lasts: Any
    """With which four bytes that literal begins and ends, and where in it the latter stand."""


class LiteralSieve:
    """Literals of one text and of those that are like it."""

    def __init__(
        self,
        literals: Sequence[bytes],
        sample: bytes,
        before: LiteralSieve | None = None,
        asides: Asides | None = None,
    ) -> None:
        """Choose what is looked for.

        Args:
            literals: none of which contains another.
            sample: a text like those that will be searched.
            before: a sieve for such texts, too, whose sample counts as well.
            asides: what it is noted of whether a text holds it; nothing is where one of them stands
                in the sample often.

        Raises:
            ImportError: numpy is not installed.
        """
        np = load_numpy()
        self._asides = asides or Asides()
        self._literals = [text for text in literals if len(text) >= SHORTEST_SIEVED]
        self._aside_from = len(self._literals)
        """The index from which on a text is an aside and no literal."""
        self._literals += self._asides.texts
        short = [text for text in literals if len(text) < SHORTEST_SIEVED]
        self._sampled: int = len(sample) + (before._sampled if before is not None else 0)
        known = before._frequencies if before is not None else 0
        self._frequencies: Any = _frequencies(sample) + known
        texts = _literal_texts(self._literals)
        chosen = _rarest_pieces(texts, self._frequencies)
        often = texts.sums(chosen, self._frequencies) > self._sampled // _LEAST_ALONE_APART
        self._notes_asides = not often[self._aside_from :].any()
        common = np.flatnonzero(often[: self._aside_from])
        alone = [*short, *(self._literals[index] for index in common)]
        if len(NeedlesAlone(alone, sample)) > _MOST_ALONE:
            alone = short
            often[: self._aside_from] = False
        self._pieces = _ordered_pieces(texts, chosen[~often[texts.owners[chosen]]])
        self._is_piece = self._pieces.count > 0
        self._rooms = [np.empty(_WORDS_AT_ONCE, kind) for kind in (np.uint32, np.intp)]
        signs = self._asides.signs if self._notes_asides else b""
        self._alone = NeedlesAlone(alone, sample, self._lines_of(sample), signs)

    def _lines_of(self, sample: bytes) -> Sequence[int]:
        """Return the lines of a text that the sieve finds; none where it finds too much."""
        try:
            return self._long_lines(sample, len(sample))[0]
        except TooManyFound:
            return ()

    def line_starts(self, data: bytes, most_bytes: int) -> list[int]:
        """Return where the lines begin that hold a literal in their first bytes, in order.

        Args:
            data: the text.
            most_bytes: of a line that are looked at.

        Returns:
            0-based places in bytes, each line once.

        Raises:
            TooManyFound: so many lines hold one that other ways are faster.
        """
        self._asides.missing_in = None
        long_lines, holds_aside = self._long_lines(data, most_bytes)
        lines, may_hold_sign = self._alone.lines(data, most_bytes, long_lines)
        if self._notes_asides and not (holds_aside or may_hold_sign):
            self._asides.missing_in = data
        return sorted(lines) if len(lines) > len(long_lines) else long_lines

    def _long_lines(self, data: bytes, most_bytes: int) -> tuple[list[int], bool]:
        """Return the lines that hold a sieved literal, and whether the text holds an aside."""
        long_lines, line_end, holds_aside = list[int](), 0, False
        starts, literals = self._candidates(data)
        if len(starts) * _LEAST_BYTES_APART > len(data):
            raise TooManyFound
        for start, number in zip(starts.tolist(), literals.tolist(), strict=True):
            literal = self._literals[number]
            if number >= self._aside_from:
                holds_aside = holds_aside or data.startswith(literal, start)
                continue
            if start < line_end or not data.startswith(literal, start):
                continue
            line = data.rfind(b"\n", 0, start) + 1
            if start + len(literal) - line <= most_bytes:
                long_lines.append(line)
                feed = data.find(b"\n", start)
                line_end = feed if feed >= 0 else len(data)
        return long_lines, holds_aside

    def _candidates(self, data: bytes) -> tuple[Any, Any]:
        """Return where literals may stand, and which, in the order of the pieces found."""
        np, pieces = load_numpy(), self._pieces
        words = np.frombuffer(data, "<u4", len(data) // _FOUR)
        at = self._pieces_in(words)
        if len(at) * _LEAST_APART > len(words):
            raise TooManyFound
        at, hashes, before = self._after_what_may_precede(words, at)
        counts = pieces.count[hashes]
        if counts.sum() * _LEAST_COMPARED_APART > len(words):
            raise TooManyFound
        skipped = np.cumsum(counts) - counts
        which = np.repeat(pieces.first[hashes] - skipped, counts) + np.arange(counts.sum())
        at, before = np.repeat(at, counts), np.repeat(before, counts)
        after = words.take(at + 1, mode="clip") & pieces.after_mask[which]
        fits = ((before & pieces.before_mask[which]) == pieces.before[which]) & (
            (after == pieces.after[which]) | (at + 1 >= len(words))
        )
        at, which = at[fits], which[fits]
        return self._with_both_ends(data, at * _FOUR - pieces.offsets[which], which)

    def _with_both_ends(self, data: bytes, starts: Any, which: Any) -> tuple[Any, Any]:
        """Leave out where a text does not begin and end as the literal does."""
        np, pieces = load_numpy(), self._pieces
        lasts = starts + pieces.lasts[which]
        inside = (starts >= 0) & (lasts + _FOUR <= len(data))
        starts, lasts, which = starts[inside], lasts[inside], which[inside]
        fours = np.ndarray(max(0, len(data) - _FOUR + 1), "<u4", data, strides=(1,))
        fits = (fours[starts] == pieces.heads[which]) & (fours[lasts] == pieces.tails[which])
        return starts[fits], pieces.literals[which[fits]]

    def _after_what_may_precede(self, words: Any, at: Any) -> tuple[Any, Any, Any]:
        """Leave out most pieces before which something stands that is not of the literal; return
        where the others are, their hashes, and what stands before them.
        """
        hashes, before = _hashes(words[at]), words.take(at - 1, mode="clip")
        common = before & self._pieces.common_mask[hashes]
        fits = self._pieces.may_precede[_hashes(common) ^ hashes]
        return at[fits], hashes[fits], before[fits]

    def _pieces_in(self, words: Any) -> Any:
        """Return where among some words there may be a piece."""
        np = load_numpy()
        marks = np.empty(len(words), np.bool_)
        for start in range(0, len(words), _WORDS_AT_ONCE):
            part = words[start : start + _WORDS_AT_ONCE]
            product, hashes = (room[: len(part)] for room in self._rooms)
            np.multiply(part, np.uint32(_SPREAD), out=product)
            np.right_shift(product, np.uint32(_SHIFT), out=hashes, casting="unsafe")
            self._is_piece.take(hashes, mode="clip", out=marks[start : start + len(part)])
        return marks.nonzero()[0]


def _hashes(words: Any) -> Any:
    np = load_numpy()
    return ((words * np.uint32(_SPREAD)) >> np.uint32(_SHIFT)).astype(np.intp)


def _frequencies(sample: bytes) -> Any:
    """Return how often each hash is met in a text, whichever way it is divided."""
    np = load_numpy()
    counts = np.zeros(_BUCKETS, np.int64)
    for shift in range(min(_FOUR, len(sample))):
        words = np.frombuffer(sample, "<u4", (len(sample) - shift) // _FOUR, shift)
        counts += np.bincount(_hashes(words), minlength=_BUCKETS)
    return counts


@frozen(eq=False)
class _LiteralTexts:
    """Literals one after the other, each with four more bytes on both sides, so that all fours have
    neighbours; each column is an array.
    """

    sizes: Any
    """By the literal, its bytes with those around it."""
    fours: Any
    masks: Any
    """By the place, the number of the four bytes there, and which of them are of the literal."""
    owners: Any
    offsets: Any
    """By the place, whose it is, and where in it."""

    def sums(self, chosen: Any, frequencies: Any) -> Any:
        """Return for each literal how often its pieces at chosen places are met."""
        often = frequencies[_hashes(self.fours[chosen])]
        return load_numpy().bincount(self.owners[chosen], often, len(self.sizes))


def _literal_texts(literals: Sequence[bytes]) -> _LiteralTexts:
    np = load_numpy()
    sizes = np.array([len(text) + 2 * _FOUR for text in literals], np.int64)
    owners = np.repeat(np.arange(len(literals)), sizes)
    return _LiteralTexts(
        sizes,
        _fours(b"".join(bytes(_FOUR) + text + bytes(_FOUR) for text in literals)),
        _fours(b"".join(bytes(_FOUR) + b"\xff" * len(text) + bytes(_FOUR) for text in literals)),
        owners,
        np.arange(len(owners)) - (np.cumsum(sizes) - sizes)[owners] - _FOUR,
    )


def _rarest_pieces(texts: _LiteralTexts, frequencies: Any) -> Any:
    """Return the places of the rarest four bytes of each literal for each way."""
    np, offsets, owners = load_numpy(), texts.offsets, texts.owners
    inside = np.flatnonzero((offsets >= 0) & (offsets + 3 * _FOUR <= texts.sizes[owners]))
    ways = owners[inside] * _FOUR + offsets[inside] % _FOUR
    # Of those that are about as rare the first: before it stands what tells `.Name` from `-Name`.
    rarity = np.log2(frequencies[_hashes(texts.fours[inside])] + 1).astype(np.int64)
    order = np.lexsort((offsets[inside], rarity, ways))
    return inside[order][np.unique(ways[order], return_index=True)[1]]


def _ordered_pieces(texts: _LiteralTexts, chosen: Any) -> _Pieces:
    """Return the pieces at chosen places of the texts of all literals."""
    np, fours, masks = load_numpy(), texts.fours, texts.masks
    chosen = chosen[np.argsort(_hashes(fours[chosen]), kind="stable")]
    hashes, before = _hashes(fours[chosen]), chosen - _FOUR
    counts = np.bincount(hashes, minlength=_BUCKETS)
    common = np.full(_BUCKETS, 0xFFFFFFFF, np.uint32)
    np.bitwise_and.at(common, hashes, masks[before])
    may_precede = np.zeros(_BUCKETS, np.bool_)
    may_precede[_hashes(fours[before] & common[hashes]) ^ hashes] = True
    owners, offsets = texts.owners[chosen], texts.offsets[chosen]
    after, heads, lasts = chosen + _FOUR, chosen - offsets, texts.sizes[owners] - 3 * _FOUR
    return _Pieces(
        np.cumsum(counts) - counts, counts, common, may_precede,
        fours[before], masks[before], fours[after], masks[after],
        owners, offsets, fours[heads], fours[heads + lasts], lasts,
    )  # fmt: skip


def _fours(data: bytes) -> Any:
    """Return the number of the four bytes at each place of a text."""
    np = load_numpy()
    padded = np.frombuffer(data + bytes(_FOUR - 1), np.uint8).astype(np.uint32)
    parts: Iterable[Any] = (
        padded[shift : shift + len(data)] << 8 * shift for shift in range(_FOUR)
    )
    return np.bitwise_or.reduce(list(parts))
