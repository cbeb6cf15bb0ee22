"""Law: a step to a state that concerns no episode, as far as they are open, changes nothing of them.

Runs of such steps are judged as a whole, and the episodes are not asked.

Covers: statemachines.conform.judge.tables.episode_states,
statemachines.conform.judge.tables.episode_tracker.
"""

from __future__ import annotations

import copy
import random

import pytest

from statemachines.conform.check_options import CheckOptions
from statemachines.conform.checking import make_request
from statemachines.conform.interchange.check_plan import CheckPlan
from statemachines.conform.interchange.judgements import StepRow, point_after
from statemachines.conform.interchange.observations import LineWords, plain_observation
from statemachines.conform.interchange.profiles import Profile
from statemachines.conform.judge.tables.episode_states import EpisodeStates, make_episode_states
from statemachines.conform.judge.tables.episode_tracker import EpisodeTracker
from statemachines.conform.settle.judging_context import JudgingContext, settle_context
from statemachines.conform.settle.processes import CheckedFile
from statemachines.logs import rotation_key

WORDS = LineWords("Z", (), "", None, None, None, ())
STEPS = 60


@pytest.fixture(scope="module")
def plan() -> CheckPlan:
    """The whole shipped catalogue."""
    return make_request(CheckOptions()).plan


@pytest.fixture(scope="module")
def context(plan: CheckPlan) -> JudgingContext:
    """One log of which nothing is known."""
    return settle_context(plan, (CheckedFile("a.log", *rotation_key("a.log")),), [Profile()])


def walk(tracker: EpisodeTracker, states: EpisodeStates, chance: random.Random) -> int:
    """Let an instance go anywhere, legal or not, over several lives; return how often a step was to
    a state that was called neutral, and see that it changed nothing.
    """
    names, incarnation, before, neutral_steps = sorted(states.states), 1, "", 0
    for at in range(STEPS):
        incarnation += chance.random() < 0.05
        source, before = before or chance.choice(names), chance.choice(names)
        told = incarnation, at, "Z", source, before, "told", 0, 0, at + 1
        observation = plain_observation(0, (), WORDS, 0, at + 1, at, at, "")
        row, is_neutral = StepRow(*told), before in tracker.neutral_states(incarnation)
        known = copy.deepcopy(tracker.memory()._replace(left=None))
        tracker.take_row(row, observation)
        tracker.take_point(point_after(row), incarnation, observation)
        if is_neutral:
            neutral_steps += 1
            assert tracker.memory()._replace(left=None) == known
    return neutral_steps


def test_steps_to_neutral_states_change_nothing(plan: CheckPlan, context: JudgingContext) -> None:
    """Of all machines of the catalogue, and most of those that have episodes have such steps."""
    chance, found = random.Random(1), 0
    with_episodes = [spec for spec in plan.specs if spec.log and spec.log.episodes]
    for spec in with_episodes:
        states = make_episode_states(spec)
        walks = (walk(EpisodeTracker(context, states), states, chance) for _ in range(20))
        found += sum(walks) > 0
    assert found > len(with_episodes) * 0.8


def test_a_state_that_is_called_neutral_by_mistake_is_noticed(
    plan: CheckPlan, context: JudgingContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The law above has teeth."""
    monkeypatch.setattr(EpisodeStates, "neutral_states", lambda states, _: states.states)
    spec = next(spec for spec in plan.specs if spec.log and spec.log.episodes)
    states = make_episode_states(spec)
    with pytest.raises(AssertionError):
        _ = [walk(EpisodeTracker(context, states), states, random.Random(n)) for n in range(20)]
