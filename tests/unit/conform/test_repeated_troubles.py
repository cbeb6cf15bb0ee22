"""What is trouble because it happens to one subject again and again is told once, with how often.

Covers: statemachines.conform.incidents.incident_rows.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

import statemachines as sm
from statemachines.model.evidence.incidents import Health, Incident
from statemachines.model.evidence.reports import EpisodeOutcome
from statemachines.report.text.document import to_text

LOOM = """
notation: 1
machine: Loom
states: {RUNNING: {initial: true}, STOPPED: {}}
transitions:
  - {from: RUNNING, to: STOPPED}
  - {from: STOPPED, to: RUNNING}
log:
  instance: [loom]
  patterns: {loom: '[0-9]+', reason: '.+'}
  logger: mill.Loom
  level: INFO
  lines:
    - {text: "loom {loom} has stopped: {reason}", says: step, from: RUNNING, to: STOPPED}
    - {text: "loom {loom} runs again", says: step, from: STOPPED, to: RUNNING}
    - {text: "loom {loom} lost its thread", says: note, mark: lost its thread}
  incidents:
    loom-stopped: {of: stopped, many: looms stand still, within: WITHIN}
    loom-restless:
      of: stopped
      at least: 4 times
      repeats: 1 min
      title: "loom {loom} stops again and again"
      was: "loom {loom} stopped again and again"
    threads-lost:
      of: lost its thread
      at least: 3 times
      repeats: 10 s
      title: "loom {loom} loses its thread again and again"
      was: "loom {loom} lost its thread again and again"
  episodes:
    stopped: {while: "state == 'STOPPED'", title: "loom {loom} stands still", was: "loom {loom} stood still"}
