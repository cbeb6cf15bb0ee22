"""Law: in legal histories of every machine and release nothing is violated; every planted fault is found where it was planted.

Covers: statemachines.conform.checking, statemachines.conform.interchange.check_plan,
statemachines.conform.judge.tables.release_tables, statemachines.conform.observe.catalogue_reader.
"""

from __future__ import annotations

import itertools
import random
import re
from functools import cache

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from statemachines.conform.checking import make_plan
from statemachines.conform.interchange.check_plan import LEVEL_RANKS, CheckPlan
from statemachines.conform.judge.tables.release_tables import (
    ReleaseClass,
    release_classes,
)
from statemachines.conform.observe.catalogue_reader import CatalogueReader
from statemachines.model.definitions.log_definitions import LineDefinition, LineKind
from statemachines.model.definitions.machine_definitions import SpecDefinition
from statemachines.model.evidence.reports import Report
from statemachines.model.evidence.verdicts import Verdict
from statemachines.notation import render_template
from tests.effort import some_of
from tests.judging import Message, judge, records
from tests.shipped import shipped_specs
from tests.written_tables import written_moves

KEYS = {"thread": "app-StreamThread-1", "client": "app", "task": "0_1", "kind": "stream task", "controller": "1", "epoch": "3", "topic": "orders", "partition": "0", "replica": "2",
        "group": "g", "producer": "p", "transactional_id": "t"}  # fmt: skip
Told = tuple[str, str]
DOUBTS = {"gap", "began again", "impossible", "forbidden", "contradiction"}


@cache
def catalogue() -> dict[str, SpecDefinition]:
    return {spec.name: spec for spec in shipped_specs() if spec.log and spec.transitions}


@cache
def classes(name: str) -> tuple[ReleaseClass, ...]:
    return release_classes(catalogue()[name])


@cache
def plan_and_reader(name: str) -> tuple[CheckPlan, CatalogueReader]:
    plan = make_plan([catalogue()[name]])
    return plan, CatalogueReader(plan)


@cache
def worlds() -> list[tuple[str, int]]:
    """Every machine with every class of its releases that behave alike, by place."""
    return [
        (name, place)
        for name in catalogue()
        for place in range(len(classes(name)))
        if tellable(name, place)
    ]


def values(spec: SpecDefinition, told: Told) -> dict[str, str]:
    assert spec.log
    keys = {field: KEYS.get(field, "7") for field in (*spec.log.instance, *KEYS)}
    if spec.name.endswith("GlobalStreamThread"):
        keys["thread"] = "app-GlobalStreamThread"
    return keys | {"from": told[0], "to": told[1]}


def teller(
    rules: ReleaseClass, told: Told, spec: SpecDefinition
) -> tuple[LineDefinition, str] | None:
    """Return the line that tells a step whole, written out."""
    for line in rules.lines_by_step.get(told, ()):
        for template in line.templates:
            captured = set(template.fields)
            from_known = "from" in captured or len(line.source) == 1
            to_known = "to" in captured or len(line.target) == 1
            keys_known = spec.log is not None and set(spec.log.instance) <= captured
            if (
                line.kinds == (LineKind.STEP,)
                and not line.echo
                and not line.argument_templates
                and from_known
                and to_known
                and keys_known
            ):
                filled = {field: values(spec, told).get(field, "7") for field in captured}
                text = render_template(template, filled)
                if re.fullmatch(template.pattern, text):
                    return line, text
    return None


@cache
def tellable(name: str, place: int) -> dict[Told, tuple[LineDefinition, str]]:
    """Return the steps that one line tells whole."""
    spec = catalogue()[name]
    rules = classes(name)[place]
    pairs = dict.fromkeys(
        (a.source, a.target) for a in rules.transitions if a.taken and not a.silent
    )
    return {pair: found for pair in pairs if (found := teller(rules, pair, spec))}


def walk(
    rules: ReleaseClass,
    told: dict[Told, tuple[LineDefinition, str]],
    rng: random.Random,
    length: int,
) -> list[Told]:
    """Take a random legal way over steps that lines tell."""
    start = sorted({a for a, _ in told} & rules.initial) or sorted({a for a, _ in told})
    state, way = rng.choice(start), list[Told]()
    for _ in range(length):
        options = [pair for pair in told if pair[0] == state]
        if not options:
            break
        way.append(rng.choice(options))
        state = way[-1][1]
    return way


