"""Laws: however a log is cut, ordered, split or kept, the report is the same, byte for byte."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from statemachines.conform import reading
from statemachines.conform.check import chosen_specs, plan_of
from statemachines.conform.inputs import Input
from statemachines.conform.judge import Judge
from statemachines.conform.local import check_files
from statemachines.conform.observe import Observer
from statemachines.conform.plan import Plan
from statemachines.conform.processes import File, context_of
from statemachines.conform.profile import Profile, join
from statemachines.conform.reader import Reader
from statemachines.conform.summary import Summary, identity, summarise
from statemachines.conform.summary import join as join_summaries
from statemachines.logs import Scanner, default_layouts, rotation, scan
from statemachines.logs.literals import Literals
from statemachines.report.as_json import to_json
from tests.doors import House, line

STATES = ("CLOSED", "OPEN", "LOCKED", "JAMMED", "GONE")
WORDINGS = (
    ("INFO", "Door {d} goes from {a} to {b}"),
    ("DEBUG", "Door {d} bolt moves it from CLOSED to LOCKED"),
    ("ERROR", "Door {d} did not get from {a} to {b}"),
    ("WARN", "Door {d} will not go from {a} to {b}"),
    ("INFO", "Door {d} stands {a}"),
    ("INFO", "Door {d} hung into its frame"),
    ("INFO", "Listener heard that door {d} is OPEN"),
    ("INFO", "Every door -> d={a}, e={b}"),
    ("INFO", "House program starting up"),
    ("INFO", "House software version 1.1"),
    ("INFO", "House program has stopped"),
    ("INFO", "nothing of interest"),
)
SOME = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@st.composite
def log_lines(draw: st.DrawFn) -> list[str]:
    """Draw lines of any kind, with prefixes of two processes or none, and times that may run backwards."""
    prefixes = draw(st.sampled_from([("",), ("east  | ", "west  | ")]))
    found = []
    for place in range(draw(st.integers(1, 25))):
        level, wording = draw(st.sampled_from(WORDINGS))
        states = {name: draw(st.sampled_from(STATES)) for name in "ab"}
        text = wording.format(d=draw(st.sampled_from("de")), **states)
        found.append(draw(st.sampled_from(prefixes)) + line(text, place + draw(st.integers(-3, 3)), level=level))
    return found


class World:
    """A house, the plan by which its logs are judged, and a short name for messages."""

    def __init__(self, folder: Path) -> None:
        self.house = House(folder)
        self.plan = plan_of(chosen_specs([self.house.spec]).machines)

    def write(self, name: str, lines: Sequence[str]) -> Path:
        return self.house.write(name, lines)

    def report(self, *paths: Path) -> str:
        inputs = [Input(path.name, path, True) for path in paths]
        return "".join(to_json(check_files(self.plan, inputs, default_layouts())))


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(tmp_path_factory.mktemp("house"))


@SOME
@given(lines=log_lines(), piece=st.integers(1, 400))
def test_any_cut_of_a_file_gives_the_same_report(world: World, lines: list[str], piece: int) -> None:
    """Pieces are read alone and joined; where they begin must not show."""
    path = world.write("cut.log", lines)
    whole = world.report(path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "PIECE", piece)
        assert world.report(path) == whole


@SOME
@given(lines=log_lines(), at=st.integers(0, 25))
def test_the_order_in_which_files_are_named_does_not_matter(world: World, lines: list[str], at: int) -> None:
    """A shell's glob and a person's list give one report."""
    one, other = world.write("one.log", lines[:at]), world.write("other.log", lines[at:])
    assert world.report(one, other) == world.report(other, one)


@SOME
@given(lines=log_lines(), piece=st.integers(1, 5))
def test_a_long_log_on_disk_is_judged_like_a_short_one_in_memory(world: World, lines: list[str], piece: int) -> None:
    """Where observations are kept must not show."""
    from statemachines.conform import local
    from statemachines.conform.store import Store

    path = world.write("kept.log", lines)
    whole = world.report(path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(local, "Store", lambda: Store(in_memory=piece))
        assert world.report(path) == whole


def observed(plan: Plan, path: Path, bounds: Sequence[int]) -> list[Profile]:
    """Return the profiles of the pieces of a file."""
    buffer, reader, found = path.read_bytes(), Reader(plan), []
    scanner = Scanner(reader.literals)
    for start, end in pairwise([0, *bounds, len(buffer)]):
        observer = Observer(plan, reader, 0)
        part = scan(buffer, start, end, scanner, default_layouts(), loggers=reader.loggers)
        list(observer.observe(part))
        found.append(reading.finished(observer, part))
    return found


@SOME
@given(lines=log_lines(), cuts=st.lists(st.floats(0, 1), min_size=2, max_size=2).map(sorted))
def test_profiles_join_in_any_order_of_joining(world: World, lines: list[str], cuts: list[float]) -> None:
    """Associative, with an empty profile that changes nothing."""
    path = world.write("profile.log", lines)
    size = path.stat().st_size
    a, b, c = observed(world.plan, path, [int(cut * size) for cut in cuts])
    assert join(join(a, b), c) == join(a, join(b, c))
    assert join(Profile(), a) == join(a, Profile()) == a


@SOME
@given(lines=log_lines(), choose=st.randoms(use_true_random=False))
def test_summaries_of_any_parts_join_to_the_same(world: World, lines: list[str], choose: object) -> None:
    """Late pieces may come first: joining is associative and commutative."""
    plan = world.plan
    path = world.write("summary.log", lines)
    buffer, reader = path.read_bytes(), Reader(plan)
    observer = Observer(plan, reader, 0)
    part = scan(buffer, 0, len(buffer), Scanner(reader.literals), default_layouts(), loggers=reader.loggers)
    seen = list(observer.observe(part))
    context = context_of(plan, (File("summary.log", *rotation("summary.log")),), [reading.finished(observer, part)])
    pick: Callable[[list[int]], int] = choose.choice  # type: ignore[attr-defined]
    for who in {identity(context, o) for o in seen}:
        mine = [o for o in seen if identity(context, o) == who]
        parts = [summarise(context, [o for o in mine if o.line % 3 == rest]) for rest in range(3)]
        whole = summarise(context, mine)
        first = pick([0, 1, 2])
        x, y, z = parts[first], parts[(first + 1) % 3], parts[(first + 2) % 3]
        assert join_summaries(join_summaries(x, y), z) == whole
        assert join_summaries(x, join_summaries(y, z)) == whole
        assert join_summaries(Summary(), whole) == whole


@SOME
@given(lines=log_lines())
def test_plain_steps_are_judged_as_the_whole_table_would(world: World, lines: list[str]) -> None:
    """The short way for a step that nothing is to be said of is held equal to the long one."""
    path = world.write("plain.log", lines)
    quick = world.report(path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Judge, "_is_plain", lambda judge, seen, fitting: False)
        assert world.report(path) == quick


@SOME
@given(
    text=st.text(alphabet="abc(.*", max_size=20),
    literals=st.lists(st.text(alphabet="abc(.*", min_size=1, max_size=4), unique=True, max_size=6),
)
def test_literals_are_found_in_one_pass_as_one_by_one(text: str, literals: list[str]) -> None:
    """What google-re2 finds is what plain Python finds, in the same order."""
    assert list(Literals(literals).within(text)) == list(Literals(literals, fast=False).within(text))
