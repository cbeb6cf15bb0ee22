"""What exploring found, as Markdown: for a pull request, or a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from statemachines.api.explore import Explored, Shown
from statemachines.draw.markdown import cell, code, row
from statemachines.model.verdicts import Verdict


def is_shown(one: Shown, traces: str) -> bool:
    """Tell whether a property's trace is asked for: `traces` is `wrong`, `all` or `none`."""
    return bool(one.begin) and (traces == "all" or (traces == "wrong" and one.verdict is Verdict.VIOLATED))


def to_markdown(found: Explored, traces: str = "wrong", *, program: bool = False) -> str:
    """Return an exploration as Markdown.

    Args:
        found: the exploration.
        traces: which traces are shown: `wrong`, `all` or `none`.
        program: whether traces are shown as programs too.
    """
    parts = [
        _head(found),
        _table(("Verdict", "Property", ""), ((one.verdict.name, cell(one.title), cell(one.said)) for one in found.examined)),
    ]
    for one in found.examined:
        if is_shown(one, traces):
            parts.append(_trace(one))
            parts += [f"```python\n{one.program.rstrip()}\n```"] if program else []
    return "\n\n".join(parts)


def _head(found: Explored) -> str:
    value = found.value
    counted = f"{_many(value.states, 'state')}, {_many(value.transitions, 'transition')}, at most {_many(value.deepest, 'step')} away"
    within = f" Within {code(value.scope)}." if value.scope else ""
    lines = [f"# {found.title}", "", f"**{value.verdict.name}**. {counted}{', up to symmetry' if value.symmetry else ''}.{within}"]
    notes = [f"not everything was seen: {bound}" for bound in value.bounds] + ([found.missed] if found.missed else [])
    return "\n".join([*lines, *([""] if notes else []), *(f"- {cell(note)}" for note in notes)])


def _trace(one: Shown) -> str:
    parts = [f"## {one.title}: {one.said}", f"Begins: {_code(one.begin)}"]
    steps = [(str(step.number), _code(step.event), _code(step.became)) for step in one.rows]
    parts += [_table(("Step", "Event", "What became"), steps)] if steps else []
    if one.back_to is not None:
        parts.append(f"And again from step {one.back_to + 1}." if one.back_to < len(one.rows) else "And nothing happens any more.")
    return "\n\n".join(parts)


def _many(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _code(text: str) -> str:
    """Write a text as code in a cell, unless it has code of its own."""
    return cell(text) if "`" in text else code(text)


def _table(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    return "\n".join(_lines(heads, rows))


def _lines(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    yield row(list(heads))
    yield row(["---"] * len(heads))
    yield from (row(list(one)) for one in rows)
