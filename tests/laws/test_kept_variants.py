"""Law: with instances that went as others did kept in groups, a check with a state folder gives the report of a check of everything.

Covers: statemachines.conform.engines.state.kept_variants,
statemachines.conform.engines.state.kept_passes, statemachines.conform.engines.state.kept_instances,
statemachines.conform.engines.state.kept_judgements,
statemachines.conform.judge.repeated.repeated_instances,
statemachines.conform.engines.ordered_instances, statemachines.conform.engines.state.observed_parts.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from statemachines.conform.engines import file_reader
from statemachines.conform.engines.growing import content_readings
from statemachines.conform.engines.state import kept_passes, kept_variants
from statemachines.conform.engines.state.kept_variants import (
    KeptGroup,
    StandingInstance,
)
from statemachines.conform.engines.state.packed_values import _CLASSES
from statemachines.conform.engines.state.renumbering import Renumbering
from statemachines.conform.interchange.variants import MemberKey, VariantTable
from tests.doors import line
from tests.effort import some_of
from tests.laws.test_columns import SOME, SPECS, World, columns
from tests.laws.test_kept_readings import Checks
from tests.laws.test_repeated_instances import spilled, ways


class Logs:
    """A log that grows, and is rotated."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True)

    def grow(self, lines: Sequence[str]) -> None:
        """Write lines at its end."""
        with (self.folder / "house.log").open("a") as log:
            log.writelines(f"{text}\n" for text in lines)

    def rotate(self) -> None:
        """Give every part the name of the one before it."""
        parts = [path for path in self.folder.iterdir() if path.name != "house.log"]
        for path in sorted(parts, key=lambda path: -int(path.suffix[1:])):
            path.rename(path.with_suffix(f".{int(path.suffix[1:]) + 1}"))
        if (log := self.folder / "house.log").exists():
            log.rename(self.folder / "house.log.1")

    def lose(self) -> None:
        """Delete the oldest part, where there are several."""
        parts = sorted(self.folder.glob("house.log.*"), key=lambda path: int(path.suffix[1:]))
        for path in parts[1:][-1:]:
            path.unlink()


Told = list[tuple[float, str]]
Day = tuple[str, Told, bool]
"""What becomes of the parts first, what is told then, and whether the report has a timeline."""


