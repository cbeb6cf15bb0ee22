"""What somebody asked for, what follows from it, and what only takes its time: no trouble.

Covers: statemachines.conform.incidents.incident_rows,
statemachines.report.sections.incident_story, statemachines.report.text.incident_lines,
statemachines.report.html.incident_sections.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import statemachines as sm
from statemachines.model.evidence.incidents import Health
from statemachines.report.formats import report_in_form
from statemachines.report.text.document import to_text
from statemachines.report.text.text_columns import OutputStyle

FAMILY = """
notation: 1
family: mill
releases: ["1.0"]
log:
  logger: mill.Main
  level: INFO
  lines:
    - {text: "the mill begins to work", says: process begins}
"""
MILL = """
notation: 1
machine: Mill
family: mill
states:
  TURNING: {initial: true}
  STOPPED: {}
  CLEANED: {}
transitions:
  - {from: TURNING, to: CLEANED}
  - {from: CLEANED, to: TURNING}
  - {from: TURNING, to: STOPPED}
  - {from: STOPPED, to: TURNING}
log:
  shared: true
  instance: [mill]
  logger: mill.Main
  level: INFO
  lines:
    - {text: "mill {mill} goes from {from} to {to}", says: step}
    - {text: "mill {mill} is not found", says: note, mark: was not found}
    - {text: "baker of mill {mill} has no flour", says: note, mark: has no flour}
    - {text: "baker of mill {mill} is angry", says: note, mark: is angry}
  incidents:
    mill-stopped: {of: stopped, harm: none}
    mill-cleaned: {of: cleaned, harm: delay, within: 3 s}
    mill-not-found:
      of: was not found
      title: "mill {mill} is not found"
      was: "mill {mill} was not found"
      repeats: 3 s
      follows: [mill-stopped]
    baker-angry:
      of: is angry
      title: "the baker of mill {mill} was angry"
      follows: [mill-not-found, mill-stopped]
    no-flour:
      of: has no flour
      harm: outage
      title: "the baker of mill {mill} has no flour"
      was: "the baker of mill {mill} had no flour"
      repeats: 3 s
      follows: [mill-stopped]
  episodes:
    stopped: {while: "state == 'STOPPED'", title: "mill {mill} is stopped", was: "mill {mill} stood still"}
    cleaned: {while: "state == 'CLEANED'", title: "mill {mill} is cleaned", was: "mill {mill} was cleaned"}
