"""What a system does with an event of one of its parts: the part's step and what comes of it."""

from __future__ import annotations

from statemachines.model.definitions.snapshots import (
    Answer,
    Value,
)
from statemachines.model.definitions.system_definitions import (
    PendingEvent,
    SystemAnswer,
    SystemDefinition,
    SystemSnapshot,
)
from statemachines.semantics.machine.step import step
from statemachines.semantics.messages.argument_errors import ArgumentsError, unknown_word
from statemachines.semantics.system.channels import possible_fates
from statemachines.semantics.system.event_cascade import EventCascade
from statemachines.semantics.system.system_snapshots import (
    checked_system_snapshot,
    missing_part_message,
)
from statemachines.semantics.system.system_states import Values
from statemachines.semantics.system.system_tables import SystemTables, system_tables


def step_system(
    system: SystemDefinition,
    snapshot: SystemSnapshot,
    event: str,
    /,
    *,
    key: Value = None,
    **arguments: Value,
) -> SystemAnswer:
    """Answer what becomes of an event of a part; the snapshot itself is left alone.

    After the part's step its links fire in the author's order, each seeing what the earlier ones
    left. What a link sends at once is a step of its receiver, with the links of that one, before
    the next link is looked at; a refusal there undoes nothing.

    Args:
        system: in one release.
        snapshot: before the event.
        event: `part.event`, such as `belt.stop`.
        key: which one, of a part that there is several times.
        arguments: of the event.

    Returns:
        The system after it, and every step with its answer; the first step is the event's own. A
        step that `only if` forbids is Refused.

    Raises:
        ArgumentsError: no such part, key or event, or arguments that do not fit: a mistake of the
            caller.
    """
    tables = system_tables(system)
    name, _, wanted = event.partition(".")
    if name not in tables.parts:
        raise unknown_word("part", name, tables.parts, tables.title)
    snapshot = checked_system_snapshot(tables, snapshot)
    run = EventCascade.from_snapshot(tables, snapshot)
    if not run.state.has_part(name, key):
        raise ArgumentsError(missing_part_message(tables.parts[name], key, snapshot.parts[name]))
    held = run.state.part_snapshot(name, key)
    answer = step(tables.tables[name], held, wanted, **arguments)
    run.record_step(name, key, wanted, arguments, answer, None)
    return run.answer_from(snapshot)


def apply_part_step(
    tables: SystemTables,
    snapshot: SystemSnapshot,
    part: str,
    key: Value,
    event: str,
    arguments: Values,
    answer: Answer,
) -> SystemAnswer:
    """Answer what a system makes of a step that a part has taken by itself: links that forbid it,
    and what the others send and change.

    Args:
        tables: of the system.
        snapshot: before the event.
        part: whose event it is.
        key: which one, of a part that there is several times.
        event: of the part.
        arguments: as the part's machine has them.
        answer: what the part's own `step` answered.

    Returns:
        The part's step, the steps that links sent after it, and the snapshot after all of them.
    """
    run = EventCascade.from_snapshot(tables, snapshot)
    run.record_step(part, key, event, arguments, answer, None)
    return run.answer_from(snapshot)


def deliver_event(
    system: SystemDefinition, snapshot: SystemSnapshot, waiting: PendingEvent
) -> SystemAnswer:
    """Deliver an event that waits; of one in a channel its `fate` says whether it is lost, or goes
    on waiting. Where a channel cannot hold what comes of that, nothing happens, and the first step
    is Refused.

    Args:
        system: in one release.
        snapshot: in which the event waits.
        waiting: link, sender, receiver, position and fate.

    Returns:
        The receiver's step and what followed from it; no step where the event was lost.

    Raises:
        ArgumentsError: nothing waits there, or it may not become so of it.
    """
    tables = system_tables(system)
    snapshot = checked_system_snapshot(tables, snapshot)
    if waiting not in set(possible_fates(tables, snapshot.waiting)):
        raise ArgumentsError(f"nothing waits at {waiting}")
    run = EventCascade.from_snapshot(tables, snapshot)
    run.deliver(waiting)
    return run.answer_from(snapshot)
