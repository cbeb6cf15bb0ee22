"""Rules that hold because they say nothing are named; what nothing reaches is certain where nothing was left out.

Covers: statemachines.explore.properties.vacuity.
"""

from __future__ import annotations

import pytest

from statemachines.explore.exploration import explore
from statemachines.explore.options import ExplorationOptions
from statemachines.explore.scopes import ExplorationScope
from statemachines.model.evidence.verdicts import Verdict
from tests.data_machines import example, machine
from tests.systems import house

BODY = """
types: {Job: id}
errors: {Torn: It broke.}
states: {A: {initial: true}, B: {}, C: {}, D: {final: true}}
variables: {n: "0..3 = 0", jobs: "set[Job] = set()"}
transitions:
  - {from: A, to: A, event: up, guard: n < 3, effect: {n: n + 1}}
  - {from: A, to: B, event: tear, guard: n == 3, raises: Torn}
  - {from: [A, B], to: D, event: end}
scope: {Job: 2}
"""
NEVER_C = "vacuous: never true is state == 'C'"


def said(claim: str, rule: str, engine: str = "rows") -> tuple[Verdict, str]:
    """Return what is said of one rule."""
    found = explore(
        machine(f"{BODY}{claim}:\n  rule: {rule}\n"), how=ExplorationOptions(engine=engine)
    )
    one = next(one for one in found.examined if one.name.endswith("rule"))
    return one.verdict, one.said


@pytest.mark.parametrize("engine", ["rows", "arrays"])
@pytest.mark.parametrize(
    ("claim", "rule", "words"),
    [
        ("always", "implies(state == 'C', n == 3)", NEVER_C),
        ("always", "n <= 3 and implies(state == 'C', n == 3)", NEVER_C),
        ("always", "implies(n == 3, implies(state == 'C', jobs == set()))", NEVER_C),
        ("always", "not (state == 'C') or n == 2", NEVER_C),
        ("always", "n == 3 if state == 'C' else True", NEVER_C),
        ("always", "True if state != 'C' else n == 3", "vacuous: never true is not state != 'C'"),
        ("always", "all(implies(n == 2, j == 'x') for j in jobs)", "vacuous: never true is n == 2"),
        ("always", "all(n == 2 for j in jobs)", "vacuous: never true is any(True for j in jobs)"),
        (
            "always",
            "{holds: \"implies(state == 'B', n == 0)\", until: raised}",
            "vacuous: never true is state == 'B'",
        ),
        (
            "each step",
            "implies(before.state == 'D', n == 0)",
            "vacuous: never true is before.state == 'D'",
        ),
        ("leads to", "{when: state == 'C', then: state == 'D'}", NEVER_C),
        ("always", "n >= 0", "vacuous: its types alone make it true"),
        ("always", "state != 'C' or n < 4", "vacuous: its types alone make it true"),
        ("each step", "n + before.n <= 6", "vacuous: its types alone make it true"),
    ],
)
def test_a_rule_that_says_nothing_is_named(claim: str, rule: str, words: str, engine: str) -> None:
    """It holds of a machine that does nothing as well: whoever wrote it meant something else."""
    text = rule if rule.startswith("{") else f'"{rule}"'
    if rule.startswith("{when"):
        text = "{when: \"state == 'C'\", then: \"state == 'D'\"}"
    if "j == 'x'" in rule or engine == "arrays":
        pytest.importorskip("numpy")
    if "j == 'x'" in rule:
        text = '"all(implies(n == 2, jobs == {j}) for j in jobs)"'
    assert said(claim, text, engine) == (Verdict.HOLDS, words)


@pytest.mark.parametrize(
    ("claim", "rule"),
    [
        ("always", "implies(n == 3, state != 'C')"),
        ("always", "state != 'C'"),
        ("always", "not (state == 'C' and n == 3)"),
        ("always", "implies(state == 'A', n <= 3) and jobs == set()"),
        ("each step", "implies(before.state == 'A', n >= before.n)"),
    ],
)
def test_a_rule_that_says_something_is_not(claim: str, rule: str) -> None:
    """What it speaks of comes up, or it forbids something that its types allow."""
    assert said(claim, f'"{rule}"') == (Verdict.HOLDS, "")


