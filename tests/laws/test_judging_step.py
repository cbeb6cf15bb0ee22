"""Law: judging an instance is the fold of one pure function over its lines.

Covers: statemachines.conform.judge.judging_step,
statemachines.conform.judge.instance.instance_belief,
statemachines.conform.judge.instance.believed_states,
statemachines.conform.judge.instance.line_before.
"""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from hypothesis import given

from statemachines.conform.checking import load_specs, make_plan
from statemachines.conform.engines.inputs import Input, list_inputs
from statemachines.conform.engines.local import read_files
from statemachines.conform.engines.observation_store import ObservationStore
from statemachines.conform.interchange.judgements import PendingFinding, StepRow
from statemachines.conform.judge.instance.instance_belief import (
    AS_JUDGES_HAVE_IT,
    PARTS_OF_JUDGES,
)
from statemachines.conform.judge.instance.instance_judge import InstanceJudge
from statemachines.conform.judge.judgement_pass import JudgementPass
from statemachines.conform.judge.judging_step import JudgingRules, first_belief, judge
from statemachines.conform.judge.tables.episode_tracker import EpisodeMemory, EpisodeTracker
from statemachines.conform.judge.tables.judging_tables import JudgingTables
from statemachines.conform.settle.judging_context import settle_context
from statemachines.logs import default_layouts
from tests.doors import House, lines
from tests.laws.test_plain_steps import PROPERTIES, SOME, histories

OF_THE_MACHINE = {
    *("context", "tables", "owner", "spec", "lines", "final", "outlives_processes"),
    *("single_incarnation", "has_holder", "keeps_values"),
}
"""What an `InstanceJudge` has that is the same for all instances of a machine."""


@pytest.fixture(params=["", PROPERTIES], ids=["states", "properties"])
def house(tmp_path: Path, request: pytest.FixtureRequest) -> House:
    house = House(tmp_path)
    house.spec.write_text(house.spec.read_text() + request.param)
    return house


@SOME
@given(history=histories())
def test_lines_judged_one_by_one_by_a_pure_function_give_what_a_pass_gives(
    house: House, history: list[str]
) -> None:
    """Rows, findings and belief; the pass takes plain steps as runs and changes one value. What a
    line is judged from is never changed.
    """
    path = house.write("house.log", lines(*history))
    plan, layouts = make_plan(load_specs([house.spec]).machines), default_layouts()
    inputs = [one for one in list_inputs([str(path)], path.parent) if isinstance(one, Input)]
    with ObservationStore() as store:
        context = read_files(plan, inputs, layouts, store).context(plan)
        for (owner, _, key), told in store.instances(context, []).items():
            rules = JudgingRules(context, JudgingTables(plan), owner)
            belief, rows = first_belief(rules), list[StepRow]()
            found: tuple[PendingFinding, ...] = ()
            for observation in told:
                before = pickle.dumps(belief)
                judged = judge(belief, observation, rules)
                assert pickle.dumps(belief) == before
                belief, found = judged.belief, judged.findings
                rows += [row for row in judged.rows if isinstance(row, StepRow)]
            whole = JudgementPass(context, rules.tables, owner, key, told)
            assert list(whole) == rows
            assert whole.judgement.findings == tuple(found)
            assert whole.judgement.states == belief.believed.states()
            assert whole.judgement.since == belief.believed.point
            assert whole.judgement.observations == belief.observations


def test_all_that_a_judge_remembers_is_in_its_belief(house: House) -> None:
    """Whoever lets it remember something more would have it forgotten between two checks."""
    plan = make_plan(load_specs([house.spec]).machines)
    context = settle_context(plan, (), [])
    judging = InstanceJudge(context, JudgingTables(plan), 0)
    kept = {*AS_JUDGES_HAVE_IT, *PARTS_OF_JUDGES.values()}
    assert vars(judging).keys() == kept | OF_THE_MACHINE
    tracker = EpisodeTracker(context, JudgingTables(plan).episode_states(0))
    remembered = {name.removeprefix("_") for name in vars(tracker)}
    assert remembered == {*EpisodeMemory._fields, "context", "sets", "episodes"}
