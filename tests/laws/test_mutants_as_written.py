"""Mutants as edits of a text: each differs by exactly the edit that it prints, and that edit, made by hand, gives the same mutant.

Covers: statemachines.semantics.arguments.value_sampling,
statemachines.mutate.campaigns.mutation, statemachines.mutate.judges.mutation_results,
statemachines.mutate.operators.edits, statemachines.mutate.operators.machine_mutants,
statemachines.mutate.operators.mutants, statemachines.semantics.machine.initial_snapshots,
statemachines.semantics.machine.machine_tables, statemachines.semantics.machine.step,
statemachines.semantics.machine.value_enumeration, statemachines.semantics.messages.argument_errors.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

from hypothesis import given, reject, settings
from hypothesis import strategies as st

from statemachines.model.definitions.machine_definitions import MachineDefinition, SpecDefinition
from statemachines.model.definitions.snapshots import Answer, NamedValues, Refused, Snapshot
from statemachines.mutate.campaigns.mutation import MutantSelection, mutate
from statemachines.mutate.judges.mutation_results import AdmittedOnlyBy, MutantStatus
from statemachines.mutate.operators.edits import mutated_machine, mutated_spec
from statemachines.mutate.operators.machine_mutants import machine_mutants
from statemachines.mutate.operators.mutants import MutationOperator
from statemachines.notation import machine_of, read_spec_text
from statemachines.semantics.machine.initial_snapshots import initial_snapshots
from statemachines.semantics.machine.machine_tables import machine_tables
from statemachines.semantics.machine.step import step, unchecked_step
from statemachines.semantics.machine.value_enumeration import default_domain_sizes
from statemachines.semantics.messages.argument_errors import ArgumentsError
from tests.effort import some_of
from tests.exploring import enumerate_arguments
from tests.written_machines import by_hand, parts, specs_as_written

SOME = settings(max_examples=some_of(12), deadline=None)
BROKEN = (
    ArgumentsError,
    KeyError,
    IndexError,
    ValueError,
    TypeError,
    AttributeError,
    ZeroDivisionError,
)
"""What a mutant may raise that the reader of specs would have refused."""


def read(text: str) -> SpecDefinition | None:
    """The spec of a text; None where it has errors."""
    found = read_spec_text(text.encode(), "written.yaml")
    return (
        None
        if found.spec is None
        or any(one.code.startswith(("SM1", "SM2", "SM3")) for one in found.diagnostics)
        else found.spec
    )


@SOME
@given(specs_as_written(), st.integers(0, 999))
def test_the_printed_edit_made_by_hand_gives_the_same_mutant(text: str, seed: int) -> None:
    """What the reader of the report does in the file is what was judged."""
    spec = read(text)
    if spec is None:
        reject()  # an entry that no request comes to, a case that an earlier one covers
    for mutant in machine_mutants(spec, machine_of(spec), most=25, seed=seed):
        edited = read(by_hand(text, mutant))
        if edited is not None:
            made = parts(mutated_spec(spec, mutant.candidate.edit))
            assert Counter(parts(edited).values()) == Counter(made.values()), (
                mutant.title,
                mutant.candidate.diff,
            )


@SOME
@given(specs_as_written())
def test_a_mutant_differs_by_its_edit_and_by_nothing_else(text: str) -> None:
    """One definition, one event, one answer, one beginning, or the arrows of one operation (two, where targets are swapped)."""
    spec = read(text)
    if spec is None:
        reject()  # an entry that no request comes to, a case that an earlier one covers
    for mutant in machine_mutants(spec, machine_of(spec)):
        before, after = parts(spec), parts(mutated_spec(spec, mutant.candidate.edit))
        arrows = Counter(value for key, value in before.items() if key[0] == "arrow")
        now = Counter(value for key, value in after.items() if key[0] == "arrow")
        rest = {
            key
            for key in {*before, *after}
            if key[0] != "arrow" and before.get(key) != after.get(key)
        }
        gone, new = arrows - now, now - arrows
        kinds = {key[0] for key in rest} | ({"arrow"} if gone or new else set())
        assert len(kinds) == 1, mutant.title
        assert any(line[0] in "+-" for line in mutant.candidate.diff), mutant.title
        if "arrow" in kinds:
            operations = {
                (arrow.entry, arrow.event)
                for place in mutant.candidate.edit.transitions
                for arrow in [spec.transitions[place]]
            }
            assert len(operations) <= (
                2 if mutant.candidate.operator is MutationOperator.SWAP else 1
            ), mutant.title


def told(answer: Answer) -> object:
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
    behaviour = machine_tables(machine).behaviour
    for event in machine_tables(machine).events:
        for arguments in enumerate_arguments(
            behaviour, default_domain_sizes(behaviour), now, event
        ):
            yield event, arguments


def alike(one: MachineDefinition, other: MachineDefinition) -> bool:
    """Whether every run of one is one of the other, answered alike: both walked through together, arguments and all."""
    if set(initial_snapshots(one)) != set(initial_snapshots(other)):
        return False
    pending = list(initial_snapshots(one))
    seen = set(pending)
    for now in pending:
        mine, theirs = list(asks(one, now)), list(asks(other, now))
        if mine != theirs:
            return False
        for event, arguments in mine:
            was, is_now = (
                unchecked_step(machine_tables(each), now, event, arguments) for each in (one, other)
            )
            if told(was) != told(is_now):
                return False
            if was.after not in seen:
                seen.add(was.after)
                pending.append(was.after)
    return True


def walked(one: MachineDefinition, other: MachineDefinition, seed: int, steps: int) -> bool:
    """Whether a random walk tells two machines apart."""
    chooser = random.Random(seed)
    now = next(iter(initial_snapshots(one)))
    for _ in range(steps):
        event, arguments = chooser.choice(list(asks(one, now)))
        was, is_now = step(one, now, event, **arguments), step(other, now, event, **arguments)
        if (
            told(was)[:-1] != told(is_now)[:-1]
        ):  # which clause of a guard was false is said to people, and no behaviour
            return True
        now = was.after
    return False


@settings(max_examples=some_of(10), deadline=None)
@given(specs_as_written(), st.integers(0, 999))
def test_what_is_said_of_mutants_of_definitions_lets_and_worlds_is_true(
    text: str, seed: int
) -> None:
    """Equivalent: a walk through everything, and random walks, tell nothing apart. Survived: the run tells it, where it says so."""
    spec = read(text)
    if spec is None:
        reject()  # an entry that no request comes to, a case that an earlier one covers
    machine = machine_of(spec)
    for one in mutate(spec, machine, chosen=MutantSelection(most=20, seed=seed)).judged:
        mutant = mutated_machine(machine, spec, one.mutant.candidate.edit)
        try:
            same = alike(machine, mutant)
        except BROKEN:
            assert one.status is MutantStatus.KILLED, one.mutant.title
            continue
        assert same == (one.status is MutantStatus.EQUIVALENT), one.mutant.title
        if same:
            assert not walked(machine, mutant, seed, 60)
        if one.admitted_only_by:
            assert one.apart is not None
            last, before = one.apart.steps[-1], one.apart.snapshots[-2][0]
            may = [
                (last.event, last.arguments) in list(asks(each, before))
                for each in (machine, mutant)
            ]
            assert may == [
                one.admitted_only_by is AdmittedOnlyBy.ORIGINAL,
                one.admitted_only_by is AdmittedOnlyBy.MUTANT,
            ]
