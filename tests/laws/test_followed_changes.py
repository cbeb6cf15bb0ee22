"""Law: what a follower says is forbidden and does not withdraw is what the report at the end says is VIOLATED, and nothing is withdrawn that is still so.

Covers: statemachines.conform.join.change_keys, statemachines.conform.join.report_changes,
statemachines.conform.join.said_things, statemachines.conform.engines.follow.follower.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import islice
from pathlib import Path

import pytest
from attrs import evolve
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import statemachines as sm
from statemachines.conform.engines.follow.follower import Follower
from statemachines.conform.join import change_keys, report_changes
from statemachines.model.evidence.changes import LogChange, LogChangeKind
from statemachines.model.evidence.reports import Finding, Report
from statemachines.model.evidence.verdicts import Verdict
from tests.effort import some_of

CONN = r"""
notation: 1
machine: Conn
states:
  CLOSED: {initial: true}
  OPENING: {within: 30 s}
  OPEN: {within: 50 s}
  BROKEN:
transitions:
  - {from: CLOSED, to: OPENING}
  - {from: OPENING, to: OPEN}
  - {from: [OPENING, OPEN], to: BROKEN}
  - {from: [OPEN, BROKEN], to: CLOSED}
always:
  whole: "state != 'BROKEN'"
  sound: "state != 'BROKEN'"
log:
  instance: [conn]
  patterns: {conn: '\d+'}
  logger: net.pool
  level: INFO
  lines:
    - {text: "connection {conn} {from} => {to}", says: step, samples: ["connection 7 CLOSED => OPENING"]}
"""
FAMILY = r"""
notation: 1
family: net
releases: ["1.0"]
log:
  process: node
  patterns: {node: '\d+'}
  lines:
    - {text: "This is node {node}", says: note, logger: net.main, level: INFO, samples: ["This is node 7"]}
