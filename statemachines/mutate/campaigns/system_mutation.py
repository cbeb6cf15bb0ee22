"""Mutation testing of a system: its links are made a little wrong, and its rules must notice."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve, frozen

from statemachines.explore.model_exploration import explore_model
from statemachines.explore.model_questions import LINKS_TITLE
from statemachines.explore.models.scopes import ExplorationScope
from statemachines.explore.models.system_initial_rows import build_system_model
from statemachines.explore.models.system_model import SystemModel
from statemachines.explore.options import ExplorationOptions
from statemachines.explore.resources.limits import Limits
from statemachines.explore.results.property_results import Exploration
from statemachines.explore.results.system_results import (
    SystemTrace,
    SystemTraceStep,
)
from statemachines.explore.rows.row_search import CanonicalRow, SearchResult
from statemachines.explore.rows.traces import replay_path
from statemachines.explore.symmetry.canonical_rows import build_canonical_row
from statemachines.explore.verdicts.property_verdicts import SPEC_FAULTS
from statemachines.model.definitions.system_definitions import (
    SystemAnswer,
    SystemDefinition,
    SystemSnapshot,
)
from statemachines.model.evidence.verdicts import Verdict
from statemachines.mutate.campaigns.machine_mutation import (
    ALL_MUTANTS,
    BUILT_IN_JUDGES,
    JudgePanel,
    MutantSelection,
)
from statemachines.mutate.judges.equivalence import observable_answer
from statemachines.mutate.judges.mutation_results import (
    Detection,
    JudgedMutant,
    JudgeKind,
    MutantStatus,
    MutationResult,
    violated_properties,
)
from statemachines.mutate.judges.originals import EVALUATION_ERRORS, reached_ceiling
from statemachines.mutate.operators.link_operators import mutated_system, system_mutants
from statemachines.mutate.operators.mutants import Mutant
from statemachines.semantics.system.system_step import apply_part_step, deliver_event

_ENDS_TITLE = "every step ends"


@frozen(eq=False)
class _ExploredSystem:
    """A system and all that exploring found."""

    system: SystemDefinition
    scope: ExplorationScope
    options: ExplorationOptions
    model: SystemModel
    exploration: Exploration[SystemTrace]
    search: SearchResult
    canonical: CanonicalRow


def mutate_system(
    system: SystemDefinition,
    judges: JudgePanel = BUILT_IN_JUDGES,
    chosen: MutantSelection = ALL_MUTANTS,
) -> MutationResult:
    """Judge the mutants of a system: its rules, and what is asked of every system, are the judges.

    Args:
        system: in one release.
        judges: the scope, and the ceiling of each exploration.
        chosen: which mutants.

    Returns:
        What became of each, as of a machine; none is called a duplicate.

    Raises:
        ArgumentsError: the scope does not fit the system.

    Complexity: one exploration of the original and of each mutant that differs, interchangeable
    parts standing for each other.
    """
    how = ExplorationOptions(symmetry=True, limits=Limits(judges.most_states))
    model = build_system_model(system, judges.scope)
    original = _ExploredSystem(
        system,
        judges.scope,
        how,
        model,
        *_explore_uninterrupted(model, judges.scope, how),
        build_canonical_row(model),
    )
    every = system_mutants(system)
    some = (
        every if chosen.most is None else system_mutants(system, most=chosen.most, seed=chosen.seed)
    )
    some = tuple(mutant for mutant in some if not chosen.numbers or mutant.number in chosen.numbers)
    judged, interrupted = list[JudgedMutant](), False
    try:
        for index, mutant in enumerate(some):
            if chosen.on_progress is not None:
                chosen.on_progress(index, len(some))
            judged.append(_judge_mutant(original, mutant))
    except KeyboardInterrupt:
        interrupted = True
    return MutationResult(
        system,
        original.exploration.scope,
        len(every),
        judges.judge_kinds,
        tuple(judged),
        interrupted,
        violated_properties(original.exploration),
    )


def _explore_uninterrupted(
    model: SystemModel, scope: ExplorationScope, how: ExplorationOptions
) -> tuple[Exploration[SystemTrace], SearchResult]:
    exploration, run = explore_model(model, how)
    if run.interrupted:
        raise KeyboardInterrupt
    return exploration, run


def _judge_mutant(original: _ExploredSystem, mutant: Mutant) -> JudgedMutant:
    try:
        model = build_system_model(
            mutated_system(original.system, mutant.candidate.edit), original.scope
        )
        row, runs = _first_difference(original, model)
        if row is None:
            return _judge_alike(original, mutant)
        exploration, run = _explore_uninterrupted(model, original.scope, original.options)
    except EVALUATION_ERRORS as problem:
        return JudgedMutant(
            mutant,
            MutantStatus.KILLED,
            (
                Detection(
                    JudgeKind.CHECKS,
                    "every expression has a value",
                    f"{type(problem).__name__}: {problem}",
                ),
            ),
        )
    except RecursionError:
        return JudgedMutant(
            mutant,
            MutantStatus.KILLED,
            (Detection(JudgeKind.CHECKS, _ENDS_TITLE, "links send to each other for ever"),),
        )
    ceiling = reached_ceiling(run.bounds)
    notices = tuple(
        _exploration_detections(original.exploration, exploration, complete=not ceiling)
    )
    if notices:
        return JudgedMutant(mutant, MutantStatus.KILLED, notices)
    if ceiling:
        return JudgedMutant(mutant, MutantStatus.NOT_JUDGED, why=f"nothing wrong up to {ceiling}")
    return JudgedMutant(mutant, MutantStatus.SURVIVED, system_runs=runs)


def _judge_alike(original: _ExploredSystem, mutant: Mutant) -> JudgedMutant:
    """Say whether a mutant that answered alike in every visited snapshot does so everywhere."""
    ceiling = reached_ceiling(original.search.bounds)
    return (
        JudgedMutant(mutant, MutantStatus.NOT_JUDGED, why=f"no difference up to {ceiling}")
        if ceiling
        else JudgedMutant(mutant, MutantStatus.EQUIVALENT)
    )


def _first_difference(
    original: _ExploredSystem, other: SystemModel
) -> tuple[int | None, tuple[SystemTrace, ...]]:
    """Return the first row of the original in which the two answer otherwise, -1 where they begin
    otherwise, and both runs to there.
    """
    model, run = original.model, original.search
    if {model.snapshot(row) for row in model.initial_rows} != {
        other.snapshot(row) for row in other.initial_rows
    }:
        return -1, ()
    for index, row in enumerate(run.rows):
        if (
            model.goes_on_from(row)
            and _diverging_steps(model, other, model.snapshot(row)) is not None
        ):
            # it may end in a row that is the same but for the names of interchangeable parts
            path = replay_path(model, run.path_to(index), original.canonical)
            pair = _diverging_steps(model, other, path.snapshots[-1]) or ()
            return index, tuple(evolve(path, steps=(*path.steps, path_step)) for path_step in pair)
    return None, ()


def _diverging_steps(
    model: SystemModel, other: SystemModel, now: SystemSnapshot
) -> tuple[SystemTraceStep, SystemTraceStep] | None:
    """Return the first event that two systems answer otherwise, with both answers."""
    for either in (model, other):
        for _, taken, _ in either.steps(either.row(now)):
            trace_step = either.trace_step(now, taken)
            old, new = (
                _system_answer(system_model, now, trace_step) for system_model in (model, other)
            )
            if _observable_answer(old) != _observable_answer(new):
                return evolve(trace_step, answer=old), evolve(trace_step, answer=new)
    return None


def _system_answer(
    model: SystemModel, now: SystemSnapshot, trace_step: SystemTraceStep
) -> SystemAnswer:
    """Return what a system makes of an event whose own step is known."""
    if trace_step.delivered_from is not None:
        return deliver_event(model.system, now, trace_step.delivered_from)
    part, _, event = trace_step.event.partition(".")
    return apply_part_step(
        model.tables,
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


def _exploration_detections(
    original: Exploration[SystemTrace], mutant: Exploration[SystemTrace], *, complete: bool
) -> Iterator[Detection]:
    """Yield what says otherwise of a mutant than of the original."""
    before = {result.name: result.verdict for result in original.examined}
    for result in mutant.examined:
        worse = (
            result.verdict is not before.get(result.name)
            and before.get(result.name) is not Verdict.VIOLATED
        )
        if worse and (complete or result.verdict is Verdict.VIOLATED):
            judge = (
                JudgeKind.CHECKS
                if result.name in (SPEC_FAULTS.name, LINKS_TITLE)
                else JudgeKind.PROPERTIES
            )
            yield Detection(
                judge,
                result.name,
                result.said,
                run=result.trace if result.verdict is Verdict.VIOLATED else None,
            )
    lost = [name for name in mutant.unreached_states if name not in original.unreached_states]
    if complete and lost:
        yield Detection(JudgeKind.CHECKS, "everything is reached", f"never {', '.join(lost)}")
