"""Random walks: they obey the machine, and notice each planted fault.

Covers: statemachines.explore.walks.random_walks, statemachines.semantics.machine.step,
statemachines.explore.walks.walk_verdicts.
"""

from __future__ import annotations

import pytest

from statemachines.explore.walks.random_walks import simulate
from statemachines.model.evidence.verdicts import Verdict
from statemachines.semantics.machine.step import step
from tests.data_machines import EXAMPLES, example

SEEDS = range(12)


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_walk_is_a_run_of_the_machine(name: str) -> None:
    """Each step of a walk is what `step` answers, arguments checked; the same seed gives the same walk."""
    machine = example(name)
    for seed in SEEDS:
        walk = simulate(machine, seed=seed, steps=30)
        assert walk.verdict is not Verdict.VIOLATED, walk.noticed
        before = walk.begin
        for occurrence in walk.steps:
            assert (
                step(machine, before, occurrence.event, **occurrence.arguments) == occurrence.answer
            )
            before = occurrence.answer.after
        assert simulate(machine, seed=seed, steps=30).steps == walk.steps


FAULTS = [
    ("BoundedCounter", ("guard: count < limit", "guard: count < 5")),
    ("BoundedCounter", ("effect: {count: count + 1}", "effect: {count: count + 2}")),
    (
        "BankAccount",
        (
            "withdraw\n    cases:\n      - {when: covers(amount), ",
            "withdraw\n    cases:\n      - {when: amount > 0, ",
        ),
    ),
    ("BankAccount", ("(booked + [amount])[-2:]", "booked + [amount]")),
    ("BankAccount", ('close, returns: balance, effect: {balance: "0"}', "close, returns: balance")),
    ("Orders", ('stock: "stock | {item: stock[item] - count}"', "stock: stock")),
    ("Orders", ('          stock: "stock | {info.item: stock[info.item] + info.count}"\n', "")),
    ("TwoPhaseCommit", ("decideCommit, guard: told == managers", "decideCommit")),
    (
        "TwoPhaseCommit",
        (
            "giveUp:\n    args: {rm: \"at('working')\"}",
            "giveUp:\n    args: {rm: \"at('working') | at('prepared')\"}",
        ),
    ),
    ("Peterson", ("turn: other(p)", "turn: p")),
    ("Peterson", ('guard: "not flag[other(p)] or turn == p"', 'guard: "turn == p or turn != p"')),
    ("DiningPhilosophers", ("hand[s] == 'one' and free((s + 1) % 3)", "hand[s] == 'one'")),
]


@pytest.mark.parametrize(("name", "change"), FAULTS)
def test_a_planted_fault_is_noticed(name: str, change: tuple[str, str]) -> None:
    """A checker that was never seen to fail is untested; an invariant without such a fault says nothing."""
    machine = example(name, change)
    verdicts = [simulate(machine, seed=seed, steps=40).verdict for seed in range(60)]
    assert Verdict.VIOLATED in verdicts


def test_a_known_bug_must_fail() -> None:
    """`expect: fails`: that the philosophers starve is the fact; a walk that meets it says so and is content."""
    met = [
        one
        for seed in SEEDS
        for one in simulate(example("DiningPhilosophers"), seed=seed, steps=40).noticed
        if one.property.expect_fails
    ]
    assert {one.verdict for one in met} <= {Verdict.HOLDS, Verdict.INCONCLUSIVE}
    assert Verdict.HOLDS in {one.verdict for one in met}
