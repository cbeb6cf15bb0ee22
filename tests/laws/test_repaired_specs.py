"""Law: a spec that was made wrong by one change is repaired by the logs of the right one, and by nothing more.

Covers: statemachines.mining.repair.spec_repair, statemachines.notation.formatting.spec_edits,
statemachines.mining.repair.drifted_wordings, statemachines.mining.repair.repair_proposals,
statemachines.mining.repair.word_alignment.
"""

from __future__ import annotations

import random
import re
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from statemachines.mining.repair.spec_repair import SpecRepair, repair_spec
from statemachines.model.evidence.verdicts import Verdict
from statemachines.notation.formatting.spec_edits import (
    AddedSpelling,
    AddedTransition,
    AddedWording,
    InitialState,
)
from tests.effort import some_of

STATES = ("NEW", "OPEN", "WAITING", "BUSY", "STUCK", "DONE")
WORDING = "item {item} went from {from} to {to}"
Table = dict[str, list[str]]


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Steps of a machine whose last state ends it; every state but the last is left."""
    size = draw(st.integers(4, len(STATES)))
    names = [*STATES[: size - 1], STATES[-1]]
    table = {name: [names[place + 1]] for place, name in enumerate(names[:-1])}
    for source in names[:-1]:
        more = draw(st.lists(st.sampled_from(names[1:]), max_size=1))
        table[source] += [target for target in more if target not in (source, *table[source])]
    return table


def spec_text(table: Table, wording: str = WORDING, initial: str = "NEW") -> str:
    """A spec, with comments that must stay."""
    states = [*table, "DONE"]
    lines = ["# Items of a shop.", "notation: 1", "machine: Item", "states:"]
    lines += [
        f"  {name}:{' {initial: true}' if name == initial else ' {final: true}' if name == 'DONE' else ''}  # {name.lower()}"
        for name in states
    ]
    lines += ["transitions:   # as the code has them"]
    lines += [f"  - {{from: {one}, to: {other}}}" for one in table for other in table[one]]
    lines += ["log:", "  instance: [item]", "  lines:", f'    - text: "{wording}"', "      says: step", "      logger: app.Items", "      level: INFO"]  # fmt: skip
    return "\n".join(lines) + "\n"


def log_text(table: Table, seed: int = 1) -> str:
    """Items that go through every step of the table, one after the other."""
    draw, lines, left = random.Random(seed), list[str](), {(s, t) for s in table for t in table[s]}
    for number in range(400):
        at = "NEW"
        while at != "DONE":
            after = next((t for t in table[at] if (at, t) in left), None) or draw.choice(table[at])
            left.discard((at, after))
            second = len(lines)
            lines.append(
                f"2026-01-01 {second // 3600:02}:{second // 60 % 60:02}:{second % 60:02},000 INFO item {number} went from {at} to {after} (app.Items)"
            )
            at = after
            if second > 3000:
                return "\n".join(lines) + "\n"
        if not left and number > 3:
            break
    return "\n".join(lines) + "\n"


def repaired(spec: str, log: str) -> SpecRepair:
    """Repair a spec; what comes of it must hold as it stands, with all comments."""
    with tempfile.TemporaryDirectory() as folder:
        file, logs = Path(folder) / "Item.yaml", Path(folder) / "items.log"
        file.write_text(spec)
        logs.write_text(log)
        result = repair_spec(file, [logs])
        assert file.read_text() == spec
        assert result.after is Verdict.HOLDS
        file.write_text(result.text)
        again = repair_spec(file, [logs])
    assert again.before is Verdict.HOLDS
    assert again.diff == ""
    assert all(line.split("#")[1] in result.text for line in spec.splitlines() if "#" in line)
    return result


@given(tables(), st.randoms(use_true_random=False))
@settings(max_examples=some_of(15), deadline=None)
def test_a_step_that_was_taken_out_is_found(table: Table, draw: random.Random) -> None:
    """And it alone."""
    source = draw.choice(list(table))
    target = draw.choice(table[source])
    without = {one: [t for t in table[one] if (one, t) != (source, target)] for one in table}
    result = repaired(spec_text(without), log_text(table))
    assert [change.edit for change in result.changes] == [AddedTransition(source, target)]
    assert f"+  - {{from: {source}, to: {target}}}\n" in result.diff


@given(tables(), st.randoms(use_true_random=False))
@settings(max_examples=some_of(15), deadline=None)
def test_a_state_that_is_called_otherwise_is_found(table: Table, draw: random.Random) -> None:
    """It stands among the same steps, and no line names the one of the spec."""
    state = draw.choice(list(table)[1:])
    text = (
        log_text(table)
        .replace(f"from {state} ", "from PARKED ")
        .replace(f"to {state} ", "to PARKED ")
    )
    result = repaired(spec_text(table), text)
    assert [change.edit for change in result.changes] == [AddedSpelling(state, "PARKED")]


@pytest.mark.parametrize(
    "wording",
    [
        "item {item} has gone from {from} to {to}",
        "shop item [{item}] went from {from} to {to}",
        "item {item} went from {from} to {to} by request",
        "the item {item} moved from {from} to {to}",
    ],
)
def test_a_wording_that_has_changed_is_found(wording: str) -> None:
    """The fields stay; what the program writes now stands beside what it wrote."""
    table = {"NEW": ["OPEN"], "OPEN": ["DONE", "NEW"]}
    text = log_text(table)
    for line in text.splitlines():
        message = line.split(" INFO ")[1].removesuffix(" (app.Items)").split()
        new = (
            wording.replace("{item}", message[1])
            .replace("{from}", message[4])
            .replace("{to}", message[6])
        )
        text = text.replace(f"{' '.join(message)} (", f"{new} (")
    result = repaired(spec_text(table), text)
    assert [
        change.edit.text for change in result.changes if isinstance(change.edit, AddedWording)
    ] == [wording]
    assert len(result.changes) == 1


def test_where_lives_begin_is_found() -> None:
    """The name of an item is given again after its end, and a line tells of it: the spec lets lives begin elsewhere."""
    table = {"NEW": ["OPEN"], "OPEN": ["DONE"]}
    spec = spec_text(table, initial="OPEN").replace(
        "  lines:\n",
        '  lines:\n    - text: "item {item} came in"\n      says: begin\n      state: NEW\n      logger: app.Items\n      level: INFO\n',
    )
    lines = list[str]()
    for line in log_text(table).splitlines():
        if "from NEW" in line:
            lines.append(line.replace("went from NEW to OPEN", "came in"))
        lines.append(line)
    text = re.sub(r"item \d+", "item 0", "\n".join(lines) + "\n")
    result = repaired(spec, text)
    assert [change.edit for change in result.changes] == [InitialState("NEW")]


def test_a_name_that_is_given_again_without_a_word_is_a_silent_step() -> None:
    """No line of the spec tells where a life begins, so only a step admits it."""
    table = {"NEW": ["OPEN"], "OPEN": ["DONE"]}
    text = re.sub(r"item \d+", "item 0", log_text(table))
    result = repaired(spec_text(table), text)
    assert [change.edit for change in result.changes] == [
        AddedTransition("DONE", "NEW", silent=True)
    ]


def test_a_spec_that_admits_the_logs_is_left_alone() -> None:
    """No change is the smallest."""
    table = {"NEW": ["OPEN"], "OPEN": ["DONE"]}
    assert repaired(spec_text(table), log_text(table)).changes == ()


def test_a_line_of_something_else_is_no_wording_of_this() -> None:
    """A few words in common do not make it one, and what is read already has not changed."""
    table = {"NEW": ["OPEN"], "OPEN": ["DONE"]}
    other = "2026-01-01 09:00:00,000 INFO parcel 5 went from OPEN to NEW (app.Parcels)\n"
    assert repaired(spec_text(table), log_text(table) + other * 3).changes == ()


def test_where_a_gap_is_left_no_more_is_changed_than_admits_the_rest() -> None:
    """A silent step back to where the item was admits it; it need not begin a life there, too."""
    table = {"NEW": ["OPEN"], "OPEN": ["BUSY", "DONE"], "BUSY": ["OPEN", "DONE"]}
    moves = ["a NEW DONE", "a OPEN BUSY", "a BUSY OPEN", "b NEW OPEN", "b BUSY OPEN"]
    text = "".join(
        f"2026-01-01 10:00:{second:02},000 INFO item {item} went from {before} to {after} (app.Items)\n"
        for second, (item, before, after) in enumerate(map(str.split, moves))
    )
    with tempfile.TemporaryDirectory() as folder:
        file, logs = Path(folder) / "Item.yaml", Path(folder) / "items.log"
        file.write_text(spec_text(table))
        logs.write_text(text)
        result = repair_spec(file, [logs])
    assert (result.before, result.after) == (Verdict.VIOLATED, Verdict.INCONCLUSIVE)
    assert [change.why for change in result.changes] == [
        "NEW -> DONE is taken",
        "DONE -> OPEN is taken, and no line tells it",
    ]
