"""Properties of machines over logs: what is told decides them, what is not accuses nobody; each report says how often.

Covers: statemachines.conform.interchange.check_plan,
statemachines.conform.join.rule_accounts, statemachines.conform.judge.instance.property_findings,
statemachines.conform.judge.tables.compiled_properties.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import statemachines as sm
from statemachines.model.evidence.reports import Report

FAMILY = """
notation: 1
family: jobs
releases: ["1", "2"]
log:
  lines:
    - {text: "the program of jobs begins", says: process begins, logger: J, level: INFO}
    - {text: "the program of jobs has release {release}", says: release, logger: J, level: INFO}
"""
JOB = """
notation: 1
machine: Job
family: jobs
types: {P: id}
variables: {owner: "P? = None", tries: "int = 0"}
events: {grab: {args: {by: P}}}
states: {FREE: {initial: true}, TAKEN: , OVER: {final: true}}
transitions:
  - {from: FREE, to: TAKEN, event: grab, effect: {owner: by}}
  - {from: TAKEN, to: FREE, event: drop, effect: {tries: tries + 1, owner: "None"}}
  - {from: TAKEN, to: OVER, event: finish}
always:
  owned: "implies(state == 'TAKEN', owner is not None)"
  fewTries: [{in: "1", holds: tries < 3}]
each step:
  sameOwner: "implies(before.owner is not None and owner is not None, owner == before.owner)"
  triesGrow: tries >= before.tries
log:
  instance: [job]
  patterns: {n: '\\d+'}
  lines:
    - {text: "the job {job} is queued", says: begin, state: FREE, logger: J, level: INFO}
    - {text: "the job {job} was grabbed by {by}", says: event, event: grab, args: {by: "{by}"}, logger: J, level: INFO}
    - {text: "the job {job} was dropped", says: event, event: drop, logger: J, level: INFO}
    - {text: "the job {job} has {n} tries", says: note, set: {tries: "{n}"}, logger: J, level: INFO}
    - {text: "the job {job} is owned by {o}", says: note, set: {owner: "{o}"}, logger: J, level: INFO}
    - {text: "the job {job} was finished by {o}", says: event, event: finish, set: {owner: "{o}"}, logger: J, level: INFO}
    - {text: "the job {job} took {n} tries", says: event, event: drop, set: {tries: "{n}"}, logger: J, level: INFO}
"""


def checked(folder: Path, *lines: str, spec: str = JOB) -> Report:
    """Judge lines, one a second."""
    (folder / "jobs.yaml").write_text(FAMILY, "utf-8")
    (folder / "Job.yaml").write_text(spec, "utf-8")
    texts = [
        f"[2026-01-01 10:00:{at:02},000] INFO {'' if line.startswith('the ') else 'the job a '}{line} (J)\n"
        for at, line in enumerate(lines)
    ]
    (folder / "a.log").write_text("".join(texts), "utf-8")
    return sm.check([folder / "a.log"], specs=[folder / "Job.yaml"], engine="local")


def broken(report: Report) -> list[tuple[str, int]]:
    return [
        (one.message.partition(":")[0], one.place.line)
        for one in report.findings
        if one.kind == "broken rule" and one.place
    ]


ONE = "the program of jobs has release 1"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ((ONE, "is queued", "was grabbed by bob", "is owned by None"), [("owned", 4)]),
        ((ONE, "is queued", "was grabbed by bob", "was finished by eve"), [("sameOwner", 4)]),
        ((ONE, "is queued", "was grabbed by bob", "has 4 tries", "has 5 tries"), [("fewTries", 4)]),
        ((ONE, "has 4 tries"), [("fewTries", 2)]),
        (
            (ONE, "is queued", "was grabbed by bob", "has 2 tries", "took 1 tries"),
            [("triesGrow", 5)],
        ),
    ],
)
def test_told_values_that_break_a_property_are_found_once_at_their_line(
    tmp_path: Path, lines: tuple[str, ...], expected: list[tuple[str, int]]
) -> None:
    """By lines of steps and by notes, whether the life's beginning is told or not."""
    report = checked(tmp_path, *lines)
    assert broken(report) == expected
    assert report.verdict is sm.Verdict.VIOLATED
    assert [row.rule for row in report.rules if row.broken] == [expected[0][0]]


