"""Whether a text that was cut off may be the beginning of a longer one that a pattern matches."""

from __future__ import annotations

from collections.abc import Iterable

from statemachines.notation.lines.regex_automata import (
    Automaton,
    AutomatonTooLarge,
    character_mask,
)


def may_be_longer(pattern: str, text: str) -> bool:
    """Say whether a pattern matches some text that begins with another one and is longer.

    Complexity: the size of the pattern, times the length of the text.

    Args:
        pattern: source of a regular expression, of a whole text.
        text: with which the longer one begins.

    Returns:
        Whether there may be one: lookarounds are taken as true, and a pattern whose automaton would
        be too large as one that goes on.

    >>> may_be_longer("door (front|front left) is OPEN", "door front")
    True
    >>> may_be_longer("door (front|front left) is OPEN", "door front is OPEN")
    False
    """
    automaton = Automaton()
    try:
        start = automaton.add_state()
        automaton.add_pattern(start, pattern)
    except (AutomatonTooLarge, RecursionError):
        return True
    here = _with_silent_steps(automaton, [start])
    for letter in text:
        mask = character_mask(letter)
        behind = {
            target for state in here for read, target in automaton.edges[state] if read & mask
        }
        here = _with_silent_steps(automaton, behind)
    return any(read for state in here for read, _ in automaton.edges[state])


def _with_silent_steps(automaton: Automaton, states: Iterable[int]) -> set[int]:
    """Return states, and those to which edges lead that read nothing."""
    known = set(states)
    waiting = list(known)
    while waiting:
        for read, target in automaton.edges[waiting.pop()]:
            if not read and target not in known:
                known.add(target)
                waiting.append(target)
    return known
