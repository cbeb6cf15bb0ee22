"""Laws: a line of a known form tells what its own reading tells, byte for byte of the report.

Covers: statemachines.conform.checking, statemachines.conform.engines.file_reader,
statemachines.conform.engines.inputs, statemachines.conform.engines.local,
statemachines.conform.interchange.check_plan, statemachines.conform.observe.line_forms,
statemachines.conform.observe.line_slots, statemachines.conform.observe.known_lines,
statemachines.conform.observe.plain_observer, statemachines.conform.observe.chunk_profile,
statemachines.logs.records.wordless_records.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from statemachines.conform.checking import load_specs, make_plan
from statemachines.conform.engines import file_reader
from statemachines.conform.engines.inputs import Input, list_inputs
from statemachines.conform.engines.local import check_files
from statemachines.conform.interchange.check_plan import CheckPlan
from statemachines.conform.observe import line_forms, line_slots
from statemachines.conform.observe.spelled_digits import SpelledDigits
from statemachines.logs import default_layouts
from statemachines.logs.records import plain_line_reader, wordless_records
from statemachines.logs.records.plain_lines import PlainRun
from statemachines.logs.search import scanner
from statemachines.report.json_format import to_json
from tests.doors import DOOR, House, line
from tests.effort import some_cases, some_of

WORDINGS = (
    ("INFO", "Door {d} goes from {a} to {b}"),
    ("INFO", "Door {d} goes from {a} to {b}"),
    ("DEBUG", "Door {d} bolt moves it from CLOSED to LOCKED"),
    ("ERROR", "Door {d} did not get from {a} to {b}"),
    ("INFO", "Door {d} stands {a}"),
    ("INFO", "Door {d} hung into its frame"),
    ("INFO", "Door {d} taken off its hinges"),
    ("INFO", "Every door -> {d}={a}, {e}={b}"),
    ("INFO", "Door {d} greased with {e} drops"),
    ("INFO", "Door {d} stands STATE{e}"),
    ("INFO", "Door {d} says nothing that is known"),
    ("INFO", "House program starting up"),
    ("INFO", "This is house number {e}"),
    ("INFO", "House software version 1.{e}"),
    ("WARN", "Door {d} squeaks {e} times"),
    ("WARN", "Something creaks in room {e}"),
    ("ERROR", "The cellar is wet for {e} days"),
)
BELOW = (
    "house.JamError: hinge 7",
    "Caused by: house.RustError: screw 12",
    "\tat house.Door.go(1)",
    " (house.Door:7)",
    "  Door 7 goes from CLOSED to OPEN",
    "\tDoor 7 goes from CLOSED to OPEN",
    "    INFO  Door 7 goes from CLOSED to OPEN",
)
STATES = ("CLOSED", "OPEN", "LOCKED", "JAMMED", "GONE", "Bolted")
SOME = settings(
    max_examples=some_of(60),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@contextmanager
def learnt_at(times: int) -> Iterator[None]:
    """Learn forms from the line in which they are met for so many times."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(line_forms, "LEARNT_AT", times)
        yield


NEVER = 1 << 60


@st.composite
def numbered_lines(draw: st.DrawFn) -> list[str]:
    """Draw lines of few forms with many numbers, among them what no form may explain: lines below a
    record, days that no calendar has, lines of other ends.
    """
    found = []
    doors = st.sampled_from(["1", "2", "07", "7", "31", "d4"])
    for place in range(draw(st.integers(1, 40))):
        level, wording = draw(st.sampled_from(WORDINGS))
        states = {name: draw(st.sampled_from(STATES)) for name in "ab"}
        text = wording.format(d=draw(doors), e=draw(st.integers(0, 12)), **states)
        whole = line(text, place + draw(st.integers(-1, 1)), level=level)
        if draw(st.integers(0, 15)) == 0:
            whole = whole.replace("2026-01-02", draw(st.sampled_from(["2026-02-30", "2026-1-2"])))
        found.append(whole + draw(st.sampled_from(["", "", "", "", "\r"])))
        if draw(st.integers(0, 6)) == 0:
            found.append(draw(st.sampled_from(BELOW)))
    return found


