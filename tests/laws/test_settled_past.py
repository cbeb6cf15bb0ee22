"""Law: who follows logs for long holds what goes on and what was over lately, and what is said is what is said by who holds everything.

Covers: statemachines.conform.engines.follow.settled_past,
statemachines.conform.engines.follow.live_judging, statemachines.conform.join.report_changes.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from statemachines.conform.check_options import CheckOptions
from statemachines.conform.checking import JudgingRequest, make_request
from statemachines.conform.engines.follow import followed_files, live_judging, settled_past
from statemachines.conform.engines.follow.follower import Follower
from statemachines.conform.engines.growing import content_readings
from statemachines.conform.join.change_keys import key_parts
from statemachines.conform.join.report_changes import ReportedChanges
from statemachines.model.evidence.changes import LogChange, LogChangeKind
from statemachines.report.json_format import to_json
from tests.doors import DOOR, House, line
from tests.laws.test_followed_lives import rotate
from tests.laws.test_followed_logs import checked, opened

Patch = pytest.MonkeyPatch
HEALED = LogChangeKind.HEALED
SOME = settings(
    max_examples=5,
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
LOOKS = 24
INCIDENTS = """
    locked: {while: "state == 'LOCKED'", title: "door {door} is locked"}
  incidents:
    door-jams: {of: jammed, title: "door {door} jams", repeats: 6 s}
    door-locked: {of: locked, title: "door {door} is locked"}
