"""What becomes of requests that no transition takes, and what else is answered otherwise."""

from __future__ import annotations

from collections.abc import Container, Iterator

from statemachines.compare.lockstep import Lockstep
from statemachines.compare.machine_changes import (
    ChangeKind,
    ChangeSign,
    MachineChange,
)
from statemachines.model.definitions.machine_definitions import (
    MachineDefinition,
    Otherwise,
    requested_state,
)
from statemachines.semantics.machine.machine_tables import machine_tables
from statemachines.semantics.machine.step import matching_fallback


def request_changes(
    old: MachineDefinition, new: MachineDefinition, together: Lockstep
) -> Iterator[MachineChange]:
    """Yield what becomes otherwise of requests that neither machine has a transition for; alike
    changes are one.

    Args:
        old: in one release.
        new: in another one, or of another spec.
        together: the two machines, given the same events.

    Yields:
        Changes in the order of the states and events.
    """
    if not (old.otherwise or new.otherwise):
        return  # all are refused by both; there are as many as states times events
    one, other = machine_tables(old), machine_tables(new)
    changes: dict[tuple[str, str], dict[str, list[str]]] = {}
    for state in (name for name in one.states if name in other.state_index):
        for event in (name for name in one.events if name in other.event_index):
            if (state, event) in one.candidates or (state, event) in other.candidates:
                continue
            was, now = (
                _fallback_text(matching_fallback(one, state, event)),
                _fallback_text(matching_fallback(other, state, event)),
            )
            if was != now:
                changes.setdefault((was, now), {}).setdefault(state, []).append(event)
    for (was, now), events_by_state in changes.items():
        parting = next(
            (
                together.divergences[s, e]
                for s, events in events_by_state.items()
                for e in events
                if (s, e) in together.divergences
            ),
            None,
        )
        explained_events = frozenset(
            (state, event) for state, events in events_by_state.items() for event in events
        )
        yield MachineChange(
            ChangeKind.REQUEST,
            ChangeSign.CHANGED,
            f"{was}, now {now}: {_requests_text(events_by_state, one.state_index)}",
            parting,
            requests=explained_events,
        )


def _fallback_text(entry: Otherwise | None) -> str:
    """Say what becomes of a request that no transition takes."""
    if entry is None:
        return "refused"
    words = {
        "ignore": "ignored",
        "refuse": "refused",
        "raise": f"raised {entry.error}",
        "force": "done all the same",
    }
    return words[entry.does.value]


def _requests_text(events_by_state: dict[str, list[str]], states: Container[str]) -> str:
    """Say where a request is made, states with the same requests together."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for state, events in events_by_state.items():
        alike.setdefault(
            tuple(requested_state(event, states) or event for event in events), []
        ).append(state)
    return "; ".join(
        f"in {', '.join(states)} to {', '.join(events)}" for events, states in alike.items()
    )


def answer_changes(known: list[MachineChange], together: Lockstep) -> Iterator[MachineChange]:
    """Yield what only the answers show to differ: results, errors and effects of operations.

    Args:
        known: changes that were found before: what they explain is left out.
        together: the two machines, given the same events.

    Yields:
        Changes, each with a run.
    """
    shown = {change.divergence.state_event for change in known if change.divergence}
    explained = {(transition.source, transition.event) for transition in together.changed} | shown
    explained = explained.union(*(change.requests for change in known))
    explained_events = {transition.event for transition in together.changed}
    for (state, event), parting in together.divergences.items():
        comes_or_goes = isinstance(parting.old, str) or isinstance(parting.new, str)
        if (state, event) not in explained and not (
            parting.is_request and comes_or_goes and event in explained_events
        ):
            about = ChangeKind.REQUEST if parting.is_request else ChangeKind.TRANSITION
            yield MachineChange(
                about,
                ChangeSign.CHANGED,
                f"{event}{f' in {state}' if state else ''} is answered otherwise",
                parting,
            )