class World:
    """A house, and reports of its logs."""

    def __init__(self, folder: Path, spec: str = DOOR) -> None:
        self.house = House(folder)
        self.house.spec.write_text(spec, "utf-8")
        self.plan = make_plan(load_specs([self.house.spec]).machines)

    def report(self, lines: Sequence[str]) -> str:
        path = self.house.write("plain.log", lines)
        return report(self.plan, [Input(path.name, path, True)])


def report(plan: CheckPlan, inputs: Sequence[Input]) -> str:
    return "".join(to_json(check_files(plan, inputs, default_layouts())))


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(tmp_path_factory.mktemp("house"))


@SOME
@given(
    lines=numbered_lines(),
    times=st.integers(1, 3),
    piece=st.sampled_from([200, 1000, 1 << 20]),
    block=st.sampled_from([100, 500, 1 << 20]),
)
def test_known_forms_do_not_show_in_a_report(
    world: World, lines: list[str], times: int, piece: int, block: int
) -> None:
    """Whatever was met before, and wherever a piece of the file begins, or a block that is searched
    at once.
    """
    with learnt_at(NEVER):
        expected = world.report(lines)
    with learnt_at(times), pytest.MonkeyPatch.context() as patch:
        patch.setattr(file_reader, "READ_CHUNK_BYTES", piece)
        patch.setattr(scanner, "BLOCK_BYTES", block)
        assert world.report(lines) == expected


@SOME
@given(
    lines=numbered_lines(),
    more=st.lists(st.tuples(st.sampled_from(BELOW), st.integers(0, 40))),
    block=st.sampled_from([100, 1 << 20]),
)
def test_lines_that_tell_nothing_do_not_show_in_a_report(
    world: World, lines: list[str], more: list[tuple[str, int]], block: int
) -> None:
    """Also below a line that has all but the message, which makes a record of the next."""
    for text, place in more:
        lines.insert(place, text)
        lines.insert(place, line("", place))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scanner, "BLOCK_BYTES", block)
        found = world.report(lines)
        patch.setattr(wordless_records.SilentLines, "has", lambda *_: False)
        assert world.report(lines) == found


def test_a_line_that_tells_nothing_is_known_again(world: World) -> None:
    """Else the law above would say nothing; one that tells of a door is never one of them."""
    lines = [line("Door 1 jams", 1), BELOW[2], BELOW[5], line("Door 1 jams", 2), BELOW[2]]
    path, reader = world.house.write("below.log", lines), file_reader.CatalogueReader(world.plan)
    words, layouts = file_reader.Scanner(reader.scan_literals), default_layouts()
    forms = line_forms.CatalogueForms(world.plan, reader, words, layouts)
    data = path.read_bytes()
    list(
        file_reader.scan(
            data, 0, len(data), words, layouts, loggers=reader.loggers
        ).with_plain_lines(forms)
    )
    assert {below for _, below in forms.silent} == {BELOW[2].encode()}


def test_a_value_that_is_cut_at_the_wrong_place_shows(world: World) -> None:
    """The law above would notice it."""
    lines = [line(f"Door {door} goes from CLOSED to OPEN", door) for door in range(10, 20)]
    with learnt_at(NEVER):
        expected = world.report(lines)
    right = line_slots._text_place

    def beside(lines: Sequence[str], values: Sequence[str]) -> tuple[int, int] | None:
        place = right(lines, values)
        return (place[0] - 1, place[1] - 1) if place else None

    with learnt_at(1), pytest.MonkeyPatch.context() as patch:
        patch.setattr(line_slots, "_text_place", beside)
        assert world.report(lines) != expected


SPELLED = """log:
  instance: [door]
  lines:
    - {text: "Door {door} moved in 2 steps from {from} to {to}", says: step, logger: house.Door,
       level: INFO, samples: ["Door d moved in 2 steps from OPEN to CLOSED"]}
"""


@pytest.fixture(scope="module")
def spelled(tmp_path_factory: pytest.TempPathFactory) -> World:
    """A house of which one line is read where it has a certain digit, and not where another."""
    return World(
        tmp_path_factory.mktemp("spelled"),
        DOOR.replace("log:\n  instance: [door]\n  lines:\n", SPELLED),
    )


