"""All lines of some logs, whatever they say."""

from __future__ import annotations

import string
import tempfile
from collections.abc import Callable, Sequence
from datetime import tzinfo
from os import PathLike
from pathlib import Path
from typing import NamedTuple

from attrs import Factory, define, frozen

from statemachines.conform.engines.inputs import Input, list_inputs, refuse_pipe
from statemachines.logs import Layouts, Scanner, open_log, rotation_key, scan
from statemachines.model.evidence.records import Record
from statemachines.model.evidence.reports import Place

_ANY_WORD = tuple(character.encode() for character in string.ascii_letters + string.digits)
"""Literals of which every line with a word holds one."""


class ReadRecord(NamedTuple):
    """A record, and where it stands among all that are read."""

    record: Record
    place: Place
    process: str
    """What a prefix says of it, else the file without its rotation suffix."""
    order: int


@frozen
class LogsRead:
    """How much was read."""

    files: int
    lines: int
    errors: tuple[str, ...]
    """What could not be, a sentence each."""


@define
class _RecordCounts:
    """Counts over all files."""

    lines: int = 0
    records: int = 0
    errors: list[str] = Factory(list)


def read_records(
    paths: Sequence[str | PathLike[str]],
    take: Callable[[ReadRecord], None],
    layouts: Layouts | None = None,
    zone: tzinfo | None = None,
) -> LogsRead:
    """Read every record of some logs; rotated files in their order.

    Args:
        paths: files, folders, or `-`.
        take: is given one record after the other.
        layouts: how lines are laid out; None: found out record by record.
        zone: of times that tell none.

    Returns:
        Which files were read, and how many lines.
    """
    scanner, counts = Scanner(_ANY_WORD), _RecordCounts()
    with tempfile.TemporaryDirectory(prefix="statemachines-") as spool:
        inputs_and_problems = list_inputs(paths, Path(spool))
        counts.errors += [
            f"{missing_input.name}: {missing_input.reason}"
            for missing_input in inputs_and_problems
            if not isinstance(missing_input, Input)
        ]
        inputs = [source for source in inputs_and_problems if isinstance(source, Input)]
        for entry in sorted(inputs, key=lambda entry: rotation_key(entry.name)):
            try:
                _read_file(entry, take, counts, scanner, layouts, zone)
            except OSError as problem:
                counts.errors.append(f"{entry.name}: {problem.strerror or problem}")
    return LogsRead(len(inputs), counts.lines, tuple(counts.errors))


def _read_file(
    entry: Input, take: Callable[[ReadRecord], None], counts: _RecordCounts, scanner: Scanner,
    layouts: Layouts | None, zone: tzinfo | None,
) -> None:  # fmt: skip
    process = rotation_key(entry.name)[0]
    refuse_pipe(entry.path, entry.named)
    with open_log(entry.path) as log:
        records = scan(log.buffer, 0, log.size, scanner, layouts, zone=zone)
        for record in records:
            if record.message and not record.is_trailing_exception:
                counts.records += 1
                place = Place(entry.name, record.line)
                take(ReadRecord(record, place, record.process or process, counts.records))
        counts.lines += records.lines
        if problem := log.read_problem(named=entry.named):
            counts.errors.append(f"{entry.name}: {problem}")
