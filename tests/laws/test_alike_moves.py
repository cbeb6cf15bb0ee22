"""Laws: what is known at a move of a system is what stepping there one by one says; and a rule that
is asked of one of many alike moves says of each what it says when it is asked of that one.

Covers: statemachines.conform.systems.alike_moves, statemachines.conform.systems.known_histories,
statemachines.conform.systems.part_timelines,
statemachines.conform.systems.system_history, statemachines.conform.systems.system_judge,
statemachines.conform.systems.observed_steps.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import accumulate
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from statemachines.conform.interchange.instance_steps import ListedSteps
from statemachines.conform.systems.known_histories import KnownHistories
from statemachines.conform.systems.observed_steps import ObservedInstances
from statemachines.conform.systems.part_timelines import (
    States,
    unsteady_variables,
    with_possible_states,
)
from statemachines.conform.systems.system_groups import _AnyReleaseFits
from statemachines.conform.systems.system_history import SystemHistory
from statemachines.conform.systems.system_instances import group_instances
from statemachines.conform.systems.system_judge import JudgedSystem
from statemachines.conform.systems.system_properties import judgeable_properties
from statemachines.conform.systems.unseen_completion import KnownAnswers, UnseenCompletion
from statemachines.model.evidence.reports import Instant, Place, TimelineStep
from statemachines.notation import system_of
from statemachines.semantics.system.system_tables import system_tables
from tests.effort import some_of
from tests.shipped import shipped_system

SPEC = shipped_system("kafka/StreamsApplication")
MACHINES = {
    "app": "kafka/KafkaStreams",
    "app-1": "kafka/StreamThread",
    "app-2": "kafka/StreamThread",
    "app-3": "kafka/StreamThread",
    "app-G": "kafka/GlobalStreamThread",
}
STATES = {
    "kafka/KafkaStreams": ["CREATED", "REBALANCING", "RUNNING"],
    "kafka/StreamThread": ["CREATED", "RUNNING", "PENDING_SHUTDOWN", "DEAD"],
    "kafka/GlobalStreamThread": ["CREATED", "RUNNING", "DEAD"],
}
"""Few, so that much is alike."""


Rows = dict[tuple[str, tuple[tuple[str, str], ...]], list[TimelineStep]]


@st.composite
def histories(draw: st.DrawFn) -> Rows:
    """Rows of a client and its threads, in any order and with anything missing, as no program would
    write them.
    """
    size = draw(st.sampled_from([2, 10, 40]))
    chosen = st.sampled_from(draw(st.sampled_from([list(MACHINES), ["app", "app-1"]])))
    names = ["app", *draw(st.lists(chosen, min_size=size, max_size=size))]
    life, run, at = dict.fromkeys(MACHINES, 1), None, 0
    runs, few = draw(st.booleans()), draw(st.sampled_from([2, 4]))
    rows: Rows = {}
    last: dict[str, str | None] = {}
    for line, name in enumerate(names, 1):
        machine, at = MACHINES[name], at + draw(st.sampled_from([0, 1, 40, 2_000]))
        if runs:
            run = (run or 0) + draw(st.sampled_from([0, 0, 0, 1]))
        life[name] += draw(st.sampled_from([0, 0, 0, 0, 1]))
        states = STATES[machine][:few]
        source = draw(st.sampled_from([*[last.get(name)] * len(states), *states]))
        target = draw(st.sampled_from(states))
        how = draw(st.sampled_from(["told"] * 7 + ["missing", "hidden"]))
        last[name], key = target, (("name", name),)
        place = Place(f"{draw(st.sampled_from('aab'))}.log", line)
        step = TimelineStep(
            machine, key, "a", life[name], Instant(at), source, target, how, place, run=run
        )
        rows.setdefault((machine, key), []).append(step)
    # a part that is never told of is none that can be judged
    return {who: steps for who, steps in rows.items() if any(s.how == "told" for s in steps)}


def judged_wholes(rows: Rows, release: str) -> Iterator[JudgedSystem]:
    """The systems that are told of."""
    system = system_of(SPEC, release)
    known = KnownHistories(SPEC, _AnyReleaseFits())
    some = {who: [ListedSteps(steps)] for who, steps in rows.items()}
    for timelines in group_instances(system, ObservedInstances(some)):
        yield JudgedSystem(SPEC, system, timelines, 1_000, known, KnownAnswers())


def stepwise(history: SystemHistory) -> Iterator[tuple[States, ...]]:
    """What is known of the parts after each move, the first before all: one step after the other."""
    counts, entered = [0] * len(history.parts), history.entered
    states = [
        timeline.states_after(0)
        if entered[part] is None or (part == 0 and timeline.observed.origin(0).run is None)
        else history.anywhere[part]
        for part, timeline in enumerate(history.parts)
    ]
    yield tuple(states)
    for index, (part, number) in enumerate(history.moves):
        if index in history.begins:
            for other, timeline in enumerate(history.parts):
                if counts[other]:
                    states[other] = history.anywhere[other]
                elif entered[other] == index:
                    states[other] = timeline.states_after(0)
        counts[part], states[part] = number + 1, history.parts[part].states_after(number + 1)
        yield tuple(states)


RELEASES = st.sampled_from(["2.0.1", "2.7.2", "3.9.1"])


@settings(max_examples=some_of(50), deadline=None)
@given(rows=histories(), release=RELEASES)
def test_what_is_known_at_a_move_is_what_stepping_there_says(rows: Rows, release: str) -> None:
    """It is worked out for the moves that are asked about; a run of millions is never stepped through."""
    for judged in judged_wholes(rows, release):
        history = judged.history
        for index, states in enumerate(stepwise(history), -1):
            assert history.known_after(index).states == states
            counts = Counter(part for part, _ in history.moves[: index + 1])
            assert history.known_after(index).counts == tuple(
                counts[part] for part in range(len(history.parts))
            )


@settings(max_examples=some_of(50), deadline=None)
@given(rows=histories(), release=RELEASES)
def test_alike_moves_have_one_answer(rows: Rows, release: str) -> None:
    """Each rule is asked at each move anew, and counted one by one."""
    for judged in judged_wholes(rows, release):
        list(judged.findings())
        history, counted = judged.history, Counter[tuple[str, str, bool]]()
        states = list(stepwise(history))
        for rule in judgeable_properties(judged.system):
            answers = judged._answers(rule)
            for index, move in enumerate(judged.alike.numbers):
                query = None if rule.is_invariant else judged._query(rule, index)
                if not rule.is_invariant and query is None:
                    assert move not in answers
                    continue
                here = index if rule.is_invariant or index in history.begins else index - 1
                fresh = UnseenCompletion(judged.system, judged.parts)
                answer = fresh.decided(rule.key, rule.holds, states[here + 1], query)
                assert answers[move] == answer
                counted[rule.kind, rule.name, answer is not None] += 1
        for (kind, name, _), (decided, undecided) in judged.counts.items():
            assert (decided, undecided) == (counted[kind, name, True], counted[kind, name, False])


@settings(max_examples=some_of(50), deadline=None)
@given(rows=histories())
def test_the_order_of_all_is_that_of_lines_or_of_times(rows: Rows) -> None:
    """One log is as its lines stand, several are as their clocks say; those of one life stay in order."""
    for judged in judged_wholes(rows, "3.9.1"):
        parts, moves = judged.parts, judged.history.moves
        for part in range(len(parts)):
            assert [n for p, n in moves if p == part] == list(range(len(parts[part].observed)))
        reached = [list(accumulate(timeline.observed.times, max)) for timeline in parts]
        if judged.has_one_log:
            lines = [judged.history.step_at(index).place for index in range(len(moves))]
            assert lines == sorted(lines, key=lambda place: place.line if place else 0)
        else:
            times = [reached[part][number] for part, number in moves]
            assert times == sorted(times)


@settings(max_examples=some_of(50), deadline=None)
@given(rows=histories(), release=RELEASES)
def test_where_a_part_may_be_is_said_once_for_what_is_alike(rows: Rows, release: str) -> None:
    """Each gap between two lines is looked at by itself, and says the same."""
    system = system_of(SPEC, release)
    tables, parts = system_tables(system).tables, {part.name: part for part in system.parts}
    for judged in judged_wholes(rows, release):
        for timeline in judged.parts:
            places = range(len(timeline.observed) + 1)
            observed = evolve(timeline.observed, gaps=places, gap_examples=tuple(places))
            machine = {spec.name: spec for _, spec in SPEC.machines}[parts[timeline.part].machine]
            alone = with_possible_states(
                evolve(timeline, observed=observed),
                tables[timeline.part],
                unsteady_variables(machine),
            )
            assert [timeline.states_after(place) for place in places] == list(alone.gap_states)


def rebalances(rounds: int) -> Rows:
    """A client and a thread of it that rebalance again and again."""
    rows: Rows = {}
    line = 0
    for _ in range(rounds):
        for name, source, target in (
            ("app-1", "RUNNING", "PARTITIONS_REVOKED"),
            ("app", "RUNNING", "REBALANCING"),
            ("app-1", "PARTITIONS_REVOKED", "RUNNING"),
            ("app", "REBALANCING", "RUNNING"),
        ):
            line += 1
            key, place = (("name", name),), Place("a.log", line)
            step = TimelineStep(
                MACHINES[name], key, "a", 1, Instant(line), source, target, "told", place
            )
            rows.setdefault((MACHINES[name], key), []).append(step)
    return rows


def test_a_rule_is_asked_no_more_often_of_what_happens_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A log of a year asks what its first minutes ask."""
    asked, decided = list[object](), UnseenCompletion.decided

    def counted(self: UnseenCompletion, *question: Any) -> bool | None:
        asked.append(question[0])
        return decided(self, *question)

    monkeypatch.setattr(UnseenCompletion, "decided", counted)
    counts = []
    for rounds in (5, 500):
        asked.clear()
        (judged,) = judged_wholes(rebalances(rounds), "3.9.1")
        assert list(judged.findings()) == []
        assert sum(map(sum, judged.counts.values())) > 4 * rounds
        counts.append(len(asked))
    assert counts[0] == counts[1] > 0