"""
KNOT, OIL = "weaver anna-1f0e8d3c-0a5b-4c7d-8e9f-00112233445{} ties a knot", "the oil is out"


def checked(folder: Path, told: Iterable[tuple[int, str]], within: str = "5 s") -> sm.Report:
    """Judge messages, each with its seconds after eight."""
    spec, log = folder / "Loom.yaml", folder / "mill.log"
    spec.write_text(LOOM.replace("WITHIN", within), "utf-8")
    log.write_text("".join(line(at, message) for at, message in sorted(told)), "utf-8")
    return sm.check([log], specs=[spec])


def line(at: int, message: str) -> str:
    """A line of the log."""
    clock = f"{8 + at // 3600:02}:{at // 60 % 60:02}:{at % 60:02}"
    return f"2026-11-21 {clock},000 INFO {message} (mill.Loom)\n"


def stops(*begins: int, loom: int = 7, lasts: int = 2) -> list[tuple[int, str]]:
    """A loom that stops and runs again; the oil is out once, else somebody ties a knot."""
    reasons = [OIL, *(KNOT.format(number % 10) for number in range(len(begins)))]
    return [
        *(
            (at, f"loom {loom} has stopped: {why}")
            for at, why in zip(begins, reasons, strict=False)
        ),
        *((at + lasts, f"loom {loom} runs again") for at in begins),
    ]


def later(at: int) -> list[tuple[int, str]]:
    """The log goes on with another loom."""
    return [(at, "loom 9 runs again")]


def restless(report: sm.Report) -> list[Incident]:
    """What is told of looms that stop again and again."""
    return [one for one in report.incidents if one.kind == "loom-restless"]


def test_what_happens_often_enough_is_one_incident_with_its_count(tmp_path: Path) -> None:
    """Two seconds are nothing; forty times two seconds are a loom to mend."""
    report = checked(tmp_path, [*stops(0, 20, 40, 90, 100), *later(300)])
    (only,) = report.incidents
    assert (only.kind, only.count, only.outcome) == ("loom-restless", 5, EpisodeOutcome.HEALED)
    assert only.title == "loom 7 stopped again and again"
    assert only.since is not None
    assert only.until is not None
    assert ((only.until.ms or 0) - (only.since.ms or 0)) == 102_000
    assert report.health is Health.HEALED


def test_who_brings_it_about_most_often_is_its_cause(tmp_path: Path) -> None:
    """The weaver has a new number each time, and is one weaver."""
    (only,) = restless(checked(tmp_path, [*stops(0, 20, 40, 90), *later(300)]))
    assert only.cause is not None
    assert only.cause.words == "3 × weaver anna-… ties a knot"
    assert only.cause.quote.text.endswith("ties a knot (mill.Loom)")


def test_it_goes_on_until_the_next_time_would_have_come(tmp_path: Path) -> None:
    """Between two stops all looks well, and is not."""
    calm = checked(tmp_path, [*stops(0, 20, 40, 60), *later(123)])
    assert (restless(calm)[0].outcome, calm.health) == (EpisodeOutcome.HEALED, Health.HEALED)
    restless_still = checked(tmp_path, [*stops(0, 20, 40, 60), *later(122)])
    assert restless_still.health is Health.ILL
    told = "\n".join(to_text(restless_still))
    assert "loom 7 stops again and again   4 times since 08:00:00" in told


@pytest.mark.parametrize(
    "told",
    [
        stops(0, 20, 40),
        [*stops(0, 20), *stops(10, 30, loom=8)],
        stops(0, 20, 40, 103),
        stops(0, 100, 200, 300, 400),
    ],
    ids=["too seldom", "several subjects", "a long rest", "too far apart"],
)
def test_what_happens_seldom_or_to_several_is_none(
    tmp_path: Path, told: list[tuple[int, str]]
) -> None:
    """Every loom is stopped once where all of them are cleaned in turn."""
    assert checked(tmp_path, [*told, *later(600)]).incidents == ()


def test_each_time_that_is_trouble_by_itself_is_told_within_the_whole(tmp_path: Path) -> None:
    """One line for a loom that stands still for a minute ten times, not ten."""
    log = [*stops(0, 20, 40, 60, lasts=9), *later(300)]
    (only,) = checked(tmp_path, log).incidents
    assert [(one.kind, one.count) for one in only.effects] == [("loom-stopped", 4)]
    alone = checked(tmp_path, [*stops(0, 20, lasts=9), *later(300)])
    assert [one.kind for one in alone.incidents] == ["loom-stopped", "loom-stopped"]


def test_what_stands_still_at_the_end_keeps_the_whole_open(tmp_path: Path) -> None:
    """The fourth stop is not over: it is told once, and as ill."""
    told = [*stops(0, 20, 40), (60, f"loom 7 has stopped: {OIL}"), *later(600)]
    (only,) = checked(tmp_path, told).incidents
    assert (only.kind, only.count, only.is_ill) == ("loom-restless", 4, True)


@pytest.mark.parametrize(("seconds", "count"), [((0, 5, 9), 1), ((0, 5), 0), ((0, 5, 30), 0)])
def test_lines_of_a_mark_count_too(tmp_path: Path, seconds: tuple[int, ...], count: int) -> None:
    """A thread is lost now and then; three times in a row is trouble."""
    told = [*((at, "loom 7 lost its thread") for at in seconds), *later(90)]
    found = checked(tmp_path, told).incidents
    assert [one.kind for one in found] == ["threads-lost"] * count
    assert sum(one.count for one in found) == 3 * count


@pytest.mark.parametrize("key", ["repeats", "title"])
def test_how_far_apart_and_what_it_is_called_must_be_said(tmp_path: Path, key: str) -> None:
    """So many times are nothing without a time in which, and an episode's title tells of one."""
    lines = LOOM.replace("WITHIN", "5 s").splitlines(keepends=True)
    place = next(number for number, text in enumerate(lines) if "at least: 4" in text)
    wanted = next(n for n in range(place, len(lines)) if lines[n].strip().startswith(f"{key}:"))
    spec = tmp_path / "Loom.yaml"
    spec.write_text("".join([*lines[:wanted], *lines[wanted + 1 :]]), "utf-8")
    with pytest.raises(sm.SpecError) as raised:
        sm.load(spec)
    assert f"`at least` needs `{key}`" in str(raised.value)
