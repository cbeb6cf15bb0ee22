"""Mutation testing of a machine: all mutants, all judges, one result."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from attrs import field, frozen

from statemachines.explore.exploring import scope_said
from statemachines.explore.scopes import NOTHING_SAID, Scope
from statemachines.model.machines import Machine, Spec
from statemachines.mutate.by_logs import Logs
from statemachines.mutate.by_tests import Tests
from statemachines.mutate.edits import mutated_spec
from statemachines.mutate.judging import Explored, Explorer
from statemachines.mutate.making import mutants_of
from statemachines.mutate.mutants import Mutant
from statemachines.mutate.results import Fate, Judge, Judged, Mutation, Notice, violated
from statemachines.mutate.telling import with_runs

MOST_STATES = 20_000
Told = Callable[[int, int], None]


@frozen(eq=False)
class Judges:
    """Who judges, beside the checks and properties that every machine has."""

    scope: Scope = NOTHING_SAID
    """What is said beside the spec's own scope."""
    most_states: int = MOST_STATES
    """The ceiling of each exploration."""
    tests: Tests | None = None
    logs: Logs | None = None

    @property
    def present(self) -> tuple[Judge, ...]:
        """Who judges at all."""
        more = ((Judge.TEST, self.tests), (Judge.LOG, self.logs))
        return (Judge.CHECKS, Judge.PROPERTIES, *(judge for judge, there in more if there is not None))


@frozen
class Chosen:
    """Which mutants are judged."""

    most: int | None = None
    """None: all."""
    seed: int = 0
    numbers: tuple[int, ...] = ()
    """These only; none: all that are chosen otherwise."""
    told: Told | None = field(default=None, eq=False)
    """Is told how many are judged, and how many there are."""


EVERY = Chosen()
ITSELF = Judges()


def mutate(spec: Spec, machine: Machine, judges: Judges = ITSELF, chosen: Chosen = EVERY) -> Mutation:
    """Judge the mutants of a machine.

    Args:
        spec: the machine in all its releases.
        machine: the spec in the release that is asked about.
        judges: who judges.
        chosen: which mutants.

    Returns:
        What became of each; after Ctrl-C of those that were judged until then. The same input gives the same result.

    Raises:
        ArgumentsError: the scope does not fit the machine.
        CannotJudge: a test does not pass with the original.

    Complexity: one exploration of the original, and of each mutant that differs; one run of the tests and one judgement of the logs
    for each mutant that is neither equivalent nor a duplicate.
    """
    explorer = Explorer(spec, machine, judges.scope, judges.most_states)
    original = explorer.original(machine.release)
    if judges.tests is not None:
        judges.tests.begin()
    mutants = mutants_of(spec, machine, most=chosen.most, seed=chosen.seed)
    mutants = tuple(each for each in mutants if not chosen.numbers or each.number in chosen.numbers)
    judged, interrupted = list[tuple[Judged, Explored]](), False
    try:
        for place, mutant in enumerate(mutants):
            if chosen.told is not None:
                chosen.told(place, len(mutants))
            judged.append(_judged(explorer, judges, mutant))
    except KeyboardInterrupt:
        interrupted = True
    shown = tuple(with_runs(judged))
    made = len(mutants_of(spec, machine))
    return Mutation(machine, scope_said(original.world), made, judges.present, shown, interrupted, violated(original.exploration))


def _judged(explorer: Explorer, judges: Judges, mutant: Mutant) -> tuple[Judged, Explored]:
    """Ask all judges about one mutant; about one that is no other machine nobody needs to be asked."""
    explored = explorer.judge(mutant)
    if explored.fate in (Fate.EQUIVALENT, Fate.DUPLICATE):
        return Judged(mutant, explored.fate, same_as=explored.same_as), explored
    notices = (*explored.notices, *_outside(judges, mutant))
    fate = Fate.KILLED if notices else explored.fate
    why = explored.why if fate is Fate.NOT_JUDGED else ""
    return Judged(mutant, fate, notices, why, _silence(judges, mutant, notices)), explored


def _silence(judges: Judges, mutant: Mutant, notices: tuple[Notice, ...]) -> str:
    """Say why no log noticed a mutant, where logs judge."""
    if judges.logs is None or any(each.judge is Judge.LOG for each in notices):
        return ""
    return judges.logs.silence(mutant.draft)


def _outside(judges: Judges, mutant: Mutant) -> Iterator[Notice]:
    if judges.tests is not None and (notice := judges.tests.notice(mutant.number)):
        yield notice
    if judges.logs is not None and (notice := judges.logs.notice(mutated_spec(judges.logs.spec, mutant.draft.edit))):
        yield notice
