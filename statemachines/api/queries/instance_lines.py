"""All lines of a log about some instance, merged over files."""

from __future__ import annotations

import difflib
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import Factory, define, frozen

from statemachines.model.evidence.reports import Place

if TYPE_CHECKING:
    from statemachines.conform.engines.inputs import Input
    from statemachines.conform.observe.catalogue_reader import CatalogueReader, EntryMatch
    from statemachines.logs import Scanner
    from statemachines.model.evidence.records import Record

_MOST_NEAREST = 3
"""Other instances that are named where the one that is looked for is not there."""
_MOST_OTHERS = 5_000
"""Other instances among which the nearest are looked for."""


@frozen
class InstanceLine:
    """A line that tells of an instance."""

    place: Place
    at_ms: int | None
    """Epoch milliseconds, an unknown zone taken as UTC; None where neither it nor a line before it
    has a time.
    """
    text: str
    says: tuple[str, ...]
    """What it tells, such as `shop/Order step`."""


@frozen
class InstanceLines:
    """What was found in some logs."""

    lines: tuple[InstanceLine, ...]
    """By time, ties by file (of rotated ones the oldest first) and line; lines of one file in its
    order.
    """
    errors: tuple[str, ...]
    """What was named and could not be read."""
    nearest: tuple[str, ...] = ()
    """Where no line was found: at most `NEAREST` instances that lines tell of, such as `shop=north
    order=8`, the nearest first.
    """


@define
class _InstanceFilter:
    """The instance that is looked for, and what the same fields of other lines hold."""

    instance: Mapping[str, str]
    others: dict[str, None] = Factory(dict)
    is_named: bool = False
    """Whether a line names it: a list that does not is about it only then."""

    def matches(self, fields: Mapping[str, str | None]) -> bool:
        """Tell whether a line's fields are of the instance; remember those of another one."""
        values = {name: value for name in self.instance if (value := fields.get(name)) is not None}
        if len(values) < len(self.instance):
            return False
        if all(self._is_meant(name, value, fields) for name, value in values.items()):
            self.is_named = True
            return True
        if len(self.others) < _MOST_OTHERS:
            self.others[instance_options(values)] = None
        return False

    def is_left_out(self, key: Sequence[str], fields: Mapping[str, str | None]) -> bool:
        """Tell whether a complete list that does not name it tells of it for that reason.

        Args:
            key: the fields that name an instance of the machine.
            fields: of the line, without those of the list.
        """
        return self.instance.keys() <= set(key) and all(
            self._is_meant(name, value, fields)
            for name in self.instance
            if (value := fields.get(name)) is not None
        )

    def _is_meant(self, name: str, value: str, fields: Mapping[str, str | None]) -> bool:
        """Tell whether a value is the one that is looked for, or stands in a name that reports make
        of it and the field beside it: `tea-7` for shelf 7 of the aisle tea.
        """
        wanted = self.instance[name]
        names = (f"{other}-{value}" for other in fields.values() if other)
        return fnmatchcase(value, wanted) or ("-" in wanted and wanted in names)

    def nearest_others(self) -> tuple[str, ...]:
        """Return the others that are most like it; of those that are equally so, the ones that came
        first.
        """
        matcher = difflib.SequenceMatcher(None, "", instance_options(self.instance), autojunk=False)

        def unlike(other: str) -> float:
            matcher.set_seq1(other)
            return -matcher.ratio()

        return tuple(sorted(self.others, key=unlike)[:_MOST_NEAREST])


def instance_options(instance: Mapping[str, str]) -> str:
    """Name an instance by its fields.

    Args:
        instance: fields and their values.

    Returns:
        The fields as options of the command line write them, in the given order.

    >>> instance_options({"shop": "north", "order": "7"})
    'shop=north order=7'
    """
    return " ".join(f"{name}={value}" for name, value in instance.items())


