"""What a system does with an event of one of its parts: the part's step and what comes of it."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import evolve

from statemachines.model.definitions.snapshots import (
    Answer,
    Snapshot,
    Value,
)
from statemachines.model.definitions.system_definitions import (
    PartSnapshots,
    PendingEvent,
    SystemAnswer,
    SystemDefinition,
    SystemPart,
    SystemSnapshot,
)
from statemachines.model.language.frozen_values import FrozenMap
from statemachines.semantics.machine.step import step
from statemachines.semantics.messages.argument_errors import ArgumentsError, unknown_word
from statemachines.semantics.system.event_cascade import EventCascade
from statemachines.semantics.system.shared_variables import snapshots_of_part
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
    name, _, asked = event.partition(".")
    if name not in tables.parts:
        raise unknown_word("part", name, tables.parts, tables.title)
    snapshot = _checked_snapshot(tables, snapshot)
    run = EventCascade.from_snapshot(tables, snapshot)
    if not run.state.has_part(name, key):
        raise ArgumentsError(_missing_part_message(tables.parts[name], key, snapshot.parts[name]))
    held = run.state.part_snapshot(name, key)
    answer = step(tables.tables[name], held, asked, **arguments)
    run.record_step(name, key, asked, arguments, answer, None)
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
    """
    run = EventCascade.from_snapshot(tables, snapshot)
    run.record_step(part, key, event, arguments, answer, None)
    return run.answer_from(snapshot)


def deliver_event(
    system: SystemDefinition, snapshot: SystemSnapshot, waiting: PendingEvent
) -> SystemAnswer:
    """Deliver an event that waits.

    Raises:
        ArgumentsError: nothing waits there.
    """
    tables = system_tables(system)
    snapshot = _checked_snapshot(tables, snapshot)
    if waiting not in snapshot.waiting:
        raise ArgumentsError(f"nothing waits at {waiting}")
    run = EventCascade.from_snapshot(tables, snapshot)
    run.deliver(waiting)
    return run.answer_from(snapshot)


def _checked_snapshot(tables: SystemTables, snapshot: SystemSnapshot) -> SystemSnapshot:
    """Return a snapshot that a caller has, with its shared values as the system has them; a part's
    are looked at by its own step.

    Raises:
        ArgumentsError: its parts are not those of the system, or a variable or parameter is
            missing, unknown or not of its type.
    """
    if not isinstance(snapshot, SystemSnapshot):
        raise ArgumentsError(f"{snapshot!r} is no snapshot of a system; `start()` returns one")
    for name in snapshot.parts:
        if name not in tables.parts:
            raise unknown_word("part", name, tables.parts, tables.title)
    if missing := [name for name in tables.parts if name not in snapshot.parts]:
        raise ArgumentsError(f"the snapshot lacks the part `{missing[0]}` of {tables.title}")
    _check_same_variables(tables, snapshot)
    if isinstance(snapshot.variables, FrozenMap) and isinstance(snapshot.parameters, FrozenMap):
        return snapshot
    shared = tables.behaviour.checked_snapshot(
        Snapshot("", snapshot.variables, snapshot.parameters)
    )
    return evolve(snapshot, variables=shared.variables, parameters=shared.parameters)


def _check_same_variables(tables: SystemTables, snapshot: SystemSnapshot) -> None:
    """Refuse a snapshot in which one variable has two values."""
    for one in tables.system.same:
        told = [
            (f"{name}.{variable}", held.variables.get(variable))
            for name, variable in one.members
            for held in snapshots_of_part(snapshot.parts[name])
        ]
        for name, value in told:
            if value != told[0][1]:
                raise ArgumentsError(
                    f"`{told[0][0]}` and `{name}` are the same (`{one.name}`), and the snapshot"
                    f" says {told[0][1]!r} and {value!r}"
                )


def _missing_part_message(part: SystemPart, key: Value, held: PartSnapshots) -> str:
    if part.each is None:
        return (
            f"`{part.name}` is absent"
            if held is None
            else f"there is one `{part.name}` only; it has no key {key!r}"
        )
    known = ", ".join(repr(one) for one in held) if isinstance(held, Mapping) else ""
    if key is None:
        return f"there are several `{part.name}`, one for each key: say which, of {known or 'none'}"
    return f"`{part.name}` has no key {key!r}; there are {known or 'none'}"
