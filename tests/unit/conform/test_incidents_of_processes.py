"""Lines of a machine that each process has one of are about that process.

Covers: statemachines.conform.incidents.troubles.
"""

from __future__ import annotations

from pathlib import Path

import statemachines as sm

CONTROL = """
notation: 1
machine: Control
states: {{ON: {{initial: true}}}}
log:
  {shared}logger: harbour.Control
  level: INFO
  lines:
    - {{text: "a rope was found cut", says: note, mark: found a rope cut}}
  incidents:
    cut-rope:
      of: found a rope cut
      title: "a rope of {{process}} was found cut"
      many: ropes were found cut
      repeats: 5 s
      means: Somebody was here.
      look: [The fence.]
      sources: [the manual]
"""


def counted(folder: Path, shared: str) -> list[tuple[str, int]]:
    """Return the title and the count of each incident where two processes say the same."""
    spec = folder / "Control.yaml"
    spec.write_text(CONTROL.format(shared=shared), "utf-8")
    for number in (1, 2):
        told = (
            f"2026-11-21 08:00:0{second + number},000 INFO a rope was found cut (harbour.Control)\n"
            for second in (1, 2)
        )
        (folder / f"harbour{number}.log").write_text("".join(told), "utf-8")
    logs = [folder / "harbour1.log", folder / "harbour2.log"]
    report = sm.check(logs, specs=[spec])
    return sorted((one.title, one.count) for one in report.incidents)


def test_two_processes_that_no_key_names_have_an_incident_each(tmp_path: Path) -> None:
    """Joined, the second one would be hidden behind the first."""
    assert [count for _, count in counted(tmp_path, "")] == [2, 2]


def test_what_all_processes_have_together_has_one_incident(tmp_path: Path) -> None:
    """Then it is one thing, whoever tells of it."""
    assert [count for _, count in counted(tmp_path, "shared: true\n  ")] == [4]
