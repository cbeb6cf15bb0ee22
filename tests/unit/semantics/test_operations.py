"""What becomes of an event of a machine with data.

Covers: statemachines.semantics.evaluation.behaviour, statemachines.semantics.evaluation.compiler,
statemachines.semantics.evaluation.python_source, statemachines.semantics.evaluation.type_checks,
statemachines.semantics.messages.value_text.
"""

from __future__ import annotations

import pytest

from statemachines.model.definitions.snapshots import Advanced, Raised, Refused, Snapshot
from statemachines.model.language.frozen_values import FrozenMap
from statemachines.semantics.machine.initial_snapshots import initial_snapshot, initial_snapshots
from statemachines.semantics.machine.step import step
from statemachines.semantics.messages.argument_errors import ArgumentsError
from tests.data_machines import codes, machine

COUNTER = machine(
    """
variables: {count: "0..3 = 0", log: "list[text] = []"}
events:
  add: {args: {by: 1..3}, effect: {count: count + by}, returns: count + by}
  reset: {guard: count > 0, effect: {count: "0"}}
  note: {args: {words: text}, effect: {log: "log + [words]"}}
"""
)

SWAP = machine(
    """
variables: {left: "0..9 = 1", right: "0..9 = 2"}
events:
  swap: {effect: {left: right, right: left}}
"""
)

QUEUE = machine(
    """
types: {Job: id, Answer: [done, failed, lost]}
errors: {Broken: It broke., Lost: Nobody knows.}
parameters: {known: "set[Job]"}
where: known != set()
states: {UP: {initial: true}, DOWN: {final: true}}
variables: {waiting: "set[known] = set()", running: "set[waiting] = set()", last: "Error? = None"}
events:
  put: {args: {job: known - waiting}}
  run:
    args: {answers: "map[waiting, Answer]", reached: {type: "set[waiting]", chosen: true}}
    where: lost == set() or len(lost) == 1
    let:
      lost: "{j for j in reached if answers[j] == 'lost'}"
      done: "{j for j in reached if answers[j] == 'done'}"
transitions:
  - {from: UP, event: put, effect: {waiting: "waiting | {job}"}}
  - from: UP
    event: run
    guard: waiting != set()
    let: {left: waiting - reached}
    cases:
      - {when: lost != set(), to: DOWN, effect: {last: "'Lost'"}, raises: Lost}
      - {when: "any(answers[j] == 'failed' for j in reached)", raises: Broken, effect: {last: "'Broken'"}}
      - {effect: {waiting: left}, returns: {value: len(reached), closed: reached}}
otherwise: [{does: ignore}]
"""
)


def after(begin: Snapshot, **variables: object) -> Snapshot:
    """Return a snapshot with other values of some variables."""
    return Snapshot(begin.state, FrozenMap({**begin.variables, **variables}), begin.parameters)


def test_all_right_hand_sides_see_the_old_values() -> None:
    """Effects are simultaneous: a swap needs no third variable."""
    assert step(SWAP, initial_snapshot(SWAP), "swap").after.variables == {"left": 2, "right": 1}


def test_a_value_out_of_bounds_refuses_the_step_and_says_why() -> None:
    """Where the checker cannot show the bounds the step looks: an error of the spec, never a wrong value."""
    answer = step(COUNTER, after(initial_snapshot(COUNTER), count=2), "add", by=3)
    assert isinstance(answer, Refused)
    assert answer.reason == "`count` would be 5, which is not of type `0..3`"
    assert answer.after.variables["count"] == 2


def test_a_false_guard_makes_the_transition_a_candidate() -> None:
    """Who asks why hears which transitions were considered."""
    answer = step(COUNTER, initial_snapshot(COUNTER), "reset")
    assert isinstance(answer, Refused)
    assert [arrow.event for arrow in answer.candidates] == ["reset"]
    assert answer.reason == "`count > 0` is false"


