"""What a spec asks of an incident beside that it happened: an effect, an end with its process.

Covers: statemachines.conform.incidents.troubles, statemachines.conform.join.report_sources.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import statemachines as sm
from statemachines.model.evidence.instance_names import short_process_names
from statemachines.model.evidence.reports import EpisodeOutcome
from statemachines.report.text.document import to_text

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
  STILL: {}
transitions:
  - {from: TURNING, to: STILL}
  - {from: STILL, to: TURNING}
log:
  logger: mill.Main
  level: INFO
  lines:
    - {text: "mill goes from {from} to {to}", says: step}
    - {text: "miller is told to go", says: note, mark: was told to go}
    - {text: "sack is stuck", says: note, mark: is stuck}
  incidents:
    miller-gone: {of: was told to go, title: "the miller of {process} went", needs: effect}
    mill-still: {of: still, follows: [miller-gone]}
    sack-stuck: {of: is stuck, title: "a sack is stuck", was: "a sack was stuck", lasts: process}
  episodes:
    still: {while: "state == 'STILL'", title: "a mill is still", was: "a mill was still"}
"""
STOPS, TURNS = "mill goes from TURNING to STILL", "mill goes from STILL to TURNING"


def checked(
    folder: Path,
    east: tuple[str, ...],
    west: tuple[str, ...] = (),
    *,
    mill: str = MILL,
    separate: bool = False,
) -> sm.Report:
    """Judge the lines of two processes; east's stand a second apart, west's half a second later."""
    (folder / "mill.yaml").write_text(FAMILY, "utf-8")
    (folder / "Mill.yaml").write_text(mill, "utf-8")
    for name, messages, offset in (("east", east, 0), ("west", west, 500)):
        (folder / "logs" / name).mkdir(parents=True)
        texts = (
            f"2026-11-21 08:00:{second:02},{offset:03} INFO {message} (mill.Main)\n"
            for second, message in enumerate(("the mill begins to work", *messages))
        )
        (folder / "logs" / name / "mill.log").write_text("".join(texts), "utf-8")
    return sm.check([folder / "logs"], specs=[folder / "Mill.yaml"], separate=separate)


def test_what_needs_an_effect_is_no_incident_by_itself(tmp_path: Path) -> None:
    """A program that is stopped in order, and nothing else happens, is no trouble."""
    report = checked(tmp_path, (TURNS, "miller is told to go"))
    assert report.incidents == ()
    assert report.health.value == "well"


def test_what_followed_makes_it_one_and_names_the_process(tmp_path: Path) -> None:
    """The other's trouble has its cause, called as people call the process: by its folder."""
    (incident,) = checked(tmp_path, ("miller is told to go",), (STOPS, TURNS)).incidents
    assert (incident.kind, incident.title) == ("miller-gone", "the miller of east went")
    assert [effect.title for effect in incident.effects] == ["a mill was still"]


def test_what_goes_on_outlives_a_cause_that_is_over(tmp_path: Path) -> None:
    """What is wrong now is said first, and the stop that is over does not stand in for it."""
    report = checked(tmp_path, ("miller is told to go",), (STOPS,))
    assert [one.title for one in report.incidents] == ["a mill is still"]


def test_what_lasts_with_its_process_may_go_on(tmp_path: Path) -> None:
    """No line would tell of its end, so nobody is told that it is over."""
    (incident,) = checked(
        tmp_path, ("sack is stuck", "mill goes from TURNING to STILL", TURNS)
    ).incidents[:1]
    assert incident.outcome is EpisodeOutcome.MAY_BE_OVER
    assert incident.title == "a sack is stuck"


def test_it_is_over_where_its_process_begins_anew(tmp_path: Path) -> None:
    """The new program has not the threads of the old one."""
    (incident,) = checked(tmp_path, ("sack is stuck", TURNS, "the mill begins to work")).incidents
    assert incident.outcome is EpisodeOutcome.HEALED
    assert incident.title == "a sack was stuck"
    assert incident.until is not None
    assert incident.until.ms - incident.since.ms == 2_000


