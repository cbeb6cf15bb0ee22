"""What the catalogue calls healed has come back to work.

Covers: statemachines.conform.judge.tables.episode_states.
"""

from __future__ import annotations

import pytest

from statemachines.conform.judge.tables.episode_states import make_episode_states
from statemachines.conform.judge.tables.release_tables import ReleaseClass, release_classes
from statemachines.model.breadth_first import search_breadth_first
from statemachines.model.definitions.machine_definitions import SpecDefinition
from tests.shipped import shipped_specs

WITH_EPISODES = [spec for spec in shipped_specs() if spec.log and spec.log.episodes]


def leads_to_the_end_only(rules: ReleaseClass, state: str) -> bool:
    """Whether nothing but states of an end come after a state, one after the other."""
    found = search_breadth_first(
        [state], lambda at: ((at, to) for to in rules.legal_targets.get(at, ()))
    )
    after = list(found.came_from)
    return bool(set(after) & rules.final) and all(
        to not in after[: place + 1]
        for place, at in enumerate(after)
        for to in rules.legal_targets.get(at, ())
    )


@pytest.mark.parametrize("spec", WITH_EPISODES, ids=lambda spec: spec.name)
def test_nothing_heals_by_being_closed(spec: SpecDefinition) -> None:
    """A client in ERROR that is closed has not recovered: its episode needs an `until`, or is orderly."""
    states = make_episode_states(spec)
    wrong = [
        f"{one.name}: {source} -> {target}"
        for rules in release_classes(spec)
        for number, one in enumerate(states.episodes)
        if one.releases & rules.releases and not (one.until or one.requests or one.maybe)
        for source in states.open_states[number] & set(rules.states)
        for target in rules.legal_targets[source]
        if target not in states.open_states[number] | states.orderly[number] | rules.final
        if leads_to_the_end_only(rules, target)
    ]
    assert wrong == []
