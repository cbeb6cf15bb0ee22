"""Incidents: what happened, what followed from it, and whether anybody must know.

Covers: statemachines.conform.incidents.incident_causes, statemachines.conform.incidents.troubles,
statemachines.conform.incidents.incident_rows, statemachines.model.evidence.incidents,
statemachines.model.evidence.quotes, statemachines.model.definitions.incident_definitions.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import statemachines as sm
from statemachines.model.evidence.incidents import Health, Incident
from statemachines.report.json_format import to_json
from statemachines.report.text.document import to_text

FAMILY = """
notation: 1
family: harbour
releases: ["1.0"]
log:
  lines:
    - {text: "harbour control begins", says: process begins, logger: harbour.Main, level: INFO}
"""
CRANE = """
notation: 1
machine: Crane
family: harbour
states:
  WORKING: {initial: true}
  BROKEN: {}
  REMOVED: {final: true}
transitions:
  - {from: WORKING, to: BROKEN}
  - {from: BROKEN, to: WORKING}
  - {from: [WORKING, BROKEN], to: REMOVED}
log:
  instance: [crane]
  patterns: {crane: '[0-9]+'}
  lines:
    - {text: "crane {crane} goes from {from} to {to}", says: step, logger: harbour.Crane, level: INFO}
    - {text: "crane {crane} cannot reach the office", says: note, mark: lost the office, logger: harbour.Crane, level: WARN}
  incidents:
    crane-broken:
      of: broken
      harm: loss
      many: cranes are broken
      within: 2 s
      means: Nothing is lifted by it.
      look: [The oil.]
      sources: [the manual]
    office-unreachable:
      of: lost the office
      title: "the office cannot be reached"
      was: "the office could not be reached"
      subject: []
      repeats: 5 s
      settles: 3 s
  episodes:
    broken:
      while: "state == 'BROKEN'"
      orderly: "state == 'REMOVED'"
      title: "crane {crane} is broken"
      was: "crane {crane} was broken"
""".replace("      subject: []\n", "")
SHIP = """
notation: 1
machine: Ship
family: harbour
states:
  SERVED: {initial: true}
  WAITING: {}
transitions:
  - {from: SERVED, to: WAITING}
  - {from: WAITING, to: SERVED}
log:
  instance: [ship, dock]
  lines:
    - {text: "ship {ship} at {dock} goes from {from} to {to}", says: step, logger: harbour.Ship, level: INFO}
  incidents:
    ship-waits:
      of: waits
      harm: outage
      many: ships wait
      follows: {crane-broken: {dock: crane}}
  episodes:
    waits: {while: "state == 'WAITING'", title: "ship {ship} waits", was: "ship {ship} waited"}
"""


def checked(folder: Path, *lines: str, crane_text: str = CRANE) -> sm.Report:
    """Judge lines, each `seconds what`; the process begins at 0."""
    for name, text in (("harbour", FAMILY), ("Crane", crane_text), ("Ship", SHIP)):
        (folder / f"{name}.yaml").write_text(text, "utf-8")
    log = folder / "harbour.log"
    told = ["0 harbour.Main: harbour control begins", *lines]
    log.write_text("".join(map(line, told)), "utf-8")
    return sm.check([log], specs=[folder / "Crane.yaml", folder / "Ship.yaml"])


def line(told: str) -> str:
    """A line of the log, so many seconds after eight."""
    seconds, _, what = told.partition(" ")
    logger, _, message = what.partition(": ")
    clock = f"08:{int(seconds) // 60:02}:{int(seconds) % 60:02}"
    return f"2026-11-21 {clock},000 INFO {message} ({logger})\n"


def crane(at: int, number: int, change: str) -> str:
    """A crane's step."""
    source, target = change.split()
    return f"{at} harbour.Crane: crane {number} goes from {source} to {target}"


def ship(at: int, name: str, dock: int, change: str) -> str:
    """A ship's step."""
    source, target = change.split()
    return f"{at} harbour.Ship: ship {name} at {dock} goes from {source} to {target}"


BREAKS, WORKS = "WORKING BROKEN", "BROKEN WORKING"
WAITS, GOES = "SERVED WAITING", "WAITING SERVED"


def kinds(incidents: tuple[Incident, ...]) -> list[str]:
    """The kinds of incidents, in their order."""
    return [one.kind for one in incidents]


