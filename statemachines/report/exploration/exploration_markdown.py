"""What exploring found, as Markdown: for a pull request, or a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from statemachines.draw.forms.markdown import cell_text, code_cell, table_row
from statemachines.model.counts import count_text
from statemachines.model.evidence.verdicts import Verdict
from statemachines.report.exploration.exploration_report import ExplorationReport, PropertyReport


def shows_trace(property_report: PropertyReport, traces: str) -> bool:
    """Tell whether a property's trace is asked for: `traces` is `wrong`, `all` or `none`.

    Args:
        property_report: of one property.
        traces: `wrong`, `all` or `none`.

    Returns:
        False where it has no trace.
    """
    return bool(property_report.start) and (
        traces == "all" or (traces == "wrong" and property_report.verdict is Verdict.VIOLATED)
    )


def to_markdown(
    exploration: ExplorationReport, traces: str = "wrong", *, program: bool = False
) -> str:
    """Return an exploration as Markdown.

    Args:
        exploration: the exploration.
        traces: which traces are shown: `wrong`, `all` or `none`.
        program: whether traces are shown as programs too.

    Returns:
        A document.
    """
    parts = [
        _heading(exploration),
        _markdown_table(
            ("Verdict", "Property", ""),
            (
                (property_.verdict.name, cell_text(property_.title), cell_text(property_.message))
                for property_ in exploration.examined
            ),
        ),
    ]
    for property_ in exploration.examined:
        if shows_trace(property_, traces):
            parts.append(_trace_section(property_))
            parts += [f"```python\n{property_.program.rstrip()}\n```"] if program else []
    return "\n\n".join(parts)


def _heading(exploration_report: ExplorationReport) -> str:
    value = exploration_report.value
    counted = (
        f"{count_text(value.states, 'state')}, {count_text(value.transitions, 'transition')},"
        f" at most {count_text(value.depth, 'step')} away"
    )
    within = f" Within {code_cell(value.scope)}." if value.scope else ""
    lines = [
        f"# {exploration_report.title}",
        "",
        (
            f"**{value.verdict.name}**."
            f" {', '.join([counted, *exploration_report.how_texts])}.{within}"
        ),
    ]
    notes = [f"not everything was seen: {bound}" for bound in value.bounds]
    notes += filter(
        None,
        (
            exploration_report.constraint_text,
            exploration_report.disk_text,
            exploration_report.unreached_text,
        ),
    )
    return "\n".join(
        [*lines, *([""] if notes else []), *(f"- {cell_text(note)}" for note in notes)]
    )


def _trace_section(report: PropertyReport) -> str:
    parts = [f"## {report.title}: {report.message}", f"Begins: {_code_cell(report.start)}"]
    heads, steps = _step_table(report)
    parts += [_markdown_table(heads, steps)] if steps else []
    if report.last is not None:
        parts.append(
            f"Just before: {_code_cell(report.last.before)}."
            f" Led out by: {_code_cell(report.last.event)}."
        )
    if report.loop_start is not None:
        parts.append(
            f"And again from step {report.loop_start + 1}."
            if report.loop_start < len(report.rows)
            else "And nothing happens any more."
        )
    return "\n\n".join(parts)


def _step_table(report: PropertyReport) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return the heads and the steps of a trace, of a refinement with the abstract side."""
    heads: tuple[str, ...] = ("Step", "Event", "What became")
    steps = [
        (str(step.number), _code_cell(step.event), _code_cell(step.outcome)) for step in report.rows
    ]
    if not report.abstract_start:
        return heads, [*steps]
    sides = [_code_cell(step.abstract) for step in report.rows]
    return (*heads, _code_cell(report.abstract_start)), [
        (*step, side) for step, side in zip(steps, sides, strict=True)
    ]


def _code_cell(text: str) -> str:
    """Write a text as code in a cell, unless it has code of its own."""
    return cell_text(text) if "`" in text else code_cell(text)


def _markdown_table(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    return "\n".join(_table_lines(heads, rows))


def _table_lines(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    yield table_row(list(heads))
    yield table_row(["---"] * len(heads))
    yield from (table_row(list(row)) for row in rows)
