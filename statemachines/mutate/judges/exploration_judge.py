"""One mutant after the other: is it the same, was it seen before, do the spec's own properties
notice it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attrs import define, evolve, field, frozen

from statemachines.explore.model_questions import LINKS_TITLE
from statemachines.explore.models.model_protocol import Model
from statemachines.explore.models.row_columns import Row
from statemachines.explore.results.property_results import Exploration
from statemachines.explore.results.run_traces import Trace
from statemachines.explore.scopes import ExplorationScope
from statemachines.explore.verdicts.property_verdicts import SPEC_FAULTS
from statemachines.explore.verdicts.reach_coverage import COVERAGE_TITLE, transition_title
from statemachines.model.definitions.machine_definitions import (
    Event,
    MachineDefinition,
    SpecDefinition,
)
from statemachines.model.definitions.system_definitions import SystemDefinition
from statemachines.model.evidence.verdicts import Verdict
from statemachines.mutate.judges.equivalence import FirstDifference, first_difference
from statemachines.mutate.judges.mutation_results import Detection, JudgeKind, MutantStatus
from statemachines.mutate.judges.originals import (
    EVALUATION_ERRORS,
    ExploredOriginal,
    StateEvent,
    build_mutant_model,
    differing_slots,
    expandable_rows,
    explore_original,
    explore_uninterrupted,
    model_initial_snapshots,
    reached_ceiling,
)
from statemachines.mutate.operators.edits import mutated_machine
from statemachines.mutate.operators.mutants import Mutant
from statemachines.notation.releases.machine_selection import machine_of
from statemachines.semantics.machine.machine_tables import MachineTables, machine_tables

_MOST_LOST = 3
"""States and transitions that are named where a mutant comes to fewer."""
_NO_VALUE_TITLE = "every expression has a value"


@frozen(eq=False)
class _KnownMutant:
    """A mutant that others may turn out to be."""

    number: int
    model: Model
    rows: list[Row]


@frozen(eq=False)
class ExploredMutant:
    """What exploring says of a mutant."""

    status: MutantStatus
    detections: tuple[Detection, ...] = ()
    why: str = ""
    same_as: int | None = None
    difference: FirstDifference | None = None
    original: ExploredOriginal | None = None
    tables: MachineTables | None = None
    """The mutant's."""
    system_runs: tuple[Trace, ...] = ()
    """Of a system: a run of the original and of the mutant to the first difference."""

    @classmethod
    def same_as_original(cls, original: ExploredOriginal) -> ExploredMutant:
        """Return what is said of a mutant that answers alike in every row that was visited.

        Args:
            original: what it is a mutant of.

        Returns:
            That it is equivalent, where every row within the scope was visited.
        """
        if original.ceiling:
            why = f"no difference up to {original.ceiling}"
            return cls(MutantStatus.NOT_JUDGED, why=why)
        return cls(MutantStatus.EQUIVALENT)