def test_what_follows_is_an_effect_of_its_cause(tmp_path: Path) -> None:
    """Ten ships that wait for one crane are one thing to mend."""
    report = checked(
        tmp_path, crane(1, 4, BREAKS), ship(2, "Ada", 4, WAITS), ship(3, "Bea", 4, WAITS)
    )
    (only,) = report.incidents
    assert (only.kind, only.is_ill, report.health) == ("crane-broken", True, Health.ILL)
    (effect,) = only.effects
    assert (effect.kind, effect.count, effect.open_count) == ("ship-waits", 2, 2)
    assert only.harm == "outage", "it is as bad as what it brought about"
    told = list(to_text(report))
    assert told[0].startswith("ILL   crane 4 is broken since 08:00:01")
    assert any("→ ship Ada waits since 08:00:02, and 1 more like it" in one for one in told)


def test_another_dock_is_no_effect(tmp_path: Path) -> None:
    """A ship that waits elsewhere has another reason, and is named by itself."""
    report = checked(tmp_path, crane(1, 4, BREAKS), ship(2, "Ada", 5, WAITS))
    assert kinds(report.incidents) == ["ship-waits", "crane-broken"]
    assert all(not one.effects for one in report.incidents)


def whose(tmp_path: Path, follows: str, *lines: str) -> list[tuple[str, int]]:
    """Return the kinds of incidents and how many effects each has, where ships follow as told."""
    spec = re.sub("follows: .*", f"follows: {follows}", SHIP)
    assert spec != SHIP
    for name, text in (("harbour", FAMILY), ("Crane", CRANE), ("Ship", spec)):
        (tmp_path / f"{name}.yaml").write_text(text, "utf-8")
    log = tmp_path / "harbour.log"
    log.write_text("".join(map(line, ["0 harbour.Main: harbour begins", *lines])), "utf-8")
    report = sm.check([log], specs=[tmp_path / "Crane.yaml", tmp_path / "Ship.yaml"])
    return [(one.kind, sum(effect.count for effect in one.effects)) for one in report.incidents]


