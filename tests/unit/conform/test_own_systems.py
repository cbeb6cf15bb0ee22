"""Systems of people's own, without a family: parts with other keys, in any order, that come back to where they began.

Covers: statemachines.conform.systems.system_instances,
statemachines.conform.systems.system_account.
"""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest

import statemachines as sm
from statemachines.model.evidence.reports import Report

MACHINE = """
notation: 1
machine: {machine}
states: {{{first}: {{initial: true}}, {second}: }}
transitions: [{{from: {first}, to: {second}}}, {{from: {second}, to: {first}}}]
log:
  {instance}
  lines: [{{text: "tower: {words} went {{from}} to {{to}}", says: step, logger: T, level: INFO}}]
"""
TOWER = """
notation: 1
system: Tower
parts:
{parts}
always:
  still: implies(power.state == 'DARK', lift.state == 'PARKED')
"""
PARTS = ("  lift: {machine: Lift}\n", "  power: {machine: Power}\n")
SECONDS = (
    "1 Power LIGHT DARK",
    "3 Power DARK LIGHT",
    "5 Lift PARKED MOVING",
    "7 Lift MOVING PARKED",
    "9 Power LIGHT DARK",
    "13 Lift PARKED MOVING",
    "17 Lift MOVING PARKED",
    "20 Power DARK LIGHT",
)


def checked(folder: Path, parts: str, power: str = "") -> Report:
    """Judge a log in which the lift moves in the dark, from the thirteenth second on."""
    machines = {
        "Lift": ("PARKED", "MOVING", "instance: [lift]", "lift {lift}"),
        "Power": ("LIGHT", "DARK", power and "instance: [line]", f"power{power}"),
    }
    for machine, (first, second, instance, words) in machines.items():
        text = MACHINE.format(
            machine=machine, first=first, second=second, instance=instance, words=words
        )
        (folder / f"{machine}.yaml").write_text(text, "utf-8")
    (folder / "Tower.yaml").write_text(TOWER.format(parts=parts), "utf-8")
    names = {"Lift": "lift 1", "Power": f"power{power.replace('{line}', 'x')}"}
    lines = [
        f"2026-01-01 10:00:{int(at):02},001 INFO T - tower: {names[what]} went {before} to {after}\n"
        for at, what, before, after in map(str.split, SECONDS)
    ]
    (folder / "a.log").write_text("".join(lines), "utf-8")
    return sm.check(folder / "a.log", specs=[folder / "Tower.yaml"], engine="local")


@pytest.mark.parametrize("parts", list(permutations(PARTS)))
def test_a_part_without_a_key_belongs_to_the_one_of_its_process_in_any_order(
    parts: tuple[str, ...], tmp_path: Path
) -> None:
    """Its author wrote the parts as they came; and a lift that parks again is no new tower."""
    broken = checked(tmp_path, "".join(parts)).findings
    assert [(one.kind, one.verdict.name, one.place and one.place.line) for one in broken] == [
        ("broken rule", "VIOLATED", 6)
    ]


def test_parts_whose_names_do_not_say_what_belongs_together_are_named(tmp_path: Path) -> None:
    """Each is looked at alone, so nothing is accused; and the rule is not said to hold in silence."""
    report = checked(tmp_path, "".join(PARTS), power=" {line}")
    assert report.findings == ()
    assert [row.why for row in report.unjudged if "Tower" in row.why] == [
        "rules of Tower: no two of its parts were seen together: they belong together by their names,"
        " and within a process unless a machine is `shared`"
    ]


def test_what_a_link_forbids_is_counted_where_another_rule_reports_it(tmp_path: Path) -> None:
    """One line, one finding; the row of each rule says that it is broken."""
    links = (
        "links:\n  - {on: lift, enters: MOVING, only if: power.state == 'LIGHT', doc: no light}\n"
    )
    report = checked(tmp_path, "".join(PARTS) + links)
    assert [finding.rule for finding in report.findings] == [("always", "still")]
    rows = {row.rule: row for row in report.rules if row.machine == "Tower" and row.rule}
    for rule in ("still", "lift enters MOVING too early"):
        assert (rows[rule].broken, str(rows[rule].verdict)) == (1, "VIOLATED"), rule
