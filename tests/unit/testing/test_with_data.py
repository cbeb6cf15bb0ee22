"""The test made from a machine with data: arguments, parameters, results, what is hidden, what the system chooses.

Covers: statemachines.testing.runs.attempts, statemachines.testing.runs.reproductions,
statemachines.testing.runs.run_coverage, statemachines.testing.runs.subject_contact,
statemachines.testing.session_coverage, statemachines.testing.stateful,
statemachines.testing.tours.repeated_runs, statemachines.testing.tours.set_relations.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from statemachines.embed.errors import NotAllowed
from statemachines.embed.instances import Instance
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.semantics.machine.initial_snapshots import initial_snapshots
from statemachines.semantics.machine.machine_tables import machine_tables
from statemachines.semantics.machine.value_enumeration import default_domain_sizes
from statemachines.testing import coverage_table, from_machine
from statemachines.testing.runs.attempts import AttemptFinder, sample_subject_parameters
from statemachines.testing.runs.run_coverage import coverage_text, merge_coverage
from statemachines.testing.stateful import SideBySideMachine
from tests.data_machines import EXAMPLES, example, machine
from tests.planted.bank import BANK, Bank, FreezesOnce, ThawsToClosed
from tests.planted.faults import FAULTS, RIGHT, Planted
from tests.planted.shop import ORDERS, Shop
from tests.planted.van import VAN, AnswersTooSoon, ForgetsInOneOutcome, GivesItselfAway, TooHeavy
from tests.planted.worker import WORKER, Worker
from tests.refusing import No
from tests.sampling import few_always

FEW = settings(
    max_examples=8, stateful_step_count=20, database=None, deadline=None, phases=[Phase.generate]
)


def run(
    of: MachineDefinition,
    make_subject: Callable[..., Any],
    with_settings: settings = FEW,
    **options: Any,
) -> type[SideBySideMachine]:
    """Run the test with few random lives; what is planned comes whole."""
    test = from_machine(of, make_subject, **{"refusals": (No,), **options})
    run_state_machine_as_test(test, settings=with_settings)
    return test


@pytest.mark.parametrize(
    "name", few_always(EXAMPLES, [name for name in EXAMPLES if name != "CoffeeCan"])
)
def test_a_machines_own_instance_passes(name: str) -> None:
    """Every textbook machine: parameters, guards, cases, errors, finals; cans begin with any number of beans, so they take long."""
    of = example(name)
    run(of, lambda **parameters: Instance(of, **parameters), refusals=(NotAllowed,))


@pytest.mark.parametrize("right", few_always(RIGHT, RIGHT[::3]), ids=lambda planted: planted.name)
def test_a_right_program_passes(right: Planted) -> None:
    """A false alarm costs more than it finds."""
    run(right.machine, right.make())


@pytest.mark.parametrize(
    "planted", few_always(FAULTS, FAULTS[::9]), ids=lambda planted: planted.name
)
def test_a_planted_fault_is_found(planted: Planted) -> None:
    """By what is planned alone; `benchmarks/planted.py` prints the table."""
    tours_only = settings(FEW, max_examples=1, stateful_step_count=1)
    with pytest.raises(AssertionError, match="The program that shows it"):
        run(planted.machine, planted.make(), tours_only)


def test_a_program_that_must_be_refused_on_the_way_runs_as_it_is_printed() -> None:
    """Pasted below the classes, it comes to its end and shows what is wrong there."""
    with pytest.raises(AssertionError) as failure:
        run(VAN, ForgetsInOneOutcome)
    program = str(failure.value).rpartition("The program that shows it:\n")[2].replace("    ", "")
    known: dict[str, Any] = {"make_subject": ForgetsInOneOutcome, "No": No, "TooHeavy": TooHeavy}
    exec(program, known)
    assert "with suppress(TooHeavy): subject.weigh(" in program
    assert known["subject"].aboard == set()


def test_what_is_answered_before_it_is_done_is_too_late() -> None:
    """Nothing else has its turn on the loop between the end of a call and the look."""
    with pytest.raises(
        AssertionError, match=r"after in OUT, back\(\): the subject's state must be HOME"
    ) as failure:
        run(VAN, AnswersTooSoon)
    assert "await subject.back()" in str(failure.value)


def test_results_may_be_shared_where_it_is_said() -> None:
    """A view that lives on is no fault then."""
    with pytest.raises(AssertionError, match="the caller changed what it was given"):
        run(VAN, GivesItselfAway)
    run(VAN, GivesItselfAway, shares_results=True)


def test_coverage_of_several_processes_adds_up() -> None:
    """What one of them met is met; steps and lives are sums."""
    told = run(BANK, Bank).coverage.to_data()
    nothing = (told[0], 1, 2, [(what, wanted, []) for what, wanted, _ in told[3]])
    (both,) = merge_coverage([nothing, told])
    assert (both[1], both[2]) == (told[1] + 1, told[2] + 2)
    assert coverage_text(both).splitlines()[1:] == coverage_text(told).splitlines()[1:]


def test_a_failure_shows_a_short_program() -> None:
    """It can be pasted: what is not needed is left out."""
    with pytest.raises(AssertionError) as failure:
        run(BANK, ThawsToClosed)
    said = str(failure.value)
    assert "after in FROZEN, thaw(): the subject's state must be OPEN, and is CLOSED" in said
    assert said.endswith("    subject = make_subject()\n    subject.freeze()\n    subject.thaw()")


def test_the_tours_take_every_transition_pair_and_outcome() -> None:
    """Before anything random happens."""
    test = run(BANK, Bank, settings(FEW, max_examples=1))
    rows = {what: how for what, how, _ in test.coverage.rows()}
    assert (rows["transitions"], rows["pairs"], rows["guard outcomes"]) == (
        "10 of 10",
        "48 of 48",
        "8 of 8",
    )
    assert "examples/" not in test.coverage.table().splitlines()[0]
    assert test.coverage.table() in coverage_table()


def test_without_tours_the_coverage_says_what_is_missing() -> None:
    """A table that is always full would say nothing."""
    test = run(BANK, Bank, settings(FEW, max_examples=1, stateful_step_count=1), planned=False)
    assert "never: " in test.coverage.table()


def test_parameters_reach_the_subject() -> None:
    """Those of the scope, and others of their types."""
    shelves = list[dict[str, int]]()

    def make(shelf: dict[str, int]) -> Shop:
        shelves.append(dict(shelf))
        return Shop(shelf)

    run(ORDERS, make)
    assert {"tea": 2, "milk": 2} in shelves
    assert any(shelf != {"tea": 2, "milk": 2} for shelf in shelves)


def test_what_is_hidden_is_not_compared() -> None:
    """`secret` of the worker is no attribute of it, and need not be."""
    assert not hasattr(Worker(), "secret")
    run(WORKER, Worker)


def test_what_is_not_shown_is_told() -> None:
    """A variable that can be observed must be."""
    with pytest.raises(
        AssertionError, match="the subject's `waiting` must be set\\(\\), and is not shown"
    ):
        run(WORKER, lambda: object())


def test_a_variable_may_be_shown_by_a_function() -> None:
    """Or under another name."""

    class Renamed(Bank):
        @property
        def history(self) -> tuple[int, ...]:
            return tuple(self.booked)

        def __getattribute__(self, name: str) -> Any:
            if name == "balance_now":
                return super().__getattribute__("balance")
            return super().__getattribute__(name)

    run(
        BANK,
        Renamed,
        observe={"booked": lambda subject: list(subject.history), "balance": "balance_now"},
    )


def test_an_adapter_stands_for_a_remote_system() -> None:
    """Events are calls of a function; a life that ends is told."""
    ended = []
    run(
        BANK,
        lambda: {"account": Bank()},
        call=lambda subject, event, arguments: getattr(subject["account"], event)(**arguments),
        observe={
            name: lambda subject, name=name: getattr(subject["account"], name)
            for name in ("state", "balance", "booked")
        },
        end=ended.append,
    )
    assert ended


def test_a_spec_that_does_not_hold_together_is_told() -> None:
    """Machine and program agree, and both break what the spec claims."""
    wrong = machine(
        "variables: {n: 0..3 = 0}\nevents: {up: {guard: n < 3, effect: {n: n + 1}}}\nalways: {small: n < 2}\n"
    )

    class Up:
        n = 0

        def up(self) -> None:
            if self.n == 3:
                raise No
            self.n += 1

    with pytest.raises(AssertionError, match="`small` \\(of `always`\\) is broken"):
        run(wrong, Up)


def test_a_program_may_hold_values_as_it_likes() -> None:
    """Lists for sets, mappings for records: values are compared, not classes."""

    class Loose(Shop):
        @property
        def shown(self) -> dict[str, dict[str, object]]:
            return {name: info._asdict() for name, info in self.orders.items()}

    run(ORDERS, Loose, observe={"orders": "shown"})


def test_what_decides_for_itself_is_no_flaky_test() -> None:
    """What is drawn must not depend on what a program does: two runs of this one never are the same."""

    class TakesAny(Worker):
        async def take(self) -> str:
            if not self.waiting:
                raise No("nothing to do")
            job = secrets.choice(sorted(self.waiting))
            self.waiting.remove(job)
            self.done.append(job)
            return job

    run(WORKER, TakesAny, settings(FEW, max_examples=60, stateful_step_count=50), planned=False)


def test_what_fails_by_chance_only_is_said_all_the_same() -> None:
    """A failure that does not come again is one; nothing of Hypothesis hides it."""

    class SometimesLost(Worker):
        async def take(self) -> str:
            job = await super().take()
            if secrets.randbelow(8) == 0:
                self.done.remove(job)
            return job

    with pytest.raises(AssertionError, match="The program that shows it"):
        run(WORKER, SometimesLost)


def test_random_failures_are_made_short() -> None:
    """By what a step does, not by what it was drawn from: nothing stays that is not needed."""
    with pytest.raises(AssertionError) as failure:
        run(
            BANK,
            FreezesOnce,
            settings(FEW, max_examples=100, stateful_step_count=50),
            planned=False,
        )
    program = str(failure.value).rpartition("The program that shows it:\n")[2].splitlines()
    assert [line.strip() for line in program] == [
        "subject = make_subject()",
        "subject.freeze()",
        "subject.thaw()",
        "subject.freeze()",
    ]


def test_a_program_that_cannot_be_looked_at_is_wrong() -> None:
    """A property that raises, a connection that is gone: said with the program that led there, and its cause."""

    class Shy(Bank):
        @property
        def booked(self) -> list[int]:
            if len(self.kept) > 1:
                raise ConnectionError("gone")
            return self.kept

        @booked.setter
        def booked(self, kept: list[int]) -> None:
            self.kept = kept

    with pytest.raises(
        AssertionError, match=r"`booked` must be .*, and cannot be looked at: ConnectionError: gone"
    ):
        run(BANK, Shy)


def test_a_program_that_cannot_be_let_go_of_is_wrong() -> None:
    """And where something else was wrong before, that is what is said."""

    def end(_: object) -> None:
        raise ConnectionError("gone already")

    with pytest.raises(
        AssertionError,
        match="at the end of a life: the subject's `end` raised ConnectionError: gone already",
    ):
        run(BANK, Bank, end=end)
    with pytest.raises(AssertionError, match="must"):
        run(BANK, ThawsToClosed, end=lambda bank: end(bank) if bank.state == "CLOSED" else None)


@pytest.mark.parametrize("name", EXAMPLES)
def test_what_is_drawn_fits(name: str) -> None:
    """What was drawn from its types is looked at no more: it must be what the machine accepts."""
    tables = machine_tables(example(name))
    trials, random = AttemptFinder(tables, default_domain_sizes(tables.behaviour)), Random(0)
    for _ in range(20):
        now = initial_snapshots(tables, **sample_subject_parameters(trials, random, wide=False))[0]
        for _ in range(20):
            event = random.choice(tables.events)
            found = trials.sample_step(now, event, random)
            if found is not None:
                assert trials.first_step(now, found[0]) == found[1]
                now = found[1].answer.after
