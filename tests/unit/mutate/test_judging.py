"""Who notices which mutant.

Covers: statemachines.api.queries.mutation_report, statemachines.mutate.campaigns.mutation,
statemachines.mutate.judges.distinguishing_runs, statemachines.mutate.judges.exploration_judge,
statemachines.mutate.judges.log_judge, statemachines.mutate.judges.pytest_judge,
statemachines.mutate.operators.case_operators.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from statemachines.api.queries.mutation_report import distinguishing_run, mutate, to_json
from statemachines.model.evidence.verdicts import Verdict
from statemachines.mutate.judges.mutation_results import (
    CannotJudge,
    JudgedMutant,
    JudgeKind,
    MutantStatus,
    MutationResult,
)

LAMP = """
notation: 1
machine: Lamp
states: {OFF: {initial: true}, ON: {}, BROKEN: {final: true}}
variables: {used: "0..2 = 0"}
transitions:
  - {from: OFF, to: ON, event: press, guard: used < 2, effect: {used: used + 1}}
  - {from: ON, to: OFF, event: press}
  - {from: ON, to: BROKEN, event: kick}
  - {from: BROKEN, event: kick}
final: used == 2
always:
  litIsUsed: implies(state == 'ON', used > 0)
log:
  instance: [id]
  patterns: {id: '\\d+'}
  lines:
    - {text: "lamp number {id}: {from} -> {to}", says: step, samples: ["lamp number 7: OFF -> ON"]}
"""
LOG = "2024-01-01 10:00:00,000 INFO lamp number 7: OFF -> ON\n2024-01-01 10:00:01,000 INFO lamp number 7: ON -> OFF\n"


@pytest.fixture
def lamp(tmp_path: Path) -> Path:
    """A spec in a folder of its own."""
    (tmp_path / "Lamp.yaml").write_text(LAMP, "utf-8")
    (tmp_path / "app.log").write_text(LOG, "utf-8")
    return tmp_path / "Lamp.yaml"


def named(found: MutationResult, title: str) -> JudgedMutant:
    """The only mutant whose title begins so."""
    (one,) = [each for each in found.judged if each.mutant.title.startswith(title)]
    return one


def test_a_property_notices_what_breaks_it_with_a_run(lamp: Path) -> None:
    """A lamp that is lit and was never used."""
    one = named(mutate(lamp), "OFF -> ON on press: `used` stays as it was")
    notice = next(each for each in one.notices if each.judge is JudgeKind.PROPERTIES)
    assert (one.status, notice.by, notice.message) == (
        MutantStatus.KILLED,
        "always litIsUsed",
        "does not hold here",
    )
    assert notice.trace is not None
    assert [step.event for step in notice.trace.steps] == ["press"]


def test_a_state_that_nothing_comes_to_any_more_is_noticed_by_the_checks(lamp: Path) -> None:
    """What `explore` asks of every machine."""
    one = named(mutate(lamp), "ON -> BROKEN on kick is dropped")
    assert [(each.judge, each.message) for each in one.notices] == [
        (JudgeKind.CHECKS, "never in BROKEN, taken: BROKEN -> BROKEN on kick")
    ]


def test_a_value_out_of_its_type_is_noticed_by_the_checks(lamp: Path) -> None:
    """The guard was there for that."""
    one = named(mutate(lamp), "OFF -> ON on press: the guard is dropped")
    assert ("the spec is sound", "`used` would be 3, which is not of type `0..2`") in [
        (each.by, each.message) for each in one.notices
    ]


def test_a_survivor_comes_with_a_run_that_tells_it(lamp: Path) -> None:
    """What a new property, test or log line could be about."""
    survivor = named(mutate(lamp), "ON -> OFF on press leads to BROKEN, not to OFF")
    run = distinguishing_run(survivor)
    assert survivor.status is MutantStatus.SURVIVED
    assert run is not None
    assert ([row.event for row in run.rows], run.rows[-1].outcome, run.mutant_outcome) == (
        ["press()", "press()"],
        "ON -> OFF",
        "ON -> BROKEN",
    )


def test_two_mutants_that_no_run_tells_apart_are_one(lamp: Path) -> None:
    """Whoever counts both counts one slip twice."""
    found = mutate(lamp)
    twice = named(found, "OFF -> ON on press: the guard is negated")
    same = next(one for one in found.judged if one.mutant.number == twice.same_as)
    assert (twice.status, same.mutant.title) == (
        MutantStatus.DUPLICATE,
        "OFF -> ON on press is dropped",
    )


def test_a_mutant_that_no_run_tells_from_the_original_is_equivalent(tmp_path: Path) -> None:
    """A guard that always holds where it is asked."""
    spec = tmp_path / "Lamp.yaml"
    spec.write_text(
        LAMP.replace(
            "event: kick}\n  - {from: BROKEN", "event: kick, guard: used > 0}\n  - {from: BROKEN"
        ),
        "utf-8",
    )
    found = mutate(spec)
    assert (
        named(found, "ON -> BROKEN on kick: the guard is dropped").status is MutantStatus.EQUIVALENT
    )
    assert found.total.score is not None


def test_a_log_notices_a_step_that_it_shows(lamp: Path) -> None:
    """Would this log have shown the bug? Only where it went that way."""
    found = mutate(lamp, logs=[lamp.parent / "app.log"])
    dropped = named(found, "ON -> OFF on press is dropped")
    assert [
        (each.judge, each.by, each.message)
        for each in dropped.notices
        if each.judge is JudgeKind.LOG
    ] == [
        (
            JudgeKind.LOG,
            f"{lamp.parent / 'app.log'}:2",
            f"{Verdict.VIOLATED.name} forbidden: ON -> OFF",
        )
    ]
    assert all(
        each.judge is not JudgeKind.LOG
        for each in named(found, "ON -> BROKEN on kick is dropped").notices
    )


def test_a_log_that_tells_nothing_of_the_machine_is_no_judge(lamp: Path) -> None:
    """Silence would look like survivors."""
    (lamp.parent / "other.log").write_text("2024-01-01 10:00:00,000 INFO nothing of it\n", "utf-8")
    with pytest.raises(CannotJudge, match="nothing there tells of"):
        mutate(lamp, logs=[lamp.parent / "other.log"])
    with pytest.raises(CannotJudge, match=r"missing\.log"):
        mutate(lamp, logs=[lamp.parent / "missing.log"])


TEST = """
import statemachines as sm
machine = sm.load({spec!r}).at()

