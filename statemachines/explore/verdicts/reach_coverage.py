"""What no run comes to: states and transitions that could as well be left out of a spec, or that
something keeps from being used.
"""

from __future__ import annotations

from collections import Counter

from statemachines.explore.models.machine_model import MachineModel
from statemachines.explore.results.property_results import PropertyResult
from statemachines.explore.results.run_traces import Trace
from statemachines.model.definitions.machine_definitions import MachineDefinition, Transition
from statemachines.model.evidence.verdicts import Verdict

COVERAGE_TITLE = "everything is reached"


def coverage_result(model: MachineModel, bounds: bool, whole: bool) -> PropertyResult[Trace]:
    """Say whether every state is reached and every transition taken.

    Args:
        model: what was explored.
        bounds: whether something kept the search from seeing everything.
        whole: whether no scope leaves anything out: then what was not reached never is, and else a
            wider one might come to it.
    """
    states, transitions = find_unreached_states(model), find_untaken_transitions(model)
    if not states and not transitions:
        return PropertyResult(COVERAGE_TITLE, Verdict.HOLDS)
    never = [f"never in {', '.join(states)}"] if states else []
    never += (
        [f"never taken: {', '.join(map(transition_title, transitions))}"] if transitions else []
    )
    sure = whole and not bounds
    return PropertyResult(
        COVERAGE_TITLE, Verdict.VIOLATED if sure else Verdict.INCONCLUSIVE, "; ".join(never)
    )


def find_unreached_states(model: MachineModel) -> tuple[str, ...]:
    """Return the states that no run comes to, those left out to which only transitions lead that
    are said never to be taken.

    A state counts to which a run comes that is not followed on from there: a bound was hit.
    """
    reached = {number for rule in model.memos for number in rule.asked_states} | {
        row[0] for row in model.initial_rows
    }
    taken = {number for rule in model.memos for number in rule.taken_transitions}
    led_to = {
        transition.target for transition in model.machine.transitions if id(transition) in taken
    }
    declared = _never_reached_by_declaration(model.machine)
    names = model.tables.states
    return tuple(
        name
        for number, name in enumerate(names)
        if number not in reached and name and name not in declared | led_to
    )


def find_untaken_transitions(model: MachineModel) -> tuple[Transition, ...]:
    """Return the transitions that no run takes; one that leads from every state is taken where it
    is taken from one.

    What leaves a state that is said never to be reached is left out.
    """
    taken = {number for rule in model.memos for number in rule.taken_transitions}
    transitions, declared = (
        [transition for transition in model.machine.transitions if transition.taken],
        _never_reached_by_declaration(model.machine),
    )
    size = Counter(map(_operation_key, transitions))
    used = {_operation_key(transition) for transition in transitions if id(transition) in taken}
    missed, named = [], set[tuple[int, str, int]]()
    for transition in transitions:
        key = _operation_key(transition)
        everywhere = transition.entry < 0 or size[key] == len(model.tables.states)
        if (
            id(transition) not in taken
            and transition.source not in declared
            and not (everywhere and (key in used or key in named))
        ):
            missed.append(transition)
            named.add(key)
    return tuple(missed)


def _operation_key(transition: Transition) -> tuple[int, str, int]:
    return transition.entry, transition.event, transition.case.index if transition.case else 0


def _never_reached_by_declaration(machine: MachineDefinition) -> set[str]:
    """Return the states to which transitions lead, and none that is ever taken."""
    led_to = {
        transition.target
        for transition in machine.transitions
        if transition.source != transition.target
    }
    return led_to - {
        transition.target
        for transition in machine.transitions
        if transition.taken and transition.source != transition.target
    }


def transition_title(transition: Transition) -> str:
    """Return how a transition is called: `LOCKED -> OPEN on coin`.

    Args:
        transition: of a machine.

    Returns:
        A short text.
    """
    where = f"{transition.source} -> {transition.target}" if transition.source else ""
    event = (
        ""
        if transition.event == f"to_{transition.target}"
        else f"on {transition.event}"
        if where
        else transition.event
    )
    case = (
        f"case {transition.case.index + 1}"
        if transition.case and transition.case.when is not None
        else ""
    )
    return " ".join(part for part in (where, event, case) if part)