@st.composite
def days(draw: st.DrawFn) -> list[Day]:
    """Days on which doors go few ways; some come no farther than half of one, and go on later, and
    of some that had come to an end more is told.
    """
    known, met = draw(st.lists(ways(), min_size=1, max_size=2)), list[int]()
    found, waiting, now = list[Day](), list[tuple[int, list[tuple[float, str]]]](), 0.0
    for day in range(draw(st.integers(2, 5))):
        told, going = Told(), [waiting.pop() for _ in range(draw(st.integers(0, len(waiting))))]
        for door in range(draw(st.integers(0, 12))):
            way = list(draw(st.sampled_from(known)))
            until = draw(st.sampled_from([len(way), len(way), len(way), len(way) // 2]))
            going.append((100 * day + door, way[:until]))
            if until < len(way):
                waiting.append((100 * day + door, way[until:]))
        for door, way in going:
            at = now = now + 5
            for wait, message in way:
                at += wait
                told.append((at, message.format(d=f"d{door}", e=door % 3)))
        for door in draw(st.lists(st.sampled_from(met), max_size=2, unique=True)) if met else ():
            told.append((now + 60, f"Door d{door} stands CLOSED"))
        met += [door for door, _ in going]
        if draw(st.integers(0, 4)) == 0:
            told.append((now + 70, "House program starting up"))
            now += 100
        told.sort(key=lambda entry: entry[0])
        first = draw(st.sampled_from(["", "", "rotate", "lose"]))
        found.append((first, told, draw(st.booleans())))
    return found


def lines_of(told: Told) -> list[str]:
    """What is written of what is told."""
    return [
        line(message, at, "house.Main" if message.startswith("House") else "house.Door")
        for at, message in told
    ]


@pytest.fixture(autouse=True, params=["lines", "columns", "disk"])
def small(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let short logs settle, groups be of few, and whatever can be columns be columns, or nothing,
    or nearly all lie on disk.
    """
    taken = {"lines": nullcontext, "columns": columns, "disk": spilled}
    with taken[request.param]():
        monkeypatch.setattr(content_readings, "TAIL_BYTES", 300)
        monkeypatch.setattr(file_reader, "READ_CHUNK_BYTES", 250)
        monkeypatch.setattr(kept_passes, "MOST_MEMBERS", 3)
        yield


@pytest.fixture(scope="module", params=["doors", "episodes"])
def world(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(tmp_path_factory.mktemp(request.param), SPECS[request.param])


def checks_in(world: World, folder: Path) -> Checks:
    return Checks(world.plan, Logs(folder / "logs"), folder / "state")


def differences(checks: Checks, grown: Sequence[Day]) -> Iterator[bool]:
    """Yield of each day whether the report is another than that of a check of everything."""
    logs: Logs = checks.host
    for first, told, timeline in grown:
        if first:
            logs.rotate()
        if first == "lose":
            logs.lose()
        logs.grow(lines_of(told))
        yield checks.kept(timeline=timeline) != checks.whole(timeline=timeline)


def test_the_one_that_others_are_judged_by_may_be_told_of_again(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of those that are left it stands how theirs goes, not how that of others does."""
    monkeypatch.setattr(kept_passes, "MOST_MEMBERS", 100)
    closed = alike(range(6), ["from CLOSED to OPEN", "from OPEN to CLOSED"])
    jammed = alike(range(6, 12), ["from CLOSED to OPEN", "from OPEN to JAMMED"], 30)
    quiet = [(60.0 + n, "House program is quiet") for n in range(9)]
    again = [(50.0, "Door d5 stands CLOSED")]
    grown: list[Day] = [("", [*closed, *jammed, *quiet], False), ("", [*again, *quiet], False)]
    assert not any(differences(checks_in(world, tmp_path), [*grown, *[("", quiet, False)] * 2]))


@settings(SOME, max_examples=some_of(8))
@given(grown=days())
def test_nobody_can_tell_that_instances_were_kept_in_groups(
    world: World, tmp_path_factory: pytest.TempPathFactory, grown: list[Day]
) -> None:
    """Over days of growth, rotation, loss and restarts, with a timeline and without."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        checks = checks_in(world, tmp_path_factory.mktemp("host"))
        assert not any(differences(checks, grown))


def alike(doors: range, steps: Sequence[str], since: int = 0) -> Told:
    """Doors that take steps, each a second after the one before it."""
    return [
        (since + door + place / 10, f"Door d{door} goes {step}")
        for door in doors
        for place, step in enumerate(steps)
    ]


WAY = ("from OPEN to CLOSED", "from CLOSED to OPEN", "from OPEN to CLOSED")
AGAIN = alike(range(7, 9), ["from CLOSED to OPEN"], 300) + alike(range(141, 145), WAY[1:], 300)
GROWTH: list[Day] = [
    ("", alike(range(40), WAY), True),
    ("", [], True),
    ("rotate", alike(range(140, 160), WAY[:1]), True),
    ("", AGAIN, True),
    ("rotate", alike(range(1000, 1020), WAY), True),
    ("", [(2000, "House program has stopped")], True),
    ("rotate", [(2001, "House program starting up"), *alike(range(2100, 2120), WAY)], True),
    ("lose", alike(range(3000, 3003), WAY[:2]), False),
]


def test_most_of_those_that_went_alike_are_not_judged_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the law above would say nothing."""
    world = World(tmp_path, SPECS["doors"])
    standing, judge = list[int](), StandingInstance.judge

    def counted(*arguments: object) -> object:
        standing[-1] += 1
        return judge(*arguments)

    monkeypatch.setattr(StandingInstance, "judge", counted)
    checks, differs = checks_in(world, tmp_path / "host"), []
    for found in differences(checks, GROWTH):
        differs.append(found)
        standing.append(0)
    assert not any(differs)
    assert sum(standing[:-1]) >= 30, standing


WITHOUT_ROWS = [(first, told, False) for first, told, _ in GROWTH]


def test_those_of_which_no_rows_are_asked_for_are_added_as_columns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And none is judged by itself but those that stand for others."""
    world = World(tmp_path, SPECS["doors"])
    added, add_columns = list[int](), VariantTable.add_columns

    def counted(table: VariantTable, owner: int, keys: list[MemberKey], *columns: Any) -> None:
        added.append(len(keys))
        add_columns(table, owner, keys, *columns)

    monkeypatch.setattr(VariantTable, "add_columns", counted)
    assert not any(differences(checks_in(world, tmp_path / "host"), WITHOUT_ROWS))
    assert sum(added) >= 10, added


def test_a_mistake_in_the_order_of_columns_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the law above would say nothing of them."""
    monkeypatch.setattr(kept_passes, "put_in_order", lambda *_: None)
    checks = checks_in(World(tmp_path, SPECS["doors"]), tmp_path / "host")
    assert any(differences(checks, WITHOUT_ROWS))


@pytest.mark.parametrize("fault", ["told of", "numbers", "over", "places"])
def test_a_mistake_in_what_is_kept_of_groups_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    """In one of some days."""
    if fault == "told of":
        monkeypatch.setattr(KeptGroup, "leave_out", lambda *_: None)
    if fault == "numbers":
        monkeypatch.setattr(Renumbering, "moved", lambda _, value: value)
    if fault == "over":
        monkeypatch.setattr(kept_variants, "ended_with_process", lambda *_: False)
    if fault == "places":
        monkeypatch.setattr(KeptGroup, "_starts", lambda group: [0, 3] * len(group.keys))
    world = World(tmp_path, SPECS["doors"])
    checks = checks_in(world, tmp_path / "host")
    with pytest.raises((AssertionError, KeyError, IndexError, AttributeError)):
        assert not any(differences(checks, GROWTH))


def classes_in(type_: object) -> Iterator[type]:
    """The classes that a type names, its parameters among them."""
    if isinstance(type_, type):
        yield type_
    for part in get_args(type_):
        yield from classes_in(part)


def test_all_that_what_is_kept_is_made_of_is_read_again() -> None:
    """A state folder was taken for damaged where the rows of a group had been written before it was
    kept: the group remembered them in values that no reader knew.
    """
    known = [kind for kind in _CLASSES.values() if isinstance(kind, type)]
    names = {kind.__name__: kind for kind in known}
    parts = {
        (kind.__name__, field, part)
        for kind in known
        for field, type_ in get_type_hints(kind, vars(sys.modules[kind.__module__]), names).items()
        for part in classes_in(type_)
        if part.__module__.startswith("statemachines.")
    }
    unknown = {
        (kind, field)
        for kind, field, part in parts
        if not any(issubclass(other, part) for other in known)
    }
    assert len(parts) > 50
    assert unknown == {("JudgedVariant", "variant")}  # which is left out of what is kept