def test_what_an_event_returns_is_told() -> None:
    """The value is compared with what a subject gives back."""
    assert step(COUNTER, initial_snapshot(COUNTER), "add", by=2).returned == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "event `add` needs the argument `by`"),
        ({"by": 4}, "4 is not of type `1..3`"),
        ({"by": True}, "True is not of type `1..3`"),
        ({"by": "1"}, "'1' is not of type `1..3`"),
        ({"bye": 1}, "did you mean `by`?"),
    ],
)
def test_wrong_arguments_are_the_callers_mistake(arguments: dict[str, object], said: str) -> None:
    """They are never an answer of the machine: it would be compared with a subject's."""
    with pytest.raises(ArgumentsError, match=said.replace("?", "\\?").replace(".", "\\.")):
        step(COUNTER, initial_snapshot(COUNTER), "add", **arguments)


def test_a_record_may_hold_an_error() -> None:
    """The enumeration of the declared errors is a type like any other, wherever its section stands."""
    made = machine(
        "types: {Result: {value: int, error: Error?}}\nerrors: {Late: It was late.}\n"
        "events: {ask: {returns: \"Result(value=0, error='Late')\"}}\n"
    )
    assert step(made, initial_snapshot(made), "ask").returned == (0, "Late")


def test_the_first_case_that_holds_is_taken() -> None:
    """Each case is a transition of its own, with its place."""
    begin = after(initial_snapshot(QUEUE, known={1, 2}), waiting=frozenset({1, 2}))
    lost = step(QUEUE, begin, "run", answers={1: "lost", 2: "failed"}, reached={1, 2})
    failed = step(QUEUE, begin, "run", answers={1: "done", 2: "failed"}, reached=[1, 2])
    done = step(QUEUE, begin, "run", answers={1: "done", 2: "failed"}, reached={1})
    assert [type(one) for one in (lost, failed, done)] == [Raised, Raised, Advanced]
    assert [one.error for one in (lost, failed, done)] == ["Lost", "Broken", None]
    assert [one.after.state for one in (lost, failed, done)] == ["DOWN", "UP", "UP"]
    assert [one.after.variables["last"] for one in (lost, failed, done)] == ["Lost", "Broken", None]
    assert done.returned == {"value": 1, "closed": frozenset({1})}
    assert len({one.decided_by.span for one in (lost, failed, done) if one.decided_by}) == 3


def test_arguments_depend_on_the_state_and_on_earlier_ones() -> None:
    """`answers` has a value for every waiting job, and for no other."""
    begin = after(initial_snapshot(QUEUE, known={1, 2}), waiting=frozenset({1}))
    for answers, reached in (
        ({}, {1}),
        ({1: "done", 2: "done"}, {1}),
        ({1: "done"}, {2}),
        ({1: "gone"}, {1}),
    ):
        with pytest.raises(ArgumentsError):
            step(QUEUE, begin, "run", answers=answers, reached=reached)
    with pytest.raises(ArgumentsError, match="waiting"):
        step(QUEUE, begin, "put", job=1)


def test_arguments_against_where_are_refused() -> None:
    """`where` says what the world guarantees; it may use `let`."""
    begin = after(initial_snapshot(QUEUE, known={1, 2}), waiting=frozenset({1, 2}))
    with pytest.raises(ArgumentsError, match="against its `where`"):
        step(QUEUE, begin, "run", answers={1: "lost", 2: "lost"}, reached={1, 2})


def test_parameters_are_checked_once_an_instance_begins() -> None:
    """A machine whose parameters are wrong would accuse a subject that is right."""
    assert initial_snapshot(QUEUE, known=[1, 1]).parameters == {"known": frozenset({1})}
    for wrong in ({}, {"known": set()}, {"known": 1}, {"knwon": {1}}):
        with pytest.raises(ArgumentsError):
            initial_snapshots(QUEUE, **wrong)


def test_a_set_that_shrinks_below_what_depends_on_it_refuses_the_step() -> None:
    """`running: set[waiting]` is looked at although the effect names `waiting` only."""
    begin = after(
        initial_snapshot(QUEUE, known={1, 2}), waiting=frozenset({1, 2}), running=frozenset({2})
    )
    answer = step(QUEUE, begin, "run", answers={1: "done", 2: "done"}, reached={2})
    assert isinstance(answer, Refused)
    assert "`running` would be frozenset({2})" in answer.reason


