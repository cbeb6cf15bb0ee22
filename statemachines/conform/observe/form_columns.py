"""What lines of known forms quote, column by column: the digits of a part are one number, and what
they mean is looked up once for each number that there is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import repeat
from typing import Any, NamedTuple, cast

from statemachines.conform.columns.observation_columns import InstanceKey, ObservationColumns
from statemachines.conform.interchange.observations import LineWords
from statemachines.conform.observe.known_lines import KnownLine
from statemachines.conform.observe.line_slots import Slot
from statemachines.logs.records.plain_columns import PlainColumns
from statemachines.model.arrays import load_numpy
from statemachines.model.values import frozen

LEAST_OF_FORM = 40
"""Lines of a form of which there are fewer in a block are sooner read one by one."""
_MOST_DIGITS = 18
"""Digits that make a number of 64 bits."""


@frozen(eq=False)
class CodedValues:
    """The values of some lines: of each the index of its value."""

    codes: Any
    values: list[Any]


class _LinesOfForm(NamedTuple):
    known: KnownLine
    places: Any
    """Which of the lines they are."""


def code_values(
    lines: PlainColumns, slot_of: Callable[[KnownLine], Slot | None]
) -> CodedValues | None:
    """Return what lines tell; None where they quote too many digits.

    Args:
        lines: all of forms that have the slot.
        slot_of: returns where in the lines of a form it stands.
    """
    coded = CodedValues(load_numpy().zeros(lines.line_count, int), [])
    for known, places in _lines_by_form(lines):
        slot = slot_of(known)
        if slot is None or not _is_short(lines, places, slot):
            return None
        _code_lines(lines, places, slot, coded)
    return coded


def observation_columns(
    lines: PlainColumns, reached: Any, file: int
) -> tuple[list[ObservationColumns], Any]:
    """Return what lines tell as columns, and a mask of the lines for which that does not pay.

    Args:
        lines: of known forms.
        reached: the latest time at each.
        file: number of their file.
    """
    forms = [form_lines for form_lines in _lines_by_form(lines) if form_lines.known.observations]
    fitting = [form for form in forms if _fits_columns(lines, form)]
    taken = {form_lines.known for form_lines in fitting}
    left = load_numpy().zeros(lines.line_count, bool)
    for form in forms:
        left[form.places] = form.known not in taken
    most = max((len(form_lines.known.observations) for form_lines in fitting), default=0)
    return [_layer(lines, reached, file, fitting, layer) for layer in range(most)], left


def _lines_by_form(lines: PlainColumns) -> Iterator[_LinesOfForm]:
    """Yield the lines of each form, in their order."""
    numpy = load_numpy()
    order = numpy.argsort(lines.forms, kind="stable")
    ends = numpy.cumsum(numpy.bincount(lines.forms, minlength=len(lines.kinds))).tolist()
    start = 0
    for known, end in zip(lines.kinds, ends, strict=True):
        if end > start:
            yield _LinesOfForm(cast("KnownLine", known), order[start:end])
        start = end


def _fits_columns(lines: PlainColumns, form_lines: _LinesOfForm) -> bool:
    """Say whether the lines of a form become columns: they are not few, their keys are whole, and
    each tells of an instance once.
    """
    if len(form_lines.places) < LEAST_OF_FORM:
        return False
    forms, text = form_lines.known.observations, lines.text(int(form_lines.places[0]))
    return (
        len({form.owner for form in forms}) == len(forms)
        and all(None not in form.key(text) for form in forms)
        and all(
            _is_short(lines, form_lines.places, slot)
            for form in forms
            for slot in (form.key, form.words)
        )
    )


def _is_short(lines: PlainColumns, places: Any, slot: Slot) -> bool:
    return len(slot.digits(lines.text(int(places[0])))) <= _MOST_DIGITS


def _layer(
    lines: PlainColumns, reached: Any, file: int, forms: Sequence[_LinesOfForm], layer: int
) -> ObservationColumns:
    """Return the first observation of each line, or the second, and so on."""
    numpy = load_numpy()
    keys, words = (CodedValues(numpy.full(lines.line_count, -1), []) for _ in range(2))
    instances = list[InstanceKey]()
    for known, places in forms:
        if len(known.observations) > layer:
            form = known.observations[layer]
            _code_lines(lines, places, form.key, keys)
            instances += zip(repeat(form.owner), keys.values[len(instances) :], strict=False)
            _code_lines(lines, places, form.words, words)
    places_read = numpy.flatnonzero(keys.codes >= 0)
    return ObservationColumns(
        file,
        lines.data,
        lines.starts[places_read],
        lines.sizes[places_read],
        lines.numbers[places_read],
        lines.times[places_read],
        reached[places_read],
        keys.codes[places_read],
        tuple(instances),
        words.codes[places_read],
        cast("tuple[LineWords, ...]", tuple(words.values)),
    )


def _code_lines(lines: PlainColumns, places: Any, slot: Slot, coded: CodedValues) -> None:
    """Read a value of some lines of one form, and put it to the others."""
    numpy, text = load_numpy(), lines.text(int(places[0]))
    digits = slot.digits(text)
    if not digits:
        coded.codes[places] = len(coded.values)
        coded.values.append(slot(text))
        return
    numbers = lines.numbers_at(places, digits)
    distinct, indexes = numpy.unique(numbers, return_inverse=True)
    coded.codes[places] = indexes + len(coded.values)
    values = list(map(slot.by_number.get, distinct.tolist()))
    if None in values:
        samples = numpy.zeros(len(distinct), int)
        samples[indexes] = places  # a line for each number
        missing = [index for index, value in enumerate(values) if value is None]
        made = slot.numbered_values(distinct[missing].tolist(), lines.texts(samples[missing]))
        for index, value in zip(missing, made, strict=True):
            values[index] = value
    coded.values.extend(values)
