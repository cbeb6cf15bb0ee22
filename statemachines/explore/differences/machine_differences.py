"""What changed between two machines in behaviour: states, transitions, what becomes of other
requests, log lines; each with a trace.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from typing import TypeVar

from attrs import evolve, field, frozen

from statemachines.explore.differences.lockstep import Divergence, Lockstep, walk_in_lockstep
from statemachines.explore.verdicts.reach_coverage import transition_title
from statemachines.model.definitions.data_definitions import Parameter, Variable
from statemachines.model.definitions.log_definitions import LineDefinition
from statemachines.model.definitions.machine_definitions import (
    MachineDefinition,
    Otherwise,
    Transition,
    requested_state,
)
from statemachines.model.evidence.durations import exact_duration
from statemachines.semantics.machine.machine_tables import machine_tables
from statemachines.semantics.machine.step import matching_fallback

T = TypeVar("T")


class ChangeKind(enum.StrEnum):
    """What a change is about; the order of a report."""

    STATE = "state"
    DATA = "variable or parameter"
    TRANSITION = "transition"
    REQUEST = "request that nothing takes"
    PREDICATE = "predicate"
    PROPERTY = "property"
    LINE = "log line"


class ChangeSign(enum.StrEnum):
    """Which way it changed."""

    ADDED = "+"
    REMOVED = "-"
    CHANGED = "~"


@frozen
class MachineChange:
    """One thing that is not as it was."""

    about: ChangeKind
    sign: ChangeSign
    what: str
    divergence: Divergence | None = None
    """A shortest run that the two do not answer alike; None where no run shows it."""
    doc: str = field(default="", eq=False)
    requests: frozenset[tuple[str, str]] = field(default=frozenset(), eq=False)
    """(state, event) of all requests that it tells of."""


@frozen
class MachineDifference:
    """All that changed between two machines."""

    old: MachineDefinition
    new: MachineDefinition
    changes: tuple[MachineChange, ...]
    bounded: bool = False
    """Whether the two were not walked together to the end: a change may lack its trace."""

    @property
    def same_behaviour(self) -> bool | None:
        """Whether no run tells the two apart; None where not all runs were looked at."""
        if any(change.divergence is not None for change in self.changes):
            return False
        return None if self.bounded else True


def compare_machines(old: MachineDefinition, new: MachineDefinition) -> MachineDifference:
    """Compare two machines: two releases of one, or two specs.

    Args:
        old: what was.
        new: what is.

    Returns:
        The changes, in the order of `About`, then the author's. Each is shown by a shortest run:
        one of the two takes its last event and the other does not, or they answer it otherwise.
    """
    together = walk_in_lockstep(old, new)
    changes = [
        *_state_changes(old, new, together),
        *_data_changes(old, new, together),
        *_transition_changes(old, new, together),
        *_request_changes(old, new, together),
    ]
    changes += [
        *_answer_changes(changes, together),
        *_predicate_changes(old, new),
        *_property_changes(old, new),
        *_line_changes(old, new),
    ]
    return MachineDifference(old, new, tuple(changes), together.bounded)


def _state_changes(
    old: MachineDefinition, new: MachineDefinition, together: Lockstep
) -> Iterator[MachineChange]:
    before, after = ({state.name: state for state in machine.states} for machine in (old, new))
    for name, state in after.items():
        if name not in before:
            yield MachineChange(
                ChangeKind.STATE,
                ChangeSign.ADDED,
                name,
                together.run_entering(name, of_new=True),
                state.doc,
            )
    for name, state in before.items():
        if name not in after:
            yield MachineChange(
                ChangeKind.STATE,
                ChangeSign.REMOVED,
                name,
                together.run_entering(name, of_new=False),
                state.doc,
            )
        else:
            for word, was, now in (
                ("initial", state.initial, after[name].initial),
                ("final", state.final, after[name].final),
            ):
                if was != now:
                    parting = (
                        together.run_starting_in(name, of_new=now) if word == "initial" else None
                    )
                    yield MachineChange(
                        ChangeKind.STATE,
                        ChangeSign.CHANGED,
                        f"{name} is {'now' if now else 'no longer'} {word}",
                        parting,
                    )


def _data_changes(
    old: MachineDefinition, new: MachineDefinition, together: Lockstep
) -> Iterator[MachineChange]:
    """Yield which parameters and variables came, went, or have another type or first value."""
    before, after = (
        {one.name: (_type_text(one), evolve(one, doc="")) for one in _declared_data(machine)}
        for machine in (old, new)
    )
    yield from _keyed_changes(ChangeKind.DATA, before, after, lambda name, one: f"{name}: {one[0]}")
    if together.start_divergence is not None:
        yield MachineChange(
            ChangeKind.DATA,
            ChangeSign.CHANGED,
            "instances begin with other values",
            together.start_divergence,
        )


def _declared_data(machine: MachineDefinition) -> tuple[Parameter | Variable, ...]:
    return (*machine.data.parameters, *machine.data.variables)


def _type_text(one: Parameter | Variable) -> str:
    return str(one.type)


def _transition_changes(
    old: MachineDefinition, new: MachineDefinition, together: Lockstep
) -> Iterator[MachineChange]:
    matched = _matched_transitions(old.transitions, new.transitions)
    before = {id(now): was for was, now in matched}
    kept = {id(was) for was, _ in matched}
    for transition in new.transitions:
        if id(transition) not in before:
            yield _one_sided_transition(ChangeSign.ADDED, transition, together, of_new=True)
    for transition in old.transitions:
        if id(transition) not in kept:
            yield _one_sided_transition(ChangeSign.REMOVED, transition, together, of_new=False)
    for was, now in matched:
        yield from _common_transition_changes(was, now, together)


def _common_transition_changes(
    was: Transition, now: Transition, together: Lockstep
) -> Iterator[MachineChange]:
    """Yield what changed of a transition that both have."""
    if was.taken != now.taken:
        message = (
            f"{transition_title(now)} is {'taken now' if now.taken else 'never taken any more'}"
        )
        yield MachineChange(
            ChangeKind.TRANSITION,
            ChangeSign.CHANGED,
            message,
            together.run_taking(now if now.taken else was, of_new=now.taken),
            now.doc,
        )
    elif was.silent != now.silent:
        yield MachineChange(
            ChangeKind.TRANSITION,
            ChangeSign.CHANGED,
            f"{transition_title(now)} {'may now' if now.silent else 'no longer'} pass in silence",
        )
    elif was.after_ms != now.after_ms:
        old, new = (
            f"after {exact_duration(each.after_ms)}" if each.after_ms else "when it is asked for"
            for each in (was, now)
        )
        message = f"{transition_title(now)} is taken {new}; it was {old}"
        yield MachineChange(ChangeKind.TRANSITION, ChangeSign.CHANGED, message)
    elif _transition_content(was) != _transition_content(now):
        parting = together.divergences.get((was.source, was.event))
        if parting is None and not together.bounded:
            yield MachineChange(
                ChangeKind.TRANSITION,
                ChangeSign.CHANGED,
                f"{transition_title(now)} is written otherwise, and no run shows it",
                doc=now.doc,
            )
        else:
            yield MachineChange(
                ChangeKind.TRANSITION,
                ChangeSign.CHANGED,
                f"{transition_title(now)} does something else",
                parting,
                now.doc,
            )


def _matched_transitions(
    old: Sequence[Transition], new: Sequence[Transition]
) -> list[tuple[Transition, Transition]]:
    """Return the transitions that both have: those that are the same, then the others of an event
    in their order.
    """
    pending: dict[object, list[Transition]] = {}
    for transition in old:
        pending.setdefault((transition.source, transition.target, transition.event), []).append(
            transition
        )
    found, others = [], list[Transition]()
    for transition in new:
        alike = pending.get((transition.source, transition.target, transition.event), [])
        same = next(
            (one for one in alike if _transition_content(one) == _transition_content(transition)),
            None,
        )
        if same is None:
            others.append(transition)
        else:
            alike.remove(same)
            found.append((same, transition))
    for transition in others:
        alike = pending.get((transition.source, transition.target, transition.event), [])
        if alike:
            found.append((alike.pop(0), transition))
    return found


def _transition_content(transition: Transition) -> object:
    """Return what a transition does, whatever its number among the cases."""
    return evolve(transition.case, index=0, doc="") if transition.case is not None else None


def _one_sided_transition(
    sign: ChangeSign, transition: Transition, together: Lockstep, *, of_new: bool
) -> MachineChange:
    """Tell of a transition that one of the two has; of one that is never taken no run shows
    anything.
    """
    if not transition.taken:
        return MachineChange(
            ChangeKind.TRANSITION,
            sign,
            f"{transition_title(transition)} (never taken)",
            doc=transition.doc,
        )
    return MachineChange(
        ChangeKind.TRANSITION,
        sign,
        transition_title(transition),
        together.run_taking(transition, of_new=of_new),
        transition.doc,
    )


def _request_changes(
    old: MachineDefinition, new: MachineDefinition, together: Lockstep
) -> Iterator[MachineChange]:
    """Yield what becomes otherwise of requests that neither machine has a transition for; alike
    changes are one.
    """
    one, other = machine_tables(old), machine_tables(new)
    found: dict[tuple[str, str], dict[str, list[str]]] = {}
    for state in (name for name in one.states if name in other.state_index):
        for event in (name for name in one.events if name in other.event_index):
            if (state, event) in one.candidates or (state, event) in other.candidates:
                continue
            was, now = (
                fallback_text(matching_fallback(one, state, event)),
                fallback_text(matching_fallback(other, state, event)),
            )
            if was != now:
                found.setdefault((was, now), {}).setdefault(state, []).append(event)
    for (was, now), events_by_state in found.items():
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


def fallback_text(entry: Otherwise | None) -> str:
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


def _answer_changes(known: list[MachineChange], together: Lockstep) -> Iterator[MachineChange]:
    """Yield what only the answers show to differ: results, errors and effects of operations."""
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


def _predicate_changes(old: MachineDefinition, new: MachineDefinition) -> Iterator[MachineChange]:
    before, after = ({one.name: one.states for one in machine.predicates} for machine in (old, new))
    yield from _keyed_changes(
        ChangeKind.PREDICATE, before, after, lambda name, states: f"{name}: {', '.join(states)}"
    )


def _property_changes(old: MachineDefinition, new: MachineDefinition) -> Iterator[MachineChange]:
    before, after = (
        {f"{one.kind.value} {one.name}": evolve(one, doc="") for one in machine.data.properties}
        for machine in (old, new)
    )
    yield from _keyed_changes(ChangeKind.PROPERTY, before, after, lambda name, _: name)


def _line_changes(old: MachineDefinition, new: MachineDefinition) -> Iterator[MachineChange]:
    before, after = (
        dict(_template_texts(machine.log.lines if machine.log else ())) for machine in (old, new)
    )
    yield from _keyed_changes(
        ChangeKind.LINE, before, after, lambda key, message: f"{message}: {key}"
    )


def _template_texts(lines: Iterable[LineDefinition]) -> Iterator[tuple[str, str]]:
    """Yield every wording with what it says and how loud."""
    for line in lines:
        message = " or ".join(one.value for one in line.kinds) + (
            f" ({line.level})" if line.level else ""
        )
        yield from ((template.text, message) for template in line.templates)


def _keyed_changes(
    about: ChangeKind, before: dict[str, T], after: dict[str, T], say: Callable[[str, T], str]
) -> Iterator[MachineChange]:
    for name, thing in after.items():
        if name not in before:
            yield MachineChange(about, ChangeSign.ADDED, say(name, thing))
        elif before[name] != thing:
            yield MachineChange(about, ChangeSign.CHANGED, say(name, thing))
    yield from (
        MachineChange(about, ChangeSign.REMOVED, say(name, thing))
        for name, thing in before.items()
        if name not in after
    )
