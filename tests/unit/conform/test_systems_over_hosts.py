"""Rules between machines that several processes tell of, or one process in several releases.

Covers: statemachines.conform.systems.part_timelines, statemachines.conform.systems.process_groups,
statemachines.conform.systems.system_account, statemachines.conform.systems.system_groups,
statemachines.conform.systems.system_judge, statemachines.conform.systems.system_history,
statemachines.conform.systems.system_properties.
"""

from __future__ import annotations

from pathlib import Path

import statemachines as sm
from statemachines.model.evidence.reports import Report

FAMILY = """
notation: 1
family: office
releases: ["1", "2"]
log: {lines: [{text: "office software release {release}", says: release, logger: O, level: INFO}]}
"""
PERSON = """
notation: 1
machine: {machine}
family: office
states: {{IDLE: {{initial: true}}, BUSY: }}
transitions: [{{from: IDLE, to: BUSY}}, {{from: BUSY, to: IDLE}}]
log:
  instance: [name]
  shared: {shared}
  lines: [{{text: "the {machine} {{name}} went from {{from}} to {{to}}", says: step, logger: O, level: INFO}}]
"""
OFFICE = """
notation: 1
system: Office
family: office
types: {C: id}
parts:
  boss: {machine: Boss}
  clerks: {machine: Clerk, each: C}
always:
  old: [{in: "1", holds: "implies(any(c.state == 'BUSY' for c in clerks.values()), boss.state == 'BUSY')"}]
  young: [{in: "2", holds: "implies(boss.state == 'IDLE', any(c.state == 'BUSY' for c in clerks.values()))"}]
"""


def checked(folder: Path, *, shared: str = "", release: str | None = None, **files: str) -> Report:
    """Judge files with lines `<second> <text>`; `B>` and `B<`: the boss begins and ends to be busy; `c1>` a clerk."""
    (folder / "office.yaml").write_text(FAMILY, "utf-8")
    for machine in ("Boss", "Clerk"):
        (folder / f"{machine}.yaml").write_text(
            PERSON.format(machine=machine, shared=str(machine in shared).lower()), "utf-8"
        )
    (folder / "Office.yaml").write_text(OFFICE, "utf-8")
    for name, lines in files.items():
        written = [_line(*line.split(maxsplit=1)) for line in lines.split(",")]
        (folder / f"{name}.log").write_text("".join(written), "utf-8")
    paths = [folder / f"{name}.log" for name in files]
    return sm.check(paths, specs=[folder / "Office.yaml"], release=release, engine="local")


def _line(at: str, what: str) -> str:
    move = "from IDLE to BUSY" if what[-1] == ">" else "from BUSY to IDLE"
    who = "the Boss hq" if what[0] == "B" else f"the Clerk hq-{what[1]}"
    text = what if what.startswith("office") else f"{who} went {move}"
    return f"[2026-01-01 10:{int(at) // 60:02}:{int(at) % 60:02},001] INFO {text} (O)\n"


def found(report: Report) -> list[tuple[str, str, str, int]]:
    broken = [one for one in report.findings if one.kind == "broken rule"]
    return [
        (
            one.message.partition(":")[0],
            one.verdict.name,
            one.place.file.rpartition("/")[2],
            one.place.line,
        )
        for one in broken
        if one.place
    ]


BOSS, CLERK = "1 B>,30 B<,50 B>", "2 c1>,40 c1<,55 c1>"


def test_shared_machines_of_two_hosts_are_judged_together(tmp_path: Path) -> None:
    """For ten seconds a clerk works while the boss does not: far more than clocks differ; within a second it cannot be told."""
    assert found(checked(tmp_path, shared="Boss Clerk", release="1", a=BOSS, b=CLERK)) == [
        ("old", "VIOLATED", "a.log", 2)
    ]
    assert found(checked(tmp_path, shared="Boss", release="1", a=BOSS, b=CLERK)) == [
        ("old", "VIOLATED", "a.log", 2)
    ]
    near = checked(tmp_path, shared="Boss Clerk", release="1", a=BOSS, b=CLERK.replace("40", "31"))
    assert found(near) == [("old", "INCONCLUSIVE", "a.log", 2)]


def test_parts_that_belong_to_no_whole_of_their_process_are_named(tmp_path: Path) -> None:
    """Machines that are not shared: each host has its own, so the clerk of the other is nobody's."""
    report = checked(tmp_path, release="1", a=BOSS, b=CLERK)
    assert found(report) == []
    assert ("rules of Office: nothing tells which instances belong together", 1) in [
        (row.why, row.count) for row in report.unjudged
    ]


def test_wholes_of_one_name_in_two_processes_are_named(tmp_path: Path) -> None:
    """Whose clerk it is nobody can tell."""
    report = checked(tmp_path, shared="Clerk", release="1", a=BOSS, b=CLERK, c=BOSS)
    assert found(report) == []
    assert {row.verdict for row in report.rules if row.machine == "Office"} == {None}
    assert any(
        "rules of Office: instances of one name in several processes" in row.why
        for row in report.unjudged
    )


def test_each_part_of_an_upgraded_log_is_judged_by_its_own_release(tmp_path: Path) -> None:
    """`old` is asked before the upgrade and `young` after it; what would break the other there is none."""
    lines = "0 office software release 1,1 B>,2 c1>,30 B<,40 c1<,60 office software release 2,61 B>,62 c1>,70 c1<,80 B<,90 c1>,91 B>,92 c1<"
    report = checked(tmp_path, a=lines)
    assert found(report) == [("old", "VIOLATED", "a.log", 4), ("young", "VIOLATED", "a.log", 10)]
    counts = {
        row.rule: (row.judged + row.undecided, row.broken)
        for row in report.rules
        if row.machine == "Office"
    }
    assert (counts["old"], counts["young"]) == ((4, 1), (7, 1))
