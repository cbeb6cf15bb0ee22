"""What a machine does with an event: the one function that instances, tests and checkers ask."""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from attrs import evolve

from statemachines.model.definitions.machine_definitions import (
    FallbackKind,
    MachineDefinition,
    Otherwise,
    Transition,
    requested_state,
)
from statemachines.model.definitions.snapshots import (
    Advanced,
    Answer,
    Forced,
    Ignored,
    Raised,
    Refused,
    Snapshot,
    Value,
)
from statemachines.model.language.frozen_values import FrozenMap
from statemachines.semantics.evaluation.behaviour import CompiledOperation
from statemachines.semantics.machine.machine_tables import (
    MachineTables,
    TablesHolder,
    machine_tables,
)
from statemachines.semantics.messages.argument_errors import ArgumentsError, unknown_word

Arguments = Mapping[str, Value]


def step(
    machine: MachineDefinition | TablesHolder, snapshot: Snapshot, event: str, /, **arguments: Value
) -> Answer:
    """Answer what becomes of an event; the snapshot itself is left alone.

    The first transition of this event from this state whose guard holds takes it; one that the
    system never takes (`taken: false`) is passed on. What no transition takes goes to the first
    entry of `otherwise` that matches; without one it is refused.

    Args:
        machine: what the snapshot is one of.
        snapshot: before the event. One without values may be asked for moves of a table only.
        event: its name; `to_<STATE>` for the transitions of a table of moves.
        arguments: of the event, by name.

    Returns:
        Advanced, Ignored, Refused, Raised or Forced: `after` is the snapshot after it, `decided_by`
        the transition or the entry of `otherwise`, `candidates` the transitions whose guards were
        false; `reason` of what is refused or raised says which guard.

    Raises:
        ArgumentsError: no such state or event, or arguments that do not fit: a mistake of the
            caller, never an answer.
    """
    tables = machine_tables(machine)
    if not isinstance(snapshot, Snapshot):
        tables.checked_snapshot(snapshot)
    if snapshot.state not in tables.state_index:
        raise unknown_word("state", snapshot.state, tables.states, tables.title)
    if event not in tables.event_index:
        raise unknown_word("event", event, tables.events, tables.title)
    if tables.has_data and (
        snapshot.variables or snapshot.parameters or event not in tables.data_free_events
    ):
        snapshot = tables.checked_snapshot(snapshot)
        accepted = tables.behaviour.checked_arguments(snapshot, event, arguments)
        return _with_refusal_reason(
            tables, snapshot, event, accepted, unchecked_step(tables, snapshot, event, accepted)
        )
    _refuse_arguments(event, arguments)
    for transition in tables.candidates.get((snapshot.state, event), ()):
        return Advanced(
            Snapshot(transition.target, snapshot.variables, snapshot.parameters), transition
        )
    return fallback_answer(tables, snapshot, event, ())


def _with_refusal_reason(
    tables: MachineTables, snapshot: Snapshot, event: str, arguments: Arguments, answer: Answer
) -> Answer:
    """Say why no transition took an event; explorers, who ask `decided`, have no use for it."""
    if (
        not isinstance(answer, Refused | Raised)
        or answer.reason
        or isinstance(answer.decided_by, Transition)
    ):
        return answer
    reason = (
        tables.behaviour.refusal_reason(snapshot, event, arguments, answer.candidates)
        if answer.candidates
        else ""
    )
    return evolve(answer, reason=reason) if reason else answer


def unchecked_step(
    tables: MachineTables, snapshot: Snapshot, event: str, arguments: Arguments
) -> Answer:
    """Answer what becomes of an event whose arguments are known to fit: what explorers ask, who
    drew them from their types.

    Args:
        tables: of the machine.
        snapshot: before the event; of this machine, with values of their types.
        event: one that the machine has.
        arguments: of the event, by name.

    Returns:
        What `step` answers.
    """
    passed_over: tuple[Transition, ...] = ()
    for plan in tables.compiled_operations(snapshot.state, event):
        answer = _operation_answer(tables, plan, snapshot, arguments, passed_over)
        if answer is not None:
            return answer
        passed_over += plan.transitions
    return fallback_answer(tables, snapshot, event, passed_over)


def matching_fallback(tables: MachineTables, state: str, event: str) -> Otherwise | None:
    """Return the entry of `otherwise` that counts for an event that no transition takes; None:
    refused, the default.

    Args:
        tables: of the machine.
        state: in which the event comes.
        event: by name.

    Returns:
        The first entry that covers this state and event.
    """
    if not tables.machine.otherwise:
        return None
    key = (state, event)
    if key not in tables.fallbacks:
        entries, target = tables.machine.otherwise, _asked_target(tables, event)
        tables.fallbacks[key] = next(
            (entry for entry in entries if _fallback_matches(entry, state, event, target)), None
        )
    return tables.fallbacks[key]


