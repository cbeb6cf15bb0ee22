"""Is this move legal, in which releases, and what does the program do with the request where it is
not.
"""

from __future__ import annotations

from collections import defaultdict

from attrs import evolve, frozen

from statemachines.model.definitions.machine_definitions import (
    MachineDefinition,
    SpecDefinition,
    State,
    Transition,
)
from statemachines.model.definitions.snapshots import (
    Advanced,
    Answer,
    Forced,
    Ignored,
    Raised,
    Refused,
    Snapshot,
)
from statemachines.model.diagnosis.suggestions import did_you_mean
from statemachines.report.specs.descriptions import enabling_condition


class UnknownState(ValueError):
    """A text that is no state of the machine; the message has the nearest one that is."""

    def __init__(self, text: str, spec: SpecDefinition) -> None:
        known = tuple(dict.fromkeys(state.name for state in spec.states if state.name))
        none = "its states have no names; `show` says what it does"
        hint = did_you_mean(text, known) if known else none
        super().__init__(f"`{text}` is no state of {spec.name}; {hint}")


@frozen
class ReleaseLegality:
    """What a machine says of a move, in some releases."""

    releases: str
    """As the notation writes ranges; empty for a machine without releases."""
    legal: bool
    taken: bool
    """False where the move stands in the system's table and its code never makes it."""
    consequence: str
    """What becomes of the request, in words."""
    by: tuple[str, ...]
    """Who asks for the move, by the spec."""
    condition: str = ""
    """What must hold of the machine's data and the event's arguments; empty where the move needs
    nothing.
    """


@frozen
class LegalityAnswer:
    """All that a machine says of a move."""

    source: str
    target: str
    releases: tuple[ReleaseLegality, ...]
    """Oldest releases first, equal ones together."""
    newest_release: str
    """The newest release that was asked about; empty for a machine without releases."""
    legal_targets: tuple[str, ...]
    """Where the source state leads in that one."""


def step_legality(
    spec: SpecDefinition, source: str, target: str, release: str | None = None
) -> LegalityAnswer:
    """Say whether a machine may go from one state to another.

    Args:
        spec: the machine in all its releases.
        source: a state, or another spelling of one.
        target: likewise.
        release: only this one; None: all, equal answers put together, oldest first.

    Returns:
        An answer for each class of releases.

    Raises:
        UnknownState: one of them is no state of any release.
        ValueError: no such release.
    """
    from statemachines.notation import machine_of

    one, other = _state_from_text(spec, source), _state_from_text(spec, target)
    machine = machine_of(spec, release)
    wanted = spec.releases if release is None else spec.family.bit(machine.release)
    groups: dict[ReleaseLegality, int] = defaultdict(int)
    for name in spec.family.names(wanted):
        groups[_release_legality(machine_of(spec, name), one, other)] |= spec.family.bit(name)
    rows = tuple(
        evolve(row, releases=spec.family.ranges(releases)) for row, releases in groups.items()
    )
    instead = dict.fromkeys(
        transition.target for transition in machine.moves if transition.source == one
    )
    return LegalityAnswer(one, other, rows, machine.release, tuple(instead))


def _state_from_text(spec: SpecDefinition, text: str) -> str:
    """Return the state that a text names: by its name, another spelling, or either in other
    capitals.

    Raises:
        UnknownState: none.
    """
    spellings = {
        spelling.casefold(): state.name
        for state in reversed(spec.states)
        for spelling in (*state.spellings, state.name)
    }
    name = text if spec.state(text) else spellings.get(text.casefold())
    if name is None:
        raise UnknownState(text, spec)
    return name


def _release_legality(machine: MachineDefinition, source: str, target: str) -> ReleaseLegality:
    states = {state.name: state for state in machine.states}
    for name in (source, target):
        if name not in states:
            return ReleaseLegality("", False, True, f"there is no {name}", ())
    transitions = [
        transition
        for transition in machine.moves
        if transition.source == source and transition.target == target
    ]
    by = tuple(dict.fromkeys(who for transition in transitions for who in transition.by))
    taken = any(transition.taken for transition in transitions)
    provided = enabling_condition(transitions)
    does = (
        _on_events_text(transitions)
        if provided
        else _consequence(machine, states[source], target, transitions)
    )
    return ReleaseLegality("", bool(transitions), taken or not transitions, does, by, provided)


def _consequence(
    machine: MachineDefinition, source: State, target: str, transitions: list[Transition]
) -> str:
    """Say what becomes of the request `to_<TARGET>`, or of the events that lead there."""
    named = f"to_{target}"
    if any(event.name == named for event in machine.events):
        return _request_sentence(machine, source.name, named)
    if transitions:
        return _on_events_text(transitions)
    asking = dict.fromkeys(
        move.event
        for move in machine.moves
        if move.target == target and not move.silent and not move.after_ms
    )
    sentences: dict[str, list[str]] = defaultdict(list)
    for event in asking:
        sentences[_request_sentence(machine, source.name, event)].append(event)
    return (
        "; ".join(f"on {', '.join(events)}: {sentence}" for sentence, events in sentences.items())
        or "has no request for it from there"
    )


def _request_sentence(machine: MachineDefinition, source: str, event: str) -> str:
    """Say what becomes of an event in a state, whatever its arguments and the data are."""
    from statemachines.semantics.machine.machine_tables import machine_tables
    from statemachines.semantics.machine.step import fallback_answer

    transitions = [
        transition
        for transition in machine.transitions
        if (transition.source, transition.event) == (source, event) and transition.taken
    ]
    outcomes = list(dict.fromkeys(map(_outcome_text, transitions)))
    if not transitions or enabling_condition(transitions):
        answer = fallback_answer(machine_tables(machine), Snapshot(source), event, ())
        outcomes.append(_answer_sentence(answer, source))
    return ", else ".join(outcomes)


def _outcome_text(transition: Transition) -> str:
    stays = transition.source == transition.target
    error = transition.case.raises if transition.case else None
    does = f"raises {error}" if error else "stays as it is" if stays else ""
    provided = enabling_condition([transition])
    return (does or f"goes to {transition.target}") + (f" if {provided}" if provided else "")


def _on_events_text(transitions: list[Transition]) -> str:
    return (
        f"goes there on {', '.join(dict.fromkeys(transition.event for transition in transitions))}"
    )


def _answer_sentence(answer: Answer, source: str) -> str:
    """Say an answer of `step` as a sentence whose subject is the program."""
    match answer:
        case Advanced(after=after):
            return "stays as it is" if after.state == source else f"goes to {after.state}"
        case Ignored():
            return "ignores the request; nothing changes"
        case Refused(reason=reason):
            return "refuses the request; nothing changes" + (f" ({reason})" if reason else "")
        case Raised(error=error):
            return f"raises {error}"
        case Forced(after=after):
            return f"goes to {after.state} all the same"
