"""Lines of known forms that stand together, as columns of arrays.

What is done here is what `plain_line_reader` does line by line: the same times, by the same reader
of seconds, for lines that differ in their digits only.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from typing import Any

from attrs import evolve

from statemachines.logs.records.plain_lines import LineForm, PlainRun
from statemachines.model.arrays import load_numpy
from statemachines.model.values import frozen

LEAST_LINES = 1000
"""Fewer lines that stand together are sooner read one after the other."""
_ZERO, _BRACKET = ord("0"), ord("[")
_SECOND_SIZE = 19
_SECOND_DIGITS = (0, 1, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 17, 18)
_MILLISECOND_DIGITS = (20, 21, 22)


@frozen(eq=False)
class PlainColumns:
    """Lines of known forms that stand together; each column is an array with a place a line."""

    data: bytes
    """The block that they stand in."""
    kinds: tuple[LineForm, ...]
    """The forms that there are."""
    forms: Any
    """Of each line, the index of its form among the kinds."""
    starts: Any
    sizes: Any
    """Where a line begins in the block, and its bytes without what ends it."""
    numbers: Any
    """1-based lines, counted from the start of the piece that was scanned."""
    times: Any
    """Milliseconds."""

    @property
    def line_count(self) -> int:
        """How many lines there are."""
        return len(self.starts)

    def text(self, place: int) -> str:
        """Return one of the lines.

        Args:
            place: index among the lines.

        Returns:
            The line, without its line feed.
        """
        start = int(self.starts[place])
        return self.data[start : start + int(self.sizes[place])].decode("ascii")

    def texts(self, places: Any) -> list[str]:
        """Return some of the lines.

        Args:
            places: an array of indexes among the lines.

        Returns:
            The lines, without their line feeds.
        """
        data, starts = self.data, self.starts[places]
        ends = (starts + self.sizes[places]).tolist()
        pairs = zip(starts.tolist(), ends, strict=True)
        return [data[start:end].decode("ascii") for start, end in pairs]

    def numbers_at(self, places: Any, digits: Sequence[int]) -> Any:
        """Return some digits of lines as one number each.

        Args:
            places: of the lines, all of one form.
            digits: where in a line the digits stand, at most 18.

        Returns:
            An array of integers, one a line.
        """
        return _numbers(self.data, self.starts[places], digits)

    def selected(self, chosen: Any) -> PlainColumns:
        """Return the lines that a mask or a slice chooses.

        Args:
            chosen: an array of booleans, one a line, or a slice.

        Returns:
            Columns of those lines, in order.
        """
        columns = (self.forms, self.starts, self.sizes, self.numbers, self.times)
        return PlainColumns(self.data, self.kinds, *(column[chosen] for column in columns))

    def of_forms(self, chosen: Container[LineForm]) -> PlainColumns:
        """Return the lines whose form is one of some.

        Args:
            chosen: forms to keep.

        Returns:
            Columns of those lines, in order.
        """
        array = load_numpy().array([form in chosen for form in self.kinds], bool)
        return self.selected(array[self.forms])

    def counts(self) -> dict[LineForm, int]:
        """Return how many lines each form has, in the order in which the forms are met."""
        counted = load_numpy().bincount(self.forms, minlength=len(self.kinds)).tolist()
        return {form: count for form, count in zip(self.kinds, counted, strict=True) if count}

    def run(self) -> PlainRun:
        """Return the same lines as lists."""
        forms = [self.kinds[form] for form in self.forms.tolist()]
        texts = [self.text(place) for place in range(self.line_count)]
        return PlainRun(forms, texts, self.numbers.tolist(), self.times.tolist())


def cut_columns(
    data: bytes,
    forms: Sequence[LineForm],
    starts: Sequence[int],
    sizes: Sequence[int],
    numbers: Sequence[int],
    seconds: Callable[[bytes], int | None],
) -> PlainColumns | None:
    """Return lines of known forms as columns; None where one of their times is of no calendar.

    Args:
        data: the text that they stand in.
        forms: of the lines.
        starts: where each begins in the text.
        sizes: the bytes of each, without what ends it.
        numbers: of the lines.
        seconds: the milliseconds to the second in the first 19 bytes of a time.

    Returns:
        Columns with a row a line, in order.
    """
    numpy = load_numpy()
    kinds = {form: index for index, form in enumerate(dict.fromkeys(forms))}
    of_lines = numpy.fromiter(map(kinds.__getitem__, forms), numpy.int32, len(forms))
    columns = (numpy.array(column, numpy.int64) for column in (starts, sizes, numbers, numbers))
    lines = PlainColumns(data, tuple(kinds), of_lines, *columns)
    times = _times(lines, seconds)
    return None if times is None else evolve(lines, times=times)


def _times(lines: PlainColumns, seconds: Callable[[bytes], int | None]) -> Any:
    """Return the milliseconds to the times with which lines begin: each second is read where it
    differs from that of the line before.
    """
    numpy, data = load_numpy(), lines.data
    signs = numpy.frombuffer(data, numpy.uint8)
    heads = lines.starts + (signs[lines.starts] == _BRACKET)
    digits = _numbers(data, heads, _SECOND_DIGITS)
    changes = numpy.flatnonzero(numpy.diff(digits, prepend=-1))
    times = [seconds(data[head : head + _SECOND_SIZE]) for head in heads[changes].tolist()]
    if None in times:
        return None
    often = numpy.diff(numpy.append(changes, len(digits)))
    whole = numpy.repeat(numpy.array(times, numpy.int64), often)
    return whole + _numbers(data, heads, _MILLISECOND_DIGITS)


def _numbers(data: bytes, starts: Any, digits: Sequence[int]) -> Any:
    """Return the numbers that digits make which stand so far behind some places."""
    numpy = load_numpy()
    signs, numbers = numpy.frombuffer(data, numpy.uint8), numpy.zeros(len(starts), numpy.int64)
    for digit in digits:
        numbers *= 10
        numbers += signs[starts + digit]
        numbers -= _ZERO
    return numbers
