"""What is said of mutants, held against a walk that is too simple to be wrong: the same machine, the same mutant, a run that tells.

Covers: statemachines.semantics.arguments.value_sampling, statemachines.explore.scopes,
statemachines.explore.results.run_traces, statemachines.mutate.campaigns.mutation,
statemachines.mutate.judges.exploration_judge, statemachines.mutate.judges.mutation_results,
statemachines.mutate.operators.edits, statemachines.mutate.operators.machine_mutants,
statemachines.mutate.operators.mutants, statemachines.notation.releases.release_resolution,
statemachines.notation.releases.machine_selection,
statemachines.semantics.machine.initial_snapshots, statemachines.semantics.machine.machine_tables,
statemachines.semantics.machine.step, statemachines.semantics.machine.value_enumeration,
statemachines.semantics.messages.argument_errors.
"""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from statemachines.explore.results.run_traces import Trace
from statemachines.explore.scopes import DEFAULT_SCOPE
from statemachines.model.definitions.machine_definitions import MachineDefinition, SpecDefinition
from statemachines.model.definitions.release_sets import ReleaseFamily
from statemachines.model.definitions.snapshots import Answer, NamedValues, Refused, Snapshot
from statemachines.mutate.campaigns.mutation import MutantSelection, mutate
from statemachines.mutate.judges.exploration_judge import ExplorationJudge
from statemachines.mutate.judges.mutation_results import JudgedMutant, JudgeKind, MutantStatus
from statemachines.mutate.operators.edits import mutated_machine, mutated_spec
from statemachines.mutate.operators.machine_mutants import machine_mutants
from statemachines.mutate.operators.mutants import Mutant
from statemachines.notation.releases.machine_selection import machine_of
from statemachines.semantics.machine.initial_snapshots import initial_snapshots
from statemachines.semantics.machine.machine_tables import machine_tables
from statemachines.semantics.machine.step import step, unchecked_step
from statemachines.semantics.machine.value_enumeration import default_domain_sizes
from statemachines.semantics.messages.argument_errors import ArgumentsError
from tests.effort import some_of
from tests.exploring import enumerate_arguments, machines
from tests.strategies import table_machines

FEW = settings(max_examples=some_of(40), deadline=None)


def spec_of(machine: MachineDefinition) -> SpecDefinition:
    """The machine as a spec of one release."""
    family = ReleaseFamily("", (machine.release,))
    parts = (
        machine.states,
        machine.transitions,
        machine.otherwise,
        machine.predicates,
        machine.events,
        machine.data,
    )
    return SpecDefinition(machine.name, family, 1, *parts, file="random.yaml")


def told(answer: Answer) -> tuple[object, ...]:
    """What whoever asks can tell apart."""
    return (
        type(answer),
        answer.after,
        answer.returned,
        answer.error,
        answer.reason if isinstance(answer, Refused) else "",
    )


def asks(machine: MachineDefinition, now: Snapshot) -> Iterator[tuple[str, NamedValues]]:
    """Everything that may be asked of a machine in a snapshot."""
    tables = machine_tables(machine)
    for event in tables.events:
        for arguments in enumerate_arguments(
            tables.behaviour, default_domain_sizes(tables.behaviour), now, event
        ):
            yield event, arguments


def alike(one: MachineDefinition, other: MachineDefinition) -> bool:
    """Whether every run of one is answered alike by the other: both walked through together."""
    begins = set(initial_snapshots(one))
    if begins != set(initial_snapshots(other)):
        return False
    pending, seen = list(begins), set(begins)
    for now in pending:
        for event, arguments in asks(one, now):
            was, is_now = (
                unchecked_step(machine_tables(each), now, event, arguments) for each in (one, other)
            )
            if told(was) != told(is_now):
                return False
            if was.after not in seen:
                seen.add(was.after)
                pending.append(was.after)
    return True


def made(machine: MachineDefinition, mutants: dict[int, Mutant], number: int) -> MachineDefinition:
    """A mutant as a machine."""
    return mutated_machine(machine, spec_of(machine), mutants[number].candidate.edit)


def replays(machine: MachineDefinition, trace: Trace) -> bool:
    """Whether `step` takes a machine along a trace; which clause of a guard was false is said to people, and no behaviour."""
    (now,) = trace.begin
    for taken in trace.steps:
        try:
            answer = step(machine, now, taken.event, **taken.arguments)
        except ArgumentsError:  # nothing else names the event
            return False
        if told(answer)[:-1] != told(taken.answer)[:-1]:
            return False
        now = answer.after
    return True


