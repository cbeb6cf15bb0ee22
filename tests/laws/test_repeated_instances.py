"""Law: instances that went as others did are judged as the judge of single instances does, byte for byte, and most of them are not judged again.

Covers: statemachines.conform.judge.repeated.repeated_instances,
statemachines.conform.judge.repeated.judged_variants,
statemachines.conform.judge.repeated.learnt_variants,
statemachines.conform.engines.observation_store, statemachines.conform.columns.stored_columns,
statemachines.conform.engines.ordered_instances, statemachines.conform.interchange.variants,
statemachines.conform.join.listed_states, statemachines.conform.engines.local,
statemachines.model.evidence.packed_steps, statemachines.model.made_sequences,
statemachines.model.evidence.alike_states.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from statemachines.conform.engines import observation_store
from statemachines.conform.engines.local import check_files
from statemachines.conform.engines.observation_store import (
    ColumnStore,
    ObservationStore,
    StoredTimeline,
)
from statemachines.conform.join.listed_states import GroupStates, ListedStates, Stretch
from statemachines.conform.judge.repeated import repeated_instances
from statemachines.conform.judge.repeated.judged_variants import JudgedVariant
from statemachines.conform.judge.repeated.repeated_instances import RepeatedInstances
from statemachines.logs import default_layouts
from statemachines.model.arrays import is_numpy_installed
from statemachines.model.evidence.alike_states import alike_states
from statemachines.model.evidence.reports import CurrentState, Instant, Place, Report
from statemachines.report.formats import report_in_form
from statemachines.report.text.document import to_text
from statemachines.report.text.text_columns import OutputStyle
from tests.doors import DOOR, line
from tests.effort import some_of
from tests.laws.test_columns import FAULTS, REMEMBERING, SOME, SPECS, WAYS, World, columns, report

pytestmark = pytest.mark.skipif(not is_numpy_installed(), reason="needs numpy")


@pytest.fixture(scope="module", params=[*SPECS, "remembering"])
def world(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> World:
    spec = {**SPECS, "remembering": REMEMBERING}[request.param]
    return World(tmp_path_factory.mktemp(request.param), spec)


@st.composite
def ways(draw: st.DrawFn) -> list[tuple[float, str]]:
    """What befalls a door, and how long after what came before: mostly legal moves."""
    state, way = draw(st.sampled_from(["OPEN", "CLOSED"])), list[tuple[float, str]]()
    for _ in range(draw(st.integers(1, 6))):
        wait = draw(st.sampled_from([0, 0.2, 0.2, 1, 59, 60, 61, -1.5]))
        if draw(st.integers(0, 4)) == 0:
            way.append((wait, draw(st.sampled_from(FAULTS))))
            continue
        before, state = state, draw(st.sampled_from([*WAYS[state], "GONE", "JAMMED"]))
        way.append((wait, f"Door {{d}} goes from {before} to {state}"))
        if state not in WAYS:
            state = "OPEN"
    return way


@st.composite
def grouped(draw: st.DrawFn) -> list[str]:
    """The log of many doors that go few ways, one after the other or at the same time; a program
    that begins anew meanwhile, and waits that are not those of the others.
    """
    known, told = draw(st.lists(ways(), min_size=1, max_size=3)), list[tuple[float, int, str]]()
    apart, rare = draw(st.sampled_from([0, 0.1, 20])), draw(st.sampled_from([0, 2]))
    for door in range(draw(st.integers(2, 20))):
        now = door * apart
        for wait, message in draw(st.sampled_from(known)):
            now += wait + (draw(st.sampled_from([0, 0, 0, 0, 61])) if rare else 0)
            told.append((now, door, message.format(d=f"d{door}", e=door % 3)))
    for at in draw(st.lists(st.integers(0, 100), max_size=rare)):
        told.append((at, -1, draw(st.sampled_from(["House program starting up", FAULTS[13]]))))
    told.sort(key=lambda entry: entry[:2])
    return [
        line(message, now, "house.Main" if door < 0 else "house.Door")
        for now, door, message in told
    ]


@contextmanager
def one_by_one() -> Iterator[None]:
    """Judge each instance by itself."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RepeatedInstances, "_lines", lambda *_: None)
        yield


@contextmanager
def on_disk(rows: int) -> Iterator[None]:
    """Keep so many rows of a timeline in memory at most."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(StoredTimeline.__init__, "__defaults__", (rows,))
        yield


@contextmanager
def spilled(observations: int = 7) -> Iterator[None]:
    """Keep so few observations that are no columns in memory."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ObservationStore.__init__, "__defaults__", (observations,))
        patch.setattr(ColumnStore.__init__, "__defaults__", (observations, ()))
        yield


