"""Faults that are planted into captured logs of clusters without ZooKeeper are found at their lines."""

from __future__ import annotations

import gzip
import random
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

import statemachines as sm
from statemachines.model.evidence.verdicts import Verdict

LINE = re.compile(r"^\[(?P<at>[^\]]+)\]")
FOLLOWS = re.compile(r"Completed transition to FollowerState\(.*?epoch=(\d+), leader(?:Id)?=(\d+)")
NUMBERED = re.compile(r"partition change for (?P<who>\S+) .*partitionEpoch: (\d+) -> (\d+)")
ABORTED = re.compile(
    r"complete transition from PREPARE_?ABORT .*txnState=COMPLETE_?ABORT", re.IGNORECASE
)
CLAIMS = re.compile(r"Becoming the active controller at epoch (\d+)")
HEARS = re.compile(r"In the new epoch (\d+), the leader is (\d+)\.")
FENCED = re.compile(r"RegistrationChangeRecord\(brokerId=(\d+), brokerEpoch=\d+, fenced=(-?1)")
IN_SYNC = re.compile(r"partition change for .*isr: \[[\d, ]*\] -> \[([\d, ]+)\]")
Line = tuple[str, int, str]
"""File, number from 1, and text."""
Planted = tuple[Line, str]
"""A line, and what stands there with the fault."""


def read(folder: Path) -> dict[str, list[str]]:
    """Return the lines of every log of a capture, by path."""
    found = {}
    for path in sorted(folder.rglob("*.log*")):
        data = path.read_bytes()
        text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8")
        found[str(path.relative_to(folder)).removesuffix(".gz")] = text.splitlines()
    return found


def moment(line: Line) -> str:
    """Return the time of a line, as it stands there."""
    found = LINE.match(line[2])
    return found["at"] if found else ""


def second_leaders(lines: Sequence[Line]) -> list[Planted]:
    """Return for each epoch the last line of a follower, with another leader in it."""
    last: dict[str, tuple[Line, re.Match[str]]] = {}
    for line in sorted(lines, key=moment):
        found = FOLLOWS.search(line[2])
        if found:
            last[found[1]] = line, found
    return [
        (
            line,
            line[2][: found.start(2)]
            + ("777" if found[2] != "777" else "778")
            + line[2][found.end(2) :],
        )
        for line, found in last.values()
    ]


def changed_epochs(lines: Sequence[Line], by: int) -> list[Planted]:
    """Return changes of partitions from the second one on, their number moved."""
    found = [(line, NUMBERED.search(line[2])) for line in lines]
    return [
        (line, line[2][: one.start(3)] + str(int(one[3]) + by) + line[2][one.end(3) :])
        for line, one in found
        if one and int(one[3]) >= 2
    ]


def commits_after_aborts(lines: Sequence[Line]) -> list[Planted]:
    """Return aborted transactions whose end says that they were committed."""
    return [
        (line, re.sub("(?<=txnState=)(COMPLETE_|Complete)A(BORT|bort)", _committed, line[2]))
        for line in lines
        if ABORTED.search(line[2])
    ]


def _committed(found: re.Match[str]) -> str:
    return found[1] + ("COMMIT" if found[2].isupper() else "Commit")


def other_leaders_heard_of(lines: Sequence[Line]) -> list[Planted]:
    """Return what controllers hear of a leader, with another one, where its claim is told too."""
    claimed = {found[1] for line in lines if (found := CLAIMS.search(line[2]))}
    return [
        (line, f"{line[2][: found.start(2)]}777{line[2][found.end(2) :]}")
        for line in lines
        if (found := HEARS.search(line[2])) and found[1] in claimed
    ]


def fenced_in_sync(lines: Sequence[Line]) -> list[Planted]:
    """Return changes of in-sync replicas while a broker is fenced, with that broker among them."""
    found, fenced, file = list[Planted](), set[str](), ""
    for line in lines:
        fenced, file = (fenced if line[0] == file else set()), line[0]
        told, change = FENCED.search(line[2]), IN_SYNC.search(line[2])
        if told:
            (fenced.add if told[2] == "1" else fenced.discard)(told[1])
        if change and fenced - set(change[1].split(", ")):
            more = min(fenced - set(change[1].split(", ")))
            cut = change.end(1)
            found.append((line, f"{line[2][:cut]}, {more}{line[2][cut:]}"))
    return found


FAULTS: dict[str, tuple[Sequence[str], str, Callable[[Sequence[Line]], list[Planted]]]] = {
    "a second leader in an epoch": (["c422_kraft_failover", "c401_kraft_dead", "c362_kraft_failover", "c332_kraft_quorum"], "kafka/QuorumEpoch", second_leaders),
    "another leader than the one that claimed the epoch": (["c422_kraft_failover", "c401_kraft_quorum", "c362_kraft_failover", "c332_kraft_dead"], "kafka/QuorumEpoch", other_leaders_heard_of),
    "a partition epoch that jumps": (["c422_kraft_failover_debug", "c401_kraft_dead", "c362_kraft_dead"], "kafka/Partition", lambda lines: changed_epochs(lines, 5)),
    "a partition epoch that falls": (["c422_kraft_failover_debug", "c401_kraft_dead", "c362_kraft_dead"], "kafka/Partition", lambda lines: changed_epochs(lines, -2)),
    "an in-sync replica on a fenced broker": (["c422_kraft_dead_debug", "c401_kraft_dead", "c362_kraft_dead"], "kafka/BrokerRegistration", fenced_in_sync),
    "a commit after an abort": (["g422_transactions", "g362_transactions"], "kafka/TransactionCoordinator", commits_after_aborts),
}  # fmt: skip
"""What is planted, into which captures, the machine that finds it, and where it may be planted.

Those without `debug` show what is shipped: INFO.
"""


@pytest.mark.parametrize(
    ("fault", "capture"),
    [(fault, capture) for fault, (captures, *_) in FAULTS.items() for capture in captures],
)
def test_a_planted_fault_is_found_at_its_line(
    shared: Path, tmp_path: Path, fault: str, capture: str
) -> None:
    """Every other line is as Kafka wrote it, and without the fault the log is sound."""
    _, machine, places = FAULTS[fault]
    logs = read(shared / "logs" / "today" / capture)
    lines = [
        (file, number, text) for file, texts in logs.items() for number, text in enumerate(texts, 1)
    ]
    (file, number, text), wrong = random.Random(1).choice(places(lines))
    assert wrong != text
    logs[file][number - 1] = wrong
    for name, texts in logs.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("\n".join(texts) + "\n", "utf-8")
    report = sm.check([tmp_path], engine="local")
    found = [
        (one.machine, one.place.line)
        for one in report.findings
        if one.verdict is not Verdict.HOLDS and one.place and one.place.file.endswith(file)
    ]
    assert (machine, number) in found
