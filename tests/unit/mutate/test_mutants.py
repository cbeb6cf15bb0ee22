"""Which mutants there are, how they are told, and that each is one small change.

Covers: statemachines.mutate.operators.definition_operators,
statemachines.mutate.operators.definition_uses, statemachines.mutate.operators.edits,
statemachines.mutate.operators.expression_slips, statemachines.mutate.operators.fallback_operators,
statemachines.mutate.operators.machine_mutants, statemachines.mutate.operators.mutants,
statemachines.mutate.operators.notation_diffs, statemachines.mutate.operators.target_operators.
"""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from statemachines.model.definitions.machine_definitions import MachineDefinition, SpecDefinition
from statemachines.mutate.judges.equivalence import observable_answer
from statemachines.mutate.operators.edits import mutated_machine
from statemachines.mutate.operators.machine_mutants import machine_mutants, mutant_spec
from statemachines.mutate.operators.mutants import Mutant, MutationOperator
from statemachines.notation import machine_of, read_spec_text
from statemachines.report.exploration.exploration_report import outcome_text
from statemachines.semantics.machine.initial_snapshots import initial_snapshots
from statemachines.semantics.machine.step import step

DOOR = """
notation: 1
machine: Door
states: {SHUT: {initial: true}, OPEN: {}, LOCKED: {}}
variables: {turns: "0..2 = 0"}
errors: {Stuck: It is stuck., Bent: The key is bent.}
events:
  turn: {args: {by: 1..2}}
transitions:
  - {from: SHUT, to: OPEN, event: push}
  - {from: OPEN, to: SHUT, event: pull}
  - from: SHUT
    event: turn
    guard: "turns < 2 and by == 1"
    cases:
      - {when: "turns == 1", to: LOCKED, effect: {turns: turns + 1}, returns: "True"}
      - {effect: {turns: turns + 1}, returns: "False"}
  - {from: LOCKED, event: turn, raises: Stuck}
otherwise:
  - {from: LOCKED, does: ignore}
always:
  lockedIsTurned: "implies(state == 'LOCKED', turns == 2)"
"""
MOVES = """
notation: 1
machine: Lamp
family: lamps
states: {OFF: {initial: true}, ON: {}, BROKEN: {final: true, in: "1.1.."}}
transitions:
  - {from: OFF, to: ON}
  - {from: ON, to: OFF}
  - {from: ON, to: BROKEN}
  - {from: OFF, to: BROKEN, in: "1.2..1.3"}
"""
LAMPS = "notation: 1\nfamily: lamps\nreleases: ['1.0', '1.1', '1.2', '1.3', '1.4']\n"


def read(text: str) -> tuple[SpecDefinition, MachineDefinition]:
    """A spec and its newest machine."""
    spec = read_spec_text(text.encode(), "door.yaml").valid_spec()
    return spec, machine_of(spec)


@pytest.fixture
def lamp(tmp_path_factory: pytest.TempPathFactory) -> tuple[SpecDefinition, MachineDefinition]:
    """A table of moves with releases."""
    from statemachines.notation import load_spec

    folder = tmp_path_factory.mktemp("lamps")
    (folder / "lamps.yaml").write_text(LAMPS, "utf-8")
    (folder / "Lamp.yaml").write_text(MOVES, "utf-8")
    spec = load_spec(folder / "Lamp.yaml")
    return spec, machine_of(spec, "1.3")


def titles(mutants: Iterable[Mutant], operator: MutationOperator) -> list[str]:
    """What was done, of one kind."""
    return [each.title for each in mutants if each.candidate.operator is operator]


def test_each_transition_is_dropped_and_each_case_on_its_own() -> None:
    """A case is a transition with its own place."""
    assert titles(machine_mutants(*read(DOOR)), MutationOperator.DROP) == [
        "SHUT -> OPEN on push is dropped",
        "OPEN -> SHUT on pull is dropped",
        "SHUT -> LOCKED on turn case 1 is dropped",
        "SHUT -> SHUT on turn is dropped",
        "LOCKED -> LOCKED on turn is dropped",
    ]


def test_guards_are_dropped_negated_weakened_and_moved_by_one() -> None:
    """Each conjunct, and each bound; `when` too."""
    assert titles(machine_mutants(*read(DOOR)), MutationOperator.GUARD) == [
        "turn: the guard is dropped",
        "turn: the guard is negated",
        "turn: the guard loses `turns < 2`",
        "turn: the guard loses `by == 1`",
        "turn: the guard asks `turns <= 2` for `turns < 2`",
        "SHUT -> LOCKED on turn case 1: `when` is dropped",
        "SHUT -> LOCKED on turn case 1: `when` is negated",
    ]


def test_the_guard_of_an_operation_is_changed_in_all_its_cases() -> None:
    """It stands there once."""
    spec, machine = read(DOOR)
    mutant = next(
        each for each in machine_mutants(spec, machine) if "loses `turns < 2`" in each.title
    )
    changed = mutated_machine(machine, spec, mutant.candidate.edit)
    assert len([arrow for arrow in changed.transitions if arrow not in machine.transitions]) == 2