def test_a_moment_is_over_as_it_is_told(tmp_path: Path) -> None:
    """Lines of one start tell once that a program was killed before, and it is back."""
    moment = MILL.replace("lasts: process", "lasts: moment, repeats: 5 s")
    (incident,) = checked(tmp_path, ("sack is stuck",) * 3, mill=moment).incidents
    assert (incident.title, incident.outcome) == ("a sack was stuck", EpisodeOutcome.HEALED)
    assert (incident.count, incident.since) == (1, incident.until)


@pytest.mark.parametrize(
    ("more", "outcome"),
    [((), EpisodeOutcome.OPEN), (("the mill begins to work",), EpisodeOutcome.HEALED)],
    ids=["it is away", "it is back"],
)
def test_an_absence_goes_on_until_its_process_begins_anew(
    tmp_path: Path, more: tuple[str, ...], outcome: EpisodeOutcome
) -> None:
    """Who was stopped is away until it is started."""
    absence = MILL.replace("lasts: process", "lasts: absence")
    (incident,) = checked(tmp_path, ("sack is stuck", TURNS, *more), mill=absence).incidents
    assert incident.outcome is outcome
    assert (incident.until is None) == (not more)


def test_what_may_be_over_goes_on_with_its_cause(tmp_path: Path) -> None:
    """No line would tell that the mill turns, but who turns it is away still: that is wrong now."""
    hidden = MILL.replace(
        '    - {text: "mill goes from {from} to {to}", says: step}\n',
        '    - {text: "mill stops", says: step, to: STILL}\n'
        '    - {text: "mill starts", says: step, to: TURNING, level: DEBUG}\n',
    )
    asked = "needs: effect, harm: none"
    (still,) = checked(tmp_path, ("miller is told to go", "mill stops"), mill=hidden).incidents
    assert (still.title, still.outcome) == ("a mill was still", EpisodeOutcome.MAY_BE_OVER)
    (tmp_path / "away").mkdir()
    hidden = hidden.replace("needs: effect", f"{asked}, lasts: absence").replace(
        "{of: still, ", "{of: still, harm: outage, "
    )
    (gone,) = checked(
        tmp_path / "away", ("miller is told to go", "mill stops"), mill=hidden
    ).incidents
    assert (gone.kind, gone.is_ill) == ("miller-gone", True)
    assert [effect.title for effect in gone.effects] == ["a mill is still"]


def test_incidents_without_a_subject_are_counted_and_not_named(tmp_path: Path) -> None:
    """`likewise , ` would tell nothing."""
    report = checked(tmp_path, (STOPS, TURNS), (STOPS, TURNS))
    text = "\n".join(to_text(report))
    assert "likewise" not in text
    assert "and 1 more like it" in text


def test_processes_are_called_by_what_differs() -> None:
    """Files of several names, and files without folders, keep theirs."""
    assert short_process_names(["a/b/x.log", "a/c/x.log"]) == {
        "a/b/x.log": "b", "a/c/x.log": "c",
    }  # fmt: skip
    assert short_process_names(["a/x.log", "b/y.log"]) == {}
    assert short_process_names(["a/x.log", "node 2"]) == {}
    assert short_process_names(["a/x.log", "a/b/x.log"]) == {}


def test_nothing_follows_from_what_befell_a_system_of_another_folder(tmp_path: Path) -> None:
    """Two mills of two owners have nothing in common but the words of their logs."""
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    logs = (TURNS, "miller is told to go"), (TURNS, STOPS, TURNS)
    mill = MILL.replace("follows: [miller-gone]", "follows: {miller-gone: any}")
    (together,) = checked(tmp_path / "one", *logs, mill=mill).incidents
    assert not together.title.startswith(("east", "west"))
    assert [effect.title for effect in together.effects] == ["a mill was still"]
    apart = checked(tmp_path / "two", *logs, mill=mill, separate=True)
    assert [(one.title, one.effects) for one in apart.incidents] == [("west: a mill was still", ())]
    assert {row.process.split("/")[0] for row in apart.now} == {"east", "west"}
