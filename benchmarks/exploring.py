"""What exploring costs, as a ratio to a frontier written by hand for numpy, measured in one run, in
CPU seconds.

Usage: python benchmarks/exploring.py [SPEC [RELEASE [COPIES]]]

The spec is a table of moves without data; seven interleaved copies of it are explored breadth
first. The frontier written by hand knows its arrows and nothing else: no properties, no counts of
what is turned down, no traces.

CPU seconds are those of one core. Then the same on two: how much less time passes by the clock, and
how much more CPU that takes. The clock is honest only where two cores are idle: each side is
measured several times, in turns, and the best of each counts.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from statemachines.explore.exploration import explore
from statemachines.explore.options import ExplorationOptions
from statemachines.explore.results.property_results import Exploration
from statemachines.explore.scopes import ExplorationScope
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.notation import load_spec, load_system, machine_of, system_of

ROUNDS = 3
TASKS = (
    "Task=3,Partition=4,kind='stream',taskOf={'Partition1': 'Task1', 'Partition2': 'Task2',"
    " 'Partition3': 'Task3', 'Partition4': 'Task1'},inputs={'Partition1', 'Partition2',"
    " 'Partition3'},changelogs={'Partition2', 'Partition4'}"
)
DATA = (
    ("examples/TwoPhaseCommit", None, "RM=5"),
    ("examples/TwoPhaseCommit", None, "RM=7"),
    ("kafka/AssignedTasks", "2.5.1", TASKS),
)
"""Machines with data that are explored too, with all that their specs claim: spec, release, scope.
"""
SYSTEMS = (
    ("kafka/StreamsApplication", {"Thread": 3}),
    ("kafka/StreamsApplication", {"Thread": 4}),
    ("tests/published/models/CommitSystem.yaml", {"RM": 5}),
    ("tests/published/models/CommitSystem.yaml", {"RM": 7}),
)
"""Systems that are explored too, with all that their specs claim: spec, sizes."""


def by_hand(
    states: int, arrows: list[tuple[int, int]], begins: list[int], copies: int
) -> tuple[int, int]:
    """Explore interleaved copies of a graph; return how many states and transitions there are."""
    weights = [states**copy for copy in range(copies)]
    seen = np.zeros(states**copies, dtype=bool)
    frontier = np.array([sum(w * begins[0] for w in weights)])
    seen[frontier] = True
    found, steps = 1, 0
    while len(frontier):
        level = np.zeros(len(seen), dtype=bool)
        for weight in weights:
            digit = frontier // weight % states
            for state in range(states):
                rows = frontier[digit == state]
                for source, target in arrows:
                    if source == state:
                        level[rows + (target - source) * weight] = True
                        steps += len(rows)
        level &= ~seen
        frontier = np.flatnonzero(level)
        seen[frontier] = True
        found += len(frontier)
    return found, steps


def best(act: Callable[[], object]) -> float:
    """Return the CPU seconds of the fastest of some rounds."""
    times = []
    for _ in range(ROUNDS):
        gc.collect()
        begun = time.process_time()
        act()
        times.append(time.process_time() - begun)
    return min(times)


def table(machine: MachineDefinition) -> tuple[int, list[tuple[int, int]], list[int]]:
    """Return a table of moves as numbers."""
    place = {state.name: number for number, state in enumerate(machine.states)}
    arrows = [
        (place[arrow.source], place[arrow.target]) for arrow in machine.transitions if arrow.taken
    ]
    return len(place), arrows, [place[state.name] for state in machine.states if state.initial]


def row(name: str, found: tuple[int, int], seconds: float, ratio: str) -> None:
    """Print a line of the result."""
    states, steps = found
    print(
        f"{name:34} {states:>9,} states {steps:>11,} transitions {seconds:7.2f} s"
        f" {steps / seconds / 1e6:6.2f} M/s  {ratio}"
    )


def counts(found: Exploration) -> tuple[int, int]:
    """Return states and transitions."""
    return found.states, found.transitions


def from_the_spec(name: str, release: str | None, copies: int) -> tuple[int, int]:
    """Load a spec and explore copies of its machine."""
    return counts(
        explore(machine_of(load_spec(name), release), how=ExplorationOptions(copies=copies))
    )


def main(
    name: str = "kafka/StreamThread", release: str | None = "3.9.0", copies: str = "7"
) -> None:
    """Measure and print."""
    states, arrows, begins = table(machine_of(load_spec(name), release))
    hand = best(lambda: by_hand(states, arrows, begins, int(copies)))
    row("a frontier written by hand", by_hand(states, arrows, begins, int(copies)), hand, "1")
    found = from_the_spec(name, release, int(copies))
    ours = best(lambda: from_the_spec(name, release, int(copies)))
    row(
        f"{copies} copies of {name}",
        found,
        ours,
        f"{hand / ours * found[1] / by_hand(states, arrows, begins, int(copies))[1]:.2f}",
    )
    with_data()
    systems()


def systems() -> None:
    """Explore systems, their rules looked at."""
    for name, sizes in SYSTEMS:
        system = system_of(load_system(Path(name) if name.endswith(".yaml") else name))
        begun = time.process_time()
        found = explore(system, ExplorationScope(sizes))
        size = ", ".join(f"{type_}={many}" for type_, many in sizes.items())
        took = time.process_time() - begun
        row(f"{system.name} {size}", (found.states, found.transitions), took, found.verdict.name)


def with_data() -> None:
    """Explore machines with data, their properties looked at."""
    from statemachines.report.exploration.scope_texts import scope_from_texts

    for name, release, scope in DATA:
        try:
            machine = machine_of(load_spec(name), release)
        except ValueError:
            print(f"{name}: not there")
            continue
        begun = time.process_time()
        given = scope_from_texts(machine, [scope])
        found = explore(machine, given)
        row(
            f"{name} {scope.split(',kind')[0]}",
            counts(found),
            time.process_time() - begun,
            found.verdict.name,
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
