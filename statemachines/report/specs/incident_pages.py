"""The page of a kind of incident: what somebody at three in the morning reads after the report."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from statemachines.model.definitions.incident_definitions import Harm, IncidentPage
from statemachines.report.text.text_columns import OutputStyle

PROSE_WIDTH = 100
_HARM_TEXTS = {
    Harm.OUTAGE: "an outage: something that users need does not work",
    Harm.LOSS: "a loss: a part is gone, and others do its work",
    Harm.DELAY: "a delay: normal where it ends, trouble where it does not",
    Harm.NONE: "none: somebody asked for it; what users notice of it is trouble",
}


def incident_page_heading(
    kind: str, harm: Harm, page: IncidentPage, style: OutputStyle
) -> Iterator[str]:
    """Say what a kind of incident is, and what it means.

    Args:
        kind: its name.
        harm: how bad it is.
        page: what the spec says of the kind.
        style: columns, colours, and what is shortened.

    Yields:
        Lines to print.
    """
    yield f"{style.paint(kind, 'head')}   {_HARM_TEXTS[harm]}"
    yield from _wrapped(page.means, style, "  ")


def incident_page_sections(page: IncidentPage, style: OutputStyle) -> Iterator[str]:
    """Say what people usually find, what to look at next, and where that is from.

    Args:
        page: what the spec says of the kind.
        style: columns, colours, and what is shortened.

    Yields:
        Lines to print.
    """
    for title, items in (
        ("What people usually find", page.often),
        ("What to look at next", page.look),
        ("The system's own words for it", page.words),
        ("Sources", page.sources),
    ):
        if items:
            yield ""
            yield style.paint(title, "head")
            for item in items:
                yield from _wrapped(item, style, "  - ")


def evidence_lines_text(
    machine: str,
    titles: Sequence[str],
    templates: Sequence[str],
    loggers: Sequence[str],
    style: OutputStyle,
) -> Iterator[str]:
    """Say which lines of a machine tell of it, and what reports call it.

    Args:
        machine: its catalogue name.
        titles: of episodes.
        templates: texts of lines.
        loggers: of these lines.
        style: columns, colours, and what is shortened.

    Yields:
        Lines to print.
    """
    yield f"  {style.paint(machine, 'good')}   {'; '.join(titles)}"
    for template in templates:
        yield from _wrapped(template, style, "      ", more="  ")
    for line in _wrapped(", ".join(loggers), style, "      "):
        yield style.paint(line, "dim")


def _wrapped(text: str, style: OutputStyle, indent: str, more: str = "") -> Iterator[str]:
    """Break a text at its blanks; `more` is indented before all lines but the first."""
    yield from textwrap.wrap(
        text,
        min(style.width, PROSE_WIDTH),
        initial_indent=indent,
        subsequent_indent=" " * len(indent) + more,
        break_long_words=False,
        break_on_hyphens=False,
    )
