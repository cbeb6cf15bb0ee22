"""What embedding costs, as ratios to a loop over a nested dict, measured in one run.

Usage: python -m benchmarks.embedding [SPEC]; the extra `peers` has the libraries of others that are
measured beside it.
"""

from __future__ import annotations

import gc
import sys
import time
import tracemalloc
from collections.abc import Callable
from itertools import islice
from types import ModuleType
from typing import Any

import statemachines as sm
from benchmarks.embedding_others import others
from statemachines.embed.code_generation.python_text import class_name
from statemachines.semantics.machine.machine_tables import MachineTables

STEPS = 200_000
ROUNDS = 5


def walk(tables: MachineTables, steps: int) -> list[str]:
    """Return legal events from the first beginning on, turning through what each state allows; a
    dead end ends it.
    """
    state, turn, events = tables.state_names(tables.initial)[0], dict.fromkeys(tables.states, 0), []
    while len(events) < steps and tables.target_names[state]:
        choices = list(tables.target_names[state])
        events.append(choices[turn[state] % len(choices)])
        turn[state] += 1
        state = tables.target_names[state][events[-1]]
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
    made = ModuleType("generated")
    sys.modules[made.__name__] = made  # dataclasses look for their module there
    exec(machine.code(), made.__dict__)
    return made.__dict__[class_name(machine.name)]


def call(one: Any, calls: list[Callable[[], None]]) -> None:
    """Call the methods of a generated object, from its beginning."""
    one.state = type(one)().state
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


def create(machine: sm.Machine, count: int) -> None:
    """Bring instances to life and let them go."""
    for _ in range(count):
        machine.instance()


def size_of_one(machine: sm.Machine, **parameters: object) -> float:
    """Return the bytes that an instance takes, from a hundred thousand of them."""
    tracemalloc.start()
    kept = [machine.instance(**parameters) for _ in range(100_000)]
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return taken / len(kept)


DATA = "examples/BankAccount"
"""A machine with data: guards, cases, effects and results."""


def deposit(account: dict[str, Any], amount: int) -> int:
    """Do by hand what the spec says of a deposit."""
    if account["balance"] + amount > 9:
        raise ValueError
    account["balance"] += amount
    account["booked"] = [*account["booked"], amount][-2:]
    return int(account["balance"])


def withdraw(account: dict[str, Any], amount: int) -> int:
    """Do by hand what the spec says of a withdrawal."""
    if amount > account["balance"]:
        raise ValueError
    account["balance"] -= amount
    return int(account["balance"])


def data_loop(table: dict[str, dict[str, Any]], account: dict[str, Any], events: list[str]) -> None:
    """Step through a nested dict of functions."""
    for event in events:
        act, account["state"] = table[account["state"]][event]
        act(account, 2)


def with_data() -> None:
    """Print one line a way of embedding a machine with data, as ratios to a nested dict of
    functions.
    """
    machine = sm.load(DATA).at()
    events = ["deposit", "withdraw"] * (STEPS // 20)
    table = {"OPEN": {"deposit": (deposit, "OPEN"), "withdraw": (withdraw, "OPEN")}}
    one = best(
        lambda: data_loop(table, {"state": "OPEN", "balance": 0, "booked": []}, events)
    ) / len(events)
    print(
        f"{machine.name}, with data: one step of a nested dict of functions takes {one * 1e9:.0f}"
        " ns = 1"
    )
    kind, instance, bridged = generated(machine), machine.instance(), sm.to_transitions(machine)
    made = kind()
    few = events[: len(events) // 10]
    rows = {
        "generated class": (lambda: [getattr(made, event)(2) for event in events], len(events)),
        "generated created": (lambda: make(kind, len(events)), len(events)),
        "Instance.send": (
            lambda: [instance.send(event, amount=2) for event in events],
            len(events),
        ),
        "Instance created": (lambda: create(machine, len(few)), len(few)),
        "transitions.Machine": (
            lambda: [bridged.trigger(event, amount=2) for event in few],
            len(few),
        ),
    }
    for name, (act, count) in rows.items():
        print(f"{name:22} {best(act) / count / one:8.1f}")
    print(f"an instance            {size_of_one(machine):8.0f} bytes")


def main() -> None:
    """Print one line a way of embedding."""
    machine = sm.load(sys.argv[1] if len(sys.argv) > 1 else "ReplicaStateMachine").at()
    tables, first = machine.tables, machine.starts()[0]
    events = walk(tables, STEPS)
    if len(events) < STEPS:
        sys.exit(
            f"{machine.name} comes to its end after {len(events)} steps; choose one that goes on"
        )
    few = list(islice(events, STEPS // 20))
    one = best(lambda: loop(tables.target_names, first.state, events)) / STEPS
    print(
        f"{machine.name} {machine.release}: one step of a nested-dict loop takes {one * 1e9:.0f}"
        " ns = 1"
    )
    kind = generated(machine)
    one_object = kind()
    calls = [getattr(one_object, event) for event in events]
    rows = {
        "generated class": best(lambda: call(one_object, calls)) / STEPS,
        "generated created": best(lambda: make(kind, STEPS)) / STEPS,
        "Instance.send": best(lambda: send(machine.instance(), events)) / STEPS,
        "Instance created": best(lambda: create(machine, STEPS)) / STEPS,
        "step (pure)": best(lambda: pure(machine, first, few)) / len(few),
    }
    rows |= {
        name: best(lambda act=act: act(few)) / len(few) for name, act in others(machine).items()
    }
    limits = {
        "generated class": " (at most 3)",
        "generated created": " (at most 25)",
        "Instance.send": " (at most 15)",
        "Instance created": " (at most 60)",
    }
    for name, seconds in rows.items():
        print(f"{name:22} {seconds / one:8.1f}{limits.get(name, '')}")
    bytes_each = size_of_one(machine)
    print(
        f"an instance            {bytes_each:8.0f} bytes; a million"
        f" {bytes_each * 1e6 / 2**20:.0f} MiB"
    )
    with_data()


if __name__ == "__main__":
    main()
