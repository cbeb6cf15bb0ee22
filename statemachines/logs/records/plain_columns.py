"""Lines of known forms that stand together, as columns of arrays.

What is done here is what `plain_line_reader` does line by line: the same times, by the same reader
of them, for lines that differ in their digits only.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from itertools import accumulate, chain
from typing import Any

from attrs import evolve

from statemachines.logs.records.line_clocks import ClockShape, ClockTimes
from statemachines.logs.records.plain_lines import LineForm, PlainRun
from statemachines.model.arrays import load_numpy
from statemachines.model.values import frozen

LEAST_LINES = 1000
"""Fewer lines that stand together are sooner read one after the other."""
_ZERO = ord("0")
_MOST_DIGITS = 18
"""Digits that make a number of 64 bits."""


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

    def with_forms_as_met(self) -> PlainColumns:
        """Return the same lines, their forms in the order in which they are met, without others."""
        numpy = load_numpy()
        codes, firsts = numpy.unique(self.forms, return_index=True)
        order = numpy.argsort(firsts)
        places = numpy.empty(len(self.kinds), numpy.int32)
        places[codes[order]] = numpy.arange(len(codes))
        kinds = tuple(self.kinds[code] for code in codes[order].tolist())
        return evolve(self, kinds=kinds, forms=places[self.forms])

    def alone(self, start: int, end: int) -> PlainColumns:
        """Return lines that stand together, with a text that holds no more than they do.

        Args:
            start: index of the first line.
            end: index behind the last, which is greater.

        Returns:
            Columns of those lines, in order.
        """
        low, high = int(self.starts[start]), int(self.starts[end - 1] + self.sizes[end - 1])
        part = self.selected(slice(start, end))
        return evolve(part, data=self.data[low:high], starts=part.starts - low)

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
    times: ClockTimes | Sequence[int],
) -> PlainColumns | None:
    """Return lines of known forms as columns; None where one of their times is of no calendar.

    Args:
        data: the text that they stand in.
        forms: of the lines.
        starts: where each begins in the text.
        sizes: the bytes of each, without what ends it.
        numbers: of the lines.
        times: of the lines, or what reads them.

    Returns:
        Columns with a row a line, in order.
    """
    numpy = load_numpy()
    kinds = {form: index for index, form in enumerate(dict.fromkeys(forms))}
    of_lines = numpy.fromiter(map(kinds.__getitem__, forms), numpy.int32, len(forms))
    columns = (numpy.array(column, numpy.int64) for column in (starts, sizes, numbers, numbers))
    lines = PlainColumns(data, tuple(kinds), of_lines, *columns)
    at = _times(lines, times) if isinstance(times, ClockTimes) else numpy.array(times, numpy.int64)
    return None if at is None else evolve(lines, times=at)


def gather_columns(
    forms: Sequence[LineForm],
    raws: Sequence[bytes],
    numbers: Sequence[int],
    times: ClockTimes | Sequence[int],
) -> PlainColumns | None:
    """Return lines that may stand apart as columns of a text of their own, so that what stands
    between them is not kept; None where one of their times is of no calendar.

    Args:
        forms: of the lines.
        raws: the lines without what ends them.
        numbers: of the lines.
        times: of the lines, or what reads them.

    Returns:
        Columns with a row a line, in order.
    """
    sizes = list(map(len, raws))
    starts = list(accumulate((size + 1 for size in sizes[:-1]), initial=0))
    return cut_columns(b"\n".join(raws), forms, starts, sizes, numbers, times)


def join_columns(parts: Sequence[PlainColumns]) -> PlainColumns:
    """Return lines that follow one another as columns of one text.

    Args:
        parts: some of the lines each, in order, with a text that has no others; one or more.

    Returns:
        Columns of all of them.
    """
    numpy = load_numpy()
    begins = accumulate((len(part.data) + 1 for part in parts[:-1]), initial=0)
    starts = [part.starts + begin for part, begin in zip(parts, begins, strict=True)]
    codes = dict[LineForm, int]()
    for form in chain.from_iterable(part.kinds for part in parts):
        codes.setdefault(form, len(codes))
    forms = [numpy.array([codes[form] for form in p.kinds], numpy.int32)[p.forms] for p in parts]
    text, kinds = b"\n".join(part.data for part in parts), tuple(codes)
    rest = ([getattr(p, column) for p in parts] for column in ("sizes", "numbers", "times"))
    columns = (numpy.concatenate(some) for some in (forms, starts, *rest))
    return PlainColumns(text, kinds, *columns).with_forms_as_met()


def _times(lines: PlainColumns, times: ClockTimes) -> Any:
    """Return the milliseconds to the times of lines; None where one is of no calendar."""
    numpy, clocks = load_numpy(), [form.clock for form in lines.kinds]
    heads = lines.starts + numpy.array([clock.low for clock in clocks], numpy.int64)[lines.forms]
    shapes = {shape: index for index, shape in enumerate({clock.shape: 0 for clock in clocks})}
    if len(shapes) == 1:
        return clock_times(lines.data, heads, clocks[0].shape, times)
    of_lines = numpy.array([shapes[clock.shape] for clock in clocks])[lines.forms]
    whole = numpy.empty(len(heads), numpy.int64)
    for shape, index in shapes.items():
        places = numpy.flatnonzero(of_lines == index)
        some = clock_times(lines.data, heads[places], shape, times)
        if some is None:
            return None
        whole[places] = some
    return whole


def clock_times(data: bytes, heads: Any, shape: ClockShape, times: ClockTimes) -> Any:
    """Return the milliseconds to times of one shape: each second is read where it differs from that
    of the line before.

    Args:
        data: the text that they stand in.
        heads: an array of where they begin.
        shape: of all of them.
        times: reads them.

    Returns:
        An array; None where one of them is of no calendar.
    """
    numpy, places = load_numpy(), shape.second_places
    changed = numpy.zeros(len(heads), bool)
    for start in range(0, len(places), _MOST_DIGITS):
        digits = _numbers(data, heads, places[start : start + _MOST_DIGITS])
        changed |= numpy.diff(digits, prepend=-1) != 0
    changes = numpy.flatnonzero(changed)
    seconds = [times.second_at(shape, data, head) for head in heads[changes].tolist()]
    if None in seconds:
        return None
    often = numpy.diff(numpy.append(changes, len(heads)))
    whole = numpy.repeat(numpy.array(seconds, numpy.int64), often)
    return whole + shape.scale * _numbers(data, heads, shape.millisecond_places)


def _numbers(data: bytes, starts: Any, digits: Sequence[int]) -> Any:
    """Return the numbers that digits make which stand so far behind some places."""
    numpy = load_numpy()
    signs, numbers = numpy.frombuffer(data, numpy.uint8), numpy.zeros(len(starts), numpy.int64)
    for digit in digits:
        numbers *= 10
        numbers += signs[starts + digit]
        numbers -= _ZERO
    return numbers