def instance_lines(
    paths: Sequence[str | PathLike[str]],
    instance: Mapping[str, str],
    *,
    specs: Sequence[str | PathLike[str]] | None = None,
) -> InstanceLines:
    """Return every line that tells of an instance, whatever it tells: steps, requests, failures,
    notes.

    Args:
        paths: files, folders, or `-`.
        instance: fields and their values; `*` and `?` in a value stand for anything.
        specs: names of the catalogue, patterns, or files; None: the whole catalogue.

    Returns:
        The lines in the order of their times, the files that could not be read, and, where no line
        was found, the instances with the nearest names.

    Raises:
        ValueError: no entry of these specs captures one of the fields; the message has those that
            there are.
    """
    from statemachines.conform.checking import load_specs, make_plan
    from statemachines.conform.engines.inputs import Input, list_inputs
    from statemachines.conform.observe.catalogue_reader import CatalogueReader
    from statemachines.logs import Scanner, rotation_key

    reader = CatalogueReader(make_plan(load_specs(specs).machines))
    _require_known_fields(reader, instance)
    scanner, wanted = Scanner(reader.line_literals), _InstanceFilter(instance)
    with tempfile.TemporaryDirectory(prefix="statemachines-") as spool:
        inputs = list_inputs(paths, Path(spool))
        readable = sorted(
            (entry for entry in inputs if isinstance(entry, Input)),
            key=lambda entry: rotation_key(entry.name),
        )
        errors = [
            f"{entry.name}: {entry.reason}" for entry in inputs if not isinstance(entry, Input)
        ]
        of_instance = [
            line
            for entry in readable
            for line in _lines_of_file(entry, reader, scanner, wanted, errors)
        ]
    of_instance = of_instance if wanted.is_named else []
    return InstanceLines(
        tuple(sorted(of_instance, key=lambda line: -1 if line.at_ms is None else line.at_ms)),
        tuple(errors),
        () if of_instance else wanted.nearest_others(),
    )


def _require_known_fields(reader: CatalogueReader, instance: Mapping[str, str]) -> None:
    known = {field for owner in reader.plan.owners for line in owner.lines for field in line.fields}
    for field in instance:
        if field not in known:
            raise ValueError(
                f"no line tells a `{field}`; lines tell"
                f" {', '.join(sorted(known - {'from', 'to', 'state'}))}"
            )


def _lines_of_file(
    entry: Input,
    reader: CatalogueReader,
    scanner: Scanner,
    wanted: _InstanceFilter,
    errors: list[str],
) -> Iterator[InstanceLine]:
    """Yield the lines of one file; a line without a time, or with an earlier one, counts as not
    earlier than the one before it. What could not be read is added to the errors.
    """
    from statemachines.logs import open_log, scan

    if not entry.named and entry.path.is_fifo():
        return
    reached: int | None = None
    with open_log(entry.path) as log:
        for record in scan(log.buffer, 0, log.size, scanner):
            if record.at_ms is not None:
                reached = record.at_ms if reached is None else max(reached, record.at_ms)
            if says := tuple(dict.fromkeys(_line_meanings(reader, record, wanted))):
                yield InstanceLine(Place(entry.name, record.line), reached, record.text, says)
        if problem := log.read_problem(named=entry.named):
            errors.append(f"{entry.name}: {problem}")


def _line_meanings(
    reader: CatalogueReader, record: Record, wanted: _InstanceFilter
) -> Iterator[str]:
    for reading in reader.read_with_headers(record)[1]:
        owner = reader.plan.owners[reading.owner]
        for _, match in reading.matches:
            if any(wanted.matches(fields) for fields in _item_fields(match)) or (
                match.line.state_of_others
                and owner.log
                and wanted.is_left_out(owner.log.instance, match.fields)
            ):
                yield f"{owner.name} {' or '.join(match.line.kinds)}"


def _item_fields(match: EntryMatch) -> Iterator[Mapping[str, str | None]]:
    """Yield the fields of a line, or of each item of its list."""
    from statemachines.conform.observe.catalogue_reader import list_items

    if match.line.each is None:
        yield match.fields
    else:
        yield from list_items(match.line.each, match.fields)
