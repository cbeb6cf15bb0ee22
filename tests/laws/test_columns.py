"""Laws: what is read, kept and judged as columns is what the reader and the judge of single lines make of it, byte for byte of the report.

Covers: statemachines.model.arrays, statemachines.logs.records.plain_columns,
statemachines.conform.observe.form_columns, statemachines.conform.columns.observation_columns,
statemachines.conform.columns.stored_columns, statemachines.conform.columns.column_lines,
statemachines.conform.columns.column_steps, statemachines.conform.engines.observation_store,
statemachines.conform.judge.plain_steps, statemachines.conform.judge.judgement_pass.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from statemachines.conform.checking import load_specs, make_plan
from statemachines.conform.columns import column_lines, column_steps, stored_columns, stored_texts
from statemachines.conform.engines import file_reader
from statemachines.conform.engines.inputs import Input, list_inputs
from statemachines.conform.engines.local import check_files, judge_instances, read_files
from statemachines.conform.engines.observation_store import ColumnStore
from statemachines.conform.interchange.check_plan import CheckPlan
from statemachines.conform.judge import plain_steps
from statemachines.conform.judge.judgement_pass import JudgementPass
from statemachines.conform.judge.repeated import repeated_instances
from statemachines.conform.judge.tables.judging_tables import JudgingTables
from statemachines.conform.observe import form_columns, line_forms
from statemachines.logs import default_layouts
from statemachines.logs.records import plain_columns, plain_line_reader
from statemachines.logs.search import scanner
from statemachines.model.arrays import is_numpy_installed
from statemachines.report.json_format import to_json
from tests.doors import DOOR, House, line
from tests.effort import some_cases, some_of

pytestmark = pytest.mark.skipif(not is_numpy_installed(), reason="needs numpy")

SOME = settings(
    max_examples=some_of(40),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
WAYS = {"CLOSED": ("OPEN", "CLOSED", "LOCKED"), "OPEN": ("CLOSED", "OPEN"), "LOCKED": ("CLOSED",)}
FAULTS = (
    "Door {d} goes from LOCKED to OPEN",
    "Door {d} goes from OPEN to JAMMED",
    "Door {d} goes from JAMMED to OPEN",
    "Door {d} goes from GONE to OPEN",
    "Door {d} did not get from OPEN to CLOSED",
    "Door {d} stands OPEN",
    "Door {d} stands STATE{e}",
    "Door {d} hung into its frame",
    "Door {d} taken off its hinges",
    "Door {d} is of oak",
    "Every door -> {d}=OPEN, {e}=CLOSED",
    "Door {d} says nothing that is known",
    "House program starting up",
    "House software version 2.0",
    "This is house number {e}",
)
REMEMBERING = (
    DOOR.replace("  instance: [door]\n", "  instance: [door]\n  remembers: [stuff]\n")
    .replace('goes from {from} to {to}"', 'goes from {from} to {to} as {stuff}"')
    .replace('Door d goes from OPEN to CLOSED"]', 'Door d goes from OPEN to CLOSED as oak"]')
)
LASTING = DOOR + "    shut: {while: \"state != 'OPEN'\", title: b, longer than: 2 s}\n"
PROPERTIES = DOOR + "always:\n  neverLocked: state != 'LOCKED'\n"
REPLACING = (
    DOOR + "    closed: {while: \"state == 'LOCKED'\", title: a, replaced: \"state == 'OPEN'\"}\n"
)
HEALING = DOOR + "    shut: {while: \"state == 'LOCKED'\", title: b, until: \"state == 'OPEN'\"}\n"
SPECS = {
    "doors": DOOR,
    "episodes": LASTING,
    "properties": PROPERTIES,
    "replaced": REPLACING,
    "until": HEALING,
}


@contextmanager
def columns(
    *,
    piece: int = 1 << 20,
    block: int = 1500,
    rows: int = 1000,
    words: int = 1000,
    texts: int = 99,
) -> Iterator[None]:
    """Take whatever can be taken as columns, however little there is of it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(file_reader, "COLUMNS_FROM", 0)
        patch.setattr(file_reader, "READ_CHUNK_BYTES", piece)
        patch.setattr(scanner, "BLOCK_BYTES", block)
        patch.setattr(line_forms, "LEARNT_AT", 1)
        patch.setattr(plain_columns, "LEAST_LINES", 1)
        patch.setattr(plain_line_reader, "LEAST_AT_ONCE", 1)
        patch.setattr(plain_line_reader, "LEAST_PLAIN", 1)
        patch.setattr(form_columns, "LEAST_OF_FORM", 1)
        patch.setattr(plain_steps, "FEWEST", 1)
        patch.setattr(stored_columns, "ROWS_IN_MEMORY", rows)
        patch.setattr(stored_columns, "MOST_WORDS", words)
        patch.setattr(stored_texts, "TEXT_IN_MEMORY", texts)
        yield


