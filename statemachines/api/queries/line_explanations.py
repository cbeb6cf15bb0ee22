"""What a diagnostic code means, and what a pasted log line says."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import evolve, frozen

from statemachines.api.queries.incident_explanations import told_incidents
from statemachines.model.definitions.machine_definitions import SpecDefinition
from statemachines.model.evidence.reports import Place

if TYPE_CHECKING:
    from statemachines.conform.interchange.check_plan import CheckPlan
    from statemachines.conform.observe.catalogue_reader import CatalogueReader, OwnerMatches
    from statemachines.model.evidence.records import Record

WORD = re.compile(r"\S+")
_LETTER_RUN = re.compile(r"[^\W\d_]{2,}")
_TEMPLATE_FIELD = re.compile(r"\{[^{}]*\}")
_CODE_HEADING = re.compile(r"^#+ +(SM\d{3})\b.*$", re.MULTILINE)


class UnknownCode(ValueError):
    """No diagnostic has this code; `known` are those that there are."""

    def __init__(self, code: str, known: tuple[str, ...]) -> None:
        super().__init__(f"there is no `{code}`")
        self.code, self.known = code, known


@frozen
class LineMeaning:
    """What one entry of the catalogue reads in a line."""

    machine: str
    """Catalogue name of the machine, or of the family whose line it is."""
    says: str
    fields: tuple[tuple[str, str], ...]
    releases: str
    """As the notation writes ranges; empty where there are none."""
    spec: Place | None
    unknown_states: str = ""
    """What is wrong with the states that it names: the machine does not have them; empty where
    nothing is.
    """
    incidents: tuple[tuple[str, str], ...] = ()
    """Kinds of incidents that it tells of, and what each means."""


@frozen
class ExplainedLine:
    """A line that holds a word of the catalogue."""

    line: int
    text: str
    message: str
    layout: str
    level: str | None
    logger: str | None
    meanings: tuple[LineMeaning, ...]
    """None: no entry reads it."""
    readable_part: str = ""
    """Where no entry reads it: the longest part of the message that one would read, a few words at
    its ends left out.
    """


def explain_code(code: str) -> str:
    """Return what the errors page says of a code, as Markdown.

    Args:
        code: such as `SM202`, in any case.

    Returns:
        The section of the page on errors, with its heading.

    Raises:
        UnknownCode: it says nothing.
    """
    sections = _sections_by_code(_errors_page_path().read_text("utf-8"))
    wanted = code.upper()
    if wanted not in sections:
        raise UnknownCode(code, tuple(sections))
    return sections[wanted]


def explain_lines(
    text: bytes, specs: Sequence[str | PathLike[str]] | None = None
) -> tuple[ExplainedLine, ...]:
    """Say what lines of a log mean to the catalogue.

    Args:
        text: lines as they stand in a log, with or without layout and prefixes.
        specs: names of the catalogue, patterns, or files; None: the whole catalogue.

    Returns:
        Those that hold a word that the catalogue looks for.
    """
    from statemachines.conform.checking import load_specs, make_plan
    from statemachines.conform.observe.catalogue_reader import CatalogueReader
    from statemachines.logs import Scanner, scan

    machines = load_specs(specs).machines
    plan = make_plan(machines)
    reader = CatalogueReader(plan)
    records = scan(text, 0, len(text), Scanner(reader.line_literals))
    return tuple(_explain_record(plan, record, reader, machines) for record in records)


def wordless_lines(text: bytes, explained: Sequence[ExplainedLine]) -> tuple[int, ...]:
    """Return the numbers of lines that hold no word that the catalogue looks for; those of a stack
    trace belong to the line above it.

    Args:
        text: lines as they stand in a log.
        explained: what `explain_lines` says of them.

    Returns:
        Numbers from 1, in order.
    """
    from statemachines.logs import Scanner, scan

    numbers = {record.line for record in scan(text, 0, len(text), Scanner([b" "]))}
    return tuple(sorted(numbers - {line.line for line in explained}))


def nearest_template(
    text: bytes, specs: Sequence[str | PathLike[str]]
) -> tuple[str, Place | None] | None:
    """Return the wording with the most words in common with a line, and its place; None: none has
    more than half of its own there.

    Args:
        text: a line that nothing reads.
        specs: as for `explain_lines`.

    Returns:
        The template's text and where the spec has it.
    """
    from statemachines.conform.checking import load_specs

    words = set(_LETTER_RUN.findall(text.decode("utf-8", "replace").casefold()))
    best: tuple[float, str, Place | None] = (0.5, "", None)
    for line in (
        line for spec in load_specs(specs).machines if spec.log for line in spec.log.lines
    ):
        for template in line.templates:
            own = set(_LETTER_RUN.findall(_TEMPLATE_FIELD.sub(" ", template.text).casefold()))
            share = len(own & words) / max(len(own), 1)
            if share > best[0]:
                best = (
                    share,
                    template.text,
                    Place(line.span.file, line.span.line) if line.span else None,
                )
    return best[1:] if best[1] else None


def _explain_record(
    plan: CheckPlan, record: Record, reader: CatalogueReader, specs: Sequence[SpecDefinition]
) -> ExplainedLine:
    record, readings = reader.read_with_headers(record)
    meanings = tuple(
        meaning for reading in readings for meaning in _line_meanings(plan, reading, reader, specs)
    )
    inside = (
        ""
        if meanings
        else next(
            (
                part
                for part in _message_parts(record.message)
                if reader.read_record(evolve(record, message=part))
            ),
            "",
        )
    )
    return ExplainedLine(
        record.line,
        record.text,
        record.message,
        record.layout,
        record.level,
        record.logger,
        meanings,
        inside,
    )


def _message_parts(message: str) -> Iterator[str]:
    """Yield a message without up to five words at its ends, the longest first: what a layout puts
    there and nobody took off.
    """
    words = [word.span() for word in WORD.finditer(message)]
    for left_out in range(1, min(6, len(words))):
        for first in range(left_out + 1):
            yield message[words[first][0] : words[len(words) - 1 - left_out + first][1]]


def _line_meanings(
    plan: CheckPlan, reading: OwnerMatches, reader: CatalogueReader, specs: Sequence[SpecDefinition]
) -> Iterator[LineMeaning]:
    family, owner = plan.owner_family(reading.owner).family, plan.owners[reading.owner].name
    for releases, match in reading.matches:
        fields = tuple((name, value) for name, value in match.fields.items() if value is not None)
        span = match.line.span
        place = Place(span.file, span.line) if span else None
        unknown = ", ".join(
            dict.fromkeys(text for _, text in reader.unknown_states(reading.owner, match.fields))
        )
        doubt = f"{unknown}: no state of {owner}" if unknown else ""
        kinds = {
            kind.kind: kind.page.means
            for kind in told_incidents(specs, owner, match.line, match.fields)
        }
        yield LineMeaning(
            owner, " or ".join(match.line.kinds), fields, family.ranges(releases), place, doubt,
            tuple(kinds.items()),
        )  # fmt: skip


def _errors_page_path() -> Path:
    """Return the page of all codes: within the installed package, else the docs of a checkout."""
    package = Path(__file__).resolve().parent.parent.parent
    inside = package / "docs" / "errors.md"
    return inside if inside.is_file() else package.parent / "docs" / "errors.md"


def _sections_by_code(page: str) -> dict[str, str]:
    headings = [*_CODE_HEADING.finditer(page)]
    ends = [*(heading.start() for heading in headings[1:]), len(page)]
    return {
        heading[1]: page[heading.start() : end].strip()
        for heading, end in zip(headings, ends, strict=True)
    }
