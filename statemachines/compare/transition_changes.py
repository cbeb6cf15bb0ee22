"""What changed of the transitions of a machine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import evolve

from statemachines.compare.lockstep import Divergence, Lockstep
from statemachines.compare.machine_changes import (
    ChangeKind,
    ChangeSign,
    MachineChange,
)
from statemachines.explore.verdicts.reach_coverage import transition_title
from statemachines.model.definitions.machine_definitions import (
    MachineDefinition,
    Transition,
)
from statemachines.model.evidence.durations import exact_duration


def transition_changes(
    old: MachineDefinition, new: MachineDefinition, together: Lockstep
) -> Iterator[MachineChange]:
    """Yield what changed of transitions, each with a run that shows it where one does.

    Args:
        old: in one release.
        new: in another one, or of another spec.
        together: the two machines, given the same events.

    Yields:
        Changes: what came, what went, then what is otherwise than it was.
    """
    matched = _matched_transitions(old.transitions, new.transitions)
    before = {id(now): was for was, now in matched}
    matched_before = {id(was) for was, _ in matched}
    for transition in new.transitions:
        if id(transition) not in before:
            yield _one_sided_transition(ChangeSign.ADDED, transition, together, of_new=True)
    for transition in old.transitions:
        if id(transition) not in matched_before:
            yield _one_sided_transition(ChangeSign.REMOVED, transition, together, of_new=False)
    for was, now in matched:
        yield from _common_transition_changes(was, now, together)


def _common_transition_changes(
    was: Transition, now: Transition, together: Lockstep
) -> Iterator[MachineChange]:
    """Yield what changed of a transition that both have."""
    title = transition_title(now)
    if was.taken != now.taken:
        run = together.run_taking(now if now.taken else was, of_new=now.taken)
        does = "taken now" if now.taken else "never taken any more"
        yield _change(f"{title} is {does}", run, now.doc)
    elif was.silent != now.silent:
        yield _change(f"{title} {'may now' if now.silent else 'no longer'} pass in silence")
    elif was.after_ms != now.after_ms:
        what = f"{title} is taken {_when_taken(now)}; it was {_when_taken(was)}"
        yield evolve(_change(what), is_of_time=True)
    elif was.restarts != now.restarts:
        does = "begins the time of its state again" if now.restarts else "only stays in its state"
        yield evolve(_change(f"{title} {does} now"), is_of_time=True)
    elif _transition_content(was) != _transition_content(now):
        divergence = together.divergences.get((was.source, was.event))
        if divergence is None and not together.bounded:
            yield _change(f"{title} is written otherwise, and no run shows it", doc=now.doc)
        else:
            yield _change(f"{title} does something else", divergence, now.doc)


def _change(what: str, divergence: Divergence | None = None, doc: str = "") -> MachineChange:
    """Return the change of a transition that both have."""
    return MachineChange(ChangeKind.TRANSITION, ChangeSign.CHANGED, what, divergence, doc)


def _when_taken(transition: Transition) -> str:
    """Say after which time a transition is taken, if by time."""
    if transition.after_ms:
        return f"after {exact_duration(transition.after_ms)}"
    return "when it is asked for"


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
    matched_transitions, others = [], list[Transition]()
    for transition in new:
        alike = pending.get((transition.source, transition.target, transition.event), [])
        same = next(
            (
                candidate
                for candidate in alike
                if _transition_content(candidate) == _transition_content(transition)
            ),
            None,
        )
        if same is None:
            others.append(transition)
        else:
            alike.remove(same)
            matched_transitions.append((same, transition))
    for transition in others:
        alike = pending.get((transition.source, transition.target, transition.event), [])
        if alike:
            matched_transitions.append((alike.pop(0), transition))
    return matched_transitions


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
