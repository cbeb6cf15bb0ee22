"""Mutants of systems: links that are dropped, fire elsewhere or send otherwise, and the rules that notice.

Covers: statemachines.mutate.judges.system_exploration_judge,
statemachines.mutate.judges.mutation_results, statemachines.mutate.operators.link_operators.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from statemachines.api.queries.mutation_report import distinguishing_run, mutate, to_json
from statemachines.mutate.judges.mutation_results import (
    CannotJudge,
    JudgedMutant,
    JudgeKind,
    MutantStatus,
    MutationResult,
)

ROOM = """
notation: 1
system: Room
parts:
  switch: {machine: Switch}
  lamp: {machine: Lamp}
links:
  - {on: switch, enters: UP, send: lamp.light}
  - {on: switch, enters: DOWN, guard: "lamp.state == 'LIT'", send: lamp.dim}
  - {on: lamp, leaves: LIT, only if: "switch.state == 'DOWN'"}
always:
  followsUp: "implies(switch.state == 'UP', lamp.state == 'LIT')"
"""
SWITCH = """
notation: 1
machine: Switch
states: {DOWN: {initial: true}, UP: {}}
transitions:
  - {from: DOWN, to: UP, event: push}
  - {from: UP, to: DOWN, event: push}
"""
LAMP = """
notation: 1
machine: Lamp
states: {DARK: {initial: true}, LIT: {}}
transitions:
  - {from: DARK, to: LIT, event: light}
  - {from: LIT, to: DARK, event: dim}
"""


@pytest.fixture
def room(tmp_path: Path) -> Path:
    """A system of two machines."""
    for name, text in (("Room", ROOM), ("Switch", SWITCH), ("Lamp", LAMP)):
        (tmp_path / f"{name}.yaml").write_text(text, "utf-8")
    return tmp_path / "Room.yaml"


def named(found: MutationResult, title: str) -> JudgedMutant:
    """The only mutant whose title is so."""
    (one,) = [each for each in found.judged if each.mutant.title == title]
    return one


def test_a_link_that_is_dropped_is_noticed_by_the_rule_that_rests_on_it(room: Path) -> None:
    """With a run of the mutant that breaks it."""
    one = named(mutate(room), "link 1, switch enters UP is dropped")
    (notice,) = [each for each in one.notices if each.judge is JudgeKind.PROPERTIES]
    assert (one.status, notice.by) == (MutantStatus.KILLED, "always followsUp")
    assert notice.trace is not None
    assert [step.event for step in notice.trace.steps] == ["switch.push"]
    assert one.mutant.position.endswith("Room.yaml:8")


def test_a_survivor_of_a_system_comes_with_a_run_that_tells_it(room: Path) -> None:
    """Nothing is claimed of a switch that is down."""
    one = named(mutate(room), "link 2, switch enters DOWN is dropped")
    run = distinguishing_run(one)
    assert one.status is MutantStatus.SURVIVED
    assert run is not None
    assert run.rows[-1].outcome != run.mutant_outcome
    assert run.rows[-1].event == "switch.push()"


def test_a_guard_that_always_holds_may_be_left_out(room: Path) -> None:
    """What the lamp would refuse is another answer: only where the guard is never false are the two the same."""
    found = mutate(room)
    one = named(found, "link 2, switch enters DOWN: the guard is dropped")
    assert one.status in (MutantStatus.SURVIVED, MutantStatus.EQUIVALENT)
    assert one.status is MutantStatus.SURVIVED or not one.system_runs
    total = found.total
    assert (
        total.mutants
        == total.killed + total.survived + total.equivalent + total.not_judged
        == found.mutant_count
    )


def test_the_result_is_plain_data(room: Path) -> None:
    """The same to the byte, runs and all."""
    found = to_json(mutate(room))
    assert found == to_json(mutate(room))
    results = found["results"]
    assert isinstance(results, list)
    assert any(each["run"] for each in results)


def test_tests_and_logs_judge_machines_only(room: Path) -> None:
    """They would say nothing of a link."""
    with pytest.raises(CannotJudge, match="is a system"):
        mutate(room, logs=[room])
