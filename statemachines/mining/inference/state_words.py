"""Which words of a template are states: by its wording, or by how its lines follow each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations

from statemachines.mining.inference.instance_keys import InstanceKeyFit, best_key
from statemachines.mining.inference.state_lines import StateLines
from statemachines.mining.templates.message_templates import MinedTemplate, TemplateRow
from statemachines.mining.templates.message_words import is_state_word

MOST_STATES = 40
"""Different values of a field that may be states."""
_FEWEST_LINKS = 3
"""Lines that continue others, before a word is taken for a state that no wording says is one."""
_MOST_BROKEN = 0.1
"""Share of lines that do not continue the one before, of such a word."""


def state_lines(template: MinedTemplate) -> StateLines | None:
    """Return how a template tells of states; None where nothing shows that it does.

    Args:
        template: what the messages of some lines have in common.

    Returns:
        Its lines with the words that are states, or None.
    """
    if template.cue:
        return StateLines(template, template.cue.source, template.cue.target)
    tried = (StateLines(template, source, target) for source, target in _state_pairs(template))
    fits = ((lines, best_key((lines,))) for lines in tried)
    chains = [(fit.linked - fit.broken, lines) for lines, fit in fits if _is_chain(fit)]
    return max(chains, key=lambda chain: chain[0], default=(0, None))[1]


def _is_chain(fit: InstanceKeyFit) -> bool:
    return fit.linked >= _FEWEST_LINKS and fit.broken <= _MOST_BROKEN * fit.linked


def _state_pairs(template: MinedTemplate) -> Iterator[tuple[int, int]]:
    """Yield the words, in either order, that take the same few values and differ in most lines."""
    values = {i: _few_state_words(template.rows, i) for i in template.fields}
    for one, other in combinations([i for i in values if values[i]], 2):
        differ = sum(row.words[one] != row.words[other] for row in template.rows)
        if values[one] & values[other] and 2 * differ > len(template.rows):
            yield from ((one, other), (other, one))


def _few_state_words(rows: Iterable[TemplateRow], i: int) -> set[str]:
    """Return the values of a field whose values may all be states, and nothing for another one."""
    values = set[str]()
    for row in rows:
        values.add(row.words[i])
        if len(values) > MOST_STATES or not is_state_word(row.words[i]):
            return set()
    return values