def test_any_begins_in_every_value_that_initially_allows() -> None:
    """Several beginnings, in one order."""
    dice = machine(
        "variables: {left: {type: 1..6, initial: any}, right: {type: 1..6, initial: any}}\ninitially: left + right == 4\n"
    )
    assert [tuple(each.variables.values()) for each in initial_snapshots(dice)] == [
        (1, 3),
        (2, 2),
        (3, 1),
    ]


def test_mutable_values_are_accepted_and_become_immutable() -> None:
    """Callers have lists, sets and dicts at hand."""
    begin = initial_snapshot(QUEUE, known=[1, 2])
    answer = step(
        QUEUE, after(begin, waiting=frozenset({1})), "run", answers={1: "done"}, reached=[1]
    )
    assert hash(answer.after) == hash(answer.after)


def test_a_snapshot_that_a_caller_made_is_looked_at() -> None:
    """Whoever replays a trace makes snapshots of plain sets; a wrong one would make expressions raise."""
    made = Snapshot("UP", {"waiting": {1}, "running": [], "last": None}, {"known": [1, 2]})
    assert step(QUEUE, made, "put", job=2).after.variables["waiting"] == {1, 2}
    for variables in (
        {},
        {"waiting": {3}, "running": set(), "last": None},
        {"waiting": 1, "running": set(), "last": None},
    ):
        with pytest.raises(ArgumentsError):
            step(QUEUE, Snapshot("UP", variables, {"known": {1}}), "put", job=1)
    with pytest.raises(ArgumentsError, match="did you mean `waiting`"):
        step(QUEUE, Snapshot("UP", {"waitng": {1}}, {"known": {1}}), "put", job=1)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('variables: {n: "0..3 = 0"}\nevents: {go: {guard: n, effect: {n: "1"}}}\n', ["SM305"]),
        ('variables: {n: "0..3 = 0"}\nevents: {go: {effect: {n: "True"}}}\n', ["SM304"]),
        ('variables: {n: "0..3 = 9"}\nevents: {go: {effect: {n: "1"}}}\n', ["SM321"]),
        ('events: {go: {args: {n: 0..3}, let: {n: "1"}}}\n', ["SM315"]),
        ('variables: {len: "0..3 = 0"}\n', ["SM315"]),
        ("types: {A: {b: B}, B: {a: A}}\n", ["SM316"]),
        (
            'variables: {n: "int = 0"}\nevents: {go: {args: {by: int}, where: 6 // by > 1, effect: {n: by}}}\n',
            ["SM309"],
        ),
    ],
)
def test_a_wrong_operation_is_found_when_the_spec_is_read(body: str, expected: list[str]) -> None:
    """Everything is typed before anything runs."""
    assert codes(body) == expected


def test_where_makes_what_comes_after_it_safe() -> None:
    """`let` and effects know what the world guarantees and what the guard asked."""
    assert not codes(
        'variables: {n: "int = 0"}\nevents: {go: {args: {by: int}, where: by > 0, let: {q: 6 // by}, effect: {n: q}}}\n'
    )
    assert not codes(
        'variables: {n: "int = 1"}\nevents: {go: {guard: n > 0, let: {q: 6 // n}, effect: {n: q}}}\n'
    )


def test_an_element_of_a_set_of_truths_is_a_truth() -> None:
    """What the system tells may be one of two values of this moment, which are sometimes the same."""
    assert not codes(
        'variables: {told: "bool = False"}\nevents: {tell: {args: {said: "{told, True}"}, guard: said or not said, effect: {told: said}}}\n'
    )


def test_a_first_value_that_does_not_fit_is_written_as_specs_write_it() -> None:
    """Nobody wrote `FrozenMap`."""
    body = """
parameters: {most: 0..1}
variables: {left: {type: "map[0..1, int]", initial: "{x: 0 for x in range(0, most)}"}}
"""
    with pytest.raises(ArgumentsError, match=r"`left`, \{0: 0\}, is not of type"):
        initial_snapshots(machine(body), most=1)