def written(
    spec: SpecDefinition, told: dict[Told, tuple[LineDefinition, str]], way: list[Told]
) -> list[Message]:
    return [
        (text, line.loggers[0] if line.loggers else None, line.level, None)
        for line, text in (told[pair] for pair in way)
    ]


@cache
def plan_of_release(name: str, release: str) -> CheckPlan:
    plan, _ = plan_and_reader(name)
    return evolve(plan, options=evolve(plan.options, release=release))


def judged(name: str, release: str, messages: list[Message]) -> Report:
    _, reader = plan_and_reader(name)
    return judge(plan_of_release(name, release), [("test.log", records(messages))], reader)


class World:
    """One machine in one class of releases, with a random legal history."""

    def __init__(self, world: tuple[str, int], seed: int) -> None:
        self.name = world[0]
        self.spec = catalogue()[self.name]
        self.rules = classes(self.name)[world[1]]
        self.release = self.spec.family.newest(self.rules.releases)
        self.told = tellable(*world)
        self.rng = random.Random(seed)
        self.way = walk(self.rules, self.told, self.rng, self.rng.randint(3, 12))

    def judge(self, way: list[Told] | None = None) -> Report:
        return judged(
            self.name, self.release, written(self.spec, self.told, self.way if way is None else way)
        )

    def shown(self, way: list[Told]) -> frozenset[int]:
        """The lines that a log of this way shows: those at least as loud as the quietest of their logger."""
        quietest: dict[str, int] = {}
        for line, _ in (self.told[pair] for pair in way):
            for logger in line.loggers or ("",):
                quietest[logger] = min(quietest.get(logger, 9), LEVEL_RANKS[line.level or "INFO"])
        return frozenset(
            line.index
            for line in self.rules.lines
            if any(
                quietest.get(logger, 9) <= LEVEL_RANKS[line.level or "INFO"]
                for logger in line.loggers or ("",)
            )
        )

    def follows(self, way: list[Told], before: str, state: str) -> bool:
        """Whether steps that the log of `way` does not show lead from one state to another."""
        return self.rules.paths.unseen_path([before], state, self.shown(way)) is not None

    def begins_anew(self, way: list[Told], before: str, state: str) -> bool:
        """Whether a life that is over may be followed by one whose beginning the log of `way` does not show."""
        begins = {line.index for line in self.rules.lines if LineKind.BEGIN in line.kinds}
        one_life = self.spec.log is not None and self.spec.log.generation is not None
        if one_life or before not in self.rules.final or not begins or begins & self.shown(way):
            return False
        return any(self.follows(way, initial, state) for initial in self.rules.initial)


def violated(report: Report) -> list[str]:
    return [f"{f.kind} {f.message}" for f in report.findings if f.verdict is Verdict.VIOLATED]


def found_at(report: Report, line: int) -> set[str]:
    return {f.kind for f in report.findings if f.place and f.place.line == line}


EVERY_WORLD = pytest.mark.parametrize(
    "world", worlds(), ids=lambda world: f"{world[0].rpartition('/')[2]}-{world[1]}"
)
SEEDS = st.integers(0, 10**6)
FEW = settings(max_examples=some_of(6), deadline=None)
"""There are hundreds of worlds; the corpus command tries more."""


def test_what_is_allowed_is_what_the_files_say() -> None:
    """Read by hand, of all machines whose transitions say from and to: the plan that judges logs has no other table."""
    written = [
        (world, written_moves(world.name, world.release))
        for world in map(World, worlds(), itertools.repeat(0))
    ]
    read = [(world, moves) for world, moves in written if moves is not None]
    assert len(read) > len(written) / 2
    for world, moves in read:
        states = world.rules.states
        allowed = {(a, b) for a in states for b in states if world.rules.allows(a, b)}
        assert allowed == moves, (world.name, world.release)


@EVERY_WORLD
@FEW
@given(seed=SEEDS)
def test_legal_histories_hold(world: tuple[str, int], seed: int) -> None:
    """No sound log is ever accused."""
    here = World(world, seed)
    report = here.judge()
    assert report.verdict is Verdict.HOLDS, violated(report)
    assert [(s.source, s.target) for s in report.timeline if s.how == "told"] == here.way


