"""Where the user's own program threw, and reasons that stand behind what they explain.

Covers: statemachines.conform.observe.reasons.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import statemachines as sm
from statemachines.conform.observe.reasons import thrown_place
from statemachines.report.json_format import to_json
from statemachines.report.markdown_format import to_markdown
from statemachines.report.text.document import to_text

FAMILY = """
notation: 1
family: press
releases: ["1.0"]
log:
  packages: [press, java]
  lines:
    - {text: "press begins", says: process begins, logger: press.Main, level: INFO}
"""
PRESS = """
notation: 1
machine: Press
family: press
states:
  RUNNING: {initial: true}
  STOPPED: {}
transitions:
  - {from: RUNNING, to: STOPPED}
  - {from: STOPPED, to: RUNNING}
log:
  instance: [press]
  patterns: {press: '[0-9]+'}
  lines:
    - {text: "press {press} goes from {from} to {to}", says: step, logger: press.Loop, level: INFO}
    - {text: "press {press} met an error", says: note, mark: met an error, logger: press.Loop, level: ERROR}
    - {text: "press {press} lets go", says: note, mark: let go, logger: press.Loop, level: INFO}
  incidents:
    press-stopped: {of: stopped, needs: cause}
  episodes:
    stopped: {while: "state == 'STOPPED'", title: "press {press} has stopped", because: [met an error, let go]}
"""
TRACE = """press.JobError: job 7 failed
\tat press.Loop.once(Loop.java:12)
\tat java.base/java.lang.Thread.run(Thread.java:829)
Caused by: java.lang.IllegalStateException: ink is out
\tat java.base/java.util.Map.get(Map.java:3)
\tat app//com.shop.Ink.take(Ink.java:41) ~[shop.jar:?]
\tat com.shop.Page.print(Page.java:7)
\t... 2 more
"""
PLACE = "com.shop.Ink.take(Ink.java:41)"


def checked(folder: Path, *messages: str) -> sm.Report:
    """Judge messages, one a second; what stands behind a first line feed belongs to its record."""
    for name, text in (("press", FAMILY), ("Press", PRESS)):
        (folder / f"{name}.yaml").write_text(text, "utf-8")
    rows = []
    for second, message in enumerate(("press begins", *messages)):
        first, _, rest = message.partition("\n")
        rows.append(f"2026-11-21 08:00:{second:02},000 INFO {first} (press.Loop)\n{rest}")
    (folder / "press.log").write_text("".join(rows), "utf-8")
    return sm.check([folder / "press.log"], specs=[folder / "Press.yaml"])


STOPS = "press 1 goes from RUNNING to STOPPED"


@pytest.mark.parametrize(
    "messages",
    [
        ("press 1 met an error\n" + TRACE, STOPS),
        (STOPS, "press 1 lets go\n" + TRACE),
        ("press 1 met an error\n" + TRACE, "press 1 met an error", STOPS),
        ("press 1 met an error\n" + TRACE, "press 1 lets go", STOPS),
    ],
    ids=["before", "behind", "said again", "and let go"],
)
def test_an_incident_names_where_the_users_own_program_threw(
    tmp_path: Path, messages: tuple[str, ...]
) -> None:
    """The system's lines are the same whatever was wrong; a JVM writes the last trace behind.

    That it goes down, as the next line says, is no other reason.
    """
    report = checked(tmp_path, *messages)
    (only,) = report.incidents
    assert only.cause is not None
    assert only.cause.words.startswith("java.lang.IllegalStateException: ink is out")
    assert only.cause.thrown_at == PLACE
    assert any(f"thrown at {PLACE}" in line for line in to_text(report))
    assert f"thrown at {PLACE}" in "".join(to_markdown(report))
    told = json.loads("".join(to_json(report)))
    assert told["incidents"][0]["cause"]["thrown_at"] == PLACE


def test_a_line_behind_without_a_reason_explains_nothing(tmp_path: Path) -> None:
    """Everything that ends says so, and what was asked for has no cause."""
    report = checked(tmp_path, STOPS, "press 1 lets go")
    assert not report.incidents


def test_what_was_explained_before_keeps_its_cause(tmp_path: Path) -> None:
    """What fails while it is taken down comes later, and is no cause."""
    other = "press.JobError: too late\n"
    report = checked(tmp_path, "press 1 met an error\n" + TRACE, STOPS, "press 1 lets go\n" + other)
    (only,) = report.incidents
    assert only.cause is not None
    assert "ink is out" in only.cause.words


@pytest.mark.parametrize(
    ("rest", "packages", "place"),
    [
        (TRACE, ("press", "java"), PLACE),
        (TRACE, (), ""),
        (TRACE, ("press", "java", "com"), ""),
        (TRACE, ("java", "com.shop.Ink"), "com.shop.Page.print(Page.java:7)"),
        (TRACE, ("java", "com"), "press.Loop.once(Loop.java:12)"),
        ("Caused by: a.B: at home (now)", ("press",), ""),
    ],
)
def test_the_deepest_cause_with_a_line_of_the_user_counts(
    rest: str, packages: tuple[str, ...], place: str
) -> None:
    """Without a list of the system's packages nothing is known of whose a line is."""
    assert thrown_place(rest.splitlines(), packages) == place
