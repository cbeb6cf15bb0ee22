"""What stands around programs' lines in a file that a tool wrote, learnt from its lines: where the
program's own line begins, whose it is, and when it was captured.

`unwrap` stays the only one who knows the tools. What it takes off one line is looked at once; of
other lines that begin, and end, with the same but for digits, the program's own line is cut out.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable
from operator import itemgetter
from typing import Any, NamedTuple

from statemachines.logs.fields.log_times import Timestamp, settled_by_capture
from statemachines.logs.layouts.shipped_layouts import unwrap
from statemachines.logs.layouts.wrappers import UnwrappedLine, without_colours
from statemachines.logs.records.clock_search import plain_clock
from statemachines.logs.records.line_clocks import LineClock
from statemachines.logs.records.plain_lines import LONGEST_PLAIN_LINE, line_key
from statemachines.model.values import frozen

_BODY = "2001-02-03 04:05:06,789 INFO a"
"""A line of a program, which stands for any other."""
_BODIES = (
    "2001-02-03 04:05:06,789 a",
    "2001-02-03T04:05:06.789Z [a] INFO b",
    '{"a":"b"}',
    "\tat a.B.c(B.java:1)",
    "a",
    "a.B: c",
    "",
    "a = 1",
)
"""Lines that do not look like others: a tool wraps them as well."""
_LONGEST_AROUND = 512
_MOST_WRAPPINGS = 10_000
_MOST_FAILURES = 1_000
_FAILURE_BYTES = 48
"""How much of a line tells that no other line that begins alike is worth a try."""
_MOST_MINUTES = 10_000
_CAPTURED = re.compile(
    rb"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:(?P<seconds>\d\d)(?:[.,](?P<fraction>\d{1,9}))?(?!\d)"
)
_ANY_TIME = re.compile(rb"\d:\d\d:\d\d|\d{10}")
_MAY_BE_WRAPPED = re.compile(rb"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[,.]\d{3}(?: [A-Z]{3,5} \S|\t)")
"""A line with a time before which a wrapper may end, whose own time it is."""
_PROBES = ((b"07", b"123456789"), (b"59", b"999999999"), (b"30", b"000500000"))
"""Seconds and fractions by which it is tried whether the time of a capture is understood."""
_DIGITS_OF_SECONDS, _MILLISECOND_DIGITS = 2, 3


class CaptureClock:
    """Reads when lines were captured from what stands around them.

    Complexity: each minute is read once.
    """

    def __init__(self, head_size: int, place: re.Match[bytes], around: bytes) -> None:
        """Look at one place.

        Args:
            head_size: bytes of what stands before a program's line.
            place: where the time stands in what is around the line.
            around: what stands before a line, and what stands behind it.
        """
        self._head_size, self._around = head_size, around
        self.start, self.end = place.span()
        self._second = place.start("seconds")
        self._fraction, self._fraction_end = place.span("fraction")
        if self._fraction < 0:
            self._fraction = self._fraction_end = self.end
        self._minutes = dict[bytes, "int | None"]()

    @property
    def reads_all(self) -> bool:
        """Whether it reads what `unwrap` reads, by lines of other seconds."""
        return all(
            (read := self._read(around)) is not None
            and read.zoned
            and read.at_ms == self.at_ms(around)
            for around in map(self._with_second, *zip(*_PROBES, strict=True))
        )

    def at_ms(self, around: bytes) -> int | None:
        """Return when a line was captured.

        Args:
            around: what stands before it, and what stands behind it.

        Returns:
            Epoch milliseconds, UTC; None for a time of no calendar.
        """
        second, fraction = self._second, self._fraction
        minute = around[:second] + around[self._fraction_end :]
        if minute not in self._minutes:
            if len(self._minutes) >= _MOST_MINUTES:
                self._minutes.clear()
            read = self._read(self._with_second(b"00", b"0" * 9, around))
            self._minutes[minute] = read.at_ms if read and read.zoned else None
        start, seconds = self._minutes[minute], int(around[second : second + _DIGITS_OF_SECONDS])
        if start is None or seconds > 59:
            return None
        size = min(self._fraction_end - fraction, _MILLISECOND_DIGITS)
        digits = around[fraction : fraction + size].ljust(_MILLISECOND_DIGITS, b"0")
        return start + 1000 * seconds + int(digits)

    def _with_second(self, second: bytes, fraction: bytes, around: bytes | None = None) -> bytes:
        around = self._around if around is None else around
        size = self._fraction_end - self._fraction
        between = around[self._second + 2 : self._fraction]
        rest = around[self._fraction_end :]
        return around[: self._second] + second + between + fraction[:size] + rest

    def _read(self, around: bytes) -> Timestamp | None:
        return _unwrapped(around[: self._head_size], around[self._head_size :]).captured_at


@frozen(eq=False, slots=True)
class Wrapping:
    """What stands around the lines of one process, the same but for when they were captured."""

    process: str | None
    """As the lines name it."""
    origin: tuple[str | None, str | None]
    """Process and stream, which lines of the same origin share."""
    shape: bytes
    """What the forms of lines depend on, beside the program's own line."""
    clock: CaptureClock | None
    """None where no time is told that settles that of a line."""
    is_timed_else: bool
    """Whether a time is told that settles nothing."""

    def text_of(self, body: bytes) -> str | None:
        """Return a program's line as it wrote it.

        Args:
            body: as it stands in the file, in ASCII.

        Returns:
            The text; None where that is not what JSON writes of one.
        """
        text = body.decode("ascii")
        if not self.shape or "\\" not in text:
            return text
        with contextlib.suppress(ValueError):
            return str(json.loads(f'"{text}"'))
        return None

    def unwrapped(self, body: str, around: bytes) -> UnwrappedLine | None:
        """Return a line that is wrapped in this and in nothing else; None where its time is not
        understood.

        Args:
            body: what the program wrote.
            around: what stands before it, and what stands behind it.

        Returns:
            What `unwrap` makes of it.
        """
        at_ms = self.clock.at_ms(around) if self.clock else None
        if self.is_timed_else or (self.clock and at_ms is None):
            return None
        captured = None if at_ms is None else Timestamp(at_ms, zoned=True)
        return UnwrappedLine(body, self.process, self.stream, captured, is_wrapped=True)

    @property
    def stream(self) -> str | None:
        """`stdout` or `stderr`; None where that is not told."""
        return self.origin[1]

    def settled(self, own_ms: int, around: bytes) -> tuple[int, bool] | None:
        """Return the time of a line, settled by that of its capture.

        Args:
            own_ms: its own, read as if it were of UTC.
            around: what stands before it, and what stands behind it.

        Returns:
            Milliseconds, and whether the capture told the zone; None where that is of no calendar.
        """
        if self.clock is None:
            return own_ms, False
        captured = self.clock.at_ms(around)
        if captured is None:
            return None
        moment = settled_by_capture(Timestamp(own_ms), Timestamp(captured, zoned=True))
        return moment.at_ms, moment.zoned


