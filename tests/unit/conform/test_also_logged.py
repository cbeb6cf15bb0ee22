"""Lines at ERROR or FATAL that no machine knows stand beside what happened then.

Somebody on call greps for ERROR first: what the program itself called trouble must not be lost
behind the one line that a spec knows, and must not be taken for a cause either.

Covers: statemachines.conform.incidents.also_logged, statemachines.conform.interchange.loud_lines.
"""

from __future__ import annotations

import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

import statemachines as sm
from statemachines.conform.interchange.loud_lines import (
    MOST_A_SECOND,
    LoudLines,
    add_loud_line,
    join_loud_lines,
    make_loud_line,
)
from statemachines.logs import LoudRecord
from statemachines.report.html.document import to_html
from statemachines.report.json_format import to_json
from statemachines.report.markdown_format import to_markdown
from statemachines.report.text.document import to_text

CRANE = """
notation: 1
machine: Crane
states:
  WORKING: {initial: true}
  BROKEN: {}
transitions:
  - {from: WORKING, to: BROKEN}
  - {from: BROKEN, to: WORKING}
log:
  instance: [crane]
  patterns: {crane: '[0-9]+'}
  logger: harbour.Crane
  level: INFO
  lines:
    - {text: "crane {crane} goes from {from} to {to}", says: step}
    - {text: "crane {crane} gives up", says: note, level: ERROR}
  episodes:
    broken: {while: "state == 'BROKEN'", title: "crane {crane} is broken"}
"""
BREAKS = (10.0, "INFO", "harbour.Crane", "crane 1 goes from WORKING to BROKEN")
Line = tuple[float, str, str, str]


def checked(folder: Path, *lines: Line, others: tuple[Line, ...] = ()) -> sm.Report:
    """Judge the lines of one process, and those of another one: second, level, logger, message."""
    folder.mkdir(exist_ok=True)
    (folder / "Crane.yaml").write_text(CRANE, "utf-8")
    logs = folder / "logs"
    logs.mkdir()
    for name, rows in (("north.log", lines), ("south.log", others)):
        texts = (
            f"2026-11-21 08:00:{second:06.3f} {level} [main] {logger} - {message}\n"
            for second, level, logger, message in rows
        )
        (logs / name).write_text("".join(texts), "utf-8")
    return sm.check([logs], specs=[folder / "Crane.yaml"])


def also_logged(report: sm.Report) -> list[tuple[str, int]]:
    """Return the file and line of what stands beside the only incident."""
    (incident,) = report.incidents
    return [(line.place.file, line.place.line) for line in incident.also_logged]


def test_an_error_that_no_machine_knows_stands_beside_what_happened_then(tmp_path: Path) -> None:
    """Whoever wrote it, known logger or not, before or after, in its words and with its place."""
    report = checked(
        tmp_path,
        (8, "ERROR", "shop.Office", "the insurance does not answer"),
        BREAKS,
        (11, "FATAL", "harbour.Crane", "the rope of crane 1 is torn"),
    )
    assert also_logged(report) == [("north.log", 1), ("north.log", 3)]


def test_what_is_far_or_quiet_or_known_or_of_another_process_does_not(tmp_path: Path) -> None:
    """It would be noise: nothing says that it has to do with the incident."""
    report = checked(
        tmp_path,
        (2, "ERROR", "shop.Office", "long before"),
        (9, "WARN", "shop.Office", "not loud"),
        BREAKS,
        (11, "ERROR", "harbour.Crane", "crane 1 gives up"),
        (18, "ERROR", "shop.Office", "long after"),
        others=((10, "ERROR", "shop.Office", "elsewhere"),),
    )
    assert also_logged(report) == []


def test_one_wording_is_quoted_once_and_few_of_many(tmp_path: Path) -> None:
    """A flood of errors is one line here, and many errors are the nearest three."""
    flood = [(10.2 + n / 100, "ERROR", "shop.Office", f"order {n} is lost") for n in range(9)]
    words = ("one", "two", "three", "four")
    many: list[Line] = [(13.0 + n / 10, "ERROR", "shop", word) for n, word in enumerate(words)]
    report = checked(tmp_path, BREAKS, *flood, *many)
    assert also_logged(report) == [("north.log", 2), ("north.log", 11), ("north.log", 12)]


def test_a_wording_stands_beside_one_incident(tmp_path: Path) -> None:
    """Two cranes that break at once do not both bring the same error."""
    other = (10.1, "INFO", "harbour.Crane", "crane 2 goes from WORKING to BROKEN")
    report = checked(tmp_path, BREAKS, other, (10.5, "ERROR", "shop.Office", "no insurance"))
    assert [len(one.also_logged) for one in report.incidents] == [1, 0]


def test_all_forms_of_the_report_have_it(tmp_path: Path) -> None:
    """People read it as text, as a page and in a chat, and programs as JSON."""
    report = checked(tmp_path, BREAKS, (11, "ERROR", "shop.Office", "the rope is torn"))
    text, markdown = "\n".join(to_text(report)), "".join(to_markdown(report))
    assert "also logged" in text
    assert "the rope is torn" in text
    assert "also logged: ERROR" in markdown
    assert "also logged" in "".join(to_html(report))
    (incident,) = json.loads("".join(to_json(report)))["incidents"]
    assert [(row["file"], row["line"]) for row in incident["also_logged"]] == [("north.log", 2)]


def kept(records: list[LoudRecord]) -> LoudLines:
    """Return what is kept of the records of one piece."""
    lines: LoudLines = {}
    for record in records:
        if line := make_loud_line(record):
            add_loud_line(lines, record.process, line)
    return lines


RECORDS = st.lists(
    st.builds(
        lambda at, words: LoudRecord(None, at, True, 0, words, words, "ERROR"),
        st.integers(0, 1_999),
        st.sampled_from("abcdef"),
    ),
    max_size=12,
)


@given(RECORDS, st.integers(0, 12))
def test_no_cut_of_a_file_changes_what_is_kept(records: list[LoudRecord], cut: int) -> None:
    """Both engines and any number of workers say the same bytes."""
    whole = kept([one._replace(line=n) for n, one in enumerate(records, 1)])
    cut = min(cut, len(records))
    left = kept([one._replace(line=n) for n, one in enumerate(records[:cut], 1)])
    right = kept([one._replace(line=n) for n, one in enumerate(records[cut:], 1)])
    assert join_loud_lines(left, right, cut, {}) == whole
    assert all(len(same) <= MOST_A_SECOND for same in whole.values())


def test_times_without_a_date_move_with_the_days_before() -> None:
    """A piece behind a midnight counts from its own day."""
    right = kept([LoudRecord("pod", 500, False, 1, "x", "x", "ERROR")])
    ((key, (line,)),) = join_loud_lines({}, right, 7, {"pod": 86_400_000}).items()
    assert key == ("pod", 86_400)
    assert (line.at_ms, line.line) == (86_400_500, 8)
