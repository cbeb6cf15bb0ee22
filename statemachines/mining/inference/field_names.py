"""Names for the words of a template that differ, from what stands beside them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from statemachines.mining.templates.message_templates import MinedTemplate

_PREFIX = re.compile(r"([A-Za-z][A-Za-z]*)[-_]")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_STOP_WORDS = frozenset(
    (
        *("from", "to", "of", "for", "at", "is", "was", "are", "the", "a", "an", "in", "on", "by"),
        *("with", "and", "or", "has", "had", "been", "which", "state", "changed", "added", "as"),
        *("after", "before", "into", "than", "that", "this", "its", "it"),
    )
)
UNNAMED = "value"
"""Of a word of which nothing says what it is."""
_MOST_VALUES_LOOKED_AT = 200


def name_fields(template: MinedTemplate, known: Mapping[int, str]) -> dict[int, str]:
    """Name every word of a template that differs.

    Args:
        template: whose words they are.
        known: names that are settled, such as those of the states.

    Returns:
        Word and name; each name once.
    """
    names = dict(known)
    for i in template.fields:
        if i not in names:
            names[i] = _unused(_own_name(template, i), set(names.values()))
    return dict(sorted(names.items()))


def _own_name(template: MinedTemplate, i: int) -> str:
    before = template.constants[i - 1] if i else None
    if before and (name := _as_name(before)):
        return name
    values = {row.words[i] for row in template.rows[:_MOST_VALUES_LOOKED_AT]}
    if prefix := _common_prefix(values):
        return prefix
    after = template.constants[i + 1] if i + 1 < len(template.constants) else None
    return (_as_name(after) if after else "") or UNNAMED


def _common_prefix(values: Iterable[str]) -> str:
    """Return the letters that all values begin with, up to a sign; nothing where they do not."""
    prefixes = {match[1].lower() if (match := _PREFIX.match(value)) else "" for value in values}
    prefix = prefixes.pop()
    return prefix if not prefixes and len(prefix) > 1 else ""


def _as_name(word: str) -> str:
    if word.lower() in _STOP_WORDS or not _NAME.fullmatch(word):
        return ""
    return _HUMP.sub("_", word).lower().replace("-", "_")


def _unused(name: str, taken: set[str]) -> str:
    number, wanted = 2, name if name not in ("from", "to", "state") else f"the_{name}"
    while (unused := wanted if number == 2 else f"{wanted}_{number - 1}") in taken:
        number += 1
    return unused
