"""What a program hardly ever says, shortly before the first thing that goes wrong, is quoted with it.

Whoever looks for the first sign of trouble looks for lines that stand in no other place; what no
machine knows must not be lost, and must not be taken for a cause either.

Covers: statemachines.conform.incidents.also_logged,
statemachines.conform.interchange.loud_lines, statemachines.logs.records.wordless_records.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import statemachines as sm
from statemachines.conform.interchange.loud_lines import (
    MOST_WORDINGS,
    RARE,
    RareLines,
    add_rare_line,
    join_rare_lines,
    make_loud_line,
)
from statemachines.logs import LoudRecord
from statemachines.report.html.document import to_html
from statemachines.report.json_format import to_json
from statemachines.report.markdown_format import to_markdown
from statemachines.report.text.document import to_text
from tests.unit.conform.test_also_logged import CRANE, Line, checked

BREAKS = (50.0, "INFO", "harbour.Crane", "crane 1 goes from WORKING to BROKEN")
OIL: Line = (30.0, "WARN", "shop.Office", "the oil is getting hot")


def also_unusual(report: sm.Report) -> list[tuple[str, int]]:
    """Return the file and line of what is told as unusual, beside any incident."""
    return [
        (line.place.file, line.place.line)
        for incident in report.incidents
        for line in incident.also_unusual
    ]


def test_a_rare_warning_shortly_before_is_told_and_is_no_cause(tmp_path: Path) -> None:
    """With its place; the line that the machine knows stays the cause."""
    report = checked(tmp_path, OIL, BREAKS)
    assert also_unusual(report) == [("north.log", 1)]
    (incident,) = report.incidents
    assert incident.cause is not None
    assert incident.cause.quote.place.line == 2


def test_what_is_frequent_late_quiet_known_or_of_another_process_is_not_told(
    tmp_path: Path,
) -> None:
    """It would be noise: of a wording that stands three times, two places do not count."""
    frequent: list[Line] = [(n, "WARN", "shop", f"bill {n} is late") for n in (40.0, 41.0, 42.0)]
    report = checked(
        tmp_path,
        (39.0, "INFO", "shop.Office", "the office opens"),
        *frequent,
        (44.0, "ERROR", "harbour.Crane", "crane 1 gives up"),
        BREAKS,
        (51.0, "WARN", "shop.Office", "too late"),
        others=((45.0, "WARN", "shop.Office", "elsewhere"),),
    )
    assert also_unusual(report) == []


def test_at_most_three_are_told_the_nearest_and_each_wording_once(tmp_path: Path) -> None:
    """In the order of the log, beside the first incident only."""
    many: list[Line] = [(float(n), "WARN", "shop", word * 3) for n, word in enumerate("abcd", 20)]
    twice: list[Line] = [(40.0 + n, "WARN", "shop", f"bill {n} is late") for n in range(2)]
    other = (55.0, "INFO", "harbour.Crane", "crane 2 goes from WORKING to BROKEN")
    report = checked(tmp_path, *many, *twice, BREAKS, other)
    assert also_unusual(report) == [("north.log", 3), ("north.log", 4), ("north.log", 6)]
    assert [len(one.also_unusual) for one in report.incidents] == [3, 0]


def test_what_stands_beside_it_already_is_told_once(tmp_path: Path) -> None:
    """An error within five seconds is `also logged`."""
    report = checked(tmp_path, (48.0, "ERROR", "shop.Office", "the rope is torn"), BREAKS)
    assert also_unusual(report) == []
    assert [len(one.also_logged) for one in report.incidents] == [1]


@pytest.mark.parametrize(("breaks", "told"), [(50.0, []), (34.0, [2])])
def test_what_a_start_warns_of_is_told_where_the_start_goes_wrong(
    tmp_path: Path, breaks: float, told: list[int]
) -> None:
    """Each start warns of the same settings: half a minute later that is no sign of anything."""
    family = "log:\n  logger: harbour.Main\n  level: INFO\n  lines:\n"
    family += "    - {text: the harbour opens, says: process begins}\n"
    harbour = f'notation: 1\nfamily: harbour\nreleases: ["1.0"]\n{family}'
    (tmp_path / "harbour.yaml").write_text(harbour, "utf-8")
    crane = CRANE.replace("machine: Crane\n", "machine: Crane\nfamily: harbour\n")
    (tmp_path / "Crane.yaml").write_text(crane, "utf-8")
    rows = ((29.0, "INFO", "harbour.Main", "the harbour opens"), OIL, (breaks, *BREAKS[1:]))
    (tmp_path / "harbour.log").write_text(
        "".join(f"2026-11-21 08:00:{s:06.3f} {v} [main] {n} - {t}\n" for s, v, n, t in rows),
        "utf-8",
    )
    report = sm.check([tmp_path / "harbour.log"], specs=[tmp_path / "Crane.yaml"])
    assert len(report.incidents) == 1
    assert [line for _, line in also_unusual(report)] == told


def test_a_wording_is_quoted_once(tmp_path: Path) -> None:
    """Who reads the same error twice, once as *also logged*, looks for what differs."""
    torn: list[Line] = [
        (30.0, "ERROR", "shop", "rope 3 is torn"),
        (48.0, "ERROR", "shop", "rope 14 is torn"),
    ]
    report = checked(tmp_path, *torn, BREAKS)
    assert [len(one.also_logged) for one in report.incidents] == [1]
    assert also_unusual(report) == []


def test_all_forms_of_the_report_have_it(tmp_path: Path) -> None:
    """People read it as text, as a page and in a chat, and programs as JSON."""
    report = checked(tmp_path, OIL, BREAKS)
    assert "also unusual, before" in "\n".join(to_text(report))
    assert "also unusual: WARN" in "".join(to_markdown(report))
    assert "also unusual" in "".join(to_html(report))
    (incident,) = json.loads("".join(to_json(report)))["incidents"]
    assert [(row["file"], row["line"]) for row in incident["also_unusual"]] == [("north.log", 1)]


def test_a_flood_of_warnings_hides_no_other_line(tmp_path: Path) -> None:
    """They are passed over; what stands among them with a word is read, and what is rare is told."""
    flood: list[Line] = [(n / 10, "WARN", "shop", f"bill {n} is late") for n in range(400)]
    works = (45.0, "WARN", "harbour.Crane", "crane 1 goes from BROKEN to WORKING")
    breaks = (0.05, "INFO", "harbour.Crane", "crane 1 goes from WORKING to BROKEN")
    report = checked(tmp_path, *flood[:200], OIL, *flood[200:], works, BREAKS)
    assert also_unusual(report) == [("north.log", 201)]
    assert report.checked.steps == 2
    assert report.checked.lines == 403
    alone = checked(tmp_path / "alone", breaks, *flood)
    assert also_unusual(alone) == []


@pytest.mark.parametrize("pods", [1, 2])
def test_each_process_of_a_file_counts_by_itself(tmp_path: Path, pods: int) -> None:
    """What one of them says all the time another one may say once."""
    (tmp_path / "Crane.yaml").write_text(CRANE, "utf-8")
    time = "2026-11-21 08:00:{:06.3f}"
    lines = [f"pod-1 {time.format(n)} WARN [main] shop - a bill is late" for n in range(30)]
    lines += [f"pod-{pods} {time.format(31)} WARN [main] shop - a bill is late"]
    lines += [f"pod-{pods} {time.format(32)} INFO [main] harbour.Crane - {BREAKS[3]}"]
    (tmp_path / "all.log").write_text("".join(f"{line}\n" for line in lines), "utf-8")
    report = sm.check([tmp_path / "all.log"], specs=[tmp_path / "Crane.yaml"])
    assert [line for _, line in also_unusual(report)] == ([] if pods == 1 else [31])


def counted(words: list[str]) -> RareLines:
    """Return what is counted of the warnings of one piece, one a line."""
    lines: RareLines = {}
    for number, word in enumerate(words, 1):
        line = make_loud_line(LoudRecord(None, 0, True, number, word, word, "WARN"))
        assert line is not None
        add_rare_line(lines, None, line)
    return lines


WORDS = st.lists(
    st.integers(0, 2 * MOST_WORDINGS).map(lambda n: f"word {chr(0x4E00 + n)}"),
    max_size=3 * MOST_WORDINGS,
)


@given(WORDS, st.integers(0, 3 * MOST_WORDINGS))
def test_no_cut_of_a_file_changes_what_is_counted(words: list[str], cut: int) -> None:
    """Both engines and any number of workers say the same bytes, also of more than are kept."""
    cut = min(cut, len(words))
    whole, left, right = counted(words), counted(words[:cut]), counted(words[cut:])
    assert join_rare_lines(left, right, cut, {}) == whole
    assert len(whole) <= MOST_WORDINGS
    assert all(
        one.times == min(words.count(wording.decode()), RARE + 1)
        for (_, wording), one in whole.items()
    )
