"""Ctrl-C at any moment loses nothing: a search that is resumed, however often, finds what it finds at once.

Covers: statemachines.cli.console.progress, statemachines.cli.outcomes.termination,
statemachines.explore.models.row_columns, statemachines.explore.resources.interrupts,
statemachines.explore.resources.limits, statemachines.explore.results.run_traces.
"""

from __future__ import annotations

import itertools
import os
import random
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from attrs import evolve

import statemachines as sm
from statemachines.cli.console.progress import StateCounter
from statemachines.cli.root import run_command_line
from statemachines.explore.arrays.row_expansion import ArrayExpansion
from statemachines.explore.checkpoints import checkpoint_files
from statemachines.explore.exploration import explore
from statemachines.explore.models.event_memos import EventMemo
from statemachines.explore.options import ExplorationOptions
from statemachines.explore.resources.limits import Limits
from statemachines.explore.results.property_results import Exploration
from statemachines.explore.rows import row_search
from statemachines.model.evidence.verdicts import Verdict
from statemachines.semantics.messages.argument_errors import ArgumentsError
from tests.data_machines import example, machine
from tests.systems import house

HOME = os.path.dirname(sm.__file__) + os.sep + "explore" + os.sep
MOMENTS = 12
"""At which searches are interrupted, drawn anew for each, the same in every run."""
GRID = """
errors: {Off: Over the edge.}
variables: {a: "0..4 = 0", b: "0..4 = 0", n: "int = 0"}
events:
  right: {guard: "a < 4 and not (a == 2 and b == 2)", effect: {a: a + 1}}
  up: {guard: "b < 4 and not (a == 2 and b == 2)", effect: {b: b + 1}}
  count: {args: {by: 1..2}, guard: a == 0, effect: {n: n + by}}
  fall: {cases: [{when: a == 4, raises: Off, effect: {a: "0"}}]}
each step:
  notThere: not (a == 2 and b == 2 and before.b == 1)
always:
  quiet: {holds: a + b < 8, until: raised}
sometimes:
  corner: a == 4 and b == 4
leads to:
  on: {when: a == 1, then: a == 2, assuming: [right]}
final: a == 4 and b == 4
scope: {int: 0..3}
"""
HOUSE = """
notation: 1
system: House
parts:
  door: {machine: Door}
  alarm: {machine: Door}
variables: {opened: "0..2 = 0"}
links:
  - {on: door, enters: OPEN, send: alarm.to_OPEN, later: true}
  - {on: door, enters: OPEN, effect: {opened: "min(opened + 1, 2)"}}
always:
  together: opened < 2
  quiet: {holds: "alarm.state == 'SHUT'", until: raised}
each step:
  counts: opened >= before.opened
leads to:
  shuts: {when: "door.state == 'OPEN'", then: "door.state == 'SHUT'", assuming: [door.to_SHUT]}
"""
Found = Exploration
Make = Callable[[Path | None], Found]


class Moments:
    """Counts the calls and lines of the package's searches, and interrupts at one of them."""

    def __init__(self, stop: int) -> None:
        self.stop, self.count = stop, 0

    def __call__(self, frame: FrameType, event: str, _: Any) -> Any:
        if not frame.f_code.co_filename.startswith(HOME):
            return None
        self.count += event != "exception"
        if self.count == self.stop and event != "exception":
            sys.settrace(None)
            raise KeyboardInterrupt
        return self


def interrupted(make: Callable[[], Found], stop: int) -> tuple[Found | None, int]:
    """Return what is found where Ctrl-C comes at a moment (None: it came out), and how many moments there were."""
    moments, before = Moments(stop), sys.gettrace()
    sys.settrace(moments)
    try:
        return make(), moments.count
    except KeyboardInterrupt:
        return None, moments.count
    finally:
        sys.settrace(before)


def of_machine(engine: str) -> Make:
    found = machine(GRID)
    return lambda file: explore(found, how=ExplorationOptions(engine=engine, resume=file))


def of_system(engine: str) -> Make:
    by = engine.removeprefix("system by ")
    how = ExplorationOptions(engine=by)
    found = house("", HOUSE if by == "rows" else HOUSE.partition("leads to:")[0])
    return lambda file: explore(found, how=evolve(how, resume=file))


def peterson(engine: str) -> Make:
    found = example("Peterson")
    return lambda file: explore(found, how=ExplorationOptions(engine=engine, resume=file))


KINDS = {
    "rows": of_machine,
    "auto": peterson,
    "arrays": peterson,
    "system by rows": of_system,
    "system by arrays": of_system,
}


# Python itself drops what is raised while an unfinished generator is thrown away.
@pytest.mark.filterwarnings("ignore:Exception ignored in. <generator")
@pytest.mark.parametrize("kind", KINDS)
def test_a_search_that_is_interrupted_anywhere_and_resumed_finds_the_same(
    kind: str, tmp_path: Path
) -> None:
    """A level that is lost makes VIOLATED a HOLDS, in a search that said it had seen everything."""
    if kind.endswith("arrays"):
        pytest.importorskip("numpy")
    make, file, draws = KINDS[kind](kind), tmp_path / "search", random.Random(kind)
    whole = make(None)
    _, moments = interrupted(lambda: make(file), -1)
    for _ in range(MOMENTS):
        found: Found | None = None
        for _ in range(draws.randrange(1, 4)):
            found, _ = interrupted(lambda: make(file), draws.randrange(1, moments))
            if found is not None and not found.interrupted:
                break
        assert make(file) == whole
        assert not file.exists()


