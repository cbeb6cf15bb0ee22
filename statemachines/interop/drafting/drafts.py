"""What an import brings: a machine to start from, and a list of what did not carry over."""

from __future__ import annotations

import re
from collections.abc import Iterable

from attrs import frozen

from statemachines.interop.drafting.notation_writer import to_notation
from statemachines.model.definitions.machine_definitions import (
    Event,
    MachineDefinition,
    Otherwise,
    State,
    Transition,
)

_VALID_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
NO_EVENT = "always"
"""Event of a transition that elsewhere needs none."""


class ImportFailed(ValueError):
    """A text is not what it was said to be; the message says where and what was expected."""


@frozen
class Draft:
    """A machine read from another form; a person looks through it before it is a spec."""

    machine: MachineDefinition
    lost: tuple[str, ...] = ()
    """What the other form says and ours does not, a sentence each, in its order."""

    @property
    def text(self) -> str:
        """The draft as a spec file, with what was lost as comments on top."""
        notes = ["A draft: look through it before you rely on it."]
        notes += (
            ["What did not carry over:", *(f"- {loss}" for loss in self.lost)] if self.lost else []
        )
        return to_notation(self.machine, notes)


def valid_name(text: str) -> str:
    """Return a text as a name of ours.

    Args:
        text: as the other form has it.

    Returns:
        Letters, digits and underscores, no digit first.

    >>> valid_name("waiting for card"), valid_name("2nd try"), valid_name("done.state.a")
    ('waiting_for_card', '_2nd_try', 'done_state_a')
    """
    name = (
        re.sub(r"[^A-Za-z0-9]+", "_", text.strip()).strip("_")
        if not _VALID_NAME.fullmatch(text)
        else text
    )
    return name if _VALID_NAME.fullmatch(name) else f"_{name}"


def unique_names(texts: Iterable[str], lost: list[str], what: str) -> dict[str, str]:
    """Give each text a name of its own, and note those that had to change.

    Args:
        texts: as the other form has them.
        lost: notes are appended.
        what: `state` or `event`, for the notes.

    Returns:
        The new names by the old texts.
    """
    given: dict[str, str] = {}
    taken, numbers = set[str](), dict[str, int]()
    for text in texts:
        if text not in given:
            wanted, number = valid_name(text), numbers.get(valid_name(text), 1)
            while (name := wanted if number == 1 else f"{wanted}_{number}") in taken:
                number += 1
            given[text], numbers[wanted] = name, number
            taken.add(name)
            if name != text:
                lost.append(f"the {what} `{text}` is called `{name}` here")
    return given


def build_draft(
    name: str,
    states: Iterable[State],
    transitions: Iterable[Transition],
    lost: list[str],
    doc: str = "",
    otherwise: tuple[Otherwise, ...] = (),
) -> Draft:
    """Put a draft together; of two transitions of one event from one state the first is kept, since
    nothing tells them apart here.

    Args:
        name: of the machine.
        states: all of them.
        transitions: in the order of the original.
        lost: what did not carry over, a sentence each; grows by what is left out here.
        doc: what the original says of itself.
        otherwise: what becomes of other events.

    Returns:
        The machine with the notes on what is lost.
    """
    by_pair: dict[tuple[str, str], Transition] = {}
    for transition in transitions:
        first = by_pair.setdefault((transition.source, transition.event), transition)
        if first.target != transition.target:
            lost.append(
                f"`{transition.event}` from {transition.source} also leads to {transition.target}"
                f"{_doc_note(transition)}; only {first.target} is kept"
            )
    events = tuple(
        Event(event) for event in dict.fromkeys(transition.event for transition in by_pair.values())
    )
    machine = MachineDefinition(
        valid_name(name or "draft"),
        "",
        tuple(states),
        tuple(by_pair.values()),
        otherwise,
        events=events,
        doc=doc,
    )
    return Draft(machine, tuple(dict.fromkeys(lost)))


def _doc_note(transition: Transition) -> str:
    return f" ({transition.doc})" if transition.doc else ""