"""
SOME = settings(
    max_examples=some_of(25),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
STATES = ("CLOSED", "OPENING", "OPEN", "BROKEN")
LEGAL = {"CLOSED": ["OPENING"], "OPENING": ["OPEN", "BROKEN"], "OPEN": ["CLOSED"]}
Sameness = tuple[object, ...]
"""What tells findings apart that is neither the end of the log nor how late something is by it."""


def sameness(finding: Finding) -> Sameness:
    who = finding.kind, finding.machine, finding.instance
    if finding.began is not None:
        return *who, finding.message.partition(":")[0], finding.began.ms
    return *who, finding.message, finding.at, finding.text, finding.source, finding.target


def violated(report: Report | None) -> Counter[Sameness]:
    rows = report.findings if report is not None else ()
    return Counter(sameness(row) for row in rows if row.verdict is Verdict.VIOLATED)


def pool_lines(chance: random.Random) -> Iterator[str]:
    """Lines of a few connections, some of which stay for long, twice the same, or are forbidden."""
    states, seconds = dict.fromkeys(range(4), "CLOSED"), 0
    while True:
        conn = chance.randrange(4)
        seconds += chance.choice((0, 1, 1, 5, 20))
        before = states[conn]
        after = chance.choice(LEGAL.get(before, STATES) if chance.random() < 0.9 else STATES)
        states[conn] = after
        when = f"2026-11-21 12:{seconds // 60 % 60:02}:{seconds % 60:02}.000"
        yield f"{when} INFO  [main] net.pool - connection {conn} {before} => {after}\n" * (
            1 + (chance.random() < 0.05)
        )


def check_look(before: Counter[Sameness], now: Counter[Sameness], said: list[LogChange]) -> int:
    """Check what was said at a look: each row that is new, and as withdrawn each that is gone;
    return how many those are.
    """
    assert Counter(sameness(c.finding) for c in said if c.finding is not None) == now - before
    withdrawn = [
        change
        for change in said
        if change.kind is LogChangeKind.WITHDRAWN
        and change_keys.key_parts(change.key)[1] == change.machine  # else it is an incident
    ]
    assert all(change.why and change.place for change in withdrawn)
    gone = Counter((machine, who) for _, machine, who, *_ in (before - now).elements())
    assert Counter((change.machine, change.subject) for change in withdrawn) == gone
    return len(withdrawn)


def follow_pool(folder: Path, seed: int, restart: float = 0.0) -> int:
    """Follow a growing log; return how much of what was said was withdrawn."""
    (folder / "Conn.yaml").write_text(CONN)
    (folder / "logs").mkdir()
    chance, log, stack = random.Random(seed), folder / "logs" / "pool.log", ExitStack()
    lines, known, withdrawn = pool_lines(chance), Counter[Sameness](), 0
    state = str(folder / "state") if restart else None

    def follower() -> Follower:
        following = sm.follow(str(log.parent), specs=folder / "Conn.yaml", state=state)
        return stack.enter_context(following)

    with stack:
        running = follower()
        for look in range(chance.randint(4, 12)):
            with log.open("a") as written:
                written.write("".join(next(lines) for _ in range(chance.randint(0, 12))))
            if look and chance.random() < restart:
                running.keep()
                stack.close()
                running = follower()
            said = running.poll()
            now = violated(running.latest)
            withdrawn += check_look(known, now, said) if look else sum(map(is_forbidden, said))
            known = now
        assert violated(running.report(to_the_end=True)) == known
    return withdrawn


def is_forbidden(change: LogChange) -> bool:
    return change.finding is not None


@SOME
@given(seed=st.integers(0, 10**6), restart=st.sampled_from((0.0, 0.4)))
def test_what_stays_broken_is_not_withdrawn(
    tmp_path_factory: pytest.TempPathFactory, seed: int, restart: float
) -> None:
    """One log, read in its order: no later line puts anything right, and each row is said once,
    also where two rules are broken by one line, and over restarts.
    """
    assert follow_pool(tmp_path_factory.mktemp("pool"), seed, restart) == 0


def follow_two(folder: Path, seed: int) -> int:
    """Follow two logs of one program, which come at paces of their own, so that what ends in one
    seems to last until the other comes; return how much was withdrawn.
    """
    specs, logs, chance = folder / "net", folder / "logs", random.Random(seed)
    for made in (specs, logs):
        made.mkdir()
    (specs / "net.yaml").write_text(FAMILY)
    (specs / "Conn.yaml").write_text(
        CONN.replace("machine: Conn\n", "machine: Conn\nfamily: net\n")
    )
    texts: dict[Path, list[str]] = {logs / name: [] for name in ("a.log", "b.log")}
    for text in islice(pool_lines(chance), 60):
        chance.choice(list(texts.values())).append(text)
    for log in texts:
        log.write_text("2026-11-21 11:59:59.000 INFO  [main] net.main - This is node 7\n")
    known, withdrawn = Counter[Sameness](), 0
    with sm.follow(str(logs), specs=specs / "Conn.yaml") as follower:
        assert follower.poll() == []
        while any(texts.values()):
            log = chance.choice([log for log, left in texts.items() if left])
            with log.open("a") as written:
                for text in texts[log][: chance.randint(1, 9)]:
                    written.write(text)
                    texts[log].remove(text)
            said = follower.poll()
            withdrawn += check_look(known, violated(follower.latest), said)
            known = violated(follower.latest)
        assert violated(follower.report(to_the_end=True)) == known
    return withdrawn


@SOME
@given(seed=st.integers(0, 10**6))
def test_what_is_withdrawn_is_gone(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    """Each time, and nothing else is."""
    follow_two(tmp_path_factory.mktemp("pool"), seed)


def test_late_lines_put_earlier_ones_right(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The law above is about something."""
    pools = [tmp_path_factory.mktemp("pool") for _ in range(10)]
    assert sum(follow_two(folder, seed) for seed, folder in enumerate(pools)) > 10


KEY = change_keys.finding_key
FAULTS = {
    "by where it ends": lambda finding: KEY(evolve(finding, began=None)),
    "by how late it is": lambda finding: f"{KEY(finding)} {finding.message}",
}


@pytest.mark.parametrize("fault", [*FAULTS, "without a number"])
def test_a_key_that_says_too_much_or_too_little_is_noticed(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    """The law has teeth."""
    if fault in FAULTS:
        monkeypatch.setattr(change_keys, "finding_key", FAULTS[fault])
    else:
        monkeypatch.setattr(
            report_changes, "findings_by_key", lambda rows: {KEY(f): f for f in rows}
        )
    with pytest.raises(AssertionError):
        follow_pools(tmp_path_factory)


def follow_pools(folders: pytest.TempPathFactory) -> None:
    for seed in range(20):
        assert follow_pool(folders.mktemp("pool"), seed) == 0
