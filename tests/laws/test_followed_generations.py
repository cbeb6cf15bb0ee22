"""Law: of generations that later ones superseded who follows logs holds little, and nobody can tell.

Covers: statemachines.conform.engines.follow.generations.superseded_instances,
statemachines.conform.engines.follow.live_judging.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from statemachines.conform.check_options import CheckOptions
from statemachines.conform.checking import JudgingRequest, make_request
from statemachines.conform.engines.follow import followed_files, idle_instances, settled_past
from statemachines.conform.engines.follow.follower import Follower
from statemachines.conform.engines.follow.generations.superseded_instances import (
    SupersededInstances,
)
from statemachines.conform.engines.growing import content_readings
from tests.doors import House
from tests.effort import some_of
from tests.laws.test_followed_lives import differences, written

Patch = pytest.MonkeyPatch
SOME = settings(
    max_examples=some_of(15),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
GATE = r"""
notation: 1
machine: Gate
family: house
states:
  OPEN: {initial: true}
  SHUT: {initial: true}
  BARRED:
transitions:
  - {from: OPEN, to: SHUT}
  - {from: SHUT, to: OPEN}
  - {from: SHUT, to: BARRED}
  - {from: BARRED, to: OPEN}
log:
  instance: [watch, epoch, yard, gate]
  patterns: {watch: '\d+', epoch: '\d+', yard: '\w+', gate: '\w+'}
  subject: [yard, gate]
  generation: {epoch: watch}
  shared: true
  lines:
    - text: "Watch {watch} epoch {epoch} gate {yard}-{gate} goes from {from} to {to}"
      says: step
      logger: house.Door
      level: INFO
      samples: ["Watch 1 epoch 2 gate a-x goes from OPEN to SHUT"]
  episodes:
    shut: {while: "state in {'SHUT', 'BARRED'}", title: "gate {yard}-{gate} is shut"}
    all_shut: {while: "state in {'SHUT', 'BARRED'}", of: [yard], title: "{yard} is shut"}
  incidents:
    gate-shut: {of: shut, title: "gate {yard}-{gate} is shut"}
    yard-shut: {of: all_shut, title: "{yard} is shut"}
"""
NEXT = {"OPEN": ["SHUT"], "SHUT": ["OPEN", "OPEN", "BARRED"], "BARRED": ["OPEN"]}
GATES = [f"{yard}-{gate}" for yard in "ab" for gate in "xyz"]


@pytest.fixture(scope="module")
def request_(tmp_path_factory: pytest.TempPathFactory) -> JudgingRequest:
    house = House(tmp_path_factory.mktemp("house"))
    house.spec.with_name("Gate.yaml").write_text(GATE, "utf-8")
    return make_request(CheckOptions(specs=[house.spec.with_name("Gate.yaml")]))


@pytest.fixture(autouse=True)
def kept(monkeypatch: Patch) -> None:
    """Observations settle early; who is silent is let go soon, and what is over too."""
    monkeypatch.setattr(followed_files, "_AT_REST_NS", 0)
    monkeypatch.setattr(content_readings, "TAIL_BYTES", 300)
    monkeypatch.setattr(idle_instances, "SILENT_MS", 5_000)
    monkeypatch.setattr(settled_past, "_APART_MS", 24_000)


def watches(
    chance: random.Random,
    late: float = 0.04,
    wiped: float = 0.02,
    astray: float = 0.05,
    looks: int = 20,
) -> Iterator[list[str]]:
    """What is told from one look to the next: each watch takes over from the one before it and
    says where gates go; now and then one writes that has been overtaken, and hardly ever all
    begins again with the first.
    """
    states, epoch = dict.fromkeys(GATES, "OPEN"), 1
    for _ in range(looks):
        if chance.random() < 0.5:
            epoch += 1
        if chance.random() < wiped:
            epoch = 1
        told = list[str]()
        for _ in range(chance.randint(2, 7)):
            at = epoch if chance.random() > late else max(1, epoch - chance.randint(1, 3))
            gate = chance.choice(GATES)
            before = states[gate] if chance.random() > astray else "BARRED"
            states[gate] = chance.choice(NEXT[before])
            watch = 1 + at % 2
            told.append(
                f"Watch {watch} epoch {at} gate {gate} goes from {before} to {states[gate]}"
            )
        yield told


@SOME
@given(seed=st.integers(0, 10**6))
def test_nobody_can_tell_that_a_superseded_generation_was_let_go(
    request_: JudgingRequest, tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    """Whoever writes late, and whatever goes back."""
    folder = tmp_path_factory.mktemp("logs")
    assert not any(differences(request_, folder, seed, watches, rotations=0.2))


def fillers(look: int) -> list[str]:
    """What the watch of epoch 4 says of other gates, so that time goes by."""
    steps = ("OPEN to SHUT", "SHUT to OPEN")
    return [f"Watch 2 epoch 4 gate b-{name} goes from {steps[look % 2]}" for name in "uvw"]


def is_wiping_seen(request: JudgingRequest, folder: Path) -> bool:
    """Whether it is known that all began again with the first epoch, where of the watch that says
    so nothing is held any more.
    """
    looks = [["Watch 1 epoch 3 gate a-x goes from SHUT to OPEN"], *map(fillers, range(2))]
    looks += [["Watch 2 epoch 4 gate a-x goes from OPEN to SHUT"], *map(fillers, range(2, 8))]
    looks += [["Watch 1 epoch 1 gate a-y goes from SHUT to OPEN"]]
    return not any(differences(request, folder, 0, lambda _: iter(looks), rotations=0))


def test_a_generation_that_goes_back_is_seen(
    request_: JudgingRequest, tmp_path: Path, monkeypatch: Patch
) -> None:
    """What was before is over then: the gate that was shut is."""
    (tmp_path / "well").mkdir()
    (tmp_path / "ill").mkdir()
    assert is_wiping_seen(request_, tmp_path / "well")
    monkeypatch.setattr(SupersededInstances, "spans", lambda _: ())
    assert not is_wiping_seen(request_, tmp_path / "ill")


FAULTS = {
    "what began before is not known": ("whole", lambda _self, _context, _who, judged: judged),
    "who writes late is judged alone": ("take", None),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_mistake_in_letting_go_is_noticed(
    request_: JudgingRequest,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: Patch,
    fault: str,
) -> None:
    """The law has teeth."""
    name, wrong = FAULTS[fault]
    take = SupersededInstances.take

    def careless(self: SupersededInstances, *of: Any) -> None:
        take(self, *of)

    monkeypatch.setattr(SupersededInstances, name, wrong or careless)
    assert any(
        any(differences(request_, tmp_path_factory.mktemp("logs"), seed, watches, rotations=0.2))
        for seed in range(12)
    )


def test_what_is_held_does_not_grow_with_generations(
    request_: JudgingRequest, tmp_path: Path
) -> None:
    """Of each gate the last generations are held, and a span of lines of each of the others."""
    chance = random.Random(3)
    told = list(watches(chance, late=0, wiped=0, astray=0, looks=60))
    with Follower([str(tmp_path)], request_) as follower:
        for look, lines in enumerate(told):
            with (tmp_path / "house.log").open("a") as log:
                log.writelines(written(text, 10 * look + at) for at, text in enumerate(lines))
            follower.poll()
        held = len(follower._live._tellers)
        everything = follower.report().checked.instances
    assert everything > 80
    assert held <= 4 * len(GATES), (held, everything)
