"""What is asked again with instances that have changed places is not gone through again, and has the same answer.

Covers: statemachines.conform.systems.partial_conditions,
statemachines.conform.systems.unseen_completion.
"""

from __future__ import annotations

from random import Random

from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from statemachines.conform.systems.observed_steps import PossibleState, StepKinds, read_steps
from statemachines.conform.systems.part_timelines import PartTimeline, States
from statemachines.conform.systems.system_properties import judgeable_properties
from statemachines.conform.systems.unseen_completion import PartStepQuery, UnseenCompletion
from statemachines.notation import system_of
from tests.effort import some_of
from tests.shipped import shipped_system

SPEC = shipped_system("kafka/StreamsApplication")
CLIENT = st.sampled_from(
    ["CREATED", "REBALANCING", "RUNNING", "PENDING_SHUTDOWN", "NOT_RUNNING", "ERROR"]
)
THREAD = st.sampled_from(
    [
        "CREATED",
        "STARTING",
        "PARTITIONS_REVOKED",
        "PARTITIONS_ASSIGNED",
        "RUNNING",
        "PENDING_SHUTDOWN",
        "DEAD",
    ]
)


def possible(states: frozenset[str | None]) -> States:
    """Some states, in which nothing is known of variables; None: not there."""
    return frozenset(None if one is None else PossibleState(one) for one in states)


@settings(max_examples=some_of(60), deadline=None)
@given(
    release=st.sampled_from(["2.3.1", "2.7.2", "3.9.1"]),
    client=st.frozensets(CLIENT, min_size=1, max_size=2),
    threads=st.lists(
        st.frozensets(THREAD | st.none(), min_size=1, max_size=2), min_size=2, max_size=4
    ),
    target=THREAD,
    seed=st.integers(0, 99),
)
def test_threads_that_change_places_change_no_answer(
    release: str,
    client: frozenset[str | None],
    threads: list[frozenset[str | None]],
    target: str,
    seed: int,
) -> None:
    """One that has answered before says what one says that was never asked."""
    system = system_of(SPEC, release)
    lives = [PartTimeline("client", None, read_steps(None, StepKinds()))]
    lives += [evolve(lives[0], part="threads", key=str(number)) for number in range(len(threads))]
    known, order = (
        UnseenCompletion(system, lives),
        Random(seed).sample(range(len(threads)), len(threads)),
    )
    for rule in judgeable_properties(system):
        step = PossibleState("RUNNING"), PossibleState(target)
        states = [possible(one) for one in (client, *threads)]
        move = None if rule.is_invariant else PartStepQuery(1, *step)
        first = known.is_broken(rule.name, rule.holds, tuple(states), move)
        changed = None if move is None else PartStepQuery(1 + order.index(0), *step)
        places = (states[0], *(states[1 + number] for number in order))
        assert known.is_broken(rule.name, rule.holds, places, changed) == first
        assert (
            UnseenCompletion(system, lives).is_broken(rule.name, rule.holds, places, changed)
            == first
        )
        others = [evolve(life, key=life.key and f"another{life.key}") for life in lives]
        shared = UnseenCompletion(system, others, known.known)
        assert shared.is_broken(rule.name, rule.holds, places, changed) == first
