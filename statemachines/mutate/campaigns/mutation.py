"""Mutation testing of a machine or a system: all mutants, all judges, one result.

Of a system its links are made a little wrong, and its rules must notice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from attrs import field, frozen

from statemachines.explore.scopes import DEFAULT_SCOPE, ExplorationScope
from statemachines.model.definitions.machine_definitions import MachineDefinition, SpecDefinition
from statemachines.model.definitions.system_definitions import SystemDefinition
from statemachines.mutate.judges.distinguishing_runs import (
    JudgedAndExplored,
    with_distinguishing_runs,
)
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
from statemachines.mutate.judges.originals import explore_original
from statemachines.mutate.judges.pytest_judge import PytestJudge
from statemachines.mutate.judges.system_exploration_judge import SystemJudge
from statemachines.mutate.operators.edits import mutated_spec
from statemachines.mutate.operators.link_operators import system_mutants
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
    """
    explorer = ExplorationJudge(spec, machine, judges.scope, judges.most_states)
    original = explorer.original(machine.release)
    if judges.tests is not None:
        judges.tests.run_original()
    mutants = machine_mutants(spec, machine, most=chosen.most, seed=chosen.seed)
    judged, interrupted = _judge_all(explorer.judge, judges, chosen, mutants)
    return MutationResult(
        machine,
        original.exploration.scope,
        len(machine_mutants(spec, machine)),
        judges.judge_kinds,
        tuple(with_distinguishing_runs(judged)),
        interrupted,
        violated_properties(original.exploration),
    )


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
    explorer = SystemJudge(explore_original(system, judges.scope, judges.most_states))
    mutants = system_mutants(system, most=chosen.most, seed=chosen.seed)
    judged, interrupted = _judge_all(explorer.judge, judges, chosen, mutants)
    return MutationResult(
        system,
        explorer.original.exploration.scope,
        len(system_mutants(system)),
        judges.judge_kinds,
        tuple(mutant for mutant, _ in judged),
        interrupted,
        violated_properties(explorer.original.exploration),
    )


def _judge_all(
    explore: Callable[[Mutant], ExploredMutant],
    judges: JudgePanel,
    chosen: MutantSelection,
    mutants: tuple[Mutant, ...],
) -> tuple[list[JudgedAndExplored], bool]:
    """Judge mutant after mutant, and tell whether Ctrl-C ended that early."""
    judged = list[JudgedAndExplored]()
    mutants = tuple(
        mutant for mutant in mutants if not chosen.numbers or mutant.number in chosen.numbers
    )
    try:
        for index, mutant in enumerate(mutants):
            if chosen.on_progress is not None:
                chosen.on_progress(index, len(mutants))
            judged.append(_judge_mutant(explore(mutant), judges, mutant))
    except KeyboardInterrupt:
        return judged, True
    return judged, False


def _judge_mutant(
    explored: ExploredMutant, judges: JudgePanel, mutant: Mutant
) -> JudgedAndExplored:
    """Ask all judges about a mutant; one that is the same machine needs no judge."""
    if explored.status in (MutantStatus.EQUIVALENT, MutantStatus.DUPLICATE):
        return JudgedMutant(mutant, explored.status, same_as=explored.same_as), explored
    notices = (*explored.detections, *_outside_detections(judges, mutant))
    status = MutantStatus.KILLED if notices else explored.status
    judged = JudgedMutant(
        mutant,
        status,
        notices,
        explored.why if status is MutantStatus.NOT_JUDGED else "",
        _log_silence(judges, mutant, notices),
        system_runs=explored.system_runs if status is MutantStatus.SURVIVED else (),
    )
    return judged, explored


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
