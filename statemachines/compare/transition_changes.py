"""What changed of the transitions of a machine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import evolve

from statemachines.compare.lockstep import Lockstep
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
            f"after {exact_duration(transition.after_ms)}"
            if transition.after_ms
            else "when it is asked for"
            for transition in (was, now)
        )
        message = f"{transition_title(now)} is taken {new}; it was {old}"
        yield MachineChange(ChangeKind.TRANSITION, ChangeSign.CHANGED, message)
    elif was.restarts != now.restarts:
        does = "begins the time of its state again" if now.restarts else "only stays in its state"
        message = f"{transition_title(now)} {does} now"
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
