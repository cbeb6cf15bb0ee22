"""Systems of a family, whose programs say when they begin: only that, and no step, ends what was known.

Covers: statemachines.conform.systems.system_history.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

import statemachines as sm
from statemachines.model.evidence.reports import Report
from statemachines.report.sections.verdict_summary import partly_decided

FAMILY = r"""
notation: 1
family: crossing
releases: ["1.0"]
log:
  patterns: {release: '\d+\.\d+'}
  lines:
    - {text: "crossing service starts on port {*}", says: process begins, logger: a.Main, level: INFO}
"""
MACHINE = """
notation: 1
machine: {machine}
family: crossing
states: {{{first}: {{initial: true}}, {second}: }}
transitions: [{{from: {first}, to: {second}}}, {{from: {second}, to: {first}}}]
log:
  lines: [{{text: "the {machine} went from {{from}} to {{to}}", says: step, logger: a.Parts, level: INFO}}]
"""
SYSTEM = """
notation: 1
system: Crossing
family: crossing
parts:
  gate: {machine: Gate}
  lamp: {machine: Lamp}
always:
  safe: gate.state == 'SHUT' or lamp.state == 'GREEN'
"""
STATES = {"Gate": ("SHUT", "OPEN"), "Lamp": ("RED", "GREEN")}


def checked(happenings: list[str]) -> Report:
    """Judge a log in which every ten seconds a part moves, or the program begins (`start`)."""
    now, lines = {"Gate": 0, "Lamp": 0}, []
    for number, what in enumerate(happenings):
        at = f"2026-10-01 {10 + number // 360:02}:{number // 6 % 60:02}:{number % 6}0,001 INFO"
        if what == "start":
            now = {"Gate": 0, "Lamp": 0}
            lines.append(f"{at} a.Main - crossing service starts on port 80")
        else:
            before = now[what]
            now[what] = 1 - before
            states = STATES[what]
            lines.append(
                f"{at} a.Parts - the {what} went from {states[before]} to {states[1 - before]}"
            )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "crossing.yaml").write_text(FAMILY, "utf-8")
        for machine, (first, second) in STATES.items():
            text = MACHINE.format(machine=machine, first=first, second=second)
            (folder / f"{machine}.yaml").write_text(text, "utf-8")
        (folder / "Crossing.yaml").write_text(SYSTEM, "utf-8")
        (folder / "x.log").write_text("\n".join(lines) + "\n", "utf-8")
        specs = [folder / f"{one}.yaml" for one in ("Crossing", "Gate", "Lamp")]
        return sm.check(folder / "x.log", specs=specs)


def broken_lines(report: Report) -> list[int]:
    """Return the lines at which the rule is said to be broken."""
    return [
        one.place.line
        for one in report.findings
        if one.kind == "broken rule" and one.verdict.name == "VIOLATED" and one.place
    ]


def breaks(happenings: list[str]) -> dict[int, bool]:
    """Return the lines at which the rule begins to be broken, both parts having moved since the program began, and whether
    the other part moves once more before it ends: lines at the end of a run may be lost.
    """
    found, open_gate, green, moved, was_broken = dict[int, bool](), False, False, set[str](), False
    for number, what in enumerate(happenings, 1):
        if what == "start":
            open_gate, green, moved, was_broken = False, False, set[str](), False
            continue
        moved.add(what)
        open_gate, green = open_gate ^ (what == "Gate"), green ^ (what == "Lamp")
        is_broken = open_gate and not green and moved == {"Gate", "Lamp"}
        if is_broken and not was_broken:
            rest = [*happenings[number:], "start"]
            other = "Lamp" if what == "Gate" else "Gate"
            found[number] = other in rest[: rest.index("start")]
        was_broken = is_broken
    return found


def test_a_step_out_of_an_initial_state_ends_nothing_that_is_known() -> None:
    """The gate opens before a red lamp; it opened before, and the program began only once."""
    report = checked(["start", "Lamp", "Gate", "Gate", "Lamp", "Gate", "Gate", "Lamp"])
    assert broken_lines(report) == [6]


def test_what_was_known_ends_where_the_program_begins_anew() -> None:
    """The lamp was red when the program ended; what it is now, nobody told."""
    assert not broken_lines(checked(["start", "Lamp", "Lamp", "start", "Gate", "Gate"]))


def test_a_program_that_never_says_so_may_have_begun_and_the_report_counts_it() -> None:
    """Then what could not be decided is said, for the verdict is only of the rest."""
    report = checked(["Lamp", "Gate", "Gate", "Lamp", "Gate", "Gate"])
    row = next(row for row in report.rules if row.rule == "safe")
    assert (broken_lines(report), row.undecided > 0) == ([], True)
    assert any("rule safe of Crossing: judged" in line for line in partly_decided(report))


@given(st.lists(st.sampled_from(["Gate", "Lamp", "Lamp", "start"]), min_size=1, max_size=14))
def test_what_surely_breaks_the_rule_is_found_and_nothing_that_does_not(
    happenings: list[str],
) -> None:
    """Over random runs of a program that says when it begins."""
    told = {*broken_lines(checked(["start", *happenings]))}
    broken = breaks(["start", *happenings])
    assert {line for line, is_sure in broken.items() if is_sure} <= told <= broken.keys()
