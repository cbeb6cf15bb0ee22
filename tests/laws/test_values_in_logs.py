"""Law: a machine with data is judged by what its log tells of its values; whatever is not told accuses nobody."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from attrs import frozen
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import statemachines as sm
from statemachines.model.evidence.reports import Report

FAMILY = "notation: 1\nfamily: boxes\nreleases: ['1', '2', '3']\n"
VARIABLES = {
    "level": "0..5 = 0",
    "flag": "bool = False",
    "spare": "0..5? = None",
    "seen": "set[0..5] = set()",
    "wall": "list[0..5] = []",
    "name": "text = ''",
}
GUARDS = (
    "level + amount <= 5", "level > 0", "flag", "not flag", "spare is None", "spare is not None and spare > 1", "level in seen", "amount not in seen",
    "len(seen) < 2", "len(wall) < 2 and (level > 1 or flag)", "len(wall) > 0 and wall[0] == amount", "level < 4 and level + amount <= 5",
    "all(x < 4 for x in seen)",
)  # fmt: skip
"""Some would raise, or cannot be told, where only a part of the values is known."""
EFFECTS = {
    "level": ("amount", "0", "min(level + amount, 5)"),
    "flag": ("not flag", "amount > 2"),
    "spare": ("None", "amount"),
    "seen": ("seen | {amount}", "set()", "seen - {level}"),
    "wall": ("[amount]", "[]", "[amount, level]"),
    "name": ("''", "'the lid (left), äöü'"),
}
STATES = ("SHUT", "AJAR", "WIDE")


@frozen
class Box:
    """A random machine whose lines tell all of its events, and after each the values of some variables."""

    text: str
    events: tuple[str, ...]
    told: tuple[str, ...]
    mute: tuple[str, ...]
    """Events that no line tells."""

    def line(self, event: str, amount: int, after: sm.Snapshot) -> str:
        """Return the line that an event writes."""
        values = "".join(f" | {name} {written(after.variables[name])}" for name in self.told)
        return f"box a went through {event} by {amount}{values} | end"


def written(value: object) -> str:
    """Return a value as programs write it."""
    if isinstance(value, frozenset | tuple):
        return "[" + ", ".join(map(str, value)) + "]"
    return (
        {None: "null", True: "true", False: "false"}.get(value, str(value))
        if value is None or isinstance(value, bool)
        else str(value)
    )


def box(random: Random, told: tuple[str, ...], *, all_told: bool) -> Box:
    """Make a machine of one to four events, one to three arrows each."""
    events = tuple(f"move{number}" for number in range(random.randint(1, 4)))
    mute = () if all_told else tuple(random.sample(events, random.randint(0, len(events) - 1)))
    arrows = [arrow for event in events for arrow in _arrows(random, event)]
    values = "".join(f" | {name} {{{name}}}" for name in told)
    sets = ", ".join(f'{name}: "{{{name}}}"' for name in told)
    lines = [
        f"    - {{text: \"box {{box}} went through {event} by {{amount}}{values} | end\", says: event, event: {event}, "
        f"args: {{amount: \"{{amount}}\"}}, set: {{{sets}}}, logger: B, level: INFO}}"
        for event in events
        if event not in mute
    ]  # fmt: skip
    text = "\n".join([
        "notation: 1", "machine: Box", "family: boxes", "in: '1..'", "variables:", *(f'  {name}: "{type_}"' for name, type_ in VARIABLES.items()),
        "events:", *(f'  {event}: {{args: {{amount: "0..5"}}}}' for event in events),
        "states: {SHUT: {initial: true}, AJAR: {}, WIDE: {}}", "transitions:", *arrows,
        "log:", "  instance: [box]", "  patterns: {box: '[a-z]', " + ", ".join(f"{name}: '[^|]*'" for name in (*VARIABLES, "amount")) + "}", "  lines:",
        '    - {text: "box {box} was put here", says: begin, state: SHUT, logger: B, level: INFO}', *lines, "",
    ])  # fmt: skip
    return Box(text, events, told, mute)


def _arrows(random: Random, event: str) -> list[str]:
    """Return the arrows of an event, from different states; a guard may differ between releases."""
    found = []
    for source in random.sample(STATES, random.randint(1, 3)):
        target = random.choice(STATES)
        effects = ", ".join(
            f'{name}: "{random.choice(EFFECTS[name])}"'
            for name in random.sample(sorted(EFFECTS), random.randint(0, 3))
        )
        ranges = random.choice([("'1..'",), ("'1'", "'2..'"), ("'1..2'", "'3'")])
        for releases in ranges:
            guard = random.choice(GUARDS)
            found.append(
                f'  - {{from: {source}, to: {target}, event: {event}, in: {releases}, guard: "{guard}", effect: {{{effects}}}}}'
            )
    return found


def history(made: Box, machine: sm.Machine, random: Random) -> tuple[list[str], str, bool]:
    """Return the lines of a legal history, one of a step that the machine refuses at its end, and whether only a guard refuses it."""
    now, lines, refused, guarded = machine.start(), ["box a was put here"], "", False
    for _ in range(14):
        event, amount = random.choice(made.events), random.randint(0, 5)
        answer = sm.step(machine, now, event, amount=amount)
        if isinstance(answer, sm.Advanced):
            now, refused = answer.after, ""
            lines += [made.line(event, amount, now)] if event not in made.mute else []
        elif isinstance(answer, sm.Refused):
            refused = made.line(event, amount, now)
            guarded = any(
                (arrow.source, arrow.event) == (now.state, event) for arrow in machine.transitions
            )
    return lines, refused, guarded


def judged(folder: Path, lines: list[str], release: str | None) -> Report:
    """Write the lines, one a second, and judge them."""
    written_lines = [
        f"[2026-01-01 10:{at // 60:02}:{at % 60:02},000] INFO {line} (B)\n"
        for at, line in enumerate(lines)
    ]
    (folder / "box.log").write_text("".join(written_lines), "utf-8")
    return sm.check(
        [folder / "box.log"], specs=[folder / "Box.yaml"], release=release, engine="local"
    )


@settings(deadline=None, suppress_health_check=list(HealthCheck))
@given(
    seed=st.integers(0, 10**6),
    told=st.sets(st.sampled_from(sorted(VARIABLES))),
    release=st.sampled_from("123"),
    given_=st.booleans(),
    all_told=st.booleans(),
)
def test_what_is_not_told_accuses_nobody_and_what_is_told_finds_a_refused_step(
    tmp_path_factory: pytest.TempPathFactory,
    seed: int,
    told: set[str],
    release: str,
    given_: bool,
    all_told: bool,
) -> None:
    """Events without lines, logs that are cut at the head or the tail; a release that is named, or all of them fitting.

    A step that only its state forbids may follow lines that were lost; so may one that told values forbid, but values that are told count.
    """
    folder, random = tmp_path_factory.mktemp("box"), Random(seed)
    made = box(random, tuple(sorted(told)), all_told=all_told)
    (folder / "boxes.yaml").write_text(FAMILY, "utf-8")
    (folder / "Box.yaml").write_text(made.text, "utf-8")
    machine = sm.load(folder / "Box.yaml").at(release)
    lines, refused, guarded = history(made, machine, random)
    named = release if given_ else None
    assert [one.message for one in judged(folder, lines, named).findings] == []
    for cut in (lines[random.randrange(len(lines)) :], lines[: random.randrange(len(lines)) + 1]):
        assert judged(folder, cut, named).verdict is not sm.Verdict.VIOLATED
    lost = random.randrange(len(lines))
    accused = [
        one
        for one in judged(folder, lines[:lost] + lines[lost + 1 :], named).findings
        if one.verdict is sm.Verdict.VIOLATED
    ]
    assert all("no guard holds with" in one.message or one.kind == "no release" for one in accused)
    if refused and given_ and all_told:
        found = judged(folder, [*lines, refused], named)
        assert [
            one.place.line
            for one in found.findings
            if one.place and one.verdict is not sm.Verdict.HOLDS
        ] == [len(lines) + 1]
        assert found.verdict is sm.Verdict.VIOLATED or not guarded