"""
CLEANS, IS_CLEAN = "mill 1 goes from TURNING to CLEANED", "mill 1 goes from CLEANED to TURNING"
STOPS, TURNS = "mill 1 goes from TURNING to STOPPED", "mill 1 goes from STOPPED to TURNING"
LOST, HUNGRY, OTHER = "mill 1 is not found", "baker of mill 1 has no flour", "the sun shines"


def checked(folder: Path, *messages: str, second: int = 1) -> sm.Report:
    """Judge lines that stand some seconds apart."""
    (folder / "mill.yaml").write_text(FAMILY, "utf-8")
    (folder / "Mill.yaml").write_text(MILL, "utf-8")
    texts = (
        f"2026-11-21 08:{number * second // 60:02}:{number * second % 60:02},000 INFO {message}"
        " (mill.Main)\n"
        for number, message in enumerate(("the mill begins to work", *messages))
    )
    (folder / "mill.log").write_text("".join(texts), "utf-8")
    return sm.check([folder / "mill.log"], specs=[folder / "Mill.yaml"])


def test_what_was_asked_for_is_well_with_all_that_follows(tmp_path: Path) -> None:
    """A rolling restart is no trouble, though others look for the mill in vain meanwhile."""
    report = checked(tmp_path, STOPS, LOST, LOST, TURNS, OTHER, OTHER, OTHER, OTHER, TURNS)
    assert report.health is Health.WELL
    text = "\n".join(to_text(report))
    assert text.startswith("WELL   nothing is wrong; mill 1 stood still for 3 s")
    assert "Over, and was no trouble\n  ✓ mill 1 stood still" in text
    assert "→ mill 1 was not found" in text
    assert "Healed" not in text


@pytest.mark.parametrize(("mills", "summaries"), [(2, 2), (9, 1)])
def test_a_page_says_who_and_when_of_what_is_over_before_any_click(
    mills: int, summaries: int, tmp_path: Path
) -> None:
    """Few have a line each; of many, what they were called when they were over, and how many."""
    told = [
        line.replace("mill 1", f"mill {number}")
        for number in range(1, mills + 1)
        for line in (STOPS, HUNGRY, HUNGRY, TURNS)
    ]
    page = "".join(report_in_form(checked(tmp_path, *told, *[OTHER] * 9), "html"))
    healed = page.partition("<h2>Healed</h2>")[2].partition("<h2>")[0]
    assert healed.count("<summary>") == summaries
    first = healed.partition("<summary>")[2].partition("</summary>")[0]
    assert "mill 1 stood still" in first
    assert ("and 8 more like it" in first) == (mills == 9)


@pytest.mark.parametrize("form", ["html", "markdown"])
def test_every_form_lists_it_as_ordinary(form: str, tmp_path: Path) -> None:
    """Whoever reads the page must not be alarmed either."""
    report = checked(tmp_path, STOPS, LOST, LOST, TURNS)
    page = "".join(report_in_form(report, form))
    assert "Over, and was no trouble" in page
    assert "Healed" not in page


def test_what_is_stopped_in_order_and_stays_so_is_no_alarm(tmp_path: Path) -> None:
    """A node that was drained stays away: nobody is woken, also not a day later."""
    report = checked(tmp_path, STOPS, *[LOST] * 20, OTHER)
    assert report.health is Health.WELL
    assert next(iter(to_text(report))).startswith(
        "WELL   nothing is wrong; mill 1 is stopped since"
    )


def test_what_users_notice_of_it_was_trouble(tmp_path: Path) -> None:
    """Nobody asked for bakers without flour: that is told as healed trouble, with its cause."""
    report = checked(tmp_path, STOPS, HUNGRY, HUNGRY, TURNS, OTHER, OTHER, OTHER, OTHER)
    assert report.health is Health.HEALED
    assert [(one.title, [e.title for e in one.effects]) for one in report.incidents] == [
        ("mill 1 stood still", ["the baker of mill 1 had no flour"])
    ]


def test_what_users_notice_while_it_goes_on_is_wrong_now(tmp_path: Path) -> None:
    """The cause is in order, and what it does is not."""
    assert checked(tmp_path, STOPS, HUNGRY, HUNGRY).health is Health.ILL


def test_what_users_noticed_stands_by_itself_where_the_rest_goes_on_in_order(
    tmp_path: Path,
) -> None:
    """It would be hidden below something that is no trouble."""
    report = checked(tmp_path, STOPS, HUNGRY, HUNGRY, *[OTHER] * 20, LOST)
    assert report.health is Health.HEALED
    assert {one.title for one in report.incidents} == {
        "mill 1 is stopped", "the baker of mill 1 had no flour",
    }  # fmt: skip


def test_what_begins_as_its_cause_is_over_may_pass(tmp_path: Path) -> None:
    """Who has just come back is not found by everybody at once: a log that ends two seconds later
    is no alarm, and one that ends half a minute later is.
    """
    came_back = (STOPS, LOST, *[OTHER] * 8, TURNS)
    soon = checked(tmp_path, *came_back, LOST, LOST)
    assert (soon.health, [one.is_ill for one in soon.incidents if one.is_open]) == (
        Health.WELL, [False],
    )  # fmt: skip
    assert checked(tmp_path, *came_back, *[LOST] * 30).health is Health.ILL


@pytest.mark.parametrize(
    ("seconds", "health", "titles"),
    [(2, Health.WELL, []), (5, Health.HEALED, ["mill 1 was cleaned"])],
)
def test_a_delay_that_lasted_longer_than_is_normal_was_trouble(
    seconds: int, health: Health, titles: list[str], tmp_path: Path
) -> None:
    """A life has its pauses; a pause that did not end in its time is told, though it is over."""
    report = checked(tmp_path, CLEANS, *[OTHER] * (seconds - 1), IS_CLEAN, OTHER)
    assert (report.health, [incident.title for incident in report.incidents]) == (health, titles)
    text = "\n".join(to_text(report))
    assert ("Healed\n  ✓ mill 1 was cleaned" in text) == bool(titles)
    assert "no trouble" not in text


def test_of_two_causes_the_nearest_in_time_counts(tmp_path: Path) -> None:
    """What was over for four seconds is nearer than what is told twelve seconds later."""
    angry = "baker of mill 1 is angry"
    lines = LOST, LOST, *[OTHER] * 3, angry, *[OTHER] * 11, STOPS, TURNS, *[OTHER] * 5
    effects = {
        one.title: [e.title for e in one.effects] for one in checked(tmp_path, *lines).incidents
    }
    assert effects == {
        "mill 1 was not found": ["the baker of mill 1 was angry"], "mill 1 stood still": [],
    }  # fmt: skip


@pytest.mark.parametrize(("nights", "last"), [(2, "08:00:10"), (9, "08:01:06")])
def test_what_befell_one_subject_again_and_again_is_one_row(
    nights: int, last: str, tmp_path: Path
) -> None:
    """Restarts filled the screen with rows that differ in their times only; a program gets each."""
    lines = [line for _ in range(nights) for line in (STOPS, HUNGRY, HUNGRY, TURNS)]
    report = checked(tmp_path, *lines, *[OTHER] * 20, second=2)
    text = list(to_text(report))
    when = f"{nights} times from 08:00:02 to {last}, for up to 6 s"
    rows = [line for line in text if line.startswith("  ✓")]
    assert rows == [f"  ✓ mill 1 stood still   {when}"]
    assert any(
        f"and {n} more like it" in line for line in text for n in (nights - 1, 2 * nights - 1)
    )
    assert f"- ✓ **mill 1 stood still** {when}\n" in "".join(report_in_form(report, "markdown"))
    everything = list(to_text(report, OutputStyle(limit=10**6)))
    assert sum(line.startswith("  ✓ mill 1 stood still   for 6 s") for line in everything) == nights
    assert not any("↻" in line and "mill 1 st" in line for line in text)
    page = "".join(report_in_form(report, "html"))
    assert page.count(f"<summary><span>mill 1 stood still {when}") == 1
    told = [
        one["title"] for one in json.loads("".join(report_in_form(report, "json")))["incidents"]
    ]
    assert told == ["mill 1 stood still"] * nights
