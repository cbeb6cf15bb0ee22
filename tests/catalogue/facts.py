"""What Kafka does, release by release, as the facts beside the checkout say it: the tables and the manners of refusing."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from attrs import frozen

STREAMS, CONTROLLER, LATER = (
    "kafka_streams_facts.json",
    "kafka_controller_facts.json",
    "kafka_4x_facts.json",
)
ENUMS = {
    "kafka/StreamThread": "StreamThread.State",
    "kafka/GlobalStreamThread": "GlobalStreamThread.State",
    "kafka/KafkaStreams": "KafkaStreams.State",
    "kafka/Task": "Task.State",
}
SECTIONS = {
    "kafka/StreamThread": "stream_thread",
    "kafka/GlobalStreamThread": "global_stream_thread",
    "kafka/KafkaStreams": "kafka_streams_client",
    "kafka/Task": "task",
    "kafka/PartitionStateMachine": "partition_state_machine",
    "kafka/ReplicaStateMachine": "replica_state_machine",
}
NAMED_DIFFERENTLY = {"3.9.0-rc3": "3.9.0", "trunk": "4.0.0"}
"""Releases of the older facts that came out under another name, with the same tables."""
OUTCOMES = {"allowed": "advance", "ignored": "ignore", "performed with WARN": "force"}

Table = dict[str, tuple[str, ...]]


HOLDS_ON = {"4.2.1": "4.2.2"}
"""The last release of a range, and the one that the facts leave out where the range holds too (their section 9)."""


@frozen
class Told:
    """What the facts tell of one machine in one release."""

    states: tuple[str, ...]
    following: Table
    initial: tuple[str, ...]
    predicates: Table
    outcomes: dict[str, dict[str, str]]
    """By state and requested state: `advance`, `ignore`, `force`, `refuse` or `raise SomeException`."""


@cache
def read(folder: Path, name: str) -> Any:
    """Read one of the facts' files."""
    return json.loads((folder / "facts" / name).read_text())


def in_range(text: str, releases: tuple[str, ...]) -> Iterator[str]:
    """Yield the releases of a range such as `0.10.2.2, 0.11.0.1..trunk`, in the order of the list.

    The last release that a range names may be one that the list does not have (`trunk`): then the range ends where the list does.
    """
    for part in text.replace(";", ",").split(","):
        first, _, last = part.strip().partition("..")
        last = HOLDS_ON.get(last, NAMED_DIFFERENTLY.get(last or first, last or first))
        low = releases.index(NAMED_DIFFERENTLY.get(first, first))
        yield from releases[low : releases.index(last) + 1 if last in releases else len(releases)]


def told(folder: Path, machine: str, releases: tuple[str, ...]) -> dict[str, Told]:
    """Return what the facts tell of a machine, by release, oldest first.

    Args:
        folder: the folder that has `facts/`.
        machine: its catalogue name.
        releases: of the family, oldest first.
    """
    found = dict(
        _controller(folder, machine)
        if "StateMachine" in machine
        else _streams(folder, machine, releases)
    )
    return {release: found[release] for release in releases if release in found}


def _streams(folder: Path, machine: str, releases: tuple[str, ...]) -> Iterator[tuple[str, Told]]:
    older = {
        NAMED_DIFFERENTLY.get(name, name): row
        for name, row in read(folder, STREAMS)[SECTIONS[machine]]["per_release"].items()
    }
    for row in read(folder, LATER)["streams_states"][ENUMS[machine]]:
        for release in in_range(row["releases"], releases):
            outcomes = _answers(_nearest(older, release, releases)["outcome_matrix"])
            table = row["table"]
            initial = (_nearest(older, release, releases)["initial_state"].split()[0],)
            following = {state: tuple(sorted(table["next"][state])) for state in table["order"]}
            predicates = {name: tuple(sorted(states)) for name, states in table["pred"].items()}
            yield (
                release,
                Told(
                    tuple(table["order"]),
                    following,
                    initial,
                    predicates,
                    _later_changes(machine, release, releases, outcomes),
                ),
            )


def _nearest(older: dict[str, Any], release: str, releases: tuple[str, ...]) -> Any:
    """The row of a release, or of the next older one that the older facts have."""
    return next(
        older[name] for name in reversed(releases[: releases.index(release) + 1]) if name in older
    )


def _answers(matrix: dict[str, dict[str, list[str]]]) -> dict[str, dict[str, str]]:
    return {
        state: {
            target: OUTCOMES.get(outcome) or outcome.replace("throws", "raise")
            for outcome, targets in row.items()
            for target in targets
        }
        for state, row in matrix.items()
    }


def _later_changes(
    machine: str, release: str, releases: tuple[str, ...], outcomes: dict[str, dict[str, str]]
) -> dict[str, dict[str, str]]:
    """From 4.1.0 on the client swallows ERROR -> PENDING_SHUTDOWN (`changes_around_the_tables` of the later facts)."""
    if machine == "kafka/KafkaStreams" and releases.index(release) >= releases.index("4.1.0"):
        outcomes["ERROR"]["PENDING_SHUTDOWN"] = "ignore"
    return outcomes


def _controller(folder: Path, machine: str) -> Iterator[tuple[str, Told]]:
    facts = read(folder, CONTROLLER)[SECTIONS[machine]]
    rows = {NAMED_DIFFERENTLY.get(name, name): row for name, row in facts["per_release"].items()}
    rows |= {
        "0.11.0.3": rows["0.11.0.2"],
        "3.7.2": rows["3.7.1"],
        "3.8.1": rows["3.8.0"],
        "3.9.1": rows["3.9.0"],
        "3.9.2": rows["3.9.0"],
    }
    for release, row in rows.items():
        following = {state: tuple(sorted(targets)) for state, targets in row["valid_next"].items()}
        absent = next(state for state in following if state.startswith("NonExistent"))
        initial = {absent, *_first_states(facts["initial_states"], release)}
        yield (
            release,
            Told(tuple(following), following, tuple(sorted(initial)), {}, _refusing(following)),
        )


def _first_states(rows: Iterable[dict[str, str]], release: str) -> Iterator[str]:
    """The states that a new controller gives without a line; a row without releases counts in all."""
    for row in rows:
        oldest, _, newest = row.get("releases", "0.8.0..3.9.2").partition("..")
        if (newest or release == oldest) and not (oldest == "0.8.1" and release == "0.8.0"):
            yield row["state"].split()[0]


def _refusing(following: Table) -> dict[str, dict[str, str]]:
    """Every forbidden request is refused with an ERROR line, in every release."""
    return {
        state: {to: "advance" if to in following[state] else "refuse" for to in following}
        for state in following
    }