@pytest.mark.parametrize(("whose_crane", "effects"), [("any", [1]), ("", [0, 0])])
def test_any_other_may_be_the_cause(
    tmp_path: Path, whose_crane: str, effects: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who waits for a majority waits for whoever is missing; else fields of one name agree."""
    monkeypatch.setitem(
        globals(), "SHIP", SHIP.replace("{dock: crane}", "X").replace("dock", "crane")
    )
    told = crane(1, 4, BREAKS), ship(2, "Ada", 5, WAITS)
    found = whose(tmp_path, f"{{crane-broken: {whose_crane}}}", *told)
    assert [count for _, count in found] == effects


def test_a_cause_names_fields_that_there_are(tmp_path: Path) -> None:
    """A field that no ship has would never agree with anything."""
    unknown = '{crane-broken: {"{harbour}-1": crane}}'
    (tmp_path / "harbour.yaml").write_text(FAMILY, "utf-8")
    ship_file = tmp_path / "Ship.yaml"
    ship_file.write_text(re.sub("follows: .*", f"follows: {unknown}", SHIP), "utf-8")
    with pytest.raises(sm.SpecError, match="`harbour` is no field"):
        sm.load(ship_file)


def test_a_cause_is_named_by_a_text_with_fields(tmp_path: Path) -> None:
    """A program calls its parts by its own name and a word."""
    told = crane(1, 45, BREAKS), ship(2, "Ada", 4, WAITS)
    assert whose(tmp_path, '{crane-broken: {"{dock}5": crane}}', *told) == [("crane-broken", 1)]
    apart = whose(tmp_path, '{crane-broken: {"{dock}6": crane}}', *told)
    assert sorted(apart) == [("crane-broken", 0), ("ship-waits", 0)]


def test_of_two_causes_the_latest_that_went_on_counts(tmp_path: Path) -> None:
    """The crane broke in the morning, was mended, and broke again."""
    report = checked(
        tmp_path,
        crane(1, 4, BREAKS),
        crane(9, 4, WORKS),
        crane(60, 4, BREAKS),
        ship(61, "Ada", 4, WAITS),
        ship(70, "Ada", 4, GOES),
        crane(80, 4, WORKS),
    )
    first, second = sorted(report.incidents, key=lambda one: one.since.ms if one.since else 0)
    assert (len(first.effects), len(second.effects)) == (0, 1)
    assert report.health is Health.HEALED


def test_a_cause_that_goes_on_counts_before_one_that_is_over(tmp_path: Path) -> None:
    """A crane that works again did not let the ship wait while the office cannot be reached."""
    follows = "{crane-broken: any, office-unreachable: any}"
    told = (
        crane(5, 1, BREAKS),
        crane(9, 1, WORKS),
        "19 harbour.Crane: crane 2 cannot reach the office",
        ship(20, "Ada", 7, WAITS),
        ship(22, "Ada", 7, GOES),
    )
    assert dict(whose(tmp_path, follows, *told)) == {"office-unreachable": 1, "crane-broken": 0}
    without = whose(tmp_path, follows, *told[:2], *told[3:])
    assert without == [("crane-broken", 1)]


def test_what_one_log_tells_later_is_no_cause(tmp_path: Path) -> None:
    """Clocks differ between logs, not within one: the crane that broke before the ship waited let
    it wait, and not the one that broke a second after.
    """
    told = crane(5, 1, BREAKS), ship(10, "Ada", 7, WAITS), crane(11, 2, BREAKS)
    whose(tmp_path, "{crane-broken: any}", *told)
    specs = [tmp_path / "Crane.yaml", tmp_path / "Ship.yaml"]
    report = sm.check([tmp_path / "harbour.log"], specs=specs)
    effects = {dict(one.subject)["crane"]: len(one.effects) for one in report.incidents}
    assert effects == {1: 1, 2: 0}


def test_what_outlasts_its_cause_stands_by_itself(tmp_path: Path) -> None:
    """The crane works again, and the ship still waits: somebody must look."""
    report = checked(tmp_path, crane(1, 4, BREAKS), ship(2, "Ada", 4, WAITS), crane(9, 4, WORKS))
    assert kinds(report.incidents) == ["ship-waits", "crane-broken"]
    assert report.health is Health.ILL


def test_what_is_over_in_its_normal_time_is_no_incident(tmp_path: Path) -> None:
    """A second of oil is no news."""
    report = checked(tmp_path, crane(1, 4, BREAKS), crane(2, 4, WORKS))
    assert report.incidents == ()
    assert report.health is Health.WELL


def test_what_was_tried_in_vain_is_an_incident_at_once(tmp_path: Path) -> None:
    """Nobody need wait whether a crane gets mended in its normal time where mending it failed."""
    failed = '    - {text: "crane {crane} cannot be mended: {reason}", says: failed, to: WORKING, logger: harbour.Crane, level: ERROR}\n  incidents:'
    spec = CRANE.replace("  incidents:", failed)
    spec = spec.replace(
        '      title: "crane {crane} is broken"',
        '      blame: [failed]\n      title: "crane {crane} is broken"',
    )
    told = [crane(1, 4, BREAKS), "2 harbour.Crane: crane 4 cannot be mended: oil"]
    for lines, ill in ((told[:1], False), (told, True), ([*told, crane(2, 4, WORKS)], False)):
        found = checked(tmp_path, *lines, crane_text=spec).incidents
        assert any(one.is_long for one in found) is ill


def test_what_heals_for_a_moment_only_is_one_incident(tmp_path: Path) -> None:
    """A crane that works for a second in between did not work: it is told once, and how often."""
    spec = CRANE.replace("      many: cranes", "      repeats: 3 s\n      many: cranes")
    told = [
        crane(second, 4, change)
        for second, change in ((5, BREAKS), (9, WORKS), (11, BREAKS), (15, WORKS), (40, BREAKS))
    ]
    first = checked(tmp_path, *told[:4], crane(20, 5, BREAKS), crane_text=spec).incidents
    [one] = [each for each in first if each.subject[0][1] == 4]
    assert one.count == 2
    times = [(moment.ms or 0) if moment else 0 for moment in (one.since, one.until)]
    assert times[1] - times[0] == 10_000
    again = checked(tmp_path, *told, crane(50, 5, BREAKS), crane_text=spec).incidents
    assert [(one.subject[0][1], one.count, one.is_open) for one in again] == [
        (4, 1, True),
        (5, 1, True),
        (4, 2, False),
    ]


@pytest.mark.parametrize(
    ("end", "times", "goes_on"), [(17, 2, True), (20, 2, False), (11, 1, False)]
)
def test_what_came_back_goes_on_until_the_next_one_was_due(
    tmp_path: Path, end: int, times: int, *, goes_on: bool
) -> None:
    """A crane that works for a second in between has not been mended because the log ends just
    then; one that broke once has.
    """
    spec = CRANE.replace("      many: cranes", "      repeats: 3 s\n      many: cranes")
    changes = ((5, BREAKS), (9, WORKS), (11, BREAKS), (15, WORKS))[: 2 * times]
    told = [crane(second, 4, change) for second, change in changes]
    found = checked(tmp_path, *told, crane(end, 5, BREAKS), crane_text=spec).incidents
    assert [one.is_open for one in found if one.subject[0][1] == 4] == [goes_on]


def test_an_orderly_end_is_no_incident(tmp_path: Path) -> None:
    """A crane that is taken away is broken no more, and was meant to go."""
    report = checked(tmp_path, crane(1, 4, BREAKS), crane(30, 4, "BROKEN REMOVED"))
    assert report.incidents == ()
    assert "✗" not in "\n".join(to_text(report))


@pytest.mark.parametrize(
    ("seconds", "count"),
    [((10, 13, 17), 1), ((10, 13, 40), 2), ((1, 2), 0), ((1, 2, 5), 1)],
    ids=["one stretch", "two stretches", "the start", "more than the start"],
)
def test_lines_of_a_mark_that_stand_close_are_one_incident(
    tmp_path: Path, seconds: tuple[int, ...], count: int
) -> None:
    """What is tried every second is told once, with how often; what a start brings is none."""
    tries = [f"{at} harbour.Crane: crane 4 cannot reach the office" for at in seconds]
    report = checked(tmp_path, *tries, crane(99, 4, BREAKS))
    found = [one for one in report.incidents if one.kind == "office-unreachable"]
    assert len(found) == count
    if count:
        assert sum(one.count for one in found) == len(seconds)
        assert found[0].title == "the office could not be reached"


@pytest.mark.parametrize(("again", "count"), [(5, 0), (9, 1)], ids=["the start", "again"])
def test_what_comes_back_after_a_rest_is_no_part_of_the_start(
    tmp_path: Path, again: int, count: int
) -> None:
    """The office was reached once since the crane began to work: it is gone anew."""
    spec = CRANE.replace("settles: 3 s", "settles: 30 s")
    for name, text in (("harbour", FAMILY), ("Crane", spec)):
        (tmp_path / f"{name}.yaml").write_text(text, "utf-8")
    log = tmp_path / "harbour.log"
    told = [f"{at} harbour.Crane: crane 4 cannot reach the office" for at in (1, 2, again)]
    told = ["0 harbour.Main: harbour control begins", *told, crane(99, 4, BREAKS)]
    log.write_text("".join(map(line, told)), "utf-8")
    found = sm.check([log], specs=[tmp_path / "Crane.yaml"]).incidents
    assert [one.kind for one in found if one.kind == "office-unreachable"] == (
        ["office-unreachable"] * count
    )


def test_an_incident_of_a_mark_goes_on_where_the_log_ends_before_the_next(tmp_path: Path) -> None:
    """The last try is two seconds old: nobody knows of a better one."""
    report = checked(tmp_path, "30 harbour.Crane: crane 4 cannot reach the office")
    (only,) = report.incidents
    assert (only.title, only.is_ill) == ("the office cannot be reached", True)


def test_the_page_of_a_kind_is_named(tmp_path: Path) -> None:
    """What to look at next is a command away."""
    report = checked(tmp_path, crane(1, 4, BREAKS), ship(2, "Ada", 6, WAITS), crane(9, 5, BREAKS))
    assert {one.kind: one.next for one in report.incidents} == {
        "crane-broken": "statemachines explain crane-broken",
        "ship-waits": "",
    }


def test_every_form_tells_the_same_incidents(tmp_path: Path) -> None:
    """Who reads the page and who reads the terminal talk about one thing."""
    from statemachines.report.formats import report_in_form

    report = checked(tmp_path, crane(1, 4, BREAKS), ship(2, "Ada", 4, WAITS))
    for form in ("html", "markdown", "json"):
        told = "".join(report_in_form(report, form))
        assert "crane 4 is broken" in told
        assert "ship Ada waits" in told
    assert '"health": "ill"' in "".join(to_json(report))
