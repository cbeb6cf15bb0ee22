"""A line that repeats at a louder level what quieter ones tell, where those are not shown.

Covers: statemachines.conform.judge.checks.observation_check.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import statemachines as sm

LIFT = """
notation: 1
machine: Lift
states: {PARKED: {initial: true}, MOVING: , STUCK: }
transitions:
  - {from: PARKED, to: MOVING}
  - {from: MOVING, to: PARKED}
  - {from: [PARKED, MOVING], to: STUCK}
log:
  instance: [lift]
  logger: house.Lift
  lines:
    - {text: "the lift {lift} was built", says: begin, state: PARKED, level: INFO}
    - {text: "the lift {lift} went from {from} to {to}", says: step, level: DEBUG}
    - {text: "the lift {lift} is stuck", says: is, state: STUCK, echo: true, mark: got stuck, level: WARN}
"""
BUILT, MOVES = ("INFO", "the lift 3 was built"), ("DEBUG", "the lift 3 went from PARKED to MOVING")
FAILS, STUCK = ("DEBUG", "the lift 3 went from MOVING to STUCK"), ("WARN", "the lift 3 is stuck")


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ([BUILT, STUCK], []),
        ([BUILT, MOVES, STUCK, FAILS], [("PARKED", "MOVING"), ("MOVING", "STUCK")]),
        ([BUILT, MOVES, FAILS, STUCK], [("PARKED", "MOVING"), ("MOVING", "STUCK")]),
    ],
    ids=["hidden", "before it", "after it"],
)
def test_an_echo_that_says_what_is_tells_no_step(
    tmp_path: Path, lines: list[tuple[str, str]], told: list[tuple[str, str]]
) -> None:
    """A lift that was parked when it was built may have moved since, at a level that is not shown:
    it is stuck, and nobody knows where it was before. Where the steps are shown, it only repeats
    them, and is counted.
    """
    (tmp_path / "Lift.yaml").write_text(LIFT, "utf-8")
    written = [
        f"[2026-01-01 10:00:0{at},000] {level} {text} (house.Lift)\n"
        for at, (level, text) in enumerate(lines)
    ]
    (tmp_path / "lift.log").write_text("".join(written), "utf-8")
    report = sm.check([tmp_path / "lift.log"], specs=[tmp_path / "Lift.yaml"], engine="local")
    steps = [one for one in report.timeline if one.how == "told"]
    assert [(one.source, one.target) for one in steps if one.source] == told
    assert [row.state for row in report.now] == [("STUCK",)]
    assert not report.findings
    assert [(row.kind, row.count) for row in report.repeated] == [("got stuck", 1)]
