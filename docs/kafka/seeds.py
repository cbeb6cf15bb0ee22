"""Write the table of what users' descriptions of Kafka name (methods, properties, messages,
questions) and what in the specs carries it.

    python -m docs.kafka.seeds            write docs/kafka/seeds.md
    python -m docs.kafka.seeds --check    fail where it is out of date

The rows are in `tests/data/seeds`, one file for each thing that was described; a test holds them to
the specs and to the descriptions.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from attrs import frozen

from statemachines.model.definitions.machine_definitions import SpecDefinition
from statemachines.model.definitions.release_sets import ReleaseSet
from statemachines.notation import explain_line, load_spec

ROOT = Path(__file__).parent.parent.parent
DATA = ROOT / "tests" / "data" / "seeds"
PAGE = Path(__file__).parent / "seeds.md"
KINDS = ("method", "property", "flag", "message", "question")
ABOUT = """\
Everything that the descriptions this catalogue began with name, and where it is: the element of a
spec that carries it, and the releases for which that is true. Made by
`python -m docs.kafka.seeds` from `tests/data/seeds`, never by hand; a test fails where a method,
property, flag, message or open question has no row, or where an element is not there in a release
that its row names.
"""
_REFERENCE = re.compile(
    r"(?P<spec>kafka/\w+) (?P<element>\w+) (?P<name>.+) in (?P<releases>[0-9., ]+)"
)


@frozen
class Reference:
    """An element of a spec, and the releases that have it."""

    spec: str
    element: str
    """event, variable, parameter, definition, text, state, line (by a message that it reads) or doc
    (by words of the spec file).
    """
    name: str
    releases: str


@frozen
class Row:
    """One thing that a description names."""

    kind: str
    name: str
    """As it stands in the description; of a message or a question: its line."""
    carried: tuple[Reference, ...] = ()
    """None where `note` says why nothing carries it."""
    note: str = ""


@frozen
class Table:
    """What one description names."""

    title: str
    seed: str
    """How the description's file name begins."""
    rows: tuple[Row, ...]


def tables(folder: Path = DATA) -> tuple[Table, ...]:
    """Read all tables, by their file names."""
    return tuple(_table(path) for path in sorted(folder.glob("*.yaml")))


def _table(path: Path) -> Table:
    read: dict[str, Any] = yaml.safe_load(path.read_text("utf-8"))
    rows = tuple(
        Row(kind, name, *_told(said))
        for kind in KINDS
        for name, said in (read.get(kind) or {}).items()
    )
    return Table(path.stem, str(read["seed"]), rows)


def _told(said: str | dict[str, Any]) -> tuple[tuple[Reference, ...], str]:
    """Read a row's value: references, a note, or `{is: …, note: …}`."""
    told = said if isinstance(said, dict) else {"is": said}
    given = told.get("is") or []
    return tuple(map(reference, [given] if isinstance(given, str) else given)), str(
        told.get("note", "")
    )


def reference(text: str) -> Reference:
    """Read a reference such as `kafka/AssignedTasks event commit in 1.0.0..2.5.1`.

    Raises:
        ValueError: it is none.
    """
    found = _REFERENCE.fullmatch(text)
    if found is None:
        raise ValueError(
            f"`{text}` is no reference; write `kafka/Machine event name in 1.0.0..2.5.1`"
        )
    return Reference(**found.groupdict())


@cache
def spec_of(name: str) -> SpecDefinition:
    """Load a spec once."""
    return load_spec(name)


def true_in(one: Reference) -> str:
    """Return the releases in which an element is there, as the notation writes them; empty where
    there is no such element.
    """
    spec = spec_of(one.spec)
    if one.element == "doc":
        text = " ".join((ROOT / "specs" / f"{one.spec}.yaml").read_text("utf-8").split())
        return one.releases if one.name in text else ""
    mask = 0
    for releases in _masks(spec, one):
        mask |= releases
    return spec.family.ranges(mask) if mask else ""


def _masks(spec: SpecDefinition, one: Reference) -> Iterator[ReleaseSet]:
    if one.element == "line":
        yield from (
            match.line.releases
            for match in explain_line([spec], one.name)
            if match.spec == spec.name
        )
    elif one.element in ("event", "state"):
        things: Iterable[Any] = spec.events if one.element == "event" else spec.states
        yield from (thing.releases for thing in things if thing.name == one.name)
    else:
        kinds = {
            "variable": "variables",
            "parameter": "parameters",
            "definition": "definitions",
            "text": "texts",
        }
        for releases, data in spec.versions:
            if any(thing.name == one.name for thing in getattr(data, kinds[one.element])):
                yield releases


def page(found: Iterable[Table]) -> str:
    """Return the page."""
    lines = ["# What was described, and where it is", "", ABOUT]
    for table in found:
        lines += [f"## {table.title}", ""]
        for kind in KINDS:
            rows = [row for row in table.rows if row.kind == kind]
            if rows:
                lines += [
                    f"| {kind} | carried by | true in |",
                    "|---|---|---|",
                    *map(_line, rows),
                    "",
                ]
    return "\n".join(lines)


def _line(row: Row) -> str:
    carried = "<br>".join(f"`{one.spec}` {one.element} {_code(one.name)}" for one in row.carried)
    told = "<br>".join(part for part in (carried, row.note) if part)
    return (
        f"| {_code(row.name)} | {told.replace('|', chr(92) + '|')} |"
        f" {'<br>'.join(one.releases for one in row.carried)} |"
    )


def _code(text: str) -> str:
    return f"`{text.replace('|', chr(92) + '|')}`"


def main(arguments: list[str]) -> int:
    """Write the page, or look whether it is up to date."""
    made = page(tables())
    if "--check" in arguments:
        return 0 if PAGE.exists() and PAGE.read_text("utf-8") == made else 1
    PAGE.write_text(made, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
