"""Machines of the `transitions` library, as drafts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from statemachines.interop.drafting.drafts import Draft, ImportFailed, build_draft, unique_names
from statemachines.interop.json.mapping_reader import ForeignTransition
from statemachines.model.definitions.machine_definitions import (
    FallbackKind,
    Otherwise,
    State,
    Transition,
)
from statemachines.model.diagnosis.call_options import refuses_unknown_options


@refuses_unknown_options()
def from_transitions(machine: Any, *, name: str | None = None) -> Draft:
    """Read a machine of the `transitions` library, as a draft.

    Carried over are states, beginnings and ends, triggers with their sources and targets, and that
    invalid triggers are ignored. Conditions become the doc of their transition, for a person to
    write as a guard; they, callbacks, timeouts and nesting are listed.

    Args:
        machine: a `transitions.Machine`, or a model that has one as `machine`.
        name: of the spec; the machine's own name where nothing is said.

    Returns:
        The machine, the text of its spec, and what did not carry over.

    Raises:
        ImportFailed: it is no machine of that library.
    """
    machine = machine if _is_machine(machine) else getattr(machine, "machine", machine)
    if not _is_machine(machine):
        raise ImportFailed(f"{machine!r} is no machine of `transitions`, and has none as `machine`")
    lost: list[str] = []
    moves = list(_read_moves(machine, lost))
    known = unique_names(
        [*machine.states, *(end for move in moves for end in (move.source, move.target))],
        lost,
        "state",
    )
    events = unique_names((move.event for move in moves), lost, "event")
    states = [_read_state(machine, state, known, lost) for state in machine.states]
    _note_machine_callbacks(machine, lost)
    transitions = [
        Transition(known[move.source], known[move.target], events[move.event], doc=move.doc)
        for move in moves
    ]
    otherwise = (Otherwise(FallbackKind.IGNORE),) if machine.ignore_invalid_triggers else ()
    return build_draft(
        name or machine.name.rstrip(": ") or "draft", states, transitions, lost, otherwise=otherwise
    )


def _is_machine(value: Any) -> bool:
    return not isinstance(value, type) and all(
        hasattr(value, part) for part in ("states", "events", "initial", "get_triggers")
    )


def _read_state(machine: Any, name: str, known: dict[str, str], lost: list[str]) -> State:
    state = machine.states[name]
    for when in ("on_enter", "on_exit", "on_timeout"):
        lost.extend(
            f"state {name}: the callback `{_callback_name(callback)}` ({when})"
            for callback in getattr(state, when, None) or ()
        )
    if getattr(state, "timeout", 0):
        lost.append(f"state {name}: its timeout of {state.timeout} s")
    if getattr(state, "states", None):
        lost.append(f"state {name}: the states inside it")
    if getattr(state, "ignore_invalid_triggers", None) and not machine.ignore_invalid_triggers:
        lost.append(
            f"state {name}: that it ignores invalid triggers; `otherwise: [{{from: {known[name]},"
            " does: ignore}]` says so"
        )
    return State(
        known[name],
        initial=name == _state_name(machine.initial),
        final=bool(getattr(state, "final", False)),
    )


def _state_name(state: Any) -> str:
    return str(getattr(state, "name", state))


def _read_moves(machine: Any, lost: list[str]) -> Iterator[ForeignTransition]:
    automatic = False
    for trigger, event in machine.events.items():
        if (
            machine.auto_transitions
            and trigger.removeprefix("to_") in machine.states
            and trigger.startswith("to_")
        ):
            automatic = True
            continue
        for transitions in event.transitions.values():
            for transition in transitions:
                about = f"`{trigger}` from {transition.source}"
                lost.extend(_transition_losses(transition, about))
                yield ForeignTransition(
                    str(transition.source),
                    str(trigger),
                    str(transition.source if transition.dest is None else transition.dest),
                    _condition_doc(transition),
                )
    if automatic:
        lost.append("the automatic transitions from every state to every other (`to_STATE`)")


def _transition_losses(transition: Any, about: str) -> Iterator[str]:
    yield from (
        f"{about}: the condition `{_callback_name(condition.func)}`"
        f"{'' if condition.target else ', negated'}"
        for condition in transition.conditions
    )
    for when in ("prepare", "before", "after"):
        yield from (
            f"{about}: the callback `{_callback_name(callback)}` ({when})"
            for callback in getattr(transition, when)
        )


def _condition_doc(transition: Any) -> str:
    conditions = [
        f"{'' if condition.target else 'not '}{_callback_name(condition.func)}"
        for condition in transition.conditions
    ]
    return f"only if {' and '.join(conditions)}" if conditions else ""


def _note_machine_callbacks(machine: Any, lost: list[str]) -> None:
    """Note what the machine calls itself."""
    for when in (
        "prepare_event",
        "before_state_change",
        "after_state_change",
        "finalize_event",
        "on_exception",
        "on_final",
    ):
        lost.extend(
            f"the machine's callback `{_callback_name(callback)}` ({when})"
            for callback in getattr(machine, when, None) or ()
        )


def _callback_name(callback: Any) -> str:
    return str(getattr(callback, "__name__", callback))