"""
"""What is trouble of a door: that it is jammed, again and again, and locked."""
WAYS = {
    "CLOSED": ["OPEN", "LOCKED", "LOCKED"],
    "OPEN": ["JAMMED", "JAMMED", "CLOSED", "GONE"],
    "JAMMED": ["OPEN"],
    "LOCKED": ["CLOSED"],
    "GONE": ["GONE"],
}


def judging(folder: Path, incidents: str) -> JudgingRequest:
    house = House(folder)
    house.spec.write_text(DOOR.rstrip() + incidents, "utf-8")
    return make_request(CheckOptions(specs=[house.spec]))


@pytest.fixture(scope="module")
def request_(tmp_path_factory: pytest.TempPathFactory) -> JudgingRequest:
    return judging(tmp_path_factory.mktemp("house"), INCIDENTS)


@pytest.fixture(scope="module")
def request_of_causes(tmp_path_factory: pytest.TempPathFactory) -> JudgingRequest:
    """That a door is locked may follow from one that jams."""
    locked = 'is locked", follows: {door-jams: any}}\n'
    incidents = INCIDENTS.removesuffix('is locked"}\n') + locked
    return judging(tmp_path_factory.mktemp("house"), incidents)


@pytest.fixture(autouse=True)
def kept(monkeypatch: Patch) -> None:
    """Observations settle early, and what is over for half a minute may be let go."""
    monkeypatch.setattr(followed_files, "_AT_REST_NS", 0)
    monkeypatch.setattr(content_readings, "TAIL_BYTES", 300)
    monkeypatch.setattr(settled_past, "_APART_MS", 24_000)


def step(door: str, states: dict[str, str], chance: random.Random) -> str:
    """What is told of a door next: now and then where it cannot be."""
    before = states.setdefault(door, "CLOSED")
    if chance.random() < 0.05:
        return f"Door {door} goes from GONE to OPEN"
    states[door] = chance.choice(WAYS[before])
    if "LOCKED" in (before, states[door]):
        return f"Door {door} stands {states[door]}"
    return f"Door {door} goes from {before} to {states[door]}"


def looks(chance: random.Random) -> Iterator[list[str]]:
    """What is told from one look to the next: some doors stay, others come, jam and go."""
    states = dict[str, str]()
    for look in range(LOOKS):
        doors = [*"abc", *(f"{look // 3}x{number}" for number in range(4))]
        yield [step(chance.choice(doors), states, chance) for _ in range(chance.randint(2, 9))]


def said(change: LogChange) -> tuple[object, ...]:
    """What counts of a change."""
    row, finding = change.incident, change.finding
    if finding is not None:
        return change.kind, finding.machine, finding.instance, finding.at, finding.message
    if row is None:
        return change.kind, change.withdrawn, change.why
    return change.kind, row.kind, row.subject, row.until if row.until else row.since


Known = tuple[str, str, object]
"""Machine, kind and subject of an incident."""


def opened_by(change: LogChange) -> Iterator[tuple[Known, int]]:
    """Yield which incident goes on since a change, or does no more (-1)."""
    row = change.incident
    if row is not None and (row.is_open or change.has_passed or change.kind is HEALED):
        yield (row.machine, row.kind, row.subject), -1 if change.kind is HEALED else 1
    elif row is None and change.finding is None:
        machine, kind, subject, *_ = key_parts(change.key)
        if machine != "forbidden":
            yield (machine, kind, tuple(map(tuple, subject))), -1


class Followed:
    """What was said of a log, and what was held meanwhile."""

    def __init__(self, request: JudgingRequest, folder: Path, seed: int, restarts: float) -> None:
        self.said, self.most, self.settled, self.is_current = list[Any](), 0, 0, True
        self._open = Counter[Known]()
        chance, now, logs = random.Random(seed), 0, folder / "logs"
        logs.mkdir(parents=True)
        with ExitStack() as stack:
            follower = opened(request, logs, folder / "state", stack)
            for told in looks(chance):
                if chance.random() < 0.1:
                    rotate(logs)
                with (logs / "house.log").open("a") as log:
                    for text in told:
                        now += chance.randint(1, 4)
                        log.write(line(text, now) + "\n")
                if chance.random() < restarts:
                    follower.keep()
                    stack.close()
                    follower = opened(request, logs, folder / "state", stack)
                self._look(follower)
            whole = checked(request, logs)
            self.is_whole = "".join(to_json(follower.report())) == "".join(to_json(whole))

    def _look(self, follower: Follower) -> None:
        changes = follower.poll()
        self.said += map(said, changes)
        for known, count in (change for row in changes for change in opened_by(row)):
            self._open[known] += count
        assert follower.latest is not None
        rows = [row for row in follower.latest.incidents if row.is_trouble and row.is_open]
        now = Counter((row.machine, row.kind, row.subject) for row in rows)
        self.is_current &= +self._open == now
        judged = follower._live._judged.values()
        self.most = max(self.most, sum(len(j.findings) + len(j.episode_points) for j in judged))
        self.settled += follower._live.settled_before is not None


def followed_twice(
    request: JudgingRequest, folder: Path, patch: Patch, seed: int, restarts: float = 0.0
) -> tuple[Followed, Followed]:
    """Who lets go of what is over but for three things, and who holds everything."""
    with patch.context() as patched:
        patched.setattr(settled_past, "MOST_OVER", 3)
        few = Followed(request, folder / "few", seed, restarts)
    return few, Followed(request, folder / "all", seed, restarts)


@SOME
@given(seed=st.integers(0, 10**6), restarts=st.sampled_from((0.0, 0.2)))
def test_nobody_can_tell_that_the_past_is_settled(
    request_: JudgingRequest,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: Patch,
    seed: int,
    restarts: float,
) -> None:
    """Neither by what is said, over rotations and restarts, nor by the report at the end."""
    folder = tmp_path_factory.mktemp("logs")
    few, everything = followed_twice(request_, folder, monkeypatch, seed, restarts)
    assert few.said == everything.said
    assert few.is_whole
    assert everything.is_whole


@SOME
@given(seed=st.integers(0, 10**6))
def test_what_is_said_to_go_on_goes_on(
    request_of_causes: JudgingRequest,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: Patch,
    seed: int,
) -> None:
    """Where one thing follows from another, too: what goes on is told by itself where what brought
    it about is settled.
    """
    few, _ = followed_twice(request_of_causes, tmp_path_factory.mktemp("logs"), monkeypatch, seed)
    assert few.is_current


def test_what_is_held_does_not_grow(
    request_: JudgingRequest, tmp_path_factory: pytest.TempPathFactory, monkeypatch: Patch
) -> None:
    """Doors that were jammed and are gone are let go, and the law above is about something."""
    for seed in range(2):
        folder = tmp_path_factory.mktemp("logs")
        few, everything = followed_twice(request_, folder, monkeypatch, seed)
        assert few.said
        assert few.settled > LOOKS / 3
        assert few.most < 0.7 * everything.most, (few.most, everything.most)


FAULTS = {
    "what goes on is let go": (
        live_judging,
        "without_past",
        lambda judged, _: judged._replace(episode_points=()),
    ),
    "it is not noted what things are known by": (ReportedChanges, "settle_past", lambda *_: None),
    "a restart does not know": (Follower, "__enter__", None),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_mistake_in_settling_is_noticed(
    request_: JudgingRequest,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: Patch,
    fault: str,
) -> None:
    """The law has teeth."""
    where, name, wrong = FAULTS[fault]

    def forgetful(self: Follower) -> Follower:
        self._live.settled_before = None
        return self

    monkeypatch.setattr(where, name, wrong or forgetful)
    pairs = [
        followed_twice(request_, tmp_path_factory.mktemp("logs"), monkeypatch, seed, 0.3)
        for seed in range(2)
    ]
    assert any(few.said != everything.said for few, everything in pairs)
