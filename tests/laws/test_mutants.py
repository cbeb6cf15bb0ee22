"""What is said of mutants, held against a walk that is too simple to be wrong: the same machine, the same mutant, a run that tells."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from statemachines.explore.drawing import Values, all_arguments
from statemachines.explore.results import Trace
from statemachines.explore.scopes import NOTHING_SAID
from statemachines.model.machines import Machine, Spec
from statemachines.model.releases import Family
from statemachines.model.snapshots import Answer, Refused, Snapshot
from statemachines.mutate.edits import mutated_machine, mutated_spec
from statemachines.mutate.judging import Explorer
from statemachines.mutate.making import mutants_of
from statemachines.mutate.mutants import Mutant
from statemachines.mutate.mutating import Chosen, mutate
from statemachines.mutate.results import Fate, Judge, Judged
from statemachines.notation.resolve import machine_of
from statemachines.semantics.choices import extent_of
from statemachines.semantics.mistakes import ArgumentsError
from statemachines.semantics.starts import starts
from statemachines.semantics.step import decided, step
from statemachines.semantics.tables import tables_of
from tests.exploring import machines
from tests.strategies import table_machines

FEW = settings(max_examples=40, deadline=None)


def spec_of(machine: Machine) -> Spec:
    """The machine as a spec of one release."""
    family = Family("", (machine.release,))
    parts = machine.states, machine.transitions, machine.otherwise, machine.predicates, machine.events, machine.data
    return Spec(machine.name, family, 1, *parts, file="random.yaml")


def told(answer: Answer) -> tuple[object, ...]:
    """What whoever asks can tell apart."""
    return type(answer), answer.after, answer.returned, answer.error, answer.reason if isinstance(answer, Refused) else ""


def asks(machine: Machine, now: Snapshot) -> Iterator[tuple[str, Values]]:
    """Everything that may be asked of a machine in a snapshot."""
    tables = tables_of(machine)
    for event in tables.events:
        for arguments in all_arguments(tables.behaviour, extent_of(tables.behaviour), now, event):
            yield event, arguments


def alike(one: Machine, other: Machine) -> bool:
    """Whether every run of one is answered alike by the other: both walked through together."""
    begins = set(starts(one))
    if begins != set(starts(other)):
        return False
    pending, seen = list(begins), set(begins)
    for now in pending:
        for event, arguments in asks(one, now):
            was, is_now = (decided(tables_of(each), now, event, arguments) for each in (one, other))
            if told(was) != told(is_now):
                return False
            if was.after not in seen:
                seen.add(was.after)
                pending.append(was.after)
    return True


def made(machine: Machine, mutants: dict[int, Mutant], number: int) -> Machine:
    """A mutant as a machine."""
    return mutated_machine(machine, spec_of(machine), mutants[number].draft.edit)


def replays(machine: Machine, trace: Trace) -> bool:
    """Whether `step` takes a machine along a trace; which clause of a guard was false is said to people, and no behaviour."""
    (now,) = trace.begin
    for taken in trace.steps:
        answer = step(machine, now, taken.event, **taken.arguments)
        if told(answer)[:-1] != told(taken.answer)[:-1]:
            return False
        now = answer.after
    return True


def check(machine: Machine, judged: tuple[Judged, ...]) -> None:
    """Hold what is said of mutants against the simple walk."""
    mutants = {one.mutant.number: one.mutant for one in judged}
    for one in judged:
        try:
            mutant = made(machine, mutants, one.mutant.number)
            same = alike(machine, mutant)
        except (ArgumentsError, KeyError):
            assert one.fate is Fate.KILLED
            continue
        assert same == (one.fate is Fate.EQUIVALENT), one.mutant.title
        if one.same_as is not None:
            assert alike(made(machine, mutants, one.same_as), mutant), one.mutant.title
        for notice in one.notices:
            assert notice.trace is None or replays(mutant, notice.trace), one.mutant.title
        if one.apart is not None and one.instead is not None:
            assert replays(machine, one.apart)
            assert not replays(mutant, one.apart)
            assert replays(mutant, evolve(one.apart, steps=one.apart.steps[:-1]))


@FEW
@given(table_machines(most_states=4), st.integers(0, 99))
def test_what_is_said_of_mutants_of_tables_is_true(machine: Machine, seed: int) -> None:
    """Equivalent: every run is answered alike. Killed: the trace replays. Survived: a run tells it, and the one before does not."""
    check(machine, mutate(spec_of(machine), machine, chosen=Chosen(most=25, seed=seed)).judged)


@settings(max_examples=12, deadline=None)
@given(machines(), st.integers(0, 99))
def test_what_is_said_of_mutants_with_data_is_true(machine: Machine, seed: int) -> None:
    """Guards, effects and results too."""
    check(machine, mutate(spec_of(machine), machine, chosen=Chosen(most=15, seed=seed)).judged)


@settings(max_examples=10, deadline=None)
@given(machines(), st.integers(0, 99))
def test_what_the_original_knows_already_changes_nothing(machine: Machine, seed: int) -> None:
    """A mutant that is explored beside others, with what was asked before, is judged as one that is explored alone."""
    spec = spec_of(machine)
    mutants = mutants_of(spec, machine, most=10, seed=seed)
    together = Explorer(spec, machine, NOTHING_SAID, 20_000)
    for mutant in mutants:
        said, alone = together.judge(mutant), Explorer(spec, machine, NOTHING_SAID, 20_000).judge(mutant)
        if said.fate is not Fate.DUPLICATE:
            assert (said.fate, said.notices) == (alone.fate, alone.notices)


@FEW
@given(table_machines())
def test_a_mutant_of_the_spec_is_the_mutant_of_the_machine(machine: Machine) -> None:
    """Tests and logs get the one, exploring the other."""
    spec = spec_of(machine)
    for mutant in mutants_of(spec, machine):
        of_spec = machine_of(mutated_spec(spec, mutant.draft.edit), machine.release or None)
        of_machine = mutated_machine(machine, spec, mutant.draft.edit)
        assert of_spec.transitions == of_machine.transitions
        assert (of_spec.states, of_spec.otherwise) == (of_machine.states, of_machine.otherwise)
        assert {event.name for event in of_spec.events} == {event.name for event in of_machine.events}


@FEW
@given(table_machines(), st.integers(1, 30), st.integers(0, 99))
def test_a_sample_is_some_of_all_in_their_order(machine: Machine, most: int, seed: int) -> None:
    """Numbers stay, so that one mutant can be asked about again."""
    spec = spec_of(machine)
    every, some = mutants_of(spec, machine), mutants_of(spec, machine, most=most, seed=seed)
    assert some == tuple(each for each in every if each in some)
    assert len(some) == min(most, len(every))
    assert some == mutants_of(spec, machine, most=most, seed=seed)


def test_judges_are_named() -> None:
    """The order of the columns."""
    assert [judge.value for judge in Judge] == ["checks", "properties", "test", "log"]