def test_what_is_kept_is_what_was_noted_and_not_what_came_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The test above would see it: a search whose file has the depth of a level that it does not have finds another one."""

    def careless(self: Any, place: int, end: int) -> None:
        seen = self.result
        self.resume_point = (
            place + 1,
            end,
            len(seen.rows),
            seen.transitions,
            seen.disabled,
            seen.depth,
        )

    make, file = peterson("rows"), tmp_path / "search"
    whole = make(None)
    _, moments = interrupted(lambda: make(file), -1)
    monkeypatch.setattr(row_search._RowSearch, "note_resume_point", careless)
    draws, different = random.Random(0), 0
    for _ in range(8):
        interrupted(lambda: make(file), draws.randrange(moments // 2, moments))
        different += make(file) != whole
    assert different


def test_a_second_ctrl_c_waits_until_the_file_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who is impatient loses nothing: the second one is heard when the first one's work is kept."""
    found, file, write = example("TwoPhaseCommit"), tmp_path / "search", checkpoint_files._write_zip

    def pressed(*given: Any) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        write(*given)

    def told(states: int, _: int) -> None:
        if states > 50:
            raise KeyboardInterrupt

    monkeypatch.setattr(checkpoint_files, "_write_zip", pressed)
    monkeypatch.setattr("statemachines.explore.resources.limits.STEPS_BETWEEN_CHECKS", 10)
    with pytest.raises(KeyboardInterrupt):
        explore(
            found,
            how=ExplorationOptions(engine="rows", resume=file, limits=Limits(on_progress=told)),
        )
    monkeypatch.undo()
    assert file.exists()
    assert explore(found, how=ExplorationOptions(engine="rows", resume=file)) == explore(
        found, how=ExplorationOptions(engine="rows")
    )


def stopped(file: Path) -> bytes:
    """Return the file of a search that stopped."""
    explore(
        example("TwoPhaseCommit"),
        how=ExplorationOptions(engine="rows", resume=file, limits=Limits(most_states=20)),
    )
    return file.read_bytes()


def test_a_damaged_file_is_told_or_does_no_harm(tmp_path: Path) -> None:
    """A bit that fell over, or half a file: a message, or the same result; never a traceback and never another count."""
    file, found = tmp_path / "search", example("TwoPhaseCommit")
    whole, content = explore(found, how=ExplorationOptions(engine="rows")), stopped(file)
    draws = random.Random(0)
    cut = [content[: draws.randrange(1, len(content))] for _ in range(10)]
    flipped = [
        content[:at] + bytes([content[at] ^ 1 << draws.randrange(8)]) + content[at + 1 :]
        for at in range(0, len(content), 7)
    ]
    told = 0
    for damaged in cut + flipped:
        file.write_bytes(damaged)
        try:
            assert explore(found, how=ExplorationOptions(engine="rows", resume=file)) == whole
        except ArgumentsError as problem:
            told += str(file) in str(problem)
    assert told > len(cut)


@pytest.mark.parametrize("engine", ["rows", "arrays"])
def test_memory_that_runs_out_is_a_bound_and_what_was_seen_is_kept(
    engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit code 1 means violated: a machine that is too large breaks nothing."""
    pytest.importorskip("numpy")
    where, what, stop = (
        (EventMemo, "_compute", 30) if engine == "rows" else (ArrayExpansion, "expand", 4)
    )
    found, file, ask = example("TwoPhaseCommit"), tmp_path / "search", getattr(where, what)
    calls = itertools.count(1)

    def starving(*given: Any) -> Any:
        if next(calls) == stop:
            raise MemoryError
        return ask(*given)

    with monkeypatch.context() as patched:
        patched.setattr(where, what, starving)
        short = explore(found, how=ExplorationOptions(engine=engine, resume=file))
    assert short.bounds == ("the memory that the system gives this process",)
    assert (short.verdict, short.interrupted, file.exists()) == (Verdict.INCONCLUSIVE, False, True)
    assert explore(found, how=ExplorationOptions(engine=engine, resume=file)) == explore(
        found, how=ExplorationOptions(engine=engine)
    )


def test_the_line_of_progress_does_not_fall_back(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A search that goes on on arrays begins anew: what was met is met again, and nobody need know."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    ticks = itertools.count(0, 10)
    with StateCounter(clock=lambda: float(next(ticks))) as counter:
        for met in ((0, 0), (1, 1), (2926, 9000), (1, 0), (2000, 5000), (4000, 12000)):
            counter(*met)
    shown = [line.strip() for line in capsys.readouterr().err.split("\r") if line.strip()]
    assert shown == [
        "1 state, 1 transition",
        "2,926 states, 9,000 transitions",
        "4,000 states, 12,000 transitions",
    ]


def test_a_termination_is_told_with_where_the_work_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`timeout` and every cluster send SIGTERM: the search is kept, and a sentence says so; the handler is there for the search only."""

    class Terminating(StateCounter):
        def __call__(self, states: int, transitions: int) -> None:
            if states > 20:
                os.kill(os.getpid(), signal.SIGTERM)

    before, file = signal.getsignal(signal.SIGTERM), tmp_path / "commit.search"
    monkeypatch.setattr("statemachines.cli.verbs.explore.StateCounter", Terminating)
    monkeypatch.setattr("statemachines.explore.resources.limits.STEPS_BETWEEN_CHECKS", 10)
    assert (
        run_command_line(["explore", "TwoPhaseCommit", "--scope", "RM=4", "--resume", str(file)])
        == 130
    )
    said = capsys.readouterr()
    assert "not everything was seen: interrupted" in said.out
    assert "stopped early" in said.err
    assert str(file) in said.err
    assert file.exists()
    assert signal.getsignal(signal.SIGTERM) is before
