"""Mutation testing of a machine: all mutants, all judges, one result."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from attrs import field, frozen

from statemachines.explore.models.scopes import DEFAULT_SCOPE, ExplorationScope
from statemachines.model.definitions.machine_definitions import MachineDefinition, SpecDefinition
from statemachines.mutate.judges.distinguishing_runs import with_distinguishing_runs
from statemachines.mutate.judges.exploration_judge import ExplorationJudge, ExploredMutant
from statemachines.mutate.judges.log_judge import LogJudge
from statemachines.mutate.judges.mutation_results import (
    Detection,
    JudgedMutant,
    JudgeKind,
    MutantStatus,
    MutationResult,
    violated_properties,
)
from statemachines.mutate.judges.pytest_judge import PytestJudge
from statemachines.mutate.operators.edits import mutated_spec
from statemachines.mutate.operators.machine_mutants import machine_mutants
from statemachines.mutate.operators.mutants import Mutant

MOST_STATES = 20_000
ProgressReport = Callable[[int, int], None]


@frozen(eq=False)
class JudgePanel:
    """Who judges, beside the checks and properties that every machine has."""

    scope: ExplorationScope = DEFAULT_SCOPE
    """What is said beside the spec's own scope."""
    most_states: int = MOST_STATES
    """The ceiling of each exploration."""
    tests: PytestJudge | None = None
    logs: LogJudge | None = None

    @property
    def judge_kinds(self) -> tuple[JudgeKind, ...]:
        """Who judges at all."""
        more = ((JudgeKind.TEST, self.tests), (JudgeKind.LOG, self.logs))
        return (
            JudgeKind.CHECKS,
            JudgeKind.PROPERTIES,
            *(judge for judge, there in more if there is not None),
        )


@frozen
class MutantSelection:
    """Which mutants are judged."""

    most: int | None = None
    """None: all."""
    seed: int = 0
    numbers: tuple[int, ...] = ()
    """These only; none: all that are chosen otherwise."""
    on_progress: ProgressReport | None = field(default=None, eq=False)
    """Is told how many are judged, and how many there are."""


ALL_MUTANTS = MutantSelection()
BUILT_IN_JUDGES = JudgePanel()


def mutate(
    spec: SpecDefinition,
    machine: MachineDefinition,
    judges: JudgePanel = BUILT_IN_JUDGES,
    chosen: MutantSelection = ALL_MUTANTS,
) -> MutationResult:
    """Judge the mutants of a machine.

    Args:
        spec: the machine in all its releases.
        machine: the spec in the release that is asked about.
        judges: who judges.
        chosen: which mutants.

    Returns:
        What became of each; after Ctrl-C of those that were judged until then. The same input gives
        the same result.

    Raises:
        ArgumentsError: the scope does not fit the machine.
        CannotJudge: a test does not pass with the original.

    Complexity: one exploration of the original, and of each mutant that differs; one run of the
    tests and one judgement of the logs for each mutant that is neither equivalent nor a duplicate.

    Source: R. A. DeMillo, R. J. Lipton and F. G. Sayward, Hints on Test Data Selection, 1978.
    """
    explorer = ExplorationJudge(spec, machine, judges.scope, judges.most_states)
    original = explorer.original(machine.release)
    if judges.tests is not None:
        judges.tests.run_original()
    mutants = machine_mutants(spec, machine, most=chosen.most, seed=chosen.seed)
    mutants = tuple(
        mutant for mutant in mutants if not chosen.numbers or mutant.number in chosen.numbers
    )
    judged, interrupted = list[tuple[JudgedMutant, ExploredMutant]](), False
    try:
        for index, mutant in enumerate(mutants):
            if chosen.on_progress is not None:
                chosen.on_progress(index, len(mutants))
            judged.append(_judge_mutant(explorer, judges, mutant))
    except KeyboardInterrupt:
        interrupted = True
    shown = tuple(with_distinguishing_runs(judged))
    made = len(machine_mutants(spec, machine))
    return MutationResult(
        machine,
        original.exploration.scope,
        made,
        judges.judge_kinds,
        shown,
        interrupted,
        violated_properties(original.exploration),
    )


def _judge_mutant(
    explorer: ExplorationJudge, judges: JudgePanel, mutant: Mutant
) -> tuple[JudgedMutant, ExploredMutant]:
    """Ask all judges about a mutant; one that is the same machine needs no judge."""
    explored = explorer.judge(mutant)
    if explored.status in (MutantStatus.EQUIVALENT, MutantStatus.DUPLICATE):
        return JudgedMutant(mutant, explored.status, same_as=explored.same_as), explored
    notices = (*explored.detections, *_outside_detections(judges, mutant))
    status = MutantStatus.KILLED if notices else explored.status
    why = explored.why if status is MutantStatus.NOT_JUDGED else ""
    return JudgedMutant(
        mutant, status, notices, why, _log_silence(judges, mutant, notices)
    ), explored


def _log_silence(judges: JudgePanel, mutant: Mutant, notices: tuple[Detection, ...]) -> str:
    """Say why no log noticed a mutant, where logs judge."""
    if judges.logs is None or any(notice.judge is JudgeKind.LOG for notice in notices):
        return ""
    return judges.logs.silence_reason(mutant.candidate)


def _outside_detections(judges: JudgePanel, mutant: Mutant) -> Iterator[Detection]:
    if judges.tests is not None and (notice := judges.tests.detect(mutant.number)):
        yield notice
    if judges.logs is not None and (
        notice := judges.logs.detect(mutated_spec(judges.logs.spec, mutant.candidate.edit))
    ):
        yield notice
