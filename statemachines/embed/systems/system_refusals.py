"""The error for an event that a system does not allow."""

from __future__ import annotations

from statemachines.embed.errors import Declared, NotAllowed, declared, not_allowed
from statemachines.embed.instances import legal_events
from statemachines.embed.systems.part_handles import part_title
from statemachines.embed.systems.system_hooks import SystemOccurrence
from statemachines.model.definitions.machine_definitions import Transition
from statemachines.model.definitions.snapshots import Advanced, Refused
from statemachines.semantics.messages.argument_errors import ArgumentsError
from statemachines.semantics.system.system_step import step_system
from statemachines.semantics.system.system_tables import SystemTables


def system_refusal(tables: SystemTables, occurrence: SystemOccurrence) -> NotAllowed | Declared:
    """Build the error for an event that its part or a link did not allow, or whose transition
    raises. It names the part; what is legal is of the same part.

    Args:
        tables: those of the machine.
        occurrence: the event, with the answer to it.

    Returns:
        An exception, to be raised.
    """
    first = occurrence.answer.steps[0]
    answer, title = first.answer, part_title(first.part, first.key)
    event, state = f"{title}.{first.event}", first.before.state
    if isinstance(answer.decided_by, Transition):
        error = answer.error or ""
        where = state or "its only state"
        return declared(error)(f"{tables.title}: `{event}` in {where} raises {error}")
    legal = tuple(f"{title}.{other}" for other in _legal_beside(tables, occurrence))
    system = tables.system
    reason = answer.reason if isinstance(answer, Refused) else getattr(answer, "reason", "")
    if answer.error is None:
        return NotAllowed(system.name, system.release, state, event, legal, why=reason)
    return not_allowed(answer.error)(
        system.name, system.release, state, event, legal, f"raise {answer.error}", reason
    )


def _legal_beside(tables: SystemTables, occurrence: SystemOccurrence) -> tuple[str, ...]:
    """Return the other events that the part may take; of one that takes no arguments guards and
    links are asked.
    """
    first = occurrence.answer.steps[0]
    machine = tables.tables[first.part]
    others = [
        legal_event
        for legal_event in legal_events(machine, first.before.state)
        if legal_event != first.event
    ]
    return tuple(other for other in others if _may_be_taken(tables, occurrence, other))


def _may_be_taken(tables: SystemTables, occurrence: SystemOccurrence, event: str) -> bool:
    first = occurrence.answer.steps[0]
    if tables.tables[first.part].behaviour.signature(event).arguments:
        return True
    try:
        name = f"{first.part}.{event}"
        answer = step_system(tables.system, occurrence.before, name, key=first.key)
    except ArgumentsError:
        return False
    taken = answer.steps[0].answer
    return isinstance(taken, Advanced) or isinstance(taken.decided_by, Transition)
