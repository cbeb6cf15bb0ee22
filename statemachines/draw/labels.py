"""What stands beside an arrow."""

from __future__ import annotations

from collections.abc import Iterable

from statemachines.model.machines import Machine, Transition

LONG = 18
"""Letters of a label that fit beside an arrow without being broken."""


def is_plain(machine: Machine) -> bool:
    """Whether the machine is a table of moves: every event only names the state that it leads to."""
    return all(each.event == f"to_{each.target}" for each in machine.transitions)


def label(transition: Transition) -> str:
    """Return `event`; nothing for an event that only names the target."""
    return "" if transition.event == f"to_{transition.target}" else transition.event


def labels(transitions: Iterable[Transition]) -> tuple[str, ...]:
    """Return the lines beside arrows that are drawn as one; a text that stands twice is written once.

    >>> coin = Transition("LOCKED", "UNLOCKED", "coin")
    >>> labels([coin, coin, Transition("LOCKED", "UNLOCKED", "key")])
    ('coin', 'key')
    """
    texts = dict.fromkeys(text for text in map(label, transitions) if text)
    return tuple(line for text in texts for line in broken(text))


def broken(text: str) -> tuple[str, ...]:
    """Break `event [guard] / effect` before the guard and before the effect where it is long.

    >>> broken("pay [amount >= total] / paid = True")
    ('pay', '[amount >= total]', '/ paid = True')
    """
    if len(text) <= LONG:
        return (text,)
    event, bracket, guarded = text.partition(" [")
    guard, slash, effect = guarded.rpartition("] / ") if bracket else event.partition(" / ")
    if not bracket:
        return (guard, f"/ {effect}") if slash else (text,)
    return (event, f"[{guard}]", f"/ {effect}") if slash else (event, f"[{guarded}")


def note(transitions: tuple[Transition, ...]) -> str:
    """Return what a pointer that rests on an arrow is told: who asks for it, and what the spec says about it."""
    first = transitions[0]
    askers = tuple(dict.fromkeys(asker for each in transitions for asker in each.by))
    by = (f"by {', '.join(askers)}",) if askers else ()
    docs = tuple(dict.fromkeys(each.doc.strip() for each in transitions if each.doc))
    texts = dict.fromkeys(text for text in map(label, transitions) if text)
    return "\n".join((f"{first.source} → {first.target}", *texts, *by, *docs))
