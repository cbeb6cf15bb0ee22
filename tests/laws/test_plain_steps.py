"""Law: runs of plain steps are judged as the judge of single lines does, byte for byte.

Covers: statemachines.conform.judge.plain_steps, statemachines.conform.judge.judgement_pass,
statemachines.conform.judge.line_orders, statemachines.conform.judge.instance.instance_judge.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from statemachines.conform import check
from statemachines.conform.judge import line_orders
from statemachines.conform.judge.plain_steps import PlainSteps
from statemachines.report.json_format import to_json
from tests.doors import House, lines
from tests.effort import some_of

WAYS = {"CLOSED": ("OPEN", "CLOSED", "LOCKED"), "OPEN": ("CLOSED", "OPEN"), "LOCKED": ("CLOSED",)}
OTHERS = (
    "Door d stands OPEN",
    "Door d did not get from OPEN to CLOSED",
    "Door d hung into its frame",
    "Door d taken off its hinges",
    "Door d goes from OPEN to JAMMED",
    "Door d goes from JAMMED to OPEN",
    "Door d goes from LOCKED to OPEN",
    "House program starting up",
    "House software version 2.0",
)
SOME = settings(
    max_examples=some_of(60),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
REPLACING = "    closed: {while: \"state == 'LOCKED'\", title: a, replaced: \"state == 'OPEN'\"}\n"
LASTING = "    shut: {while: \"state != 'OPEN'\", title: b, longer than: 2 s}\n"
PROPERTIES = """
always:
  neverLocked: state != 'LOCKED'
each step:
  noSlam: "not (before.state == 'OPEN' and state == 'CLOSED')"
"""


@contextmanager
def single_lines() -> Iterator[None]:
    """Have each line judged by itself."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PlainSteps, "take", lambda plain, lines, start: [])
        yield


@contextmanager
def short_runs() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(line_orders, "LONGEST_RUN", 3)
        yield


@st.composite
def histories(draw: st.DrawFn) -> list[str]:
    """Mostly legal moves of two doors, and now and then something else."""
    states, found = {"d": "OPEN", "e": "CLOSED"}, []
    for _ in range(draw(st.integers(0, 60))):
        if draw(st.integers(0, 9)) == 0:
            found.append(draw(st.sampled_from(OTHERS)))
            continue
        door = draw(st.sampled_from(sorted(states)))
        before = states[door]
        states[door] = draw(st.sampled_from(WAYS[before]))
        moves = "bolt moves it" if states[door] == "LOCKED" else "goes"
        found.append(f"Door {door} {moves} from {before} to {states[door]}")
    return found


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


def judged(house: House, path: Path) -> str:
    return "".join(to_json(check([path], specs=[house.spec], engine="local")))


@SOME
@given(
    told=histories(),
    more=st.sampled_from(["", REPLACING, LASTING, PROPERTIES]),
    times=st.sampled_from([1, 0, -1]),
)
def test_runs_of_plain_steps_tell_what_single_lines_tell(
    tmp_path_factory: pytest.TempPathFactory, told: list[str], more: str, times: int
) -> None:
    """Over random histories of machines with episodes and properties, at times that go on, stand
    still or run back.
    """
    house = House(tmp_path_factory.mktemp("house"))
    house.spec.write_text(house.spec.read_text() + more)
    path = house.write("a.log", lines(*told)[:: times or 1])
    with short_runs():
        runs = judged(house, path)
    with single_lines():
        assert judged(house, path) == runs
    assert judged(house, path) == runs


def test_runs_tell_what_single_lines_tell_of_captured_logs() -> None:
    """With the whole catalogue, rules of systems included."""
    logs = Path(__file__).parents[2] / "examples" / "logs"
    runs = "".join(to_json(check([logs], engine="local")))
    with single_lines():
        assert "".join(to_json(check([logs], engine="local"))) == runs


@pytest.mark.parametrize("fault", ["state", "count"])
def test_a_fault_in_judging_runs_is_noticed(
    house: House, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    """The law above has teeth."""
    moves = ["Door d goes from OPEN to CLOSED", "Door d goes from CLOSED to OPEN"] * 4
    path = house.write("a.log", lines(*moves, "Door d goes from LOCKED to CLOSED"))
    right, take = judged(house, path), PlainSteps.take

    def wrong(plain, some, start):
        rows = take(plain, some, start)
        if rows and fault == "state":
            plain.judge.believed.exact = plain.judge.believed.exact[0], "LOCKED"
        elif rows:
            plain.judge.observations -= 1
        return rows

    monkeypatch.setattr(PlainSteps, "take", wrong)
    assert judged(house, path) != right