def requested_target(tables: MachineTables, event: str) -> str | None:
    """Return the state that an event asks for; None where it does not tell.

    What its declaration says counts; that of `to_<TARGET>` is told by its name; any other event
    asks for where its transitions lead, if they agree.

    Args:
        tables: of the machine.
        event: by name.

    Returns:
        The name of a state.
    """
    named = _asked_target(tables, event)
    if named is not None:
        return named
    targets = {
        transition.target for transition in tables.machine.transitions if transition.event == event
    }
    return targets.pop() if len(targets) == 1 else None


def _asked_target(tables: MachineTables, event: str) -> str | None:
    """Return the state that an event's declaration names, else its own name; a state that the
    release lacks is none.
    """
    return tables.declared_targets.get(event) or requested_state(event, tables.state_index)


def forced_target(tables: MachineTables, state: str, event: str) -> str:
    """Return the state to which a forced event leads: the requested one, or the current one.

    Args:
        tables: of the machine.
        state: in which the event comes.
        event: by name.

    Returns:
        The name of a state.
    """
    target = requested_target(tables, event)
    return state if target is None else target


def _operation_answer(
    tables: MachineTables,
    plan: CompiledOperation,
    snapshot: Snapshot,
    arguments: Arguments,
    passed_over: tuple[Transition, ...],
) -> Answer | None:
    """Take a transition, or the case of an operation that holds; None where its guard is false or
    no case holds.
    """
    if plan.decide is None:
        transition = plan.transitions[0]
        return Advanced(
            Snapshot(transition.target, snapshot.variables, snapshot.parameters),
            transition,
            candidates=passed_over,
        )
    outcome = plan.decide(snapshot.state, snapshot.variables, snapshot.parameters, arguments)
    if outcome is None:
        return None
    number, changes, returned, misfit = outcome
    taken, error = plan.cases[number]
    if misfit is not None:
        return Refused(
            snapshot,
            None,
            candidates=(*passed_over, taken),
            reason=_type_violation_message(tables, *misfit),
        )
    variables = FrozenMap({**snapshot.variables, **changes}) if changes else snapshot.variables
    after = Snapshot(taken.target, variables, snapshot.parameters)
    return (Advanced if error is None else Raised)(after, taken, returned, error, passed_over)


def _type_violation_message(tables: MachineTables, name: str, value: Value) -> str:
    """Say which variable would leave its type: an error of the spec."""
    variable = tables.machine.data.variable(name)
    return (
        f"`{name}` would be {value!r}, which is not of type `{variable.type if variable else ''}`"
    )


def fallback_answer(
    tables: MachineTables, snapshot: Snapshot, event: str, passed_over: tuple[Transition, ...]
) -> Answer:
    """Answer an event that no transition takes.

    Args:
        tables: of the machine.
        snapshot: before the event; of its values nothing is asked.
        event: one that the machine has.
        passed_over: transitions whose guards were false.

    Returns:
        Ignored, Refused, Raised or Forced, as `otherwise` says.
    """
    entry = matching_fallback(tables, snapshot.state, event)
    if entry is None or entry.does is FallbackKind.REFUSE:
        return Refused(snapshot, entry, candidates=passed_over)
    match entry.does:
        case FallbackKind.IGNORE:
            return Ignored(snapshot, entry, candidates=passed_over)
        case FallbackKind.RAISE:
            return Raised(snapshot, entry, error=entry.error, candidates=passed_over)
        case FallbackKind.FORCE:
            target = forced_target(tables, snapshot.state, event)
            return Forced(
                Snapshot(target, snapshot.variables, snapshot.parameters),
                entry,
                candidates=passed_over,
            )
        case _:
            assert_never(entry.does)


def _fallback_matches(entry: Otherwise, state: str, event: str, target: str | None) -> bool:
    if entry.sources is not None and state not in entry.sources:
        return False
    if entry.targets is not None and target not in entry.targets:
        return False
    return entry.event is None or entry.event == event


def _refuse_arguments(event: str, arguments: Arguments) -> None:
    for name in arguments:
        raise ArgumentsError(f"event `{event}` takes no argument `{name}`; it takes none")


def was_taken(answer: object) -> bool:
    """Tell whether a transition took an event, or it was done all the same; not where a text says
    why nothing was asked.

    Args:
        answer: of a machine, or a text.

    Returns:
        False where the event was refused, or ignored.
    """
    return isinstance(answer, Advanced | Forced) or (
        isinstance(answer, Raised) and isinstance(answer.decided_by, Transition)
    )
