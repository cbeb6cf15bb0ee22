"""Which digits of a line matter to the templates that may read it.

A form is a line with every digit as a zero. Where a template spells digits out (`error=0`, `with 0
members`, `[1-9]`), lines of one form may mean different things, by the digits that stand where
those of the template may be. Those digits are part of the form; all others are as free as ever.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from statemachines.conform.interchange.check_plan import CheckPlan
from statemachines.logs.records.plain_lines import is_digit_blind, line_key
from statemachines.model.definitions.log_definitions import LineDefinition

_ANY_DIGIT = "0"
"""A spelled digit in a key, whichever it is."""
_TOKEN = re.compile(
    r"\\(?P<escaped>[^a-zA-Z0-9])|(?P<classes>\\[dswDSWbB])|\[(?P<members>\^?\]?(?:\\.|[^\]\\])*)\]"
    r"|\(\?P=\w+\)|(?P<named>\(\?P<\w+>)|\(\?(?:[:=!>]|<[=!])"
    r"|(?P<repeated>\{\d+(?:,\d*)?\}[?+]?|[*+?]+)|\((?!\?)|[)|.^$]|(?P<plain>[^\\\[\](){}|.^$*+?])"
)
_REPEATED_GROUP = re.compile(r"\)[*+{]")
_ONLY_DIGITS = re.compile(r"(?:\d-\d|\d)+")
_Fragments = frozenset[bytes]


class SpelledDigits:
    """The texts with digits that the templates of a catalogue spell out."""

    def __init__(self, plan: CheckPlan) -> None:
        """Look at all templates.

        Args:
            plan: whose lines they read.
        """
        self._fragments = dict[bytes, _Fragments]()
        """By what a line must hold for a template to read it, as a key has it."""
        for word, fragments in _spelled_digits(plan):
            self._fragments[word] = self._fragments.get(word, frozenset()) | fragments

    def places(self, key: bytes) -> tuple[int, ...]:
        """Return where the digits stand that matter.

        Args:
            key: of a line, each digit as a zero.

        Returns:
            0-based places in order, none of most lines.
        """
        held = [fragments for word, fragments in self._fragments.items() if word in key]
        places = {
            place
            for fragment in frozenset().union(*held)
            for at in _places_of(fragment, key)
            for place in range(at, at + len(fragment))
            if key[place : place + 1] == _ANY_DIGIT.encode()
        }
        return tuple(sorted(places))


def fragments_of(pattern: str) -> frozenset[str]:
    """Return the texts with digits that a regular expression spells out, each as long as nothing
    else may stand within, and every digit as a zero.

    >>> sorted(fragments_of("^door (?P<door>.+) has 12 (?P<kind>[1-9]|x)$"))
    [' has 00 0']

    Args:
        pattern: source of a regular expression.

    Returns:
        Whatever digit it tells from another stands in one of them; a zero alone where that is not
        known better.
    """
    fragments, text, at = set[str](), "", 0
    is_repeated = _REPEATED_GROUP.search(pattern) is not None
    while at < len(pattern):
        token = _TOKEN.match(pattern, at)
        if token is None:
            return frozenset({_ANY_DIGIT})
        sign = _sign_of(token)
        if sign is None:
            return frozenset({_ANY_DIGIT})
        if token["repeated"]:
            fragments |= {text[:-1], text[-1:]}
        if not token["named"] or is_repeated:  # else what it begins with stands behind the text
            text = text + sign if sign else _ended(text, fragments)
        at = token.end()
    fragments.add(text)
    return frozenset(part for part in fragments if _ANY_DIGIT in part)


def _ended(text: str, fragments: set[str]) -> str:
    fragments.add(text)
    return ""


def _sign_of(token: re.Match[str]) -> str | None:
    """Return the one sign that a part of an expression stands for, as a key has it; nothing where
    it stands for any digit or none, and None where it tells digits apart in another way.
    """
    members = token["members"]
    if members is not None:
        if is_digit_blind(members):
            return ""
        return _ANY_DIGIT if _ONLY_DIGITS.fullmatch(members) else None
    sign = token["escaped"] or token["plain"] or ""
    return _ANY_DIGIT if sign.isdigit() else sign


def _places_of(fragment: bytes, key: bytes) -> Iterator[int]:
    at = key.find(fragment)
    while at >= 0:
        yield at
        at = key.find(fragment, at + 1)


def _spelled_digits(plan: CheckPlan) -> Iterator[tuple[bytes, _Fragments]]:
    """Yield what a line must hold, and which texts with digits matter in it."""
    lines = [line for owner in plan.owners for line in owner.lines]
    for line in lines:
        sources = [source for source in _patterns(line) if not is_digit_blind(source)]
        fragments = frozenset(_keys(part for source in sources for part in fragments_of(source)))
        if fragments:
            for template in line.templates:
                yield line_key(template.literal.encode()), fragments
    for logger in {logger for line in lines for logger in line.loggers}:
        if any(sign.isdigit() for sign in logger):
            name = line_key(logger.rpartition(".")[2].encode())
            yield name, frozenset({name})


def _keys(texts: Iterable[str]) -> Iterator[bytes]:
    return (line_key(text.encode()) for text in texts)


def _patterns(line: LineDefinition) -> Iterator[str]:
    """Yield the regular expressions by which a line is read."""
    yield from (template.pattern for template in line.templates)
    yield from (part.pattern for inside in line.inside for part in inside.parts)
    yield from (template.pattern for template in line.following_lines)
    yield from (template.pattern for template in (line.each.items if line.each else ()))
    if line.thread is not None:
        yield line.thread.pattern
