"""Which lines of the facts the catalogue claims: `python -m tests.catalogue.claims` writes both lists of `tests/data/catalogue` anew.

`lines.tsv` has one row for each claimed wording and each range in which it says one thing: machine, says, level, ranges, message.
`unclaimed.tsv` counts what is left out: how many, file, class, event, and for which reason.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from tests.catalogue.fact_lines import FactLine, fact_lines
from tests.catalogue.readings import MACHINES, STATES, Reading, readings, spec_of
from tests.catalogue.reasons import reason

CHECKOUT = Path(__file__).parents[2]
DATA = CHECKOUT / "tests" / "data" / "catalogue"
LINES, UNCLAIMED = DATA / "lines.tsv", DATA / "unclaimed.tsv"

Row = tuple[str, ...]
Claim = tuple[FactLine, str, Reading, str, dict[str, str]]
"""A line, a release that has it, what reads it there, its message, and what was printed by role."""


@cache
def told_lines(folder: Path) -> tuple[FactLine, ...]:
    """Return the lines of the facts, read once."""
    return tuple(fact_lines(folder, spec_of(MACHINES[0]).family.releases))


def read_by(line: FactLine, release: str) -> list[tuple[Reading, str, dict[str, str]]]:
    """Return what reads a line of the facts in a release, with the message and what its values truly are."""
    found = []
    for name in MACHINES:
        message, roles = line.written(STATES[name])
        found += [(reading, message, roles) for reading in readings(message, release, (name,))]
    return found


@cache
def claimed(folder: Path) -> tuple[Claim, ...]:
    """Return every reading of every line of the facts in every release that has it."""
    return tuple(
        (line, release, reading, message, roles)
        for line in told_lines(folder)
        for release in line.releases
        for reading, message, roles in read_by(line, release)
    )


def line_rows(folder: Path) -> list[Row]:
    """Return the rows of `lines.tsv`."""
    rows = {
        (reading.machine, reading.says, reading.line.level or "", message)
        for _, _, reading, message, _ in claimed(folder)
    }
    return sorted((*row[:3], _where(folder, row), row[3]) for row in rows)


def _where(folder: Path, row: Row) -> str:
    """The releases of a machine that have a line worded like this, and read it so."""
    machine, says, level, message = row
    spec, mask = spec_of(machine), 0
    for release, pattern in patterns(folder).items():
        if pattern.match(message):
            same = [
                each
                for each in readings(message, release, (machine,))
                if (each.says, each.line.level) == (says, level)
            ]
            mask |= spec.family.bit(release) if same else 0
    return spec.family.ranges(mask)


@cache
def patterns(folder: Path) -> dict[str, re.Pattern[str]]:
    """Return what matches all that the claimed lines of a release may print."""
    lines = dict.fromkeys(line for line, *_ in claimed(folder))
    return {
        release: _pattern(line for line in lines if release in line.releases)
        for release in spec_of(MACHINES[0]).family.releases
    }


def _pattern(lines: Iterable[FactLine]) -> re.Pattern[str]:
    wordings = (re.escape(line.template.split("\n")[0].rstrip()) for line in lines)
    return re.compile(
        "|".join(re.sub(r"\\\{[a-z]*\\\}", ".*", wording) + "$" for wording in wordings) or "(?!)"
    )


def unclaimed_rows(folder: Path) -> list[Row]:
    """Return the rows of `unclaimed.tsv`."""
    claims = {line.key for line, *_ in claimed(folder)}
    counts = Counter(
        (*line.group, reason(line)) for line in _once(told_lines(folder)) if line.key not in claims
    )
    return [(str(count), *group) for group, count in sorted(counts.items())]


def _once(lines: Iterable[FactLine]) -> Iterator[FactLine]:
    """Each wording once, whatever its prefixes and arguments were over the years."""
    yield from {line.key: line for line in lines}.values()


def table(path: Path) -> list[Row]:
    """Read one of the two lists."""
    return [tuple(text.split("\t")) for text in path.read_text().splitlines()]


def write(path: Path, rows: list[Row]) -> None:
    """Write one of the two lists."""
    path.write_text("".join("\t".join(row) + "\n" for row in rows))


if __name__ == "__main__":
    write(LINES, line_rows(CHECKOUT.parent / "shared"))
    write(UNCLAIMED, unclaimed_rows(CHECKOUT.parent / "shared"))
