"""What the facts tell of groups and transactions: allowed moves, and the log lines of their classes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.catalogue.fact_lines import FactLine
from tests.catalogue.facts import CONTROLLER, LATER, Told, in_range, read

MACHINES = {
    "kafka/ConsumerGroup": (
        "consumer group (broker side)",
        "classic.ClassicGroupState",
        "validPreviousStates",
    ),
    "kafka/TransactionManager": (
        "transactional producer client",
        "internals.TransactionManager$State",
        "isTransitionValid(from,to)",
    ),
    "kafka/TransactionCoordinator": (
        "transaction (broker side)",
        "transaction.TransactionState",
        "validPreviousStates",
    ),
}
ENDS = {"0.11.0.2": "0.11.0.3", "3.7.1": "3.7.2", "3.9.0-rc3": "3.9.2"}
"""The last release of a range of the older facts, and the neighbour that they leave out and that is alike."""
ABORTED_UNASKED = ("Empty", "CompleteCommit", "CompleteAbort")
"""From 4.0.0 on (KIP-890) these too lead to PrepareAbort; the reflected tables begin at 4.1.0."""
NEVER_WRITTEN = ("Dead", "PrepareEpochFence")
"""States of a transaction that are only ever pending."""
SWALLOWED = ("ABORTING_TRANSACTION", "ABORTABLE_ERROR")
"""What a producer asks for and transitionToAbortableError does not do."""
NAMES = {
    "groupId": "group",
    "transactionalId": "transactional_id",
    "metadataTransactionalId": "transactional_id",
}

Pairs = set[tuple[str, str]]


def machine_facts(folder: Path, machine: str) -> Any:
    """Return the facts of one of these machines."""
    return next(
        row
        for row in read(folder, CONTROLLER)["other_machines"]
        if row["machine"] == MACHINES[machine][0]
    )


def pairs(folder: Path, machine: str, releases: tuple[str, ...]) -> dict[str, Pairs]:
    """Return the allowed moves by release."""
    found = {
        release: moves
        for ranges, moves in _older(folder, machine)
        for release in _releases(ranges, releases)
    }
    if machine == "kafka/TransactionCoordinator":
        found |= {
            name: found["3.9.2"] | {(state, "PrepareAbort") for state in ABORTED_UNASKED}
            for name in in_range("4.0.0..4.0.2", releases)
        }
    found |= {
        name: moves
        for ranges, moves in _later(folder, machine)
        for name in in_range(ranges, releases)
    }
    return {release: found[release] for release in releases if release in found}


def told_others(folder: Path, machine: str, releases: tuple[str, ...]) -> dict[str, Told]:
    """Return what the facts tell of a machine, by release, oldest first: moves, beginnings, and what becomes of a forbidden request."""
    return {
        release: _told(machine, release, releases, moves)
        for release, moves in pairs(folder, machine, releases).items()
    }


def _told(machine: str, release: str, releases: tuple[str, ...], moves: Pairs) -> Told:
    def before(other: str) -> bool:
        return releases.index(release) < releases.index(other)

    states = tuple(sorted({state for pair in moves for state in pair}))
    group, producer, _ = MACHINES
    first = {
        group: ("Stable",) if before("0.10.1.0") else ("Empty", "Stable"),
        producer: ("UNINITIALIZED",),
    }
    initial = first.get(machine, tuple(state for state in states if state not in NEVER_WRITTEN))
    if machine == producer and before("2.5.0"):
        moves = moves | {(state, "UNINITIALIZED") for state in states}
    error = "KafkaException" if machine == producer and before("3.1.1") else "IllegalStateException"
    outcomes = {
        one: {other: _outcome((one, other), moves, error) for other in states} for one in states
    }
    anew = {("Dead", initial[0])} if machine == group else set()
    following = {
        one: tuple(other for other in states if (one, other) in moves | anew) for one in states
    }
    return Told(states, following, initial, {}, outcomes)


def _outcome(pair: tuple[str, str], moves: Pairs, error: str) -> str:
    return "ignore" if pair == SWALLOWED else "advance" if pair in moves else f"raise {error}"


def _releases(ranges: list[list[str]], releases: tuple[str, ...]) -> Iterator[str]:
    for first, last in ranges:
        yield from in_range(f"{first}..{ENDS.get(last, last)}", releases)


def _older(folder: Path, machine: str) -> Iterator[tuple[list[list[str]], Pairs]]:
    for row in machine_facts(folder, machine)["tables"]:
        previous: dict[str, list[str]] = row["valid_previous"]
        states = {*previous, *(state for before in previous.values() for state in before)} - {
            "(any)"
        }
        yield (
            row["releases"],
            {
                (source, target)
                for target, before in previous.items()
                for source in (states if before == ["(any)"] else before)
            },
        )


def _later(folder: Path, machine: str) -> Iterator[tuple[str, Pairs]]:
    _, enum, key = MACHINES[machine]
    for row in read(folder, LATER)["other_enums_by_reflection"][enum]:
        table = row["table"][key]
        moves = {(one, other) for one, others in table.items() for other in others}
        yield (
            row["releases"],
            moves
            if "isTransition" in key
            else {(_title(before), _title(state)) for state, before in moves},
        )


def _title(name: str) -> str:
    """`PREPARE_COMMIT` is called PrepareCommit by the older classes, and by the group's own text."""
    return "".join(part.capitalize() for part in name.split("_"))


def other_lines(folder: Path, machine: str, releases: tuple[str, ...]) -> Iterator[FactLine]:
    """Yield the log lines that the older facts list with a machine, with the prefixes of their classes."""
    facts = machine_facts(folder, machine)
    for row in facts["log_lines"]:
        owner = str(row["file"]).split(".")[0]
        prefixes = facts["prefix"].get(
            owner, facts["prefix"] if "0.11.0.0..0.11.0.2" in facts["prefix"] else ""
        )
        for ranges, prefix in (
            prefixes if isinstance(prefixes, dict) else {"0.8.0..3.9.0-rc3": prefixes}
        ).items():
            first, last = ranges.split("..")
            prefixed = set(_releases([[first, last]], releases))
            there = tuple(name for name in _releases(row["releases"], releases) if name in prefixed)
            group = (CONTROLLER, owner, str(row["signals"]).split(":")[0][:40])
            if there:
                yield FactLine(
                    f"{machine} {row['template']}",
                    group,
                    _template(prefix + row["template"]),
                    row["level"],
                    row["logger"],
                    there,
                )


def _template(text: str) -> str:
    text = re.sub(
        r"\{to(Txn)?TransitMetadata\}|\{toTxnTransitMetadata\}|\{newMetadata\}", "{metadata}", text
    )
    text = text.replace("{logPrefix}", "[TransactionalId {producer}] ").replace(
        "[TransactionalId {id}] ", ""
    )
    text = text.replace(
        "clientId={clientId}, transactionalId={id}]",
        "clientId={producer}, transactionalId={transactional_id}]",
    )
    ours = {
        **NAMES,
        "fromState": "from",
        "toState": "to",
        "state": "state",
        "metadata": "metadata",
        "producer": "producer",
    }
    known = {*ours.values()}
    return re.sub(
        r"\{(\w+)\}",
        lambda found: "{" + (ours.get(found[1]) or (found[1] if found[1] in known else "")) + "}",
        text,
    )
