"""What stands beside an arrow."""

from __future__ import annotations

from collections.abc import Iterable

from statemachines.model.definitions.machine_definitions import MachineDefinition, Transition
from statemachines.model.evidence.durations import exact_duration
from statemachines.model.language.conditions_in_state import StateConditions
from statemachines.model.language.expression_nodes import TRUE
from statemachines.semantics.messages.expression_text import format_expression

_LONGEST_UNBROKEN = 18
"""Letters of a label that fit beside an arrow without being broken."""
WIDEST_LINE = 36
"""Letters of one line; a longer guard or effect is cut, its whole text is told where a pointer
rests.
"""
MOST_LINES = 6
"""Lines beside one arrow; where there are more, only the events are named."""


def is_table_of_moves(machine: MachineDefinition) -> bool:
    """Whether the machine is a table of moves: every event only names the state that it leads to,
    and nothing guards it.

    Args:
        machine: in one release.

    Returns:
        Whether its arrows need no labels.
    """
    return all(move.event == f"to_{move.target}" and move.case is None for move in machine.moves)


def _event_label(transition: Transition) -> str:
    """Return the event; nothing for one that only names the target."""
    return "" if transition.event == f"to_{transition.target}" else transition.event


def _timed_event(transition: Transition) -> str:
    """Return the event with when time sends it, and whether the time begins again."""
    parts = (
        _event_label(transition),
        f"after {exact_duration(transition.after_ms)}" if transition.after_ms else "",
        "time begins again" if transition.restarts else "",
    )
    return " ".join(filter(None, parts))


def guard_label(transition: Transition) -> str:
    """Return what must hold: the guard, and the condition of the case; nothing where it is always
    taken. What the source decides is not asked.

    Args:
        transition: one of the machine's.

    Returns:
        An expression as the spec has it, or the empty text.
    """
    case = transition.case
    known = StateConditions(transition.source)
    conditions = (
        [
            known.reduce(expression)
            for expression in (case.guard, case.when)
            if expression is not None
        ]
        if case
        else []
    )
    conditions = [condition for condition in conditions if condition != TRUE]
    return " and ".join(
        f"({format_expression(condition)})" if len(conditions) > 1 else format_expression(condition)
        for condition in conditions
    )


def effect_label(transition: Transition) -> str:
    """Return what changes and what is raised; nothing where nothing does.

    Args:
        transition: one of the machine's.

    Returns:
        Assignments with `; ` between them, or the empty text.
    """
    case = transition.case
    changes = (
        [
            f"{assignment.variable} = {format_expression(assignment.value)}"
            for assignment in case.effect
        ]
        if case
        else []
    )
    return "; ".join((*changes, *([f"raise {case.raises}"] if case and case.raises else [])))


def label_parts(transition: Transition) -> tuple[str, ...]:
    """Return `event after 30 s time begins again`, `[guard]` and `/ effect`, what there is of it.

    Args:
        transition: one of the machine's.

    Returns:
        The parts in this order.

    >>> label_parts(Transition("NEW", "EXPIRED", "to_EXPIRED", after_ms=1_800_000))
    ('after 30 min',)
    """
    guard, effect = guard_label(transition), effect_label(transition)
    return tuple(
        part
        for part in (
            _timed_event(transition),
            f"[{guard}]" if guard else "",
            f"/ {effect}" if effect else "",
        )
        if part
    )


def edge_labels(transitions: Iterable[Transition]) -> tuple[str, ...]:
    """Return the lines beside arrows that are drawn as one; what stands twice is written once.

    Args:
        transitions: those that one arrow stands for.

    Returns:
        One line each.

    >>> coin = Transition("LOCKED", "UNLOCKED", "coin")
    >>> edge_labels([coin, coin, Transition("LOCKED", "UNLOCKED", "key")])
    ('coin', 'key')
    """
    listed = tuple(transitions)
    lines = tuple(
        line for text in dict.fromkeys(map(label_parts, listed)) for line in _broken_label(text)
    )
    return lines if len(lines) <= MOST_LINES else _event_counts(listed)


def _broken_label(text: tuple[str, ...]) -> tuple[str, ...]:
    """Put the parts of a label into one line where they fit, else each into its own.

    >>> _broken_label(("pay", "[amount >= total]", "/ paid = True"))
    ('pay', '[amount >= total]', '/ paid = True')
    >>> _broken_label(("pay", "/ paid = True"))
    ('pay / paid = True',)
    """
    whole = " ".join(text)
    return (
        tuple(map(_cut_line, text)) if len(whole) > _LONGEST_UNBROKEN else (whole,) if whole else ()
    )


def edge_note(transitions: tuple[Transition, ...]) -> str:
    """Return what a pointer that rests on an arrow is told: who asks for it, and what the spec says
    about it.

    Args:
        transitions: those that one arrow stands for.

    Returns:
        A text to be shown beside the pointer.
    """
    first = transitions[0]
    askers = tuple(dict.fromkeys(asker for transition in transitions for asker in transition.by))
    by = (f"by {', '.join(askers)}",) if askers else ()
    docs = tuple(
        dict.fromkeys(
            doc
            for transition in transitions
            for doc in (
                transition.doc.strip(),
                transition.case.doc.strip() if transition.case else "",
            )
            if doc
        )
    )
    texts = dict.fromkeys(" ".join(text) for text in map(label_parts, transitions) if text)
    return "\n".join((f"{first.source} → {first.target}", *texts, *by, *docs))


def _event_counts(transitions: tuple[Transition, ...]) -> tuple[str, ...]:
    """Name each event once, with the number of its transitions; many are cut, and counted."""
    counts: dict[str, int] = {}
    for transition in transitions:
        event = _timed_event(transition)
        counts[event] = counts.get(event, 0) + 1
    lines = tuple(
        f"{event or 'move'}{f' ({count} ways)' if count > 1 else ''}"
        for event, count in counts.items()
    )
    return (
        lines
        if len(lines) <= MOST_LINES
        else (*lines[: MOST_LINES - 1], f"and {len(lines) - MOST_LINES + 1} more events")
    )


def _cut_line(text: str) -> str:
    return text if len(text) <= WIDEST_LINE else f"{text[: WIDEST_LINE - 1]}…"