class WrappedLine(NamedTuple):
    """A line of a block, and where in it the program's own line stands."""

    wrapping: Wrapping
    body: bytes
    around: bytes
    """What stands before the program's line, and what stands behind it."""


@frozen(eq=False)
class _Family:
    """Wrappings that differ in digits only."""

    name_of: Callable[[bytes], Any]
    """From what stands around a line to the digits that are not those of a time."""
    clock: CaptureClock | None
    by_name: dict[Any, Wrapping | None]


class _Heads(dict[bytes, "dict[bytes, _Family | None]"]):
    """What stands before lines, with every digit as a zero, and by it what stands behind them."""

    def __init__(self) -> None:
        super().__init__()
        self.sizes, self.tail_sizes = list[int](), list[int]()
        """The bytes of what stands before lines, and behind them, the longest first."""

    def put(self, head: bytes, tail: bytes, family: _Family | None) -> None:
        """Know what stands around some lines."""
        self.setdefault(head, {})[tail] = family
        self.sizes = sorted({*self.sizes, len(head)}, reverse=True)
        self.tail_sizes = sorted({*self.tail_sizes, len(tail)}, reverse=True)


class LineWrappings:
    """Takes off lines what a tool put around them, where such lines were met before.

    Complexity: a few look-ups a line; `unwrap` once for each process and stream.
    Limits: lines whose wrapping has no word that is looked for.
    """

    def __init__(
        self,
        has_word: Callable[[bytes], object],
        clock_of: Callable[[bytes], LineClock | None] = plain_clock,
    ) -> None:
        """Know nothing yet.

        Args:
            has_word: tells of a text whether it holds a word that is looked for.
            clock_of: returns where the time of a program's line stands that surely begins a record.
        """
        self._has_word, self._heads, self._count = has_word, _Heads(), 0
        self._program_clock = clock_of
        self._failures = set[bytes]()

    def clock_of(self, body: bytes) -> LineClock | None:
        """Return where the time of a program's line stands that surely begins a record and is
        wrapped no further.

        Args:
            body: what is left of a line when its wrapping is taken off.

        Returns:
            Its place; None of any other line.
        """
        return None if _MAY_BE_WRAPPED.match(body) else self._program_clock(body)

    def cut(self, raw: bytes) -> WrappedLine | None:
        """Take off a line what stands around it.

        Args:
            raw: the line as it stands in the file, without what ends it.

        Returns:
            Its parts; None where it is not wrapped, goes on in a later line, or is of a kind that
            is not known.
        """
        return self.cut_known(raw) or self._cut_unknown(raw)

    def cut_known(self, raw: bytes) -> WrappedLine | None:
        """The same, but nothing is learnt.

        Args:
            raw: the line, as `cut` takes it.

        Returns:
            Its parts.
        """
        heads, key = self._heads, line_key(raw[:_LONGEST_AROUND])
        for size in heads.sizes:
            tails = heads.get(key[:size])
            if tails is None:
                continue
            for tail_size in heads.tail_sizes:
                end = len(raw) - tail_size
                family = tails.get(line_key(raw[end:])) if end >= size else None
                if family is not None and (not tail_size or len(raw) <= LONGEST_PLAIN_LINE):
                    around = raw[:size] + raw[end:]
                    wrapping = self._wrapping_of(family, size, around)
                    return WrappedLine(wrapping, raw[size:end], around) if wrapping else None
        return None

    def _cut_unknown(self, raw: bytes) -> WrappedLine | None:
        """The same of a line that nothing is known of; learns from it where it begins a record."""
        has_time = _ANY_TIME.search(raw, 1, _LONGEST_AROUND)
        if not has_time or len(raw) > LONGEST_PLAIN_LINE or not raw.isascii():
            return None
        failure = line_key(raw[:_FAILURE_BYTES])
        if failure in self._failures:
            return None
        learnt = self._learn(raw)
        if learnt is None:
            if len(self._failures) >= _MOST_FAILURES:
                self._failures.clear()
            self._failures.add(failure)
            return None
        return self.cut_known(raw)

    def _learn(self, raw: bytes) -> _Family | None:
        text = raw.decode("ascii")
        peeled = unwrap(text)
        if not peeled.is_wrapped or peeled.is_partial or peeled.further_lines:
            return None
        body = peeled.inner.encode()
        if raw.endswith(body):
            at = len(raw) - len(body)
        else:
            body = json.dumps(peeled.inner)[1:-1].encode()
            at = raw.find(body)
        head, tail = raw[: max(at, 0)], raw[at + len(body) :]
        own = peeled.inner.encode()
        if at <= 0 or self.clock_of(own) is None or self._holds_word(head, tail):
            return None
        clock = _clock(head, tail, peeled)
        if clock is None and peeled.captured_at is not None and peeled.captured_at.zoned:
            return None
        timed = range(clock.start, clock.end) if clock else ()
        around = head + tail
        names = [place for place in _digit_places(around) if place not in timed]
        family = _Family(itemgetter(*names, slice(0, 0)), clock, {})
        self._heads.put(line_key(head), line_key(tail), family)
        return family

    def _holds_word(self, head: bytes, tail: bytes) -> bool:
        plain = without_colours(head.decode("ascii")).encode()
        return any(map(self._has_word, (head, tail, plain)))

    def _wrapping_of(self, family: _Family, head_size: int, around: bytes) -> Wrapping | None:
        name = family.name_of(around)
        if name not in family.by_name:
            if self._count >= _MOST_WRAPPINGS:
                return None
            self._count += 1
            head, tail = around[:head_size], around[head_size:]
            family.by_name[name] = _make_wrapping(head, tail, family.clock)
        return family.by_name[name]


