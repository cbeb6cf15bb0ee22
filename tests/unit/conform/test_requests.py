"""What became of requests: ignored, refused, raised, failed.

Covers: statemachines.conform.join.report_sources, statemachines.model.evidence.sources,
statemachines.conform.judge.checks.request_check.
"""

from __future__ import annotations

import pytest

from statemachines.model.evidence.verdicts import Verdict
from tests.doors import VERSION, House, kinds, moves, only


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("DEBUG Door d swallowed the wish from LOCKED to OPEN", "ignored"),
        ("WARN Door d will not go from LOCKED to JAMMED", "refused"),
        ("ERROR Door d threw up at going from OPEN to LOCKED", "raised"),
    ],
)
def test_a_wrong_request_that_the_spec_expects_holds(house: House, message: str, kind: str) -> None:
    """The request was wrong, the program behaved."""
    finding = only(house.judge(VERSION, message))
    assert (finding.kind, finding.verdict) == (kind, Verdict.HOLDS)
    assert "expected" not in finding.message


def test_what_was_raised_is_named(house: House) -> None:
    """The outcome says the exception that the spec declares."""
    assert (
        only(house.judge(VERSION, "ERROR Door d threw up at going from OPEN to LOCKED")).outcome
        == "raised StillOpen"
    )


def test_another_manner_than_the_spec_says_holds_and_is_said(house: House) -> None:
    """Forbidden it is; that it was refused and not swallowed is worth a word."""
    finding = only(house.judge(VERSION, "WARN Door d will not go from LOCKED to OPEN"))
    assert (finding.kind, finding.verdict) == ("refused", Verdict.HOLDS)
    assert "the spec expected it to be ignored" in finding.message


@pytest.mark.parametrize(
    ("message", "verdict"),
    [
        ("WARN Door d will not go from OPEN to CLOSED", Verdict.VIOLATED),
        ("ERROR Door d threw up at going from OPEN to CLOSED", Verdict.VIOLATED),
        ("DEBUG Door d swallowed the wish from OPEN to CLOSED", Verdict.INCONCLUSIVE),
    ],
)
def test_a_legal_request_that_was_not_granted_is_a_contradiction(
    house: House, message: str, verdict: Verdict
) -> None:
    """The spec allows it, the program says no."""
    finding = only(house.judge(VERSION, message))
    assert (finding.kind, finding.verdict) == ("contradiction", verdict)


def test_one_wording_for_refused_and_failed_is_told_apart_by_the_table(house: House) -> None:
    """Legal moves fail, forbidden ones are refused."""
    report = house.judge(
        VERSION,
        "ERROR Door d did not get from OPEN to CLOSED",
        "ERROR Door d did not get from OPEN to LOCKED",
    )
    assert kinds(report) == [("failed", "HOLDS", 2), ("refused", "HOLDS", 3)]


def test_repeated_failures_are_one_row_while_the_state_stays(house: House) -> None:
    """A flood is a count, not a list; a step in between begins a new row."""
    failure = "ERROR Door d did not get from OPEN to CLOSED"
    report = house.judge(
        VERSION,
        failure,
        failure,
        failure,
        "Door d goes from OPEN to CLOSED",
        "Door d goes from CLOSED to OPEN",
        failure,
    )
    assert [
        (f.kind, f.count, f.place.line if f.place else 0, f.last.line if f.last else None)
        for f in report.findings
    ] == [
        ("failed", 3, 2, 4),
        ("failed", 1, 7, None),
    ]


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        ("Door d was beaten to JAMMED", [("forbidden", "VIOLATED", 2)]),
        ("Door d was beaten to LOCKED", []),
    ],
)
def test_a_forced_step_begins_where_the_instance_is_believed(
    house: House, step: str, expected: list[tuple[str, str, int]]
) -> None:
    """It is what the line says, and no missing lines explain it away; of one that the table allows
    nothing is found.
    """
    house.spec.write_text(
        house.spec.read_text("utf-8").replace(
            "  episodes:",
            '    - {text: "Door {door} was beaten to {to}", says: forced, logger: house.Door,'
            " level: INFO}\n  episodes:",
        ),
        "utf-8",
    )
    report = house.judge(VERSION, "Door d goes from OPEN to CLOSED", step)
    assert [found for found in kinds(report) if found[2] > 2] == [
        (kind, verdict, line + 1) for kind, verdict, line in expected
    ]
    assert moves(report)[-1] == ("CLOSED", step.split()[-1], "told")
