"""What a page shows beside a report: the machines it was judged by, and the lines around the lines
it names.
"""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING

from statemachines.model.definitions.machine_definitions import MachineDefinition, SpecDefinition
from statemachines.model.definitions.system_definitions import (
    SystemDefinition,
    SystemSpecDefinition,
)
from statemachines.model.diagnosis.diagnostics import Span
from statemachines.model.evidence.reports import Place, Report
from statemachines.report.html.page_context import (
    NumberedLines,
    PageContext,
    wanted_lines,
    wanted_step_lines,
)

if TYPE_CHECKING:
    from statemachines.logs.search.scanner import Buffer

_LINES_AROUND = 3
"""Lines shown before a line, and after it."""
LONGEST_LINE = 2_000
"""Letters of a line."""
CHUNK_BYTES = 1 << 20
"""Bytes in which line feeds are counted at once."""
Paths = Sequence["str | PathLike[str]"]


def collect_page_context(report: Report, paths: Paths, specs: Paths | None = None) -> PageContext:
    """Gather what stands around a report.

    Args:
        report: what `check` found.
        paths: what it was given; standard input, archives, URLs and files that are gone have no
            lines any more.
        specs: what it was given.

    Returns:
        Whatever of it is still to be had; nothing that is missing is an error.

    Complexity: one pass over the files that are named, up to the last line that is wanted.
    """
    known = {spec.name: spec for spec in _judging_specs(specs)}
    shown = [
        known[row.machine] for row in report.machines if row.instances and row.machine in known
    ]
    resolved = [_in_fitting_release(spec, report) for spec in shown]
    places = dict.fromkeys(finding.spec for finding in report.findings if finding.spec is not None)
    machines = tuple(machine for machine, _ in resolved if isinstance(machine, MachineDefinition))
    systems = tuple(system for system, _ in resolved if isinstance(system, SystemDefinition))
    captions = {definition.name: caption for definition, caption in resolved}
    return PageContext(
        machines,
        systems,
        captions,
        dict(_log_lines(wanted_lines(report), paths)),
        dict(_step_lines(report, paths)),
        dict(_spec_lines(places, specs)),
    )


def _judging_specs(specs: Paths | None) -> tuple[SpecDefinition | SystemSpecDefinition, ...]:
    from statemachines.conform.checking import load_specs
    from statemachines.model.diagnosis.diagnostics import SpecError

    try:
        chosen = load_specs(specs)
    except (SpecError, OSError):
        return ()
    return (*chosen.machines, *chosen.systems)


def _at_release(
    spec: SpecDefinition | SystemSpecDefinition, release: str | None
) -> MachineDefinition | SystemDefinition:
    from statemachines.notation import machine_of, system_of

    return (
        machine_of(spec, release) if isinstance(spec, SpecDefinition) else system_of(spec, release)
    )


def _in_fitting_release(
    spec: SpecDefinition | SystemSpecDefinition, report: Report
) -> tuple[MachineDefinition | SystemDefinition, str]:
    """Return a machine or system in the newest release that fits the logs, and which they are."""
    from statemachines.notation.releases.release_ranges import parse_ranges, union

    if not spec.family.name:
        return _at_release(spec, None), ""
    fitting = union(
        parse_ranges(row.releases, spec.family, Span("", 1, 1))[0] & spec.releases
        for row in report.releases
        if row.releases
    )
    machine = _at_release(spec, spec.family.newest(fitting or spec.releases))
    several = fitting and fitting != spec.family.bit(machine.release)
    return (
        machine,
        (
            f"{machine.release}, the logs fit {spec.family.ranges(fitting)}"
            if several
            else machine.release
        ),
    )


def _step_lines(report: Report, paths: Paths) -> Iterator[tuple[Place, str]]:
    for place, lines in _log_lines(wanted_step_lines(report), paths, beside=0):
        yield from ((place, text) for _, text in lines)


