"""One mutant of a system after the other: is it the same, do the rules notice it."""

from __future__ import annotations

from attrs import evolve, frozen

from statemachines.explore.models.model_protocol import Model
from statemachines.explore.models.system_model import build_system_model
from statemachines.explore.results.run_traces import Trace, TraceStep
from statemachines.explore.rows.traces import replay_path
from statemachines.explore.symmetry.canonical_rows import build_canonical_row
from statemachines.model.definitions.system_definitions import SystemAnswer, SystemSnapshot
from statemachines.mutate.judges.equivalence import observable_answer
from statemachines.mutate.judges.exploration_judge import (
    ExploredMutant,
    exploration_detections,
    no_value_detection,
)
from statemachines.mutate.judges.mutation_results import Detection, JudgeKind, MutantStatus
from statemachines.mutate.judges.originals import (
    EVALUATION_ERRORS,
    ExploredOriginal,
    explore_uninterrupted,
    reached_ceiling,
)
from statemachines.mutate.operators.link_operators import mutated_system
from statemachines.mutate.operators.mutants import Mutant
from statemachines.semantics.system.system_step import apply_part_step, deliver_event

_ENDLESS = Detection(JudgeKind.CHECKS, "every step ends", "links send to each other for ever")


@frozen(eq=False)
class SystemJudge:
    """Judges mutants of a system by exploring them."""

    original: ExploredOriginal

    def judge(self, mutant: Mutant) -> ExploredMutant:
        """Explore a mutant, as far as is needed.

        Args:
            mutant: of the judge's system.

        Returns:
            Its status, with what tells it from the original.
        """
        try:
            return self._explore(mutant)
        except EVALUATION_ERRORS as problem:
            return ExploredMutant(MutantStatus.KILLED, (no_value_detection(problem),))
        except RecursionError:
            return ExploredMutant(MutantStatus.KILLED, (_ENDLESS,))

    def _explore(self, mutant: Mutant) -> ExploredMutant:
        original = self.original
        system = mutated_system(original.model.system_tables.system, mutant.candidate.edit)
        model = build_system_model(system, original.model.scope)
        row, runs = _first_difference(original, model)
        if row is None:
            return ExploredMutant.same_as_original(original)
        exploration, search = explore_uninterrupted(model, original.options)
        ceiling = reached_ceiling(search.bounds)
        notices = tuple(
            exploration_detections(original.exploration, exploration, complete=not ceiling)
        )
        if notices:
            return ExploredMutant(MutantStatus.KILLED, notices)
        if ceiling:
            return ExploredMutant(MutantStatus.NOT_JUDGED, why=f"nothing wrong up to {ceiling}")
        return ExploredMutant(MutantStatus.SURVIVED, system_runs=runs)


def _first_difference(
    original: ExploredOriginal, other: Model
) -> tuple[int | None, tuple[Trace, ...]]:
    """Return the first row of the original in which the two answer otherwise, -1 where they begin
    otherwise, and both runs to there.
    """
    model, run = original.model, original.search
    if {model.whole_snapshot(row) for row in model.initial_rows} != {
        other.whole_snapshot(row) for row in other.initial_rows
    }:
        return -1, ()
    for index, row in enumerate(run.rows):
        if (
            model.goes_on_from(row)
            and _diverging_steps(model, other, model.whole_snapshot(row)) is not None
        ):
            # it may end in a row that is the same but for the names of interchangeable parts
            path = replay_path(model, run.path_to(index), build_canonical_row(model))
            pair = _diverging_steps(model, other, path.snapshots[-1]) or ()
            return index, tuple(evolve(path, steps=(*path.steps, path_step)) for path_step in pair)
    return None, ()


def _diverging_steps(
    model: Model, other: Model, now: SystemSnapshot
) -> tuple[TraceStep, TraceStep] | None:
    """Return the first event that two systems answer otherwise, with both answers."""
    for either in (model, other):
        for event, taken, _ in either.steps(either.whole_row(now)):
            trace_step = either.trace_step(now, event, taken)
            old, new = (
                _system_answer(system_model, now, trace_step) for system_model in (model, other)
            )
            if _observable_answer(old) != _observable_answer(new):
                return evolve(trace_step, answer=old), evolve(trace_step, answer=new)
    return None


def _system_answer(model: Model, now: SystemSnapshot, trace_step: TraceStep) -> SystemAnswer:
    """Return what a system makes of an event whose own step is known."""
    if trace_step.delivered_from is not None:
        return deliver_event(model.system_tables.system, now, trace_step.delivered_from)
    part, _, event = trace_step.event.partition(".")
    return apply_part_step(
        model.system_tables,
        now,
        part,
        trace_step.key,
        event,
        trace_step.arguments,
        trace_step.answer.steps[0].answer,
    )


def _observable_answer(answer: SystemAnswer) -> object:
    steps = [
        (step.part, step.key, step.event, step.arguments, observable_answer(step.answer))
        for step in answer.steps
    ]
    return answer.after, steps, answer.spec_errors
