"""What no run comes to: states and transitions that could as well be left out of a spec, or that
something keeps from being used.
"""

from __future__ import annotations

from collections import Counter

from statemachines.explore.models.model_protocol import Model
from statemachines.explore.models.part_blocks import PartKind
from statemachines.explore.results.property_results import PropertyResult
from statemachines.explore.results.run_traces import Trace
from statemachines.model.definitions.machine_definitions import MachineDefinition, Transition
from statemachines.model.evidence.verdicts import Verdict

COVERAGE_TITLE = "everything is reached"


def coverage_result(model: Model, bounds: bool, whole: bool) -> PropertyResult[Trace]:
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


def find_unreached_states(model: Model) -> tuple[str, ...]:
    """Return the states that no run comes to, of a part as `part.STATE`; of a machine those are
    left out to which only transitions lead that are said never to be taken.

    A state counts to which a run comes that is not followed on from there: a bound was hit.
    """
    unreached = list[str]()
    for kind in model.kinds:
        left_out = _reached_states(model, kind)
        if not kind.name:
            left_out |= _never_reached_by_declaration(kind.tables.machine)
        names = (state for state in kind.tables.states if state and state not in left_out)
        unreached += (f"{kind.name}.{state}" if kind.name else state for state in names)
    return tuple(unreached)


def _reached_states(model: Model, kind: PartKind) -> set[str]:
    """Return the states to which a run comes."""
    names, linked = kind.columns[0].values, model.linked
    begins = {
        names[row[block.offset]]
        for block in model.blocks
        if block.kind is kind
        for row in model.initial_rows
    }
    visited = {names[number] for memo in kind.free_memos for number in memo.asked_states}
    taken = {number for memo in kind.free_memos for number in memo.taken_transitions}
    transitions = kind.tables.machine.transitions
    led_to = {transition.target for transition in transitions if id(transition) in taken}
    entered = () if linked is None else linked.entered_states
    return begins | visited | led_to | {state for part, state in entered if part == kind.name}


def find_untaken_transitions(model: Model) -> tuple[Transition, ...]:
    """Return the transitions of a machine that no run takes; one that leads from every state is
    taken where it is taken from one.

    What leaves a state that is said never to be reached is left out.
    """
    machine = model.definition
    if not isinstance(machine, MachineDefinition):
        return ()
    taken = {number for rule in model.memos for number in rule.taken_transitions}
    transitions, declared = (
        [transition for transition in machine.transitions if transition.taken],
        _never_reached_by_declaration(machine),
    )
    size = Counter(map(_operation_key, transitions))
    used = {_operation_key(transition) for transition in transitions if id(transition) in taken}
    missed, named = [], set[tuple[int, str, int]]()
    for transition in transitions:
        key = _operation_key(transition)
        everywhere = transition.entry < 0 or size[key] == len(model.machine_tables.states)
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