def test_effects_results_and_errors_are_changed() -> None:
    """Off by one, the opposite, nothing at all, another error."""
    mutants = machine_mutants(*read(DOOR))
    assert titles(mutants, MutationOperator.EFFECT)[:3] == [
        "SHUT -> LOCKED on turn case 1: `turns` stays as it was",
        "SHUT -> LOCKED on turn case 1: `turns` is one too many",
        "SHUT -> LOCKED on turn case 1: `turns` is one too few",
    ]
    assert titles(mutants, MutationOperator.RESULT) == [
        "SHUT -> LOCKED on turn case 1: the result is the opposite",
        "SHUT -> SHUT on turn: the result is the opposite",
        "LOCKED -> LOCKED on turn: raises nothing",
        "LOCKED -> LOCKED on turn: raises Bent",
    ]


def test_other_requests_and_beginnings_are_changed() -> None:
    """What becomes of what no transition takes; where an instance begins."""
    mutants = machine_mutants(*read(DOOR))
    assert titles(mutants, MutationOperator.ANSWER) == [
        "otherwise 1 is dropped",
        "otherwise 1 is refused, not ignored",
    ]
    assert titles(mutants, MutationOperator.BEGINNING) == [
        "an instance begins in OPEN",
        "an instance begins in LOCKED",
        "at first `turns` is one too many",
        "at first `turns` is one too few",
    ]


def test_a_mutant_tells_its_line_and_its_difference() -> None:
    """A reader finds it in the spec."""
    mutant = next(each for each in machine_mutants(*read(DOOR)) if "is one too many" in each.title)
    assert mutant.position == "door.yaml:16"
    assert mutant.candidate.diff == (
        "  case: 1",
        "  from: SHUT",
        "  to: LOCKED",
        "  event: turn",
        "- effect turns: turns + 1",
        "+ effect turns: turns + 1 + 1",
    )


def test_a_move_of_a_table_asks_for_its_other_target(
    lamp: tuple[SpecDefinition, MachineDefinition],
) -> None:
    """`to: BROKEN` for `to: ON`; what is allowed already is no other target."""
    mutants = machine_mutants(*lamp)
    assert titles(mutants, MutationOperator.RETARGET) == [
        "OFF -> ON leads to OFF, not to ON",
        "ON -> OFF leads to ON, not to OFF",
        "ON -> BROKEN leads to ON, not to BROKEN",
        "OFF -> BROKEN leads to OFF, not to BROKEN",
    ]
    arrows = [
        next(iter(each.candidate.edit.transitions.values()))
        for each in mutants
        if each.candidate.operator is MutationOperator.RETARGET
    ]
    assert [arrow.event for arrow in arrows if arrow] == ["to_OFF", "to_ON", "to_ON", "to_OFF"]


def test_a_move_is_allowed_where_it_is_not(lamp: tuple[SpecDefinition, MachineDefinition]) -> None:
    """The commonest slip in a table."""
    assert titles(machine_mutants(*lamp), MutationOperator.ALLOW) == [
        "the move to ON is allowed from BROKEN too",
        "the move to OFF is allowed from BROKEN too",
    ]


def test_a_range_is_moved_by_one_release_at_either_end(
    lamp: tuple[SpecDefinition, MachineDefinition],
) -> None:
    """And judged in that release."""
    ranges = [
        each for each in machine_mutants(*lamp) if each.candidate.operator is MutationOperator.RANGE
    ]
    assert [
        (each.title, each.candidate.release)
        for each in ranges
        if each.candidate.subject == "OFF -> BROKEN"
    ] == [
        ("OFF -> BROKEN is no longer in 1.2", "1.2"),
        ("OFF -> BROKEN is no longer in 1.3", "1.3"),
        ("OFF -> BROKEN is also in 1.1", "1.1"),
        ("OFF -> BROKEN is also in 1.4", "1.4"),
    ]


def test_nothing_is_widened_to_where_its_states_are_not(
    lamp: tuple[SpecDefinition, MachineDefinition],
) -> None:
    """BROKEN came with 1.1."""
    assert "1.0" not in {each.candidate.release for each in machine_mutants(*lamp)}


def test_a_mutant_is_asked_for_by_its_number() -> None:
    """0 is the spec itself; what there is not is an error that says how many there are."""
    spec, machine = read(DOOR)
    assert mutant_spec(spec, machine, 0) is spec
    assert len(mutant_spec(spec, machine, 1).transitions) == len(spec.transitions) - 1
    with pytest.raises(ValueError, match=r"there is no mutant 1000; .* has \d+"):
        mutant_spec(spec, machine, 1000)


def test_an_event_that_nothing_mentions_any_more_may_still_be_asked() -> None:
    """A dropped transition is a request that is turned down, not an event that is gone."""
    spec, machine = read(DOOR)
    mutated = mutant_spec(spec, machine, 1)
    assert "push" in {event.name for event in machine_of(mutated).events}


