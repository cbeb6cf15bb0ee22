"""Pieces of our own runs of releases that no other capture is of: nothing is accused, what happened is told, and a planted fault is found.

Each file of `tests/data/captures-own` is what one program or broker wrote, without the lines that tell of no life cycle (the name says the
release and what was done to it). Each was once judged wrongly, or stands for a release whose words differ.
"""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest

import statemachines as sm
from statemachines.model.evidence.reports import Report

FOLDER = Path(__file__).parent.parent / "data" / "captures-own"
with (FOLDER / "expected.tsv").open(encoding="utf-8") as told:
    EXPECTED = list(csv.DictReader(told, delimiter="\t"))
STREAMS = [row for row in EXPECTED if row["streams"] == "yes"][::3]
"""Every third: a check of the whole catalogue costs seconds."""


def judged(path: Path, row: dict[str, str]) -> Report:
    """Judge one file; a controller's own log tells no release."""
    return sm.check([path], release=row["given"] or None, engine="local")


def open_episodes(report: Report) -> str:
    """Return the kinds of open episodes that no orderly end explains, and how many there are of each."""
    kinds = Counter(
        episode.kind for episode in report.episodes if episode.open and not episode.orderly
    )
    return ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))


def named(row: dict[str, str]) -> str:
    return row["file"]


def test_every_file_is_listed() -> None:
    """A capture that nobody expects anything of proves nothing."""
    assert {row["file"] for row in EXPECTED} == {path.name for path in FOLDER.glob("*.log")}


@pytest.mark.parametrize("row", EXPECTED, ids=named)
def test_what_happened_is_told_and_nobody_is_accused(row: dict[str, str]) -> None:
    """The release is found out, every told step is in the timeline, and only what is true at the end is open."""
    report = judged(FOLDER / row["file"], row)
    assert report.verdict.name == row["verdict"]
    assert {one.releases for one in report.releases} == {row["file"].partition("_")[0]}
    assert sum(step.how == "told" for step in report.timeline) == int(row["steps"])
    assert open_episodes(report) == row["open"]
    assert not [one.why for one in report.unjudged if one.why.startswith("not a line")]


def a_told_step(path: Path) -> int:
    """Return the place of a line in the middle of a file in which a thread becomes RUNNING, with a later line of the same thread."""
    lines = path.read_text("utf-8").splitlines()
    at = [
        n
        for n, line in enumerate(lines)
        if "StreamThread-" in line and "from PARTITIONS_ASSIGNED to RUNNING" in line
    ]
    thread = {
        n: lines[n].partition("[")[2].partition("stream-thread [")[2].partition("]")[0] for n in at
    }
    return next(
        n
        for n in at
        if any(
            f"[{thread[n]}] State transition from RUNNING to PARTITIONS" in later
            for later in lines[n + 1 :]
        )
    )


@pytest.mark.parametrize("row", STREAMS, ids=named)
def test_a_forged_line_is_found(row: dict[str, str], tmp_path: Path) -> None:
    """No thread becomes DEAD from PARTITIONS_ASSIGNED, in any release."""
    source, log = FOLDER / row["file"], tmp_path / row["file"]
    place, lines = a_told_step(source), source.read_text("utf-8").splitlines()
    lines[place] = lines[place].replace("to RUNNING", "to DEAD")
    log.write_text("\n".join(lines), "utf-8")
    report = judged(log, row)
    assert report.verdict.name == "VIOLATED"
    found = [
        (one.kind, one.place.line)
        for one in report.findings
        if one.place and one.machine == "kafka/StreamThread"
    ]
    assert ("forbidden", place + 1) in found


@pytest.mark.parametrize("row", STREAMS, ids=named)
def test_a_lost_line_is_a_gap(row: dict[str, str], tmp_path: Path) -> None:
    """It accuses nobody, and what is missing is named."""
    source, log = FOLDER / row["file"], tmp_path / row["file"]
    place, lines = a_told_step(source), source.read_text("utf-8").splitlines()
    del lines[place]
    log.write_text("\n".join(lines), "utf-8")
    report = judged(log, row)
    assert report.verdict.name == "INCONCLUSIVE"
    gaps = [
        one.missing
        for one in report.findings
        if one.kind == "gap" and one.machine == "kafka/StreamThread"
    ]
    assert gaps == [("PARTITIONS_ASSIGNED -> RUNNING",)]
