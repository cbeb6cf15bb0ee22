"""Planned runs that do the same again and again in one sequence: what works the first ten times,
and what is wrong at a far end only.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator

from statemachines.model.definitions.machine_definitions import Transition
from statemachines.model.definitions.snapshots import Answer, Snapshot
from statemachines.testing.runs.attempts import Attempt, NamedValues
from statemachines.testing.runs.paired_runs import PairedRun
from statemachines.testing.runs.run_coverage import (
    TransitionKey,
    coverable_transitions,
    is_guarded,
    transition_key,
)
from statemachines.testing.tours.planned_tours import TourPlanner, perform_attempt

REPETITIONS = 12
"""How often everything is done in one life, where it can be."""
_MOST_REPETITIONS = 130
"""How often, where a guard was never false yet, while each time is other than those before."""
MOST_STEPS = 2_500
"""Of all these runs of a test; as many once more for what is tried when all was done often."""
MOST_NODES = 120
"""How far the way to the same again is looked for."""
_MOST_ALIKE = 3
"""Steps of one kind that ways go on from in one place."""
MOST_WEIGHED = 60_000
"""How many steps of the machine are weighed in all."""


def run_repetitions(
    run: PairedRun, planner: TourPlanner, parameters: NamedValues
) -> Iterator[Attempt | None]:
    """Take each transition again and again; what changes nothing is tried as often where it is met
    first, and once more where a transition was taken often.

    Where an event has numbers, a second life takes the greatest ones. Yields each attempt before it
    is made, and None before a life begins.

    Args:
        run: the subject and the machine, side by side.
        planner: what is planned, and what was reached already.
        parameters: those with which each sequence begins.

    Yields:
        Each attempt, or None where a sequence begins.
    """
    tally = _RepetitionTally()
    for transition in coverable_transitions(planner.finder.tables):
        for greatest in (False, True) if _has_integers(planner, transition) else (False,):
            if tally.most_taken[transition_key(transition)] >= REPETITIONS and not greatest:
                continue
            if tally.steps >= MOST_STEPS or tally.weighed >= MOST_WEIGHED:
                return
            yield None
            run.begin(parameters)
            yield from _repeat_transition(run, planner, transition, tally, greatest=greatest)


class _RepetitionTally:
    """How much of what may be spent is spent, and what was done how often in one life."""

    def __init__(self) -> None:
        self.steps = self.late_steps = self.weighed = 0
        self.most_taken: Counter[TransitionKey] = Counter()
        self.idle_kinds: set[object] = set()


def _repeat_transition(
    run: PairedRun,
    planner: TourPlanner,
    transition: Transition,
    tally: _RepetitionTally,
    *,
    greatest: bool,
) -> Iterator[Attempt | None]:
    """Take one transition until it was taken often enough, or cannot be taken any more."""
    taken, snapshots = Counter[TransitionKey](), set[Snapshot]()
    yield from _repeat_idle_attempts(run, planner, tally)
    while tally.steps < MOST_STEPS:
        key = transition_key(transition)
        never_false = (
            is_guarded(transition)
            and ("guard", key, False) not in planner.reached_goals
            and run.current_snapshot not in snapshots
        )
        if taken[key] >= (_MOST_REPETITIONS if never_false else REPETITIONS):
            yield from _go_round_once_more(run, planner, transition, tally)
            return
        snapshots.add(run.current_snapshot)
        path = _path_to_transition(
            planner, run.current_snapshot, transition, tally, greatest=greatest
        )
        for attempt in path or ():
            yield attempt
            if not perform_attempt(planner, attempt, run):
                return
            tally.steps += 1
            if run.last_transition is not None:
                taken[run.last_transition] += 1
                tally.most_taken[run.last_transition] = max(
                    tally.most_taken[run.last_transition], taken[run.last_transition]
                )
            yield from _repeat_idle_attempts(run, planner, tally)
        if not path:
            return


def _repeat_idle_attempts(
    run: PairedRun, planner: TourPlanner, tally: _RepetitionTally
) -> Iterator[Attempt]:
    """Try, as often, what changes nothing and was not tried like that; and once what was never met
    at all.
    """
    here = run.current_snapshot
    for attempt, answer in planner.attempts_at(here):
        if answer.after != here or tally.steps >= MOST_STEPS:
            continue
        kind = _step_kind(here, attempt, answer)
        is_new = any(
            goal not in planner.reached_goals
            for goal in planner.goals((here, run.last_transition), attempt, answer)
        )
        times = REPETITIONS if kind not in tally.idle_kinds else int(is_new)
        tally.idle_kinds.add(kind)
        for _ in range(times):
            yield attempt
            if not perform_attempt(planner, attempt, run) or run.current_snapshot != here:
                return
            tally.steps += 1


def _go_round_once_more(
    run: PairedRun, planner: TourPlanner, transition: Transition, tally: _RepetitionTally
) -> Iterator[Attempt]:
    """Take a transition that was taken often once more, and try on the way, in each place, what
    changes nothing: what is refused at first may be done after some rounds.
    """
    kinds = set[object]()
    path = _path_to_transition(planner, run.current_snapshot, transition, tally, greatest=False)
    for attempt in (*(path or ()), None):
        here = run.current_snapshot
        for idle, answer in planner.attempts_at(here):
            kind = _step_kind(here, idle, answer)
            if answer.after != here or kind in kinds or tally.late_steps >= MOST_STEPS:
                continue
            kinds.add(kind)
            yield idle
            if not perform_attempt(planner, idle, run) or run.current_snapshot != here:
                return
            tally.late_steps += 1
        if attempt is None:
            return
        yield attempt
        if not perform_attempt(planner, attempt, run):
            return


def _step_kind(here: Snapshot, attempt: Attempt, answer: Answer) -> object:
    decided = answer.decided_by
    return (
        transition_key(decided)
        if isinstance(decided, Transition)
        else (here.state, attempt.event, type(answer))
    )


def _path_to_transition(
    planner: TourPlanner,
    start: Snapshot,
    transition: Transition,
    tally: _RepetitionTally,
    *,
    greatest: bool,
) -> list[Attempt] | None:
    """Return the shortest way that ends with a transition which changes something, if one is near,
    else one that does not.

    Of its last steps the one with the greatest numbers, or the first.
    """
    paths: dict[Snapshot, list[Attempt]] = {start: []}
    pending = deque([start])
    idle: list[Attempt] | None = None
    while pending and len(paths) < MOST_NODES and tally.weighed < MOST_WEIGHED:
        here = pending.popleft()
        fitting, alike = list[Attempt](), Counter[object]()
        for attempt, answer in planner.attempts_at(here):
            tally.weighed += 1
            decided = answer.decided_by
            if isinstance(decided, Transition) and transition_key(decided) == transition_key(
                transition
            ):
                if answer.after != here:
                    fitting.append(attempt)
                idle = idle or [*paths[here], attempt]
            elif (
                answer.after not in paths
                and alike[kind := _step_kind(here, attempt, answer)] < _MOST_ALIKE
            ):
                alike[kind] += 1
                paths[answer.after] = [*paths[here], attempt]
                pending.append(answer.after)
        if fitting:
            return [*paths[here], max(fitting, key=_integer_arguments) if greatest else fitting[0]]
    return idle


def _integer_arguments(attempt: Attempt) -> tuple[int, ...]:
    return tuple(value for value in attempt.arguments.values() if isinstance(value, int))


def _has_integers(planner: TourPlanner, transition: Transition) -> bool:
    return planner.finder.has_integers(transition.event)