@settings(SOME, max_examples=some_of(12))
@given(
    lines=grouped(),
    cut=st.integers(0, 30),
    rows=st.sampled_from([1, 7, 1000]),
    in_memory=st.sampled_from([1, 10, 1000]),
)
def test_what_came_of_others_does_not_show_in_a_report(
    world: World, lines: list[str], cut: int, rows: int, in_memory: int
) -> None:
    """With and without a timeline, in one file and in two of one log, kept in memory or not."""
    for files in ([lines], [lines[cut:], lines[:cut]]):
        inputs = world.inputs(*files)
        with one_by_one():
            expected = report(world.plan, inputs), report(world.plan, inputs, timeline=False)
        assert (report(world.plan, inputs), report(world.plan, inputs, timeline=False)) == expected
        with columns(rows=rows), on_disk(in_memory):
            found = report(world.plan, inputs), report(world.plan, inputs, timeline=False)
        assert found == expected
        with spilled(in_memory):
            assert report(world.plan, inputs) == expected[0]


def alike(doors: int, last: str = "JAMMED") -> list[str]:
    """The log of doors that go one way, each a second after the one before it."""
    way = ("from OPEN to CLOSED", "from CLOSED to OPEN", f"from OPEN to {last}")
    return [
        line(f"Door d{door} goes {step}", door + place / 10)
        for door in range(doors)
        for place, step in enumerate(way)
    ]


def judged_anew(
    world: World,
    lines: list[str],
    monkeypatch: pytest.MonkeyPatch,
    taken: Callable[[], AbstractContextManager[None]],
) -> int:
    """How many instances were judged by themselves."""
    made, known = 0, repeated_instances.JudgementPass

    def counted(*arguments: object) -> object:
        nonlocal made
        made += 1
        return known(*arguments)

    inputs = world.inputs(lines)
    with one_by_one():
        expected = report(world.plan, inputs)
    with monkeypatch.context() as patch, taken():
        patch.setattr(repeated_instances, "JudgementPass", counted)
        assert report(world.plan, inputs) == expected
    return made


@pytest.mark.parametrize("taken", [columns, nullcontext, spilled], ids=["columns", "lines", "disk"])
@pytest.mark.parametrize("spec", ["doors", "episodes", "until"])
def test_of_instances_that_go_alike_few_are_judged(
    tmp_path: Path,
    spec: str,
    monkeypatch: pytest.MonkeyPatch,
    taken: Callable[[], AbstractContextManager[None]],
) -> None:
    """Else the law above would say nothing: of a hundred the first ones, whose forms of lines were
    not known yet, and one more; episodes that begin and are open are said of each with its line.
    """
    assert judged_anew(World(tmp_path, SPECS[spec]), alike(100), monkeypatch, taken) < 20


def test_rows_that_are_alike_are_rows_however_they_are_asked_for(tmp_path: Path) -> None:
    """One by one, and as columns of which a report is written; again and again."""
    world, lines = World(tmp_path, DOOR), alike(60, "CLOSED")
    inputs = world.inputs(lines)
    with one_by_one():
        expected = check_files(world.plan, inputs, default_layouts())
    with columns(), on_disk(20):
        found = check_files(world.plan, inputs, default_layouts())
        assert isinstance(found.timeline, StoredTimeline)
        assert sum(len(steps.codes) for steps in found.timeline.packed_steps()) == 180
        assert list(found.timeline) == list(expected.timeline)
        for form in ("json", "csv"):
            rows = evolve(expected, timeline=list(expected.timeline))
            texts = ["".join(report_in_form(each, form)) for each in (rows, found, found)]
            assert texts == [texts[0]] * 3


@st.composite
def listed(draw: st.DrawFn, machine: str = "house/Door") -> ListedStates:
    """Doors in few variants, some of them between others that were judged by themselves."""
    rows = st.builds(
        CurrentState,
        st.sampled_from([machine, "Window"]),
        st.integers(0, 9).map(lambda number: (("door", f"d{number}"),)),
        st.sampled_from([("OPEN",), ("CLOSED",), ("OPEN", "CLOSED")]),
        st.builds(Instant, st.integers(0, 9000), st.just("unknown")),
        st.booleans(),
        st.builds(Place, st.just("house.log"), st.integers(1, 99)),
        st.sampled_from(["house", "yard"]),
        st.booleans(),
        st.sampled_from(["", "ends 3 s earlier than others", "before the restart"]),
    )
    models = draw(st.lists(rows, min_size=1, max_size=4))
    models = [evolve(row, machine=machine, program=False) for row in models]
    variants = draw(st.lists(st.integers(0, len(models) - 1), max_size=30))
    count, parts, start = len(variants), list[Sequence[CurrentState]](), 0
    keys = [(f"d{number}",) for number in range(count)]
    times, lines = array("q", range(count)), array("q", range(1, count + 1))
    group = GroupStates(("door",), list(models), keys, array("i", variants), times, lines)
    for end in sorted(draw(st.lists(st.integers(0, count), max_size=3))):
        parts += (Stretch(group, range(start, end)), tuple(draw(st.lists(rows, max_size=2))))
        start = end
    return ListedStates([*parts, Stretch(group, range(start, count))])


