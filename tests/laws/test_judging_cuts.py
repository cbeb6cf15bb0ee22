"""Laws: however a log is cut, ordered, split or kept, the report is the same, byte for byte.

Covers: statemachines.conform.checking, statemachines.conform.engines.file_reader,
statemachines.conform.engines.inputs, statemachines.conform.engines.local,
statemachines.conform.engines.observation_store, statemachines.conform.interchange.check_plan,
statemachines.conform.interchange.judgements, statemachines.conform.interchange.profiles,
statemachines.conform.judge.instance.instance_judge,
statemachines.conform.judge.instance.line_before, statemachines.conform.observe.catalogue_reader,
statemachines.conform.observe.observer, statemachines.conform.settle.judging_context,
statemachines.conform.settle.processes, statemachines.logs.search.literal_sets.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from statemachines.conform.checking import load_specs, make_plan
from statemachines.conform.engines import file_reader
from statemachines.conform.engines.inputs import Input
from statemachines.conform.engines.local import check_files
from statemachines.conform.interchange.check_plan import CheckPlan
from statemachines.conform.interchange.profiles import Profile, join_profiles
from statemachines.conform.judge.instance.instance_judge import InstanceJudge
from statemachines.conform.observe.catalogue_reader import CatalogueReader
from statemachines.conform.observe.observer import Observer
from statemachines.conform.settle.judging_context import (
    instance_identity,
    order_observations,
    settle_context,
)
from statemachines.conform.settle.processes import CheckedFile
from statemachines.logs import Scanner, default_layouts, rotation_key, scan
from statemachines.logs.search.literal_sets import LiteralSet
from statemachines.report.json_format import to_json
from tests.doors import House, line
from tests.effort import some_of

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
SOME = settings(
    max_examples=some_of(40),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@st.composite
def log_lines(draw: st.DrawFn) -> list[str]:
    """Draw lines of any kind, with prefixes of two processes or none, and times that may run backwards."""
    prefixes = draw(st.sampled_from([("",), ("east  | ", "west  | ")]))
    found = []
    for place in range(draw(st.integers(1, 25))):
        level, wording = draw(st.sampled_from(WORDINGS))
        states = {name: draw(st.sampled_from(STATES)) for name in "ab"}
        text = wording.format(d=draw(st.sampled_from("de")), **states)
        found.append(
            draw(st.sampled_from(prefixes))
            + line(text, place + draw(st.integers(-3, 3)), level=level)
        )
    return found


class World:
    """A house, the plan by which its logs are judged, and a short name for messages."""

    def __init__(self, folder: Path) -> None:
        self.house = House(folder)
        self.plan = make_plan(load_specs([self.house.spec]).machines)

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
def test_any_cut_of_a_file_gives_the_same_report(
    world: World, lines: list[str], piece: int
) -> None:
    """Pieces are read alone and joined; where they begin must not show."""
    path = world.write("cut.log", lines)
    whole = world.report(path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(file_reader, "READ_CHUNK_BYTES", piece)
        assert world.report(path) == whole


@SOME
@given(lines=log_lines(), at=st.integers(0, 25))
def test_the_order_in_which_files_are_named_does_not_matter(
    world: World, lines: list[str], at: int
) -> None:
    """A shell's glob and a person's list give one report."""
    one, other = world.write("one.log", lines[:at]), world.write("other.log", lines[at:])
    assert world.report(one, other) == world.report(other, one)


@SOME
@given(lines=log_lines(), piece=st.integers(1, 5))
def test_a_long_log_on_disk_is_judged_like_a_short_one_in_memory(
    world: World, lines: list[str], piece: int
) -> None:
    """Where observations are kept must not show."""
    from statemachines.conform.engines import local
    from statemachines.conform.engines.observation_store import ObservationStore

    path = world.write("kept.log", lines)
    whole = world.report(path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(local, "ObservationStore", lambda: ObservationStore(in_memory=piece))
        assert world.report(path) == whole


def observed(plan: CheckPlan, path: Path, bounds: Sequence[int]) -> list[Profile]:
    """Return the profiles of the pieces of a file."""
    buffer, reader, found = path.read_bytes(), CatalogueReader(plan), []
    scanner = Scanner(reader.scan_literals)
    for start, end in pairwise([0, *bounds, len(buffer)]):
        observer = Observer(plan, reader, 0)
        part = scan(buffer, start, end, scanner, default_layouts(), loggers=reader.loggers)
        list(observer.observe(part))
        found.append(file_reader.finished_profile(observer, part))
    return found


@SOME
@given(lines=log_lines(), cuts=st.lists(st.floats(0, 1), min_size=2, max_size=2).map(sorted))
def test_profiles_join_in_any_order_of_joining(
    world: World, lines: list[str], cuts: list[float]
) -> None:
    """Associative, with an empty profile that changes nothing."""
    path = world.write("profile.log", lines)
    size = path.stat().st_size
    a, b, c = observed(world.plan, path, [int(cut * size) for cut in cuts])
    assert join_profiles(join_profiles(a, b), c) == join_profiles(a, join_profiles(b, c))
    assert join_profiles(Profile(), a) == join_profiles(a, Profile()) == a


@SOME
@given(lines=log_lines(), choose=st.randoms(use_true_random=False))
def test_observations_are_judged_in_one_order_however_they_came(
    world: World, lines: list[str], choose: object
) -> None:
    """Late pieces may come first."""
    plan = world.plan
    path = world.write("summary.log", lines)
    buffer, reader = path.read_bytes(), CatalogueReader(plan)
    observer = Observer(plan, reader, 0)
    part = scan(
        buffer,
        0,
        len(buffer),
        Scanner(reader.scan_literals),
        default_layouts(),
        loggers=reader.loggers,
    )
    seen = list(observer.observe(part))
    context = settle_context(
        plan,
        (CheckedFile("summary.log", *rotation_key("summary.log")),),
        [file_reader.finished_profile(observer, part)],
    )
    pick: Callable[[Sequence[int]], int] = choose.choice
    for who in {instance_identity(context, o) for o in seen}:
        mine = [o for o in seen if instance_identity(context, o) == who]
        whole = order_observations(context, mine)
        left = list(mine)
        shuffled = [left.pop(pick(range(len(left)))) for _ in mine]
        assert list(order_observations(context, shuffled)) == list(whole)


@SOME
@given(lines=log_lines())
def test_plain_steps_are_judged_as_the_whole_table_would(world: World, lines: list[str]) -> None:
    """The short way for a step that nothing is to be said of is held equal to the long one."""
    path = world.write("plain.log", lines)
    quick = world.report(path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(InstanceJudge, "_is_simple_step", lambda judge, seen, fitting: False)
        assert world.report(path) == quick


@SOME
@given(
    text=st.text(alphabet="abc(.*", max_size=20),
    literals=st.lists(st.text(alphabet="abc(.*", min_size=1, max_size=4), unique=True, max_size=6),
)
def test_literals_are_found_in_one_pass_as_one_by_one(text: str, literals: list[str]) -> None:
    """What google-re2 finds is what plain Python finds, in the same order."""
    assert list(LiteralSet(literals).found_in(text)) == list(
        LiteralSet(literals, fast=False).found_in(text)
    )
