"""What was asked of the events of a machine, as plain data that a file keeps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from statemachines.explore.models.event_memos import EventMemo


def encode_usage(memos: Sequence[EventMemo]) -> dict[str, Any]:
    """Return for each event the states in which it was asked and the places of the transitions that
    were taken, and the events some of whose arguments were left out.
    """
    transitions = memos[0].tables.machine.transitions if memos else ()
    index = {id(transition): number for number, transition in enumerate(transitions)}
    used = [
        (
            sorted(memo.asked_states),
            sorted(
                index[taken_transition]
                for taken_transition in memo.taken_transitions
                if taken_transition in index
            ),
        )
        for memo in memos
    ]
    cut = [number for number, memo in enumerate(memos) if memo.enumeration.is_truncated]
    return {"used": used, "cut": cut}


def restore_usage(memos: Sequence[EventMemo], stored: dict[str, Any]) -> None:
    """Note what was asked in a search that was kept."""
    for memo, (states, taken) in zip(memos, stored["used"], strict=True):
        transitions = memo.tables.machine.transitions
        memo.asked_states.update(states)
        memo.taken_transitions.update(id(transitions[number]) for number in taken)
    for number in stored["cut"]:
        memos[number].enumeration.is_truncated = True
