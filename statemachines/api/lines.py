"""All lines of a log that tell of some instance, merged over files."""

from __future__ import annotations

import difflib
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import Factory, define, frozen

from statemachines.model.reports import Place

if TYPE_CHECKING:
    from statemachines.conform.inputs import Input
    from statemachines.conform.reader import Match, Reader
    from statemachines.logs import Scanner
    from statemachines.model.records import Record

NEAREST = 3
"""Other instances that are named where the one that is looked for is not there."""
MOST_OTHERS = 5_000
"""Other instances among which the nearest are looked for."""


@frozen
class Told:
    """A line that tells of an instance."""

    place: Place
    at_ms: int | None
    """Epoch milliseconds, an unknown zone taken as UTC; None where neither it nor a line before it has a time."""
    text: str
    says: tuple[str, ...]
    """What it tells, such as `shop/Order step`."""


@frozen
class Lines:
    """What was found in some logs."""

    told: tuple[Told, ...]
    """By time, ties by file (of rotated ones the oldest first) and line; lines of one file in its order."""
    errors: tuple[str, ...]
    """What was named and could not be read."""
    nearest: tuple[str, ...] = ()
    """Where no line was found: at most `NEAREST` instances that lines tell of, such as `shop=north order=8`, the nearest first."""


@define
class _Wanted:
    """The instance that is looked for, and what the same fields of other lines hold."""

    instance: Mapping[str, str]
    others: dict[str, None] = Factory(dict)

    def is_told(self, fields: Mapping[str, str | None]) -> bool:
        """Tell whether fields of a line are of the instance; those of another one are remembered."""
        values = {name: value for name in self.instance if (value := fields.get(name)) is not None}
        if len(values) < len(self.instance):
            return False
        if all(fnmatchcase(value, self.instance[name]) for name, value in values.items()):
            return True
        if len(self.others) < MOST_OTHERS:
            self.others[as_options(values)] = None
        return False

    def nearest(self) -> tuple[str, ...]:
        """Return the others that are most like it; of those that are equally so, the ones that came first."""
        matcher = difflib.SequenceMatcher(None, "", as_options(self.instance), autojunk=False)

        def unlike(other: str) -> float:
            matcher.set_seq1(other)
            return -matcher.ratio()

        return tuple(sorted(self.others, key=unlike)[:NEAREST])


def as_options(instance: Mapping[str, str]) -> str:
    """Name an instance by its fields.

    >>> as_options({"shop": "north", "order": "7"})
    'shop=north order=7'
    """
    return " ".join(f"{name}={value}" for name, value in instance.items())


def lines_of(
    paths: Sequence[str | PathLike[str]], instance: Mapping[str, str], *, specs: Sequence[str | PathLike[str]] | None = None
) -> Lines:
    """Return every line that tells of an instance, whatever it tells: steps, requests, failures, notes.

    Args:
        paths: files, folders, or `-`.
        instance: fields and their values; `*` and `?` in a value stand for anything.
        specs: names of the catalogue, patterns, or files; None: the whole catalogue.

    Raises:
        ValueError: no entry of these specs captures one of the fields; the message has those that there are.
    """
    from statemachines.conform.check import chosen_specs, plan_of
    from statemachines.conform.inputs import Input, inputs_of
    from statemachines.conform.reader import Reader
    from statemachines.logs import Scanner, rotation

    reader = Reader(plan_of(chosen_specs(specs).machines))
    _check_fields(reader, instance)
    scanner, wanted = Scanner(reader.words), _Wanted(instance)
    with tempfile.TemporaryDirectory(prefix="statemachines-") as spool:
        found = inputs_of(paths, Path(spool))
        readable = sorted((entry for entry in found if isinstance(entry, Input)), key=lambda entry: rotation(entry.name))
        told = [line for entry in readable for line in _of_file(entry, reader, scanner, wanted)]
    errors = tuple(f"{entry.name}: {entry.why}" for entry in found if not isinstance(entry, Input))
    return Lines(tuple(sorted(told, key=lambda line: -1 if line.at_ms is None else line.at_ms)), errors, () if told else wanted.nearest())


def _check_fields(reader: Reader, instance: Mapping[str, str]) -> None:
    known = {field for owner in reader.plan.owners for line in owner.lines for template in line.templates for field in template.fields}
    known |= {field for owner in reader.plan.owners for line in owner.lines if line.each for field in line.each.item.fields}
    for field in instance:
        if field not in known:
            raise ValueError(f"no line tells a `{field}`; lines tell {', '.join(sorted(known - {'from', 'to', 'state'}))}")


def _of_file(entry: Input, reader: Reader, scanner: Scanner, wanted: _Wanted) -> Iterator[Told]:
    """Yield the lines of one file; a line without a time, or with an earlier one, counts as not earlier than the one before it."""
    from statemachines.logs import open_log, scan

    if not entry.named and entry.path.is_fifo():
        return
    reached: int | None = None
    with open_log(entry.path) as log:
        for record in scan(log.buffer, 0, log.size, scanner):
            if record.at_ms is not None:
                reached = record.at_ms if reached is None else max(reached, record.at_ms)
            if says := tuple(dict.fromkeys(_says(reader, record, wanted))):
                yield Told(Place(entry.name, record.line), reached, record.text, says)


def _says(reader: Reader, record: Record, wanted: _Wanted) -> Iterator[str]:
    for reading in reader.understand(record)[1]:
        for _, match in reading.matches:
            if any(wanted.is_told(fields) for fields in _all_fields(match)):
                yield f"{reader.plan.owners[reading.owner].name} {' or '.join(match.line.says)}"


def _all_fields(match: Match) -> Iterator[Mapping[str, str | None]]:
    """Yield the fields of a line, or of each item of its list."""
    from statemachines.conform.reader import items

    if match.line.each is None:
        yield match.fields
    else:
        yield from items(match.line, match.fields, match.line.each.item)
