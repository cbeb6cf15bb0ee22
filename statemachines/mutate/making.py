"""All mutants of a spec in a release."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from statemachines.model.machines import Machine, Spec
from statemachines.mutate.edits import mutated_spec
from statemachines.mutate.manners import answers, beginnings, ranges
from statemachines.mutate.meanings import definitions, lets, orders, worlds
from statemachines.mutate.moves import allowed, dropped, retargeted, swapped
from statemachines.mutate.mutants import Draft, Ground, Mutant, sampled
from statemachines.mutate.operations import effects, guards, results

OPERATORS: tuple[Callable[[Ground], Iterator[Draft]], ...] = (
    *(dropped, retargeted, swapped, allowed),
    *(guards, effects, results, answers, beginnings, ranges),
    *(definitions, lets, worlds, orders),
)
"""In the order of `Operator`."""


def mutants_of(spec: Spec, machine: Machine, *, most: int | None = None, seed: int = 0) -> tuple[Mutant, ...]:
    """Return the mutants of a machine, in the order of the operators, then of the spec.

    Args:
        spec: the machine in all its releases.
        machine: the spec in one of them; only mutants of a range of releases are judged in others.
        most: how many, chosen by the seed and spread over the operators; None: all.
        seed: of the choice.

    Complexity: for a table, the square of its states times its events.
    """
    ground = Ground(spec, machine)
    drafts: dict[object, Draft] = {}
    for draft in (each for operator in OPERATORS for each in operator(ground)):
        drafts.setdefault((draft.what, draft.said, draft.diff), draft)
    return sampled(tuple(drafts.values()), most, seed)


def spec_of(spec: Spec, machine: Machine, number: int) -> Spec:
    """Return the spec of a mutant.

    Args:
        spec: the original, in all its releases.
        machine: the original in the release that is asked about.
        number: as `mutants_of` counts, in any sample; 0: the spec itself.

    Raises:
        ValueError: there is no mutant of this number.
    """
    if number == 0:
        return spec
    mutants = mutants_of(spec, machine)
    if not 0 < number <= len(mutants):
        raise ValueError(f"there is no mutant {number}; {spec.name} has {len(mutants)}")
    return mutated_spec(spec, mutants[number - 1].draft.edit)
