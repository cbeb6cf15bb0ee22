"""Where in the lines of one form the values stand that are read from them.

A value that is the same in all lines of a form is a constant of it; any other is made of parts of
the line, as text or as numbers. Which parts, is found from a few lines whose digits are all known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Sequence
from functools import partial
from itertools import accumulate, pairwise
from operator import itemgetter
from typing import Any

from statemachines.model.values import frozen

_NOTHING = slice(0, 0)
_DIGITS = re.compile("[0-9]+")
_NO_ZERO = 5
_PROBES = 4
"""Lines that are made of one; they tell 9000 places of a line apart."""
MOST_VALUES = 100_000
"""Values that all forms of a catalogue remember together."""


class NoSlotError(ValueError):
    """A value whose place in the line is not known."""


@frozen
class _Parts:
    """Which parts of a line a value is made of, and how."""

    slices: tuple[slice, ...]
    make: Callable[[Sequence[str]], Any]
    """From their texts to the value."""


class Slot(dict[tuple[str, ...], Any]):
    """Reads a value from any line of a form; what was made of the same parts before is known.

    The parts are cut by `cut`; the value is looked up by them: `slot[slot.cut(line)]`.
    """

    def __init__(self, parts: _Parts, memory: SlotMemory) -> None:
        super().__init__()
        self.cut = itemgetter(*parts.slices, _NOTHING, _NOTHING)
        """From a line to its parts; always some, so that they are a tuple."""
        self.by_number: dict[int, Any] = {}
        """What was made of lines before, by the number that the digits of the parts make."""
        self._make, self._memory, self._slices = parts.make, memory, parts.slices
        self._digits: list[int] | None = None
        memory.slots.append(self)

    def __missing__(self, texts: tuple[str, ...]) -> Any:
        self._memory.make_room()
        value = self[texts] = self._make(texts)
        return value

    def __call__(self, line: str) -> Any:
        """Return the value that a line tells."""
        return self[self.cut(line)]

    def digits(self, line: str) -> list[int]:
        """Return where the digits stand by which the values of lines differ.

        Args:
            line: any of the form.
        """
        if self._digits is None:
            places = {place for part in self._slices for place in range(part.start, part.stop)}
            self._digits = [place for place in sorted(places) if line[place].isdigit()]
        return self._digits

    def numbered_values(self, numbers: Sequence[int], lines: Sequence[str]) -> list[Any]:
        """Return the values that lines tell, and remember them by the numbers that their digits
        make.
        """
        self._memory.make_room(len(numbers))
        make, cut = self._make, self.cut
        values = [make(cut(line)) for line in lines]
        self.by_number.update(zip(numbers, values, strict=True))
        return values


class SlotMemory:
    """Bounds what slots remember together."""

    def __init__(self) -> None:
        self.slots: list[Slot] = []
        self._count = 0

    def make_room(self, count: int = 1) -> None:
        """Count values that are to be remembered; where there are too many, forget all others."""
        self._count += count
        if self._count > MOST_VALUES:
            for slot in self.slots:
                slot.clear()
                slot.by_number.clear()
            self._count = count

    def forget_slots(self) -> None:
        """Let go of all slots."""
        self.slots.clear()
        self._count = 0


def probe_lines(line: str, fixed: Container[int] = (), nonzero: Container[int] = ()) -> list[str]:
    """Return lines of the form of one, in which no two digits are alike everywhere, and none is the
    same in all lines: it would look like a constant of the form.

    >>> probe_lines("at 7 o'clock")
    ["at 3 o'clock", "at 0 o'clock", "at 0 o'clock", "at 4 o'clock"]

    Args:
        line: any of the form.
        fixed: places where digits stay as they are.
        nonzero: where no zero may stand.
    """
    return [
        _DIGITS.sub(partial(_other_digits, probe, fixed, nonzero), line) for probe in range(_PROBES)
    ]


def _other_digits(
    probe: int, fixed: Container[int], nonzero: Container[int], digits: re.Match[str]
) -> str:
    places = range(*digits.span())
    return "".join(
        [
            digits.string[place]
            if place in fixed
            else str(_probe_digit(place, probe) or (_NO_ZERO if place in nonzero else 0))
            for place in places
        ]
    )


def _probe_digit(place: int, probe: int) -> int:
    """Return the digit at a place of a probe: its units, tens, hundreds, and last the units and
    thousands together, so that the first and the last differ.
    """
    last = _PROBES - 1
    return (place // 10**probe if probe < last else place + place // 1000 + 1) % 10


def make_slot(lines: Sequence[str], values: Sequence[Any], memory: SlotMemory) -> Slot:
    """Return what reads a value from any line of a form.

    Args:
        lines: some of the form, of the same length.
        values: what was read from each.
        memory: bounds what is remembered of lines.

    Raises:
        NoSlotError: the value is neither constant nor made of parts of the line.
    """
    return Slot(_find_parts(lines, values), memory)


def _find_parts(lines: Sequence[str], values: Sequence[Any]) -> _Parts:
    first = values[0]
    if all(value == first and type(value) is type(first) for value in values):
        return _Parts((), lambda texts: first)
    if isinstance(first, tuple) and all(type(value) is type(first) for value in values):
        return _tuple_parts(lines, values)
    place = _text_place(lines, values) or _number_place(lines, values)
    if place is None:
        raise NoSlotError
    if isinstance(first, str):
        return _Parts((slice(*place),), lambda texts: texts[0])
    return _Parts((slice(*place),), lambda texts: int(texts[0]))


def _tuple_parts(lines: Sequence[str], values: Sequence[Any]) -> _Parts:
    if len({len(value) for value in values}) > 1:
        raise NoSlotError
    parts = [_find_parts(lines, same) for same in zip(*values, strict=True)]
    ends = accumulate((len(part.slices) for part in parts), initial=0)
    makers = [
        (part.make, slice(start, end))
        for part, (start, end) in zip(parts, pairwise(ends), strict=True)
    ]
    made = type(values[0])

    def make(texts: Sequence[str]) -> Any:
        fields = [maker(texts[mine]) for maker, mine in makers]
        return tuple(fields) if made is tuple else made(*fields)

    return _Parts(tuple(part for several in parts for part in several.slices), make)


def _text_place(lines: Sequence[str], values: Sequence[Any]) -> tuple[int, int] | None:
    """Return where a text stands in every line."""
    if not all(isinstance(value, str) for value in values):
        return None
    size, at = len(values[0]), lines[0].find(values[0])
    while at >= 0 and size:
        if all(line[at : at + size] == value for line, value in zip(lines, values, strict=True)):
            return at, at + size
        at = lines[0].find(values[0], at + 1)
    return None


def _number_place(lines: Sequence[str], values: Sequence[Any]) -> tuple[int, int] | None:
    """Return where the digits of a number stand in every line, a sign before them included."""
    if not all(type(value) is int for value in values):
        return None
    for start, end in _digit_runs(lines[0]):
        for low in (start, start - 1):
            texts = [line[max(low, 0) : end] for line in lines]
            if all(_is_number(text, value) for text, value in zip(texts, values, strict=True)):
                return max(low, 0), end
    return None


def _is_number(text: str, value: int) -> bool:
    return text.removeprefix("-").isdecimal() and int(text) == value


def _digit_runs(line: str) -> list[tuple[int, int]]:
    """Return where the numbers of a line begin and end."""
    return [match.span() for match in _DIGITS.finditer(line)]