@define(eq=False)
class ExplorationJudge:
    """Judges mutants by exploring them; it remembers the original, release by release, and the
    mutants that it has seen.
    """

    spec: SpecDefinition
    machine: MachineDefinition
    scope: ExplorationScope
    most_states: int
    originals: dict[tuple[str, tuple[str, ...]], ExploredOriginal] = field(factory=dict)
    known_mutants: dict[object, list[_KnownMutant]] = field(factory=dict)

    def original(self, release: str, wanted: tuple[Event, ...] = ()) -> ExploredOriginal:
        """Return the original in a release, asked for some events that it may not have.

        Args:
            release: which of the spec's.
            wanted: events that a mutant takes and the original does not have.

        Returns:
            The original, explored once.
        """
        machine = (
            self.machine if release == self.machine.release else machine_of(self.spec, release)
        )
        known = {event.name for event in machine.events}
        new = tuple(event for event in wanted if event.name not in known)
        key = release, tuple(event.name for event in new)
        if key not in self.originals:
            whole = evolve(machine, events=(*machine.events, *new)) if new else machine
            self.originals[key] = explore_original(whole, self.scope, self.most_states)
        return self.originals[key]

    def judge(self, mutant: Mutant) -> ExploredMutant:
        """Explore a mutant, as far as is needed.

        Args:
            mutant: of the judge's spec.

        Returns:
            Its status, with what tells it from the original.
        """
        try:
            original, slots, model = self._build_model(mutant)
            apart = _model_difference(original, model, slots)
        except EVALUATION_ERRORS as problem:
            return ExploredMutant(MutantStatus.KILLED, (no_value_detection(problem),))
        if apart is None:
            return ExploredMutant.same_as_original(original)
        return self._explore(mutant, original, model, apart)

    def _build_model(self, mutant: Mutant) -> tuple[ExploredOriginal, frozenset[StateEvent], Model]:
        draft = mutant.candidate
        base = self.original(draft.release)
        changed = mutated_machine(base.machine, self.spec, draft.edit)
        if len(changed.events) > len(base.machine.events):
            base = self.original(draft.release, changed.events[len(base.machine.events) :])
            changed = mutated_machine(base.machine, self.spec, draft.edit)
        slots = differing_slots(base.model.machine_tables, machine_tables(changed))
        return (
            base,
            slots,
            build_mutant_model(base, changed, slots, begins=draft.edit.changes_initial_snapshots),
        )

    def _explore(
        self,
        mutant: Mutant,
        original: ExploredOriginal,
        model: Model,
        apart: FirstDifference,
    ) -> ExploredMutant:
        try:
            exploration, result = explore_uninterrupted(model, original.options)
            same = (
                self._earlier_duplicate(mutant, original, model, apart, [*result.rows])
                if not reached_ceiling(result.bounds)
                else None
            )
        except EVALUATION_ERRORS as problem:
            return ExploredMutant(
                MutantStatus.KILLED, (no_value_detection(problem),), difference=apart
            )
        # The model is kept for later mutants to be compared with; what its rules remember of the
        # search nobody asks again.
        for rule in model.memos:
            rule.known_successors = {}
        if same is not None:
            return ExploredMutant(MutantStatus.DUPLICATE, same_as=same)
        notices = tuple(
            exploration_detections(
                original.exploration, exploration, complete=not reached_ceiling(result.bounds)
            )
        )
        if notices:
            return ExploredMutant(MutantStatus.KILLED, notices, difference=apart)
        ceiling = reached_ceiling(result.bounds) or original.ceiling
        if ceiling:
            return ExploredMutant(MutantStatus.NOT_JUDGED, why=f"nothing wrong up to {ceiling}")
        return ExploredMutant(
            MutantStatus.SURVIVED, difference=apart, original=original, tables=model.machine_tables
        )

    def _earlier_duplicate(
        self,
        mutant: Mutant,
        original: ExploredOriginal,
        model: Model,
        apart: FirstDifference,
        rows: list[Row],
    ) -> int | None:
        """Return the number of the earlier mutant that this one is; both part from the original at
        the same place then.
        """
        begins = frozenset(model.initial_rows) if apart.row_index < 0 else None
        machine = original.machine
        alike = self.known_mutants.setdefault(
            (machine.release, len(machine.events), apart.key, begins), []
        )
        for known in alike:
            slots = differing_slots(known.model.machine_tables, model.machine_tables)
            if (
                first_difference(
                    expandable_rows(known.model, known.rows), known.model, model, slots
                )
                is None
            ):
                return known.number
        alike.append(_KnownMutant(mutant.number, model, rows))
        return None


def no_value_detection(problem: Exception) -> Detection:
    """Return how it is noticed that an expression has no value any more.

    Args:
        problem: what it raised.

    Returns:
        A check, with what was raised.
    """
    return Detection(JudgeKind.CHECKS, _NO_VALUE_TITLE, f"{type(problem).__name__}: {problem}")


def _model_difference(
    original: ExploredOriginal, model: Model, slots: frozenset[StateEvent]
) -> FirstDifference | None:
    begins = (frozenset(model_initial_snapshots(either)) for either in (original.model, model))
    if len({*begins}) > 1:
        return FirstDifference(-1)
    return first_difference(original.expanded_rows, original.model, model, slots)


def exploration_detections(
    original: Exploration[Any], mutant: Exploration[Any], *, complete: bool
) -> Iterator[Detection]:
    """Yield what says otherwise of a mutant than of the original.

    Args:
        original: what exploring found.
        mutant: likewise.
        complete: whether every state of the mutant was seen; if not, only what is violated counts.

    Yields:
        A check or a property, with the run that breaks it.
    """
    before = {result.name: result.verdict for result in original.examined}
    for result in mutant.examined:
        was = before.get(result.name, Verdict.VIOLATED)
        if Verdict.VIOLATED is was or result.verdict is was or result.name == COVERAGE_TITLE:
            continue
        is_violated = result.verdict is Verdict.VIOLATED
        if complete or is_violated:
            is_check = result.name in (SPEC_FAULTS.name, LINKS_TITLE)
            yield Detection(
                JudgeKind.CHECKS if is_check else JudgeKind.PROPERTIES,
                result.name,
                result.said,
                result.trace if is_violated else None,
            )
    if complete and (lost := _lost_reach(original, mutant)):
        yield Detection(JudgeKind.CHECKS, COVERAGE_TITLE, f"never {lost}")


def _lost_reach(original: Exploration[Any], mutant: Exploration[Any]) -> str:
    """Name the states and transitions that only the mutant never comes to; one that it does not
    have is not missed.
    """
    states = [state for state in mutant.unreached_states if state not in original.unreached_states]
    if isinstance(mutant.definition, SystemDefinition):
        return ", ".join(states)
    known = {transition_title(transition) for transition in original.untaken_transitions}
    lost = [f"in {state}" for state in states]
    lost += [
        f"taken: {transition_title(transition)}"
        for transition in mutant.untaken_transitions
        if transition_title(transition) not in known
    ]
    more = f" and {len(lost) - _MOST_LOST} more" if len(lost) > _MOST_LOST else ""
    return f"{', '.join(lost[:_MOST_LOST])}{more}"
