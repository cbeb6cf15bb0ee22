"""Where in the lines of one form the values stand that are read from them.

A value that is the same in all lines of a form is a constant of it; any other is a part of the
line, as text or as a number. Which part, is found from a few lines whose digits are all known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any

Slot = Callable[[str], Any]
"""From a line to a value that is read from it."""

_NOTHING = slice(0, 0)
_MOST_KEYS = 200
_PROBES = 3
"""Lines that are made of one; they tell 1000 places of a line apart."""


class NoSlotError(ValueError):
    """A value whose place in the line is not known."""


def probe_lines(line: str, start: int) -> list[str]:
    """Return lines of the form of one, in which no two digits behind `start` are alike everywhere.

    >>> probe_lines("at 7 o'clock", 0)
    ["at 3 o'clock", "at 0 o'clock", "at 0 o'clock"]
    """
    return [
        "".join(
            str(place // 10**power % 10) if place >= start and "0" <= sign <= "9" else sign
            for place, sign in enumerate(line)
        )
        for power in range(_PROBES)
    ]


def make_slot(lines: Sequence[str], values: Sequence[Any]) -> Slot:
    """Return what reads a value from any line of a form.

    Args:
        lines: some of the form, of the same length.
        values: what was read from each.

    Raises:
        NoSlotError: the value is neither constant nor a part of the line.
    """
    first = values[0]
    if all(value == first and type(value) is type(first) for value in values):
        return lambda line: first
    if isinstance(first, tuple) and all(type(value) is type(first) for value in values):
        return _tuple_slot(lines, values)
    place = _text_place(lines, values) or _number_place(lines, values)
    if place is None:
        raise NoSlotError
    part = slice(*place)
    return (lambda line: line[part]) if isinstance(first, str) else (lambda line: int(line[part]))


def _tuple_slot(lines: Sequence[str], values: Sequence[Any]) -> Slot:
    if len({len(value) for value in values}) > 1:
        raise NoSlotError
    slots = tuple(make_slot(lines, parts) for parts in zip(*values, strict=True))
    made = type(values[0])
    if made is tuple:
        return lambda line: tuple([slot(line) for slot in slots])
    return lambda line: made(*[slot(line) for slot in slots])


def make_key_slot(lines: Sequence[str], keys: Sequence[tuple[Any, ...]]) -> Slot:
    """Return what reads the key of an instance: as `make_slot`, and sooner for keys that return.

    Raises:
        NoSlotError: a value is neither constant nor a part of the line.
    """
    if all(key == keys[0] for key in keys):
        return make_slot(lines, keys)
    parts = [_key_part(lines, values) for values in zip(*keys, strict=True)]
    cut = itemgetter(*(part for part, _ in parts), _NOTHING)
    makers = tuple(maker for _, maker in parts)
    known: dict[tuple[str, ...], tuple[Any, ...]] = {}

    def key_of(line: str) -> tuple[Any, ...]:
        texts = cut(line)
        key = known.get(texts)
        if key is None:
            if len(known) >= _MOST_KEYS:
                known.clear()
            made = zip(makers, texts, strict=False)
            key = known[texts] = tuple([maker(text) for maker, text in made])
        return key

    return key_of


def _key_part(lines: Sequence[str], values: Sequence[Any]) -> tuple[slice, Slot]:
    """Return which part of the line a value of a key is made of, and how."""
    if all(value == values[0] for value in values):
        return _NOTHING, make_slot(lines, values)
    place = _text_place(lines, values) or _number_place(lines, values)
    if place is None:
        raise NoSlotError
    return slice(*place), str if isinstance(values[0], str) else int


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
    return [found.span() for found in re.finditer(r"[0-9]+", line)]
