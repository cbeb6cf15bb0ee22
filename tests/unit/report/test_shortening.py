"""What gives way where a line is too long: what all lines have in common, never what differs.

Covers: statemachines.report.sections.plain_texts, statemachines.report.text.text_columns,
statemachines.report.text.findings, statemachines.report.text.screen_fit.
"""

from __future__ import annotations

import re
from pathlib import Path
from uuid import UUID

from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

import statemachines as sm
from statemachines.report.text.document import to_text
from statemachines.report.text.text_columns import Cell, CellShortening, OutputStyle, aligned_rows
from tests.unit.report.handmade import FULL

ENDS = st.lists(
    st.from_regex(r"-till-[0-9]{1,3}", fullmatch=True), min_size=2, max_size=6, unique=True
)
OUTCOMES = st.sampled_from(["rests", "has no leader", "could not be reached"])


@given(st.uuids(), ENDS, OUTCOMES, st.integers(70, 120))
def test_names_that_begin_alike_are_cut_there(
    client: UUID, ends: list[str], outcome: str, width: int
) -> None:
    """A client's threads have its UUID in common: what differs is whole on every line, and so is
    what befell them.
    """
    rows = [
        [
            Cell(f"✗ shop-north-{client}{end} {outcome}", shortening=CellShortening.IN_NAMES),
            Cell("since 12:00:01, for 14 s"),
        ]
        for end in ends
    ]
    lines = list(aligned_rows(rows, OutputStyle(width=width)))
    numbers = [end.removeprefix("-till-") for end in ends]
    assert all(f"{number} {outcome} " in line for line, number in zip(lines, numbers, strict=True))
    assert all(len(line) <= width for line in lines)


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
