"""A line template laid beside a message that it does not read: which words are the same, which are
fields, which are new.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from attrs import frozen

from statemachines.mining.templates.message_words import SplitMessage, split_message
from statemachines.notation.lines.line_templates import (
    DEFAULT_PATTERN,
    FieldPlaceholder,
    LiteralText,
    parse_template,
)

OPEN, CLOSE = "\ue000", "\ue001"
"""Signs for the braces of fields while a template is split into words; no log has them."""
ANYTHING = f"{OPEN}*{CLOSE}"
_ALWAYS_THE_SAME = 0.25
"""What it costs to take a word for the value of a field that is the same in all lines."""
_FIELD = re.compile(f"{OPEN}([^{CLOSE}]*){CLOSE}")


@frozen
class TemplateWord:
    """A word of a template."""

    text: str
    """With its fields between `OPEN` and `CLOSE`."""
    pattern: re.Pattern[str] | None
    """What the word may be; None: the text itself."""

    def cost(self, word: str, *, varies: bool) -> float:
        """Return how far a word of a message is from this one: 0 the same, 1 another word; a field
        takes what its pattern takes, and rather what differs from line to line.

        Args:
            word: of the message.
            varies: whether it differs from line to line.

        Returns:
            0 to 1; infinity where the field's pattern does not take the word.
        """
        if self.pattern is None:
            return float(self.text != word)
        if not self.pattern.fullmatch(word):
            return float("inf")
        return 0.0 if varies or self.text == ANYTHING else _ALWAYS_THE_SAME


@frozen
class WordAlignment:
    """How a template and a message fit."""

    cost: float
    """Words that were changed, added or left out."""
    wording: str
    """The template that reads the message, as the notation writes it."""
    shared: int
    """Words that are the same."""


def template_words(text: str, patterns: Mapping[str, str]) -> tuple[TemplateWord, ...]:
    """Take a line template apart as messages are taken apart.

    Args:
        text: the template.
        patterns: of its fields.

    Returns:
        Words and fields in order.
    """
    marked = "".join(
        part.text if isinstance(part, LiteralText) else f"{OPEN}{part.name}{CLOSE}"
        for part in parse_template(text)
    )
    return tuple(
        TemplateWord(word, _pattern(word, patterns)) for word in split_message(marked).words
    )


def _pattern(word: str, patterns: Mapping[str, str]) -> re.Pattern[str] | None:
    parts = _FIELD.split(word)
    if len(parts) == 1:
        return None
    written = [
        (".*" if part == "*" else f"(?:{patterns.get(part, DEFAULT_PATTERN)})")
        if index % 2
        else re.escape(part)
        for index, part in enumerate(parts)
    ]
    return re.compile("".join(written))


def align(
    words: Sequence[TemplateWord], message: SplitMessage, varying: frozenset[int]
) -> WordAlignment | None:
    """Lay a template beside a message.

    Args:
        words: of the template.
        message: that it does not read.
        varying: the words of the message that differ from line to line.

    Returns:
        The cheapest way to read one as the other; None where a field of the template finds no word.

    Complexity: the product of their lengths.

    Source: R. A. Wagner and M. J. Fischer, The String-to-String Correction Problem, 1974.
    """
    own = [(word, j in varying) for j, word in enumerate(message.words)]
    costs = _cost_table(words, own)
    if costs[-1][-1] == float("inf"):
        return None
    pairs = _path(words, own, costs)
    return WordAlignment(
        costs[-1][-1],
        _wording(words, message, varying, pairs),
        sum(words[i].pattern is None and words[i].text == message.words[j] for i, j in pairs),
    )


def _left_out(word: TemplateWord) -> float:
    """Return what it costs to find no word for one of the template."""
    if word.text == ANYTHING:
        return 0.0
    return 1.0 if word.pattern is None else float("inf")


def _added(words: Sequence[TemplateWord], i: int) -> float:
    """Return what a word costs that stands behind the first `i` words of the template."""
    return 0.0 if i and words[i - 1].text == ANYTHING else 1.0


_MessageWord = tuple[str, bool]
"""A word of a message, and whether it differs from line to line."""


def _cost_table(
    words: Sequence[TemplateWord], message: Sequence[_MessageWord]
) -> list[list[float]]:
    costs = [[float(j) for j in range(len(message) + 1)]]
    for i, word in enumerate(words, 1):
        row = [costs[-1][0] + _left_out(word)]
        for j, (other, varies) in enumerate(message, 1):
            row.append(
                min(
                    costs[-1][j - 1] + word.cost(other, varies=varies),
                    costs[-1][j] + _left_out(word),
                    row[-1] + _added(words, i),
                )
            )
        costs.append(row)
    return costs


def _path(
    words: Sequence[TemplateWord], message: Sequence[_MessageWord], costs: list[list[float]]
) -> list[tuple[int, int]]:
    """Return which words belong together on the cheapest way."""
    pairs, i, j = list[tuple[int, int]](), len(words), len(message)
    while i and j:
        word, varies = message[j - 1]
        if costs[i][j] == costs[i - 1][j - 1] + words[i - 1].cost(word, varies=varies):
            i, j = i - 1, j - 1
            pairs.append((i, j))
        elif costs[i][j] == costs[i - 1][j] + _left_out(words[i - 1]):
            i -= 1
        else:
            j -= 1
    return pairs[::-1]


def _wording(
    words: Sequence[TemplateWord], message: SplitMessage, varying: frozenset[int],
    pairs: Sequence[tuple[int, int]],
) -> str:  # fmt: skip
    """Write the template that reads the message: its own words, with the fields of the old one."""
    fields = {j: words[i].text for i, j in pairs if words[i].pattern is not None}
    parts = [_escaped(message.gaps[0])]
    for j, word in enumerate(message.words):
        if j in fields:
            parts.append(_escaped(fields[j]).replace(OPEN, "{").replace(CLOSE, "}"))
        else:
            parts.append("{*}" if j in varying else _escaped(word))
        parts.append(_escaped(message.gaps[j + 1]))
    return "".join(parts).rstrip() + ("{*}" if message.cut else "")


def _escaped(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def needed_fields(text: str) -> frozenset[str]:
    """Return the fields that a template names.

    Args:
        text: the template.

    Returns:
        Names of fields.
    """
    return frozenset(
        part.name for part in parse_template(text) if isinstance(part, FieldPlaceholder)
    ) - {"*"}