@EVERY_WORLD
@FEW
@given(seed=SEEDS)
def test_a_cut_at_head_or_tail_is_never_violated(world: tuple[str, int], seed: int) -> None:
    """A log may begin and end anywhere."""
    here = World(world, seed)
    first = here.rng.randrange(len(here.way) or 1)
    last = here.rng.randint(first, len(here.way))
    assert not violated(here.judge(here.way[first:last]))


@EVERY_WORLD
@FEW
@given(seed=SEEDS)
def test_a_forbidden_step_is_found_at_its_line(world: tuple[str, int], seed: int) -> None:
    """A to-state that the table does not have, in a line that is otherwise sound."""
    here = World(world, seed)
    if not here.way:
        return
    place = here.rng.randrange(len(here.way))
    source, target = here.way[place]
    moves = written_moves(here.name, here.release)
    forbidden = [
        state
        for state in here.rules.states
        if (not here.rules.allows(source, state) if moves is None else (source, state) not in moves)
    ]
    line, _ = here.told[source, target]
    texts = [t for t in line.templates if {"from", "to"} <= set(t.fields)]
    if not forbidden or not texts:
        return
    wrong = here.rng.choice(forbidden)
    messages = written(here.spec, here.told, here.way)
    filled = {
        field: values(here.spec, (source, wrong)).get(field, "7") for field in texts[0].fields
    }
    messages[place] = (render_template(texts[0], filled), *messages[place][1:])
    report = judged(here.name, here.release, messages)
    assert "forbidden" in found_at(report, place + 1)
    elsewhere = [
        f
        for f in report.findings
        if f.verdict is Verdict.VIOLATED and f.place and f.place.line not in (place + 1, place + 2)
    ]
    assert not elsewhere


@EVERY_WORLD
@FEW
@given(seed=SEEDS)
def test_a_lost_line_is_a_gap_where_nothing_explains_it(world: tuple[str, int], seed: int) -> None:
    """What hidden steps explain is no finding; anything else is one, and never a violation of what is possible."""
    here = World(world, seed)
    if len(here.way) < 3:
        return
    place = here.rng.randrange(1, len(here.way) - 1)
    way = here.way[:place] + here.way[place + 1 :]
    report = here.judge(way)
    assert not violated(report)
    before, after = way[place - 1][1], way[place][0]
    explained = (
        before == after or here.follows(way, before, after) or here.begins_anew(way, before, after)
    )
    assert bool(found_at(report, place + 1) & {"gap", "began again"}) == (not explained)


@EVERY_WORLD
@FEW
@given(seed=SEEDS)
def test_a_repeated_line_is_found_where_nothing_explains_it(
    world: tuple[str, int], seed: int
) -> None:
    """The same step twice in a row is one too many, unless it may repeat."""
    here = World(world, seed)
    if not here.way:
        return
    place = here.rng.randrange(len(here.way))
    way = [*here.way[: place + 1], *here.way[place:]]
    source, target = here.way[place]
    explained = (
        source == target
        or here.follows(way, target, source)
        or here.begins_anew(way, target, source)
    )
    assert bool(found_at(here.judge(way), place + 2) & DOUBTS) == (not explained)


@EVERY_WORLD
@FEW
@given(seed=SEEDS)
def test_two_processes_in_one_file_are_told_apart(world: tuple[str, int], seed: int) -> None:
    """Prefixes keep two histories of one name apart, however their lines are mixed."""
    here, other = World(world, seed), World(world, seed + 1)
    if here.spec.log and here.spec.log.shared:
        return
    one = [(*m[:3], "a") for m in written(here.spec, here.told, here.way)]
    two = [(*m[:3], "b") for m in written(here.spec, here.told, other.way)]
    mixed = []
    while one or two:
        mixed.append((one if one and (not two or here.rng.random() < 0.5) else two).pop(0))
    report = judged(here.name, here.release, mixed)
    assert report.verdict is Verdict.HOLDS
    assert report.checked.steps == len(here.way) + len(other.way)


@EVERY_WORLD
@FEW
@given(seed=SEEDS)
def test_a_hidden_level_hides_and_accuses_nobody(world: tuple[str, int], seed: int) -> None:
    """Without the lines of one level, what is left is explained by it."""
    here = World(world, seed)
    levels = sorted({here.told[pair][0].level or "INFO" for pair in here.way})
    if not levels:
        return
    hidden = here.rng.choice(levels)
    report = here.judge(
        [pair for pair in here.way if (here.told[pair][0].level or "INFO") != hidden]
    )
    assert not violated(report)
