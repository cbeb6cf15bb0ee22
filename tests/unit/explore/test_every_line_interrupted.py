"""Ctrl-C or a termination at every line of the search loop, and a disk that is full at every write: nothing is lost.

Covers: statemachines.explore.resources.interrupts, statemachines.explore.checkpoints.checkpoint_files,
statemachines.explore.model_exploration, statemachines.explore.resources.limits.
"""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import statemachines as sm
from statemachines.cli.outcomes.termination import termination_as_interrupt
from statemachines.cli.root import run_command_line
from statemachines.explore.exploration import explore
from statemachines.explore.options import ExplorationOptions
from statemachines.explore.resources.interrupts import DelayedInterrupts
from statemachines.explore.resources.limits import Limits
from statemachines.explore.results.property_results import Exploration
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.definitions.system_definitions import SystemDefinition
from statemachines.notation.loading.spec_catalogue import load_spec
from statemachines.notation.releases.machine_selection import machine_of
from tests.data_machines import example, machine
from tests.effort import some_of
from tests.systems import house

LOOP = tuple(
    os.path.join(os.path.dirname(sm.__file__), "explore", *name.split("/"))
    for name in (
        "model_exploration.py",
        "rows/row_search.py",
        "arrays/array_search.py",
        "checkpoints/checkpoint_files.py",
        "resources/interrupts.py",
        "verdicts/fairness.py",
        "verdicts/lassos.py",
        "verdicts/searched_graphs.py",
        "refinements/promises_kept.py",
        "visited/number_files.py",
        "visited/row_store.py",
        "visited/coded_rows.py",
        "visited/visited_rows.py",
    )
)
"""What goes from level to level, what keeps where it is, what looks for runs that wait, and what lies on disk."""
SMALL = """
variables: {a: "0..1 = 0", n: "int = 0"}
events:
  up: {guard: a < 1, effect: {a: a + 1, n: n + 1}}
  zero: {guard: n < 2, effect: {a: "0"}}
always: {low: a < 1}
no deadlock: false
scope: {int: 0..3}
"""
HOUSE = """
notation: 1
system: House
parts:
  door: {machine: Door}
variables: {opened: "0..1 = 0"}
links:
  - {on: door, enters: OPEN, guard: opened == 0, effect: {opened: "1"}}
always: {never: opened == 0}
"""
TURNING = """
notation: 1
machine: Turning
variables: {at: "0..1 = 0"}
events: {turn: {effect: {at: 1 - at}}}
always eventually: {comesBack: {holds: at == 0, assuming: [turn]}}
"""
PROMISING = """
notation: 1
machine: Promising
variables: {a: "0..2 = 0"}
events:
  up: {effect: {a: "(a + 1) % 3"}}
  zero: {guard: a == 1, effect: {a: "0"}}
leads to:
  ends: {when: a == 1, then: a == 2, assuming: {strongly: [up]}}
  fails: {when: a == 0, then: a == 2, assuming: [zero]}
refines: {spec: Turning, by: {at: "1 if a == 2 else 0"}, assuming: [up]}
"""
PROMISED = """
leads to: {shut: {when: opened == 1, then: opened == 0, assuming: [door.to_SHUT]}}
"""
Found = Exploration
KINDS = (
    "machine by rows",
    "machine by arrays",
    "system by rows",
    "system by arrays",
    "promises by rows",
    "system of promises by arrays",
    "system on disk by arrays",
)
LONGEST = (
    "promises by rows",
    "machine by arrays",
    "system of promises by arrays",
    "system on disk by arrays",
)
"""Kinds that take more than a few seconds of a core: every line costs a search."""


class Lines:
    """Notes the lines of the loop as they are run, and sends a signal at one of them."""

    def __init__(self, stop: int, kind: signal.Signals) -> None:
        self.stop, self.kind = stop, kind
        self.places = list[tuple[str, int]]()

    def __call__(self, frame: FrameType, event: str, _: Any) -> Any:
        if frame.f_code.co_filename not in LOOP:
            return None
        if event == "line":
            self.places.append((frame.f_code.co_filename, frame.f_lineno))
            if len(self.places) == self.stop:
                sys.settrace(None)
                signal.raise_signal(self.kind)
        return self


def searching(kind: str, folder: Path) -> Callable[[Path], Found]:
    """Return what explores, given the file of the search."""
    thing, _, engine = kind.partition(" by ")
    found: SystemDefinition | MachineDefinition
    if thing == "promises":
        (folder / "Turning.yaml").write_text(TURNING, "utf-8")
        (folder / "Promising.yaml").write_text(PROMISING, "utf-8")
        found = machine_of(load_spec(folder / "Promising.yaml"))
    else:
        more = PROMISED if thing.endswith("promises") else ""
        found = house(more, HOUSE) if thing.startswith("system") else machine(SMALL)

    def search(file: Path) -> Found:
        how = ExplorationOptions(engine=engine, resume=file)
        if isinstance(found, SystemDefinition):
            return explore(found, how=how)
        return explore(found, how=how)

    def search_on_disk(file: Path) -> Found:
        from tests.laws.test_rows_on_disk import little_memory  # it needs numpy

        with little_memory():
            return search(file)

    return search_on_disk if thing.endswith("on disk") else search


