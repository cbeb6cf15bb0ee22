"""What tests of drafts look at."""

from __future__ import annotations

from statemachines.interop.drafting.drafts import Draft
from statemachines.notation import machine_of, read_spec_text


def moves(draft: Draft) -> list[str]:
    """The arrows as texts."""
    return [f"{each.source} {each.event} {each.target}" for each in draft.machine.transitions]


def states(draft: Draft) -> list[str]:
    """The states with `>` before beginnings and `*` behind ends."""
    return [
        f"{'>' if each.initial else ''}{each.name}{'*' if each.final else ''}"
        for each in draft.machine.states
    ]


def reads_back(draft: Draft) -> None:
    """The draft is a spec that our reader takes."""
    read = machine_of(read_spec_text(draft.text.encode(), "draft.yaml").valid_spec())
    assert read.states == draft.machine.states
    assert [(each.source, each.event, each.target) for each in read.transitions] == [
        (each.source, each.event, each.target) for each in draft.machine.transitions
    ]
