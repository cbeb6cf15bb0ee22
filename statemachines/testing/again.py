"""Planned runs that do the same again and again in one life: what works the first ten times, and what is wrong at a far end only."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator

from statemachines.model.machines import Transition
from statemachines.model.snapshots import Answer, Snapshot
from statemachines.testing.attempts import Attempt, Values
from statemachines.testing.coverage import Arrow, arrow_of, arrows_of, is_guarded
from statemachines.testing.runs import Run
from statemachines.testing.tours import Planner, do

TIMES = 12
"""How often everything is done in one life, where it can be."""
MOST_TIMES = 130
"""How often, where a guard was never false yet, while each time is other than those before."""
MOST_STEPS = 2_500
"""Of all these runs of a test."""
MOST_NODES = 120
"""How far the way to the same again is looked for."""
MOST_ALIKE = 3
"""Steps of one kind that ways go on from in one place."""
MOST_LOOKS = 60_000
"""How many steps of the machine are weighed in all."""


def again(run: Run, planner: Planner, parameters: Values) -> Iterator[Attempt | None]:
    """Take each transition again and again; what changes nothing is tried as often where it is met first.

    Where an event has numbers, a second life takes the greatest ones. Yields each attempt before it is made, and None before a life begins.
    """
    tally = Tally()
    for arrow in arrows_of(planner.trials.tables):
        for greatest in (False, True) if _has_numbers(planner, arrow) else (False,):
            if tally.most[arrow_of(arrow)] >= TIMES and not greatest:
                continue
            if tally.steps >= MOST_STEPS or tally.looks >= MOST_LOOKS:
                return
            yield None
            run.begin(parameters)
            yield from _life(run, planner, arrow, tally, greatest=greatest)


class Tally:
    """How much of what may be spent is spent, and what was done how often in one life."""

    def __init__(self) -> None:
        self.steps = self.looks = 0
        self.most: Counter[Arrow] = Counter()
        self.stood: set[object] = set()


def _life(run: Run, planner: Planner, arrow: Transition, tally: Tally, *, greatest: bool) -> Iterator[Attempt | None]:
    """Take one transition until it was taken often enough, or cannot be taken any more."""
    taken, places = Counter[Arrow](), set[Snapshot]()
    yield from _standing(run, planner, tally)
    while tally.steps < MOST_STEPS:
        key = arrow_of(arrow)
        never_false = is_guarded(arrow) and ("guard", key, False) not in planner.done and run.before not in places
        if taken[key] >= (MOST_TIMES if never_false else TIMES):
            return
        places.add(run.before)
        way = _way(planner, run.before, arrow, tally, greatest=greatest)
        for attempt in way or ():
            yield attempt
            if not do(planner, attempt, run):
                return
            tally.steps += 1
            if run.last is not None:
                taken[run.last] += 1
                tally.most[run.last] = max(tally.most[run.last], taken[run.last])
            yield from _standing(run, planner, tally)
        if not way:
            return


def _standing(run: Run, planner: Planner, tally: Tally) -> Iterator[Attempt]:
    """Try, as often, what changes nothing and was not tried like that; and once what was never met at all."""
    here = run.before
    for attempt, answer in planner.looked_at(here):
        if answer.after != here or tally.steps >= MOST_STEPS:
            continue
        kind = _kind(here, attempt, answer)
        is_new = any(goal not in planner.done for goal in planner.goals((here, run.last), attempt, answer))
        times = TIMES if kind not in tally.stood else int(is_new)
        tally.stood.add(kind)
        for _ in range(times):
            yield attempt
            if not do(planner, attempt, run) or run.before != here:
                return
            tally.steps += 1


def _kind(here: Snapshot, attempt: Attempt, answer: Answer) -> object:
    decided = answer.decided_by
    return arrow_of(decided) if isinstance(decided, Transition) else (here.state, attempt.event, type(answer))


def _way(planner: Planner, start: Snapshot, arrow: Transition, tally: Tally, *, greatest: bool) -> list[Attempt] | None:
    """Return the shortest way that ends with a transition which changes something, if one is near, else one that does not.

    Of its last steps the one with the greatest numbers, or the first.
    """
    ways: dict[Snapshot, list[Attempt]] = {start: []}
    pending = deque([start])
    idle: list[Attempt] | None = None
    while pending and len(ways) < MOST_NODES and tally.looks < MOST_LOOKS:
        here = pending.popleft()
        fitting, alike = list[Attempt](), Counter[object]()
        for attempt, answer in planner.looked_at(here):
            tally.looks += 1
            decided = answer.decided_by
            if isinstance(decided, Transition) and arrow_of(decided) == arrow_of(arrow):
                if answer.after != here:
                    fitting.append(attempt)
                idle = idle or [*ways[here], attempt]
            elif answer.after not in ways and alike[kind := _kind(here, attempt, answer)] < MOST_ALIKE:
                alike[kind] += 1
                ways[answer.after] = [*ways[here], attempt]
                pending.append(answer.after)
        if fitting:
            return [*ways[here], max(fitting, key=_numbers) if greatest else fitting[0]]
    return idle


def _numbers(attempt: Attempt) -> tuple[int, ...]:
    return tuple(value for value in attempt.arguments.values() if isinstance(value, int))


def _has_numbers(planner: Planner, arrow: Transition) -> bool:
    return planner.trials.has_numbers(arrow.event)