def _make_wrapping(head: bytes, tail: bytes, clock: CaptureClock | None) -> Wrapping | None:
    """Return what stands around lines; None where it depends on what they say whether it does."""
    peeled = _unwrapped(head, tail)
    alike = [_unwrapped(head, tail, body) for body in _BODIES]
    if peeled.is_partial or any(
        (other.inner, other.origin, other.is_partial) != (body, peeled.origin, False)
        for other, body in zip([peeled, *alike], [_BODY, *_BODIES], strict=True)
    ):
        return None
    origin = peeled.process, peeled.stream
    is_timed_else = clock is None and peeled.captured_at is not None
    return Wrapping(peeled.process, origin, line_key(tail), clock, is_timed_else)


def _clock(head: bytes, tail: bytes, peeled: UnwrappedLine) -> CaptureClock | None:
    """Return what reads when lines were captured; None where that settles nothing, or is told in
    another way.
    """
    around = head + tail
    if peeled.captured_at is None or not peeled.captured_at.zoned:
        return None
    clocks = (CaptureClock(len(head), place, around) for place in _CAPTURED.finditer(around))
    return next((clock for clock in clocks if clock.reads_all), None)


def _unwrapped(head: bytes, tail: bytes, body: str = _BODY) -> UnwrappedLine:
    text = json.dumps(body)[1:-1] if tail else body
    return unwrap(f"{head.decode('ascii')}{text}{tail.decode('ascii')}")


def _digit_places(text: bytes) -> list[int]:
    return [place for place, sign in enumerate(text) if 48 <= sign <= 57]
