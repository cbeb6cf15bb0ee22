"""What an event takes, needs of its arguments, gives back and raises, in words."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import frozen

from statemachines.model.definitions.data_definitions import Argument, Case, Signature
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.semantics.messages.expression_text import format_expression


@frozen
class EventSignature:
    """An event as somebody who sends it sees it."""

    name: str
    arguments: tuple[Argument, ...] = ()
    """In the author's order; each has a `name` and a `type`, and is `chosen` where the system
    decides it.
    """
    where: str = ""
    """What the arguments must fulfil together; empty where nothing."""
    returns: tuple[str, ...] = ()
    """What it may give back, an expression for each outcome that differs."""
    raises: tuple[str, ...] = ()
    """Names of the errors that its outcomes raise."""
    lets: tuple[tuple[str, str], ...] = ()
    """Names that these expressions use, and what they stand for."""
    doc: str = ""

    @property
    def takes(self) -> str:
        """The arguments as text: `amount: 1..5, who: Who`."""
        return ", ".join(
            f"{argument.name}: {argument.type}{' (chosen)' if argument.chosen else ''}"
            for argument in self.arguments
        )

    def __str__(self) -> str:
        texts = {
            "where": self.where,
            "returns": " or ".join(self.returns),
            "raises": " or ".join(self.raises),
        }
        return " ".join(
            [
                f"{self.name}({self.takes})",
                *(f"{word} {text}" for word, text in texts.items() if text),
            ]
        )


def event_signatures(machine: MachineDefinition) -> tuple[EventSignature, ...]:
    """Return what every event takes and gives, the declared ones first, then those that a
    transition names.

    Args:
        machine: in one release.

    Returns:
        Signatures, each event once.
    """
    names = dict.fromkeys(
        [
            *(event.name for event in machine.events),
            *(transition.event for transition in machine.transitions),
        ]
    )
    return tuple(event_signature(machine, name) for name in names)


def event_signature(machine: MachineDefinition, event: str) -> EventSignature:
    """Return what an event of a machine takes and gives; a name without arguments and results where
    the spec says no more of it.

    Args:
        machine: in one release.
        event: its name.

    Returns:
        Arguments, conditions and results as texts.
    """
    declared = next(
        (declared_event for declared_event in machine.events if declared_event.name == event), None
    )
    taken = declared.signature if declared and declared.signature else Signature()
    cases = [
        transition.case
        for transition in machine.transitions
        if transition.event == event and transition.case is not None
    ]
    lets = {
        let.name: format_expression(let.value)
        for let in (*taken.lets, *(let for case in cases for let in case.lets))
    }
    return EventSignature(
        event,
        taken.arguments,
        format_expression(taken.where) if taken.where is not None else "",
        tuple(dict.fromkeys(text for case in cases for text in _result_texts(case))),
        tuple(dict.fromkeys(case.raises for case in cases if case.raises)),
        tuple(lets.items()),
        " ".join(declared.doc.split()) if declared else "",
    )


def _result_texts(case: Case) -> Iterator[str]:
    if isinstance(case.returns, tuple):
        yield ", ".join(f"{name}: {format_expression(value)}" for name, value in case.returns)
    elif case.returns is not None:
        yield format_expression(case.returns)
