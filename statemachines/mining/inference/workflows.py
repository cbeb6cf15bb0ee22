"""Life cycles of which no line names a state: each template that names the instance is a step."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from statemachines.mining.inference.instance_keys import measured_fit
from statemachines.mining.inference.machines import InferredMachine, observed_machine
from statemachines.mining.inference.state_lines import StateLines
from statemachines.mining.templates.message_templates import MinedTemplate

_MOST_WORKFLOWS = 4
MOST_TEMPLATES = 12
"""Of one workflow, those with the most lines."""
MOST_NAMES = 2_000
"""Values of a word that are compared with those of others."""
_MOST_WORDS_OF_A_NAME = 30
"""Words of all templates with one value in common: what is everywhere names nothing."""
_LEAST_SHARED = 0.5
"""Of the names of the rarer word, how many the other word must have as well; and of the names of a
workflow, how many must stand in two templates at least.
"""
_MOST_LABEL_WORDS = 2
_MOST_LINES_OF_AN_INSTANCE = 40
"""On average: what has more is a place where things happen, and no life."""
_WORDS = re.compile(r"[A-Za-z]{2,}")
_SMALL_WORDS = frozenset(
    (
        *("the", "of", "to", "from", "for", "is", "was", "in", "on", "at", "by", "and", "with"),
        *("has", "an", "which", "had", "been", "size", "src", "dest", "file", "client", "be"),
    )
)

TemplateWord = tuple[int, int]
"""The index of a template, and which of its words."""


def find_workflows(templates: Sequence[MinedTemplate]) -> list[InferredMachine]:
    """Return the life cycles of things that several templates name and whose states none does, the
    one with the most lines first.

    Args:
        templates: those that tell of no state.

    Returns:
        Machines with their steps.
    """
    words = _naming_words(templates)
    groups = [
        workflow
        for group in _groups(words)
        if (workflow := _workflow(templates, group, words)) is not None
    ]
    return sorted(groups, key=lambda machine: -machine.count)[:_MOST_WORKFLOWS]


def _naming_words(templates: Sequence[MinedTemplate]) -> dict[TemplateWord, set[str]]:
    """Return the words with digits, and what they name; bare numbers behind one word are alike."""
    words: dict[TemplateWord, set[str]] = {}
    for index, template in enumerate(templates):
        for i in template.fields:
            values = {row.words[i] for row in template.rows[:MOST_NAMES]}
            label = template.constants[i - 1] if i else None
            if all(map(str.isdigit, values)):
                words[index, i] = {f"{label} {value}" for value in values} if label else set()
            elif all(_is_name(value) for value in values):
                words[index, i] = values
    return {word: names for word, names in words.items() if len(names) > 1}


def _is_name(value: str) -> bool:
    """Tell whether a word may be a name: it has a digit, and is no list."""
    return any(map(str.isdigit, value)) and " " not in value


def _groups(words: Mapping[TemplateWord, set[str]]) -> Iterator[set[TemplateWord]]:
    """Yield the words that name the same things."""
    by_name: dict[str, list[TemplateWord]] = defaultdict(list)
    for word, names in words.items():
        for name in names:
            by_name[name].append(word)
    shared = Counter[tuple[TemplateWord, TemplateWord]]()
    for users in by_name.values():
        if len(users) <= _MOST_WORDS_OF_A_NAME:
            shared.update(combinations(users, 2))
    group_of = {word: {word} for word in words}
    for (one, other), number in shared.items():
        fewest = _LEAST_SHARED * min(len(words[one]), len(words[other]))
        if number >= fewest and group_of[one] is not group_of[other]:
            group_of[one] |= group_of[other]
            for word in group_of[other]:
                group_of[word] = group_of[one]
    yield from {id(group): group for group in group_of.values()}.values()


def _workflow(
    templates: Sequence[MinedTemplate], group: set[TemplateWord],
    words: Mapping[TemplateWord, set[str]],
) -> InferredMachine | None:  # fmt: skip
    """Return the life cycle that a group of words shows; None where it is none."""
    used: dict[int, int] = {}
    for index, i in sorted(group, key=lambda word: (word[0], -len(words[word]), word[1])):
        used.setdefault(index, i)
    chosen = sorted(used, key=lambda index: -templates[index].count)[:MOST_TEMPLATES]
    times = Counter(name for index in chosen for name in words[index, used[index]])
    if len(chosen) < 2 or sum(n > 1 for n in times.values()) < max(2, _LEAST_SHARED * len(times)):
        return None
    if sum(templates[index].count for index in chosen) > _MOST_LINES_OF_AN_INSTANCE * len(times):
        return None
    labels = _labels([templates[index] for index in chosen])
    lines = tuple(
        StateLines(templates[index], None, None, label)
        for index, label in zip(chosen, labels, strict=True)
    )
    return observed_machine(measured_fit(lines, tuple((used[index],) for index in chosen)))


def _labels(templates: Sequence[MinedTemplate]) -> list[str]:
    """Name the states that templates stand for, each differently, by the first words that others do
    not have.
    """
    words = [_content_words(template) for template in templates]
    users = Counter(word for own in words for word in set(own))
    labels = list[str]()
    for own in words:
        distinctive = [word for word in own if users[word] == 1] or own
        label = "_".join(distinctive[:_MOST_LABEL_WORDS]).upper() or "STEP"
        number = sum(known == label or known.startswith(f"{label}_") for known in labels)
        labels.append(f"{label}_{number + 1}" if label in labels else label)
    return labels


def _content_words(template: MinedTemplate) -> list[str]:
    text = " ".join(word for word in template.constants if word)
    return [word for word in _WORDS.findall(text) if word.lower() not in _SMALL_WORDS]