def check(machine: MachineDefinition, judged: tuple[JudgedMutant, ...]) -> None:
    """Hold what is said of mutants against the simple walk."""
    mutants = {one.mutant.number: one.mutant for one in judged}
    for one in judged:
        try:
            mutant = made(machine, mutants, one.mutant.number)
            same = alike(machine, mutant)
        except (ArgumentsError, KeyError):
            assert one.status is MutantStatus.KILLED
            continue
        assert same == (one.status is MutantStatus.EQUIVALENT), one.mutant.title
        if one.same_as is not None:
            assert alike(made(machine, mutants, one.same_as), mutant), one.mutant.title
        for notice in one.notices:
            assert notice.trace is None or replays(mutant, notice.trace), one.mutant.title
        if one.apart is not None and one.mutant_answer is not None:
            assert replays(machine, one.apart)
            assert not replays(mutant, one.apart)
            assert replays(mutant, evolve(one.apart, steps=one.apart.steps[:-1]))


@FEW
@given(table_machines(most_states=4), st.integers(0, 99))
def test_what_is_said_of_mutants_of_tables_is_true(machine: MachineDefinition, seed: int) -> None:
    """Equivalent: every run is answered alike. Killed: the trace replays. Survived: a run tells it, and the one before does not."""
    check(
        machine,
        mutate(spec_of(machine), machine, chosen=MutantSelection(most=25, seed=seed)).judged,
    )


@settings(max_examples=some_of(12), deadline=None)
@given(machines(), st.integers(0, 99))
def test_what_is_said_of_mutants_with_data_is_true(machine: MachineDefinition, seed: int) -> None:
    """Guards, effects and results too."""
    check(
        machine,
        mutate(spec_of(machine), machine, chosen=MutantSelection(most=15, seed=seed)).judged,
    )


@settings(max_examples=some_of(10), deadline=None)
@given(machines(), st.integers(0, 99))
def test_what_the_original_knows_already_changes_nothing(
    machine: MachineDefinition, seed: int
) -> None:
    """A mutant that is explored beside others, with what was asked before, is judged as one that is explored alone."""
    spec = spec_of(machine)
    mutants = machine_mutants(spec, machine, most=10, seed=seed)
    together = ExplorationJudge(spec, machine, DEFAULT_SCOPE, 20_000)
    for mutant in mutants:
        said, alone = (
            together.judge(mutant),
            ExplorationJudge(spec, machine, DEFAULT_SCOPE, 20_000).judge(mutant),
        )
        if said.status is not MutantStatus.DUPLICATE:
            assert (said.status, said.detections) == (alone.status, alone.detections)


@FEW
@given(table_machines())
def test_a_mutant_of_the_spec_is_the_mutant_of_the_machine(machine: MachineDefinition) -> None:
    """Tests and logs get the one, exploring the other."""
    spec = spec_of(machine)
    for mutant in machine_mutants(spec, machine):
        of_spec = machine_of(mutated_spec(spec, mutant.candidate.edit), machine.release or None)
        of_machine = mutated_machine(machine, spec, mutant.candidate.edit)
        assert of_spec.transitions == of_machine.transitions
        assert (of_spec.states, of_spec.otherwise) == (of_machine.states, of_machine.otherwise)
        assert {event.name for event in of_spec.events} == {
            event.name for event in of_machine.events
        }


@FEW
@given(table_machines(), st.integers(1, 30), st.integers(0, 99))
def test_a_sample_is_some_of_all_in_their_order(
    machine: MachineDefinition, most: int, seed: int
) -> None:
    """Numbers stay, so that one mutant can be asked about again."""
    spec = spec_of(machine)
    every, some = (
        machine_mutants(spec, machine),
        machine_mutants(spec, machine, most=most, seed=seed),
    )
    assert some == tuple(each for each in every if each in some)
    assert len(some) == min(most, len(every))
    assert some == machine_mutants(spec, machine, most=most, seed=seed)


def test_judges_are_named() -> None:
    """The order of the columns."""
    assert [judge.value for judge in JudgeKind] == ["checks", "properties", "test", "log"]