def _log_lines(
    places: Sequence[Place], paths: Paths, beside: int = _LINES_AROUND
) -> Iterator[tuple[Place, NumberedLines]]:
    from statemachines.logs import open_log

    files = _readable_files(paths)
    by_file: dict[str, list[int]] = defaultdict(list)
    for place in places:
        by_file[place.file].append(place.line)
    for name, numbers in by_file.items():
        if name in files:
            try:
                with open_log(files[name]) as log:
                    around = lines_around(log.buffer, numbers, beside)
            except OSError:
                continue
            yield from ((Place(name, number), lines) for number, lines in around.items())


def _readable_files(paths: Paths) -> dict[str, Path]:
    """Return the files that are still there, by the names that reports give them."""
    from statemachines.conform.engines.inputs import STDIN, Input, list_inputs

    files = [fspath(path) for path in paths if fspath(path) != STDIN and Path(path).exists()]
    if len(paths) > 1 and len(files) == 1:
        files *= 2
    return {
        entry.name: entry.path
        for entry in list_inputs(files, Path(tempfile.gettempdir()))
        if isinstance(entry, Input)
    }


def lines_around(
    buffer: Buffer, numbers: Iterable[int], beside: int = _LINES_AROUND
) -> dict[int, NumberedLines]:
    """Return lines with those before and after them.

    Args:
        buffer: a whole log.
        numbers: of lines, from 1.
        beside: how many before, and how many after.

    Returns:
        By number; of a line that is not there, nothing.
    """
    sought = sorted(set(numbers))
    near = sorted(
        {near for number in sought for near in range(max(number - beside, 1), number + beside + 1)}
    )
    texts = dict(_numbered_lines(buffer, near))
    spans = {
        number: range(max(number - beside, 1), number + beside + 1)
        for number in sought
        if number in texts
    }
    return {
        number: tuple((near, texts[near]) for near in span if near in texts)
        for number, span in spans.items()
    }


def _numbered_lines(buffer: Buffer, numbers: Sequence[int]) -> Iterator[tuple[int, str]]:
    """Yield the lines of some numbers, in order, as far as there are such."""
    start, number, size = 0, 1, len(buffer)
    for sought in numbers:
        start, number = _seek_line(buffer, start, number, sought)
        if start >= size:
            return
        end = buffer.find(b"\n", start)
        text = bytes(
            buffer[start : min(size if end < 0 else end, start + 4 * LONGEST_LINE)]
        ).decode("utf-8", "replace")
        yield sought, text.rstrip("\r")[:LONGEST_LINE]


def _seek_line(buffer: Buffer, start: int, number: int, sought: int) -> tuple[int, int]:
    """Go from the beginning of a line to that of a later one; line feeds are counted a chunk at a
    time.
    """
    size = len(buffer)
    while number < sought and start < size:
        chunk = bytes(buffer[start : start + CHUNK_BYTES])
        ends = chunk.count(b"\n")
        if 0 < ends <= sought - number:
            start, number = start + chunk.rfind(b"\n") + 1, number + ends
            continue
        for _ in range(sought - number if ends else 1):
            end = buffer.find(b"\n", start)
            if end < 0:
                return size, number
            start, number = end + 1, number + 1
    return start, number


def _spec_lines(places: Iterable[Place], specs: Paths | None) -> Iterator[tuple[Place, str]]:
    from statemachines.notation import specs_folder

    texts: dict[str, Sequence[str]] = {}
    folders = [specs_folder(), *(Path(spec) for spec in specs or ())]
    for place in places:
        if place.file not in texts:
            texts[place.file] = _spec_file_lines(place.file, folders)
        if 0 < place.line <= len(texts[place.file]):
            yield place, texts[place.file][place.line - 1].strip()


def _spec_file_lines(file: str, folders: Sequence[Path]) -> Sequence[str]:
    """Return the lines of a spec that reports call so: by its path, below a folder of specs, or
    named itself.
    """
    for path in (
        Path(file),
        *(folder / file for folder in folders),
        *(folder for folder in folders if folder.name == Path(file).name),
    ):
        try:
            return path.read_text("utf-8").splitlines()
        except (OSError, UnicodeDecodeError, ValueError):
            continue
    return ()
