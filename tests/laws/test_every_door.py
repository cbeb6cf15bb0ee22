"""Law: logs are judged alike through every door: as a whole, by several processes, with a state
folder while they grow, and followed while they are written.

Covers: statemachines.conform.checking,
statemachines.conform.engines.processes.parallel_reader,
statemachines.conform.engines.state.kept_check, statemachines.conform.engines.follow.follower.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from attrs import evolve

from statemachines.conform.check_options import CheckOptions
from statemachines.conform.checking import (
    JudgingRequest,
    check_locally,
    finish_report,
    make_request,
)
from statemachines.conform.engines import file_reader
from statemachines.conform.engines.follow.follower import Follower
from statemachines.conform.engines.growing import content_readings
from statemachines.report.json_format import to_json
from tests.growing_logs import growing

LOGS = Path(__file__).parents[2] / "examples" / "logs"
CAPTURES = sorted(path for path in LOGS.iterdir() if path.is_dir())
CUTS = 5


@pytest.fixture(scope="module")
def request_() -> JudgingRequest:
    """The whole shipped catalogue."""
    return make_request(CheckOptions())


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let logs of some hundred kilobytes settle, in several pieces."""
    monkeypatch.setattr(content_readings, "TAIL_BYTES", 20_000)
    monkeypatch.setattr(file_reader, "READ_CHUNK_BYTES", 30_000)


def judged(request: JudgingRequest, logs: Path) -> str:
    return "".join(to_json(finish_report(check_locally([str(logs)], request), request)))


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("capture", CAPTURES, ids=lambda path: path.name)
def test_growing_logs_are_judged_alike_through_every_door(
    request_: JudgingRequest, tmp_path: Path, capture: Path
) -> None:
    """The same bytes, whoever reads them and how often."""
    logs, chance = tmp_path / "logs", random.Random(7)
    state = evolve(request_, options=CheckOptions(state=str(tmp_path / "state")))
    logs.mkdir()
    with Follower([str(logs)], request_) as follower:
        for step, _ in enumerate(growing(capture, logs, chance, CUTS)):
            follower.poll()
            kept = judged(state, logs)
            if step in (CUTS // 2, CUTS - 1):
                assert kept == judged(request_, logs)
        whole = judged(request_, logs)
        assert "".join(to_json(follower.report(to_the_end=True))) == whole
    several = evolve(request_, options=CheckOptions(jobs=2))
    assert judged(several, logs) == whole
