"""A log that tells no release is called what the mildest single release would call the whole of it.

Covers: statemachines.conform.checking, statemachines.conform.interchange.check_plan.
"""

from __future__ import annotations

import gc
import random
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from statemachines.conform.checking import make_plan
from statemachines.conform.interchange.check_plan import PlanOptions
from statemachines.model.definitions.machine_definitions import SpecDefinition
from statemachines.model.evidence.reports import Report
from statemachines.model.evidence.verdicts import Verdict
from statemachines.notation import read_spec, settle_literals
from tests.effort import some_of
from tests.judging import judge, records

STATES = ("A", "B", "C", "D")
Step = tuple[str, str, str]
"""Parcel, from and to."""


def spec_of(
    folder: Path,
    releases: int,
    arrows: dict[tuple[str, str], list[int]],
    told: frozenset[str] = frozenset(STATES),
) -> SpecDefinition:
    """Write and read a machine whose arrows exist in some releases only.

    Args:
        releases: how many there are.
        arrows: from and to, and the places of the releases.
        told: the states that lines tell a step to.
    """
    names = [f"1.{number}" for number in range(releases)]
    rows = [
        f'  - {{from: {a}, to: {b}, in: "{", ".join(names[n] for n in places)}"}}'
        for (a, b), places in arrows.items()
    ]
    (folder / "shop.yaml").write_text(
        f"notation: 1\nfamily: shop\nreleases: [{', '.join(map(repr, names))}]\n", "utf-8"
    )
    text = f"""notation: 1
machine: Parcel
family: shop
states: {{A: {{initial: true}}, B: , C: , D: {{final: true}}}}
transitions:
{chr(10).join(rows)}
log:
  instance: [n]
  patterns: {{n: '\\d+'}}
  lines:
    - {{text: "parcel number {{n}} went {{from}} to {{to}}", says: step, to: [{", ".join(sorted(told))}], logger: shop.Main, level: INFO}}
"""
    path = folder / "Parcel.yaml"
    path.write_text(text, "utf-8")
    spec = read_spec(path).spec
    assert spec is not None
    return settle_literals((spec,))[0]


def judged(spec: SpecDefinition, steps: list[Step], release: str | None = None) -> Report:
    """Judge a log of some steps, a line and a second each."""
    said = [(f"parcel number {n} went {a} to {b}", "shop.Main", "INFO", None) for n, a, b in steps]
    return judge(make_plan([spec], PlanOptions(release)), [("shop.log", records(said))])


@st.composite
def worlds(
    draw: st.DrawFn,
) -> tuple[int, dict[tuple[str, str], list[int]], list[Step], frozenset[str]]:
    """Draw releases, arrows, the steps of some parcels, most of them legal in some release, and the states that lines tell."""
    releases = draw(st.integers(2, 5))
    pairs = st.sampled_from([(a, b) for a in STATES for b in STATES if a != b])
    places = st.lists(st.integers(0, releases - 1), min_size=1, max_size=releases, unique=True).map(
        sorted
    )
    arrows = draw(st.dictionaries(pairs, places, min_size=2, max_size=9))
    told = draw(st.sampled_from([frozenset(STATES), frozenset("ABD")]))
    rng, where, steps = random.Random(draw(st.integers(0, 2**32))), dict[str, str](), list[Step]()
    for _ in range(draw(st.integers(1, 10))):
        parcel = rng.choice("12")
        known = [pair for pair in arrows if where.get(parcel, pair[0]) == pair[0]]
        source, target = (
            rng.choice(known) if known and rng.random() < 0.9 else rng.choice(sorted(arrows))
        )
        where[parcel] = target
        if target in told:
            steps.append((parcel, source, target))
    return releases, arrows, steps or [("1", *rng.choice(sorted(arrows)))], told


@given(world=worlds())
@settings(max_examples=some_of(150), deadline=None)
def test_the_verdict_is_that_of_the_mildest_release(
    tmp_path_factory: pytest.TempPathFactory, world: tuple
) -> None:
    """Each line for itself may be fine in some release; one of them has to have written all of it."""
    releases, arrows, steps, told = world
    spec = spec_of(tmp_path_factory.mktemp("alone"), releases, arrows, told)
    alone = [judged(spec, steps, f"1.{number}").verdict for number in range(releases)]
    assert judged(spec, steps).verdict is min(alone)


def test_no_single_release_is_said_with_the_lines_that_rule_them_out(tmp_path: Path) -> None:
    """What was legal in 1.0 only, then what is from 1.1 on, by two parcels of one process."""
    spec = spec_of(tmp_path, 3, {("A", "B"): [0, 1, 2], ("B", "A"): [0], ("B", "C"): [1, 2]})
    report = judged(spec, [("1", "B", "A"), ("1", "A", "B"), ("2", "B", "C")])
    (finding,) = report.findings
    assert (finding.kind, finding.verdict) == ("no release", Verdict.VIOLATED)
    assert (
        "B -> A (shop.log:1) is forbidden in 1.1..1.2, B -> C (shop.log:3) is forbidden in 1.0"
        in finding.message
    )
    assert judged(spec, [("1", "A", "B"), ("2", "B", "C")]).verdict is Verdict.HOLDS


def test_two_processes_may_run_two_releases(tmp_path: Path) -> None:
    """A rolling upgrade: what one does says nothing of the other."""
    spec = spec_of(tmp_path, 2, {("A", "B"): [0, 1], ("B", "A"): [0], ("B", "C"): [1]})
    files = [
        (name, records([(f"parcel number 1 went B to {to}", "shop.Main", "INFO", None)]))
        for name, to in (("a.log", "A"), ("b.log", "C"))
    ]
    assert judge(make_plan([spec]), files).verdict is Verdict.HOLDS


def test_many_releases_cost_little(tmp_path: Path) -> None:
    """Eighty releases that all behave differently, and a log that fits one of them: not eighty times the time of one."""
    arrows = {
        ("A", "B"): [*range(80)],
        ("B", "A"): [*range(80)],
        ("B", "C"): [*range(40, 80)],
        ("C", "B"): [*range(40, 80)],
    }
    more = {
        (a, b): [*range(place * 8, 80)]
        for place, (a, b) in enumerate([("A", "C"), ("C", "A"), ("A", "D"), ("B", "D"), ("C", "D")])
    }
    spec = spec_of(tmp_path, 80, arrows | more)
    steps = [
        (str(n % 50), *(("A", "B"), ("B", "C"), ("C", "B"), ("B", "A"))[n // 50 % 4])
        for n in range(4_000)
    ]

    def seconds(release: str | None) -> float:
        gc.disable()  # what earlier tests left behind costs seconds to look through
        try:
            start = time.process_time()
            assert judged(spec, steps, release).verdict is Verdict.HOLDS
            return time.process_time() - start
        finally:
            gc.enable()

    assert seconds(None) < 10 * seconds("1.79") + 1