def test_a_lit_lamp_goes_out():
    lamp = machine.instance()
    lamp.send("press")
    lamp.send("press")
    assert lamp.state == "OFF"

def test_of_nothing():
    assert True

def test_that_fails():
    assert machine is None
"""


@pytest.fixture
def tests(lamp: Path) -> Path:
    """Tests of a lamp."""
    path = lamp.parent / "test_lamp.py"
    path.write_text(TEST.format(spec=str(lamp)), "utf-8")
    return path


def number_of(spec: Path, title: str) -> int:
    """The number of a mutant."""
    return named(mutate(spec), title).mutant.number


def test_a_test_gets_the_mutant_wherever_it_loads_the_spec(lamp: Path, tests: Path) -> None:
    """By the very name that the test uses."""
    wanted = [
        number_of(lamp, "ON -> OFF on press leads to BROKEN, not to OFF"),
        number_of(lamp, "ON -> BROKEN on kick is dropped"),
    ]
    found = mutate(lamp, tests=[f"{tests}::test_a_lit_lamp_goes_out"], numbers=wanted)
    noticed = {
        one.mutant.number: [each for each in one.notices if each.judge is JudgeKind.TEST]
        for one in found.judged
    }
    assert [bool(noticed[number]) for number in wanted] == [True, False]
    (notice,) = noticed[wanted[0]]
    assert notice.by.endswith("test_lamp.py::test_a_lit_lamp_goes_out")
    assert "'BROKEN' == 'OFF'" in notice.message


def test_a_test_that_fails_anyway_is_no_judge(lamp: Path, tests: Path) -> None:
    """It would kill every mutant."""
    with pytest.raises(CannotJudge, match=r"does not pass with .* as it is"):
        mutate(lamp, tests=[f"{tests}::test_that_fails"], numbers=[1])


def test_a_test_that_never_loads_the_spec_is_no_judge(lamp: Path) -> None:
    """It would let every mutant live."""
    other = lamp.parent / "test_other.py"
    other.write_text("def test_of_nothing():\n    assert True\n", "utf-8")
    with pytest.raises(CannotJudge, match="never loads"):
        mutate(lamp, tests=[str(other)], numbers=[1])


def test_a_ceiling_leaves_mutants_not_judged() -> None:
    """What was not seen is not said to survive."""
    found = mutate("BankAccount", most_states=3)
    assert {one.status for one in found.judged}.isdisjoint(
        {MutantStatus.SURVIVED, MutantStatus.EQUIVALENT}
    )
    assert any("the ceiling of 3 states" in one.why for one in found.judged)


def test_the_same_question_gets_the_same_answer(lamp: Path) -> None:
    """To the byte."""
    assert to_json(mutate(lamp)) == to_json(mutate(lamp))


def test_columns_add_up(lamp: Path) -> None:
    """Every mutant has one status."""
    found = mutate(lamp)
    for one in (*found.tallies, found.total):
        assert (
            one.mutants
            == one.killed + one.survived + one.equivalent + one.duplicate + one.not_judged
        )
    assert found.total.mutants == found.mutant_count == len(found.judged)


def test_ctrl_c_leaves_what_is_known(lamp: Path) -> None:
    """Many mutants take a while."""

    def told(judged: int, mutants: int) -> None:
        if judged == 3:
            raise KeyboardInterrupt

    found = mutate(lamp, on_progress=told)
    assert found.interrupted
    assert [one.mutant.number for one in found.judged] == [1, 2, 3]


def test_a_survivor_of_a_log_says_which_step_would_show_it(lamp: Path) -> None:
    """And a log that has the step does."""
    log = lamp.parent / "app.log"
    survivor = named(mutate(lamp, logs=[log]), "ON -> BROKEN on kick is dropped")
    assert survivor.log_silence == "no log goes ON -> BROKEN; one that does would show it"
    log.write_text(
        LOG
        + LOG.replace("7", "8").splitlines()[0]
        + "\n2024-01-01 10:00:02,000 INFO lamp number 8: ON -> BROKEN\n",
        "utf-8",
    )
    now = named(
        mutate(lamp, logs=[log], numbers=[survivor.mutant.number]),
        "ON -> BROKEN on kick is dropped",
    )
    assert [(each.by, each.message) for each in now.notices if each.judge is JudgeKind.LOG] == [
        (f"{log}:4", "VIOLATED forbidden: ON -> BROKEN")
    ]


def test_every_step_that_no_log_is_said_to_take_is_in_none(lamp: Path) -> None:
    """Said of all survivors, and true of all lines."""
    log = lamp.parent / "app.log"
    silent = [
        one.log_silence
        for one in mutate(lamp, logs=[log]).judged
        if one.log_silence.startswith("no log goes ")
    ]
    told = {
        step
        for said in silent
        for step in said.removeprefix("no log goes ").partition(";")[0].split(" or ")
    }
    assert "ON -> BROKEN" in told
    assert not [step for step in told if step in log.read_text("utf-8")]


def test_what_lines_do_not_tell_is_said_to_be_untold(lamp: Path) -> None:
    """A changed variable is in no line."""
    one = named(
        mutate(lamp, logs=[lamp.parent / "app.log"]), "OFF -> ON on press: `used` is one too many"
    )
    assert one.log_silence == "lines tell steps, and it has the same"


def test_a_log_that_is_violated_already_is_no_judge(lamp: Path) -> None:
    """As a test that fails already."""
    log = lamp.parent / "app.log"
    log.write_text(LOG + "2024-01-01 10:00:02,000 INFO lamp number 7: BROKEN -> ON\n", "utf-8")
    with pytest.raises(CannotJudge, match=r"app\.log:3: .* is VIOLATED by .*Lamp as it is"):
        mutate(lamp, logs=[log])


def test_a_spec_without_mutants_is_an_error(tmp_path: Path) -> None:
    """No survivors would look like good news."""
    spec = tmp_path / "One.yaml"
    spec.write_text(
        "notation: 1\nmachine: One\nstates: {A: {initial: true, final: true}}\n", "utf-8"
    )
    with pytest.raises(CannotJudge, match="One has no mutants"):
        mutate(spec)


def test_a_number_that_no_mutant_has_is_an_error(lamp: Path) -> None:
    """It says how many there are."""
    with pytest.raises(CannotJudge, match=r"there is no mutant 4000; .*Lamp has \d+"):
        mutate(lamp, numbers=[4000])


def test_a_condition_of_the_world_that_is_gone_is_told_by_what_may_be_asked(tmp_path: Path) -> None:
    """Neither machine answers otherwise: one of them is never asked."""
    spec = tmp_path / "Till.yaml"
    spec.write_text(
        """
notation: 1
machine: Till
variables: {coins: "0..3 = 0"}
events: {put: {args: {many: "0..3"}, where: "coins + many <= 3 and many > 0"}}
transitions: [{event: put, effect: {coins: "min(coins + many, 3)"}}]
""",
        "utf-8",
    )
    run = distinguishing_run(named(mutate(spec), "put: `where` loses `many > 0`"))
    assert run is not None
    assert (run.rows[-1].event, run.mutant_outcome) == ("put(many=0)", "nothing changes")
    assert run.rows[-1].outcome == "may not be asked: these arguments are against its `where`"