@settings(SOME, max_examples=some_of(100))
@given(now=listed(), shows_all=st.booleans())
def test_a_report_counts_those_that_are_alike_as_if_it_had_a_row_of_each(
    ill_door: Report, now: ListedStates, shows_all: bool
) -> None:
    """Whatever is said of states at the end: few, rare, in doubt, ended, or ill."""
    style = OutputStyle(limit=10_000 if shows_all else OutputStyle().limit)
    counted, each = (list(to_text(evolve(ill_door, now=rows), style)) for rows in (now, tuple(now)))
    assert counted == each


@settings(SOME, max_examples=some_of(100))
@given(now=listed(), few=st.integers(0, 5))
def test_those_that_are_alike_are_all_rows(now: ListedStates, few: int) -> None:
    """The first of each kind stands where it does among all, and they are as many."""
    alike_rows, rows = list(alike_states(now, few=few)), list(now)
    assert sum(total for _, _, total in alike_rows) == len(rows)
    assert [first for _, first, _ in alike_rows] == [rows[index] for index, _, _ in alike_rows]
    assert [index for index, _, _ in alike_rows] == sorted(index for index, _, _ in alike_rows)
    assert not any(1 < total <= few for _, _, total in alike_rows)
    assert len(alike_rows) <= sum(type(part) is tuple for part in now._parts) * 2 + 4 * max(few, 1)
    each = alike_states(now, apart={row.machine for row in rows})
    assert list(each) == list(alike_states(rows))


@pytest.fixture(scope="module")
def ill_door(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """Of a log in which a door jams and stays so."""
    world = World(tmp_path_factory.mktemp("ill"), SPECS["episodes"])
    return check_files(world.plan, world.inputs(alike(1)), default_layouts())


@pytest.mark.parametrize("mistake", ["places", "points", "ways", "rows"])
def test_a_mistake_in_what_is_said_of_others_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mistake: str
) -> None:
    """The law above would notice it."""
    world, lines = World(tmp_path, DOOR), alike(50, "CLOSED" if mistake == "points" else "JAMMED")
    lines[100] = line("Door d33 goes from LOCKED to OPEN", 33.1)
    inputs = world.inputs(lines)
    with one_by_one():
        expected = report(world.plan, inputs)
    if mistake == "places":
        judge = JudgedVariant.judgement_of
        monkeypatch.setattr(
            JudgedVariant,
            "judgement_of",
            lambda judged, who, lines: judge(
                judged if judged.judgement.key == who[2] else evolve(judged, states=(0, 0, 0)),
                who,
                lines,
            ),
        )
    elif mistake == "rows":
        models = observation_store.step_models
        monkeypatch.setattr(observation_store, "step_models", lambda *given: models(*given)[::-1])
    elif mistake == "points":
        monkeypatch.setattr(JudgedVariant, "points_of", lambda *_: (0, 0, 0, 0))
    else:
        monkeypatch.setattr(
            RepeatedInstances, "variant_of", lambda _, owner, lines: (owner, len(lines.words))
        )
    with columns():
        assert report(world.plan, inputs) != expected


def test_those_of_which_nothing_is_told_have_no_judgement(tmp_path: Path) -> None:
    """They are columns: a row of the report is made when it is asked for, and each is counted."""
    world, lines = World(tmp_path, DOOR), alike(100, "CLOSED")
    lines[151] = line("Door d50 goes from LOCKED to OPEN", 50.1)
    inputs = world.inputs(lines)
    expected = check_files(world.plan, inputs, default_layouts(), timeline=False)
    with columns():
        found = check_files(world.plan, inputs, default_layouts(), timeline=False)
    assert isinstance(found.now, ListedStates)
    assert evolve(found, timeline=()) == evolve(expected, timeline=())
    assert found.checked.instances == len(expected.now) == 100
    assert [found.now[place] for place in range(-100, 100)] == [*expected.now, *expected.now]
    assert found.now[45:55] == list(expected.now[45:55])
    assert found.now != expected.now[:-1]
