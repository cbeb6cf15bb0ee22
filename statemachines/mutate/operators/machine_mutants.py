"""All mutants of a spec in a release."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from statemachines.model.definitions.machine_definitions import MachineDefinition, SpecDefinition
from statemachines.mutate.operators.case_operators import (
    effect_candidates,
    guard_candidates,
    result_candidates,
)
from statemachines.mutate.operators.definition_operators import (
    assumption_candidates,
    definition_candidates,
    let_candidates,
    order_candidates,
)
from statemachines.mutate.operators.edits import mutated_spec
from statemachines.mutate.operators.fallback_operators import (
    fallback_candidates,
    initial_candidates,
    release_candidates,
)
from statemachines.mutate.operators.mutants import (
    Mutant,
    MutantCandidate,
    MutationContext,
    sample_mutants,
)
from statemachines.mutate.operators.target_operators import (
    added_transitions,
    dropped_transitions,
    retargeted_transitions,
    staying_transitions,
    swapped_targets,
)

OPERATORS: tuple[Callable[[MutationContext], Iterator[MutantCandidate]], ...] = (
    *(dropped_transitions, retargeted_transitions, staying_transitions),
    *(swapped_targets, added_transitions),
    *(
        guard_candidates,
        effect_candidates,
        result_candidates,
        fallback_candidates,
        initial_candidates,
        release_candidates,
    ),
    *(definition_candidates, let_candidates, assumption_candidates, order_candidates),
)
"""In the order of `Operator`."""


def machine_mutants(
    spec: SpecDefinition, machine: MachineDefinition, *, most: int | None = None, seed: int = 0
) -> tuple[Mutant, ...]:
    """Return the mutants of a machine, in the order of the operators, then of the spec.

    Args:
        spec: the machine in all its releases.
        machine: the spec in one of them; only mutants of a range of releases are judged in others.
        most: how many, chosen by the seed and spread over the operators; None: all.
        seed: of the choice.

    Returns:
        Mutants with their numbers.

    Complexity: for a table, the square of its states times its events.
    """
    context = MutationContext(spec, machine)
    drafts: dict[object, MutantCandidate] = {}
    for draft in (candidate for operator in OPERATORS for candidate in operator(context)):
        drafts.setdefault((draft.subject, draft.change, draft.diff), draft)
    return sample_mutants(tuple(drafts.values()), most, seed)


def mutant_spec(spec: SpecDefinition, machine: MachineDefinition, number: int) -> SpecDefinition:
    """Return the spec of a mutant.

    Args:
        spec: the original, in all its releases.
        machine: the original in the release that is asked about.
        number: as `machine_mutants` counts, in any sample; 0: the spec itself.

    Returns:
        The changed spec, in all of its releases.

    Raises:
        ValueError: there is no mutant of this number.
    """
    if number == 0:
        return spec
    mutants = machine_mutants(spec, machine)
    if not 0 < number <= len(mutants):
        raise ValueError(f"there is no mutant {number}; {spec.name} has {len(mutants)}")
    return mutated_spec(spec, mutants[number - 1].candidate.edit)
