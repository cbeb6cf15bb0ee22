"""Law: a machine whose log is mined is found again: its instances, and the states and steps that the log shows.

Covers: statemachines.mining.inference.other_lines, statemachines.mining.inference.machines.
"""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

import statemachines as sm
from tests.effort import some_of

NAMES = ("NEW", "OPEN", "WAITING", "BUSY", "STUCK", "CLOSING", "PARKED", "LOST")
WORDINGS = (
    "item {id} went from {source} to {target}",
    "[item {id}] State transition from {source} to {target}",
    "item {id}: {source} -> {target}",
    "Worker[id={id}, slot=3] changed state from {source} to {target} after 17 ms",
    "{id} Transitioned from {source} to {target}",
    "was {source} and is {target} ({id})",
)
Steps = list[tuple[str, str, str]]


@st.composite
def histories(draw: st.DrawFn) -> tuple[str, Steps]:
    """A wording, and steps of several instances of one random machine, mixed."""
    size = draw(st.integers(3, len(NAMES)))
    states = NAMES[:size]
    table = {
        state: draw(
            st.lists(
                st.sampled_from([s for s in states if s != state]),
                min_size=1,
                max_size=2,
                unique=True,
            )
        )
        for state in states
    }
    shuffled = random.Random(draw(st.integers(0, 2**32)))
    instances = [f"{kind}-{number}" for number, kind in enumerate(("box", "bag", "crate", "tin"))]
    at, steps = dict.fromkeys(instances, "NEW"), []
    for _ in range(draw(st.integers(24, 60))):
        name = shuffled.choice(instances)
        target = shuffled.choice(table[at[name]])
        steps.append((name, at[name], target))
        at[name] = target
    return draw(st.sampled_from(WORDINGS)), steps


def written(wording: str, steps: Steps) -> str:
    """The log of a program that writes one line a step, with other lines between."""
    lines = list[str]()
    for number, (name, source, target) in enumerate(steps):
        head = f"2026-01-01 10:{number // 60:02}:{number % 60:02},000 INFO "
        lines.append(head + wording.format(id=name, source=source, target=target) + " (app.Items)")
        lines.append(head + f"served {number} requests in {number % 7} ms (app.Web)")
    return "\n".join(lines) + "\n"


@given(histories())
@settings(max_examples=some_of(40), deadline=None)
def test_the_machine_behind_a_log_is_found(history: tuple[str, Steps]) -> None:
    """Which words are states and which name the instance is told by nothing but the lines."""
    wording, steps = history
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "items.log"
        log.write_text(written(wording, steps))
        found = sm.mine(log).specs[0]
        file = Path(folder) / "Items.yaml"
        file.write_text(found.text)
        spec = sm.load(file)
    moves = {(each.source, each.target) for each in spec.value.transitions}
    assert moves == {(source, target) for _, source, target in steps}
    assert found.verdict is sm.Verdict.HOLDS
    assert found.steps == len(steps)
