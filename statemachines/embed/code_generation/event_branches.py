"""What an event does, by the states in which it does the same: the branches of its method."""

from __future__ import annotations

from attrs import frozen

from statemachines.embed.code_generation.readable_python import (
    ReadablePythonWriter,
)
from statemachines.embed.code_generation.table_class import (
    Branch,
    GeneratedNames,
    state_branch,
)
from statemachines.model.definitions.machine_definitions import Transition
from statemachines.semantics.machine.machine_tables import MachineTables


@frozen
class EventBranch:
    """What an event does in some states: transitions that may take it, in order, and what becomes
    of it otherwise.
    """

    cases: tuple[tuple[int, int, str], ...]
    """Entry, number of the case, target (empty: it stays)."""
    fallback: Branch


@frozen(eq=False)
class GeneratorContext:
    """All that the methods of one class are written with."""

    tables: MachineTables
    names: GeneratedNames
    writer: ReadablePythonWriter
    variables: dict[str, str]
    """Variable to its attribute."""
    guard_methods: dict[str, str]
    """Event to the method that tells whether it would be taken."""
    extra_results: dict[str, str]
    """What operations give out beside their results, to its attribute."""

    @property
    def has_states(self) -> bool:
        """Whether there is more than one nameless state."""
        return self.tables.states != ("",)


def event_branches(context: GeneratorContext, event: str) -> dict[EventBranch, tuple[str, ...]]:
    """Return what an event does and in which states.

    Args:
        context: the machine, and what its module calls things.
        event: its name in the spec.

    Returns:
        What is done, with the states in which it is done.
    """
    branches: dict[EventBranch, tuple[str, ...]] = {}
    for state in context.tables.states:
        transitions = context.tables.candidates.get((state, event), ())
        branch = EventBranch(
            tuple(_case_key(transition) for transition in transitions),
            _fallback(context, state, event, transitions),
        )
        branches[branch] = (*branches.get(branch, ()), state)
    return branches


def _case_key(transition: Transition) -> tuple[int, int, str]:
    return (
        transition.entry,
        transition.case.index if transition.case is not None else -1,
        "" if transition.target == transition.source else transition.target,
    )


def _fallback(
    context: GeneratorContext, state: str, event: str, transitions: tuple[Transition, ...]
) -> Branch:
    """Return what becomes of an event that no transition takes; nothing is left over by a
    transition or a last case without condition.
    """
    if transitions and _takes_always(transitions[-1]):
        return Branch("never")
    branch = state_branch(context.tables, state, event)
    return Branch("refuse") if branch.kind == "go" else branch


def _takes_always(transition: Transition) -> bool:
    return transition.case is None or (
        transition.case.guard is None and transition.case.when is None
    )
