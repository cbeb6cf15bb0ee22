"""What embedding costs, as ratios to a loop over a nested dict, measured in one run.

Usage: python benchmarks/embedding.py [SPEC]
"""

from __future__ import annotations

import gc
import sys
import time
import tracemalloc
from collections.abc import Callable
from itertools import islice
from typing import Any

import statemachines as sm
from statemachines.embed.pythonic import class_name
from statemachines.semantics.tables import Tables

STEPS = 200_000
ROUNDS = 5


def walk(tables: Tables, steps: int) -> list[str]:
    """Return legal events from the first beginning on, turning through what each state allows; a dead end ends it."""
    state, turn, events = tables.names(tables.initial)[0], dict.fromkeys(tables.states, 0), []
    while len(events) < steps and tables.moves[state]:
        choices = list(tables.moves[state])
        events.append(choices[turn[state] % len(choices)])
        turn[state] += 1
        state = tables.moves[state][events[-1]]
    return events


def best(act: Callable[[], object]) -> float:
    """Return the seconds of the fastest of some rounds."""
    times = []
    for _ in range(ROUNDS):
        gc.collect()
        begun = time.perf_counter()
        act()
        times.append(time.perf_counter() - begun)
    return min(times)


def loop(table: dict[str, dict[str, str]], state: str, events: list[str]) -> str:
    """Step through a nested dict: what everything is compared with."""
    for event in events:
        state = table[state][event]
    return state


def send(instance: sm.Instance, events: list[str]) -> str:
    """Send all events."""
    for event in events:
        instance.send(event)
    return instance.state


def generated(machine: sm.Machine) -> Any:
    """Return the class of the generated module."""
    namespace: dict[str, Any] = {"__name__": "generated"}
    exec(machine.code(), namespace)
    return namespace[class_name(machine.name)]


def call(calls: list[Callable[[], None]]) -> None:
    """Call the methods of a generated object."""
    for act in calls:
        act()


def make(kind: Callable[[], object], count: int) -> None:
    """Make generated objects and let them go."""
    for _ in range(count):
        kind()


def pure(machine: sm.Machine, before: sm.Snapshot, events: list[str]) -> sm.Snapshot:
    """Step through snapshots."""
    for event in events:
        before = sm.step(machine, before, event).after
    return before


def trigger(bridged: object, events: list[str]) -> None:
    """Trigger all events of a `transitions` machine."""
    act = getattr(bridged, "trigger")  # noqa: B009  # it is made at run time
    for event in events:
        act(event)


def create(machine: sm.Machine, count: int) -> None:
    """Bring instances to life and let them go."""
    for _ in range(count):
        machine.instance()


def size_of_a_million(machine: sm.Machine) -> float:
    """Return the mebibytes that a million instances take, from a tenth of them."""
    tracemalloc.start()
    kept = [machine.instance() for _ in range(100_000)]
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return taken * (1_000_000 / len(kept)) / 2**20


def main() -> None:
    """Print one line a way of embedding."""
    machine = sm.load(sys.argv[1] if len(sys.argv) > 1 else "PartitionStateMachine").at()
    tables, first = machine.tables, machine.starts()[0]
    events = walk(tables, STEPS)
    if len(events) < STEPS:
        sys.exit(f"{machine.name} comes to its end after {len(events)} steps; choose one that goes on")
    few = list(islice(events, STEPS // 20))
    one = best(lambda: loop(tables.moves, first.state, events)) / STEPS
    print(f"{machine.name} {machine.release}: one step of a nested-dict loop takes {one * 1e9:.0f} ns = 1")
    kind = generated(machine)
    one_object = kind()
    calls = [getattr(one_object, event) for event in events]
    rows = {
        "generated class": best(lambda: call(calls)) / STEPS,
        "generated created": best(lambda: make(kind, STEPS)) / STEPS,
        "Instance.send": best(lambda: send(machine.instance(), events)) / STEPS,
        "Instance created": best(lambda: create(machine, STEPS)) / STEPS,
        "step (pure)": best(lambda: pure(machine, first, few)) / len(few),
        "transitions.Machine": best(lambda: trigger(sm.to_transitions(machine), few)) / len(few),
    }
    limits = {
        "generated class": " (at most 3)",
        "generated created": " (at most 25)",
        "Instance.send": " (at most 15)",
        "Instance created": " (at most 60)",
    }
    for name, seconds in rows.items():
        print(f"{name:22} {seconds / one:8.1f}{limits.get(name, '')}")
    print(f"a million instances    {size_of_a_million(machine):8.0f} MiB")


if __name__ == "__main__":
    main()