def test_mutants_differ_from_each_other_and_from_the_original() -> None:
    """Each is one change that a diff shows."""
    spec, machine = read(DOOR)
    mutants = machine_mutants(spec, machine)
    assert all(any(line[0] in "+-" for line in each.candidate.diff) for each in mutants)
    assert len({(each.title, each.candidate.diff) for each in mutants}) == len(mutants)
    assert all(mutated_machine(machine, spec, each.candidate.edit) != machine for each in mutants)


WORDS = """
notation: 1
machine: Till
states: {SHUT: {initial: true}, OPEN: {}}
types: {Coin: id}
variables: {coins: "0..3 = 0", owed: "0..3 = 0"}
errors: {Empty: Nothing is in it., Full: It is full.}
define:
  isFull: coins >= 3
  least: {args: {n: "0..3"}, is: "n if n < 2 else 1"}
  onlyClaimed: coins < 4
events:
  put: {args: {many: "0..2"}, where: "many > 0 and many <= 2"}
transitions:
  - from: SHUT
    event: put
    let: {after: "min(coins + many, 3)"}
    cases:
      - {when: isFull, raises: Full}
      - {when: "least(many) > 1", to: OPEN}
      - {effect: {coins: after}}
  - {from: OPEN, to: SHUT, event: shut}
otherwise:
  - {from: [SHUT, OPEN], event: shut, does: raise Empty}
  - {from: OPEN, does: ignore}
always:
  claimed: onlyClaimed
"""


def test_what_names_stand_for_is_changed_where_behaviour_rests_on_it() -> None:
    """A definition that only a property uses is a judge."""
    mutants = machine_mutants(*read(WORDS))
    assert titles(mutants, MutationOperator.DEFINITION) == [
        "definition `isFull`: is negated",
        "definition `isFull`: asks `coins > 3` for `coins >= 3`",
        "definition `least`: is one too many",
        "definition `least`: is one too few",
        "definition `least`: takes the other branch in `n if n < 2 else 1`",
    ]
    assert titles(mutants, MutationOperator.LOCAL) == [
        "put: `let after` is one too many",
        "put: `let after` is one too few",
    ]


def test_what_the_world_guarantees_is_weakened() -> None:
    """Without it the machine is asked for more."""
    assert titles(machine_mutants(*read(WORDS)), MutationOperator.WORLD) == [
        "put: `where` is dropped",
        "put: `where` loses `many > 0`",
        "put: `where` loses `many <= 2`",
        "put: `where` asks `many >= 0` for `many > 0`",
        "put: `where` asks `many < 2` for `many <= 2`",
    ]


def test_cases_and_answers_are_put_in_another_order() -> None:
    """The first that fits counts; the last case fits always and stays where it is."""
    assert titles(machine_mutants(*read(WORDS)), MutationOperator.ORDER) == [
        "SHUT -> SHUT on put case 1 stands after case 2",
        "otherwise 1 stands after 2",
    ]


def test_answers_raise_something_else_and_forget_a_state() -> None:
    """Beside being dropped, swallowed and refused."""
    assert titles(machine_mutants(*read(WORDS)), MutationOperator.ANSWER)[3:6] == [
        "otherwise 1 raises Full, not Empty",
        "otherwise 1 does not count in SHUT",
        "otherwise 1 does not count in OPEN",
    ]


def test_a_definition_tells_its_own_line() -> None:
    """Not that of who uses it."""
    mutant = next(
        each
        for each in machine_mutants(*read(WORDS))
        if each.title.startswith("definition `isFull`: asks")
    )
    assert mutant.position == "door.yaml:9"
    assert mutant.candidate.diff == ("- define isFull: coins >= 3", "+ define isFull: coins > 3")


def test_a_time_that_begins_anew_has_a_mutant_in_which_it_goes_on() -> None:
    """`to` of its own state begins `after` again; no run without time tells them apart, and still they are not the same."""
    beating = """
notation: 1
machine: Beat
states: {UP: {initial: true}, DOWN: {final: true}}
transitions:
  - {from: UP, to: UP, event: beat}
  - {from: UP, to: DOWN, event: expire, after: 10 s}
  - {from: UP, event: ask}
"""
    spec, beat = read(beating)
    (staying,) = [one for one in machine_mutants(spec, beat) if "anew" in one.candidate.change]
    assert staying.candidate.subject == "UP -> UP on beat"
    assert staying.candidate.diff == ("  from: UP", "- to: UP", "  event: beat")
    mutant = mutated_machine(beat, spec, staying.candidate.edit)
    restarting = [one for one in beat.transitions if one.restarts]
    assert [one.event for one in restarting] == ["beat"]
    assert not any(one.restarts for one in mutant.transitions)
    (old, new) = (step(one, initial_snapshots(one)[0], "beat") for one in (beat, mutant))
    assert observable_answer(old) != observable_answer(new)
    before = initial_snapshots(beat)[0]
    texts = [outcome_text(before, answer) for answer in (old, new)]
    assert texts == ["the time begins again", "nothing changes"]