def interrupted(
    search: Callable[[], Found], stop: int
) -> tuple[Found | None, list[tuple[str, int]]]:
    """Return what is found where a signal comes at a line (None: it came out), and the lines that
    were run.
    """
    lines = Lines(stop, (signal.SIGINT, signal.SIGTERM)[stop % 2])
    before = sys.gettrace()
    with termination_as_interrupt():
        sys.settrace(lines)
        try:
            return search(), lines.places
        except KeyboardInterrupt:
            return None, lines.places
        finally:
            sys.settrace(before)


def chosen_stops(places: list[tuple[str, int]]) -> Iterator[int]:
    """Yield where to interrupt: at each line when it is run first, and at some of the times that it
    is run again.
    """
    met, apart = set[tuple[str, int]](), len(places) // some_of(len(places))
    for stop, place in enumerate(places, 1):
        if place not in met or stop % apart == 0:
            yield stop
        met.add(place)


@pytest.mark.parametrize(
    "kind",
    [pytest.param(kind, marks=[pytest.mark.long] if kind in LONGEST else []) for kind in KINDS],
)
def test_a_search_is_interrupted_at_every_line(kind: str, tmp_path: Path) -> None:
    """It goes on to the same verdicts and counts; from the line on at which it has begun, no later one loses what was seen."""
    if kind.endswith("arrays"):
        pytest.importorskip("numpy")
    search, file = searching(kind, tmp_path), tmp_path / "search"
    whole, kept = search(file), dict[int, bool]()
    _, places = interrupted(lambda: search(file), -1)
    assert len(places) > 300
    for stop in chosen_stops(places):
        found, _ = interrupted(lambda: search(file), stop)
        if found is None or found.interrupted:
            kept[stop] = file.exists()
            found = search(file)
        assert found == whole, stop
        assert not file.exists()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    begun = min(stop for stop, is_kept in kept.items() if is_kept)
    assert all(is_kept for stop, is_kept in kept.items() if stop > begun)
    assert begun < len(places) / 3


def test_what_takes_the_place_of_handlers_leaves_none_deaf() -> None:
    """A signal while the handlers are put back: the one that is left in place hands on what comes."""
    came = list[int]()
    before = {
        kind: signal.signal(kind, lambda number, _: came.append(number))
        for kind in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        left = DelayedInterrupts()
        with left:
            signal.raise_signal(signal.SIGTERM)
            signal.raise_signal(signal.SIGINT)
            assert came == []
        assert came == [signal.SIGTERM]
        signal.signal(signal.SIGTERM, left)
        signal.raise_signal(signal.SIGTERM)
        assert came == [signal.SIGTERM] * 2
    finally:
        for kind, handler in before.items():
            signal.signal(kind, handler)


class FullDisk(io.FileIO):
    """A file of a disk on which so many writes have room."""

    room = 0

    def write(self, data: Any) -> int:
        """Write where there is room."""
        if FullDisk.room <= 0:
            raise OSError(28, "No space left on device")
        FullDisk.room -= 1
        return super().write(data)


def fill_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let drafts of kept searches lie on a disk that is full."""
    plain_open = io.open

    def full_open(path: Any, mode: str = "r", *given: Any, **named: Any) -> Any:
        if str(path).endswith(".part"):
            return io.BufferedRandom(FullDisk(path, "w+"), 64)
        return plain_open(path, mode, *given, **named)

    monkeypatch.setattr(io, "open", full_open)


def test_a_disk_that_is_full_at_any_write_leaves_the_older_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sentence says so; what was kept before goes on from there; no half file lies about."""
    file, found = tmp_path / "search", example("TwoPhaseCommit")

    def stopped(most: int) -> Exploration:
        limits = Limits(most_states=most)
        return explore(found, how=ExplorationOptions(engine="rows", resume=file, limits=limits))

    stopped(20)
    content, writes = file.read_bytes(), 0
    fill_disk(monkeypatch)
    while True:
        FullDisk.room = writes
        bounds = stopped(60).bounds
        if file.read_bytes() != content:
            break
        assert (
            f"the search could not be kept in {file}: No space left on device; what was kept there"
            " before is still there"
        ) in bounds
        assert [one.name for one in tmp_path.iterdir()] == ["search"]
        writes += 1
    assert writes > 10
    monkeypatch.undo()
    assert explore(found, how=ExplorationOptions(engine="rows", resume=file)) == explore(
        found, how=ExplorationOptions(engine="rows")
    )


def test_the_command_says_that_an_older_search_is_what_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """And not that the search is kept."""
    file = tmp_path / "search"
    command = ["explore", "TwoPhaseCommit", "--resume", str(file), "--most-states"]
    assert run_command_line([*command, "25"]) == 3
    assert f"the search is kept in {file}" in capsys.readouterr().err
    fill_disk(monkeypatch)
    monkeypatch.setattr(FullDisk, "room", 0)
    assert run_command_line([*command, "30"]) == 3
    told = capsys.readouterr().err
    assert f"{file} holds what was kept before" in told
    assert "the search is kept" not in told
