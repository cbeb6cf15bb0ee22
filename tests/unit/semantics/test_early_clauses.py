"""Beginnings are drawn variable by variable, and what `initially` rules out early is not drawn on.

Covers: statemachines.semantics.machine.early_clauses,
statemachines.semantics.machine.initial_values.
"""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statemachines.explore.exploration import explore
from statemachines.model.evidence.verdicts import Verdict
from statemachines.semantics.machine.initial_snapshots import initial_snapshots
from tests.data_machines import machine

CLAUSES = {
    "xs != []": lambda xs, n, top: xs != (),
    "xs != [] and xs[0] <= n": lambda xs, n, top: xs != () and xs[0] <= n,
    "n == len(xs)": lambda xs, n, top: n == len(xs),
    "rising": lambda xs, n, top: all(a <= b for a, b in itertools.pairwise(xs)),
    "n < limit": lambda xs, n, top: n < 2,
    "implies(top, n > 0)": lambda xs, n, top: not top or n > 0,
    "(top or xs == [])": lambda xs, n, top: top or xs == (),
    "state == 'A' or top": lambda xs, n, top: True,
    "n > 0 and 4 // n > 1": lambda xs, n, top: n > 0 and 4 // n > 1,
}
ORDERS = list(itertools.permutations(["xs", "n", "top"]))
TYPES = {"xs": "list[0..2]", "n": "0..3", "top": "bool"}


@given(st.lists(st.sampled_from(sorted(CLAUSES)), max_size=4), st.sampled_from(ORDERS))
def test_what_begins_is_what_fits(clauses: list[str], order: tuple[str, ...]) -> None:
    """In whichever order variables are declared and parts are written; facts of one for another."""
    variables = "".join(f"  {name}: {{type: '{TYPES[name]}', initial: any}}\n" for name in order)
    initially = f'initially: "{" and ".join(f"({c})" for c in clauses)}"\n' if clauses else ""
    made = machine(
        "states: {A: {initial: true}, B: {initial: true}}\nparameters: {limit: 1..3}\n"
        'define: {rising: "all(xs[i] <= xs[i + 1] for i in range(len(xs) - 1))"}\n'
        f"variables:\n{variables}{initially}transitions: [{{to: A}}, {{to: B}}]\n"
    )
    found = {
        (one.state, *(one.variables[name] for name in TYPES))
        for one in initial_snapshots(made, limit=2)
    }
    lists = [xs for size in range(3) for xs in itertools.product(range(3), repeat=size)]
    assert found == {
        (state, xs, n, top)
        for state, xs, n, top in itertools.product("AB", lists, range(4), (False, True))
        if all(CLAUSES[clause](xs, n, top) for clause in clauses)
        and ("state == 'A' or top" not in clauses or state == "A" or top)
    }


@pytest.mark.parametrize("of", ["variables", "parameters"])
def test_of_many_lists_few_are_sorted(of: str) -> None:
    """97,655 lists of seven are drawn, 791 are sorted: below every limit, and no cut is told."""
    sorted_ = "len(seq) > 0 and all(seq[i] <= seq[i + 1] for i in range(len(seq) - 1))"
    body = (
        f"variables: {{seq: {{type: 'list[1..5]', initial: any}}, done: {{type: bool, initial: any}}}}\ninitially: {sorted_} and not done\n"
        if of == "variables"
        else f"parameters: {{seq: 'list[1..5]'}}\nwhere: {sorted_}\nvariables: {{done: bool = False}}\n"
    )
    body += "events: {end: {guard: not done, effect: {done: 'True'}}}\nfinal: done\n"
    found = explore(machine(f"{body}scope: {{list: 7}}\n"))
    assert (found.states, found.bounds, found.verdict) == (2 * 791, (), Verdict.HOLDS)