@pytest.mark.parametrize(
    "lines",
    [
        (ONE, "was grabbed by bob", "was finished by bob"),
        (
            ONE,
            "is queued",
            "was grabbed by bob",
            "was dropped",
            "was grabbed by eve",
            "was finished by eve",
        ),
        ("is queued", "was grabbed by bob", "has 4 tries"),
        (
            ONE,
            "is queued",
            "was grabbed by bob",
            "has 2 tries",
            "the program of jobs begins",
            "took 1 tries",
        ),
        (
            ONE,
            "is queued",
            "was grabbed by bob",
            "has 2 tries",
            "is queued",
            "was grabbed by eve",
            "took 1 tries",
        ),
    ],
    ids=[
        "beginning lost",
        "dropped between",
        "a release without the rule fits",
        "restart",
        "another life",
    ],
)
def test_what_is_not_told_breaks_nothing(tmp_path: Path, lines: tuple[str, ...]) -> None:
    """A value of another life, or of before a restart, is none of now."""
    assert broken(checked(tmp_path, *lines)) == []


def test_a_property_that_was_never_decided_is_named_with_the_reason(tmp_path: Path) -> None:
    """Of a log that tells no tries, `triesGrow` says nothing: no silence, and no HOLDS."""
    spec = JOB.replace("always:\n", "always:\n  bug: {holds: tries < 1, expect: fails}\n")
    report = checked(tmp_path, ONE, "was grabbed by bob", "was finished by bob", spec=spec)
    row = {one.rule: one for one in report.rules}["triesGrow"]
    assert (row.judged, row.undecided, row.verdict, row.why) == (
        0,
        2,
        None,
        "no line tells enough to decide it",
    )
    assert [one.why for one in report.unjudged] == [
        "rules of Job: is known to fail (bug)",
        "rules of Job: no line tells enough to decide it (fewTries, triesGrow)",
    ]


def test_a_property_of_states_alone_is_judged_on_plain_steps(tmp_path: Path) -> None:
    """A machine whose lines tell no values is judged by the short way too."""
    gate = """
notation: 1
machine: Job
family: jobs
states: {SHUT: {initial: true}, AJAR: , WIDE: }
transitions: [{from: SHUT, to: AJAR}, {from: AJAR, to: WIDE}, {from: WIDE, to: SHUT}, {from: SHUT, to: WIDE}]
each step: {notAtOnce: "implies(before.state == 'SHUT', state != 'WIDE')"}
log:
  instance: [job]
  lines: [{text: "the job {job} went from {from} to {to}", says: step, logger: J, level: INFO}]
"""
    steps = ("SHUT to AJAR", "AJAR to WIDE", "WIDE to SHUT", "SHUT to WIDE")
    report = checked(tmp_path, *(f"went from {step}" for step in steps), spec=gate)
    assert broken(report) == [("notAtOnce", 4)]
    assert [(row.judged, row.broken) for row in report.rules if row.rule == "notAtOnce"] == [(4, 1)]


def test_a_note_right_after_a_beginning_is_of_that_life(tmp_path: Path) -> None:
    """The line of the beginning tells where the job is: what comes next is no guess."""
    spec = JOB.replace(
        "always:\n", "always:\n  noneYet: \"implies(state == 'FREE', tries == 0)\"\n"
    )
    report = checked(tmp_path, ONE, "the job a is queued", "has 2 tries", spec=spec)
    assert broken(report) == [("noneYet", 3)]
    again = checked(tmp_path, ONE, "the job a is queued", ONE, "has 2 tries", spec=spec)
    assert broken(again) == [("noneYet", 4)]
    since = "the program of jobs begins"
    assert not broken(
        checked(tmp_path, ONE, "the job a is queued", since, "has 2 tries", spec=spec)
    )