@pytest.mark.parametrize(
    ("claim", "rule", "words"),
    [
        (
            "leads to",
            "{when: n == 3, then: n > 1}",
            "vacuous: no run waits, as wherever n == 3, n > 1",
        ),
        (
            "until",
            "{when: n == 3, holds: n > 0, then: n == 3}",
            "vacuous: no run waits, as wherever n == 3, n == 3",
        ),
        ("always eventually", "jobs == set()", "vacuous: no run waits, as always jobs == set()"),
        ("eventually always", "n < 4", "vacuous: no run waits, as always n < 4"),
        ("leads to", "{when: n == 4, then: n == 4}", "vacuous: never true is n == 4"),
        ("leads to", "{when: n == 2, then: state == 'D', assuming: [end]}", ""),
        ("always eventually", "{holds: state == 'D', assuming: [end]}", ""),
        ("eventually always", "{holds: state == 'D', assuming: [end]}", ""),
    ],
)
def test_a_promise_that_no_run_tests_is_named(claim: str, rule: str, words: str) -> None:
    """What is waited for is there already wherever the waiting would begin: the promise says nothing of any run."""
    assert said(claim, rule) == (Verdict.HOLDS, words)


def test_a_rule_of_a_system_is_named_too() -> None:
    """Its left side is looked at in every state of the whole."""
    text = """
notation: 1
system: House
parts: {door: {machine: Door}, alarm: {machine: Door}}
links:
  - {on: door, enters: OPEN, only if: alarm.state == 'SHUT'}
  - {on: alarm, enters: OPEN, only if: door.state == 'SHUT'}
always:
  never: "implies(door.state == 'OPEN' and alarm.state == 'OPEN', False)"
  some: "implies(door.state == 'OPEN', alarm.state == 'SHUT')"
"""
    told = {one.name: (one.verdict, one.said) for one in explore(house("", text)).examined}
    assert told["always never"] == (
        Verdict.HOLDS,
        "vacuous: never true is door.state == 'OPEN' and alarm.state == 'OPEN'",
    )
    assert told["always some"] == (Verdict.HOLDS, "")


ISLAND = """
states: {A: {initial: true}, C: {}, D: {final: true}}
variables: {n: "0..3 = 0"}
transitions:
  - {from: C, to: A, event: never}
  - {from: A, to: D, event: end, guard: n < 2}
  - {from: A, event: up, guard: n < 3, effect: {n: n + 1}}
"""


@pytest.mark.parametrize(
    ("changes", "verdict"),
    [
        ((), Verdict.VIOLATED),
        (
            (
                (
                    "states:",
                    "types: {Job: id}\nevents: {end: {args: {job: Job}}}\nscope: {Job: 2}\nstates:",
                ),
            ),
            Verdict.INCONCLUSIVE,
        ),
        (
            (("0..3 = 0", "int = 0"), ("states:", "scope: {int: 0..5}\nstates:")),
            Verdict.INCONCLUSIVE,
        ),
        ((("states:", "events: {end: {args: {job: 0..2}}}\nstates:"),), Verdict.VIOLATED),
        ((("states:", "parameters: {most: 0..2}\nstates:"),), Verdict.VIOLATED),
        (
            (("states:", "parameters: {most: 0..2}\nscope: {most: 1}\nstates:"),),
            Verdict.INCONCLUSIVE,
        ),
    ],
)
def test_what_nothing_reaches_is_certain_where_nothing_was_left_out(
    changes: tuple[tuple[str, str], ...], verdict: Verdict
) -> None:
    """A wider scope comes to no other state of a machine all of whose types have bounds."""
    text = ISLAND
    for old, new in changes:
        text = text.replace(old, new, 1)
    found = explore(machine(text))
    (one,) = [one for one in found.examined if one.name == "everything is reached"]
    assert one.verdict is verdict
    assert one.said.startswith("never in C")


def test_a_given_parameter_leaves_something_out() -> None:
    """`--scope most=1` looks at one value of three."""
    of = machine(ISLAND.replace("states:", "parameters: {most: 0..2}\nstates:", 1))
    found = explore(of, ExplorationScope(parameters={"most": 1}))
    assert "everything is reached" in {
        one.name for one in found.examined if one.verdict is Verdict.INCONCLUSIVE
    }


def test_rules_of_the_textbook_say_something() -> None:
    """None of them is vacuous: a false alarm costs more than it finds."""
    for name in ("TwoPhaseCommit", "Peterson", "DiningPhilosophers"):
        assert not [
            one for one in explore(example(name)).examined if one.said.startswith("vacuous")
        ]
