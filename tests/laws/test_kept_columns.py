"""Law: with a state folder instances of many lines are judged as columns, and nobody can tell.

Covers: statemachines.conform.columns.column_lines,
statemachines.conform.judge.line_orders,
statemachines.conform.engines.state.kept_passes.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import statemachines as sm
from statemachines.conform.columns import column_lines
from statemachines.conform.engines.growing import content_readings
from statemachines.conform.judge.judgement_pass import JudgementPass
from statemachines.report.json_format import to_json
from tests.doors import House, line
from tests.effort import some_of
from tests.laws.test_columns import columns

SOME = settings(
    max_examples=some_of(60),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
STATES = ("OPEN", "CLOSED", "LOCKED", "JAMMED")
TRACE = "java.lang.IllegalStateException: it is jammed\n\tat house.Door.close(Door.java:7)\n"
WAYS = {"CLOSED": ("OPEN", "LOCKED"), "OPEN": ("CLOSED",), "LOCKED": ("CLOSED",)}


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Whatever can be columns is columns, and lines settle early."""
    monkeypatch.setattr(content_readings, "TAIL_BYTES", 300)
    monkeypatch.setattr(column_lines, "_MOST_OTHERS", 3)
    with columns():
        yield


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> House:
    return House(tmp_path_factory.mktemp("house"))


def log_lines(chance: random.Random) -> Iterator[tuple[float, str]]:
    """Yield what three doors do, and when: most steps are legal, and some fail with a trace."""
    at, states = 10.0, dict.fromkeys("abc", "CLOSED")
    for _ in range(chance.randint(0, 200)):
        door, at = chance.choice("abc"), at + chance.choice([0, 0.5, 1])
        before = states[door] if chance.random() < 0.97 else chance.choice(STATES)
        after = chance.choice(WAYS.get(before, STATES))
        if chance.random() < 0.1:
            yield at, f"ERROR Door {door} did not get from {before} to {after}"
            continue
        states[door] = after
        yield at, f"INFO Door {door} goes from {before} to {after}"


def written(at: float, text: str) -> str:
    """Return what is written of a step: a trace stands below one that failed."""
    level, _, message = text.partition(" ")
    return f"{line(message, at, level=level)}\n{TRACE if level == 'ERROR' else ''}"


def days(seed: int) -> Iterator[bytes]:
    """What is written from one check to the next: now and then a line stands behind the one that
    came after it, or its time runs back by a second or two; a day may end within a line,
    or between one and its trace.
    """
    chance = random.Random(seed)
    told, often = list(log_lines(chance)), chance.choice([0, 0.05, 0.3])
    for place in range(1, len(told)):
        if chance.random() < often:
            told[place - 1 : place + 1] = reversed(told[place - 1 : place + 1])
    late = (chance.randint(1, 2) if chance.random() < often / 3 else 0 for _ in told)
    lines = (written(at - by, text) for (at, text), by in zip(told, late, strict=True))
    text = "".join(lines).encode()
    cuts = sorted(chance.randint(0, len(text)) for _ in range(4))
    cuts = [cut if chance.random() < 0.5 else text.rfind(b"\n", 0, cut) + 1 for cut in cuts]
    for start, end in pairwise([0, *cuts, len(text)]):
        yield text[start:end]


def differences(house: House, place: Path, seed: int) -> Iterator[bool]:
    """Yield of each day whether the report is another than that of a check of everything; now and
    then the log is rotated before it.
    """
    logs, chance = place / "logs", random.Random(seed)
    logs.mkdir()
    for day in days(seed):
        if chance.random() < 0.3 and (logs / "house.log").exists():
            for old in sorted(logs.glob("house.log.*"), reverse=True):
                old.rename(logs / f"house.log.{int(old.suffix[1:]) + 1}")
            (logs / "house.log").rename(logs / "house.log.1")
        with (logs / "house.log").open("ab") as log:
            log.write(day)
        kept = sm.check(logs, specs=[house.spec], state=place / "state")
        whole = sm.check(logs, specs=[house.spec])
        yield "".join(to_json(kept)) != "".join(to_json(whole))


@SOME
@given(seed=st.integers(0, 10**6))
def test_nobody_can_tell(house: House, tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    """Over days of growth and rotation, with times that run back."""
    assert not any(differences(house, tmp_path_factory.mktemp("place"), seed))


def test_they_are_judged_as_columns(
    house: House, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the law above would say nothing."""
    judged, judge = list[int](), JudgementPass.runs_of_columns_before_more

    def counted(self: JudgementPass, pieces: Any) -> Iterator[Any]:
        for run in judge(self, pieces):
            judged.append(len(run))
            yield run

    monkeypatch.setattr(JudgementPass, "runs_of_columns_before_more", counted)
    assert not any(differences(house, tmp_path_factory.mktemp("place"), 1))
    assert sum(judged) > 20
