"""What a mutant is, and all mutants of a machine in one order."""

from __future__ import annotations

import enum
import random
from collections.abc import Sequence

from attrs import field, frozen

from statemachines.explore.verdicts.reach_coverage import transition_title
from statemachines.model.definitions.machine_definitions import (
    MachineDefinition,
    SpecDefinition,
    Transition,
)
from statemachines.model.diagnosis.diagnostics import Span
from statemachines.mutate.operators.edits import Edit


class MutationOperator(enum.StrEnum):
    """What kind of change one is; the order of the table."""

    DROP = "drop a transition"
    RETARGET = "another target"
    SWAP = "swap targets"
    ALLOW = "take it elsewhere"
    GUARD = "change a guard"
    EFFECT = "change an effect"
    RESULT = "change a result"
    ANSWER = "answer otherwise"
    BEGINNING = "begin otherwise"
    RANGE = "other releases"
    DEFINITION = "change a definition"
    LOCAL = "change a `let`"
    WORLD = "change a `where`"
    ORDER = "swap an order"
    LINK = "drop a link"
    FIRING = "fire elsewhere"
    SENDING = "send otherwise"
    SHARING = "no longer the same"


@frozen
class MutantCandidate:
    """A mutant without a number."""

    operator: MutationOperator
    subject: str
    """Which transition, variable or entry: `LOCKED -> OPEN on coin`."""
    change: str
    """What was done to it: `leads to LOCKED, not to OPEN`; `: the guard is dropped` where it is
    done to a part of it.
    """
    edit: Edit
    diff: tuple[str, ...]
    """Lines that begin with ` `, `-` or `+`."""
    release: str
    """In which it is judged; empty for a machine without a family."""
    span: Span | None = field(default=None, eq=False, repr=False)


@frozen
class Mutant:
    """A machine that is wrong by a little."""

    number: int
    """From 1, in one order: the same of the same spec, sampled or not."""
    candidate: MutantCandidate

    @property
    def title(self) -> str:
        """What was done to what."""
        subject, change = self.candidate.subject, self.candidate.change
        return f"{subject}{'' if change.startswith(':') else ' '}{change}"

    @property
    def position(self) -> str:
        """File and line of the spec; empty where there are none."""
        span = self.candidate.span
        return f"{span.file}:{span.line}" if span else ""


@frozen
class MutationSite:
    """Transitions that one line of a spec makes, in one release."""

    indices: tuple[int, ...]
    """In the spec's list."""
    transitions: tuple[Transition, ...]

    @property
    def first(self) -> Transition:
        """The one that stands for all."""
        return self.transitions[0]

    @property
    def title(self) -> str:
        """How it is called."""
        if len(self.transitions) == 1:
            return transition_title(self.first)
        last_resort = self.first.case is None or self.first.case.when is None
        return (
            self.first.event
            if self.case is None or last_resort
            else f"{self.first.event} case {self.case}"
        )

    @property
    def case(self) -> int | None:
        """Which case of its operation it is, from 1; None of all of them, or of the only one."""
        numbers = {
            transition.case.index for transition in self.transitions if transition.case is not None
        }
        first = self.first.case
        if len(numbers) != 1 or first is None or (first.index == 0 and first.when is None):
            return None
        return first.index + 1


@frozen
class MutationContext:
    """What mutants are made of."""

    spec: SpecDefinition
    machine: MachineDefinition
    """The spec in the release that is asked about."""

    @property
    def release_bit(self) -> int:
        """That release as a set."""
        return self.spec.family.bit(self.machine.release)

    @property
    def state_names(self) -> tuple[str, ...]:
        """The states' names, in the author's order."""
        return tuple(state.name for state in self.machine.states)

    def sites(self) -> tuple[MutationSite, ...]:
        """Return the transitions: each of a table alone; what is guarded or has effects
        as one for all states that share it.

        Transitions that the system itself never takes are left out: nothing but a log can tell
        whether they stand there.
        """
        by_site: dict[object, list[int]] = {}
        for index, transition in enumerate(self.spec.transitions):
            if transition.releases & self.release_bit and transition.taken:
                alone = (
                    (transition.source, transition.target)
                    if transition.case is None
                    else transition.case.index
                )
                by_site.setdefault((transition.entry, transition.event, alone), []).append(index)
        return tuple(
            MutationSite(tuple(indices), tuple(self.spec.transitions[index] for index in indices))
            for indices in by_site.values()
        )


def sample_mutants(
    drafts: Sequence[MutantCandidate], most: int | None, seed: int
) -> tuple[Mutant, ...]:
    """Number drafts and choose some of them, spread over the operators.

    Args:
        drafts: all, in the order of their places in the spec.
        most: how many; None: all.
        seed: of the choice; the same seed, the same choice.

    Returns:
        Mutants in the order of the drafts.
    """
    mutants = tuple(Mutant(number, draft) for number, draft in enumerate(drafts, 1))
    if most is None or most >= len(mutants):
        return mutants
    chooser = random.Random(seed)
    groups = {
        operator: [mutant for mutant in mutants if mutant.candidate.operator is operator]
        for operator in MutationOperator
    }
    for group in groups.values():
        chooser.shuffle(group)
    chosen = list[Mutant]()
    while len(chosen) < most:
        for group in groups.values():
            if group and len(chosen) < most:
                chosen.append(group.pop())
    return tuple(sorted(chosen, key=lambda mutant: mutant.number))