def report(plan: CheckPlan, inputs: Sequence[Input], *, timeline: bool = True) -> str:
    found = check_files(plan, inputs, default_layouts(), timeline=timeline)
    return "".join(to_json(found, timeline=timeline))


class World:
    """A house, and reports of its logs."""

    def __init__(self, folder: Path, spec: str) -> None:
        self.house = House(folder)
        self.house.spec.write_text(spec, "utf-8")
        self.plan = make_plan(load_specs([self.house.spec]).machines)

    def inputs(self, *files: Sequence[str], second: str = "doors.log.1") -> list[Input]:
        names = ["doors.log", second][: len(files)]
        paths = [self.house.write(*each) for each in zip(names, files, strict=True)]
        return [Input(path.name, path, True) for path in paths]


@pytest.fixture(scope="module", params=list(SPECS))
def world(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(tmp_path_factory.mktemp(request.param), SPECS[request.param])


@st.composite
def histories(draw: st.DrawFn) -> list[str]:
    """Mostly legal moves of some doors, now and then something else; times that run back a little
    now and then, lines below a record, days that no calendar has; and as many lines between two of
    them that tell nothing as make a log dense, or not.
    """
    states, found = dict.fromkeys(("7", "31", "d4"), "OPEN"), list[str]()
    often, others = draw(st.sampled_from([3, 10, 40])), draw(st.sampled_from([0, 0, 1, 4]))
    for place in range(draw(st.integers(0, 60))):
        at, level = place + draw(st.sampled_from([0, 0, 0, 0, 0, -1.5, -100])), "INFO"
        door = draw(st.sampled_from(sorted(states)))
        if draw(st.integers(0, often)) == 0:
            message = draw(st.sampled_from(FAULTS)).format(d=door, e=draw(st.integers(0, 9)))
        else:
            before = states[door]
            states[door] = draw(st.sampled_from(WAYS[before]))
            moves = "bolt moves it" if states[door] == "LOCKED" else "goes"
            level = "DEBUG" if states[door] == "LOCKED" else "INFO"
            message = f"Door {door} {moves} from {before} to {states[door]}"
        whole = line(message, at, level=level)
        if draw(st.integers(0, 30)) == 0:
            whole = whole.replace("2026-01-02", draw(st.sampled_from(["2026-02-30", "2026-1-2"])))
        found.append(whole + draw(st.sampled_from(["", "", "", "", "", "", "\r"])))
        if draw(st.integers(0, 20)) == 0:
            found.append("house.JamError: hinge 7")
        found += [line(f"nobody rang {number} times", place) for number in range(others)]
    return found


@SOME
@given(
    lines=histories(),
    cut=st.integers(0, 60),
    second=st.sampled_from(["doors.log.1", "halls.log"]),
    piece=st.sampled_from([300, 1000, 1 << 20]),
    block=st.sampled_from([200, 1000, 1 << 20]),
    rows=st.sampled_from([1, 5, 1000]),
    words=st.sampled_from([0, 2, 1000]),
)
def test_columns_do_not_show_in_a_report(
    world: World,
    lines: list[str],
    cut: int,
    second: str,
    piece: int,
    block: int,
    rows: int,
    words: int,
) -> None:
    """Whatever is wrong in a log, and wherever a file, a piece of it, a block that is searched at
    once or a batch that is kept ends, in two files of one log or in two logs of one process or of
    two, with and without a timeline.
    """
    inputs = world.inputs(lines[cut:], lines[:cut], second=second)
    expected = report(world.plan, inputs)
    brief = report(world.plan, inputs, timeline=False)
    with columns(piece=piece, block=block, rows=rows, words=words):
        assert report(world.plan, inputs) == expected
        assert report(world.plan, inputs, timeline=False) == brief


def moves(count: int) -> list[str]:
    """Legal moves of ten doors, each in turn."""
    ways = "from OPEN to CLOSED", "from CLOSED to OPEN"
    return [
        line(f"Door {place % 10} goes {ways[place // 10 % 2]}", place) for place in range(count)
    ]


def steps_taken(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many steps are judged at once each time, as it comes, where each instance is judged."""
    monkeypatch.setattr(repeated_instances, "_MOST_LINES", 0)
    taken, take = list[int](), plain_steps.PlainSteps.take_columns

    def counted(plain: plain_steps.PlainSteps, *where: object) -> object:
        rows = take(plain, *where)
        taken.append(len(rows) if rows is not None else 0)
        return rows

    monkeypatch.setattr(plain_steps.PlainSteps, "take_columns", counted)
    return taken


def test_plain_steps_are_judged_as_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the laws of this file would say nothing: of ten doors only the first lines are judged
    one by one.
    """
    world, taken = World(tmp_path, DOOR), steps_taken(monkeypatch)
    with columns():
        report(world.plan, world.inputs(moves(200)))
    assert sum(taken) >= 150
    assert max(taken) > 10


def test_plain_steps_among_other_lines_are_judged_as_columns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Most logs tell of a life cycle in one line of some: what stands between is no part of it."""
    world, taken = World(tmp_path, DOOR), steps_taken(monkeypatch)
    sparse = [one for move in moves(200) for one in (move, *[line("nobody rang", 0)] * 4)]
    with columns(block=1 << 20):
        report(world.plan, world.inputs(sparse))
    assert sum(taken) >= 150


@pytest.mark.parametrize("times", [2, 3])
def test_lines_that_stand_twice_are_seen_among_columns(tmp_path: Path, times: int) -> None:
    """A log that two appenders write has each line twice, and says each thing once."""
    world = World(tmp_path, DOOR)
    said = [
        line(text.format(d=place % 10, e=place % 10 + 1), place)
        for place, text in enumerate([*FAULTS[:11], FAULTS[-1]] * 10)
    ]
    inputs = world.inputs([each for each in said for _ in range(times)])
    expected = report(world.plan, inputs)
    with columns(block=1 << 20):
        assert report(world.plan, inputs) == expected
    once = report(world.plan, world.inputs(said), timeline=True)
    told = [len(json.loads(text)["timeline"]) for text in (expected, once)]
    assert (told[0] == told[1]) is (times == 2)


def test_rotated_files_are_one_log_of_columns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run of steps ends with its file, and goes on in the next as columns; one whose time runs
    back there is judged line by line, as in one file.
    """
    world, taken = World(tmp_path, DOOR), steps_taken(monkeypatch)
    lines = moves(400)
    back = [*lines[:200], *moves(210)[199:205], *lines[206:]]
    for told, least in ((lines, 320), (back, 200)):
        inputs = world.inputs(told[200:], told[:200])
        expected = report(world.plan, inputs)
        with columns():
            assert report(world.plan, inputs) == expected
        assert sum(taken) >= least
        taken.clear()


@pytest.mark.parametrize("place", [0, 57, 100, 199])
def test_a_planted_fault_is_found_among_columns(tmp_path: Path, place: int) -> None:
    """In the first line of a door, in the middle, in the last."""
    world, lines = World(tmp_path, DOOR), moves(200)
    lines[place] = line(f"Door {place % 10} goes from LOCKED to OPEN", place)
    inputs = world.inputs(lines)
    expected = report(world.plan, inputs)
    with columns():
        assert report(world.plan, inputs) == expected
    assert ('"VIOLATED"' in expected) is True


def test_a_step_from_elsewhere_that_is_overlooked_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The law above would notice it."""
    world, lines = World(tmp_path, DOOR), moves(200)
    lines[100] = line("Door 0 goes from CLOSED to GONE", 100)
    inputs = world.inputs(lines)
    expected = report(world.plan, inputs)
    right = column_steps.PlainLines.end

    def to_the_last(plain: column_steps.PlainLines, start: int, state: str) -> int:
        end = right(plain, start, state)
        return end if end == start else plain._size

    with columns():
        monkeypatch.setattr(column_steps.PlainLines, "end", to_the_last)
        assert report(world.plan, inputs) != expected


def test_an_instance_is_judged_alike_whether_or_not_it_is_in_columns(tmp_path: Path) -> None:
    """The whole judgement, with what no report of these logs shows: points, counts, positions, and
    fields by which an instance is known.
    """
    world = World(tmp_path, REMEMBERING)
    lines = [
        each.replace(" (house", f" as oak{place // 90} (house")
        for place, each in enumerate(moves(200))
    ]
    lines[103] = line("Door 3 stands JAMMED", 103)
    with columns(rows=70), ColumnStore() as store:
        context = read_files(world.plan, world.inputs(lines), default_layouts(), store).context(
            world.plan
        )
        tables, known_by = JudgingTables(world.plan), set[str]()
        for who, instance in store.instances(context, []).items():
            passes = [
                JudgementPass(context, tables, who[0], who[2], told)
                for told in (instance, list(instance))
            ]
            rows, single_rows = ([*each] for each in passes)
            assert rows == single_rows
            assert passes[0].judgement == passes[1].judgement
            known_by |= {told.value for told in passes[0].judgement.remembered}
    assert known_by == {"oak2"}


def test_an_instance_may_be_iterated_again(tmp_path: Path) -> None:
    """The same observations in the same order, line by line; its lines as columns as well."""
    world = World(tmp_path, DOOR)
    lines = moves(100)
    lines[35] = line("Door 5 stands OPEN", 35)
    with columns(rows=7), ColumnStore() as store:
        read = read_files(world.plan, world.inputs(lines), default_layouts(), store)
        context = read.context(world.plan)
        found = store.instances(context, [])
        for instance in found.values():
            assert isinstance(instance, column_lines.ColumnInstance)
            assert list(instance) == list(instance)
            pieces = list(instance.pieces())
            assert [seen for piece in pieces for seen in piece] == list(instance)
            assert pieces[0][:2] == [pieces[0][0], *pieces[0][1:2]]
            whole = [seen.text for seen in instance]
            door = instance.instance[1][0]
            assert whole == [each for each in lines if f" Door {door} " in each]
        assert '"VIOLATED"' not in "".join(to_json(judge_instances(context, store, read.files)))


@pytest.mark.parametrize("sample", [False, pytest.param(True, marks=pytest.mark.long)])
def test_columns_do_not_show_in_reports_of_captures(shared: Path, sample: bool) -> None:
    """Logs that programs wrote, by the whole catalogue."""
    plan = make_plan(load_specs(None).machines)
    folders = sorted(path for path in (shared / "logs" / "captured").iterdir() if path.is_dir())
    for folder in some_cases(folders) if sample else folders[7::30]:
        inputs = [one for one in list_inputs([folder], folder) if isinstance(one, Input)]
        expected = report(plan, inputs)
        with columns(rows=50, words=200):
            assert report(plan, inputs) == expected, folder.name
