"""Law: lives that end, one after the other under one name, are never VIOLATED, whatever is lost of the heads of the later ones."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from statemachines.conform import check
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.evidence.reports import Report
from statemachines.model.evidence.verdicts import Verdict
from tests.doors import FAMILY, line
from tests.effort import some_of
from tests.strategies import table_machines

SOME = settings(
    max_examples=some_of(30),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.filter_too_much],
)
SIGN = "House program starting up"
Pairs = set[tuple[str, str]]


def text_of(machine: MachineDefinition, pairs: Pairs, finals: set[str], *, shared: bool) -> str:
    """Write a machine of told moves as a spec."""
    flags = {"initial": {s.name for s in machine.states if s.initial}, "final": finals}
    states = "".join(
        f"  {s.name}: {{{', '.join(f'{flag}: true' for flag, names in flags.items() if s.name in names)}}}\n"
        for s in machine.states
    )
    moves = ", ".join(f"{{from: {source}, to: {target}}}" for source, target in sorted(pairs))
    log = "log:\n  instance: [lamp]\n" + ("  shared: true\n" if shared else "") + "  lines:\n"
    told = '    - {text: "Lamp {lamp} goes from {from} to {to}", says: step, logger: house.Door, level: INFO}\n'
    return f"notation: 1\nmachine: Lamp\nfamily: house\nstates:\n{states}transitions: [{moves}]\n{log}{told}"


@st.composite
def histories(draw: st.DrawFn) -> tuple[str, list[str]]:
    """Draw a spec with ends that nothing leaves, and the lines of sound lives of one name, the later ones without their heads."""
    machine = draw(table_machines())
    finals = draw(st.sets(st.sampled_from([s.name for s in machine.states]), min_size=1))
    pairs = {(a.source, a.target) for a in machine.transitions if a.source not in finals}
    starts = {s.name for s in machine.states if s.initial} - finals
    rng, said = draw(st.randoms(use_true_random=False)), list[str]()
    for number in range(draw(st.integers(2, 4))):
        walked = walk(pairs, starts, finals, rng)
        lost = draw(st.integers(0, max(len(walked) - 1, 0))) if number else 0
        said += (
            [draw(st.sampled_from(["House software version 1.1", SIGN, "nothing"]))]
            if draw(st.booleans())
            else []
        )
        said += [f"Lamp d goes from {source} to {target}" for source, target in walked[lost:]]
    assume(any("Lamp" in text for text in said))
    return text_of(machine, pairs, finals, shared=draw(st.booleans())), [
        line(text, 100 * place) for place, text in enumerate(said)
    ]


def walk(
    pairs: Pairs, starts: set[str], finals: set[str], rng: random.Random
) -> list[tuple[str, str]]:
    """Walk from where a life begins to where it ends; nothing where chance leads to no end."""
    if not starts:
        return []
    state, way = rng.choice(sorted(starts)), list[tuple[str, str]]()
    while state not in finals and len(way) < 12:
        targets = sorted(target for source, target in pairs if source == state)
        if not targets:
            return []
        way.append((state, rng.choice(targets)))
        state = way[-1][1]
    return way if state in finals else []


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a family."""
    found = tmp_path_factory.mktemp("lamps")
    (found / "house.yaml").write_text(FAMILY, "utf-8")
    return found


def judged(folder: Path, spec: str, lines: list[str], cut: int) -> Report:
    """Judge lines in two files that were rotated."""
    (folder / "Lamp.yaml").write_text(spec, "utf-8")
    files = folder / "house.log.1", folder / "house.log"
    for file, part in zip(files, (lines[:cut], lines[cut:]), strict=True):
        file.write_text("".join(f"{entry}\n" for entry in part), "utf-8")
    return check(list(files), specs=[folder / "Lamp.yaml"], engine="local")


@SOME
@given(histories(), st.data())
def test_heads_of_later_lives_may_be_lost(
    folder: Path, history: tuple[str, list[str]], data: st.DataObject
) -> None:
    """A restart is no forbidden step, be there a sign of it or none, in one file or two."""
    spec, lines = history
    report = judged(folder, spec, lines, data.draw(st.integers(0, len(lines))))
    assert report.verdict is not Verdict.VIOLATED, [finding.message for finding in report.findings]
