"""A name that nothing declares is one mistake, wherever it stands."""

from __future__ import annotations

import re
from collections.abc import Iterable

from attrs import evolve

from statemachines.model.diagnosis.diagnostics import Diagnostic

_CODES = {"SM204", "SM303", "SM306", "SM314", "SM320", "SM403", "SM404", "SM420"}
_UNKNOWN = re.compile(
    r"(?:unknown (?:state|event) |type |`\w+` has no argument |`before` has no"
    r" |it is not said what )?`'?(?P<name>\w+)'?`"
    r"(?: of \S+ is here; .*"
    r"| is (?:not declared|not a (?:variable|function)|neither an `id` type nor a parameter"
    r"|not a member of `(?P<of>\w+)`))?"
)
_UNKNOWN_WORD = re.compile(r"`(?P<of>\w+)` has no `(?P<name>\w+)`")
"""How the hint begins where words are compared that are no members of an enumeration."""
_MOST_LINES = 5
_STATES = "State"
"""The enumeration of all states; elsewhere a state is named without it."""


def once_for_each_name(diagnostics: tuple[Diagnostic, ...]) -> tuple[Diagnostic, ...]:
    """Say once of a name that nothing declares, and on which lines it stands besides: most often
    its declaration is misspelt, and each use would be told.

    Args:
        diagnostics: by their places.

    Returns:
        The first of each name, and all others.
    """
    named: dict[tuple[str, ...], list[Diagnostic]] = {}
    for wrong in diagnostics:
        named.setdefault(_name(wrong), []).append(wrong)
    return tuple(
        _with_other_lines(wrong, named[key][1:]) if key else wrong
        for wrong in diagnostics
        for key in [_name(wrong)]
        if not key or named[key][0] is wrong
    )


def _name(wrong: Diagnostic) -> tuple[str, ...]:
    """Return the unknown name, with the enumeration that lacks it; nothing where it is no such."""
    match = _UNKNOWN_WORD.match(wrong.hint)
    if match is None and wrong.code in _CODES:
        match = _UNKNOWN.fullmatch(wrong.message)
    if match is None:
        return ()
    return match["name"], "" if match["of"] in (None, _STATES) else match["of"]


def _with_other_lines(first: Diagnostic, others: Iterable[Diagnostic]) -> Diagnostic:
    lines = sorted({wrong.span.line for wrong in others} - {first.span.line})
    if not lines:
        return first
    shown, more = lines[:_MOST_LINES], len(lines) - _MOST_LINES
    places = f"lines {', '.join(map(str, shown))}" if len(shown) > 1 else f"line {shown[0]}"
    clause = f"it stands on {places}{f' and {more} more' if more > 0 else ''} too"
    return evolve(first, hint=f"{first.hint}; {clause}" if first.hint else clause)
