"""What the facts tell of members of groups: allowed moves and log lines, in both files of facts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from attrs import frozen

from tests.catalogue.facts import CONTROLLER, LATER, Told, in_range, read
from tests.catalogue.facts_others import ENDS, Pairs

CLIENT, CLASSIC = "kafka/MembershipManager", "kafka/AbstractCoordinator"
BROKER, STREAMS = "kafka/ConsumerGroupMember", "kafka/StreamsGroupMember"
ENUMS = {BROKER: "modern.MemberState", STREAMS: "streams.MemberState"}
OLDER = {
    CLIENT: "consumer client membership (KIP-848 protocol)",
    CLASSIC: "consumer client membership (classic protocol)",
}
SHARE = "[ShareConsumer clientId=c-1, groupId=billing] "
CONSUMER = "[Consumer clientId=c-1, groupId=billing] "
COORDINATOR = "[GroupCoordinator id=1 topic=__consumer_offsets partition=1] "


@frozen
class MemberLine:
    """A line as it is printed, without values that matter."""

    message: str
    level: str
    logger: str
    releases: tuple[str, ...]


def client_moves(folder: Path, releases: tuple[str, ...]) -> dict[str, Pairs]:
    """Return by release the moves of a client's member, those of a state with itself too (`member_state_enforcement`)."""
    found = {}
    for row in read(folder, LATER)["other_enums_by_reflection"]["internals.MemberState"]:
        ranges = row["releases"] if ".." in row["releases"] else f"3.7.0..{row['releases']}"
        before = row["table"]["getPreviousValidStates"]
        moves = {(one, state) for state, many in before.items() for one in many} | {
            (state, state) for state in before
        }
        found |= dict.fromkeys(in_range(ranges, releases), moves)
    return found


def told_client(folder: Path, releases: tuple[str, ...]) -> dict[str, Told]:
    """Return what the facts tell of a client's member, by release, oldest first: what its table does not have throws (`transitionTo`)."""
    moves = client_moves(folder, releases)
    return {release: _told(moves[release]) for release in releases if release in moves}


def _told(moves: Pairs) -> Told:
    states = tuple(sorted({state for pair in moves for state in pair}))
    following = {one: tuple(other for other in states if (one, other) in moves) for one in states}
    outcomes = {
        one: {
            other: "advance" if (one, other) in moves else "raise IllegalStateException"
            for other in states
        }
        for one in states
    }
    return Told(states, following, ("UNSUBSCRIBED",), {}, outcomes)


def older_client_moves(folder: Path, releases: tuple[str, ...]) -> dict[str, Pairs]:
    """Return the same of the older facts, without the moves of a state with itself."""
    found = {}
    for row in _older(folder, CLIENT)["tables"]:
        moves = {(one, state) for state, many in row["valid_previous"].items() for one in many}
        found |= dict.fromkeys(_releases(row["releases"], releases), moves)
    return found


def classic_moves(folder: Path, releases: tuple[str, ...]) -> dict[str, Pairs]:
    """Return by release what the code of the classic protocol does; the last row holds until now."""
    found = {}
    for row in _older(folder, CLASSIC)["table_ranges_merged"]:
        moves = {(one, other) for one, many in row["transitions"].items() for other in many}
        found |= dict.fromkeys(
            in_range(row["releases"].replace("3.9.0-rc3", releases[-1]), releases), moves
        )
    return found


def broker_states(folder: Path, machine: str) -> set[str]:
    """Return the states of a member on the broker."""
    (row,) = read(folder, LATER)["other_enums_by_reflection"][ENUMS[machine]]
    return set(row["table"]["order"])


def member_lines(folder: Path, releases: tuple[str, ...]) -> Iterator[MemberLine]:
    """Yield the lines of the facts that name a step of a member, as they are printed."""
    for row in read(folder, LATER)["log_templates"]:
        if _tells(row["class"], row["template"]):
            loggers = [row["logger"]] if isinstance(row["logger"], str) else row["logger"]
            there = tuple(in_range(row["releases"], releases))
            yield from (
                MemberLine(_printed(row["template"], logger), row["level"], logger, there)
                for logger in loggers
            )
    for row in _older(folder, CLASSIC)["log_lines"]:
        there = tuple(
            name
            for name in _releases(row["releases"], releases)
            if releases.index("1.0.0") <= releases.index(name) < releases.index("3.0.0")
        )
        if there and _tells("AbstractCoordinator", row["template"]):
            yield MemberLine(
                _printed(row["template"], row["logger"]), row["level"], row["logger"], there
            )


STEPS = {
    "AbstractCoordinator": r"\(Re-\)joining group$|Successfully |Resetting generation (\{\}|due)|Member .* sending LeaveGroup request",
    "GroupMetadataManager": r".*(tasksPendingRevocation|revokedPartitions=)",
}
"""By class: the lines that name a step."""


def _tells(owner: str, template: str) -> bool:
    manager = (
        r"Member .* (transitioned from|transitioned to fatal|transitioned to \{\} state)|Non-member"
    )
    return bool(
        re.match(manager if "MembershipManager" in owner else STEPS.get(owner, "(?!)"), template)
    )


def _printed(template: str, logger: str) -> str:
    prefix = (
        SHARE
        if "ShareMembership" in logger
        else COORDINATOR
        if "coordinator.group" in logger
        else CONSUMER
    )
    fatal = "FENCED" if "release its assignment" in template else "FATAL"
    text = template.replace("from {} to {}", "from JOINING to STABLE").replace(
        "transitioned to {} state", f"transitioned to {fatal} state"
    )
    text = text.replace("state={}", "state=STABLE").replace(
        "generation {}due", "generation and member id due"
    )
    return prefix + re.sub(r"\{\w*\}", "some", text)


def _older(folder: Path, machine: str) -> Any:
    return next(
        row
        for row in read(folder, CONTROLLER)["other_machines"]
        if row["machine"] == OLDER[machine]
    )


def _releases(ranges: list[list[str]], releases: tuple[str, ...]) -> Iterator[str]:
    for first, last in ranges:
        yield from in_range(f"{first}..{ENDS.get(last, last)}", releases)