@SOME
@given(
    steps=st.lists(
        st.tuples(
            st.sampled_from(["1", "2", "7", "12", "31"]),
            st.sampled_from(["1", "2", "2", "2", "3", "22"]),
            st.sampled_from(STATES),
            st.sampled_from(STATES),
        )
    ),
    times=st.integers(1, 3),
    block=st.sampled_from([500, 1 << 20]),
)
def test_known_forms_do_not_show_where_digits_matter(
    spelled: World, steps: list[tuple[str, str, str, str]], times: int, block: int
) -> None:
    """Of lines that differ in one digit only one tells of a step, the other is not read."""
    lines = [
        line(f"Door {door} moved in {digits} steps from {before} to {after}", place)
        for place, (door, digits, before, after) in enumerate(steps)
    ]
    with learnt_at(NEVER):
        expected = spelled.report(lines)
    with learnt_at(times), pytest.MonkeyPatch.context() as patch:
        patch.setattr(scanner, "BLOCK_BYTES", block)
        assert spelled.report(lines) == expected


def test_a_digit_that_is_taken_for_any_other_shows(spelled: World) -> None:
    """The law above would notice it; so would the lines with other digits by which a form is learnt."""
    lines = [line(f"Door 1 moved in {n} steps from OPEN to CLOSED", n) for n in (2, 2, 2, 3, 2, 4)]
    with learnt_at(NEVER):
        expected = spelled.report(lines)
    with learnt_at(1), pytest.MonkeyPatch.context() as patch:
        assert spelled.report(lines) == expected
        patch.setattr(SpelledDigits, "places", lambda *_: ())
        patch.setattr(line_forms, "probe_lines", lambda text, *_: [text] * 4)
        assert spelled.report(lines) != expected


def test_a_line_of_a_dense_block_that_is_not_found_shows(world: World) -> None:
    """The law above would notice it, for it has dense blocks."""
    lines = [line(f"Door {door} goes from CLOSED to OPEN", door) for door in range(10, 40)]
    lines[25] = line("Door d4 goes from CLOSED to OPEN", 25)
    with learnt_at(NEVER):
        expected = world.report(lines)
    with learnt_at(1), pytest.MonkeyPatch.context() as patch:
        patch.setattr(scanner, "BLOCK_BYTES", 1000)
        assert world.report(lines) == expected
        patch.setattr(plain_line_reader, "_lines_that_hit", lambda raws, others, search: [])
        assert world.report(lines) != expected


def test_a_form_is_known_after_a_few_of_its_lines(world: World) -> None:
    """Else the laws of this file would say nothing."""
    plan = world.plan
    lines = [line(f"Door {door} goes from CLOSED to OPEN", door) for door in range(10, 20)]
    path = world.house.write("met.log", lines)
    with learnt_at(3):
        reader = file_reader.CatalogueReader(plan)
        words = file_reader.Scanner(reader.scan_literals)
        forms = line_forms.CatalogueForms(plan, reader, words, default_layouts())
        part = file_reader.scan(path.read_bytes(), 0, path.stat().st_size, words)
        found = part.with_plain_lines(forms)
        plain = [text for run in found if isinstance(run, PlainRun) for text in run.texts]
    assert len(plain) == 7  # two are counted, and what follows the last one is not known
    assert [form.observations[0].key(lines[0]) for form in forms.known.values() if form] == [
        ("10",)
    ]


@pytest.mark.parametrize("sample", [False, pytest.param(True, marks=pytest.mark.long)])
def test_known_forms_do_not_show_in_reports_of_captures(shared: Path, sample: bool) -> None:
    """Logs that programs wrote, by the whole catalogue."""
    plan = make_plan(load_specs(None).machines)
    folders = sorted(path for path in (shared / "logs" / "captured").iterdir() if path.is_dir())
    for folder in some_cases(folders, 2) if sample else folders[5::30]:
        inputs = [one for one in list_inputs([folder], folder) if isinstance(one, Input)]
        with learnt_at(NEVER):
            expected = report(plan, inputs)
        with learnt_at(1):
            assert report(plan, inputs) == expected, folder.name
