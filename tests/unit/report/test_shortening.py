"""What gives way where a line is too long: it goes on below, and nothing that differs is cut.

Covers: statemachines.report.sections.plain_texts, statemachines.report.text.text_columns,
statemachines.report.text.findings, statemachines.report.text.screen_fit,
statemachines.report.text.wrapped_lines, statemachines.report.text.repetitions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

import statemachines as sm
from statemachines.model.evidence.incidents import IncidentCause
from statemachines.model.evidence.reports import EpisodeOutcome, Place, Quote
from statemachines.report.text.document import to_text
from statemachines.report.text.text_columns import OutputStyle
from tests.unit.report.handmade import FULL

LETTERS = st.characters(min_codepoint=33, max_codepoint=126)
TITLES = st.lists(
    st.lists(st.text(LETTERS, min_size=1, max_size=90), min_size=1, max_size=5).map(" ".join),
    min_size=1,
    max_size=8,
    unique=True,
)
OUTCOMES = st.sampled_from([EpisodeOutcome.OPEN, EpisodeOutcome.HEALED, EpisodeOutcome.ENDED])


def without_blanks(lines: Iterable[str]) -> str:
    """What stands on a screen, whatever the line."""
    return "".join("".join(lines).split())


@given(TITLES, OUTCOMES, st.sampled_from([80, 100, 120]))
def test_what_befell_whom_is_whole_at_any_width(
    titles: list[str], outcome: EpisodeOutcome, width: int
) -> None:
    """Who is woken compares names: of two that differ none may look like the other, whatever they
    have in common.
    """
    first = FULL.incidents[0]
    incidents = tuple(
        evolve(first, number=number, kind=f"kind-{number}", title=title, outcome=outcome)
        for number, title in enumerate(titles)
    )
    report = evolve(FULL, incidents=incidents, findings=())
    lines = list(to_text(report, OutputStyle(width=width)))
    below = lines[lines.index("") :]
    assert without_blanks([titles[0]]) in without_blanks(lines[: -len(below)])
    assert all(without_blanks([title]) in without_blanks(below) for title in titles)
    whole = "\n".join(to_text(report, OutputStyle(width=10**6)))
    assert all(f" {title}  " in whole for title in titles)


MESSAGES = st.lists(st.text(LETTERS, min_size=1, max_size=30), min_size=1, max_size=60)


@given(MESSAGES.map(" ".join), st.sampled_from([80, 100, 120]))
def test_a_quoted_line_takes_two_lines_of_a_screen_and_is_whole_in_a_pipe(
    message: str, width: int
) -> None:
    """Four hundred letters of one line hide the next incident; `grep` needs all of them."""
    line = f"[main] ERROR {message} (org.shop.Till)"
    cause = IncidentCause(Quote(Place("shop.log", 7), f"12:00:01 {line}"))
    report = evolve(FULL, incidents=(evolve(FULL.incidents[0], cause=cause),), findings=())
    lines = list(to_text(report, OutputStyle(width=width)))
    assert len(lines[lines.index("") + 3 :][: lines[lines.index("") + 3 :].index("")]) <= 2
    assert any(f"      {line}   shop.log:7" == row for row in to_text(report, OutputStyle(10**6)))


@given(st.lists(st.text(LETTERS, min_size=1, max_size=12), min_size=1, max_size=30).map(" ".join))
def test_why_something_failed_is_told_to_its_end(reason: str) -> None:
    """The end of a reason tells most: which record, which partition, which key."""
    tried = next(finding for finding in FULL.findings if finding.kind == "failed")
    failed = evolve(tried, outcome=f"failed: {reason}")
    report = evolve(FULL, incidents=(), findings=(failed,))
    assert without_blanks([reason]) in without_blanks(to_text(report, OutputStyle(width=100)))


NAMES = st.lists(
    st.from_regex(r"[a-z]{3,12}-[0-9a-f]{4,40}-[0-9]{1,2}", fullmatch=True),
    min_size=1,
    max_size=5,
    unique=True,
)
STATES = st.from_regex(r"[A-Z][A-Za-z]{4,22}", fullmatch=True)


@given(NAMES, STATES, STATES, st.integers(80, 160))
def test_what_was_refused_and_what_became_of_it_are_whole(
    names: list[str], source: str, target: str, width: int
) -> None:
    """`OnlineReplica -> ReplicaDeletionSuccessf…` tells neither what was asked for nor whether it
    was done. Where the names leave too little they have lines of their own.
    """
    tried = next(finding for finding in FULL.findings if finding.kind == "failed")
    findings = tuple(
        evolve(tried, instance=(("order", name),), source=source, target=f"{target}{number}")
        for number, name in enumerate(names)
    )
    report = evolve(FULL, incidents=(), findings=findings)
    text = "\n".join(to_text(report, OutputStyle(width=width)))
    assert all(f"{source} -> {target}{number} failed" in text for number in range(len(names)))
    assert all(re.search(rf"\b{name}\b", text) for name in names)


def test_a_log_of_which_nothing_is_known_has_no_lists_of_names(tmp_path: Path) -> None:
    """Two lists of seventy names were longer than all that the report said."""
    log = tmp_path / "server.log"
    log.write_text("2026-01-01 10:00:00,000 INFO hello (shop.Door)\n")
    lines = list(to_text(sm.check(log)))
    assert len(lines) < 10
    assert "machines and systems not judged (--all says why" in lines[-1]
