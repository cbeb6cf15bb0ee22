"""A name that nothing declares is one mistake, wherever it stands."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import evolve

from statemachines.model.diagnosis.diagnostics import Diagnostic

_MOST_LINES = 5


def once_for_each_name(diagnostics: tuple[Diagnostic, ...]) -> tuple[Diagnostic, ...]:
    """Say once of a name that nothing declares, and on which lines it stands besides: most often
    its declaration is misspelt, and each use would be told.

    Args:
        diagnostics: by their places.

    Returns:
        The first of each name, and all others.
    """
    uses: dict[str, list[Diagnostic]] = {}
    for wrong in diagnostics:
        uses.setdefault(wrong.undeclared, []).append(wrong)
    return tuple(
        _with_other_lines(wrong, uses[name][1:]) if name else wrong
        for wrong in diagnostics
        for name in [wrong.undeclared]
        if not name or uses[name][0] is wrong
    )


def _with_other_lines(first: Diagnostic, others: Iterable[Diagnostic]) -> Diagnostic:
    lines = sorted({wrong.span.line for wrong in others} - {first.span.line})
    if not lines:
        return first
    shown, more = lines[:_MOST_LINES], len(lines) - _MOST_LINES
    places = f"lines {', '.join(map(str, shown))}" if len(shown) > 1 else f"line {shown[0]}"
    clause = f"it stands on {places}{f' and {more} more' if more > 0 else ''} too"
    return evolve(first, hint=f"{first.hint}; {clause}" if first.hint else clause)
