"""Law: a log in which two appenders write each line twice is judged alike, however it grew.

Covers: statemachines.conform.engines.state.judged_facts,
statemachines.conform.engines.follow.continued_contexts.
"""

from __future__ import annotations

import random
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import statemachines as sm
from statemachines.conform.check_options import CheckOptions
from statemachines.conform.checking import JudgingRequest, make_request
from statemachines.conform.engines.follow import followed_files
from statemachines.conform.engines.follow.follower import Follower
from statemachines.conform.engines.growing import content_readings
from statemachines.conform.settle import judging_context
from statemachines.report.json_format import to_json
from tests.doors import House, line
from tests.effort import some_of
from tests.laws.test_followed_logs import checked, violated

SOME = settings(
    max_examples=some_of(60),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
FORBIDDEN = "goes from CLOSED to JAMMED"
TURNS = ("goes from CLOSED to OPEN", "goes from OPEN to CLOSED", "stands CLOSED")


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines settle early, and a kind of lines that stand twice is enough."""
    monkeypatch.setattr(followed_files, "_AT_REST_NS", 0)
    monkeypatch.setattr(content_readings, "TAIL_BYTES", 300)
    monkeypatch.setattr(judging_context, "_FEWEST_DOUBLED", 1)


@pytest.fixture(scope="module")
def request_(tmp_path_factory: pytest.TempPathFactory) -> JudgingRequest:
    house = House(tmp_path_factory.mktemp("house"))
    return make_request(CheckOptions(specs=[house.spec]))


def days(seed: int) -> list[bytes]:
    """A log in pieces, which end within a line, or between a line and its copy. Lines stand twice
    from the beginning on, or do so since an appender was added, which is known once most of them do;
    of one door, which did what it may not, nothing is told any more by then.
    """
    chance, lines = random.Random(seed), list[str]()
    singles = chance.choice([0, 20])
    for at in range(150):
        text = f"Door {chance.choice('abc')} {chance.choice(TURNS)}"
        if at == 20:
            text = f"Door d {FORBIDDEN}"
        lines += [line(text, at)] * (1 if at < singles else 2)
    content = "".join(f"{text}\n" for text in lines).encode()
    early = [content.index(lines[chance.randrange(20, 30)].encode())] if singles else []
    late = [chance.randrange(len(content) // 2, len(content)) for _ in range(4)]
    cuts = sorted({0, *early, *late, len(content)})
    return [content[start:end] for start, end in pairwise(cuts)]


def append(log: Path, piece: bytes) -> None:
    """Write to the end of a log."""
    with log.open("ab") as opened:
        opened.write(piece)


@SOME
@given(seed=st.integers(0, 10**6))
def test_a_check_with_a_state_folder_says_what_one_of_everything_says(
    request_: JudgingRequest, tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    """Whether lines stand twice may show first when most of them were judged."""
    place = tmp_path_factory.mktemp("place")
    (place / "logs").mkdir()
    for piece in days(seed):
        append(place / "logs" / "house.log", piece)
        options = {"specs": request_.options.specs}
        kept = sm.check(place / "logs", state=place / "state", **options)
        assert "".join(to_json(kept)) == "".join(to_json(sm.check(place / "logs", **options)))


@SOME
@given(seed=st.integers(0, 10**6))
def test_who_follows_knows_what_a_check_finds(
    request_: JudgingRequest, tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    """At each look, and in the report at the end."""
    folder = tmp_path_factory.mktemp("logs")
    with Follower([str(folder)], request_) as follower:
        for piece in days(seed):
            append(folder / "house.log", piece)
            follower.poll()
            whole, known = checked(request_, folder), follower.latest
            assert known is None or violated(known) == violated(whole)
            assert known is None or known.episodes == whole.episodes
        assert "".join(to_json(follower.report())) == "".join(to_json(checked(request_, folder)))


def test_the_copies_of_such_a_log_accuse_nobody(request_: JudgingRequest, tmp_path: Path) -> None:
    """Else the laws above would say nothing."""
    steps = [TURNS[at % 2] for at in range(40)]
    texts = [line(f"Door a {step}", at) for at, step in enumerate(steps)]
    (tmp_path / "house.log").write_text("".join(f"{text}\n{text}\n" for text in texts))
    report = checked(request_, tmp_path)
    assert report.verdict == sm.Verdict.HOLDS
    assert report.checked.steps == 40
