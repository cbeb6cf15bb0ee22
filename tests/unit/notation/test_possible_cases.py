"""Cases that the state they start from decides: they are no transitions, and no answer changes.

Covers: statemachines.notation.data.data_pass, statemachines.model.language.conditions_in_state
"""

from __future__ import annotations

import re
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from statemachines.draw.graphs.edge_labels import guard_label
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.definitions.snapshots import Advanced, Snapshot
from statemachines.semantics.machine.step import step
from tests.data_machines import codes, machine
from tests.effort import some_of

STATES = ("A", "B", "C")
CLAUSES = (
    "state == 'A'",
    "state != 'B'",
    "'C' == state",
    "state in {'A', 'B'}",
    "state not in {'A'}",
    "isEarly",
    "late",
    "near",
    "n > 1",
)
HEAD = """states: {A: {initial: true, final: true}, B: {final: true}, C: {final: true}}
variables: {n: "0..3 = 0"}
predicates: {isEarly: [A, B]}
define: {late: state == 'C'}
"""
conditions = st.recursive(
    st.sampled_from(CLAUSES),
    lambda inner: st.one_of(
        inner.map("not ({})".format),
        st.tuples(inner, inner).map("({0[0]}) and ({0[1]})".format),
        st.tuples(inner, inner).map("({0[0]}) or ({0[1]})".format),
        st.tuples(inner, inner).map("implies({0[0]}, {0[1]})".format),
        st.tuples(inner, inner, inner).map("(({0[0]}) if {0[1]} else ({0[2]}))".format),
    ),
    max_leaves=5,
)
operations = st.tuples(
    conditions, st.lists(st.tuples(conditions, st.sampled_from(STATES)), min_size=1, max_size=3)
)


def operation_machine(
    guard: str, cases: list[tuple[str, str]], *, hidden: bool
) -> MachineDefinition:
    """Make a machine of one operation; hidden: its conditions ask for the state in a way that only
    a step can decide.
    """
    lines = [f'      - {{when: "{when}", to: {to}}}' for when, to in cases]
    text = "\n".join(
        [
            f"{HEAD}events:",
            "  go:",
            "    let: {near: state != 'C'}",
            f'    guard: "{guard}"',
            "    cases:",
            *lines,
        ]
    )
    if hidden:
        text = text.replace("isEarly: [A, B]", "never: [A]")
        text = text.replace(
            "late: state == 'C'", "late: n < 4 and state == 'C', isEarly: STATE != 'C'"
        )
        text = re.sub(r"\bstate (==|!=|in|not in)|== state\b", _hide_state, text)
        text = text.replace("STATE", _HIDDEN)
    return machine(text)


_HIDDEN = "(state if n < 4 else state)"


def _hide_state(found: re.Match[str]) -> str:
    return found[0].replace("state", _HIDDEN)


def answers(made: MachineDefinition) -> dict[tuple[str, int], str | None]:
    """Return where each snapshot is led; None: refused."""
    led = {
        (state, n): step(made, Snapshot(state, {"n": n}), "go")
        for state, n in product(STATES, range(4))
    }
    return {
        key: answer.after.state if isinstance(answer, Advanced) else None
        for key, answer in led.items()
    }


@settings(max_examples=some_of(150))
@given(operations)
def test_no_answer_changes(operation: tuple[str, list[tuple[str, str]]]) -> None:
    """Whatever asks for the state at load or at the step, each snapshot is led the same way."""
    read = operation_machine(*operation, hidden=False)
    asked = operation_machine(*operation, hidden=True)
    assert len(read.transitions) <= len(asked.transitions) == 3 * len(operation[1])
    assert answers(read) == answers(asked)


@settings(max_examples=some_of(100))
@given(operations)
def test_what_stays_is_taken_for_some_values(operation: tuple[str, list[tuple[str, str]]]) -> None:
    """With clauses over the state alone, each transition is the one that a step takes, unless
    nothing is left of the event.
    """
    guard, cases = operation
    if "n > 1" in guard or any("n > 1" in when for when, _ in cases):
        return
    made = operation_machine(guard, cases, hidden=False)
    taken = {state: step(made, Snapshot(state, {"n": 0}), "go") for state in STATES}
    if any(isinstance(answer, Advanced) for answer in taken.values()):
        by = [answer.decided_by for answer in taken.values() if isinstance(answer, Advanced)]
        assert list(made.transitions) == sorted(by, key=made.transitions.index)
        if not any(name in str(operation) for name in ("near", "late")):  # names stand for more
            assert {guard_label(each) for each in by} == {""}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("when: \"n > 1 and state == 'B'\", to: A", []),
        ("when: \"state == 'A' and state == 'B'\", to: A", ["SM324"]),
        ('when: "not isEarly and isEarly", to: A', ["SM324"]),
    ],
)
def test_a_case_of_no_state_is_told(line: str, expected: list[str]) -> None:
    """It would go without a word."""
    text = f"{HEAD}events: {{go: {{cases: [{{{line}}}, {{to: B}}]}}}}\n"
    assert codes(text) == expected


def test_the_last_that_is_left_of_an_event_stays() -> None:
    """The event is known, and why it is refused is said."""
    text = f"{HEAD}transitions: [{{event: push, from: A, to: B, guard: \"state == 'B'\"}}]\n"
    made = machine(text)
    assert [each.event for each in made.transitions] == ["push"]
    assert codes(text) == ["SM324"]
    refused = step(made, Snapshot("A", {"n": 0}), "push")
    assert getattr(refused, "reason", "") == "`state == 'B'` is false"


def test_labels_leave_out_what_the_source_decides() -> None:
    """A picture's arrow from A does not ask whether the state is A."""
    text = f"{HEAD}events: {{go: {{cases: [{{when: \"n > 1 and state == 'A'\", to: B}}]}}}}\n"
    (only,) = machine(text).transitions
    assert (only.source, guard_label(only)) == ("A", "n > 1")
